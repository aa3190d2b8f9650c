/* SPDX-License-Identifier: MIT */
/* What a comparison says about the boxes of a flame graph, and about what has gone. */
#ifndef PERFREP_VIEW_FLAME_COMPARE_H
#define PERFREP_VIEW_FLAME_COMPARE_H

#include "view/flame_layout.h"

struct flame_change {
	double before, delta, half; /* shares of 1; half: ± of delta (95 %) */
};

/* By node; owned: flame_verdicts_release(). */
struct flame_verdicts {
	/*
	 * The share changed: by a test of every node that has enough samples on a side to be tested
	 * (DIFF_MIN_HITS of perfrep diff), corrected for their number.
	 */
	bool *changed;
	/*
	 * The weight of changed paths that are in side 0 alone: of a path that has gone with all
	 * below it, and for the callers above what has gone below them.
	 */
	uint64_t *gone;
	uint64_t few; /* weight of paths in side 0 alone that are too few samples to be sure */
};

void flame_verdicts_init(struct flame_verdicts *v, const struct flame_tree *t);
void flame_verdicts_release(struct flame_verdicts *v);
struct flame_change flame_change(const struct flame_tree *t, uint32_t node);
/* Whether a node is in side 0 alone. */
bool flame_is_gone(const struct flame_tree *t, uint32_t node);

#endif
