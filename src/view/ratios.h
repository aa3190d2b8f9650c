/* SPDX-License-Identifier: MIT */
/*
 * Ratios of events for each row: instructions per cycle, misses per 1,000 instructions, shares of
 * issue slots …, each with its ±.  A table's rows have those of what was sampled in the row itself
 * (self); other views have rows of their own.
 */
#ifndef PERFREP_VIEW_RATIOS_H
#define PERFREP_VIEW_RATIOS_H

#include <perfrep/counters.h>
#include <perfrep/view.h>

#include "view/colour.h"
#include "view/row_slices.h"

enum ratio_kind {
	RATIO_IPC,
	RATIO_BRANCH_MISS, /* percent */
	RATIO_MPKI,
	RATIO_FAULTS, /* per second of CPU time */
	RATIO_SWITCHES,
	/* top-down, percent of slots; parts of them behind each */
	RATIO_RETIRING,
	RATIO_HEAVY,
	RATIO_BAD_SPECULATION,
	RATIO_MISPREDICT,
	RATIO_FRONTEND,
	RATIO_FETCH_LATENCY,
	RATIO_BACKEND,
	RATIO_MEMORY,
	RATIO_KINDS,
};

#define RATIO_TOPDOWN RATIO_RETIRING /* the first of top-down */

enum ratio_state {
	RATIO_ABSENT, /* an event is not in the recording, or the row has none of the second */
	RATIO_TOO_FEW, /* samples of either */
	RATIO_KNOWN,
};

struct ratio_cell {
	enum ratio_state state;
	double value, half; /* 95 % */
};

struct row_verdict {
	enum ratio_state state;
	unsigned may_be; /* bits 1 << enum bottleneck: what the bounds of both fractions allow */
};

/* The profile's events by role, one for each kind of core; PROFILE_NONE: none. */
struct ratio_events {
	uint32_t event[ROLE_MAX][COUNTER_KINDS];
	const uint32_t *group; /* by event: equal numbers were read together; NULL: none */
	struct cost_model alone, together; /* misses come one at a time; as many as may overlap */
	const struct topdown *topdown; /* of all of it; NULL: not known */
};

/* What there is to be said of any row. */
struct ratio_shape {
	bool has[RATIO_KINDS];
	bool any;
	bool verdicts;
	bool grouped; /* the events were read together */
};

struct ratio_row {
	struct ratio_cell cells[RATIO_KINDS];
	struct row_verdict verdict;
};

struct table_ratios {
	struct ratio_shape shape;
	struct ratio_row *rows; /* by row of the table */
};

struct ratio_shape ratios_shape(const struct ratio_events *e);
/* The events that ratios need, into S. */
void ratios_want(const struct ratio_events *e, struct row_slices *s);
/* From the sums of a row. */
struct ratio_row ratios_of_row(const struct ratio_events *e, const struct ratio_shape *shape,
			       const struct row_slices *s, size_t row);

/* Owned: table_ratios_release().  To be shown it is put into t->ratios. */
void table_ratios_build(struct table_ratios *r, const struct table *t,
			const struct ratio_events *e);
void table_ratios_release(struct table_ratios *r);

/* How the numbers are to be read: a line below them. */
void ratios_note(const struct ratio_shape *shape, const struct view_style *style,
		 struct strbuf *sb);

/* ---- as text ---- */

/* Columns for eyes in the order in which they are shown: kinds, RATIO_KINDS for the verdict. */
size_t ratios_order(const struct ratio_shape *shape, int kinds[RATIO_KINDS + 1]);
const char *ratio_header(int kind);
/* "0.61 ±0.02", "too few", or nothing. */
void ratio_text(const struct ratio_row *row, int kind, struct strbuf *sb, enum colour *colour);
struct json_object;
/* The values and their half-widths, as the table's columns for machines are called. */
void ratios_put_json(struct json_object *o, const struct ratio_shape *shape,
		     const struct ratio_row *row);

struct column;
/* The columns of the ratios that T has, appended to LIST of N pointers; the new number. */
size_t ratio_columns(const struct table *t, bool eyes, const struct column **list, size_t n);
#define RATIO_COLUMNS_MAX (3 * RATIO_KINDS + 1)

#endif
