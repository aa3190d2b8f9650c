/* SPDX-License-Identifier: MIT */
/* DWARF expressions from their bytes (DWARF 5, section 7.7.1); those that CFI has no use for fail. */
#include "stack/cfi.h"

#include <dwarf.h>

#include "base/cursor.h"
#include "stack/leb.h"

enum {
	MAX_OPS = 256, /* compilers write a dozen */
	BRANCH_BYTES = 3,
};

/* The operands of atom OP; false when it has no place here. */
static bool read_operands(struct cursor *c, unsigned word, struct expr_op *op)
{
	switch (op->atom) {
	case DW_OP_addr:
		op->n1 = word == 4 ? cursor_u32(c) : cursor_u64(c);
		return true;
	case DW_OP_const1u:
	case DW_OP_pick:
	case DW_OP_deref_size:
		op->n1 = cursor_u8(c);
		return true;
	case DW_OP_const1s:
		op->n1 = (uint64_t)(int8_t)cursor_u8(c);
		return true;
	case DW_OP_const2u:
		op->n1 = cursor_u16(c);
		return true;
	case DW_OP_const2s:
	case DW_OP_skip:
	case DW_OP_bra:
		op->n1 = (uint64_t)(int16_t)cursor_u16(c);
		return true;
	case DW_OP_const4u:
		op->n1 = cursor_u32(c);
		return true;
	case DW_OP_const4s:
		op->n1 = (uint64_t)(int32_t)cursor_u32(c);
		return true;
	case DW_OP_const8u:
	case DW_OP_const8s:
		op->n1 = cursor_u64(c);
		return true;
	case DW_OP_constu:
	case DW_OP_plus_uconst:
		op->n1 = leb_unsigned(c);
		return true;
	case DW_OP_consts:
		op->n1 = (uint64_t)leb_signed(c);
		return true;
	case DW_OP_bregx:
		op->n1 = leb_unsigned(c);
		op->n2 = (uint64_t)leb_signed(c);
		return true;
	case DW_OP_deref:
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
	case DW_OP_swap:
	case DW_OP_rot:
	case DW_OP_abs:
	case DW_OP_and:
	case DW_OP_div:
	case DW_OP_minus:
	case DW_OP_mod:
	case DW_OP_mul:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_or:
	case DW_OP_plus:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
	case DW_OP_xor:
	case DW_OP_eq:
	case DW_OP_ge:
	case DW_OP_gt:
	case DW_OP_le:
	case DW_OP_lt:
	case DW_OP_ne:
	case DW_OP_nop:
		return true;
	default:
		break;
	}
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		op->n1 = (uint64_t)leb_signed(c);
		return true;
	}
	return op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31;
}

/* Make the displacements of branches indices; the end counts as an operation. */
static bool resolve_branches(struct expr_op *ops, const uint64_t *offsets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t want = offsets[i] + BRANCH_BYTES + ops[i].n1;
		size_t k = 0;

		if (ops[i].atom != DW_OP_skip && ops[i].atom != DW_OP_bra)
			continue;
		while (k <= n && offsets[k] != want)
			k++;
		if (k > n)
			return false;
		ops[i].n1 = k;
	}
	return true;
}

const struct expr *expr_decode(const uint8_t *bytes, uint64_t size, unsigned word, bool be,
			       struct arena *arena)
{
	struct cursor c;
	struct expr_op ops[MAX_OPS];
	uint64_t offsets[MAX_OPS + 1];
	struct expr *e;
	size_t n = 0;

	if (!size)
		return NULL;
	c = cursor_init(bytes, size, be);
	while (cursor_left(&c)) {
		if (n == MAX_OPS)
			return NULL;
		offsets[n] = (uint64_t)(c.p - bytes);
		ops[n] = (struct expr_op){ .atom = cursor_u8(&c) };
		if (!read_operands(&c, word, &ops[n]) || c.bad)
			return NULL;
		n++;
	}
	offsets[n] = size;
	if (!resolve_branches(ops, offsets, n))
		return NULL;
	e = arena_alloc(arena, sizeof(*e) + n * sizeof(*e->ops));
	e->n = n;
	memcpy(e->ops, ops, n * sizeof(*ops));
	return e;
}
