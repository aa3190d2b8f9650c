/* SPDX-License-Identifier: MIT */
/*
 * The trie of stored stacks, for views that walk it.  The stacks are sorted, so that each differs
 * from the one before from some frame on, and what differs are new nodes: nothing is looked up.
 *
 * Locations that say the same are one: most stacks of a large recording differ as addresses only.
 */
#include <stdlib.h>

#include <perfrep/order.h>

#include "profile/canon.h"
#include "profile/priv.h"

/* Every root and location is one frame: a canonical location, or nr_locs and a key. */
struct singles {
	uint32_t *frames, *ranks;
	struct frames_range *locs, *keys;
	struct stack_frames f;
};

static void singles_init(struct singles *s, const struct profile *p)
{
	uint32_t n = (uint32_t)(p->nr_locs + p->nr_keys);

	s->frames = canon_new(p);
	s->frames = xreallocarray(s->frames, n, sizeof(*s->frames));
	s->locs = xreallocarray(NULL, p->nr_locs, sizeof(*s->locs));
	s->keys = xreallocarray(NULL, p->nr_keys, sizeof(*s->keys));
	s->ranks = xreallocarray(NULL, 2 * (size_t)n, sizeof(*s->ranks));
	for (uint32_t i = 0; i < p->nr_locs; i++)
		s->locs[i] = (struct frames_range){ i, 1 };
	for (uint32_t i = 0; i < p->nr_keys; i++) {
		s->frames[p->nr_locs + i] = (uint32_t)p->nr_locs + i;
		s->keys[i] = (struct frames_range){ (uint32_t)p->nr_locs + i, 1 };
	}
	for (uint32_t i = 0; i < n; i++)
		s->ranks[2 * (size_t)i] = s->ranks[2 * (size_t)i + 1] = i;
	s->f = (struct stack_frames){ .frames = s->frames,
				      .keys = s->keys,
				      .locs = { s->locs, NULL },
				      .ranks = s->ranks,
				      .nr_ranks = n };
}

static void singles_release(struct singles *s)
{
	free(s->frames);
	free(s->ranks);
	free(s->locs);
	free(s->keys);
}

/* The samples of a stack, into the columns; the events' sums have them already. */
static void fill_node(struct profile *p, const struct stack_order *o, size_t at, uint32_t node)
{
	for (uint32_t i = 0; i < p->nr_events; i++) {
		struct profile_event *e = &p->events[i];
		uint64_t count, weight = stack_order_event_weight(o, at, i, &count);

		if (!count)
			continue;
		if (node >= e->node_cap)
			profile_grow_columns(p, e);
		e->node_weight[node] = add_saturating(e->node_weight[node], weight);
		e->node_count[node] = add_saturating(e->node_count[node], count);
	}
}

static uint32_t add_node(struct profile *p, uint32_t parent, uint32_t loc)
{
	profile_reserve(&p->nodes, p->nr_nodes, &p->priv->nodes_cap, 1);
	p->nodes[p->nr_nodes] = (struct stack_node){ parent, loc };
	return (uint32_t)p->nr_nodes++;
}

static void build(struct profile *p, const struct stack_order *o)
{
	VEC(struct stack_node) path = { 0 }; /* of the last stack: nodes, and their frames */
	uint32_t *frames = NULL;
	size_t cap = 0;

	for (size_t at = 0; at < o->n; at++) {
		size_t n = stack_order_frames(o, at, &frames, &cap), same = 0;

		while (same < n && same < path.n && path.v[same].loc == frames[same])
			same++;
		path.n = same;
		vec_reserve(&path, n - same);
		for (; same < n; same++) {
			uint32_t parent = same ? path.v[same - 1].parent : PROFILE_NONE;
			uint32_t loc = same ? frames[same] : frames[0] - (uint32_t)p->nr_locs;

			path.v[path.n++] =
				(struct stack_node){ add_node(p, parent, loc), frames[same] };
		}
		fill_node(p, o, at, path.v[n - 1].parent);
	}
	vec_release(&path);
	free(frames);
}

/* The trie is a cache: who only reads the profile may ask for it. */
void profile_need_trie(const struct profile *profile)
{
	struct profile *p = (struct profile *)profile;
	struct stack_order order;
	struct singles s;

	if (!p->priv->sets.n || p->priv->has_trie)
		return;
	singles_init(&s, p);
	stack_order_init(&order, p, PROFILE_NONE, &s.f);
	build(p, &order);
	stack_order_release(&order);
	singles_release(&s);
	p->priv->has_trie = true;
}
