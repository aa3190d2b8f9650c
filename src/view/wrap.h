/* SPDX-License-Identifier: MIT */
/* Lines with a label in front: "quality     stacks   96.2 % whole …". */
#ifndef PERFREP_VIEW_WRAP_H
#define PERFREP_VIEW_WRAP_H

#include <perfrep/view.h>

#include "base/strbuf.h"

#define WRAP_LABEL 12 /* columns of a label, gap included */

/*
 * LABEL, then TEXT (raw: it is escaped here) broken at blanks so that it fits the width; further
 * lines are indented to where the text began.  Nothing for an empty text.
 */
void wrap_line(struct strbuf *sb, const struct view_style *style, const char *label,
	       const char *text);
/*
 * TEXT, which begins AT columns from the left, broken at blanks; further lines are indented by
 * INDENT.  It is escaped and coloured by the caller: escape sequences take no columns.
 */
void wrap_text(struct strbuf *sb, unsigned width, unsigned at, unsigned indent, const char *text);

#endif
