/* SPDX-License-Identifier: MIT */
/*
 * A table in text and in the formats for machines.  What is left out is always said: how many
 * rows, and how much self time they hold, so that the shown rows and the rest make 100 %.
 */
#include <perfrep/view.h>

#include <stdlib.h>
#include <string.h>

#include "view/column.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/number.h"
#include "view/wrap.h"

#define CALLERS_SHOWN 8
#define CALLERS_LIMIT 0.05 /* share of the event */
#define EVERYWHERE    0.995 /* a function that is in so many stacks tells nothing */

/* What becomes of a row. */
enum place {
	HIDDEN,
	ROW,
	CALLER, /* in the list of those with much below them */
};

struct layout {
	const struct table *t;
	const struct table_print *what;
	uint8_t *place; /* enum place, by row */
	size_t hidden;
	uint64_t hidden_self;
};

static double share_of(const struct table *t, uint64_t v)
{
	return t->base ? (double)v / (double)t->base : 0;
}

/* By self or total; where callers have a list of their own, by self alone. */
static bool over_limit(const struct layout *l, const struct table_row *row)
{
	double limit = l->what->percent_limit / 100;
	bool self_only = l->what->callers || l->what->no_total;

	if (!self_only && share_of(l->t, row->total) >= limit)
		return true;
	return share_of(l->t, row->self) >= limit && (row->self || !self_only);
}

static int compare_total(const void *va, const void *vb)
{
	const struct table_row *a = *(struct table_row *const *)va;
	const struct table_row *b = *(struct table_row *const *)vb;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	if (a->depth != b->depth)
		return a->depth < b->depth ? 1 : -1;
	return a < b ? -1 : a > b; /* the table's order decides */
}

/*
 * Those of the rows left out that have the most below them: in LIST, by total.  Of a chain of
 * functions that just call the next one, which all have the same total, only the innermost.
 */
static size_t choose_callers(struct layout *l, const struct table_row **list)
{
	const struct table *t = l->t;
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		double share = share_of(t, t->rows[i].total);

		if (l->place[i] == HIDDEN && share >= CALLERS_LIMIT && share < EVERYWHERE)
			list[n++] = &t->rows[i];
	}
	qsort(list, n, sizeof(*list), compare_total);
	for (size_t i = 0; i < n && kept < CALLERS_SHOWN; i++)
		if (!kept || list[i]->total != list[kept - 1]->total)
			list[kept++] = list[i];
	for (size_t i = 0; i < kept; i++)
		l->place[list[i] - t->rows] = CALLER;
	return kept;
}

static void choose_rows(struct layout *l)
{
	size_t n = 0;

	for (size_t i = 0; i < l->t->n; i++) {
		if (l->what->limit && n >= l->what->limit)
			break;
		if (!over_limit(l, &l->t->rows[i]))
			continue;
		l->place[i] = ROW;
		n++;
	}
}

static void count_hidden(struct layout *l)
{
	for (size_t i = 0; i < l->t->n; i++) {
		if (l->place[i] != HIDDEN)
			continue;
		l->hidden++;
		l->hidden_self += l->t->rows[i].self;
	}
}

static void add_row(struct grid *g, const struct table *t, const struct table_row *row,
		    const struct column **columns, size_t n, bool eyes, bool ranked)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t c = 0; c < n; c++) {
		enum colour colour = COLOUR_NONE;

		strbuf_clear(&sb);
		if (!eyes)
			value_text(columns[c]->value(t, row, &sb), &sb);
		else if (ranked || strcmp(columns[c]->grid.name, "rank"))
			columns[c]->eyes(t, row, &sb, &colour);
		grid_cell(g, strbuf_str(&sb), colour);
	}
	strbuf_release(&sb);
}

static void add_callers(struct grid *g, struct layout *l, const struct column **columns, size_t n)
{
	const struct table_row **list = xreallocarray(NULL, l->t->n + 1, sizeof(*list));
	size_t nr = choose_callers(l, list);

	if (nr)
		grid_line(g, "\nmuch below them, little of their own");
	for (size_t i = 0; i < nr; i++)
		add_row(g, l->t, list[i], columns, n, true, false);
	free(list);
}

