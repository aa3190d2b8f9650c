/* SPDX-License-Identifier: MIT */
/*
 * The instructions of an entry, run up to an address: what they say there about the CFA and the
 * registers (DWARF 5, section 6.4.2), packed into a rule.
 *
 * A register that nothing is said of is as it was: the ABIs have callees keep those that are
 * asked for here.  Registers beyond the first 33 (of floating point and vectors) are read over.
 */
#include "stack/cfi.h"

#include <dwarf.h>

#include "base/cursor.h"
#include "stack/leb.h"

enum {
	MAX_REMEMBERED =
		16, /* states that wait for DW_CFA_restore_state; compilers use one or two */
	MAX_INSTRUCTIONS =
		1 << 16, /* of an entry; the longest one in gcc itself has 20,000 bytes */
	NEGATE_RA_STATE_WITH_PC = 0x2c, /* of aarch64 */
};

struct block {
	const uint8_t *bytes;
	uint64_t size;
};

struct column {
	uint8_t kind; /* enum reg_kind */
	int64_t off; /* or the other register */
	struct block expr;
};

struct row {
	bool cfa_expr, cfa_known;
	uint64_t cfa_reg;
	int64_t cfa_off;
	struct block expr;
	struct column columns[ARCH_REGS];
};

struct machine {
	const struct cfi *cfi;
	const struct cfi_cie *cie;
	struct row row, initial;
	struct row remembered[MAX_REMEMBERED];
	unsigned depth;
	uint64_t at; /* the address that the row is for */
	uint64_t until;
	bool bad;
};

static struct block read_block(struct cursor *c)
{
	struct block b = { .size = leb_unsigned(c) };

	b.bytes = cursor_bytes(c, b.size);
	return b;
}

static void set(struct machine *m, uint64_t reg, struct column col)
{
	if (reg < ARCH_REGS)
		m->row.columns[reg] = col;
}

static void restore(struct machine *m, uint64_t reg)
{
	if (reg < ARCH_REGS)
		m->row.columns[reg] = m->initial.columns[reg];
}

static void set_cfa(struct machine *m, uint64_t reg, int64_t off)
{
	m->row.cfa_expr = false;
	m->row.cfa_known = true;
	m->row.cfa_reg = reg;
	m->row.cfa_off = off;
}

/* Offsets of hostile files may be anything: unsigned arithmetic does not overflow. */
static int64_t factored(const struct machine *m, uint64_t v)
{
	return (int64_t)(v * (uint64_t)m->cie->data_align);
}

/* False when the row for `until` is complete. */
static bool advance(struct machine *m, uint64_t delta)
{
	uint64_t to = m->at + delta * m->cie->code_align;

	if (to > m->until || to < m->at)
		return false;
	m->at = to;
	return true;
}

/* Instructions that move the address; *MORE is false when that leads beyond ours. */
static bool run_location(struct machine *m, struct cursor *c, uint8_t op, bool *more)
{
	uint64_t to;

	switch (op) {
	case DW_CFA_set_loc:
		if (!cfi_address(m->cfi, c, m->cie->encoding, &to) || to < m->at)
			m->bad = true;
		else if (to <= m->until)
			m->at = to;
		else
			*more = false;
		return true;
	case DW_CFA_advance_loc1:
		*more = advance(m, cursor_u8(c));
		return true;
	case DW_CFA_advance_loc2:
		*more = advance(m, cursor_u16(c));
		return true;
	case DW_CFA_advance_loc4:
		*more = advance(m, cursor_u32(c));
		return true;
	case DW_CFA_MIPS_advance_loc8:
		*more = advance(m, cursor_u64(c));
		return true;
	default:
		return false;
	}
}

static bool run_cfa(struct machine *m, struct cursor *c, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_def_cfa:
		reg = leb_unsigned(c);
		set_cfa(m, reg, (int64_t)leb_unsigned(c));
		return true;
	case DW_CFA_def_cfa_sf:
		reg = leb_unsigned(c);
		set_cfa(m, reg, factored(m, (uint64_t)leb_signed(c)));
		return true;
	case DW_CFA_def_cfa_register:
		set_cfa(m, leb_unsigned(c), m->row.cfa_off);
		return true;
	case DW_CFA_def_cfa_offset:
		set_cfa(m, m->row.cfa_reg, (int64_t)leb_unsigned(c));
		return true;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(m, m->row.cfa_reg, factored(m, (uint64_t)leb_signed(c)));
		return true;
	case DW_CFA_def_cfa_expression:
		m->row.expr = read_block(c);
		m->row.cfa_expr = m->row.cfa_known = true;
		return true;
	default:
		return false;
	}
}

