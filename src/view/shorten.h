/* SPDX-License-Identifier: MIT */
/* Making names fit. */
#ifndef PERFREP_VIEW_SHORTEN_H
#define PERFREP_VIEW_SHORTEN_H

#include "base/strbuf.h"

/*
 * Shorten S, in place of its middle an ellipsis, so that it takes at most COLUMNS columns: the
 * beginning and the end of a name say more than what is between.  S is valid UTF-8.
 */
void shorten_middle(struct strbuf *sb, const char *s, unsigned columns);

/*
 * The same for a function: arguments of templates and of functions become <…> and (…) first, the
 * longest ones first, then the middle goes.  A "(inlined)" behind the name stays.
 */
void shorten_symbol(struct strbuf *sb, const char *s, unsigned columns);

/*
 * A function in a sentence that is wrapped at WIDTH columns (0: not): it takes one line at the
 * most.  NAME may be anybody's text.
 */
void shorten_in_sentence(struct strbuf *sb, const char *name, unsigned width);

#endif
