/* SPDX-License-Identifier: MIT */
/*
 * Functions without call frame information: hand-written code, or a compiler that was told to leave
 * the tables out.  The frame pointer may only be followed out of a function that has set it up:
 *
 *	push %rbp		before: CFA = rsp + 8
 *	mov  %rsp, %rbp		before: CFA = rsp + 16
 *	…			CFA = rbp + 16
 *	pop  %rbp | leave
 *	ret			before: CFA = rsp + 8
 *
 * In one that has not, the frame pointer is that of some function further out, and following it
 * would leave out the callers in between without a word.  So the beginning of the function is
 * looked at; instructions of other kinds may stand between the two.
 */
#include "stack/rule.h"

#include <string.h>

enum {
	PUSH_WITHIN = 64, /* the prologue must begin in so many bytes */
	MOVE_WITHIN = 24, /* and be finished so many later */
	PUSH_FP = 0x55,
	RET = 0xc3,
};

/* Where `mov %rsp, %rbp` ends when it begins at AT; 0 when it doesn't. */
static uint64_t after_move(const uint8_t *code, uint64_t size, uint64_t at, unsigned word)
{
	static const uint8_t forms[2][3] = { { 0x48, 0x89, 0xe5 }, { 0x48, 0x8b, 0xec } };
	unsigned skip = word == 8 ? 0 : 1; /* i386: without the prefix */

	for (int i = 0; i < 2; i++)
		if (size - at >= 3 - skip && !memcmp(code + at, forms[i] + skip, 3 - skip))
			return at + 3 - skip;
	return 0;
}

/* Find the prologue: *PUSHED is where `push` has ended, *MOVED where `mov` has. */
static bool find_prologue(const uint8_t *code, uint64_t size, unsigned word, uint64_t *pushed,
			  uint64_t *moved)
{
	for (uint64_t i = 0; i < size && i < PUSH_WITHIN; i++) {
		if (code[i] != PUSH_FP)
			continue;
		for (uint64_t k = i + 1; k < size && k - i <= MOVE_WITHIN; k++) {
			*moved = after_move(code, size, k, word);
			*pushed = i + 1;
			if (*moved)
				return true;
		}
	}
	return false;
}

static void set_rule(const struct arch *arch, struct unwind_rule *r, unsigned cfa_reg,
		     unsigned words, bool saved)
{
	int word = (int)arch->word;

	*r = (struct unwind_rule){ .kind = RULE_CFI, .cfa_kind = CFA_REG };
	r->cfa_reg = (uint8_t)cfa_reg;
	r->cfa_off = (int32_t)words * word;
	r->ra = (struct reg_rule){ .kind = REG_AT_CFA, .off = -word };
	/* the first of the saved registers is the frame pointer; of the others nothing is known,
	 * and a compiler keeps them */
	if (saved) {
		r->saved[0] = (struct reg_rule){ .kind = REG_AT_CFA, .off = -2 * word };
		r->moved = 1;
	}
	if (cfa_reg == arch->fp) { /* may have saved and changed them */
		for (unsigned i = 1; i < arch->nr_saved; i++) {
			r->saved[i].kind = REG_UNDEFINED;
			r->moved |= (uint16_t)(1 << i);
		}
	}
}

void prologue_rule(const struct arch *arch, const uint8_t *code, uint64_t size, uint64_t into,
		   struct unwind_rule *r)
{
	uint64_t pushed, moved;

	if (arch->lr >= 0)
		return; /* where a link register is, frame pointers are the rule */
	if (!find_prologue(code, size, arch->word, &pushed, &moved))
		r->kind = RULE_LOST;
	else if (into < pushed || code[into] == RET)
		set_rule(arch, r, arch->sp, 1, false);
	else if (into < moved)
		set_rule(arch, r, arch->sp, 2, true);
	else
		set_rule(arch, r, arch->fp, 2, true);
}
