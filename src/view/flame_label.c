/* SPDX-License-Identifier: MIT */
/*
 * flamegraph.js lays out labels by the same rules once the view changes; what is written here is
 * what a reader without script sees.
 */
#include "view/flame_label.h"

#include <stdbool.h>
#include <string.h>

#include "view/utf8.h"

static const char anonymous[] = "(anonymous namespace)";

static bool is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Where an operator's name begins, whose brackets belong to it; else the end. */
static const char *operator_at(const char *s)
{
	for (const char *p = s; (p = strstr(p, "operator")); p++)
		if ((p == s || !is_word(p[-1])) && !is_word(p[8]))
			return p;
	return s + strlen(s);
}

/* Without template arguments and parameters; as it is when its brackets don't match. */
static void add_bare(struct strbuf *out, const char *s)
{
	const char *end = operator_at(s), *p;
	int depth = 0;

	for (p = s; p < end && depth >= 0; p++) {
		if (!depth && !strncmp(p, anonymous, sizeof(anonymous) - 1)) {
			strbuf_adds(out, anonymous);
			p += sizeof(anonymous) - 2;
		} else if (*p == '<' || *p == '(') {
			depth++;
		} else if ((*p == '>' && (p == s || p[-1] != '-')) || *p == ')') {
			depth--;
		} else if (!depth) {
			strbuf_addc(out, *p);
		}
	}
	strbuf_adds(out, end);
	if (!depth && out->n > 2 && !strncmp(out->s, "::", 2)) {
		memmove(out->s, out->s + 2, out->n - 2 + 1);
		out->n -= 2;
	} else if (depth || !out->n || !strcmp(out->s, "::")) {
		strbuf_clear(out);
		strbuf_adds(out, s);
	}
}

/* Behind the first "::" from which on the rest fits, else behind the last; S without any. */
static const char *end_of_name(const char *s, unsigned room)
{
	const char *end = s;

	for (const char *p = s; (p = strstr(p, "::"));) {
		end = p += 2;
		if (utf8_columns(p, strlen(p)) < room)
			break;
	}
	return end;
}

void flame_label(struct strbuf *sb, const char *name, size_t len, unsigned room)
{
	struct strbuf whole = STRBUF_INIT, bare = STRBUF_INIT;
	const char *end;

	if (utf8_columns(name, len) <= room) {
		strbuf_add(sb, name, len);
		return;
	}
	strbuf_add(&whole, name, len);
	add_bare(&bare, whole.s);
	end = end_of_name(bare.s, room);
	if (utf8_columns(bare.s, bare.n) <= room) {
		strbuf_add(sb, bare.s, bare.n);
	} else if (end > bare.s && utf8_columns(end, strlen(end)) < room) {
		strbuf_adds(sb, "…");
		strbuf_adds(sb, end);
	} else {
		strbuf_add(sb, end, utf8_prefix(end, strlen(end), room - 1));
		strbuf_adds(sb, "…");
	}
	strbuf_release(&whole);
	strbuf_release(&bare);
}
