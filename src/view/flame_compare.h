/* SPDX-License-Identifier: MIT */
/* What a comparison says about the boxes of a flame graph, and about what has gone. */
#ifndef PERFREP_VIEW_FLAME_COMPARE_H
#define PERFREP_VIEW_FLAME_COMPARE_H

#include "view/flame_layout.h"

struct flame_change {
	double before, delta, half; /* shares of 1; half: ± of delta (95 %) */
	bool significant; /* after correction for the number of boxes */
};

/* By box of L, which is of side 1; to be freed. */
struct flame_change *flame_changes(const struct flame_tree *t, const struct flame_layout *l);

/*
 * The weight by node of paths that are in side 0 alone: a path that has gone with all below it,
 * and for the callers above what has gone below them.  To be freed.
 */
uint64_t *flame_gone(const struct flame_tree *t);
/* Whether a node is in side 0 alone. */
bool flame_is_gone(const struct flame_tree *t, uint32_t node);

#endif
