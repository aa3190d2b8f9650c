/* SPDX-License-Identifier: MIT */
/*
 * A module is opened on the first pc that falls in it.  Order of sources: .eh_frame of the file
 * that runs, then .debug_frame of the file that has the DWARF.
 */
#include "stack/modules.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <pthread.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/vec.h"
#include "objfile/elf_handle.h"

struct module {
	bool opened;
	struct objfile *obj; /* NULL: not to be had */
	Dwarf_CFI *eh; /* of .eh_frame, owned */
	Dwarf *dwarf; /* opened when .eh_frame does not know a pc */
	int dwarf_fd;
	bool dwarf_tried;
	uint64_t dwarf_bias;
};

struct unwind_modules {
	pthread_mutex_t lock;
	const struct objfile_search *where;
	uint16_t e_machine;
	VEC(struct module) modules; /* by dso id */
	struct arena exprs;
};

struct unwind_modules *unwind_modules_new(const struct objfile_search *where, uint16_t e_machine)
{
	struct unwind_modules *um = xcalloc(1, sizeof(*um));

	pthread_mutex_init(&um->lock, NULL);
	um->where = where;
	um->e_machine = e_machine;
	elf_version(EV_CURRENT);
	return um;
}

void unwind_modules_free(struct unwind_modules *um)
{
	if (!um)
		return;
	for (size_t i = 0; i < um->modules.n; i++) {
		struct module *m = &um->modules.v[i];

		if (m->eh)
			dwarf_cfi_end(m->eh);
		if (m->dwarf)
			dwarf_end(m->dwarf);
		if (m->dwarf_tried && m->dwarf_fd >= 0)
			close(m->dwarf_fd);
		objfile_free(m->obj);
	}
	vec_release(&um->modules);
	arena_release(&um->exprs);
	pthread_mutex_destroy(&um->lock);
	free(um);
}

uint16_t modules_machine(const struct unwind_modules *um)
{
	return um->e_machine;
}

static struct module *module_of(struct unwind_modules *um, const struct dso *dso)
{
	struct module *m;

	if (dso->kind != DSO_FILE && dso->kind != DSO_VDSO)
		return NULL;
	if (dso->id >= um->modules.n)
		vec_resize(&um->modules, dso->id + 1);
	m = &um->modules.v[dso->id];
	if (!m->opened) {
		enum unknown_reason reason;

		m->opened = true;
		if (objfile_open(dso, um->where, &m->obj, &reason, NULL) < 0)
			m->obj = NULL;
		else
			m->eh = dwarf_getcfi_elf(objfile_elf(m->obj));
	}
	return m->obj ? m : NULL;
}

/* .debug_frame, opened late: most files have everything in .eh_frame. */
static Dwarf_CFI *debug_frame(struct module *m)
{
	if (!m->dwarf_tried) {
		m->dwarf_tried = true;
		m->dwarf_fd = objfile_dwarf_fd(m->obj);
		m->dwarf_bias = objfile_dwarf_bias(m->obj);
		if (m->dwarf_fd >= 0)
			m->dwarf = dwarf_begin(m->dwarf_fd, DWARF_C_READ);
	}
	return m->dwarf ? dwarf_getcfi(m->dwarf) : NULL;
}

static const struct expr *copy_expr(struct unwind_modules *um, const Dwarf_Op *ops, size_t n)
{
	struct expr *e = arena_alloc(&um->exprs, sizeof(*e) + n * sizeof(*e->ops));

	e->n = n;
	for (size_t i = 0; i < n; i++)
		e->ops[i] = (struct expr_op){ .atom = ops[i].atom,
					      .n1 = ops[i].number,
					      .n2 = ops[i].number2,
					      .offset = (uint32_t)ops[i].offset };
	return e;
}

static bool fits(uint64_t v)
{
	return (int64_t)v >= INT32_MIN && (int64_t)v <= INT32_MAX;
}

/* A register plus an offset: DW_OP_bregN off or DW_OP_bregx reg, off. */
static bool is_breg(const Dwarf_Op *op, unsigned *reg, uint64_t *off)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*reg = (unsigned)(op->atom - DW_OP_breg0);
		*off = op->number;
	} else if (op->atom == DW_OP_bregx) {
		*reg = (unsigned)op->number;
		*off = op->number2;
	} else {
		return false;
	}
	return *reg < ARCH_REGS && fits(*off);
}

