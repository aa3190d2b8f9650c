/* SPDX-License-Identifier: MIT */
/*
 * The walk over a dumped stack, one frame after the other:
 *
 *	pc ──► cache (process, pc) ──► facts (dso, address) ──► libdw, under a lock
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

enum {
	CACHE_SLOTS = 1 << 13,
	MAX_FRAMES = 1 << 13,
	MAX_STEPS = 1 << 16,
	PROT_EXECUTE = 4,
};

struct cached_pc {
	uint64_t pc; /* that was looked up */
	uint32_t process; /* id + 1; 0 is a free slot */
	uint32_t facts; /* index, or NO_MAP */
	struct validity valid;
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
	struct unwind_stats stats;
};

/* Where the words of one sample come from. */
struct memory {
	struct unwinder *u;
	const struct sample *s;
	const struct process *proc;
	uint64_t when;
	uint64_t sp;
	unsigned word;
	bool beyond; /* a word behind the end of a full dump was asked for … */
	uint64_t missing; /* … this one */
};

struct walk {
	struct unwinder *u;
	const struct arch *arch;
	struct memory mem;
	struct regs regs;
	uint64_t cfa; /* of the frame below; 0: anything goes */
	bool is_return;
	unsigned steps; /* of expressions, that are left for this sample */
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
	u->cache = xcalloc(CACHE_SLOTS, sizeof(*u->cache));
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

struct unwind_stats unwinder_stats(const struct unwinder *u)
{
	struct unwind_stats st = u->stats;

	st.rules = u->facts.n;
	return st;
}

static uint64_t get_word(const uint8_t *p, unsigned size, bool be)
{
	switch (size) {
	case 8:
		return get_u64(p, be);
	case 4:
		return get_u32(p, be);
	case 2:
		return get_u16(p, be);
	default:
		return *p;
	}
}

static int read_mapped(struct memory *m, uint64_t addr, unsigned size, uint64_t *out)
{
	struct validity v;
	const struct map *map = process_map(m->proc, addr, m->when, &v);
	const uint8_t *p;

	if (!map || map->dso->kind != DSO_FILE)
		return -1;
	p = modules_read_only(m->u->modules, map->dso, map_location(map, addr), size);
	if (!p)
		return -1;
	*out = get_word(p, size, m->s->be);
	return 0;
}

int memory_read(struct memory *m, uint64_t addr, unsigned size, uint64_t *out)
{
	uint64_t at = addr - m->sp; /* wraps for addresses below sp: then it is huge */

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return -1;
	if (at < m->s->stack_size && m->s->stack_size - at >= size) {
		*out = get_word(m->s->stack + at, size, m->s->be);
		return 0;
	}
	if (addr >= m->sp && at < UNWIND_STACK_SPAN && m->s->stack_size == m->s->stack_dumped) {
		if (!m->beyond)
			m->missing = addr;
		m->beyond = true;
		return -1;
	}
	return read_mapped(m, addr, size, out);
}

static uint32_t facts_of(struct walk *w, const struct map *map, uint64_t pc)
{
	struct unwinder *u = w->u;
	uint64_t addr = map_location(map, pc);
	bool i386 = w->arch->word == 4;
	uint64_t hash = hash_mix(addr, (uint64_t)map->dso->id << 1 | i386);
	struct hashidx_iter it = hashidx_first(&u->facts_index, hash);
	struct known_facts k = { .dso = map->dso->id, .i386 = i386, .addr = addr };
	uint32_t i;

	while ((i = hashidx_next(&u->facts_index, &it)) != HASHIDX_NONE) {
		if (u->facts.v[i].addr == addr && u->facts.v[i].dso == map->dso->id &&
		    u->facts.v[i].i386 == i386) {
			u->stats.rule_hits++;
			return i;
		}
	}
	u->stats.cfi_calls++;
	modules_facts(u->modules, w->arch, map->dso, addr, &k.facts);
	i = (uint32_t)u->facts.n;
	hashidx_add(&u->facts_index, hash, i);
	vec_push(&u->facts, k);
	return i;
}

static bool is_code(const struct map *map)
{
	return !map->prot || map->prot & PROT_EXECUTE;
}

/* What is known of the instruction at PC; NULL when it lies in no code. */
static const struct pc_facts *look_up(struct walk *w, uint64_t pc)
{
	struct unwinder *u = w->u;
	uint32_t process = process_id(w->mem.proc);
	struct cached_pc *c = &u->cache[hash_mix(pc, process) & (CACHE_SLOTS - 1)];

	if (c->pc == pc && c->process == process + 1 && validity_has(c->valid, w->mem.when)) {
		u->stats.cache_hits++;
	} else {
		struct validity valid;
		const struct map *map = process_map(w->mem.proc, pc, w->mem.when, &valid);
		uint32_t facts = map && is_code(map) ? facts_of(w, map, pc) : NO_MAP;

		*c = (struct cached_pc){ pc, process + 1, facts, valid };
	}
	return c->facts == NO_MAP ? NULL : &u->facts.v[c->facts].facts;
}

static bool cfa_of(struct walk *w, const struct unwind_rule *r, uint64_t *cfa)
{
	uint64_t base, mask = w->arch->word == 4 ? UINT32_MAX : UINT64_MAX;

	if (r->cfa_kind == CFA_EXPR)
		return expr_eval(r->cfa_expr, w->arch, &w->regs, &w->mem, false, 0, &w->steps, cfa);
	if (!regs_get(&w->regs, r->cfa_reg, &base))
		return false;
	*cfa = (base + (uint64_t)(int64_t)r->cfa_off) & mask;
	if (r->cfa_kind == CFA_DEREF) {
		if (memory_read(&w->mem, *cfa, w->arch->word, cfa) != 0)
			return false;
		*cfa = (*cfa + (uint64_t)(int64_t)r->cfa_off2) & mask;
	}
	return true;
}

/*
 * The caller's value of a register; *SLOT is the address that it was read from, 0 when it was in
 * no memory.  A slot below the stack pointer was not dumped: the function is about to return and
 * has restored the register already, so it keeps its value.
 */
static bool caller_reg(struct walk *w, const struct reg_rule *rr, unsigned reg, uint64_t cfa,
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
		return expr_eval(rr->expr, w->arch, &w->regs, &w->mem, true, cfa, &w->steps, out);
	case REG_AT_CFA:
		addr = cfa + (uint64_t)(int64_t)rr->off;
		break;
	case REG_AT_EXPR:
		if (!expr_eval(rr->expr, w->arch, &w->regs, &w->mem, true, cfa, &w->steps, &addr))
			return false;
		break;
	default:
		return false;
	}
	*slot = addr;
	if (addr < w->mem.sp && w->mem.sp - addr < UNWIND_STACK_SPAN)
		return regs_get(&w->regs, reg, out);
	return memory_read(&w->mem, addr, w->arch->word, out) == 0;
}

