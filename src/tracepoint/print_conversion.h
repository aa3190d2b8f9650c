/* SPDX-License-Identifier: MIT */
/* One "%…" of a print format, and the text that it makes of a value. */
#ifndef PERFREP_TRACEPOINT_PRINT_CONVERSION_H
#define PERFREP_TRACEPOINT_PRINT_CONVERSION_H

#include "tracepoint/print_tree.h"

struct conversion {
	char flags[8];
	int width, precision; /* -1: none */
	unsigned length; /* bytes of the number; 0: an int, or what it is */
	char c; /* 'd', 's' …; 'p' for all pointers, of which … */
	const char *pointer; /* … this says more: "", "S", "I4" */
};

/* Each appends to OUT; false when V is nothing that can be printed so. */
bool print_text(const struct print_run *r, struct strbuf *out, const struct conversion *c,
		const struct print_value *v);
bool print_integer(struct strbuf *out, const struct conversion *c, const struct print_value *v);
bool print_pointer(const struct print_run *r, struct strbuf *out, const struct conversion *c,
		   const struct print_value *v);

/* LEN bytes at S to C's width, of which C's precision takes no more. */
void print_padded(struct strbuf *out, const struct conversion *c, const char *s, size_t len);

#endif
