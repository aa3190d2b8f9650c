/* SPDX-License-Identifier: MIT */
/* What repair.c and repair_ask.c share. */
#ifndef PERFREP_STACK_REPAIR_PRIV_H
#define PERFREP_STACK_REPAIR_PRIV_H

#include "stack/repair.h"

/* What was seen of a word, where others were seen as well. */
struct repair_seen {
	uint64_t first, last;
	const struct repair_word *word;
};

struct repair_group {
	uint32_t word; /* one of them */
	bool mixed; /* there are others: `n` of `seen` from `first` on, by time */
	uint32_t first, n;
};

struct repair_top {
	int32_t tid;
	uint64_t slot; /* the highest */
};

#endif
