/* SPDX-License-Identifier: MIT */
/*
 * The stacks of an event, sorted by what their frames are called.
 *
 * The caller says which frames (small numbers) each root and each location stands for, and how
 * frames compare.  Stacks are sorted by whole sequences of frames, so that equal ones, which may
 * have come from different addresses, are neighbours, and stacks with the same outer frames too:
 * folded lines, call trees and flame graphs are one pass over the result.
 */
#ifndef PERFREP_ORDER_H
#define PERFREP_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/profile.h>

struct frames_range {
	uint32_t first, n;
};

struct stack_frames {
	const uint32_t *frames; /* ids, root to leaf; the ranges index it */
	const struct frames_range *keys; /* by profile.keys */
	const struct frames_range *locs[2]; /* by profile.locs; [1] is for keys with `other` */
	const bool *other; /* by key; may be NULL */
	const bool *dropped; /* by key: its stacks are left out; may be NULL */
	/*
	 * Ranks from 0: [2 id] for a frame that ends a stack, [2 id + 1] for one that others
	 * follow; the two may be equal.  Other frames have other ranks.
	 */
	const uint32_t *ranks;
	uint32_t nr_ranks;
	uint32_t max_locs; /* innermost locations that are looked at; 0: all */
	bool rootless; /* keep stacks that have no frame but their root's */
};

struct stack_order {
	const struct profile *profile;
	const struct stack_frames *frames;
	uint32_t event;
	uint32_t *stacks; /* sorted; for the functions below */
	size_t n;
	struct stack_order_priv *priv;
};

/* Both P and FRAMES are borrowed.  EVENT may be PROFILE_NONE: all, added up. */
void stack_order_init(struct stack_order *o, const struct profile *p, uint32_t event,
		      const struct stack_frames *frames);
void stack_order_release(struct stack_order *o);
/*
 * The locations of the stack at place AT that are looked at, root first, into *OUT (grown to
 * *CAP); their number.  *KEY is its root.
 */
size_t stack_order_locs(const struct stack_order *o, size_t at, uint32_t *key, uint32_t **out,
			size_t *cap);
/* Its frames, root first; their number. */
size_t stack_order_frames(const struct stack_order *o, size_t at, uint32_t **out, size_t *cap);
/* Its weight and the number of its samples. */
uint64_t stack_order_weight(const struct stack_order *o, size_t at, uint64_t *samples);
/* The same for one of several events. */
uint64_t stack_order_event_weight(const struct stack_order *o, size_t at, uint32_t event,
				  uint64_t *samples);
/* Ask for the stack at AT ahead of time. */
void stack_order_prefetch(const struct stack_order *o, size_t at);

#endif
