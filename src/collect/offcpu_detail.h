/* SPDX-License-Identifier: MIT */
/* Each interval off the CPU with its stack and its waker's: what the sums of a profile lose. */
#ifndef PERFREP_COLLECT_OFFCPU_DETAIL_H
#define PERFREP_COLLECT_OFFCPU_DETAIL_H

#include "base/hashidx.h"
#include "base/vec.h"
#include "collect/offcpu.h"

#include <perfrep/session.h>

struct offcpu_seen_wait {
	uint32_t interval; /* in offcpu.v */
	uint32_t stack, key;
};

struct offcpu_seen_waker {
	uint32_t interval; /* that follows */
	uint32_t stack;
	uint32_t comm; /* string id */
	int32_t tid;
};

/* What one worker has met.  Zero-initialised is empty. */
struct offcpu_seen {
	VEC(uint32_t) locs;
	VEC(struct offcpu_stack) stacks;
	struct hashidx index;
	VEC(struct offcpu_seen_wait) waits;
	VEC(struct offcpu_seen_waker) wakers;
	size_t hint, waker_hint;
};

/* The id of a stack of N locations, root first. */
uint32_t offcpu_seen_stack(struct offcpu_seen *seen, const uint32_t *locs, size_t n);
/* The intervals of O that begin with the sample at POS have this stack. */
void offcpu_seen_add(struct offcpu_seen *seen, const struct offcpu *o, uint64_t pos, uint32_t stack,
		     uint32_t key);
/* Move all of FROM, whose ids are those of SRC, to TO, with ids of DST.  FROM is released. */
void offcpu_seen_move(struct offcpu_seen *to, struct profile *dst, struct offcpu_seen *from,
		      const struct profile *src);
void offcpu_seen_release(struct offcpu_seen *seen);

/*
 * Everything together.  Names of threads, and strings, become those of P.  O is the replay; FILTER
 * (may be NULL) says which threads are wanted.
 */
struct offcpu_detail *offcpu_detail_new(struct profile *p, const struct offcpu *o,
					struct offcpu_seen *seen, const struct timeline *tl,
					const struct filter *filter);

#endif
