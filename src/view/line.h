/* SPDX-License-Identifier: MIT */
/* A labelled line in text or Markdown. */
#ifndef PERFREP_VIEW_LINE_H
#define PERFREP_VIEW_LINE_H

#include "view/wrap.h"

/* LABEL may be "": a further line of the one above.  Nothing for an empty TEXT, which is raw. */
void line_print(struct strbuf *sb, const struct view_style *style, const char *label,
		const char *text);
/* Append TEXT (nothing when NULL or empty) to a line of parts with " · " between them. */
void line_part(struct strbuf *line, const char *text);

#endif
