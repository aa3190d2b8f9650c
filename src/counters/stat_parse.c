/* SPDX-License-Identifier: MIT */
/*
 * Which of perf stat's forms a text is, and its lines one by one.  Text comes from anywhere: a
 * line has a limit, and bytes that no text has end the reading with their place.
 */
#include "counters/stat_metrics.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOOK_AHEAD 64 /* lines that decide on the form */

int stat_fail(struct stat_parser *p, const char *at, const char *fmt, ...)
{
	char text[300];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(p->err, ERR_FORMAT, "%s, line %zu, column %zu: %s.", p->name, p->line_no,
		       (size_t)(at - p->line.s) + 1, text);
}

int stat_next_line(struct stat_parser *p)
{
	size_t left = (size_t)(p->end - p->p);
	size_t look = left < STAT_LINE_MAX + 1 ? left : STAT_LINE_MAX + 1;
	const char *nl, *nul;

	if (!left)
		return 0;
	nl = memchr(p->p, '\n', look);
	p->line = (struct span){ p->p, nl ? (size_t)(nl - p->p) : look };
	p->line_no++;
	if (!nl && look > STAT_LINE_MAX)
		return stat_fail(p, p->p + STAT_LINE_MAX, "the line is longer than %d bytes",
				 STAT_LINE_MAX);
	nul = memchr(p->line.s, '\0', p->line.n);
	if (nul)
		return stat_fail(p, nul, "expected text, found a zero byte");
	p->p += p->line.n + (nl != NULL);
	return 1;
}

static bool is_json(struct span line)
{
	line = span_trim(line);
	while (line.n && strchr("[, ", *line.s)) {
		line.s++;
		line.n--;
	}
	while (line.n && strchr("], ", line.s[line.n - 1]))
		line.n--;
	return line.n && *line.s == '{' && line.s[line.n - 1] == '}' &&
	       (span_find(line, "\"counter-value\"") || span_find(line, "\"metric-value\""));
}

static bool is_text(struct span line)
{
	line = span_trim(line);
	if (span_after(line, "Performance counter stats for ").s)
		return true;
	return line.n && *line.s == '#' && span_find(line, " time ") && span_find(line, "counts");
}

/* The separator with which the line is one of -x; 0 if there is none. */
static char separator_of(struct span line)
{
	static const char candidates[] = ",;\t|:!~^@$%&+*=/ ";

	for (size_t i = 0; candidates[i]; i++)
		if (stat_csv_fits(&line, candidates[i]))
			return candidates[i];
	return 0;
}

static bool passed_over(struct span line)
{
	line = span_trim(line);
	return !line.n || *line.s == '#';
}

/* 0: none of the forms. */
static int find_form(struct stat_parser *p)
{
	struct stat_parser ahead = *p;
	struct err ignored;
	bool csv = false;

	ahead.err = &ignored;
	for (int i = 0; i < LOOK_AHEAD && stat_next_line(&ahead) > 0; i++) {
		char sep;

		if (is_json(ahead.line) || is_text(ahead.line)) {
			p->set->source = is_json(ahead.line) ? SOURCE_JSON : SOURCE_TEXT;
			return 1;
		}
		sep = csv || passed_over(ahead.line) ? 0 : separator_of(ahead.line);
		if (sep) {
			csv = true;
			p->sep = sep;
		}
	}
	p->set->source = SOURCE_CSV;
	return csv;
}

/* With -x, and a decimal comma, no number but the times has a point. */
static bool has_decimal_comma(const struct stat_parser *p)
{
	struct stat_parser ahead = *p;
	struct err ignored;

	ahead.err = &ignored;
	for (int i = 0; i < LOOK_AHEAD && stat_next_line(&ahead) > 0; i++) {
		const char *s = ahead.line.s, *end = s + ahead.line.n;

		if (passed_over(ahead.line))
			continue;
		while (s < end) {
			const char *next = memchr(s, ',', (size_t)(end - s));
			struct span field = { s, (size_t)((next ? next : end) - s) };
			double v;

			if (memchr(field.s, '.', field.n) && !stat_time(field, &v) &&
			    stat_number(span_trim(field), &v) == NUMBER_OK)
				return false;
			s = next ? next + 1 : end;
		}
	}
	return true;
}

static int parse_line(struct stat_parser *p)
{
	if (p->set->source == SOURCE_TEXT)
		return stat_text_line(p);
	if (span_after(p->line, "# started on ").s)
		p->set->outputs++;
	if (p->set->outputs > 1 || passed_over(p->line))
		return 0;
	return p->set->source == SOURCE_JSON ? stat_json_line(p) : stat_csv_line(p);
}

static int parse_all(struct stat_parser *p)
{
	int rc;

	if (stat_metrics_fit(p))
		return stat_metrics_parse(p);
	if (!find_form(p)) {
		rc = stat_next_line(p);
		if (!rc)
			return err_set(p->err, ERR_FORMAT, "%s is empty.", p->name);
		return rc < 0 ? rc
			      : stat_fail(
					p, p->line.s,
					"expected output of perf stat (text, -x or -j), a recording, "
					"or a file of perf stat record");
	}
	p->decimal_comma = p->set->source == SOURCE_CSV && p->sep == ',' && has_decimal_comma(p);
	while ((rc = stat_next_line(p)) > 0) {
		rc = parse_line(p);
		if (rc < 0)
			return rc;
	}
	if (rc < 0)
		return rc;
	if (!p->set->n)
		return err_set(p->err, ERR_FORMAT, "%s holds no counter.", p->name);
	return 0;
}

int counter_set_parse(struct counter_set *set, const char *text, size_t size, const char *name,
		      struct err *err)
{
	struct stat_parser p = {
		.set = set,
		.name = name,
		.p = text,
		.end = text + size,
		.err = err,
	};
	int rc;

	*set = (struct counter_set){ 0 };
	rc = parse_all(&p);
	if (rc < 0)
		counter_set_release(set);
	return rc;
}
