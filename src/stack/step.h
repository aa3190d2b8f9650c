/* SPDX-License-Identifier: MIT */
/* From one frame to its caller. */
#ifndef PERFREP_STACK_STEP_H
#define PERFREP_STACK_STEP_H

#include "stack/dump.h"

struct step {
	const struct arch *arch;
	struct dump dump;
	bool plain; /* words of 8 bytes in this machine's order */
	struct expr_context expr;
	struct regs regs; /* of the frame in hand */
	uint64_t cfa; /* of the frame below; 0: anything goes */
	bool is_return; /* regs.pc is behind a call */
	uint64_t slot; /* where the return address was read from; 0: in no memory */
};

/* By R, or by the frame pointer if that is NULL; UNWIND_END_MAX when there is a caller. */
enum unwind_end step_out(struct step *w, const struct unwind_rule *r);
/* The same by a quick rule. */
enum unwind_end step_quick(struct step *w, const struct quick_rule *r);

#endif
