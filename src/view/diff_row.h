/* SPDX-License-Identifier: MIT */
/* The rows of a comparison in a grid and in JSON. */
#ifndef PERFREP_VIEW_DIFF_ROW_H
#define PERFREP_VIEW_DIFF_ROW_H

#include "view/diff.h"
#include "view/grid.h"

void diff_row_columns(struct grid *g, const struct diff *d, const struct view_style *style);
void diff_row_add(struct grid *g, const struct diff *d, const struct diff_row *row,
		  const struct view_style *style);
struct json_object *diff_row_json(const struct diff *d, const struct diff_row *row);

#endif
