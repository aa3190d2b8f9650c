/* SPDX-License-Identifier: MIT */
/*
 * A frame's rule applied to its registers gives the CFA; the words at the places that the rule
 * names are the return address and the caller's registers.
 *
 * A frame must bring the walk further: its CFA lies above the last one, but for the frame below a
 * signal trampoline, which may run on another stack.
 */
#include "stack/step.h"

static bool cfa_of(struct step *w, const struct unwind_rule *r, uint64_t *cfa)
{
	uint64_t base, mask = w->arch->word == 4 ? UINT32_MAX : UINT64_MAX;

	if (r->cfa_kind == CFA_EXPR)
		return expr_eval(r->cfa_expr, &w->expr, NULL, cfa);
	if (!regs_get(&w->regs, r->cfa_reg, &base))
		return false;
	*cfa = (base + (uint64_t)(int64_t)r->cfa_off) & mask;
	if (r->cfa_kind == CFA_DEREF) {
		if (dump_word(&w->dump, *cfa, w->arch->word, cfa) != 0)
			return false;
		*cfa = (*cfa + (uint64_t)(int64_t)r->cfa_off2) & mask;
	}
	return true;
}

/* Not dumped, but of this stack: what was there has been given back. */
static bool is_below(const struct dump *d, uint64_t addr)
{
	return addr < d->sp && d->sp - addr < UNWIND_STACK_SPAN;
}

/*
 * The caller's value of a register; *SLOT is the address that it was read from, 0 when it was in
 * no memory.  A slot below the stack pointer was not dumped: the function is about to return and
 * has restored the register already, so it keeps its value.
 */
static bool caller_reg(struct step *w, const struct reg_rule *rr, unsigned reg, uint64_t cfa,
		       uint64_t *out, uint64_t *slot)
{
	uint64_t addr;

	*slot = 0;
	switch (rr->kind) {
	case REG_SAME:
		return regs_get(&w->regs, reg, out);
	case REG_IN:
		return regs_get(&w->regs, (unsigned)rr->off, out);
	case REG_CFA_VALUE:
		*out = cfa + (uint64_t)(int64_t)rr->off;
		return true;
	case REG_EXPR_VALUE:
		return expr_eval(rr->expr, &w->expr, &cfa, out);
	case REG_AT_CFA:
		addr = cfa + (uint64_t)(int64_t)rr->off;
		break;
	case REG_AT_EXPR:
		if (!expr_eval(rr->expr, &w->expr, &cfa, &addr))
			return false;
		break;
	default:
		return false;
	}
	*slot = addr;
	if (is_below(&w->dump, addr))
		return regs_get(&w->regs, reg, out);
	return dump_word(&w->dump, addr, w->arch->word, out) == 0;
}

/* Registers of the caller: those that the function kept, or all of an interrupted one. */
static void restore(struct step *w, const struct unwind_rule *r, uint64_t cfa, struct regs *next)
{
	const struct arch *a = w->arch;
	uint64_t v, slot;

	next->known = 0;
	if (r->all) {
		for (unsigned i = 0; i < a->nr_regs; i++)
			if (i != a->sp && caller_reg(w, &r->all[i], i, cfa, &v, &slot))
				regs_set(next, i, v);
		return;
	}
	for (unsigned i = 0; i < a->nr_saved; i++) {
		unsigned reg = a->saved[i];

		if (!(r->moved >> i & 1)) {
			if (regs_get(&w->regs, reg, &v))
				regs_set(next, reg, v);
		} else if (caller_reg(w, &r->saved[i], reg, cfa, &v, &slot)) {
			regs_set(next, reg, v);
		}
	}
}

static enum unwind_end why(const struct step *w, enum unwind_end otherwise)
{
	return w->dump.beyond ? UNWIND_DUMP_END : otherwise;
}

static bool grows(const struct step *w, uint64_t cfa)
{
	/* the first frame of a machine with a link register may have an empty frame */
	return w->is_return || !w->cfa ? cfa > w->cfa : cfa >= w->cfa;
}

