/* SPDX-License-Identifier: MIT */
/* Where a function's change comes from: its callers' paths and what it calls, largest first. */
#include "view/diff.h"

#include "view/cell.h"
#include "view/colour.h"
#include "view/json.h"
#include "view/line.h"

static void add_columns(struct grid *g)
{
	static const struct grid_column columns[] = {
		{ .name = "before", .header = "before", .right = true },
		{ .name = "after", .header = "after", .right = true },
		{ .name = "delta", .header = "Δ", .right = true },
		{ .name = "change", .header = "change", .right = true, .drop = 1 },
		{ .name = "q", .header = "chance", .right = true, .drop = 2 },
		{ .name = "path", .header = "path", .code = true, .shrink = 20 },
	};

	GRID_COLUMNS(g, columns);
}

static void add_path(struct grid *g, const struct diff *d, const struct diff_path *path)
{
	enum colour colour = path->kind > DIFF_GONE ? COLOUR_DIM
			     : path->m.delta > 0    ? COLOUR_HOT
						    : COLOUR_GOOD;
	struct strbuf sb = STRBUF_INIT;

	for (int c = 0; c < 2; c++) {
		strbuf_clear(&sb);
		if (path->m.weight[c])
			diff_cost(d, path->m.cost[c], &sb);
		grid_cell(g, strbuf_str(&sb), COLOUR_NONE);
	}
	strbuf_clear(&sb);
	diff_delta(d, &path->m, &sb);
	grid_cell(g, strbuf_str(&sb), colour);
	strbuf_clear(&sb);
	diff_change(&path->m, &sb);
	grid_cell(g, strbuf_str(&sb), COLOUR_NONE);
	strbuf_clear(&sb);
	diff_chance(path->m.q, &sb);
	grid_cell(g, strbuf_str(&sb), COLOUR_DIM);
	grid_cell(g, path->text, COLOUR_NONE);
	strbuf_release(&sb);
}

static void print_list(const struct diff_path *paths, size_t n, const char *heading,
		       const struct diff *d, const struct diff_print *what,
		       const struct view_style *style, struct strbuf *sb)
{
	struct grid g = { 0 };
	size_t shown = 0;

	add_columns(&g);
	for (; shown < n && (!what->limit || shown < what->limit); shown++)
		add_path(&g, d, &paths[shown]);
	strbuf_addc(sb, '\n');
	line_print(sb, style, heading, n ? "largest change first" : "nothing");
	if (style->format == VIEW_MARKDOWN)
		strbuf_addc(sb, '\n');
	if (shown)
		grid_print(&g, style, sb);
	if (shown < n)
		strbuf_addf(sb, "… %zu more: --limit=0 lists them.\n", n - shown);
	grid_release(&g);
}

void diff_paths_print(const struct diff_paths *dp, const struct diff *d,
		      const struct diff_print *what, const struct view_style *style,
		      struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s and below it: ", dp->function);
	diff_cost(d, dp->m.cost[0], &line);
	strbuf_adds(&line, " → ");
	diff_cost(d, dp->m.cost[1], &line);
	strbuf_adds(&line, ", ");
	diff_delta(d, &dp->m, &line);
	strbuf_adds(&line, d->opts.norm == DIFF_SHARE ? " points, chance " : ", chance ");
	diff_chance(dp->m.p, &line);
	line_print(sb, style, "function", strbuf_str(&line));
	strbuf_release(&line);
	print_list(dp->above, dp->nr_above, "paths to it", d, what, style, sb);
	print_list(dp->below, dp->nr_below, "inside", d, what, style, sb);
}

void diff_paths_columns(struct grid *g)
{
	static const struct grid_column columns[] = {
		{ .name = "event" },
		{ .name = "part" },
		{ .name = "kind" },
		{ .name = "before" },
		{ .name = "after" },
		{ .name = "delta" },
		{ .name = "margin" },
		{ .name = "p" },
		{ .name = "q" },
		{ .name = "share_before" },
		{ .name = "share_after" },
		{ .name = "samples_before" },
		{ .name = "samples_after" },
		{ .name = "path" },
	};

	GRID_COLUMNS(g, columns);
	diff_files_columns(g);
}

static void fields_row(struct grid *g, const struct diff *d, const char *part, const char *kind,
		       const struct diff_measure *m, const char *path,
		       const struct diff_print *what)
{
	const double reals[] = { m->cost[0], m->cost[1], m->delta,    m->half,
				 m->p,       m->q,       m->share[0], m->share[1] };

	grid_cell(g, d->event, COLOUR_NONE);
	grid_cell(g, part, COLOUR_NONE);
	grid_cell(g, kind, COLOUR_NONE);
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++) {
		struct strbuf sb = STRBUF_INIT;

		strbuf_addf(&sb, "%.6g", reals[i]);
		cell_take(g, &sb, COLOUR_NONE);
	}
	cell_count(g, m->samples[0], false, COLOUR_NONE);
	cell_count(g, m->samples[1], false, COLOUR_NONE);
	grid_cell(g, path, COLOUR_NONE);
	diff_files_cells(what, g);
}

void diff_paths_fields(const struct diff_paths *dp, const struct diff *d,
		       const struct diff_print *what, struct grid *g)
{
	for (size_t i = 0; i < dp->nr_above; i++)
		fields_row(g, d, "caller", diff_kind_name(dp->above[i].kind), &dp->above[i].m,
			   dp->above[i].text, what);
	fields_row(g, d, "function", "", &dp->m, dp->function, what);
	for (size_t i = 0; i < dp->nr_below; i++)
		fields_row(g, d, "callee", diff_kind_name(dp->below[i].kind), &dp->below[i].m,
			   dp->below[i].text, what);
}

static struct json_object *list_json(const struct diff_path *paths, size_t n)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = diff_measure_json(&paths[i].m);

		json_put_text(o, "path", paths[i].text);
		json_put_text(o, "kind", diff_kind_name(paths[i].kind));
		json_append(list, o);
	}
	return list;
}

struct json_object *diff_paths_json(const struct diff_paths *dp, const struct diff *d,
				    const struct diff_print *what)
{
	struct json_object *o = json_new();

	json_put_text(o, "event", d->event);
	json_put_text(o, "file_before", what->name[0]);
	json_put_text(o, "file_after", what->name[1]);
	json_put_text(o, "sym", dp->function);
	json_put(o, "total", diff_measure_json(&dp->m));
	json_put(o, "callers", list_json(dp->above, dp->nr_above));
	json_put(o, "callees", list_json(dp->below, dp->nr_below));
	return o;
}
