/* SPDX-License-Identifier: MIT */
/* Counters of two sides as a table: did they move the way the theory says? */
#include "view/diff.h"

#include <math.h>

#include "view/cell.h"
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

static void add_row(struct grid *g, const struct diff_counter *row)
{
	struct strbuf sb = STRBUF_INIT;

	grid_cell(g, row->name, COLOUR_NONE);
	for (int s = 0; s < 2; s++) {
		if (row->known[s])
			value(row, row->v[s], &sb);
		cell_take(g, &sb, COLOUR_NONE);
	}
	change(row, &sb);
	cell_take(g, &sb, row->p < DIFF_LEVEL ? COLOUR_STRONG : COLOUR_NONE);
	chance(row, &sb);
	cell_take(g, &sb, COLOUR_DIM);
}

static void number_cell(struct grid *g, double v, bool known)
{
	struct strbuf sb = STRBUF_INIT;

	if (known)
		strbuf_addf(&sb, "%.10g", v);
	cell_take(g, &sb, COLOUR_NONE);
}

void diff_counters_columns(struct grid *g)
{
	static const struct grid_column columns[] = {
		{ .name = "counter" }, { .name = "before" }, { .name = "after" },
		{ .name = "margin" },  { .name = "p" },
	};

	GRID_COLUMNS(g, columns);
	diff_files_columns(g);
}

void diff_counters_fields(const struct diff_counters *dc, const struct diff_print *what,
			  struct grid *g)
{
	for (size_t i = 0; i < dc->n; i++) {
		const struct diff_counter *row = &dc->rows[i];

		grid_cell(g, row->name, COLOUR_NONE);
		number_cell(g, row->v[0], row->known[0]);
		number_cell(g, row->v[1], row->known[1]);
		number_cell(g, row->half, row->half >= 0);
		number_cell(g, row->p, row->half >= 0);
		diff_files_cells(what, g);
	}
}

static bool any_unjudged(const struct diff_counters *dc)
{
	for (size_t i = 0; i < dc->n; i++)
		if (dc->rows[i].half < 0 && dc->rows[i].known[0] && dc->rows[i].known[1])
			return true;
	return false;
}

void diff_counters_print(const struct diff_counters *dc, const struct diff_print *what,
			 const struct view_style *style, struct strbuf *sb)
{
	static const struct grid_column columns[] = {
		{ .header = "counter", .code = true, .shrink = 16 },
		{ .header = "before", .right = true },
		{ .header = "after", .right = true },
		{ .header = "change", .right = true },
		{ .header = "chance", .right = true, .drop = 1 },
	};
	struct grid g = { 0 };

	if (!dc->n)
		return;
	if (what->name[0]) {
		line_print(sb, style, "before", what->name[0]);
		line_print(sb, style, "after", what->name[1]);
		strbuf_addc(sb, '\n');
	}
	GRID_COLUMNS(&g, columns);
	for (size_t i = 0; i < dc->n; i++)
		add_row(&g, &dc->rows[i]);
	grid_print(&g, style, sb);
	grid_release(&g);
	if (!dc->by_work && !any_unjudged(dc))
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

struct json_object *diff_counters_json(const struct diff_counters *dc,
				       const struct diff_print *what)
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
	json_put_text(o, "file_before", what->name[0]);
	json_put_text(o, "file_after", what->name[1]);
	json_put(o, "counters", list);
	json_put_bool(o, "by_operation", dc->by_work);
	return o;
}