static enum unwind_end step_cfi(struct step *w, const struct unwind_rule *r)
{
	struct regs next;
	uint64_t cfa, pc, sp, ignored;

	if (!cfa_of(w, r, &cfa))
		return why(w, UNWIND_NO_REGISTER);
	if (!r->signal && !grows(w, cfa)) /* a handler may run on a stack of its own */
		return UNWIND_NO_PROGRESS;
	if (!caller_reg(w, &r->ra, w->arch->ra, cfa, &pc, &w->slot))
		return why(w, UNWIND_NO_MEMORY);
	if (w->slot && w->slot < w->dump.sp)
		return UNWIND_NO_MEMORY;
	restore(w, r, cfa, &next);
	w->dump.beyond = false; /* a lost register matters only when it is needed */
	sp = cfa;
	if (r->sp.kind != REG_SAME && r->sp.kind != REG_UNDEFINED &&
	    !caller_reg(w, &r->sp, w->arch->sp, cfa, &sp, &ignored))
		return why(w, UNWIND_NO_MEMORY);
	regs_set(&next, w->arch->sp, sp);
	next.pc = pc & w->arch->addr_mask;
	w->regs = next;
	w->cfa = r->signal ? 0 : cfa;
	w->is_return = !r->signal;
	return next.pc ? UNWIND_END_MAX : UNWIND_WHOLE;
}

/* Without CFI: the frame pointer's chain, as long as it looks like one. */
static enum unwind_end step_frame_pointer(struct step *w)
{
	const struct arch *a = w->arch;
	unsigned word = a->word;
	uint64_t fp, caller_fp, pc, cfa;

	if (!regs_get(&w->regs, a->fp, &fp) || fp % word || fp < w->dump.sp)
		return UNWIND_NO_CFI;
	cfa = fp + 2 * word;
	if (!grows(w, cfa))
		return UNWIND_NO_CFI;
	if (dump_word(&w->dump, fp, word, &caller_fp) != 0 ||
	    dump_word(&w->dump, fp + word, word, &pc) != 0)
		return why(w, UNWIND_NO_CFI);
	w->slot = fp + word;
	w->regs.known = 0;
	regs_set(&w->regs, a->fp, caller_fp);
	regs_set(&w->regs, a->sp, cfa);
	w->regs.pc = pc & a->addr_mask;
	w->cfa = cfa;
	w->is_return = true;
	return w->regs.pc ? UNWIND_END_MAX : UNWIND_WHOLE;
}

enum unwind_end step_out(struct step *w, const struct unwind_rule *r)
{
	w->slot = 0;
	w->dump.beyond = false;
	switch (r ? r->kind : RULE_NONE) {
	case RULE_END:
		return UNWIND_WHOLE;
	case RULE_LOST:
		return UNWIND_NO_CFI;
	case RULE_SWITCH:
		return UNWIND_OTHER_STACK;
	case RULE_CFI:
		return step_cfi(w, r);
	default:
		return step_frame_pointer(w);
	}
}

/* ---- quick rules ---- */

static bool is_small(const struct reg_rule *rr)
{
	return rr->kind == REG_AT_CFA && rr->off >= INT16_MIN && rr->off <= INT16_MAX;
}

bool rule_quick(const struct arch *arch, const struct unwind_rule *r, struct quick_rule *q)
{
	*q = (struct quick_rule){ .cfa_off = r->cfa_off, .cfa_reg = r->cfa_reg, .moved = r->moved };
	if (r->kind != RULE_CFI || r->cfa_kind != CFA_REG || r->signal || !is_small(&r->ra) ||
	    r->sp.kind != REG_SAME)
		return false;
	q->ra = q->lowest = q->highest = (int16_t)r->ra.off;
	for (unsigned i = 0; i < ARCH_SAVED; i++) {
		q->saved[i] = q->ra;
		if (i >= arch->nr_saved || !(r->moved >> i & 1))
			continue;
		if (!is_small(&r->saved[i]))
			return false;
		q->saved[i] = (int16_t)r->saved[i].off;
		q->moved_regs |= (uint64_t)1 << arch->saved[i];
		if (q->saved[i] < q->lowest)
			q->lowest = q->saved[i];
		if (q->saved[i] > q->highest)
			q->highest = q->saved[i];
	}
	return true;
}

