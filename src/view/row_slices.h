/* SPDX-License-Identifier: MIT */
/*
 * Sums by row, event and slice of time, for numbers that are made of several events.  What a row
 * is, and which stacks belong to it, is the caller's.
 */
#ifndef PERFREP_VIEW_ROW_SLICES_H
#define PERFREP_VIEW_ROW_SLICES_H

#include <perfrep/profile.h>
#include <perfrep/statistics.h>

struct event_slices { /* of one event */
	uint64_t *weight, *samples; /* by row */
	uint64_t *blocks, *sample_blocks; /* [row * PROFILE_BLOCKS + block] */
	uint64_t all_weight[PROFILE_BLOCKS], all_samples[PROFILE_BLOCKS];
};

struct row_slices {
	const struct profile *profile;
	size_t nr_rows;
	struct event_slices *v; /* by event of the profile; without arrays: not wanted */
};

/* Owned: row_slices_release(). */
void row_slices_init(struct row_slices *s, const struct profile *p, size_t nr_rows);
void row_slices_want(struct row_slices *s, uint32_t event);
/* Look at all stacks: PLACE calls row_slices_add() for each row that the stack belongs to. */
void row_slices_fill(struct row_slices *s, void (*place)(void *ctx, const struct stack_iter *it),
		     void *ctx);
void row_slices_add(struct row_slices *s, size_t row, const struct stack_iter *it);
void row_slices_release(struct row_slices *s);

/* The row's weight of an event by slice: PROFILE_BLOCKS numbers. */
const uint64_t *row_slices_of(const struct row_slices *s, uint32_t event, size_t row);
/* How sure the row's share of the event is, by weight or by count. */
struct share row_slices_share(const struct row_slices *s, uint32_t event, size_t row,
			      bool by_count);
/* … of the row OF, that it is a part of. */
struct share row_slices_share_of(const struct row_slices *s, uint32_t event, size_t row, size_t of,
				 bool by_count);

#endif
