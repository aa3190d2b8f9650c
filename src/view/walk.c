/* SPDX-License-Identifier: MIT */
/*
 * A parent's id is below those of its children, so one pass backwards gives the subtree sums and
 * links the children of each node in ascending order.
 */
#include "view/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

void walk_init(struct walk *w, const struct profile *p, uint32_t event)
{
	const struct profile_event *e = &p->events[event];
	size_t n = p->nr_nodes, touched = e->node_cap < n ? e->node_cap : n;

	*w = (struct walk){ .profile = p, .event = e, .root = PROFILE_NONE, .node = PROFILE_NONE };
	w->weight = xcalloc(n + 1, sizeof(*w->weight));
	w->samples = xcalloc(n + 1, sizeof(*w->samples));
	w->child = xreallocarray(NULL, n + 1, sizeof(*w->child));
	w->sibling = xreallocarray(NULL, n + 1, sizeof(*w->sibling));
	memset(w->child, 0xff, (n + 1) * sizeof(*w->child));
	if (touched) {
		memcpy(w->weight, e->node_weight, touched * sizeof(*w->weight));
		memcpy(w->samples, e->node_count, touched * sizeof(*w->samples));
	}
	for (size_t i = n; i-- > 0;) {
		uint32_t parent = p->nodes[i].parent;
		uint32_t *head = parent == PROFILE_NONE ? &w->root : &w->child[parent];

		if (!w->samples[i] && !w->weight[i])
			continue;
		w->sibling[i] = *head;
		*head = (uint32_t)i;
		if (parent == PROFILE_NONE)
			continue;
		w->weight[parent] = add_saturating(w->weight[parent], w->weight[i]);
		w->samples[parent] = add_saturating(w->samples[parent], w->samples[i]);
	}
}

bool walk_next(struct walk *w)
{
	uint32_t next;

	if (w->node == PROFILE_NONE) {
		w->node = w->root;
		w->root = PROFILE_NONE; /* the walk is made once */
		w->entering = true;
		return w->node != PROFILE_NONE;
	}
	if (w->entering) {
		next = w->child[w->node];
		w->entering = next != PROFILE_NONE;
		if (w->entering)
			w->node = next;
		return true;
	}
	next = w->sibling[w->node];
	w->entering = next != PROFILE_NONE;
	w->node = w->entering ? next : w->profile->nodes[w->node].parent;
	return w->node != PROFILE_NONE;
}

void walk_release(struct walk *w)
{
	free(w->weight);
	free(w->samples);
	free(w->child);
	free(w->sibling);
	memset(w, 0, sizeof(*w));
}

uint64_t walk_self(const struct walk *w, uint32_t node)
{
	return node < w->event->node_cap ? w->event->node_weight[node] : 0;
}

uint64_t walk_self_samples(const struct walk *w, uint32_t node)
{
	return node < w->event->node_cap ? w->event->node_count[node] : 0;
}

bool walk_is_root(const struct walk *w, uint32_t node)
{
	return w->profile->nodes[node].parent == PROFILE_NONE;
}

const struct line *walk_lines(const struct walk *w, uint32_t node, size_t *n)
{
	const struct profile *p = w->profile;
	const struct location *loc;

	*n = 0;
	if (walk_is_root(w, node))
		return NULL;
	loc = &p->locs[p->nodes[node].loc];
	*n = loc->nr_lines;
	return loc->nr_lines ? &p->lines[loc->first_line] : NULL;
}
