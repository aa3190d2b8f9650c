/* SPDX-License-Identifier: MIT */
/* Which locations are the same to a reader. */
#ifndef PERFREP_PROFILE_CANON_H
#define PERFREP_PROFILE_CANON_H

#include <perfrep/profile.h>

/*
 * For each location of the symbolised profile P the first one that has the same functions,
 * inlined alike, and is unknown for the same reason.  An array by location id, to be freed.
 */
uint32_t *canon_new(const struct profile *p);

#endif
