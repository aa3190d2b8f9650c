/* SPDX-License-Identifier: MIT */
/*
 * DWARF expressions as they occur in call frame information: procedure linkage tables, frames
 * aligned by hand, signal trampolines.  DWARF 5, section 2.5.  Values are of the machine's word.
 */
#include "stack/rule.h"

#include <dwarf.h>

enum {
	STACK_DEPTH = 64,
};

struct machine {
	const struct arch *arch;
	const struct regs *regs;
	struct memory *memory;
	uint64_t mask;
	uint64_t stack[STACK_DEPTH];
	unsigned n;
	bool bad;
};

static void push(struct machine *m, uint64_t v)
{
	if (m->n == STACK_DEPTH)
		m->bad = true;
	else
		m->stack[m->n++] = v & m->mask;
}

static uint64_t pop(struct machine *m)
{
	if (!m->n) {
		m->bad = true;
		return 0;
	}
	return m->stack[--m->n];
}

static void push_reg(struct machine *m, uint64_t reg, uint64_t offset)
{
	uint64_t v = 0;

	if (reg == m->arch->ra && m->arch->lr < 0)
		v = m->regs->pc;
	else if (!regs_get(m->regs, (unsigned)(reg < ARCH_REGS ? reg : ARCH_REGS), &v))
		m->bad = true;
	push(m, v + offset);
}

static void pick(struct machine *m, uint64_t depth)
{
	if (depth >= m->n)
		m->bad = true;
	else
		push(m, m->stack[m->n - 1 - depth]);
}

static void rotate(struct machine *m)
{
	uint64_t a = pop(m), b = pop(m), c = pop(m);

	push(m, a);
	push(m, c);
	push(m, b);
}

static void deref(struct machine *m, unsigned size)
{
	uint64_t addr = pop(m), v = 0;

	if (m->bad || size > 8 || m->memory->read(m->memory, addr, size, &v) != 0)
		m->bad = true;
	push(m, v);
}

static int64_t as_signed(const struct machine *m, uint64_t v)
{
	return m->arch->word == 4 ? (int32_t)v : (int64_t)v;
}

static uint64_t divide(struct machine *m, int64_t a, int64_t b)
{
	if (!b || (a == INT64_MIN && b == -1)) {
		m->bad = true;
		return 0;
	}
	return (uint64_t)(a / b);
}

static bool logic(uint8_t atom, uint64_t a, uint64_t b, uint64_t *v)
{
	switch (atom) {
	case DW_OP_and:
		*v = a & b;
		return true;
	case DW_OP_or:
		*v = a | b;
		return true;
	case DW_OP_xor:
		*v = a ^ b;
		return true;
	default:
		return false;
	}
}

static bool shift(const struct machine *m, uint8_t atom, uint64_t a, uint64_t b, uint64_t *v)
{
	switch (atom) {
	case DW_OP_shl:
		*v = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*v = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*v = (uint64_t)(as_signed(m, a) >> (b < 63 ? b : 63));
		return true;
	default:
		return false;
	}
}

static bool arithmetic(struct machine *m, uint8_t atom, uint64_t a, uint64_t b, uint64_t *v)
{
	switch (atom) {
	case DW_OP_plus:
		*v = a + b;
		return true;
	case DW_OP_minus:
		*v = a - b;
		return true;
	case DW_OP_mul:
		*v = a * b;
		return true;
	case DW_OP_div:
		*v = divide(m, as_signed(m, a), as_signed(m, b));
		return true;
	case DW_OP_mod:
		m->bad |= !b;
		*v = b ? a % b : 0;
		return true;
	default:
		return false;
	}
}

static bool comparison(uint8_t atom, int64_t a, int64_t b, uint64_t *v)
{
	switch (atom) {
	case DW_OP_eq:
		*v = a == b;
		return true;
	case DW_OP_ne:
		*v = a != b;
		return true;
	case DW_OP_lt:
		*v = a < b;
		return true;
	case DW_OP_le:
		*v = a <= b;
		return true;
	case DW_OP_gt:
		*v = a > b;
		return true;
	case DW_OP_ge:
		*v = a >= b;
		return true;
	default:
		return false;
	}
}

/* Operations that take two values and push one. */
static bool binary(struct machine *m, uint8_t atom)
{
	uint64_t b = pop(m), a = pop(m), v;

	if (!logic(atom, a, b, &v) && !shift(m, atom, a, b, &v) && !arithmetic(m, atom, a, b, &v) &&
	    !comparison(atom, as_signed(m, a), as_signed(m, b), &v))
		return false;
	push(m, v);
	return true;
}

static bool unary_or_stack(struct machine *m, const struct expr_op *op)
{
	uint64_t a, b;

	switch (op->atom) {
	case DW_OP_dup:
		pick(m, 0);
		return true;
	case DW_OP_over:
		pick(m, 1);
		return true;
	case DW_OP_pick:
		pick(m, op->n1);
		return true;
	case DW_OP_drop:
		pop(m);
		return true;
	case DW_OP_rot:
		rotate(m);
		return true;
	case DW_OP_swap:
		a = pop(m);
		b = pop(m);
		push(m, a);
		push(m, b);
		return true;
	case DW_OP_deref:
		deref(m, m->arch->word);
		return true;
	case DW_OP_deref_size:
		deref(m, (unsigned)(op->n1 < 9 ? op->n1 : 9));
		return true;
	case DW_OP_abs:
		a = pop(m);
		push(m, as_signed(m, a) < 0 ? -a : a);
		return true;
	case DW_OP_neg:
		push(m, -pop(m));
		return true;
	case DW_OP_not:
		push(m, ~pop(m));
		return true;
	case DW_OP_plus_uconst:
		push(m, pop(m) + op->n1);
		return true;
	default:
		return false;
	}
}

static bool constant_or_register(struct machine *m, const struct expr_op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		push(m, op->atom - DW_OP_lit0);
		return true;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		push_reg(m, (uint64_t)(op->atom - DW_OP_breg0), op->n1);
		return true;
	}
	switch (op->atom) {
	case DW_OP_bregx:
		push_reg(m, op->n1, op->n2);
		return true;
	case DW_OP_addr:
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		push(m, op->n1);
		return true;
	default:
		return false;
	}
}

bool expr_eval(const struct expr *e, struct expr_context *ctx, const uint64_t *start, uint64_t *out)
{
	struct machine m = { .arch = ctx->arch, .regs = ctx->regs, .memory = ctx->memory };
	size_t at = 0;

	m.mask = ctx->arch->word == 4 ? UINT32_MAX : UINT64_MAX;
	if (start)
		push(&m, *start);
	while (at < e->n && !m.bad) {
		const struct expr_op *op = &e->ops[at];

		if (!ctx->steps)
			return false;
		ctx->steps--;
		if (op->atom == DW_OP_skip || (op->atom == DW_OP_bra && pop(&m))) {
			at = (size_t)op->n1;
			continue;
		}
		at++;
		if (op->atom == DW_OP_bra || op->atom == DW_OP_nop)
			continue;
		if (!constant_or_register(&m, op) && !unary_or_stack(&m, op) &&
		    !binary(&m, op->atom))
			return false;
	}
	*out = pop(&m);
	return !m.bad;
}