/* Registers of the caller: those that the function kept, or all of an interrupted one. */
static void restore(struct walk *w, const struct unwind_rule *r, uint64_t cfa, struct regs *next)
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

static enum unwind_end why(const struct walk *w, enum unwind_end otherwise)
{
	return w->mem.beyond ? UNWIND_DUMP_END : otherwise;
}

static bool grows(const struct walk *w, uint64_t cfa)
{
	/* the first frame of a machine with a link register may have an empty frame */
	return w->is_return || !w->cfa ? cfa > w->cfa : cfa >= w->cfa;
}

static void set_slot(struct walk *w, uint64_t slot)
{
	if (w->info->n)
		w->info->frames[w->info->n - 1].slot = slot;
}

/* One frame outwards by its rule; UNWIND_END_MAX when there is a next one. */
static enum unwind_end step_cfi(struct walk *w, const struct unwind_rule *r)
{
	struct regs next;
	uint64_t cfa, pc, sp, slot, ignored;

	if (!cfa_of(w, r, &cfa))
		return why(w, UNWIND_NO_REGISTER);
	if (!r->signal && !grows(w, cfa)) /* a handler may run on a stack of its own */
		return UNWIND_NO_PROGRESS;
	if (!caller_reg(w, &r->ra, w->arch->ra, cfa, &pc, &slot)) {
		set_slot(w, slot);
		return why(w, UNWIND_NO_MEMORY);
	}
	set_slot(w, slot);
	if (slot && slot < w->mem.sp)
		return UNWIND_NO_MEMORY;
	restore(w, r, cfa, &next);
	w->mem.beyond = false; /* a lost register matters only when it is needed */
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
static enum unwind_end step_frame_pointer(struct walk *w)
{
	const struct arch *a = w->arch;
	unsigned word = a->word;
	uint64_t fp, caller_fp, pc, cfa;

