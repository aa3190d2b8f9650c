/* SPDX-License-Identifier: MIT */
/* Which processes ran a program of 32 bits on a machine of 64. */
#ifndef PERFREP_COLLECT_ABI32_H
#define PERFREP_COLLECT_ABI32_H

#include "base/vec.h"

#include <perfrep/timeline.h>

struct abi32 {
	const struct timeline *timeline;
	VEC(uint64_t) pages; /* where the kernel's own page is in such processes */
};

/* TL is finished, and borrowed. */
void abi32_init(struct abi32 *a, const struct timeline *tl);
void abi32_release(struct abi32 *a);
/* Whether PID did at WHEN; a recording without maps doesn't tell. */
bool abi32_at(const struct abi32 *a, int32_t pid, uint64_t when);

#endif
