/* SPDX-License-Identifier: MIT */
/*
 * The walk over a dumped stack, one frame after the other:
 *
 *	pc ──► cache (process, pc) ──► facts (dso, address) ──► modules.c, under a lock
 *	        direct-mapped           hash, per thread          once a pc and thread
 *
 *	rule + registers + words of the dump ──► CFA, return address, saved registers ──► pc
 *
 * A frame must bring the walk further: its CFA lies above the last one (but for the frame below a
 * signal trampoline, which may run on another stack), and its return address in code.  What ends
 * the walk is kept, so that a stack that was cut is never taken for a whole one.
 */
#include <perfrep/unwind.h>

#include <elf.h>
#include <stdlib.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "stack/modules.h"
#include "stack/step.h"

enum {
	CACHE_SLOTS = 1 << 15,
	MAX_FRAMES = 1 << 13,
	MAX_STEPS = 1 << 16,
	PROT_EXECUTE = 4,
};

struct cached_pc {
	uint64_t pc; /* that was looked up */
	uint32_t process; /* id + 1; 0 is a free slot */
	uint32_t facts; /* index, or NO_MAP */
	struct validity valid;
	/* of the facts, what most frames need */
	uint64_t func;
	struct quick_rule quick;
	bool begins;
};

#define NO_MAP UINT32_MAX

struct known_facts {
	uint32_t dso;
	bool i386;
	uint64_t addr; /* in the dso */
	struct pc_facts facts;
};

struct unwinder {
	struct unwind_modules *modules;
	struct cached_pc *cache;
	VEC(struct known_facts) facts;
	struct hashidx facts_index;
};

struct walk {
	struct unwinder *u;
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

	u->modules = um;
	u->cache = xcalloc_table(CACHE_SLOTS, sizeof(*u->cache));
	return u;
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	free(u->cache);
	vec_release(&u->facts);
	hashidx_release(&u->facts_index);
	free(u);
}

void unwind_info_release(struct unwind_info *info)
{
	free(info->frames);
	*info = (struct unwind_info){ 0 };
}

static bool is_code(const struct map *map)
{
	return !map->prot || map->prot & PROT_EXECUTE;
}

static uint32_t facts_of(struct walk *w, const struct map *map, uint64_t pc)
{
	struct unwinder *u = w->u;
	uint64_t addr = map_location(map, pc);
	bool i386 = w->step.arch->word == 4;
	uint64_t hash = hash_mix(addr, (uint64_t)map->dso->id << 1 | i386);
	struct hashidx_iter it = hashidx_first(&u->facts_index, hash);
	struct known_facts k = { .dso = map->dso->id, .i386 = i386, .addr = addr };
	uint32_t i;

	while ((i = hashidx_next(&u->facts_index, &it)) != HASHIDX_NONE) {
		if (u->facts.v[i].addr == addr && u->facts.v[i].dso == map->dso->id &&
		    u->facts.v[i].i386 == i386)
			return i;
	}
	modules_facts(u->modules, w->step.arch, map->dso, addr, &k.facts);
	i = (uint32_t)u->facts.n;
	hashidx_add(&u->facts_index, hash, i);
	vec_push(&u->facts, k);
	return i;
}

static void fill(struct walk *w, struct cached_pc *c, uint64_t pc)
{
	struct unwinder *u = w->u;
	const struct dump *d = &w->step.dump;
	const struct map *map;

	*c = (struct cached_pc){ .pc = pc, .process = process_id(d->proc) + 1, .facts = NO_MAP };
	map = process_map(d->proc, pc, d->when, &c->valid);
	if (!map || !is_code(map))
		return;
	c->facts = facts_of(w, map, pc);
	c->func = u->facts.v[c->facts].facts.func;
	c->begins = u->facts.v[c->facts].facts.begins;
	c->quick = rule_quick(w->step.arch, &u->facts.v[c->facts].facts.rule);
}

/* What is known of the instruction at PC. */
static const struct cached_pc *look_up(struct walk *w, uint64_t pc)
{
	uint32_t process = process_id(w->step.dump.proc);
	struct cached_pc *c = &w->u->cache[hash_mix(pc, process) & (CACHE_SLOTS - 1)];

	if (c->pc != pc || c->process != process + 1 || !validity_has(c->valid, w->step.dump.when))
		fill(w, c, pc);
	return c;
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
static enum unwind_end walk_slowly(struct walk *w, const struct cached_pc *c)
{
	const struct pc_facts *facts = c->facts == NO_MAP ? NULL : &w->u->facts.v[c->facts].facts;

	if (c->begins) {
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
		const struct cached_pc *c = look_up(w, pc);

		if (w->info->n == MAX_FRAMES)
			return UNWIND_TOO_DEEP;
		if (c->facts == NO_MAP && w->step.is_return)
			return UNWIND_NO_MAP;
		if (c->quick.valid && !c->begins) {
			add_frame(w, c->func);
			end = step_quick(&w->step, &c->quick);
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
	arch = arch_of(modules_machine(u->modules), s->user_abi);
	if (!arch) {
		info->end = UNWIND_NO_ARCH;
		return;
	}
	w.u = u;
	w.st = st;
	w.info = info;
	walk_init(&w, arch);
	if (!arch_regs(arch, s, &w.step.regs))
		return;
	info->sp = w.step.cfa = w.step.regs.v[arch->sp];
	w.step.is_return = false;
	dump_init(&w.step.dump, u->modules, s, proc, when, info->sp);
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
	const struct arch *arch = arch_of(modules_machine(u->modules), s->user_abi);
	const struct cached_pc *c;
	const struct unwind_rule *r;
	struct walk w;

	if (!arch || arch->lr < 0 || !sample_user_reg(s, (unsigned)arch->lr, caller))
		return false;
	w.u = u;
	w.step.arch = arch;
	w.step.dump.proc = proc;
	w.step.dump.when = when;
	c = look_up(&w, pc);
	if (c->facts == NO_MAP || c->begins)
		return false;
	r = &u->facts.v[c->facts].facts.rule;
	if (r->kind != RULE_CFI || r->ra.kind != REG_IN || r->ra.off != arch->lr)
		return false;
	*caller &= arch->addr_mask;
	return *caller && look_up(&w, *caller - 1)->facts != NO_MAP;
}
