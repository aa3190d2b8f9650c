/* SPDX-License-Identifier: MIT */
/*
 * Arguments of print formats as trees: built once for each format (print_parse.h), computed for each
 * sample.  What cannot be computed of any sample, because its types don't fit, is in no tree.
 */
#ifndef PERFREP_TRACEPOINT_PRINT_TREE_H
#define PERFREP_TRACEPOINT_PRINT_TREE_H

#include "base/strbuf.h"
#include "tracepoint/print.h"
#include "tracepoint/print_value.h"

enum print_node_kind {
	NODE_CONSTANT,
	NODE_NUMBER, /* a field */
	NODE_ARRAY, /* a field's bytes, or text; of a dynamic one those that its place points to */
	NODE_ELEMENT, /* operand[0] of an array */
	NODE_LENGTH, /* of a dynamic array, in bytes */
	NODE_UNARY,
	NODE_BINARY,
	NODE_CAST,
	NODE_EITHER, /* operand[0] ? operand[1] : operand[2] */
	NODE_CALL, /* text that a function makes */
};

struct print_node {
	enum print_node_kind kind;
	enum print_operator op; /* UNARY, BINARY */
	struct print_value
		value; /* CONSTANT: it; of all others the type, with a V that says nothing */
	const struct tp_field *field; /* NUMBER, ARRAY, ELEMENT, LENGTH */
	const struct print_node *operand[3];
	const struct print_call *call; /* CALL */
};

/* What a sample's arguments are computed with. */
struct print_run {
	const struct print_input *in;
	struct strbuf scratch; /* texts that functions made */
};

/* Append the text to `scratch`; false when it cannot be computed. */
typedef bool print_make_fn(struct print_run *r, const struct print_call *c);

enum { PRINT_ARGUMENTS = 7 };

struct print_call {
	print_make_fn *make;
	const struct tp_field *field;
	const struct print_node *arg[PRINT_ARGUMENTS];
	const char *delimiter;
	size_t delimiter_len;
	const struct print_entry { /* of a table of names */
		uint64_t v;
		const char *name;
		size_t len;
	} * entries;
	size_t nr_entries;
};

/* Its kind is BAD when it cannot be computed. */
struct print_value print_eval(struct print_run *r, const struct print_node *n);
/* The number of SIZE bytes, 1, 2, 4 or 8, at AT. */
uint64_t print_element(const uint8_t *at, unsigned size, bool be);
/* The beginning of a TEXT. */
const char *print_text_of(const struct print_run *r, const struct print_value *v);

#endif
