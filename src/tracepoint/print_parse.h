/* SPDX-License-Identifier: MIT */
/* The arguments of print formats: C expressions of fields, as trees. */
#ifndef PERFREP_TRACEPOINT_PRINT_PARSE_H
#define PERFREP_TRACEPOINT_PRINT_PARSE_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "tracepoint/print_tree.h"
#include "tracepoint/text.h"

struct print_parser {
	struct text t;
	const struct tp_event *ev;
	unsigned long_size; /* 4 or 8, of the recorded machine */
	struct arena *arena; /* of all that is built */
	unsigned depth, nodes;
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
/* The same, kept in the arena. */
bool print_keep_string(struct print_parser *p, const char **s, size_t *len);
/* The name of a field that the event has, or NULL. */
const struct tp_field *print_take_field(struct print_parser *p);

struct print_type {
	unsigned size; /* 0: none */
	unsigned longs; /* how often it was said */
	bool is_signed;
};

/* "(unsigned long)", "(char *)": size 0, and the place stays, if there is none. */
struct print_type print_take_type(struct print_parser *p);

/* NULL when there is no expression, or one that makes no sense. */
const struct print_node *print_expression(struct print_parser *p);
/* The same; NULL, too, when it is no number. */
const struct print_node *print_expression_number(struct print_parser *p);
/* Behind the name of a function: its arguments; NULL when there is no such function. */
const struct print_node *print_take_call(struct print_parser *p);

/* A node with the type of TYPE; NULL when the format has too many. */
struct print_node *print_node_new(struct print_parser *p, enum print_node_kind kind,
				  struct print_value type);
const struct print_node *print_constant(struct print_parser *p, struct print_value v);

/* ---- functions, behind their names ---- */

/* Names of numbers and of bits: print_names.c */
const struct print_node *print_symbolic(struct print_parser *p);
const struct print_node *print_flags(struct print_parser *p);
/* Arrays that have a length of their own, and arrays in full: print_arrays.c */
const struct print_node *print_get_str(struct print_parser *p);
const struct print_node *print_get_array(struct print_parser *p);
const struct print_node *print_get_array_len(struct print_parser *p);
const struct print_node *print_get_bitmask(struct print_parser *p);
const struct print_node *print_hex(struct print_parser *p);
const struct print_node *print_hex_str(struct print_parser *p);
const struct print_node *print_array(struct print_parser *p);
const struct print_node *print_hex_dump(struct print_parser *p); /* print_hex_dump.c */

/* The node of a call, whose text C makes. */
const struct print_node *print_call_node(struct print_parser *p, const struct print_call *c);

#endif