	if (!regs_get(&w->regs, a->fp, &fp) || fp % word || fp < w->mem.sp)
		return UNWIND_NO_CFI;
	cfa = fp + 2 * word;
	if (!grows(w, cfa))
		return UNWIND_NO_CFI;
	if (memory_read(&w->mem, fp, word, &caller_fp) != 0 ||
	    memory_read(&w->mem, fp + word, word, &pc) != 0)
		return why(w, UNWIND_NO_CFI);
	set_slot(w, fp + word);
	w->regs.known = 0;
	regs_set(&w->regs, a->fp, caller_fp);
	regs_set(&w->regs, a->sp, cfa);
	w->regs.pc = pc & a->addr_mask;
	w->cfa = cfa;
	w->is_return = true;
	return w->regs.pc ? UNWIND_END_MAX : UNWIND_WHOLE;
}

static enum unwind_end step(struct walk *w, const struct unwind_rule *r)
{
	switch (r ? r->kind : RULE_NONE) {
	case RULE_END:
		return UNWIND_WHOLE;
	case RULE_LOST:
		return UNWIND_NO_CFI;
	case RULE_CFI:
		return step_cfi(w, r);
	default:
		return step_frame_pointer(w);
	}
}

static void add_frame(struct walk *w, const struct pc_facts *facts)
{
	struct unwind_info *info = w->info;

	stack_push(w->st, w->regs.pc, CPUMODE_USER, w->is_return);
	if (info->n == info->cap) {
		info->cap = info->cap ? info->cap * 2 : 64;
		info->frames = xreallocarray(info->frames, info->cap, sizeof(*info->frames));
	}
	info->frames[info->n++] = (struct unwind_frame){ 0, facts ? facts->func : 0 };
	w->u->stats.frames++;
}

static enum unwind_end walk_stack(struct walk *w)
{
	enum unwind_end end = UNWIND_END_MAX;

	while (end == UNWIND_END_MAX) {
		uint64_t pc = frame_addr_lookup(
			(struct frame_addr){ w->regs.pc, CPUMODE_USER, w->is_return });
		const struct pc_facts *facts = look_up(w, pc);

		if (w->info->n == MAX_FRAMES)
			return UNWIND_TOO_DEEP;
		if (!facts && w->is_return)
			return UNWIND_NO_MAP;
		if (facts && facts->begins) {
			if (!w->is_return)
				facts = NULL;
			w->is_return = false;
		}
		add_frame(w, facts);
		w->mem.beyond = false;
		end = step(w, facts ? &facts->rule : NULL);
	}
	return end;
}

void unwinder_run(struct unwinder *u, const struct sample *s, const struct process *proc,
		  uint64_t when, struct stack *st, struct unwind_info *info)
{
	struct walk w = { .u = u, .st = st, .info = info, .steps = MAX_STEPS };

	info->n = 0;
	info->missing = 0;
	info->end = UNWIND_NO_DUMP;
	if (!s->user_abi || !s->user_regs || !s->stack)
		return;
	w.arch = arch_of(modules_machine(u->modules), s->user_abi);
	if (!w.arch) {
		info->end = UNWIND_NO_ARCH;
		return;
	}
	if (!arch_regs(w.arch, s, &w.regs))
		return;
	w.mem = (struct memory){ .u = u,
				 .s = s,
				 .proc = proc,
				 .when = when,
				 .sp = w.regs.v[w.arch->sp],
				 .word = w.arch->word };
	w.cfa = w.mem.sp;
	info->sp = w.mem.sp;
	u->stats.samples++;
	info->end = walk_stack(&w);
	if (info->end == UNWIND_DUMP_END)
		info->missing = w.mem.missing;
	if (info->end != UNWIND_WHOLE)
		st->flags |= STACK_TRUNCATED;
	if (info->n)
		st->flags &= ~(unsigned)STACK_NOT_UNWOUND;
}
