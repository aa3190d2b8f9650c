/* SPDX-License-Identifier: MIT */
/*
 * What the readers of perf stat's three textual forms share: the line at hand, errors with line and
 * column, and numbers as any locale writes them.
 */
#ifndef PERFREP_COUNTERS_STAT_PARSE_H
#define PERFREP_COUNTERS_STAT_PARSE_H

#include <perfrep/counters.h>

#define STAT_LINE_MAX 65536 /* bytes: perf writes nothing near it */

struct span {
	const char *s;
	size_t n;
};

struct stat_parser {
	struct counter_set *set;
	const char *name; /* of the input */
	const char *p, *end; /* what is left of it */
	struct span line;
	size_t line_no; /* from 1 */
	struct err *err;
	/* CSV */
	char sep;
	bool decimal_comma; /* and sep is one too */
	/* text */
	bool in_block, past_block;
};

/* 1 and the next line, without its end; 0 at the end; negative for what is no line of text. */
int stat_next_line(struct stat_parser *p);
/* Fail at the character AT of the line. */
int stat_fail(struct stat_parser *p, const char *at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* One line each; negative on failure. */
int stat_csv_line(struct stat_parser *p);
int stat_json_line(struct stat_parser *p);
int stat_text_line(struct stat_parser *p);
/* Whether the line is one of perf stat -x with the separator SEP. */
bool stat_csv_fits(const struct span *line, char sep);

enum number_result { NUMBER_OK, NUMBER_NONE, NUMBER_RANGE };

/* Digits with at most one decimal point or comma. */
enum number_result stat_number(struct span s, double *out);
/*
 * The same with thousands separators of any locale.  A count has no decimals, a scaled value has
 * two: so three digits behind the last separator are thousands.
 */
enum number_result stat_grouped_number(struct span s, double *out);
/* Seconds with nine decimals, as perf prints times. */
bool stat_time(struct span s, double *out);
#define STAT_PLACE_MAX 24
/*
 * A place as -j has it, which is as in the other forms but for CPUs, that are bare numbers: "CPU3",
 * in TEXT if it has to be written.
 */
struct span stat_json_place(struct span key, struct span value, char text[STAT_PLACE_MAX]);
/* "<not counted>" or "<not supported>", and 0 otherwise. */
enum counter_state stat_not_state(struct span s);

struct span span_trim(struct span s);
bool span_digits(struct span s, size_t min, size_t max);
bool span_is(struct span s, const char *text);
/* What of S is behind the prefix TEXT; s.s is NULL when it has none. */
struct span span_after(struct span s, const char *text);
/* Where TEXT is in S, or NULL. */
const char *span_find(struct span s, const char *text);

#endif
