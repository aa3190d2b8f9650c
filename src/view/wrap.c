/* SPDX-License-Identifier: MIT */
#include "view/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "view/colour.h"
#include "view/escape.h"
#include "view/utf8.h"

/* Columns of a word in which colour sequences (ESC … m) may be. */
static unsigned word_columns(const char *s, size_t len)
{
	unsigned columns = 0;

	while (len) {
		const char *esc = memchr(s, '\033', len);
		size_t plain = esc ? (size_t)(esc - s) : len;
		const char *end;

		columns += utf8_columns(s, plain);
		if (!esc)
			break;
		end = memchr(esc, 'm', len - plain);
		if (!end)
			break;
		len -= (size_t)(end + 1 - s);
		s = end + 1;
	}
	return columns;
}

static void blanks(struct strbuf *sb, unsigned n)
{
	while (n--)
		strbuf_addc(sb, ' ');
}

/* "43.9 %", "29.5 % ±6.0", "1.00 s": a number is not parted from its unit, nor from its error. */
static bool glued(const char *word, size_t len, const char *next)
{
	static const char *const units[] = {
		"%", "ns", "µs", "ms", "s", "min", "h", "k", "M", "G"
	};
	size_t n = strcspn(next, " ,.;:()");

	if (!strncmp(next, "±", strlen("±")))
		return true;
	if (!len || word[len - 1] < '0' || word[len - 1] > '9')
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strlen(units[i]) == n && !strncmp(units[i], next, n))
			return true;
	return false;
}

/* What must stand on one line. */
static size_t word_length(const char *text)
{
	size_t from = 0, len = strcspn(text, " ");

	while (text[len] && text[len + 1] && glued(text + from, len - from, text + len + 1)) {
		from = len + 1;
		len = from + strcspn(text + from, " ");
	}
	return len;
}

void wrap_text(struct strbuf *sb, unsigned width, unsigned at, unsigned indent, const char *text)
{
	bool first = true;

	while (*text) {
		size_t len = word_length(text);
		unsigned w = word_columns(text, len);
		size_t gap = strspn(text + len, " ");

		if (!first && width && at + w > width) {
			while (sb->n && sb->s[sb->n - 1] == ' ')
				sb->s[--sb->n] = '\0';
			strbuf_addc(sb, '\n');
			blanks(sb, indent);
			at = indent;
		}
		strbuf_add(sb, text, len + gap);
		at += w + (unsigned)gap;
		text += len + gap;
		first = false;
	}
	strbuf_addc(sb, '\n');
}

void wrap_line(struct strbuf *sb, const struct view_style *style, const char *label,
	       const char *text)
{
	struct strbuf safe = STRBUF_INIT;
	unsigned w = utf8_columns(label, strlen(label));

	if (!*text)
		return;
	colour_on(sb, style->colour, COLOUR_LABEL);
	escape_terminal(sb, label);
	colour_off(sb, style->colour, COLOUR_LABEL);
	blanks(sb, w < WRAP_LABEL ? WRAP_LABEL - w : 1);
	escape_terminal(&safe, text);
	wrap_text(sb, style->width, WRAP_LABEL, WRAP_LABEL, strbuf_str(&safe));
	strbuf_release(&safe);
}
