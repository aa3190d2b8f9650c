/* SPDX-License-Identifier: MIT */
/*
 * Ratios of two events for each row of a table: instructions per cycle, misses per 1,000
 * instructions …, of what was sampled in the row itself (self), each with its ±.
 */
#ifndef PERFREP_VIEW_RATIOS_H
#define PERFREP_VIEW_RATIOS_H

#include <perfrep/counters.h>
#include <perfrep/view.h>

enum ratio_kind {
	RATIO_IPC,
	RATIO_BRANCH_MISS, /* percent */
	RATIO_MPKI,
	RATIO_FAULTS, /* per second of CPU time */
	RATIO_SWITCHES,
	RATIO_KINDS,
};

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
};

struct table_ratios {
	bool has[RATIO_KINDS];
	bool verdicts;
	bool grouped; /* the events were read together */
	struct ratio_cell (*cells)[RATIO_KINDS]; /* by row */
	struct row_verdict *verdict; /* by row */
};

/* Whether two of the events make a ratio. */
bool ratios_possible(const struct ratio_events *e);
/* Owned: table_ratios_release().  To be shown it is put into t->ratios. */
void table_ratios_build(struct table_ratios *r, const struct table *t,
			const struct ratio_events *e);
void table_ratios_release(struct table_ratios *r);
/* How the numbers are to be read: a line below the table.  Nothing for a table without ratios. */
void ratios_note(const struct table *t, const struct view_style *style, struct strbuf *sb);

struct column;
/* The columns of the ratios that T has, appended to LIST of N pointers; the new number. */
size_t ratio_columns(const struct table *t, bool eyes, const struct column **list, size_t n);
#define RATIO_COLUMNS_MAX (3 * RATIO_KINDS + 1)

#endif
