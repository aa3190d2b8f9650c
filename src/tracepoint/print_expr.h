/* SPDX-License-Identifier: MIT */
/* The arguments of print formats: C expressions of fields, computed as they are read. */
#ifndef PERFREP_TRACEPOINT_PRINT_EXPR_H
#define PERFREP_TRACEPOINT_PRINT_EXPR_H

#include "base/strbuf.h"
#include "tracepoint/print.h"
#include "tracepoint/text.h"

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

struct print_parser {
	struct text t;
	const struct print_input *in;
	struct strbuf scratch; /* texts that functions made */
	unsigned depth;
	bool dead; /* in a branch that is not taken: nothing is computed */
};

/* Take blanks, then TOKEN: false, and the place stays, if it is not there. */
bool print_take(struct print_parser *p, const char *token);
/* The same of a whole word. */
bool print_take_word(struct print_parser *p, const char *word);
/* The word that comes next, without taking it: its length. */
size_t print_peek_word(struct print_parser *p);
static inline bool print_is_word(const char *s, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(s, word, n);
}
/* A string constant and those that follow it at once; what is between the quotes goes to OUT. */
bool print_take_string(struct print_parser *p, struct strbuf *out);
/* The name of a field that the event has, or NULL. */
const struct tp_field *print_take_field(struct print_parser *p);

struct print_type {
	unsigned size; /* 0: none */
	unsigned longs; /* how often it was said */
	bool is_signed;
};

/* "(unsigned long)", "(char *)": size 0, and the place stays, if there is none. */
struct print_type print_take_type(struct print_parser *p);
/* An expression; its kind is BAD if there is none. */
struct print_value print_expression(struct print_parser *p);
/* Behind the name of a function: its arguments; BAD when there is no such function. */
struct print_value print_call(struct print_parser *p);

struct print_value print_number(uint64_t v, unsigned size, bool is_signed);
struct print_value print_bad(void);

#endif
