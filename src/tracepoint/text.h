/* SPDX-License-Identifier: MIT */
/* Steps over the text of a format; each leaves the place behind what it found, or says no. */
#ifndef PERFREP_TRACEPOINT_TEXT_H
#define PERFREP_TRACEPOINT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct text {
	const char *p, *end;
};

static inline char text_peek(const struct text *t)
{
	return t->p < t->end ? *t->p : '\0';
}

static inline bool text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool text_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || text_is_digit(c) || c == '_';
}

static inline bool text_skip(struct text *t, const char *s)
{
	size_t n = strlen(s);

	if ((size_t)(t->end - t->p) < n || memcmp(t->p, s, n))
		return false;
	t->p += n;
	return true;
}

/* Letters, digits and underscores: how many. */
static inline size_t text_skip_word(struct text *t)
{
	const char *from = t->p;

	while (text_is_word(text_peek(t)))
		t->p++;
	return (size_t)(t->p - from);
}

static inline void text_skip_blanks(struct text *t)
{
	while (text_peek(t) == ' ' || text_peek(t) == '\t')
		t->p++;
}

#endif
