/* SPDX-License-Identifier: MIT */
/* C's arithmetic: promotion to int, the common type of two operands, what overflows is cut. */
#include "tracepoint/print_value.h"

struct print_value print_bad(void)
{
	return (struct print_value){ .kind = PRINT_BAD };
}

struct print_value print_number(uint64_t v, unsigned size, bool is_signed)
{
	unsigned unused = 64 - 8 * size;

	v = v << unused >> unused;
	if (is_signed && unused && v >> (63 - unused))
		v |= UINT64_MAX << (63 - unused);
	return (struct print_value){
		.kind = PRINT_NUMBER, .v = v, .size = (uint8_t)size, .is_signed = is_signed
	};
}

struct print_value print_truth(bool v)
{
	return print_number(v, 4, true);
}

static struct print_value promoted(struct print_value a)
{
	return a.size < 4 ? print_number(a.v, 4, true) : a;
}

struct print_value print_unary(enum print_operator op, struct print_value a)
{
	if (a.kind != PRINT_NUMBER)
		return print_bad();
	if (op == PRINT_NOT)
		return print_truth(!a.v);
	a = promoted(a);
	return print_number(op == PRINT_NEGATE ? -a.v : ~a.v, a.size, a.is_signed);
}

/* The type of a shifted number is its own. */
static struct print_value shift(struct print_value a, uint64_t by, bool left)
{
	if (by >= 8u * a.size)
		return print_number(0, a.size, a.is_signed);
	if (left)
		return print_number(a.v << by, a.size, a.is_signed);
	return print_number(a.is_signed ? (uint64_t)((int64_t)a.v >> by) : a.v >> by, a.size,
			    a.is_signed);
}

static bool less(struct print_value a, struct print_value b)
{
	return a.is_signed ? (int64_t)a.v < (int64_t)b.v : a.v < b.v;
}

static struct print_value divide(struct print_value a, struct print_value b, bool remainder)
{
	bool overflow = a.is_signed && b.v == UINT64_MAX; /* -x is all that can be */
	uint64_t q, r;

	if (!b.v)
		return print_bad();
	if (overflow) {
		q = -a.v;
		r = 0;
	} else if (a.is_signed) {
		q = (uint64_t)((int64_t)a.v / (int64_t)b.v);
		r = (uint64_t)((int64_t)a.v % (int64_t)b.v);
	} else {
		q = a.v / b.v;
		r = a.v % b.v;
	}
	return print_number(remainder ? r : q, a.size, a.is_signed);
}

/* Both in their common type. */
static void unite(struct print_value *a, struct print_value *b)
{
	unsigned size = a->size > b->size ? a->size : b->size;
	bool is_signed = a->size == b->size  ? a->is_signed && b->is_signed
			 : a->size > b->size ? a->is_signed
					     : b->is_signed;

	*a = print_number(a->v, size, is_signed);
	*b = print_number(b->v, size, is_signed);
}

static struct print_value like(struct print_value a, uint64_t v)
{
	return print_number(v, a.size, a.is_signed);
}

struct print_value print_binary(enum print_operator op, struct print_value a, struct print_value b)
{
	if (a.kind != PRINT_NUMBER || b.kind != PRINT_NUMBER)
		return print_bad();
	a = promoted(a);
	b = promoted(b);
	if (op == PRINT_LEFT || op == PRINT_RIGHT)
		return shift(a, b.v, op == PRINT_LEFT);
	unite(&a, &b);
	switch (op) {
	case PRINT_MULTIPLY:
		return like(a, a.v * b.v);
	case PRINT_DIVIDE:
	case PRINT_REMAINDER:
		return divide(a, b, op == PRINT_REMAINDER);
	case PRINT_ADD:
		return like(a, a.v + b.v);
	case PRINT_SUBTRACT:
		return like(a, a.v - b.v);
	case PRINT_BIT_AND:
		return like(a, a.v & b.v);
	case PRINT_BIT_XOR:
		return like(a, a.v ^ b.v);
	case PRINT_BIT_OR:
		return like(a, a.v | b.v);
	case PRINT_LESS:
		return print_truth(less(a, b));
	case PRINT_LESS_EQUAL:
		return print_truth(!less(b, a));
	case PRINT_GREATER:
		return print_truth(less(b, a));
	case PRINT_GREATER_EQUAL:
		return print_truth(!less(a, b));
	case PRINT_EQUAL:
		return print_truth(a.v == b.v);
	case PRINT_UNEQUAL:
		return print_truth(a.v != b.v);
	default:
		return print_bad();
	}
}

struct print_value print_either(struct print_value a, struct print_value b)
{
	bool numbers = a.kind == PRINT_NUMBER && b.kind == PRINT_NUMBER;

	if (a.kind == PRINT_BAD || b.kind == PRINT_BAD ||
	    (!numbers && (a.kind == PRINT_NUMBER || b.kind == PRINT_NUMBER)))
		return print_bad();
	if (numbers) {
		a = promoted(a);
		b = promoted(b);
		unite(&a, &b);
	}
	return a;
}
