/* SPDX-License-Identifier: MIT */
/* Counters of two sides as a table: did they move the way the theory says? */
#include "view/diff.h"

#include <math.h>

#include "view/grid.h"
#include "view/json.h"
#include "view/line.h"
#include "view/number.h"

static void value(const struct diff_counter *row, double v, struct strbuf *sb)
{
	if (row->ratio || (v > 0 && v < 1000 && v != floor(v)))
		strbuf_addf(sb, "%.*f", fabs(v) < 0.0995 ? 4 : 2, v);
	else if (v < 1e6)
		number_thousands(sb, (uint64_t)v);
	else
		number_si(sb, v);
}

/* "-44.1 % ±2.0" */
static void change(const struct diff_counter *row, struct strbuf *sb)
{
	if (!row->known[0] || !row->known[1] || !(row->v[0] > 0))
		return;
	strbuf_addf(sb, "%+.1f %%", (row->v[1] / row->v[0] - 1) * 100);
	if (row->half >= 0)
		strbuf_addf(sb, " ±%.1f", row->half / row->v[0] * 100);
}

static void chance(const struct diff_counter *row, struct strbuf *sb)
{
	if (row->half >= 0)
		diff_chance(row->p, sb);
}

static void number(double v, struct strbuf *sb)
{
	strbuf_addf(sb, "%.10g", v);
}

static void add_columns(struct grid *g, bool eyes)
{
	static const struct grid_column columns[] = {
		{ .name = "counter", .header = "counter", .code = true, .shrink = 16 },
		{ .name = "before", .header = "before", .right = true },
		{ .name = "after", .header = "after", .right = true },
		{ .name = "change", .header = "change", .right = true },
		{ .name = "p", .header = "chance", .right = true, .drop = 1 },
	};

	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		struct grid_column c = columns[i];

		if (!eyes && i == 3)
			c.name = "margin";
		grid_column(g, &c);
	}
}

static void add_row(struct grid *g, const struct diff_counter *row, bool eyes)
{
	struct strbuf sb = STRBUF_INIT;

	grid_cell(g, row->name, COLOUR_NONE);
	for (int s = 0; s < 2; s++) {
		strbuf_clear(&sb);
		if (row->known[s] && eyes)
			value(row, row->v[s], &sb);
		else if (row->known[s])
			number(row->v[s], &sb);
		grid_cell(g, strbuf_str(&sb), COLOUR_NONE);
	}
	strbuf_clear(&sb);
	if (eyes)
		change(row, &sb);
	else if (row->half >= 0)
		number(row->half, &sb);
	grid_cell(g, strbuf_str(&sb), row->p < DIFF_LEVEL ? COLOUR_STRONG : COLOUR_NONE);
	strbuf_clear(&sb);
	if (eyes)
		chance(row, &sb);
	else if (row->half >= 0)
		number(row->p, &sb);
	grid_cell(g, strbuf_str(&sb), COLOUR_DIM);
	strbuf_release(&sb);
}

static bool any_unjudged(const struct diff_counters *dc)
{
	for (size_t i = 0; i < dc->n; i++)
		if (dc->rows[i].half < 0 && dc->rows[i].known[0] && dc->rows[i].known[1])
			return true;
	return false;
}

void diff_counters_print(const struct diff_counters *dc, const struct view_style *style,
			 struct strbuf *sb)
{
	bool eyes = view_for_eyes(style);
	struct grid g = { 0 };

	if (!dc->n)
		return;
	add_columns(&g, eyes);
	for (size_t i = 0; i < dc->n; i++)
		add_row(&g, &dc->rows[i], eyes);
	grid_print(&g, style, sb);
	grid_release(&g);
	if (!eyes || (!dc->by_work && !any_unjudged(dc)))
		return;
	strbuf_addc(sb, '\n');
	if (dc->by_work)
		line_print(sb, style, "counts", "for each operation; ratios are as they are");
	if (any_unjudged(dc))
		line_print(
			sb, style, "chance",
			"is not known of what was counted once: perf stat -r 5, or several files a "
			"side, show the spread from run to run");
}

struct json_object *diff_counters_json(const struct diff_counters *dc)
{
	struct json_object *o = json_new(), *list = json_new_array();

	for (size_t i = 0; i < dc->n; i++) {
		const struct diff_counter *row = &dc->rows[i];
		struct json_object *r = json_new();

		json_put_text(r, "counter", row->name);
		for (int s = 0; s < 2; s++) {
			const char *key = s ? "after" : "before";

			if (row->known[s])
				json_put_real(r, key, row->v[s], 6);
			else
				json_put_null(r, key);
		}
		if (row->half >= 0) {
			json_put_real(r, "margin", row->half, 6);
			json_put_real(r, "p", row->p, 9);
		} else {
			json_put_null(r, "margin");
			json_put_null(r, "p");
		}
		json_append(list, r);
	}
	json_put(o, "counters", list);
	json_put_bool(o, "by_operation", dc->by_work);
	return o;
}
