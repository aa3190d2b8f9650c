/* SPDX-License-Identifier: MIT */
/*
 * What an address of a process means stays the same as long as its map is in force.  A scope is
 * such a span of time in a process; caches of addresses keep its number, which is small, and equal
 * for neighbours.
 */
#ifndef PERFREP_MACHINE_SCOPES_H
#define PERFREP_MACHINE_SCOPES_H

#include "base/vec.h"

#include <perfrep/timeline.h>

struct scope {
	uint32_t where; /* the process, and what else the cache tells apart; 0: nowhere */
	struct validity valid;
};

struct scopes {
	VEC(struct scope) v; /* [0]: nowhere, never */
};

void scopes_init(struct scopes *s);
/* The number of WHERE during VALID. */
uint32_t scopes_id(struct scopes *s, uint32_t where, struct validity valid);
/* Whether there are so many that the cache should start afresh, with scopes_init(). */
bool scopes_are_many(const struct scopes *s);
void scopes_release(struct scopes *s);

static inline bool scopes_has(const struct scopes *s, uint32_t id, uint32_t where, uint64_t when)
{
	return s->v.v[id].where == where && validity_has(s->v.v[id].valid, when);
}

#endif
