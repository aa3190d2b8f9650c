/* SPDX-License-Identifier: MIT */
/*
 * perf stat --metric-only: what perf made of its counts, without the counts.  The names of the
 * metrics come once, in a line above; values stand below them.  Which form it is shows in the first
 * lines; what a line of each form is, is in stat_metrics_line.c.
 *
 * Source: tools/perf/util/stat-display.c (print_metric_only…, print_metric_header).
 */
#include "counters/stat_metrics.h"

#include <string.h>

#include "counters/stat_metrics_line.h"

#define LOOK_AHEAD 64 /* lines */

/* ---- which form ---- */

static bool is_comment(struct span line)
{
	return !line.n || *line.s == '#';
}

static void new_header(struct metrics *m, struct span line, size_t skip)
{
	m->header = line;
	m->skip = skip;
	m->nr_ends = 0;
}

/* "#           time        GHz   insn per cycle": what is behind the word. */
static bool interval_header(struct metrics *m, struct span line)
{
	const char *time = line.n && *line.s == '#' ? span_find(line, " time ") : NULL;
	size_t before;

	if (!time || span_find(line, "counts"))
		return false;
	before = (size_t)(time + 6 - line.s);
	new_header(m, line, before);
	return stat_metrics_text_header((struct span){ line.s + before, line.n - before });
}

static bool find_form(struct metrics *m)
{
	static const char seps[] = ",;\t|:!~^@$&+*=";
	struct stat_parser ahead = *m->p;
	struct err ignored;
	bool in_block = false;

	ahead.err = &ignored;
	for (int i = 0; i < LOOK_AHEAD && stat_next_line(&ahead) > 0; i++) {
		struct span line = span_trim(ahead.line);

		if (span_after(line, "Performance counter stats for ").s) {
			in_block = true;
			continue;
		}
		if (interval_header(m, ahead.line)) {
			m->p->set->source = SOURCE_TEXT;
			return true;
		}
		if (is_comment(line))
			continue;
		if (in_block) {
			m->p->set->source = SOURCE_TEXT;
			return stat_metrics_text_header(line);
		}
		if (stat_metrics_json_fits(line)) {
			m->p->set->source = SOURCE_JSON;
			return true;
		}
		for (const char *s = seps; *s; s++)
			if (stat_metrics_csv_header(m, line, *s)) {
				m->p->set->source = SOURCE_CSV;
				return stat_next_line(&ahead) > 0 &&
				       stat_metrics_csv_values(ahead.line, *s);
			}
		if (*line.s == '{' || stat_csv_fits(&line, ','))
			return false;
	}
	return false;
}

/* ---- all lines ---- */

static bool is_seconds(struct span line)
{
	return span_find(line, "seconds time elapsed") || span_find(line, "seconds user") ||
	       span_find(line, "seconds sys");
}

/* Names are above; the block's end, and what the program printed, are no values. */
static int parse_text(struct metrics *m)
{
	struct span line = span_trim(m->p->line);
	bool begins = span_after(line, "Performance counter stats for ").s != NULL;

	if (begins || is_seconds(line)) {
		m->p->past_block = !begins;
		if (begins)
			return stat_text_line(m->p);
		m->p->in_block = true;
		return stat_text_line(m->p);
	}
	if (interval_header(m, m->p->line)) {
		m->p->in_block = true;
		return 0;
	}
	if (is_comment(line) || m->p->past_block || !m->p->in_block)
		return 0;
	if (stat_metrics_text_header(line)) {
		new_header(m, m->p->line, 0);
		return 0;
	}
	return stat_metrics_text_line(m);
}

static int parse_line(struct metrics *m)
{
	struct span line = span_trim(m->p->line);
	struct metrics again = { .p = m->p };

	if (m->p->set->source == SOURCE_TEXT)
		return parse_text(m);
	if (is_comment(line))
		return 0;
	if (m->p->set->source == SOURCE_JSON) {
		if (*line.s == '{')
			return stat_metrics_json_line(m);
	} else {
		if (stat_metrics_csv_header(&again, line, m->sep)) {
			*m = again;
			return 0;
		}
		if (memchr(line.s, m->sep, line.n))
			return stat_metrics_csv_line(m);
	}
	if (!m->p->set->skipped++)
		m->p->set->first_skipped = m->p->line_no;
	return 0;
}

bool stat_metrics_fit(const struct stat_parser *p)
{
	struct counter_set none = { 0 };
	struct stat_parser look = *p;
	struct metrics m = { .p = &look };

	look.set = &none;
	return find_form(&m);
}

int stat_metrics_parse(struct stat_parser *p)
{
	struct metrics m = { .p = p };
	int rc;

	find_form(&m);
	m.nr_names = 0;
	m.header = (struct span){ "", 0 };
	while ((rc = stat_next_line(p)) > 0) {
		rc = parse_line(&m);
		if (rc < 0)
			return rc;
	}
	if (rc == 0 && !p->set->nr_metrics)
		return err_set(
			p->err, ERR_FORMAT,
			"%s is of perf stat --metric-only and holds no metric: none could be "
			"made of the events.",
			p->name);
	return rc;
}