static void pack_cfa(struct unwind_modules *um, const Dwarf_Op *ops, size_t n,
		     struct unwind_rule *r)
{
	unsigned reg;
	uint64_t off, off2 = 0;

	if (is_breg(&ops[0], &reg, &off)) {
		r->cfa_reg = (uint8_t)reg;
		r->cfa_off = (int32_t)off;
		r->cfa_kind = CFA_REG;
		if (n == 1)
			return;
		if (n == 3 && ops[2].atom == DW_OP_plus_uconst)
			off2 = ops[2].number;
		if (ops[1].atom == DW_OP_deref && (n == 2 || (n == 3 && off2)) && fits(off2)) {
			r->cfa_kind = CFA_DEREF;
			r->cfa_off2 = (int32_t)off2;
			return;
		}
	}
	r->cfa_kind = CFA_EXPR;
	r->cfa_expr = copy_expr(um, ops, n);
}

static struct reg_rule expr_rule(struct unwind_modules *um, const Dwarf_Op *ops, size_t n)
{
	bool value = ops[n - 1].atom == DW_OP_stack_value;

	if (value)
		n--;
	return (struct reg_rule){ .kind = value ? REG_EXPR_VALUE : REG_AT_EXPR,
				  .expr = copy_expr(um, ops, n) };
}

/* libdw's description of one register as a rule: see dwarf_frame_register() in libdw.h. */
static struct reg_rule pack_register(struct unwind_modules *um, Dwarf_Frame *frame, unsigned reg)
{
	Dwarf_Op mem[3], *ops;
	uint64_t off = 0;
	size_t n, plain;
	bool value;

	if (dwarf_frame_register(frame, (int)reg, mem, &ops, &n) != 0)
		return (struct reg_rule){ .kind = REG_UNDEFINED };
	if (!n)
		return (struct reg_rule){ .kind = ops == mem ? REG_UNDEFINED : REG_SAME };
	if (n == 1 && ops[0].atom == DW_OP_regx && ops[0].number < ARCH_REGS)
		return (struct reg_rule){ .kind = REG_IN, .off = (int32_t)ops[0].number };
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return (struct reg_rule){ .kind = REG_IN, .off = ops[0].atom - DW_OP_reg0 };
	value = ops[n - 1].atom == DW_OP_stack_value;
	plain = n - value;
	if (ops[0].atom == DW_OP_call_frame_cfa && plain <= 2) {
		if (plain == 2)
			off = ops[1].number;
		if ((plain == 1 || ops[1].atom == DW_OP_plus_uconst) && fits(off))
			return (struct reg_rule){ .kind = value ? REG_CFA_VALUE : REG_AT_CFA,
						  .off = (int32_t)off };
	}
	if (!plain)
		return (struct reg_rule){ .kind = REG_UNDEFINED };
	return expr_rule(um, ops, n);
}

static const struct reg_rule *pack_all(struct unwind_modules *um, const struct arch *arch,
				       Dwarf_Frame *frame)
{
	struct reg_rule *all = arena_alloc(&um->exprs, arch->nr_regs * sizeof(*all));

	for (unsigned i = 0; i < arch->nr_regs; i++)
		all[i] = pack_register(um, frame, i);
	return all;
}

static void pack_rule(struct unwind_modules *um, const struct arch *arch, Dwarf_Frame *frame,
		      struct unwind_rule *r)
{
	Dwarf_Addr start, end;
	Dwarf_Op *ops;
	size_t n;
	int ra = dwarf_frame_info(frame, &start, &end, &r->signal);

	if (ra < 0 || ra >= ARCH_REGS || dwarf_frame_cfa(frame, &ops, &n) != 0 || !n)
		return;
	r->kind = RULE_CFI;
	pack_cfa(um, ops, n, r);
	r->ra = pack_register(um, frame, (unsigned)ra);
	if (r->ra.kind == REG_UNDEFINED) {
		r->kind = RULE_END;
		return;
	}
	if (r->ra.kind == REG_SAME) /* not saved yet: in the link register */
		r->ra = (struct reg_rule){ .kind = REG_IN, .off = ra };
	r->sp = pack_register(um, frame, arch->sp);
	for (unsigned i = 0; i < arch->nr_saved; i++) {
		r->saved[i] = pack_register(um, frame, arch->saved[i]);
		if (r->saved[i].kind != REG_SAME)
			r->moved |= (uint16_t)(1 << i);
	}
	if (r->signal)
		r->all = pack_all(um, arch, frame);
}

