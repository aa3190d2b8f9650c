/* SPDX-License-Identifier: MIT */
#include "view/shorten.h"

#include <stdbool.h>
#include <string.h>

#include "view/escape.h"
#include "view/utf8.h"
#include "view/wrap.h"

#define ELLIPSIS     "…"
#define BRACKETS_MAX 32 /* no real name has more; a made-up one may have thousands */

/* The bytes at the end of S that take at most COLUMNS columns: where they start. */
static size_t suffix_start(const char *s, size_t len, unsigned columns)
{
	unsigned all = utf8_columns(s, len);
	size_t at = 0, size;

	while (at < len && all > columns) {
		int32_t cp = utf8_decode(s + at, len - at, &size);

		all -= cp < 0 ? 1 : utf8_width(cp);
		at += size;
	}
	return at;
}

static void cut(struct strbuf *sb, const char *s, unsigned columns, unsigned tail_columns)
{
	size_t len = strlen(s), tail;

	if (utf8_columns(s, len) <= columns) {
		strbuf_adds(sb, s);
		return;
	}
	if (!columns)
		return;
	tail = suffix_start(s, len, tail_columns);
	strbuf_add(sb, s, utf8_prefix(s, len, columns - 1 - tail_columns));
	strbuf_adds(sb, ELLIPSIS);
	strbuf_add(sb, s + tail, len - tail);
}

void shorten_middle(struct strbuf *sb, const char *s, unsigned columns)
{
	cut(sb, s, columns, columns ? (columns - 1) / 2 : 0);
}

/* A pair of brackets: what is between open and close. */
struct bracket {
	size_t open, close;
};

static bool ends_in_operator(const char *s, size_t at)
{
	while (at && strchr("<>=-", s[at - 1]))
		at--;
	return at >= 8 && !memcmp(s + at - 8, "operator", 8);
}

/* Whether the < or > at AT is no bracket: of an operator's name, or of an arrow. */
static bool no_bracket(const char *s, size_t at)
{
	if (s[at] == '>' && at && (s[at - 1] == '-' || s[at - 1] == '='))
		return true;
	return (s[at] == '<' || s[at] == '>') && ends_in_operator(s, at);
}

/*
 * The bracket that closes the one at OPEN, or 0.  Only the outermost ones are of interest, so
 * all kinds count the same.
 */
static size_t find_close(const char *s, size_t open)
{
	unsigned depth = 0;

	for (size_t i = open; s[i]; i++) {
		if (no_bracket(s, i))
			continue;
		if (s[i] == '<' || s[i] == '(')
			depth++;
		else if ((s[i] == '>' || s[i] == ')') && --depth == 0)
			return i;
	}
	return 0;
}

/*
 * The longest outermost pair of brackets that is worth shortening.  Not one at the very
 * beginning (Rust's <Type as Trait>, C++'s anonymous namespaces say what it is about) and not
 * what is short already.
 */
static bool find_longest(const char *s, size_t len, struct bracket *best)
{
	bool found = false;

	for (size_t i = 0; i < len; i++) {
		size_t close;

		if ((s[i] != '<' && s[i] != '(') || no_bracket(s, i))
			continue;
		close = find_close(s, i);
		if (!close || close >= len)
			return found;
		if (i && close - i > 1 + strlen(ELLIPSIS) &&
		    (!found || close - i > best->close - best->open)) {
			*best = (struct bracket){ i, close };
			found = true;
		}
		i = close;
	}
	return found;
}

void shorten_symbol(struct strbuf *sb, const char *s, unsigned columns)
{
	static const char inlined[] = " (inlined)";
	size_t len = strlen(s), mark = sizeof(inlined) - 1;
	bool marked = len > mark && !strcmp(s + len - mark, inlined);
	unsigned room = marked && columns > 2 * mark ? columns - (unsigned)mark : columns;
	struct strbuf name = STRBUF_INIT;
	struct bracket b = { 0, 0 };

	strbuf_add(&name, s, room < columns ? len - mark : len);
	for (int i = 0; i < BRACKETS_MAX && utf8_columns(strbuf_str(&name), name.n) > room &&
			find_longest(strbuf_str(&name), name.n, &b);
	     i++) {
		struct strbuf less = STRBUF_INIT;

		strbuf_add(&less, name.s, b.open + 1);
		strbuf_adds(&less, ELLIPSIS);
		strbuf_adds(&less, name.s + b.close);
		strbuf_release(&name);
		name = less;
	}
	cut(sb, strbuf_str(&name), room, room ? (room - 1) * 3 / 5 : 0);
	if (room < columns)
		strbuf_adds(sb, inlined);
	strbuf_release(&name);
}

void shorten_in_sentence(struct strbuf *sb, const char *name, unsigned width)
{
	enum { AROUND = 12, LEAST = 40 }; /* what stands before and behind it */
	struct strbuf safe = STRBUF_INIT;
	unsigned columns = width > WRAP_LABEL + AROUND + LEAST ? width - WRAP_LABEL - AROUND
							       : LEAST;

	if (!width) {
		strbuf_adds(sb, name);
		return;
	}
	escape_terminal(&safe, name);
	shorten_symbol(sb, strbuf_str(&safe), columns);
	strbuf_release(&safe);
}
