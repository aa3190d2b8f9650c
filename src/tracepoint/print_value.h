/* SPDX-License-Identifier: MIT */
/*
 * What an argument of a print format is: a number with its C type, a text, or bytes.  A field that is
 * an int and -1 is not the same as an unsigned one: what the kernel prints depends on it.
 */
#ifndef PERFREP_TRACEPOINT_PRINT_VALUE_H
#define PERFREP_TRACEPOINT_PRINT_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum print_kind {
	PRINT_BAD, /* not known, or cannot be computed */
	PRINT_NUMBER,
	PRINT_TEXT,
	PRINT_BYTES, /* a field that is an array */
	PRINT_NULL, /* a null pointer instead of a text */
};

struct print_value {
	enum print_kind kind;
	bool is_signed;
	uint8_t size; /* of a NUMBER: 1, 2, 4 or 8, as of its C type */
	uint64_t v; /* a NUMBER, extended to 64 bits as its type says */
	const char *s; /* TEXT, BYTES: borrowed from the raw data or the format … */
	size_t len;
	size_t scratch; /* … or, when S is NULL, at this place in `scratch` */
};

enum print_operator {
	PRINT_MULTIPLY,
	PRINT_DIVIDE,
	PRINT_REMAINDER,
	PRINT_ADD,
	PRINT_SUBTRACT,
	PRINT_LEFT,
	PRINT_RIGHT,
	PRINT_LESS,
	PRINT_LESS_EQUAL,
	PRINT_GREATER,
	PRINT_GREATER_EQUAL,
	PRINT_EQUAL,
	PRINT_UNEQUAL,
	PRINT_BIT_AND,
	PRINT_BIT_XOR,
	PRINT_BIT_OR,
	PRINT_BOTH, /* && */
	PRINT_ANY, /* || */
	PRINT_NEGATE, /* of one operand, as are COMPLEMENT and NOT */
	PRINT_COMPLEMENT,
	PRINT_NOT,
};

struct print_value print_bad(void);
/* V as a number of SIZE bytes: what does not fit is lost. */
struct print_value print_number(uint64_t v, unsigned size, bool is_signed);
/* What an operator makes of numbers, but for BOTH and ANY; BAD: a quotient by 0. */
struct print_value print_unary(enum print_operator op, struct print_value a);
struct print_value print_binary(enum print_operator op, struct print_value a, struct print_value b);
/* A truth value. */
struct print_value print_truth(bool v);
/* The type of "condition ? a : b", with the value of A; BAD when they don't go together. */
struct print_value print_either(struct print_value a, struct print_value b);

#endif
