/* SPDX-License-Identifier: MIT */
/*
 * Text from a recording (comms, symbols, paths, host names) is somebody else's.  Before it goes
 * anywhere it is escaped for that place: it cannot move the cursor, end a field, close a quote or
 * reverse the reading direction.
 */
#ifndef PERFREP_VIEW_ESCAPE_H
#define PERFREP_VIEW_ESCAPE_H

#include <stdbool.h>

#include "base/strbuf.h"

/*
 * For eyes: control characters (C0, DEL, C1) and bytes that are no UTF-8 become \xNN,
 * characters that change the direction of text and line separators become \u{NNNN}.
 */
void escape_terminal(struct strbuf *sb, const char *s);
/* Valid UTF-8: each maximal bad part becomes U+FFFD. Nothing else is changed. */
void escape_utf8(struct strbuf *sb, const char *s, size_t len);
/* The inside of a JSON string: valid UTF-8, quotes, backslashes and control characters escaped. */
void escape_json(struct strbuf *sb, const char *s, size_t len);
/* A CSV field: as for eyes (so a row is one line, always); in quotes when it holds SEP or a quote.*/
void escape_csv(struct strbuf *sb, const char *s, char sep);
/* A TSV field: as for eyes, which leaves no tab in it. */
void escape_tsv(struct strbuf *sb, const char *s);
/* A field of perf's --field-separator: as for eyes, and SEP becomes a dot. */
void escape_separated(struct strbuf *sb, const char *s, char sep);
/* A code span of Markdown inside a table cell. */
void escape_markdown(struct strbuf *sb, const char *s);

/*
 * The text of an XML element or an attribute's value in double quotes: as for eyes, and with
 * entities for what is markup.  Code points that XML 1.0 does not have become \u{NNNN}.
 */
void escape_xml(struct strbuf *sb, const char *s);

/* Markdown text: as for eyes, and what Markdown or HTML would take for itself behind a backslash. */
void escape_markdown_text(struct strbuf *sb, const char *s);

#endif
