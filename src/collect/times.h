/* SPDX-License-Identifier: MIT */
/*
 * The times of some of an event's samples, at most TIMES_MAX: those in windows of time that are
 * chosen by a hash of their number.  What is kept does not depend on the order in which samples
 * come, nor on how many workers they are spread over.
 */
#ifndef PERFREP_COLLECT_TIMES_H
#define PERFREP_COLLECT_TIMES_H

#include <stdbool.h>

#include "base/hash.h"
#include "base/vec.h"

#include <perfrep/sampling.h>

enum { TIMES_MAX = 16384 };

struct times {
	VEC(struct sample_point) v;
	unsigned level; /* windows whose hash has so many leading zeros are kept */
};

static inline bool times_keep(const struct times *t, uint64_t time)
{
	return !t->level || hash_u64(time >> SAMPLING_WINDOW_BITS) >> (64 - t->level) == 0;
}

void times_add(struct times *t, struct sample_point point);
void times_merge(struct times *dst, const struct times *src);
void times_release(struct times *t);

#endif
