/* SPDX-License-Identifier: MIT */
/*
 * The stack trie: a stack is a node, its caller's stack is the node's parent.
 *
 * This is where a sample's time goes: one look-up per frame.  The index's hash is a bijection of
 * (parent, location), so two children with the same hash are the same child: a look-up reads one
 * slot of the table and not the node behind it.
 */
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "profile/priv.h"

static uint32_t find_child(const struct profile *p, uint64_t hash)
{
	struct hashidx_iter it = hashidx_first(&p->priv->child_index, hash);

	return hashidx_next(&p->priv->child_index, &it);
}

static uint32_t child(struct profile *p, uint32_t parent, uint32_t loc)
{
	uint64_t hash = hash_pair(parent, loc);
	uint32_t id = find_child(p, hash);

	if (id != HASHIDX_NONE)
		return id;
	assert(p->nr_nodes < PROFILE_NONE);
	id = (uint32_t)p->nr_nodes;
	profile_reserve(&p->nodes, p->nr_nodes, &p->priv->nodes_cap, 1);
	p->nodes[p->nr_nodes++] = (struct stack_node){ parent, loc };
	hashidx_add(&p->priv->child_index, hash, id);
	return id;
}

uint32_t profile_root(struct profile *p, uint32_t key)
{
	assert(key < p->nr_keys);
	return child(p, PROFILE_NONE, key);
}

uint32_t profile_child(struct profile *p, uint32_t node, uint32_t loc)
{
	assert(node < p->nr_nodes && loc < p->nr_locs);
	return child(p, node, loc);
}

uint32_t profile_find_child(const struct profile *p, uint32_t node, uint32_t loc)
{
	return find_child(p, hash_pair(node, loc));
}

/* One event's columns, long enough for every node that there is. */
void profile_grow_columns(struct profile *p, struct profile_event *e)
{
	size_t old = e->node_cap, cap = p->priv->nodes_cap;

	e->node_weight = xreallocarray(e->node_weight, cap, sizeof(*e->node_weight));
	e->node_count = xreallocarray(e->node_count, cap, sizeof(*e->node_count));
	memset(e->node_weight + old, 0, (cap - old) * sizeof(*e->node_weight));
	memset(e->node_count + old, 0, (cap - old) * sizeof(*e->node_count));
	e->node_cap = cap;
}

void profile_add(struct profile *p, uint32_t event, uint32_t node, uint64_t weight, uint64_t count)
{
	struct profile_event *e = &p->events[event];

	assert(event < p->nr_events && node < p->nr_nodes);
	if (node >= e->node_cap)
		profile_grow_columns(p, e);
	e->node_weight[node] = add_saturating(e->node_weight[node], weight);
	e->node_count[node] = add_saturating(e->node_count[node], count);
	e->weight = add_saturating(e->weight, weight);
	e->samples = add_saturating(e->samples, count);
}

void profile_add_square(struct profile *p, uint32_t event, uint64_t weight)
{
	struct profile_event *e = &p->events[event];
	unsigned __int128 sq = (unsigned __int128)weight * weight;
	unsigned __int128 sum = (unsigned __int128)e->sum_sq_hi << 64 | e->sum_sq_lo;

	if (__builtin_add_overflow(sum, sq, &sum))
		sum = ~(unsigned __int128)0;
	e->sum_sq_hi = (uint64_t)(sum >> 64);
	e->sum_sq_lo = (uint64_t)sum;
}

void profile_add_sample(struct profile *p, uint32_t event, uint32_t node, uint64_t weight)
{
	profile_add_square(p, event, weight);
	profile_add(p, event, node, weight, 1);
}
