/* SPDX-License-Identifier: MIT */
/*
 * A flame chart: the stacks of an event in the order of time, a lane for each thread, all on one
 * axis.
 *
 * A sample stands for the time until the next one of its thread, but where that comes late (after
 * more than twice the usual interval, the median of all threads) for one usual interval: the
 * thread did not run, or was not sampled.  A frame that is in neighbouring samples, below the same
 * frames and without a gap between them, is one box.
 */
#ifndef PERFREP_VIEW_FLAME_CHART_H
#define PERFREP_VIEW_FLAME_CHART_H

#include "view/flame_layout.h"
#include "view/flame_tree.h"

struct flame_chart {
	struct flame_tree *tree; /* new; its nodes are boxes, its costs are in ns */
	struct flame_layout layout;
	uint64_t first, span; /* ns: of the axis */
	uint64_t interval; /* the usual one */
	size_t lanes;
};

/* TREE must be new, and P a profile with moments.  LEAST is the share of the span that is drawn. */
void flame_chart_init(struct flame_chart *c, struct flame_tree *tree, const struct profile *p,
		      uint32_t event, double least);
void flame_chart_release(struct flame_chart *c);

#endif
