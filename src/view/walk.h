/* SPDX-License-Identifier: MIT */
/*
 * A depth-first walk over the stack trie of one event.  Subtree sums turn "the weight of all
 * stacks through this frame" into one number per node, so every view costs one visit per node,
 * whatever the number of samples.  Subtrees without samples of the event are skipped.
 */
#ifndef PERFREP_VIEW_WALK_H
#define PERFREP_VIEW_WALK_H

#include <stdbool.h>

#include <perfrep/profile.h>

struct walk {
	const struct profile *profile; /* borrowed */
	const struct profile_event *event;
	uint64_t *weight, *samples; /* of the subtree, by node */
	uint32_t *child, *sibling; /* first child and next sibling, by node */
	uint32_t root; /* the first; the others are its siblings */
	uint32_t node; /* where the walk is */
	bool entering; /* node is entered (before its children), else left (after) */
};

void walk_init(struct walk *w, const struct profile *p, uint32_t event);
void walk_release(struct walk *w);

/* Go one step; false at the end.  The walk is made once. */
static inline bool walk_next(struct walk *w)
{
	uint32_t next;

	if (w->node == PROFILE_NONE) {
		next = w->root;
		w->root = PROFILE_NONE;
		w->entering = true;
	} else if (w->entering) {
		next = w->child[w->node];
		w->entering = next != PROFILE_NONE;
		if (!w->entering)
			return true; /* the same node, left */
	} else {
		next = w->sibling[w->node];
		w->entering = next != PROFILE_NONE;
		if (!w->entering)
			next = w->profile->nodes[w->node].parent;
	}
	w->node = next;
	return next != PROFILE_NONE;
}

static inline bool walk_is_root(const struct walk *w, uint32_t node)
{
	return w->profile->nodes[node].parent == PROFILE_NONE;
}

/* Weight and number of the samples that end in a node. */
static inline uint64_t walk_self(const struct walk *w, uint32_t node)
{
	return node < w->event->node_cap ? w->event->node_weight[node] : 0;
}

static inline uint64_t walk_self_samples(const struct walk *w, uint32_t node)
{
	return node < w->event->node_cap ? w->event->node_count[node] : 0;
}

/* The lines of a node's location, innermost first; NULL and 0 for a root. */
static inline const struct line *walk_lines(const struct walk *w, uint32_t node, size_t *n)
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

#endif
