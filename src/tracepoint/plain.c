/* SPDX-License-Identifier: MIT */
/*
 * libtraceevent was written for the kernel's own texts, and some others crash it: a string that is
 * not closed, a bracket at a line's end, tokens where it expects none.  What it gets is therefore
 * checked here against the form in which the kernel writes (f_show() in kernel/trace/trace_events.c):
 *
 *	name: NAME
 *	ID: NUMBER
 *	format:
 *		field:DECLARATION;	offset:N;	size:N;	signed:N;
 *	print fmt: "STRING", ARGUMENTS
 *
 * A format of any other form loses its fields.  The last line the library never gets: see print.c.
 */
#include "tracepoint/plain.h"

#include "tracepoint/text.h"

enum { MAX_DECLARATION = 256, MAX_LINES = 2048 };

static bool skip_number(struct text *t)
{
	const char *from = t->p;

	while (text_is_digit(text_peek(t)) && t->p - from < 9)
		t->p++;
	return t->p > from;
}

/*
 * "type name", "char name[16]", "__data_loc char[] name": words, stars and brackets with a number
 * or a name in them, and a word as the name.
 */
static bool skip_declaration(struct text *t)
{
	const char *from = t->p;
	unsigned words = 0;

	while (t->p < t->end && *t->p != ';') {
		if (text_skip_word(t)) {
			words++;
		} else if (*t->p == '[') {
			t->p++;
			text_skip_word(t);
			if (!text_skip(t, "]") || !words)
				return false;
		} else if (*t->p == ' ' || *t->p == '*') {
			t->p++;
		} else {
			return false;
		}
	}
	return words >= 2 && t->p - from < MAX_DECLARATION &&
	       text_is_word(t->p[-1] == ']' ? 'x' : t->p[-1]);
}

static bool skip_value(struct text *t, const char *key)
{
	text_skip_blanks(t);
	return text_skip(t, key) && skip_number(t) && text_skip(t, ";");
}

static bool skip_field(struct text *t)
{
	text_skip_blanks(t);
	if (!text_skip(t, "field:") || t->p == t->end || text_is_digit(*t->p) ||
	    !skip_declaration(t) || !text_skip(t, ";"))
		return false;
	if (!skip_value(t, "offset:") || !skip_value(t, "size:"))
		return false;
	text_skip_blanks(t);
	if (text_peek(t) == 's' && !skip_value(t, "signed:"))
		return false;
	return text_skip(t, "\n");
}

bool plain_head(const char *text, size_t len)
{
	struct text t = { text, text + len };
	unsigned lines = 0;

	if (!text_skip(&t, "name: ") || !text_skip_word(&t) || !text_skip(&t, "\nID: ") ||
	    !skip_number(&t) || !text_skip(&t, "\nformat:\n"))
		return false;
	while (t.p < t.end) {
		if (lines++ > MAX_LINES)
			return false;
		if (!text_skip(&t, "\n") && !skip_field(&t))
			return false;
	}
	return true;
}
