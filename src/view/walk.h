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
	uint32_t *child, *sibling;  /* first child and next sibling, by node */
	uint32_t root;		    /* the first; the others are its siblings */
	uint32_t node;		    /* where the walk is */
	bool entering;		    /* node is entered (before its children), else left (after) */
};

void walk_init(struct walk *w, const struct profile *p, uint32_t event);
/* Go one step; false at the end. */
bool walk_next(struct walk *w);
void walk_release(struct walk *w);

/* Of the samples that end in a node. */
uint64_t walk_self(const struct walk *w, uint32_t node);
uint64_t walk_self_samples(const struct walk *w, uint32_t node);
/* The lines of a node's location, innermost first; NULL and 0 for a root. */
const struct line *walk_lines(const struct walk *w, uint32_t node, size_t *n);
bool walk_is_root(const struct walk *w, uint32_t node);

#endif
