/* SPDX-License-Identifier: MIT */
/*
 * What a tree's nodes have besides their weight: how sure it is, and the ratios of events of the
 * stacks that go through them.  Only nodes that are shown have it.
 */
#ifndef PERFREP_VIEW_TREE_DETAIL_H
#define PERFREP_VIEW_TREE_DETAIL_H

#include <perfrep/view.h>

#include "view/ratios.h"

struct tree_detail {
	uint32_t *row; /* by node; PROFILE_NONE: it has none */
	size_t nr_rows;
	double *n; /* by row: effective samples that the node's total is as good as */
	/* … and its share of its parent, or of the function that the tree is around; NULL: neither */
	double *of_n;
	struct ratio_shape shape;
	struct ratio_row *ratios; /* by row; NULL: there are none */
};

/* EVENTS: whose ratios; NULL: none.  The tree frees what is found. */
void tree_find_detail(struct tree *t, const struct ratio_events *events);
void tree_detail_free(struct tree_detail *d);

/* The same for both sides of a function, and for itself. */
struct callers_detail {
	double self_n, total_n;
	struct ratio_shape shape;
	struct ratio_row self, total; /* without ratios: empty */
};

void callers_find_detail(struct callers *c, const struct ratio_events *events);

/* NULL when the node has none. */
const double *tree_effective(const struct tree *t, uint32_t node);
const double *tree_effective_of(const struct tree *t, uint32_t node);
const struct ratio_row *tree_ratios(const struct tree *t, uint32_t node);

#endif
