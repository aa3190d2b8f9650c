/* SPDX-License-Identifier: MIT */
/* A comparison for eyes and machines. */
#ifndef PERFREP_VIEW_DIFF_H
#define PERFREP_VIEW_DIFF_H

#include <perfrep/diff.h>
#include <perfrep/view.h>

struct diff_print {
	const char *name[2]; /* of the sides: files; raw */
	size_t limit; /* rows of a section; 0: all */
	const char *note; /* a sentence below, may be NULL; raw */
};

/* What was compared, the verdict, and the sections of rows. */
void diff_print(const struct diff *d, const struct diff_print *what, const struct view_style *style,
		struct strbuf *sb);
/* The header line of the formats that have one for all comparisons. */
void diff_print_header(const struct diff *d, const struct view_style *style, struct strbuf *sb);
struct json_object *diff_json(const struct diff *d, const struct diff_print *what);
/* The verdict in one line, without a newline; raw. */
void diff_summary(const struct diff *d, struct strbuf *sb);

void diff_paths_print(const struct diff_paths *dp, const struct diff *d,
		      const struct diff_print *what, const struct view_style *style,
		      struct strbuf *sb);
struct json_object *diff_paths_json(const struct diff_paths *dp, const struct diff *d);

/* A table; nothing when there are none. */
void diff_counters_print(const struct diff_counters *dc, const struct view_style *style,
			 struct strbuf *sb);
struct json_object *diff_counters_json(const struct diff_counters *dc);

void diff_ratios_print(const struct diff_ratios *dr, const struct diff_print *what,
		       const struct view_style *style, struct strbuf *sb);
struct json_object *diff_ratios_json(const struct diff_ratios *dr);

/* ---- parts that both use ---- */

const char *diff_kind_name(unsigned kind);
/* "12.3 %", "1.25 s", "45.0 ns": a cost in the norm of D. */
void diff_cost(const struct diff *d, double cost, struct strbuf *sb);
/* "+8.2 ±0.7", in points or with the unit. */
void diff_delta(const struct diff *d, const struct diff_measure *m, struct strbuf *sb);
/* "+82 %", "×4.0"; nothing when there was nothing before, or is nothing after. */
void diff_change(const struct diff_measure *m, struct strbuf *sb);
void diff_chance(double q, struct strbuf *sb);
struct json_object *diff_measure_json(const struct diff_measure *m);

#endif
