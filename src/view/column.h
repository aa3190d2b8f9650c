/* SPDX-License-Identifier: MIT */
/*
 * The columns of a table, as data: a new one is a row of columns[] and a function.
 *
 * Eyes get "23.4 % ±0.7" in one column, machines get the share, its lower and its upper bound in
 * three.  Keys are columns too, in the order of --sort.
 */
#ifndef PERFREP_VIEW_COLUMN_H
#define PERFREP_VIEW_COLUMN_H

#include <perfrep/view.h>

#include "base/strbuf.h"
#include "view/colour.h"
#include "view/grid.h"

enum value_kind {
	VALUE_NONE, /* empty; null in JSON */
	VALUE_TEXT, /* what was put into the strbuf */
	VALUE_UINT,
	VALUE_REAL, /* printed with four decimals: percent */
};

struct value {
	enum value_kind kind;
	uint64_t u;
	double d;
};

enum column_forms {
	FOR_EYES = 1 << 0, /* text, markdown */
	FOR_MACHINES = 1 << 1, /* csv, tsv, json … */
	OF_TOTAL = 1 << 2, /* not with --no-children */
	IF_WEIGHTED = 1 << 3, /* only when weights are not the counts */
};

struct column {
	struct grid_column grid;
	unsigned forms; /* enum column_forms */
	int key; /* an enum view_key, or -1 */
	/* For eyes the text to show goes into SB and *COLOUR may be set. */
	void (*eyes)(const struct table *t, const struct table_row *row, struct strbuf *sb,
		     enum colour *colour);
	/* For machines; VALUE_TEXT goes into SB. */
	struct value (*value)(const struct table *t, const struct table_row *row,
			      struct strbuf *sb);
};

/*
 * The columns of a table for EYES or for machines, in order; *OUT points to NR pointers, to be
 * freed.
 */
size_t columns_of(const struct table *t, bool eyes, bool no_total, const struct column ***out);
/* A value as a field of text. */
void value_text(struct value v, struct strbuf *sb);

#endif
