/* SPDX-License-Identifier: MIT */
/* The text that an event's print format makes of a sample. */
#ifndef PERFREP_TRACEPOINT_PRINT_H
#define PERFREP_TRACEPOINT_PRINT_H

#include "base/vec.h"

#include <perfrep/tracepoint.h>

/* Texts that fields point to, in order of their addresses; zero-initialised there are none. */
struct print_texts {
	VEC(struct print_text {
		uint64_t addr;
		char *text;
	})
	v;
};

/* SIZE bytes, a line for each. */
void print_texts_read(struct print_texts *t, const char *s, size_t size);
const char *print_texts_find(const struct print_texts *t, uint64_t addr); /* or NULL */
void print_texts_release(struct print_texts *t);

/* What a sample is printed with. */
struct print_input {
	const uint8_t *raw;
	size_t size;
	unsigned long_size; /* 4 or 8, of the recorded machine */
	bool be;
	const struct print_texts *texts;
	const struct tp_names *names; /* NULL: there are none */
};

struct print_format;
struct arena;

/*
 * Read the format of EV, LEN bytes ("print fmt: …"), into A, which it lives in; TEXT need not stay.
 * NULL when it has something that is not known here.
 */
const struct print_format *print_format_new(struct arena *a, const struct tp_event *ev,
					    unsigned long_size, const char *text, size_t len);
/* Whether it prints functions by their addresses. */
bool print_format_has_names(const struct print_format *f);
/* Append the text that F makes of IN.  False, and nothing is appended, when IN lacks what it asks for. */
bool print_sample(const struct print_format *f, const struct print_input *in, struct strbuf *out);

#endif
