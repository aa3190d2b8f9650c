/* SPDX-License-Identifier: MIT */
/*
 * Most of what completes cut stacks is remembered by the pass that finds the cuts: from the first
 * cut of a thread on, its stacks are, from a little below the lowest place where one was cut.
 * Where that was too late, or not low enough, the chunk is looked at again (observe.c).
 */
#ifndef PERFREP_COLLECT_WATCH_H
#define PERFREP_COLLECT_WATCH_H

#include "base/hashidx.h"
#include "base/vec.h"
#include "stack/repair.h"

struct watched_thread {
	int32_t tid;
	uint32_t since; /* chunks of `chunks` from this one on have all words … */
	uint64_t lowest; /* … from this address on */
};

struct watched_chunk {
	size_t index; /* of the recording's chunks */
	size_t from, to; /* its spans in the memory */
	uint64_t threads; /* that have stacks in it: watch_bit() */
	uint64_t missed; /* … and stacks that were not shown */
	bool late; /* it was found out in this chunk that more is wanted */
};

struct watch {
	VEC(struct watched_thread) threads;
	struct hashidx threads_index;
	VEC(struct watched_chunk) chunks; /* the last one is at hand */
};

void watch_begin(struct watch *w, size_t index, struct repair *r);
/* ST's frames from FIRST_USER on are INFO's.  R remembers them if they are of use. */
void watch_stack(struct watch *w, struct repair *r, int32_t tid, uint64_t when,
		 const struct stack *st, size_t first_user, const struct unwind_info *info);
/* A stack of TID was not shown. */
void watch_miss(struct watch *w, int32_t tid);
void watch_end(struct watch *w, struct repair *r);
/* Whether the chunk at hand has, as far as it is known, all that will be asked for. */
bool watch_suffices(const struct watch *w);
/* From which of `chunks` on all words of TID from LOWEST on are there; UINT32_MAX: in none. */
uint32_t watch_since(const struct watch *w, int32_t tid, uint64_t lowest);
void watch_release(struct watch *w);

static inline uint64_t watch_bit(int32_t tid)
{
	return UINT64_C(1) << ((uint32_t)tid % 64);
}

#endif