/* The frame at VADDR by either source; NULL when none knows it. */
static Dwarf_Frame *find_frame(struct module *m, uint64_t vaddr)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_CFI *cfi = m->eh;

	if (cfi && dwarf_cfi_addrframe(cfi, vaddr, &frame) == 0)
		return frame;
	cfi = debug_frame(m);
	if (cfi && dwarf_cfi_addrframe(cfi, vaddr + m->dwarf_bias, &frame) == 0)
		return frame;
	return NULL;
}

static bool frame_begins_at(Dwarf_Frame *frame, uint64_t vaddr)
{
	Dwarf_Addr start, end;
	bool signal;

	return dwarf_frame_info(frame, &start, &end, &signal) >= 0 && start == vaddr;
}

/* SIZE bytes of the file at FILE_OFFSET; NULL when it has fewer. */
static const uint8_t *file_bytes(const struct module *m, uint64_t file_offset, uint64_t size)
{
	size_t whole;
	const char *raw = elf_rawfile(objfile_elf(m->obj), &whole);

	if (!raw || file_offset > whole || whole - file_offset < size)
		return NULL;
	return (const uint8_t *)raw + file_offset;
}

/*
 * A function without CFI: its rule is read from its code when that keeps a frame pointer in the
 * usual way.  SYM covers VADDR, which is at FILE_OFFSET.
 */
static void rule_from_code(const struct module *m, const struct arch *arch,
			   const struct objfile_symbol *sym, uint64_t vaddr, uint64_t file_offset,
			   struct unwind_rule *r)
{
	uint64_t into = vaddr - sym->addr;
	const uint8_t *code;

	if (!sym->size || into >= sym->size || into > file_offset)
		return;
	code = file_bytes(m, file_offset - into, sym->size);
	if (code)
		prologue_rule(arch, code, sym->size, into, r);
}

static void find_facts(struct unwind_modules *um, const struct arch *arch, struct module *m,
		       const struct dso *dso, uint64_t vaddr, uint64_t file_offset,
		       struct pc_facts *out)
{
	const struct objfile_symbol *sym;
	Dwarf_Frame *frame = find_frame(m, vaddr);

	if (!frame) {
		frame = find_frame(m, vaddr + 1);
		out->begins = frame && frame_begins_at(frame, vaddr + 1);
		if (frame && !out->begins) {
			free(frame);
			frame = NULL;
		}
	}
	sym = objfile_symbol(m->obj, vaddr + out->begins);
	if (sym)
		out->func = hash_mix(dso->id + 1, sym->addr);
	if (frame)
		pack_rule(um, arch, frame, &out->rule);
	else if (sym)
		rule_from_code(m, arch, sym, vaddr, file_offset, &out->rule);
	free(frame);
}

void modules_facts(struct unwind_modules *um, const struct arch *arch, const struct dso *dso,
		   uint64_t file_offset, struct pc_facts *out)
{
	struct module *m;
	uint64_t vaddr;

	*out = (struct pc_facts){ .rule.kind = RULE_NONE };
	pthread_mutex_lock(&um->lock);
	m = module_of(um, dso);
	if (m && objfile_vaddr(m->obj, file_offset, &vaddr))
		find_facts(um, arch, m, dso, vaddr, file_offset, out);
	pthread_mutex_unlock(&um->lock);
}

const uint8_t *modules_read_only(struct unwind_modules *um, const struct dso *dso,
				 uint64_t file_offset, unsigned size)
{
	const uint8_t *found = NULL;
	struct module *m;

	pthread_mutex_lock(&um->lock);
	m = module_of(um, dso);
	for (size_t i = 0; m && i < m->obj->nr_segments; i++) {
		const struct objfile_segment *seg = &m->obj->segments[i];

		if (seg->flags & PF_W || file_offset < seg->offset ||
		    file_offset - seg->offset >= seg->filesz ||
		    seg->filesz - (file_offset - seg->offset) < size)
			continue;
		found = file_bytes(m, file_offset, size);
		break;
	}
	pthread_mutex_unlock(&um->lock);
	return found;
}
