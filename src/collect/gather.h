/* SPDX-License-Identifier: MIT */
/* What one worker of the first pass has found; kept for the second. */
#ifndef PERFREP_COLLECT_GATHER_H
#define PERFREP_COLLECT_GATHER_H

#include "collect/collapse.h"
#include "collect/cut.h"
#include "collect/locate.h"

struct gather_worker {
	struct profile *profile; /* locations and keys; nodes none */
	struct intake intake;
	struct tally tally;
	struct locator locator;
	struct unwinder *unwinder; /* NULL when nothing is to be unwound */
	struct unwind_info info;
	struct session_unwind unwind;
	struct stack stack, last; /* `last`: of the sample before, to skip what it shares */
	const struct process *last_process;
	struct validity last_valid;
	VEC(uint32_t) locs; /* scratch */
	struct stored stored;
	struct cut cut;
	struct repair repair;
	uint32_t *loc_map, *key_map; /* to ids of the merged profile; NULL: the same */
};

/* Complete the cut stacks of W as far as R can, and store them. */
void gather_finish_cuts(struct gather_worker *w, const struct repair *r,
			const struct session_options *opts);

#endif
