/* SPDX-License-Identifier: MIT */
/* What one worker of the pass over the samples needs and finds. */
#ifndef PERFREP_COLLECT_GATHER_H
#define PERFREP_COLLECT_GATHER_H

#include "collect/collapse.h"
#include "collect/cut.h"
#include "collect/locate.h"
#include "collect/offcpu_detail.h"
#include "collect/watch.h"

struct gather_worker {
	struct profile *profile;
	struct intake intake;
	struct tally tally;
	struct locator locator;
	struct unwinder *unwinder; /* NULL when nothing is to be unwound */
	struct unwind_info info;
	struct session_unwind unwind;
	struct stack stack;
	VEC(uint32_t) locs; /* of the stack at hand */
	VEC(struct stack_weight) weights; /* of the sample at hand */
	uint32_t mark; /* the location of [truncated] */
	uint32_t marks[OFFCPU_MARKS]; /* … and of the states of threads off the CPU */
	struct collapse_flags *flags;
	struct offcpu_seen seen; /* if details are wanted */
	struct cut cut;
	struct repair repair;
	struct watch watch; /* of what the memory has */
	uint64_t watched; /* pos of the last sample that it was shown */
};

/*
 * Unwind the sample at hand, which has a dump, to w->stack; false when it was cut and, if REPAIR
 * is wanted, may be completed later.
 */
bool gather_unwind(struct gather_worker *w, bool repair);

/* E_MACHINE of the recording. */
uint16_t gather_machine(const struct features *f);

#endif
