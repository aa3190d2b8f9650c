/* SPDX-License-Identifier: MIT */
/*
 * Looking up a point (address, time) among disjoint rectangles: an interval tree over addresses.
 *
 * A node has a centre, and holds the rectangles whose addresses include it; those wholly below
 * are in the left subtree, those wholly above in the right one.  As they are disjoint and share
 * an address, the rectangles of one node are disjoint in time: sorted by time, one binary search
 * finds the only one that can answer.  The centre is the median of the starts, so a subtree has
 * at most half of the rectangles: O(log n) nodes, O(log n) steps in each, one place for each
 * rectangle, whatever the maps are (100,000 of a JIT that uses the same addresses again and
 * again, say).
 *
 * How long an answer holds: a rectangle's is its own span of time.  "No map" holds as long as
 * the same rectangle, or the same gap between two, is found in each node on the way down.
 */
#include "machine/maps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct builder {
	struct maps *maps;
	struct map *in, *tmp; /* by start; the recursion works on ranges of it */
	uint32_t cap_nodes;
};

static int by_start(const void *pa, const void *pb)
{
	const struct map *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->valid.from < b->valid.from ? -1 : a->valid.from > b->valid.from;
}

static int by_time(const void *pa, const void *pb)
{
	const struct map *a = pa, *b = pb;

	return a->valid.from < b->valid.from ? -1 : a->valid.from > b->valid.from;
}

static void fill_node(struct builder *b, struct maps_node *node)
{
	struct maps *m = b->maps;
	struct map *v = m->v + node->first;

	node->lo = v[0].start; /* they come by start */
	node->hi = 0;
	for (uint32_t i = 0; i < node->count; i++)
		if (v[i].end > node->hi)
			node->hi = v[i].end;
	qsort(v, node->count, sizeof(*v), by_time);
}

/* A node of the N maps at V, and its subtrees; returns its index. */
static uint32_t build_node(struct builder *b, struct map *v, uint32_t n, uint32_t depth)
{
	struct maps *m = b->maps;
	struct maps_node node = { .center = v[n / 2].start, .first = m->n };
	uint32_t below = 0, above = 0, id = m->nr_nodes++;

	for (uint32_t i = 0; i < n; i++) {
		if (v[i].end <= node.center)
			v[below++] = v[i];
		else if (v[i].start > node.center)
			b->tmp[above++] = v[i];
		else
			m->v[m->n++] = v[i];
	}
	memcpy(v + below, b->tmp, above * sizeof(*v));
	node.count = m->n - node.first;
	fill_node(b, &node);
	if (depth > m->depth)
		m->depth = depth;
	node.left = below ? build_node(b, v, below, depth + 1) : MAPS_NONE;
	node.right = above ? build_node(b, v + below, above, depth + 1) : MAPS_NONE;
	m->nodes[id] = node;
	return id;
}

void maps_build(struct maps *m, const struct map *events, size_t n)
{
	struct builder b = { .maps = m };
	size_t count;

	*m = (struct maps){ 0 };
	if (!n)
		return;
	count = maps_cut(events, n, &b.in);
	assert(count < MAPS_NONE);
	if (count) {
		qsort(b.in, count, sizeof(*b.in), by_start);
		b.tmp = xreallocarray(NULL, count, sizeof(*b.tmp));
		m->v = xreallocarray(NULL, count, sizeof(*m->v));
		m->nodes = xreallocarray(NULL, count, sizeof(*m->nodes));
		build_node(&b, b.in, (uint32_t)count, 1);
		m->nodes = xreallocarray(m->nodes, m->nr_nodes, sizeof(*m->nodes));
	}
	free(b.in);
	free(b.tmp);
}

/* How many of the node's rectangles begin at WHEN or before. */
static uint32_t begun(const struct map *v, uint32_t n, uint64_t when)
{
	uint32_t lo = 0;

	while (n) {
		uint32_t half = n / 2;

		if (v[lo + half].valid.from <= when) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo;
}

/* The node's rectangle at WHEN, or NULL; *HOLDS: as long as that is so. */
static const struct map *node_find(const struct maps *m, const struct maps_node *node,
				   uint64_t when, struct validity *holds)
{
	const struct map *v = m->v + node->first;
	uint32_t i = begun(v, node->count, when);

	if (i && when < v[i - 1].valid.until) {
		*holds = v[i - 1].valid;
		return &v[i - 1];
	}
	holds->from = i ? v[i - 1].valid.until : 0;
	holds->until = i < node->count ? v[i].valid.from : UINT64_MAX;
	return NULL;
}

const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t when,
			    struct validity *valid)
{
	uint32_t at = m->nr_nodes ? 0 : MAPS_NONE;
	struct validity holds;

	*valid = VALIDITY_ALWAYS;
	while (at != MAPS_NONE) {
		const struct maps_node *node = &m->nodes[at];

		if (addr >= node->lo && addr < node->hi) {
			const struct map *map = node_find(m, node, when, &holds);

			if (map && addr >= map->start && addr < map->end) {
				*valid = holds;
				return map;
			}
			*valid = validity_meet(*valid, holds);
		}
		if (addr == node->center)
			break;
		at = addr < node->center ? node->left : node->right;
	}
	return NULL;
}

void maps_release(struct maps *m)
{
	free(m->v);
	free(m->nodes);
	*m = (struct maps){ 0 };
}
