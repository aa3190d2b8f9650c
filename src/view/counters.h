/* SPDX-License-Identifier: MIT */
/* What counters say, in words, as a table and as JSON. */
#ifndef PERFREP_VIEW_COUNTERS_H
#define PERFREP_VIEW_COUNTERS_H

#include <perfrep/counters.h>
#include <perfrep/view.h>

#include "base/strbuf.h"

struct grid; /* view/grid.h */

/*
 * "counters  IPC 0.61 ±0.01 · …", the verdict with its range, top-down, and what is not known and
 * why.  Nothing when there is nothing to say.
 */
void counters_print(const struct counter_analysis *a, const struct view_style *style,
		    struct strbuf *sb);
/* Whether counters_print() has something to say. */
bool counters_tell(const struct counter_analysis *a);
struct json_object *counters_json(const struct counter_analysis *a);

/* Every counter, for eyes: value, unit, event, share of the time, spread. */
void counters_table(const struct counter_set *set, const struct view_style *style,
		    struct strbuf *sb);
/* For csv and its like: rows that name their FILE, of several sets one after the other. */
void counters_fields_columns(struct grid *g);
void counters_fields(const struct counter_set *set, const char *file, struct grid *g);
/* The same of perf's own metrics, when it gave no counts. */
void counters_metrics(const struct counter_set *set, const struct view_style *style,
		      struct strbuf *sb);
void counters_metrics_fields(const struct counter_set *set, const char *file, struct grid *g);
struct json_object *counters_metrics_json(const struct counter_set *set);
/* What each place or interval says; at most LIMIT rows, 0: all.  Nothing when there is just one. */
void counters_parts(const struct counter_set *set, const struct counter_options *opts,
		    const struct view_style *style, size_t limit, struct strbuf *sb);
struct json_object *counters_table_json(const struct counter_set *set);
struct json_object *counters_parts_json(const struct counter_set *set,
					const struct counter_options *opts);

#endif
