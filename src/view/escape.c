/* SPDX-License-Identifier: MIT */
/*
 * One walk over code points serves every place: a function says what becomes of each.  What is
 * dangerous to a terminal (control characters, direction overrides) is dangerous to whoever
 * looks at a CSV file in one, so those formats start from the terminal's rules.
 */
#include "view/escape.h"

#include <string.h>

#include "view/utf8.h"

static bool is_control(int32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
}

/* Direction marks, embeddings, overrides and isolates; line and paragraph separator; BOM. */
static bool is_deceptive(int32_t cp)
{
	return cp == 0x200e || cp == 0x200f || cp == 0x061c || (cp >= 0x2028 && cp <= 0x202e) ||
	       (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff;
}

/* How many characters that need no thought S begins with: printable ASCII, but these two. */
static size_t plain_length(const char *s, size_t len, char stop, char other)
{
	size_t n = 0;

	while (n < len && s[n] >= 0x20 && s[n] < 0x7f && s[n] != stop && s[n] != other)
		n++;
	return n;
}

static void add_hex_bytes(struct strbuf *sb, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		strbuf_addf(sb, "\\x%02x", (uint8_t)s[i]);
}

void escape_terminal(struct strbuf *sb, const char *s)
{
	size_t len = strlen(s), plain = 0, size;

	for (size_t at = plain_length(s, len, 0, 0); at < len; at += size) {
		int32_t cp = utf8_decode(s + at, len - at, &size);

		if (cp >= 0 && !is_control(cp) && !is_deceptive(cp))
			continue;
		strbuf_add(sb, s + plain, at - plain);
		if (cp >= 0 && is_deceptive(cp))
			strbuf_addf(sb, "\\u{%x}", (unsigned)cp);
		else if (cp >= 0)
			strbuf_addf(sb, "\\x%02x", (unsigned)cp);
		else
			add_hex_bytes(sb, s + at, size);
		plain = at + size;
	}
	strbuf_add(sb, s + plain, len - plain);
}

void escape_utf8(struct strbuf *sb, const char *s, size_t len)
{
	size_t plain = 0, size;

	for (size_t at = 0; at < len; at += size) {
		if (utf8_decode(s + at, len - at, &size) >= 0)
			continue;
		strbuf_add(sb, s + plain, at - plain);
		strbuf_adds(sb, "\xef\xbf\xbd");
		plain = at + size;
	}
	strbuf_add(sb, s + plain, len - plain);
}

void escape_json(struct strbuf *sb, const char *s, size_t len)
{
	size_t plain = 0, size;

	for (size_t at = plain_length(s, len, '"', '\\'); at < len; at += size) {
		int32_t cp = utf8_decode(s + at, len - at, &size);

		if (cp >= 0x20 && cp != '"' && cp != '\\' && cp != 0x7f)
			continue;
		strbuf_add(sb, s + plain, at - plain);
		plain = at + size;
		if (cp < 0)
			strbuf_adds(sb, "\xef\xbf\xbd");
		else if (cp == '"' || cp == '\\')
			strbuf_addf(sb, "\\%c", (char)cp);
		else if (cp == '\n')
			strbuf_adds(sb, "\\n");
		else
			strbuf_addf(sb, "\\u%04x", (unsigned)cp);
	}
	strbuf_add(sb, s + plain, len - plain);
}

void escape_csv(struct strbuf *sb, const char *s, char sep)
{
	struct strbuf safe = STRBUF_INIT;
	const char *p;

	escape_terminal(&safe, s);
	p = strbuf_str(&safe);
	if (!strchr(p, sep) && !strchr(p, '"')) {
		strbuf_adds(sb, p);
	} else {
		strbuf_addc(sb, '"');
		for (; *p; p++) {
			if (*p == '"')
				strbuf_addc(sb, '"');
			strbuf_addc(sb, *p);
		}
		strbuf_addc(sb, '"');
	}
	strbuf_release(&safe);
}

void escape_tsv(struct strbuf *sb, const char *s)
{
	escape_terminal(sb, s);
}

void escape_separated(struct strbuf *sb, const char *s, char sep)
{
	size_t from = sb->n;

	escape_terminal(sb, s);
	for (size_t i = from; i < sb->n; i++)
		if (sb->s[i] == sep)
			sb->s[i] = '.';
}

/* The longest run of backticks in S: a code span is delimited by one more. */
static unsigned backticks(const char *s)
{
	unsigned longest = 0, run = 0;

	for (; *s; s++) {
		run = *s == '`' ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

void escape_markdown(struct strbuf *sb, const char *s)
{
	struct strbuf safe = STRBUF_INIT;
	unsigned ticks;
	const char *p;

	escape_terminal(&safe, s);
	p = strbuf_str(&safe);
	ticks = backticks(p);
	for (unsigned i = 0; i <= ticks; i++)
		strbuf_addc(sb, '`');
	if (ticks)
		strbuf_addc(sb, ' ');
	for (; *p; p++) {
		if (*p == '|') /* ends a cell even inside a code span */
			strbuf_addc(sb, '\\');
		strbuf_addc(sb, *p);
	}
	if (ticks)
		strbuf_addc(sb, ' ');
	for (unsigned i = 0; i <= ticks; i++)
		strbuf_addc(sb, '`');
	strbuf_release(&safe);
}

void escape_markdown_text(struct strbuf *sb, const char *s)
{
	struct strbuf safe = STRBUF_INIT;

	escape_terminal(&safe, s);
	for (const char *p = strbuf_str(&safe); *p; p++) {
		if (strchr("\\`*_[]<>#|~&$", *p))
			strbuf_addc(sb, '\\');
		strbuf_addc(sb, *p);
	}
	strbuf_release(&safe);
}

static const char *entity_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

/* U+FFFE and U+FFFF, which are no characters. */
static bool is_not_xml(const char *s)
{
	return !strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3);
}

void escape_xml(struct strbuf *sb, const char *s)
{
	struct strbuf plain = STRBUF_INIT;

	escape_terminal(&plain, s);
	for (const char *p = strbuf_str(&plain); *p; p++) {
		const char *entity = entity_of(*p);

		if (entity) {
			strbuf_adds(sb, entity);
		} else if (is_not_xml(p)) {
			strbuf_adds(sb, p[2] == '\xbe' ? "\\u{fffe}" : "\\u{ffff}");
			p += 2;
		} else {
			strbuf_addc(sb, *p);
		}
	}
	strbuf_release(&plain);
}
