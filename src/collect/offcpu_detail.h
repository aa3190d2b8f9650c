/* SPDX-License-Identifier: MIT */
/* Each absence from the CPU with its stack and its waker's: what the sums of a profile lose. */
#ifndef PERFREP_COLLECT_OFFCPU_DETAIL_H
#define PERFREP_COLLECT_OFFCPU_DETAIL_H

#include "base/hashidx.h"
#include "base/vec.h"
#include "collect/offcpu.h"

#include <perfrep/session.h>

struct gather_worker;

/* What one worker has met.  Zero-initialised takes nothing. */
struct offcpu_seen {
	/*
	 * By absence, of all workers: each is met by one, who notes the stack, and so is each
	 * waking.
	 */
	struct offcpu_wait *waits;
	uint16_t by; /* 1 + the number of the worker */
	VEC(uint32_t) locs;
	VEC(struct offcpu_stack) stacks;
	struct hashidx index;
	uint32_t *stack_ids, *key_ids; /* once they were moved: what the worker's ids became */
	size_t hint, waker_hint;
};

/* The id of a stack of N locations, root first. */
uint32_t offcpu_seen_stack(struct offcpu_seen *seen, const uint32_t *locs, size_t n);
/* The absence, if there is one, that begins with the sample at POS has this stack. */
void offcpu_seen_add(struct offcpu_seen *seen, const struct offcpu *o, uint64_t pos, uint32_t stack,
		     uint32_t key);
/* The absence A has no stack. */
void offcpu_seen_stackless(struct offcpu_seen *seen, const struct offcpu *o,
			   const struct offcpu_absence *a, uint32_t key);
/* A sample with this stack ended the absence A. */
void offcpu_seen_waking(struct offcpu_seen *seen, const struct offcpu *o,
			const struct offcpu_absence *a, uint32_t stack, uint32_t key);
/* Add the stacks of FROM, whose ids are those of SRC, to TO, with ids of DST. */
void offcpu_seen_move(struct offcpu_seen *to, struct profile *dst, struct offcpu_seen *from,
		      const struct profile *src);
void offcpu_seen_release(struct offcpu_seen *seen);

/*
 * Everything together, once the stacks of all workers were moved to the first; takes the waits out
 * of them.  Names of threads become strings of P.  O is the replay; FILTER (may be NULL) says which
 * threads are wanted.
 */
struct offcpu_detail *offcpu_detail_new(struct profile *p, const struct offcpu *o,
					struct gather_worker *workers, const struct timeline *tl,
					const struct filter *filter);

#endif
