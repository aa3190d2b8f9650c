/* SPDX-License-Identifier: MIT */
#include "view/wrap.h"

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

void wrap_text(struct strbuf *sb, unsigned width, unsigned at, unsigned indent, const char *text)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " ");
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
