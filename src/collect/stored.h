/* SPDX-License-Identifier: MIT */
/*
 * Stacks that are expensive to rebuild (unwound from a dump) and so are rebuilt once: kept as
 * location ids from the first parallel pass to the second.  Equal stacks are kept once, and
 * their samples are added up.
 */
#ifndef PERFREP_COLLECT_STORED_H
#define PERFREP_COLLECT_STORED_H

#include "base/hashidx.h"
#include "base/vec.h"

struct stored_stack {
	uint32_t first, n; /* in `locs`, leaf first */
	uint8_t flags;	   /* enum stack_flags */
};

struct stored_cell { /* samples of one event, stack and key */
	uint32_t stack, key, event;
	uint64_t weight, count;
};

struct stored {
	VEC(uint32_t) locs;
	VEC(struct stored_stack) stacks;
	VEC(struct stored_cell) cells;
	struct hashidx stack_index, cell_index;
};

/* The id of a stack of N locations. */
uint32_t stored_stack(struct stored *st, const uint32_t *locs, size_t n, unsigned flags);
void stored_add(struct stored *st, uint32_t stack, uint32_t key, uint32_t event, uint64_t weight);
void stored_release(struct stored *st);

#endif
