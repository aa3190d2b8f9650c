/* SPDX-License-Identifier: MIT */
/*
 * A comparison: what was compared and how, the verdict in a line, and then only what changed.
 * What is within the noise, what moved with the rest, and what can't be told is counted.
 */
#include "view/diff.h"

#include <stdarg.h>

#include "view/diff_row.h"
#include "view/escape.h"
#include "view/json.h"
#include "view/line.h"
#include "view/number.h"
#include "view/shorten.h"
#include "view/wrap.h"

/* ---- what was compared ---- */

static void side_line(const struct diff *d, const struct diff_print *what, int side,
		      const struct view_style *style, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_adds(&line, what->name[side]);
	strbuf_adds(&line, " · ");
	number_thousands(&line, d->samples[side]);
	strbuf_adds(&line, " samples");
	if (*d->unit || d->weight[side] != d->samples[side]) {
		strbuf_adds(&line, " · ");
		number_weight(&line, d->weight[side], d->unit);
		strbuf_addf(&line, " of %s", d->event);
	}
	if (d->nr[side] > 1)
		strbuf_addf(&line, " · %zu recordings", d->nr[side]);
	line_print(sb, style, side ? "after" : "before", strbuf_str(&line));
	strbuf_release(&line);
}

static void method_line(const struct diff *d, const struct view_style *style, struct strbuf *sb)
{
	static const char *const norms[] = {
		[DIFF_SHARE] = "shares of each side's own total",
		[DIFF_TIME] = "the events' weights as they are",
		[DIFF_WORK] = "weights by operation",
	};
	bool several = d->nr[0] > 1 || d->nr[1] > 1;
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s, by %s; ± is 95 %%, from %s", norms[d->opts.norm],
		    d->opts.by_total ? "total" : "self",
		    several     ? "the spread between recordings"
		    : d->blocks ? "blocks of time"
				: "the number of samples");
	if (!several)
		strbuf_adds(&line, "; from run to run there is more: give several, A1 A2 : B1 B2");
	line_print(sb, style, "compared", strbuf_str(&line));
	strbuf_release(&line);
}

/* The whole cost, where it isn't 100 % by definition. */
static void whole_line(const struct diff *d, const struct view_style *style, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	if (d->opts.norm == DIFF_SHARE)
		return;
	diff_cost(d, d->whole[0], &line);
	strbuf_adds(&line, " → ");
	diff_cost(d, d->whole[1], &line);
	strbuf_adds(&line, d->opts.norm == DIFF_WORK ? " for each operation" : "");
	if (d->whole[0] > 0 && d->whole[1] > 0) {
		strbuf_adds(&line, ", ");
		diff_change(&d->total, &line);
	}
	if (d->nr[0] > 1 || d->nr[1] > 1) {
		strbuf_adds(&line, ", chance ");
		diff_chance(d->total.p, &line);
	}
	line_print(sb, style, "everything", strbuf_str(&line));
	strbuf_release(&line);
}

/* ---- the verdict ---- */

/* "2 slower (hot +8.2 ±0.7 points)" */
static void count_text(const struct diff *d, enum diff_kind kind, unsigned width, struct strbuf *sb)
{
	struct strbuf part = STRBUF_INIT;
	const struct diff_row *first = NULL;

	if (!d->count[kind])
		return;
	for (size_t i = 0; i < d->n && !first; i++)
		if (d->rows[i].kind == kind)
			first = &d->rows[i];
	strbuf_addf(&part, "%zu %s (%s", d->count[kind], diff_kind_name(kind),
		    d->count[kind] > 1 ? "most: " : "");
	shorten_in_sentence(&part, first->name, width);
	strbuf_addc(&part, ' ');
	diff_delta(d, d->opts.by_total ? &first->total : &first->self, &part);
	strbuf_addf(&part, "%s)", d->opts.norm == DIFF_SHARE ? " points" : "");
	if (sb->n)
		strbuf_adds(sb, ", ");
	strbuf_adds(sb, strbuf_str(&part));
	strbuf_release(&part);
}

void diff_summary(const struct diff *d, unsigned width, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	if (d->equal) {
		strbuf_adds(sb, "no difference: both sides are equal to the last sample");
		return;
	}
	for (int kind = DIFF_SLOWER; kind <= DIFF_GONE; kind++)
		count_text(d, (enum diff_kind)kind, width, &line);
	if (!line.n && d->tested)
		strbuf_addf(&line, "nothing changed significantly: %zu function%s tested",
			    d->tested, d->tested == 1 ? "" : "s");
	else if (!line.n)
		strbuf_adds(&line, "too few samples to tell of any function");
	strbuf_adds(sb, strbuf_str(&line));
	strbuf_release(&line);
}

/* ---- rows ---- */

static void add_section(struct grid *g, const struct diff *d, const struct diff_print *what,
			const struct view_style *style, enum diff_kind kind)
{
	size_t shown = 0;

	for (size_t i = 0; i < d->n; i++) {
		if (d->rows[i].kind != kind)
			continue;
		if (!shown)
			grid_line(g, diff_kind_name(kind));
		if (what->limit && shown >= what->limit)
			return;
		diff_row_add(g, d, &d->rows[i], style);
		shown++;
	}
}

/* Rows that did not change but for being inlined. */
static void add_reinlined(struct grid *g, const struct diff *d, const struct view_style *style)
{
	bool first = true;

	for (size_t i = 0; i < d->n; i++) {
		if (d->rows[i].kind < DIFF_SHIFTED || !d->rows[i].reinlined)
			continue;
		if (first)
			grid_line(g, "inlined otherwise");
		first = false;
		diff_row_add(g, d, &d->rows[i], style);
	}
}

