/* SPDX-License-Identifier: MIT */
/*
 * Weights by row: what every table is made of.  A row is whatever the caller says that a line of
 * the profile belongs to: a function, a module, a source line.
 *
 * Each stack is looked at once, in several threads when profile.threads says so; the sums don't
 * depend on how many.
 */
#ifndef PERFREP_SUMS_H
#define PERFREP_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include <perfrep/profile.h>

struct row_sum {
	uint64_t self, self_samples; /* of stacks whose innermost line is the row's */
	uint64_t total, total_samples; /* of stacks with the row in them, each once */
	uint32_t depth; /* frames around its outermost frame, itself included, at the least; 0: no
			 * stack has it */
};

/*
 * The same by slices of time: arrays of n for each row.  n is 0 when the stacks have no times.
 */
struct row_blocks {
	unsigned n;
	uint64_t *weight, *samples; /* [n]: all of the event */
	uint64_t *self, *total; /* [row * n + block] */
	uint64_t *self_samples, *total_samples;
};

struct leaf_sum { /* of the stacks that end in a location */
	uint64_t weight, samples;
};

/* Owned: row_sums_release(). */
struct row_sums {
	struct row_sum *rows; /* one more than asked for: stacks whose leaf has no line */
	struct leaf_sum *leaves; /* by location */
	struct row_blocks blocks; /* when asked for; of rows, the one more too */
	bool deep; /* some stack has more than one frame */
};

/* ROW_OF_LINE gives a row below NR_ROWS for each of P's lines. */
void row_sums(struct row_sums *out, const struct profile *p, uint32_t event,
	      const uint32_t *row_of_line, size_t nr_rows, bool by_block);
void row_sums_release(struct row_sums *s);
void row_blocks_release(struct row_blocks *b);

/* The leaves alone: an array by location, to be freed. */
struct leaf_sum *leaf_sums(const struct profile *p, uint32_t event);

#endif
