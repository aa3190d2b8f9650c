/* SPDX-License-Identifier: MIT */
/* The name of a frame in the room that its box has. */
#ifndef PERFREP_VIEW_FLAME_LABEL_H
#define PERFREP_VIEW_FLAME_LABEL_H

#include "base/strbuf.h"

/*
 * Append as much of NAME (LEN bytes of UTF-8) as ROOM columns hold, at least 3.  First template
 * arguments and parameters go, then qualifiers from the left, then the end; "…" stands for the
 * last two.
 */
void flame_label(struct strbuf *sb, const char *name, size_t len, unsigned room);

#endif
