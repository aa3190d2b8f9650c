/* SPDX-License-Identifier: MIT */
/* A comparison for eyes and machines. */
#ifndef PERFREP_VIEW_DIFF_H
#define PERFREP_VIEW_DIFF_H

#include <perfrep/diff.h>
#include <perfrep/view.h>

struct grid; /* view/grid.h */

struct diff_print {
	const char *name[2]; /* of the sides: files; raw, may be NULL */
	size_t limit; /* rows of a section; 0: all */
	const char *note; /* a sentence below, may be NULL; raw */
};

/* For eyes: what was compared, the verdict, and the sections of rows. */
void diff_print(const struct diff *d, const struct diff_print *what, const struct view_style *style,
		struct strbuf *sb);
/*
 * For csv and its like: the rows of several comparisons go into one grid.  Each kind has its
 * columns; at the end of a row stand the files.
 */
void diff_fields_columns(struct grid *g);
void diff_fields(const struct diff *d, const struct diff_print *what, struct grid *g);
struct json_object *diff_json(const struct diff *d, const struct diff_print *what);
/* The verdict in one line, without a newline; raw.  WIDTH: what it will be wrapped at, 0: not. */
void diff_summary(const struct diff *d, unsigned width, struct strbuf *sb);

void diff_paths_print(const struct diff_paths *dp, const struct diff *d,
		      const struct diff_print *what, const struct view_style *style,
		      struct strbuf *sb);
void diff_paths_columns(struct grid *g);
void diff_paths_fields(const struct diff_paths *dp, const struct diff *d,
		       const struct diff_print *what, struct grid *g);
struct json_object *diff_paths_json(const struct diff_paths *dp, const struct diff *d,
				    const struct diff_print *what);

/* For eyes: the files, when WHAT names them, and a table; nothing when there are no counters. */
void diff_counters_print(const struct diff_counters *dc, const struct diff_print *what,
			 const struct view_style *style, struct strbuf *sb);
void diff_counters_columns(struct grid *g);
void diff_counters_fields(const struct diff_counters *dc, const struct diff_print *what,
			  struct grid *g);
struct json_object *diff_counters_json(const struct diff_counters *dc,
				       const struct diff_print *what);

void diff_ratios_print(const struct diff_ratios *dr, const struct diff_print *what,
		       const struct view_style *style, struct strbuf *sb);
struct json_object *diff_ratios_json(const struct diff_ratios *dr);

/* ---- parts that several use ---- */

/* The columns at the end of a row for machines, and their cells. */
void diff_files_columns(struct grid *g);
void diff_files_cells(const struct diff_print *what, struct grid *g);

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
