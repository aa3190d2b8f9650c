/* SPDX-License-Identifier: MIT */
/*
 * Longer call stacks from LBR (--stitch-lbr).  The CPU keeps as many calls as it has registers;
 * when the stack is deeper, the oldest are overwritten.  Two samples of a thread that have calls in
 * common, in the same registers, are of one stack, and what the earlier one had outside of them is
 * outside of the later one too.
 *
 * As perf does it, with its limits: what longjmp() and exceptions leave in the registers can make
 * stacks of frames that never called each other.
 */
#ifndef PERFREP_STACK_STITCH_H
#define PERFREP_STACK_STITCH_H

#include "base/hashidx.h"
#include "base/vec.h"

#include <perfrep/stack.h>

struct stitch_sample {
	int32_t tid;
	uint64_t when, pos;
	struct sample s; /* its branch stack, borrowed from the record */
	uint32_t first, n; /* of its outer frames, in `frames` */
};

struct stitch {
	VEC(struct stitch_sample) samples;
	VEC(uint64_t) frames;
	struct hashidx index; /* pos -> sample that has outer frames */
};

/* Take a sample with a call stack, in any order of time; its record must stay valid. */
void stitch_add(struct stitch *st, const struct sample *s, uint64_t when, uint64_t pos);
/* After the last, before the first question. */
void stitch_finish(struct stitch *st);
/* Append what is known beyond the stack of the sample whose record is at POS. */
void stitch_complete(const struct stitch *st, uint64_t pos, struct stack *out);
void stitch_release(struct stitch *st);

#endif