/* "… 212 more functions: 8.1 % self. …" */
static void print_rest(const struct layout *l, const struct view_style *style, struct strbuf *sb)
{
	bool functions = view_keys_have(&l->t->opts.keys, KEY_SYM);
	struct strbuf line = STRBUF_INIT;

	if (l->hidden) {
		strbuf_adds(&line, "… ");
		number_thousands(&line, l->hidden);
		strbuf_addf(&line, " more %s%s", functions ? "function" : "row",
			    l->hidden == 1 ? "" : "s");
		if (l->hidden_self) {
			strbuf_adds(&line, ": ");
			number_percent(&line, share_of(l->t, l->hidden_self));
			strbuf_adds(&line, " % self.");
		} else {
			strbuf_adds(&line, " without self time.");
		}
	}
	if (l->t->has_total && !l->what->no_total)
		strbuf_addf(&line, "%sTotals count a stack once per function: they don't add up.",
			    line.n ? "  " : "");
	if (line.n) {
		if (style->format == VIEW_MARKDOWN)
			strbuf_addc(sb, '\n');
		colour_on(sb, style->colour, COLOUR_DIM);
		wrap_text(sb, style->width, 0, 2, strbuf_str(&line));
		colour_off(sb, style->colour, COLOUR_DIM);
	}
	strbuf_release(&line);
}

static void build_grid(struct grid *g, struct layout *l, const struct view_style *style)
{
	const struct column **columns;
	size_t n = columns_of(l->t, view_for_eyes(style), l->what->no_total, &columns);

	for (size_t c = 0; c < n; c++)
		grid_column(g, &columns[c]->grid);
	for (size_t i = 0; i < l->t->n; i++)
		if (l->place[i] == ROW)
			add_row(g, l->t, &l->t->rows[i], columns, n, view_for_eyes(style), true);
	if (style->format == VIEW_TEXT && l->what->callers && l->t->has_total)
		add_callers(g, l, columns, n);
	free(columns);
}

void table_print(const struct table *t, const struct table_print *what,
		 const struct view_style *style, struct strbuf *sb)
{
	struct layout l = { .t = t, .what = what };
	struct grid g = { 0 };

	l.place = xcalloc(t->n + 1, 1);
	choose_rows(&l);
	build_grid(&g, &l, style);
	count_hidden(&l);
	if (view_for_eyes(style)) {
		grid_print(&g, style, sb);
		print_rest(&l, style, sb);
	} else {
		grid_print_rows(&g, style, sb);
	}
	grid_release(&g);
	free(l.place);
}

void table_print_header(const struct table *t, const struct table_print *what,
			const struct view_style *style, struct strbuf *sb)
{
	const struct column **columns;
	struct grid g = { 0 };
	size_t n;

	if (view_for_eyes(style))
		return;
	n = columns_of(t, false, what->no_total, &columns);
	for (size_t c = 0; c < n; c++)
		grid_column(&g, &columns[c]->grid);
	grid_print_header(&g, style, sb);
	grid_release(&g);
	free(columns);
}

static struct json_object *row_json(const struct table *t, const struct table_row *row,
				    const struct column **columns, size_t n)
{
	struct json_object *o = json_new();
	struct strbuf sb = STRBUF_INIT;

	for (size_t c = 0; c < n; c++) {
		const char *name = columns[c]->grid.name;
		struct value v;

		strbuf_clear(&sb);
		v = columns[c]->value(t, row, &sb);
		if (v.kind == VALUE_TEXT)
			json_put_text(o, name, strbuf_str(&sb));
		else if (v.kind == VALUE_UINT)
			json_put_uint(o, name, v.u);
		else if (v.kind == VALUE_REAL)
			json_put_real(o, name, v.d, 4);
		else
			json_put_null(o, name);
	}
	strbuf_release(&sb);
	return o;
}

struct json_object *table_json(const struct table *t, const struct table_print *what)
{
	struct layout l = { .t = t, .what = what };
	struct json_object *o = json_new(), *rows = json_new_array();
	const struct column **columns;
	size_t n = columns_of(t, false, what->no_total, &columns);

	l.place = xcalloc(t->n + 1, 1);
	choose_rows(&l);
	count_hidden(&l);
	for (size_t i = 0; i < t->n; i++)
		if (l.place[i] == ROW)
			json_append(rows, row_json(t, &t->rows[i], columns, n));
	json_put(o, "rows", rows);
	json_put_uint(o, "hidden_rows", l.hidden);
	json_put_uint(o, "hidden_self", l.hidden_self);
	free(columns);
	free(l.place);
	return o;
}
