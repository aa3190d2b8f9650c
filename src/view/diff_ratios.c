/* SPDX-License-Identifier: MIT */
/* Ratios of two events by function, on both sides. */
#include "view/diff.h"

#include <stdio.h>

#include "view/grid.h"
#include "view/json.h"

static void add_columns(struct grid *g)
{
	static const struct grid_column columns[] = {
		{ .name = "before", .header = "before", .right = true },
		{ .name = "after", .header = "after", .right = true },
		{ .name = "delta", .header = "Δ", .right = true },
		{ .name = "q", .header = "chance", .right = true, .drop = 2 },
		{ .name = "sym", .header = "function", .code = true, .symbol = true, .shrink = 20 },
		{ .name = "dso", .header = "module", .code = true, .shrink = 12, .drop = 1 },
	};

	GRID_COLUMNS(g, columns);
}

static void cell(struct grid *g, enum colour colour, const char *fmt, double a, double b)
{
	char text[64];

	snprintf(text, sizeof(text), fmt, a, b);
	grid_cell(g, text, colour);
}

static void add_row(struct grid *g, const struct diff_ratio *r)
{
	enum colour colour = r->q <= DIFF_LEVEL ? COLOUR_STRONG : COLOUR_NONE;
	struct strbuf sb = STRBUF_INIT;

	cell(g, COLOUR_NONE, "%.2f", r->v[0], 0);
	cell(g, COLOUR_NONE, "%.2f", r->v[1], 0);
	cell(g, colour, "%+.2f ±%.2f", r->v[1] - r->v[0], r->half);
	diff_chance(r->q, &sb);
	grid_cell(g, strbuf_str(&sb), COLOUR_DIM);
	grid_cell(g, r->name, COLOUR_NONE);
	grid_cell(g, r->module, COLOUR_NONE);
	strbuf_release(&sb);
}

void diff_ratios_print(const struct diff_ratios *dr, const struct diff_print *what,
		       const struct view_style *style, struct strbuf *sb)
{
	struct grid g = { 0 };
	size_t shown = 0;

	add_columns(&g);
	while (shown < dr->changed && (!what->limit || shown < what->limit))
		add_row(&g, &dr->rows[shown++]);
	strbuf_addf(sb, "%s of functions: %zu changed significantly, %zu within the noise.\n",
		    dr->name, dr->changed, dr->n - dr->changed);
	if (style->format == VIEW_MARKDOWN && shown)
		strbuf_addc(sb, '\n');
	if (shown)
		grid_print(&g, style, sb);
	if (shown < dr->changed)
		strbuf_addf(sb, "… %zu more: --limit=0 lists them.\n", dr->changed - shown);
	grid_release(&g);
}

struct json_object *diff_ratios_json(const struct diff_ratios *dr)
{
	struct json_object *o = json_new(), *list = json_new_array();

	for (size_t i = 0; i < dr->n; i++) {
		const struct diff_ratio *r = &dr->rows[i];
		struct json_object *row = json_new();

		json_put_text(row, "sym", r->name);
		json_put_text(row, "dso", r->module);
		json_put_real(row, "before", r->v[0], 6);
		json_put_real(row, "after", r->v[1], 6);
		json_put_real(row, "margin", r->half, 6);
		json_put_real(row, "q", r->q, 9);
		json_append(list, row);
	}
	json_put_text(o, "ratio", dr->name);
	json_put(o, "functions", list);
	return o;
}