/* Instructions whose first operand is a register. */
static bool run_register(struct machine *m, struct cursor *c, uint8_t op)
{
	uint64_t reg;
	struct column col = { 0 };

	switch (op) {
	case DW_CFA_offset_extended:
	case DW_CFA_val_offset:
		reg = leb_unsigned(c);
		col.off = factored(m, leb_unsigned(c));
		col.kind = op == DW_CFA_val_offset ? REG_CFA_VALUE : REG_AT_CFA;
		break;
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset_sf:
		reg = leb_unsigned(c);
		col.off = factored(m, (uint64_t)leb_signed(c));
		col.kind = op == DW_CFA_val_offset_sf ? REG_CFA_VALUE : REG_AT_CFA;
		break;
	case DW_CFA_GNU_negative_offset_extended:
		reg = leb_unsigned(c);
		col.off = factored(m, -leb_unsigned(c));
		col.kind = REG_AT_CFA;
		break;
	case DW_CFA_undefined:
	case DW_CFA_same_value:
		reg = leb_unsigned(c);
		col.kind = op == DW_CFA_undefined ? REG_UNDEFINED : REG_SAME;
		break;
	case DW_CFA_register:
		reg = leb_unsigned(c);
		col.off = (int64_t)leb_unsigned(c);
		col.kind = REG_IN;
		break;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = leb_unsigned(c);
		col.expr = read_block(c);
		col.kind = op == DW_CFA_expression ? REG_AT_EXPR : REG_EXPR_VALUE;
		break;
	case DW_CFA_restore_extended:
		restore(m, leb_unsigned(c));
		return true;
	default:
		return false;
	}
	set(m, reg, col);
	return true;
}

static void remember(struct machine *m)
{
	if (m->depth == MAX_REMEMBERED)
		m->bad = true;
	else
		m->remembered[m->depth++] = m->row;
}

static void recall(struct machine *m)
{
	if (!m->depth)
		m->bad = true;
	else
		m->row = m->remembered[--m->depth];
}

static void run_other(struct machine *m, struct cursor *c, uint8_t op)
{
	switch (op) {
	case DW_CFA_nop:
	case NEGATE_RA_STATE_WITH_PC:
	case DW_CFA_GNU_window_save: /* on aarch64: return addresses are signed from here on */
		break;
	case DW_CFA_GNU_args_size:
		leb_unsigned(c);
		break;
	case DW_CFA_remember_state:
		remember(m);
		break;
	case DW_CFA_restore_state:
		recall(m);
		break;
	default: /* how long it is can't be known */
		m->bad = true;
	}
}

/* One instruction; false when the next ones are for later addresses. */
static bool run_one(struct machine *m, struct cursor *c)
{
	uint8_t op = cursor_u8(c), low = op & 0x3f;
	bool more = true;

	switch (op & 0xc0) {
	case DW_CFA_advance_loc:
		return advance(m, low);
	case DW_CFA_offset:
		set(m, low,
		    (struct column){ .kind = REG_AT_CFA, .off = factored(m, leb_unsigned(c)) });
		return true;
	case DW_CFA_restore:
		restore(m, low);
		return true;
	}
	if (!run_location(m, c, op, &more) && !run_cfa(m, c, op) && !run_register(m, c, op))
		run_other(m, c, op);
	return more;
}

static void run(struct machine *m, uint64_t from, uint64_t to)
{
	struct cursor c = cursor_init(m->cfi->data + from, to - from, m->cfi->be);
	unsigned left = MAX_INSTRUCTIONS;

	while (left && cursor_left(&c) && run_one(m, &c) && !m->bad && !c.bad)
		left--;
	m->bad |= c.bad || !left;
}

/* ---- packing ---- */

static bool fits(int64_t v)
{
	return v >= INT32_MIN && v <= INT32_MAX;
}

static struct reg_rule pack(const struct machine *m, const struct column *col, struct arena *arena)
{
	struct reg_rule rr = { .kind = col->kind };

