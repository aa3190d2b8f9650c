/* SPDX-License-Identifier: MIT */
/* Which locations are the same to a reader. */
#ifndef PERFREP_COLLECT_CANON_H
#define PERFREP_COLLECT_CANON_H

#include <perfrep/profile.h>

/*
 * For each location of the symbolised profile P the first one that has the same functions (and,
 * with BY_LINE, the same files and lines), inlined alike and unknown for the same reason.  An
 * array by location id, to be freed.
 */
uint32_t *canon_new(const struct profile *p, bool by_line);

#endif
