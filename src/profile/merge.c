/* SPDX-License-Identifier: MIT */
/*
 * Adding one profile to another.
 *
 * Ids are those of one profile, so everything is interned again in DST and a table from old to
 * new id is kept for each kind.  Strings are translated when something uses them.  Nodes go in
 * the order of their ids: a parent is always translated before its children.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "profile/priv.h"

struct merge {
	struct profile *dst;
	const struct profile *src;
	uint32_t *strings; /* id + 1, 0: not yet */
	uint32_t *locs, *keys, *nodes;
};

static uint32_t merge_string(struct merge *m, uint32_t id)
{
	if (!m->strings[id])
		m->strings[id] = 1 + profile_string(m->dst, profile_str(m->src, id),
						    profile_strlen(m->src, id));
	return m->strings[id] - 1;
}

/* The lines of a location that has none in DST yet. */
static void merge_lines(struct merge *m, const struct location *from, uint32_t to)
{
	struct line *lines;

	if (!from->nr_lines || m->dst->locs[to].nr_lines)
		return;
	lines = xreallocarray(NULL, from->nr_lines, sizeof(*lines));
	for (uint32_t i = 0; i < from->nr_lines; i++) {
		struct line l = m->src->lines[from->first_line + i];
		struct func f = m->src->funcs[l.func];

		l.func = profile_func(m->dst, merge_string(m, f.name), merge_string(m, f.module),
				      f.flags);
		l.file = merge_string(m, l.file);
		lines[i] = l;
	}
	profile_set_lines(m->dst, to, lines, from->nr_lines);
	m->dst->locs[to].reason = from->reason;
	free(lines);
}

static void merge_locs(struct merge *m)
{
	for (size_t i = 0; i < m->src->nr_locs; i++) {
		const struct location *l = &m->src->locs[i];
		bool named = l->kind == LOC_NAME || l->kind == LOC_MARK;
		struct location moved = *l;

		if (named)
			moved.addr = merge_string(m, (uint32_t)l->addr);
		m->locs[i] = profile_loc_like(m->dst, &moved);
		merge_lines(m, l, m->locs[i]);
	}
}

static void merge_keys(struct merge *m)
{
	for (size_t i = 0; i < m->src->nr_keys; i++) {
		struct stack_key key = m->src->keys[i];

		key.comm = merge_string(m, key.comm);
		key.fields = merge_string(m, key.fields);
		m->keys[i] = profile_key(m->dst, &key);
	}
}

static void merge_nodes(struct merge *m)
{
	for (size_t i = 0; i < m->src->nr_nodes; i++) {
		struct stack_node n = m->src->nodes[i];

		if (n.parent == PROFILE_NONE)
			m->nodes[i] = profile_root(m->dst, m->keys[n.loc]);
		else
			m->nodes[i] = profile_child(m->dst, m->nodes[n.parent], m->locs[n.loc]);
	}
}

static bool same_events(const struct profile *a, const struct profile *b)
{
	if (a->nr_events != b->nr_events)
		return false;
	for (size_t i = 0; i < a->nr_events; i++)
		if (strcmp(profile_str(a, a->events[i].name), profile_str(b, b->events[i].name)))
			return false;
	return true;
}

static void merge_sums(struct profile_event *to, const struct profile_event *from)
{
	unsigned __int128 a = (unsigned __int128)to->sum_sq_hi << 64 | to->sum_sq_lo;
	unsigned __int128 b = (unsigned __int128)from->sum_sq_hi << 64 | from->sum_sq_lo;

	if (__builtin_add_overflow(a, b, &a))
		a = ~(unsigned __int128)0;
	to->sum_sq_hi = (uint64_t)(a >> 64);
	to->sum_sq_lo = (uint64_t)a;
	to->filtered_samples = add_saturating(to->filtered_samples, from->filtered_samples);
	to->filtered_weight = add_saturating(to->filtered_weight, from->filtered_weight);
}

