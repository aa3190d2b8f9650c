/* SPDX-License-Identifier: MIT */
#include "view/line.h"

#include "view/escape.h"

void line_print(struct strbuf *sb, const struct view_style *style, const char *label,
		const char *text)
{
	if (style->format != VIEW_MARKDOWN) {
		wrap_line(sb, style, label, text);
		return;
	}
	if (!*text)
		return;
	if (*label)
		strbuf_addf(sb, "- **%s** ", label);
	else
		strbuf_adds(sb, "  ");
	escape_markdown_text(sb, text);
	strbuf_addc(sb, '\n');
}

void line_part(struct strbuf *line, const char *text)
{
	if (!text || !*text)
		return;
	if (line->n)
		strbuf_adds(line, " · ");
	strbuf_adds(line, text);
}
