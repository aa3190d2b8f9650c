/* SPDX-License-Identifier: MIT */
/* What the files of src/profile share: the capacities and indices behind struct profile. */
#ifndef PERFREP_PROFILE_PRIV_H
#define PERFREP_PROFILE_PRIV_H

#include <perfrep/profile.h>

#include "base/hashidx.h"
#include "base/intern.h"
#include "base/xmalloc.h"
#include "profile/stackset.h"

struct profile_priv {
	struct intern strings;
	struct hashidx loc_index, key_index, func_index, child_index;
	VEC(struct stack_set) sets; /* one for each worker; none: the trie has every stack */
	bool has_trie; /* there are sets, and the trie has their stacks too: without an index */
	size_t locs_cap, keys_cap, nodes_cap, events_cap, lines_cap, funcs_cap;
};

/* Room for EXTRA more elements of the array *V, of which N are used and *CAP are there. */
#define profile_reserve(v, n, cap, extra) (*(v) = profile_grow(*(v), n, cap, extra, sizeof(**(v))))

static inline void *profile_grow(void *v, size_t n, size_t *cap, size_t extra, size_t size)
{
	size_t want = n + extra;

	if (want <= *cap)
		return v;
	*cap = *cap * 2 > want ? *cap * 2 : want + 14;
	return xreallocarray(v, *cap, size);
}

/* Make E's columns long enough for every node that there is room for. */
void profile_grow_columns(struct profile *p, struct profile_event *e);

static inline uint64_t add_saturating(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

#endif
