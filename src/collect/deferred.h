/* SPDX-License-Identifier: MIT */
/*
 * User callchains that the kernel took later (PERF_RECORD_CALLCHAIN_DEFERRED): a sample ends in
 * a cookie, and a later record of the same thread with that cookie has the user frames.
 */
#ifndef PERFREP_COLLECT_DEFERRED_H
#define PERFREP_COLLECT_DEFERRED_H

#include "base/hashidx.h"
#include "base/vec.h"

#include <perfrep/stack.h>

struct deferred_entry {
	int32_t tid;
	uint64_t cookie;
	uint64_t pos; /* of the record that has the chain */
	struct deferred_chain chain;
};

struct deferred {
	bool announced; /* some event defers its user callchains */
	VEC(struct deferred_entry) entries;
	struct hashidx index;
};

void deferred_add(struct deferred *d, int32_t tid, uint64_t pos, const struct record_deferred *r,
		  bool be);
/* The first chain of TID with COOKIE that comes after POS, or NULL. */
const struct deferred_chain *deferred_find(const struct deferred *d, int32_t tid, uint64_t cookie,
					   uint64_t pos);
void deferred_release(struct deferred *d);

#endif