	switch (col->kind) {
	case REG_AT_CFA:
	case REG_CFA_VALUE:
	case REG_IN:
		rr.off = (int32_t)col->off;
		if (!fits(col->off) || (col->kind == REG_IN && col->off >= ARCH_REGS))
			rr.kind = REG_BAD;
		break;
	case REG_AT_EXPR:
	case REG_EXPR_VALUE:
		rr.expr = expr_decode(col->expr.bytes, col->expr.size, m->cfi->word, m->cfi->be,
				      arena);
		if (!rr.expr)
			rr.kind = REG_BAD;
		break;
	default:
		break;
	}
	return rr;
}

/* reg + off; deref [; plus_uconst off2] */
static bool is_deref(const struct expr *e, struct unwind_rule *r)
{
	const struct expr_op *op = e->ops;

	if (e->n < 2 || e->n > 3 || op[0].atom < DW_OP_breg0 || op[0].atom > DW_OP_breg31 ||
	    op[1].atom != DW_OP_deref || !fits((int64_t)op[0].n1))
		return false;
	if (e->n == 3 && (op[2].atom != DW_OP_plus_uconst || op[2].n1 > INT32_MAX))
		return false;
	r->cfa_kind = CFA_DEREF;
	r->cfa_reg = op[0].atom - DW_OP_breg0;
	r->cfa_off = (int32_t)op[0].n1;
	r->cfa_off2 = e->n == 3 ? (int32_t)op[2].n1 : 0;
	return true;
}

static bool pack_cfa(const struct machine *m, struct arena *arena, struct unwind_rule *r)
{
	const struct row *row = &m->row;
	const struct expr *e;

	if (!row->cfa_known)
		return false;
	if (!row->cfa_expr) {
		r->cfa_kind = CFA_REG;
		r->cfa_reg = (uint8_t)row->cfa_reg;
		r->cfa_off = (int32_t)row->cfa_off;
		return row->cfa_reg < ARCH_REGS && fits(row->cfa_off);
	}
	e = expr_decode(row->expr.bytes, row->expr.size, m->cfi->word, m->cfi->be, arena);
	if (!e)
		return false;
	r->cfa_kind = CFA_EXPR;
	r->cfa_expr = e;
	is_deref(e, r);
	return true;
}

static const struct reg_rule *pack_all(const struct machine *m, const struct arch *arch,
				       struct arena *arena)
{
	struct reg_rule *all = arena_alloc(arena, arch->nr_regs * sizeof(*all));

	for (unsigned i = 0; i < arch->nr_regs; i++)
		all[i] = pack(m, &m->row.columns[i], arena);
	return all;
}

static void pack_rule(const struct machine *m, const struct arch *arch, struct arena *arena,
		      struct unwind_rule *r)
{
	const struct column *ra;

	if (m->cie->ra >= ARCH_REGS)
		return;
	ra = &m->row.columns[m->cie->ra];
	r->ra = pack(m, ra, arena);
	if (r->ra.kind == REG_UNDEFINED)
		r->kind = RULE_END;
	if (r->ra.kind == REG_SAME && arch->lr >= 0) /* not saved yet */
		r->ra = (struct reg_rule){ .kind = REG_IN, .off = arch->lr };
	if (r->kind == RULE_END || r->ra.kind == REG_BAD || r->ra.kind == REG_SAME ||
	    !pack_cfa(m, arena, r))
		return;
	r->kind = RULE_CFI;
	r->signal = m->cie->signal;
	r->sp = pack(m, &m->row.columns[arch->sp], arena);
	for (unsigned i = 0; i < arch->nr_saved; i++) {
		r->saved[i] = pack(m, &m->row.columns[arch->saved[i]], arena);
		if (r->saved[i].kind != REG_SAME)
			r->moved |= (uint16_t)(1 << i);
	}
	if (r->signal)
		r->all = pack_all(m, arch, arena);
}

void cfi_rule(const struct cfi *c, const struct cfi_fde *fde, const struct arch *arch,
	      uint64_t addr, struct arena *arena, struct unwind_rule *out)
{
	struct machine m = { .cfi = c, .cie = &c->cies.v[fde->cie], .until = UINT64_MAX };

	*out = (struct unwind_rule){ .kind = RULE_NONE };
	run(&m, m.cie->program, m.cie->end);
	m.initial = m.row;
	m.depth = 0;
	m.at = fde->start;
	m.until = addr;
	if (!m.bad)
		run(&m, fde->program, fde->end);
	if (!m.bad)
		pack_rule(&m, arch, arena, out);
}