static void merge_init(struct merge *m, struct profile *dst, const struct profile *src)
{
	assert(dst != src);
	*m = (struct merge){ .dst = dst, .src = src };
	m->strings = xcalloc(intern_count(src->strings), sizeof(*m->strings));
	m->locs = xreallocarray(NULL, src->nr_locs, sizeof(*m->locs));
	m->keys = xreallocarray(NULL, src->nr_keys, sizeof(*m->keys));
	merge_locs(m);
	merge_keys(m);
}

/* What is added to the events when the stacks come by themselves. */
static void adopt_sums(struct profile *dst, const struct profile *src)
{
	for (size_t i = 0; i < src->nr_events; i++) {
		struct profile_event *to = &dst->events[i];

		merge_sums(to, &src->events[i]);
		to->weight = add_saturating(to->weight, src->events[i].weight);
		to->samples = add_saturating(to->samples, src->events[i].samples);
	}
}

void profile_adopt(struct profile *dst, struct profile *src)
{
	struct merge m;

	assert(same_events(dst, src) && !src->nr_nodes && !dst->nr_nodes);
	merge_init(&m, dst, src);
	adopt_sums(dst, src);
	for (size_t i = 0; i < src->priv->sets.n; i++) {
		struct stack_set *set = &src->priv->sets.v[i];

		assert(!set->locs && !set->keys); /* a worker's own */
		set->locs = xmemdup(m.locs, src->nr_locs * sizeof(*m.locs));
		set->keys = xmemdup(m.keys, src->nr_keys * sizeof(*m.keys));
		vec_push(&dst->priv->sets, *set);
	}
	src->priv->sets.n = 0;
	free(m.strings);
	free(m.locs);
	free(m.keys);
	profile_free(src);
}

static void merge_event(struct merge *m, size_t i, uint32_t to)
{
	const struct profile_event *e = &m->src->events[i];
	size_t n = e->node_cap < m->src->nr_nodes ? e->node_cap : m->src->nr_nodes;

	merge_sums(&m->dst->events[to], e);
	for (size_t k = 0; k < n; k++)
		if (e->node_weight[k] || e->node_count[k])
			profile_add(m->dst, to, m->nodes[k], e->node_weight[k], e->node_count[k]);
}

static uint32_t merge_event_id(struct merge *m, size_t i)
{
	const struct profile_event *e = &m->src->events[i];

	return profile_event(m->dst, profile_str(m->src, e->name), profile_str(m->src, e->unit));
}

static void merge_events(struct merge *m)
{
	bool same = same_events(m->dst, m->src);

	for (size_t i = 0; i < m->src->nr_events; i++)
		merge_event(m, i, same ? (uint32_t)i : merge_event_id(m, i));
}

/* The stacks of a recording that was not put into a trie. */
static void merge_stacks(struct merge *m)
{
	bool same = same_events(m->dst, m->src);
	uint32_t *events = xcalloc(m->src->nr_events, sizeof(*events));
	struct stack_iter it;

	for (uint32_t i = 0; i < m->src->nr_events; i++) {
		events[i] = same ? i : merge_event_id(m, i);
		merge_sums(&m->dst->events[events[i]], &m->src->events[i]);
	}
	stack_iter_init(&it, m->src, PROFILE_NONE);
	it.by_block = true; /* one event at a time */
	while (stack_iter_next(&it)) {
		uint32_t node = profile_root(m->dst, m->keys[it.key]);

		for (size_t i = 0; i < it.n; i++)
			node = profile_child(m->dst, node, m->locs[it.locs[i]]);
		profile_add(m->dst, events[it.event], node, it.weight, it.count);
	}
	stack_iter_release(&it);
	free(events);
}

void profile_merge(struct profile *dst, const struct profile *src)
{
	struct merge m;

	assert(!dst->priv->sets.n);
	if (!dst->nr_nodes)
		dst->folded = src->folded;
	merge_init(&m, dst, src);
	if (src->priv->sets.n) {
		merge_stacks(&m);
	} else {
		m.nodes = xreallocarray(NULL, src->nr_nodes, sizeof(*m.nodes));
		merge_nodes(&m);
		merge_events(&m);
	}
	free(m.strings);
	free(m.locs);
	free(m.keys);
	free(m.nodes);
}
