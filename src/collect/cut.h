/* SPDX-License-Identifier: MIT */
/*
 * Stacks that were cut, waiting until everything was seen that may complete them: see
 * stack/repair.h.
 */
#ifndef PERFREP_COLLECT_CUT_H
#define PERFREP_COLLECT_CUT_H

#include "base/vec.h"
#include "collect/intake.h"
#include "stack/repair.h"

struct cut_sample {
	uint32_t first, n; /* in `frames` */
	uint32_t key;
	int32_t tid;
	const struct process *process;
	uint64_t when, pos;
	uint64_t sp;
	uint64_t slot, func; /* of the outermost frame */
	uint32_t first_weight, nr_weights;
	uint8_t flags;
	uint8_t end; /* enum unwind_end */
	bool waking; /* kept as that of who woke a thread: it has no weights */
};

struct cut {
	VEC(struct cut_sample) samples;
	VEC(struct frame_addr) frames;
	VEC(struct stack_weight) weights;
};

/*
 * Keep the sample at hand, its frames ST as far as they go, and where they end: with its weights,
 * or as a waking.
 */
void cut_add(struct cut *c, const struct intake *in, const struct stack *st,
	     const struct unwind_info *info, bool waking);
void cut_release(struct cut *c);

#endif