static void print_sections(const struct diff *d, const struct diff_print *what,
			   const struct view_style *style, struct strbuf *sb)
{
	struct grid g = { 0 };

	diff_row_columns(&g, d, style);
	for (int kind = DIFF_SLOWER; kind <= DIFF_GONE; kind++)
		add_section(&g, d, what, style, (enum diff_kind)kind);
	add_reinlined(&g, d, style);
	if (grid_rows(&g)) {
		strbuf_addc(sb, '\n');
		grid_print(&g, style, sb);
	}
	grid_release(&g);
}

static void sentence(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One more sentence of a paragraph. */
static void sentence(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	if (sb->n)
		strbuf_addc(sb, ' ');
	va_start(ap, fmt);
	strbuf_addv(sb, fmt, ap);
	va_end(ap);
}

/* Those that can't be judged though they have samples; who only calls others has none. */
static size_t few_of(const struct diff *d)
{
	size_t few = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *row = &d->rows[i];
		const struct diff_measure *m = d->opts.by_total ? &row->total : &row->self;

		few += row->kind == DIFF_FEW && (m->samples[0] || m->samples[1]);
	}
	return few;
}

static size_t hidden_of(const struct diff *d, const struct diff_print *what)
{
	size_t hidden = 0;

	for (int kind = DIFF_SLOWER; kind <= DIFF_GONE; kind++)
		if (what->limit && d->count[kind] > what->limit)
			hidden += d->count[kind] - what->limit;
	return hidden;
}

static void print_rest(const struct diff *d, const struct diff_print *what,
		       const struct view_style *style, struct strbuf *sb)
{
	struct strbuf rest = STRBUF_INIT;
	size_t hidden = hidden_of(d, what), few = few_of(d);

	if (hidden)
		sentence(&rest, "%zu more that changed: --limit=0 lists them.", hidden);
	if (d->count[DIFF_SHIFTED])
		sentence(&rest,
			 "%zu moved by %+.1f %% like most others: that is the rest of a total that "
			 "changed elsewhere (--normalize=time or work= compares costs).",
			 d->count[DIFF_SHIFTED], (d->shift - 1) * 100);
	if (d->count[DIFF_NOISE])
		sentence(&rest, "%zu within the noise.", d->count[DIFF_NOISE]);
	if (few)
		sentence(&rest, "%zu with fewer than %d samples on both sides: not tested.", few,
			 DIFF_MIN_HITS);
	if (what->note) {
		struct strbuf safe = STRBUF_INIT;

		escape_terminal(&safe, what->note);
		sentence(&rest, "%s", strbuf_str(&safe));
		strbuf_release(&safe);
	}
	if (rest.n) {
		strbuf_addc(sb, '\n');
		colour_on(sb, style->colour, COLOUR_DIM);
		wrap_text(sb, style->width, 0, 0, strbuf_str(&rest));
		colour_off(sb, style->colour, COLOUR_DIM);
	}
	strbuf_release(&rest);
}

static const struct view_style machines = { .format = VIEW_CSV };

void diff_fields_columns(struct grid *g)
{
	static const struct diff none;

	diff_row_columns(g, &none, &machines);
	diff_files_columns(g);
}

void diff_fields(const struct diff *d, const struct diff_print *what, struct grid *g)
{
	for (size_t i = 0; i < d->n; i++) {
		diff_row_add(g, d, &d->rows[i], &machines);
		diff_files_cells(what, g);
	}
}

void diff_print(const struct diff *d, const struct diff_print *what, const struct view_style *style,
		struct strbuf *sb)
{
	struct strbuf verdict = STRBUF_INIT;

	side_line(d, what, DIFF_BEFORE, style, sb);
	side_line(d, what, DIFF_AFTER, style, sb);
	method_line(d, style, sb);
	whole_line(d, style, sb);
	diff_summary(d, style->width, &verdict);
	line_print(sb, style, "result", strbuf_str(&verdict));
	strbuf_release(&verdict);
	if (d->equal)
		return;
	print_sections(d, what, style, sb);
	print_rest(d, what, style, sb);
}

static struct json_object *side_json(const struct diff *d, const struct diff_print *what, int side)
{
	struct json_object *o = json_new();

	json_put_text(o, "input", what->name[side]);
	json_put_uint(o, "recordings", d->nr[side]);
	json_put_uint(o, "samples", d->samples[side]);
	json_put_uint(o, "weight", d->weight[side]);
	json_put_real(o, "whole", d->whole[side], 6);
	return o;
}

struct json_object *diff_json(const struct diff *d, const struct diff_print *what)
{
	static const char *const norms[] = { "share", "time", "work" };
	struct json_object *o = json_new(), *rows = json_new_array(), *counts = json_new();
	struct strbuf summary = STRBUF_INIT;

	json_put_text(o, "event", d->event);
	json_put_text(o, "unit", d->unit);
	json_put_text(o, "normalize", norms[d->opts.norm]);
	json_put_text(o, "by", d->opts.by_total ? "total" : "self");
	json_put(o, "before", side_json(d, what, DIFF_BEFORE));
	json_put(o, "after", side_json(d, what, DIFF_AFTER));
	diff_summary(d, 0, &summary);
	json_put_text(o, "summary", strbuf_str(&summary));
	strbuf_release(&summary);
	json_put_bool(o, "equal", d->equal);
	json_put_real(o, "shift", d->shift, 6);
	for (unsigned k = 0; k < DIFF_KINDS; k++)
		json_put_uint(counts, diff_kind_name(k), d->count[k]);
	json_put(o, "counts", counts);
	for (size_t i = 0; i < d->n; i++)
		json_append(rows, diff_row_json(d, &d->rows[i]));
	json_put(o, "rows", rows);
	return o;
}
