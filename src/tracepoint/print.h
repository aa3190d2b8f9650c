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

/* What an event's raw data is read with. */
struct print_input {
	const struct tp_event *ev;
	const uint8_t *raw;
	size_t size;
	unsigned long_size; /* 4 or 8, of the recorded machine */
	const struct print_texts *texts;
};

/*
 * Append the text that FORMAT, LEN bytes ("print fmt: …"), makes of IN.  False, and nothing is
 * appended, when it has something that is not known here, or asks for what IN does not have.
 */
bool print_sample(const struct print_input *in, const char *format, size_t len, struct strbuf *out);

#endif
