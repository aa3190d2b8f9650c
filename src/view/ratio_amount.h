/* SPDX-License-Identifier: MIT */
/* What a row has of the events that have a role: for the files that make ratios of it. */
#ifndef PERFREP_VIEW_RATIO_AMOUNT_H
#define PERFREP_VIEW_RATIO_AMOUNT_H

#include "view/ratios.h"

struct ratio_work {
	const struct ratio_events *e;
	const struct row_slices *s;
	size_t row;
};

struct amount { /* over all kinds of core */
	double value, var;
	uint64_t samples;
	double mean; /* weight of a sample of the event */
};

bool ratio_has_role(const struct ratio_events *e, enum counter_role role);
/* Both roles are of one event each, and these were read together. */
bool ratio_read_together(const struct ratio_events *e, enum counter_role y, enum counter_role x);
struct amount amount_of(const struct ratio_work *w, enum counter_role role);

/* Shares of issue slots. */
void topdown_shape(struct ratio_shape *shape, const struct ratio_events *e);
void topdown_cells(struct ratio_row *r, const struct ratio_shape *shape,
		   const struct ratio_work *w);

#endif
