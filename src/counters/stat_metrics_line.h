/* SPDX-License-Identifier: MIT */
/* The lines of perf stat --metric-only, in each of its forms. */
#ifndef PERFREP_COUNTERS_STAT_METRICS_LINE_H
#define PERFREP_COUNTERS_STAT_METRICS_LINE_H

#include "counters/stat_parse.h"

#define STAT_METRICS_MAX 64 /* names */

struct metrics {
	struct stat_parser *p;
	struct span names[STAT_METRICS_MAX];
	size_t nr_names;
	struct span header; /* of text: as it stands in the line */
	size_t skip; /* characters of it that are no names */
	size_t ends[STAT_METRICS_MAX + 1]; /* of columns that values were seen in, ascending */
	size_t nr_ends;
	char sep; /* of -x */
};

/* Take the names of a header of -x; false when the line is none. */
bool stat_metrics_csv_header(struct metrics *m, struct span line, char sep);
/* Whether some field of the line is a number. */
bool stat_metrics_csv_values(struct span line, char sep);
/* Whether a line of text is one of names. */
bool stat_metrics_text_header(struct span line);
/* Whether the line is an object, or several, of metrics and nothing else. */
bool stat_metrics_json_fits(struct span line);

/* Add the values of the parser's line; negative on failure. */
int stat_metrics_csv_line(struct metrics *m);
int stat_metrics_text_line(struct metrics *m);
int stat_metrics_json_line(struct metrics *m);

#endif
