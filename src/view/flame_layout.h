/* SPDX-License-Identifier: MIT */
/*
 * Where the frames of a flame graph lie, as flamegraph.pl's rules have it.
 *
 * Siblings are in the order in which their lines of folded text sort, bytewise: a name counts with
 * the ';' behind it, or with a blank when nothing is below.  A frame is drawn once.  What ends in
 * a frame itself is at its left, its callees follow.  Frames narrower than a limit are left out,
 * with all that is in them.
 */
#ifndef PERFREP_VIEW_FLAME_LAYOUT_H
#define PERFREP_VIEW_FLAME_LAYOUT_H

#include "view/flame_tree.h"

struct flame_box {
	uint32_t node;
	uint32_t depth;
	uint64_t x, width; /* in units of weight */
};

struct flame_layout {
	VEC(struct flame_box) boxes; /* depth first; the first is "all" */
	uint32_t depth; /* of the deepest box */
	size_t left_out; /* frames with weight that have no box */
};

/* WEIGHT is by node.  Boxes narrower than MIN are left out, but never "all". */
void flame_layout_init(struct flame_layout *l, const struct flame_tree *t, const uint64_t *weight,
		       double min);
void flame_layout_release(struct flame_layout *l);

#endif
