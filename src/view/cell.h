/* SPDX-License-Identifier: MIT */
/* The next cell of a grid, from what tables hold: for eyes with units and "–" for none, else bare. */
#ifndef PERFREP_VIEW_CELL_H
#define PERFREP_VIEW_CELL_H

#include "view/grid.h"

/* SB's text; SB is empty afterwards, and may be used again or dropped. */
void cell_take(struct grid *g, struct strbuf *sb, enum colour colour);
/* A span of time in ns. */
void cell_time(struct grid *g, uint64_t ns, bool eyes);
/* COLOUR only when N is not 0. */
void cell_count(struct grid *g, uint64_t n, bool eyes, enum colour colour);
/* A pid, a CPU: empty when it is negative, which means not known. */
void cell_id(struct grid *g, int64_t v);

#endif
