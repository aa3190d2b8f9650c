/* SPDX-License-Identifier: MIT */
/*
 * What the call frame information says about one pc, packed: how to find the CFA (the value of
 * the stack pointer before the call), the return address and the registers that the function has
 * saved.  DWARF 5, section 6.4.
 */
#ifndef PERFREP_STACK_RULE_H
#define PERFREP_STACK_RULE_H

#include "stack/arch.h"

/* A DWARF expression, decoded: expr_decode() in stack/cfi.h. */
struct expr_op {
	uint8_t atom; /* DW_OP_* */
	uint64_t n1, n2; /* operands; of branches n1 is the index of the next operation */
};

struct expr {
	size_t n;
	struct expr_op ops[];
};

enum reg_kind {
	REG_SAME, /* as it is */
	REG_UNDEFINED, /* lost */
	REG_BAD, /* malformed: lost */
	REG_AT_CFA, /* in memory at CFA + off */
	REG_CFA_VALUE, /* the value CFA + off */
	REG_IN, /* in register `off` */
	REG_AT_EXPR, /* in memory at the value of the expression */
	REG_EXPR_VALUE, /* the value of the expression */
};

struct reg_rule {
	uint8_t kind;
	int32_t off;
	const struct expr *expr;
};

enum rule_kind {
	RULE_NONE, /* nothing is known of this pc: try the frame pointer */
	RULE_LOST, /* no CFI, and the function's code keeps no frame pointer */
	RULE_SWITCH, /* its caller is on another stack */
	RULE_END, /* the outermost frame: its return address is undefined */
	RULE_CFI,
};

enum cfa_kind {
	CFA_REG, /* reg + off */
	CFA_DEREF, /* *(reg + off) + off2: frames that are aligned beyond the ABI's alignment */
	CFA_EXPR,
};

/*
 * Nearly all rules are of one kind: the CFA is a register plus an offset, the return address and the
 * registers that were saved lie at offsets from the CFA.  Such a rule in fewer bytes; without
 * padding, so that equal ones are equal bytes.
 */
struct quick_rule {
	int32_t cfa_off;
	uint16_t cfa_reg;
	uint16_t moved; /* bit i: the register arch->saved[i] lies at saved[i] */
	uint64_t moved_regs; /* the same registers, by their numbers */
	int16_t ra;
	int16_t lowest, highest; /* of the offsets in use */
	int16_t saved[ARCH_SAVED]; /* of the others: `ra` */
	int16_t zero;
};

struct unwind_rule {
	uint8_t kind, cfa_kind, cfa_reg;
	bool signal; /* the frame of a signal trampoline: its caller was interrupted */
	uint16_t moved; /* bit i: saved[i] is not REG_SAME */
	int32_t cfa_off, cfa_off2;
	const struct expr *cfa_expr;
	struct reg_rule ra, sp;
	struct reg_rule saved[ARCH_SAVED]; /* in the order of arch->saved */
	const struct reg_rule *all; /* signal frames: every register, arch->nr_regs of them */
};

/* false when R is of another kind. */
bool rule_quick(const struct arch *arch, const struct unwind_rule *r, struct quick_rule *q);

/*
 * The rule of a function without CFI, from the SIZE bytes of its CODE, for the address INTO
 * bytes behind its beginning: RULE_CFI when it keeps a frame pointer, RULE_LOST when it doesn't,
 * RULE_NONE when that can't be told.
 */
void prologue_rule(const struct arch *arch, const uint8_t *code, uint64_t size, uint64_t into,
		   struct unwind_rule *r);

/* Where words come from.  READ gives 0 when the word is known. */
struct memory {
	int (*read)(struct memory *m, uint64_t addr, unsigned size, uint64_t *out);
};

/* What expressions are evaluated with. */
struct expr_context {
	const struct arch *arch;
	const struct regs *regs;
	struct memory *memory;
	unsigned steps; /* operations that may still be done; counted down */
};

/*
 * Evaluate E with START on the stack (the CFA, when it is a register's rule) unless that is NULL.
 * false when it needs what is not known, or more steps than there are.
 */
bool expr_eval(const struct expr *e, struct expr_context *ctx, const uint64_t *start,
	       uint64_t *out);

#endif