/* Registers that the function saved, word by word: not all of them were dumped. */
static void restore_some(struct step *w, const struct quick_rule *r, uint64_t cfa)
{
	const struct arch *a = w->arch;

	for (unsigned moved = r->moved; moved; moved &= moved - 1) {
		unsigned i = (unsigned)__builtin_ctz(moved), reg = a->saved[i];
		uint64_t addr = cfa + (uint64_t)(int64_t)r->saved[i];

		if (is_below(&w->dump, addr))
			continue;
		if (dump_word(&w->dump, addr, a->word, &w->regs.v[reg]) == 0)
			w->regs.known |= (uint64_t)1 << reg;
		else
			w->regs.known &= ~((uint64_t)1 << reg);
	}
	w->dump.beyond = false;
}

static enum unwind_end step_some(struct step *w, const struct quick_rule *r, uint64_t cfa,
				 uint64_t *pc)
{
	w->slot = cfa + (uint64_t)(int64_t)r->ra;
	if (w->slot < w->dump.sp)
		return UNWIND_NO_MEMORY;
	if (dump_word(&w->dump, w->slot, w->arch->word, pc) != 0)
		return why(w, UNWIND_NO_MEMORY);
	restore_some(w, r, cfa);
	return UNWIND_END_MAX;
}

/*
 * All words of the frame are in the dump, in this machine's byte order.  A word is read for every
 * register, whether it was saved or not: that costs less than to guess wrong which.
 */
static void step_all(struct step *w, const struct quick_rule *r, uint64_t cfa, uint64_t *pc)
{
	const struct arch *a = w->arch;
	const uint8_t *frame = w->dump.s->stack + (cfa - w->dump.sp);

	for (unsigned i = 0; i < a->nr_saved; i++) {
		uint64_t *reg = &w->regs.v[a->saved[i]], word;

		memcpy(&word, frame + r->saved[i], sizeof(word));
		*reg = r->moved >> i & 1 ? word : *reg;
	}
	w->regs.known |= r->moved_regs;
	memcpy(pc, frame + r->ra, sizeof(*pc));
	w->slot = cfa + (uint64_t)(int64_t)r->ra;
}

static bool has_all(const struct step *w, const struct quick_rule *r, uint64_t cfa)
{
	uint64_t low = cfa + (uint64_t)(int64_t)r->lowest - w->dump.sp;
	uint64_t size = w->dump.s->stack_size;
	uint64_t span = (uint64_t)(r->highest - r->lowest) + 8;

	return w->plain && size >= span && low <= size - span;
}

enum unwind_end step_quick(struct step *w, const struct quick_rule *r)
{
	const struct arch *a = w->arch;
	uint64_t cfa, pc;

	w->slot = 0;
	w->dump.beyond = false;
	if (!regs_get(&w->regs, r->cfa_reg, &cfa))
		return UNWIND_NO_REGISTER;
	cfa += (uint64_t)(int64_t)r->cfa_off;
	if (a->word == 4)
		cfa &= UINT32_MAX;
	if (!grows(w, cfa))
		return UNWIND_NO_PROGRESS;
	if (has_all(w, r, cfa)) {
		step_all(w, r, cfa, &pc);
	} else {
		enum unwind_end end = step_some(w, r, cfa, &pc);

		if (end != UNWIND_END_MAX)
			return end;
	}
	w->regs.known &= a->kept;
	regs_set(&w->regs, a->sp, cfa);
	w->regs.pc = pc & a->addr_mask;
	w->cfa = cfa;
	w->is_return = true;
	return w->regs.pc ? UNWIND_END_MAX : UNWIND_WHOLE;
}
