/* SPDX-License-Identifier: MIT */
/*
 * The walk over a dumped stack, one frame after the other:
 *
 *	pc ──► what is known of it: its rule
 *	rule + registers + words of the dump ──► CFA, return address, saved registers ──► pc
 *
 * A frame must bring the walk further: its CFA lies above the last one (but for the frame below a
 * signal trampoline, which may run on another stack), and its return address in code.  What ends
 * the walk is kept, so that a stack that was cut is never taken for a whole one.
 */
#include <perfrep/unwind.h>

#include <stdlib.h>

#include "base/xmalloc.h"
#include "stack/known.h"
#include "stack/step.h"

enum {
	MAX_FRAMES = 1 << 13,
	MAX_STEPS = 1 << 16,
};

struct unwinder {
	struct known known;
};

struct walk {
	struct known *known;
	struct known_where where;
	struct step step;
	struct stack *st;
	struct unwind_info *info;
};

const char *unwind_end_text(enum unwind_end end)
{
	static const char *const text[UNWIND_END_MAX] = {
		[UNWIND_WHOLE] = "whole",
		[UNWIND_DUMP_END] = "stack dump used up",
		[UNWIND_NO_MAP] = "return address in no code",
		[UNWIND_NO_CFI] = "no call frame information",
		[UNWIND_NO_MEMORY] = "memory that was not recorded",
		[UNWIND_NO_REGISTER] = "a register that is not known",
		[UNWIND_NO_PROGRESS] = "stack does not grow",
		[UNWIND_OTHER_STACK] = "the runtime goes on on another stack",
		[UNWIND_TOO_DEEP] = "too many frames",
		[UNWIND_NO_DUMP] = "no registers or stack recorded",
		[UNWIND_NO_ARCH] = "machine not supported",
	};

	return (unsigned)end < UNWIND_END_MAX && text[end] ? text[end] : "unknown";
}

struct unwinder *unwinder_new(struct unwind_modules *um)
{
	struct unwinder *u = xcalloc(1, sizeof(*u));

	known_init(&u->known, um);
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	known_release(&u->known);
	free(u);
}

void unwind_info_release(struct unwind_info *info)
{
	free(info->frames);
	*info = (struct unwind_info){ 0 };
}

static void add_frame(struct walk *w, uint64_t func)
{
	struct unwind_info *info = w->info;

	stack_push(w->st, w->step.regs.pc, CPUMODE_USER, w->step.is_return);
	if (info->n == info->cap) {
		info->cap = info->cap ? info->cap * 2 : 64;
		info->frames = xreallocarray(info->frames, info->cap, sizeof(*info->frames));
	}
	info->frames[info->n++] = (struct unwind_frame){ 0, func };
}

/* A frame that is no quick one. */
static enum unwind_end walk_slowly(struct walk *w, const struct known_pc *c)
{
	const struct pc_facts *facts = c->facts == NO_FACTS ? NULL
							    : &w->known->facts.v[c->facts].facts;

	if (facts && facts->begins) {
		if (!w->step.is_return)
			facts = NULL;
		w->step.is_return = false;
	}
	add_frame(w, facts ? facts->func : 0);
	return step_out(&w->step, facts ? &facts->rule : NULL);
}

static enum unwind_end walk_stack(struct walk *w)
{
	enum unwind_end end = UNWIND_END_MAX;

	while (end == UNWIND_END_MAX) {
		uint64_t pc = frame_addr_lookup((struct frame_addr){ w->step.regs.pc, CPUMODE_USER,
								     w->step.is_return, false });
		const struct known_pc *c = known_find(w->known, &w->where, pc);

		if (w->info->n == MAX_FRAMES)
			return UNWIND_TOO_DEEP;
		if (c->facts == NO_FACTS && w->step.is_return)
			return UNWIND_NO_MAP;
		if (c->quick) {
			add_frame(w, w->known->funcs.v[c->facts]);
			end = step_quick(&w->step, &w->known->quick.v[c->quick]);
		} else {
			end = walk_slowly(w, c);
		}
		w->info->frames[w->info->n - 1].slot = w->step.slot;
	}
	return end;
}

static void walk_init(struct walk *w, const struct arch *arch)
{
	w->step.arch = arch;
	w->step.expr = (struct expr_context){ .arch = arch,
					      .regs = &w->step.regs,
					      .memory = &w->step.dump.memory,
					      .steps = MAX_STEPS };
}

void unwinder_run(struct unwinder *u, const struct sample *s, const struct process *proc,
		  uint64_t when, struct stack *st, struct unwind_info *info)
{
	struct walk w;
	const struct arch *arch;

	info->n = 0;
	info->missing = 0;
	info->end = UNWIND_NO_DUMP;
	if (!s->user_abi || !s->user_regs || !s->stack)
		return;
	arch = arch_of(modules_machine(u->known.modules), s->user_abi);
	if (!arch) {
		info->end = UNWIND_NO_ARCH;
		return;
	}
	w.known = &u->known;
	w.where = known_where(arch, proc, when);
	w.st = st;
	w.info = info;
	walk_init(&w, arch);
	if (!arch_regs(arch, s, &w.step.regs))
		return;
	info->sp = w.step.cfa = w.step.regs.v[arch->sp];
	w.step.is_return = false;
	dump_init(&w.step.dump, u->known.modules, s, proc, when, info->sp);
	w.step.plain = arch->word == 8 && s->be == (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	info->end = walk_stack(&w);
	if (info->end == UNWIND_DUMP_END)
		info->missing = w.step.dump.missing;
	if (info->end != UNWIND_WHOLE)
		st->flags |= STACK_TRUNCATED;
	if (info->n)
		st->flags &= ~(unsigned)STACK_NOT_UNWOUND;
}

/*
 * gcc gives leaf functions no frame of their own, so the chain of frame pointers begins with the
 * caller's: its return address is the second entry, and the caller itself is missing.  perf has
 * recorded the link register with such chains since Linux 5.17.
 */
bool unwinder_link(struct unwinder *u, const struct sample *s, const struct process *proc,
		   uint64_t when, uint64_t pc, uint64_t *caller)
{
	const struct arch *arch = arch_of(modules_machine(u->known.modules), s->user_abi);
	const struct known_pc *c;
	const struct pc_facts *facts;
	struct known_where where;

	if (!arch || arch->lr < 0 || !sample_user_reg(s, (unsigned)arch->lr, caller))
		return false;
	where = known_where(arch, proc, when);
	c = known_find(&u->known, &where, pc);
	if (c->facts == NO_FACTS)
		return false;
	facts = &u->known.facts.v[c->facts].facts;
	if (facts->begins || facts->rule.kind != RULE_CFI || facts->rule.ra.kind != REG_IN ||
	    facts->rule.ra.off != arch->lr)
		return false;
	*caller &= arch->addr_mask;
	return *caller && known_find(&u->known, &where, *caller - 1)->facts != NO_FACTS;
}
