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
 * A format of any other form loses its fields.  The library's parser of expressions in print formats
 * cannot be made safe from outside (a name that is no field is enough to crash it), so the arguments
 * may be fields, their strings and their names for numbers; of others there is no text, but fields.
 */
#include "tracepoint/plain.h"

#include <string.h>

enum { MAX_DECLARATION = 256, MAX_LINES = 2048, MAX_NAMES = 1024, MAX_ARGUMENTS = 64 };

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- lines ---- */

struct text {
	const char *p, *end;
};

static bool skip(struct text *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n))
		return false;
	t->p += n;
	return true;
}

static size_t skip_words(struct text *t)
{
	const char *from = t->p;

	while (t->p < t->end && is_word(*t->p))
		t->p++;
	return (size_t)(t->p - from);
}

static bool skip_number(struct text *t)
{
	const char *from = t->p;

	while (t->p < t->end && is_digit(*t->p) && t->p - from < 9)
		t->p++;
	return t->p > from;
}

static void skip_blanks(struct text *t)
{
	while (t->p < t->end && (*t->p == ' ' || *t->p == '\t'))
		t->p++;
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
		if (skip_words(t)) {
			words++;
		} else if (*t->p == '[') {
			t->p++;
			skip_words(t);
			if (!skip(t, "]") || !words)
				return false;
		} else if (*t->p == ' ' || *t->p == '*') {
			t->p++;
		} else {
			return false;
		}
	}
	return words >= 2 && t->p - from < MAX_DECLARATION &&
	       is_word(t->p[-1] == ']' ? 'x' : t->p[-1]);
}

static bool skip_value(struct text *t, const char *key)
{
	skip_blanks(t);
	return skip(t, key) && skip_number(t) && skip(t, ";");
}

static bool skip_field(struct text *t)
{
	skip_blanks(t);
	if (!skip(t, "field:") || is_digit(t->p < t->end ? *t->p : '0') || !skip_declaration(t) ||
	    !skip(t, ";"))
		return false;
	if (!skip_value(t, "offset:") || !skip_value(t, "size:"))
		return false;
	skip_blanks(t);
	if (t->p < t->end && *t->p == 's' && !skip_value(t, "signed:"))
		return false;
	return skip(t, "\n");
}

bool plain_head(const char *text, size_t len)
{
	struct text t = { text, text + len };
	unsigned lines = 0;

	if (!skip(&t, "name: ") || !skip_words(&t) || !skip(&t, "\nID: ") || !skip_number(&t) ||
	    !skip(&t, "\nformat:\n"))
		return false;
	while (t.p < t.end) {
		if (lines++ > MAX_LINES)
			return false;
		if (!skip(&t, "\n") && !skip_field(&t))
			return false;
	}
	return true;
}

/* ---- the print format ---- */

/* A string, closed on its line, of printable characters. */
static bool skip_string(struct text *t)
{
	if (!skip(t, "\""))
		return false;
	while (t->p < t->end && *t->p != '"') {
		if ((unsigned char)*t->p < ' ')
			return false;
		if (*t->p == '\\' && ++t->p >= t->end)
			return false;
		t->p++;
	}
	return skip(t, "\"");
}

/* A word that is the name of a field that HEAD declares. */
static bool skip_field_name(struct text *t, const struct text *head)
{
	const char *name = t->p;
	size_t n = skip_words(t);

	for (const char *at = head->p; n && at + n < head->end; at++) {
		at = memmem(at, (size_t)(head->end - at), name, n);
		if (!at || at == head->p || at + n >= head->end)
			return false;
		if (at[-1] == ' ' && (at[n] == ';' || at[n] == '['))
			return true;
	}
	return false;
}

static bool skip_sign_number(struct text *t)
{
	skip(t, "-");
	return t->p < t->end && is_digit(*t->p) && skip_words(t) < 20;
}

/* ", { 1, "one" }, { 2, "two" }" */
static bool skip_names(struct text *t)
{
	unsigned n = 0;

	while (skip(t, ", { "))
		if (n++ > MAX_NAMES || !skip_sign_number(t) || !skip(t, ", ") || !skip_string(t) ||
		    !skip(t, " }"))
			return false;
	return n > 0;
}

static bool skip_argument(struct text *t, const struct text *head)
{
	if (skip(t, "REC->"))
		return skip_field_name(t, head);
	if (skip(t, "__get_str("))
		return skip_field_name(t, head) && skip(t, ")");
	if (skip(t, "__print_symbolic(REC->"))
		return skip_field_name(t, head) && skip_names(t) && skip(t, ")");
	if (skip(t, "__print_flags(REC->"))
		return skip_field_name(t, head) && skip(t, ", ") && skip_string(t) &&
		       skip_names(t) && skip(t, ")");
	return false;
}

bool plain_print(const char *text, size_t head_len, size_t len)
{
	struct text head = { text, text + head_len };
	struct text t = { text + head_len, text + len };
	unsigned n = 0;

	if (!skip(&t, "print fmt: ") || !skip_string(&t))
		return false;
	while (skip(&t, ", "))
		if (n++ > MAX_ARGUMENTS || !skip_argument(&t, &head))
			return false;
	skip(&t, "\n");
	return t.p == t.end;
}
