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
	size_t n, touched;

	profile_need_trie(p);
	n = p->nr_nodes;
	touched = e->node_cap < n ? e->node_cap : n;
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

void walk_release(struct walk *w)
{
	free(w->weight);
	free(w->samples);
	free(w->child);
	free(w->sibling);
	memset(w, 0, sizeof(*w));
}
