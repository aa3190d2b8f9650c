/* SPDX-License-Identifier: MIT */
/* Stretches of time of which the scheduler's records were lost. */
#ifndef PERFREP_COLLECT_SCHED_HOLES_H
#define PERFREP_COLLECT_SCHED_HOLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct sched_records;

struct sched_hole {
	uint64_t from, until;
};

/* Zero-initialised there are none. */
struct sched_holes {
	VEC(struct sched_hole) v; /* disjoint, ascending */
};

/* All of R, which is sorted; of a CPU that had no record before, from BEGIN on. */
void sched_holes_find(struct sched_holes *h, const struct sched_records *r, uint64_t begin);
/* Whether one lies in that time, if only in a part of it. */
bool sched_holes_touch(const struct sched_holes *h, uint64_t from, uint64_t until);
void sched_holes_release(struct sched_holes *h);

#endif
