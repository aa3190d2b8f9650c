/* SPDX-License-Identifier: MIT */
/*
 * The columns of a comparison's rows, and the table for machines.  Eyes get sections with a
 * heading, so the kind is a column for the others only.
 */
#include "view/diff_row.h"

#include <string.h>

#include "view/json.h"

enum forms {
	EYES = 1,
	MARKDOWN = 2,
	MACHINES = 4,
};

struct diff_column {
	struct grid_column grid;
	unsigned forms;
	void (*text)(const struct diff *d, const struct diff_row *row, struct strbuf *sb);
};

static const struct diff_measure *judged(const struct diff *d, const struct diff_row *row)
{
	return d->opts.by_total ? &row->total : &row->self;
}

static const struct diff_measure *other(const struct diff *d, const struct diff_row *row)
{
	return d->opts.by_total ? &row->self : &row->total;
}

static void kind_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	(void)d;
	strbuf_adds(sb, diff_kind_name(row->kind));
}

static void before_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	if (row->kind != DIFF_NEW)
		diff_cost(d, judged(d, row)->cost[0], sb);
}

static void after_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	if (row->kind != DIFF_GONE)
		diff_cost(d, judged(d, row)->cost[1], sb);
}

static void delta_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	diff_delta(d, judged(d, row), sb);
}

static void change_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	diff_change(judged(d, row), sb);
	(void)d;
}

static void other_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	diff_delta(d, other(d, row), sb);
}

static void chance_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	diff_chance(judged(d, row)->q, sb);
}

static void name_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	(void)d;
	strbuf_adds(sb, row->name);
}

static void module_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	(void)d;
	strbuf_adds(sb, row->module[0]);
	if (strcmp(row->module[0], row->module[1]))
		strbuf_addf(sb, " → %s", row->module[1]);
}

static const char *inlining_words(const struct diff_row *row)
{
	if (!row->reinlined)
		return NULL;
	switch (row->inlining[1]) {
	case DIFF_CALLED:
		return "no longer inlined";
	case DIFF_INLINED:
		return row->inlining[0] == DIFF_CALLED ? "now inlined" : "now inlined everywhere";
	default:
		return row->inlining[0] == DIFF_CALLED ? "now inlined in places"
						       : "no longer inlined everywhere";
	}
}

static void note_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	const char *inlining = inlining_words(row);

	if (inlining)
		strbuf_adds(sb, inlining);
	if (row->twin != PROFILE_NONE)
		strbuf_addf(sb, "%s%s %s?", inlining ? "; " : "",
			    row->kind == DIFF_NEW ? "was" : "now", d->rows[row->twin].name);
}

/* ---- plain numbers ---- */

static void real(double v, struct strbuf *sb)
{
	strbuf_addf(sb, "%.6g", v);
}

#define REAL_COLUMN(name, expr)                                                               \
	static void name(const struct diff *d, const struct diff_row *row, struct strbuf *sb) \
	{                                                                                     \
		(void)d;                                                                      \
		real(expr, sb);                                                               \
	}

REAL_COLUMN(self_before, row->self.cost[0])
REAL_COLUMN(self_after, row->self.cost[1])
REAL_COLUMN(self_delta, row->self.delta)
REAL_COLUMN(self_margin, row->self.half)
REAL_COLUMN(self_p, row->self.p)
REAL_COLUMN(self_q, row->self.q)
REAL_COLUMN(total_before, row->total.cost[0])
REAL_COLUMN(total_after, row->total.cost[1])
REAL_COLUMN(total_delta, row->total.delta)
REAL_COLUMN(total_margin, row->total.half)
REAL_COLUMN(total_q, row->total.q)

static void samples_before(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	strbuf_addu(sb, judged(d, row)->samples[0]);
}

static void samples_after(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	strbuf_addu(sb, judged(d, row)->samples[1]);
}

static void event_text(const struct diff *d, const struct diff_row *row, struct strbuf *sb)
{
	(void)row;
	strbuf_adds(sb, d->event);
}

static const struct diff_column columns[] = {
	{ { .name = "event", .header = "" }, MACHINES, event_text },
	{ { .name = "kind", .header = "" }, MARKDOWN | MACHINES, kind_text },
	{ { .name = "before", .header = "before", .right = true }, EYES | MARKDOWN, before_text },
	{ { .name = "after", .header = "after", .right = true }, EYES | MARKDOWN, after_text },
	{ { .name = "delta", .header = "Δ self", .right = true }, EYES | MARKDOWN, delta_text },
	{ { .name = "change", .header = "change", .right = true, .drop = 2 },
	  EYES | MARKDOWN,
	  change_text },
	{ { .name = "other", .header = "Δ total", .right = true, .drop = 3 },
	  EYES | MARKDOWN,
	  other_text },
	{ { .name = "q", .header = "chance", .right = true, .drop = 4 },
	  EYES | MARKDOWN,
	  chance_text },
	{ { .name = "self_before" }, MACHINES, self_before },
	{ { .name = "self_after" }, MACHINES, self_after },
	{ { .name = "self_delta" }, MACHINES, self_delta },
	{ { .name = "self_margin" }, MACHINES, self_margin },
	{ { .name = "self_p" }, MACHINES, self_p },
	{ { .name = "self_q" }, MACHINES, self_q },
	{ { .name = "total_before" }, MACHINES, total_before },
	{ { .name = "total_after" }, MACHINES, total_after },
	{ { .name = "total_delta" }, MACHINES, total_delta },
	{ { .name = "total_margin" }, MACHINES, total_margin },
	{ { .name = "total_q" }, MACHINES, total_q },
	{ { .name = "samples_before" }, MACHINES, samples_before },
	{ { .name = "samples_after" }, MACHINES, samples_after },
	{ { .name = "sym", .header = "function", .code = true, .symbol = true, .shrink = 20 },
	  EYES | MARKDOWN | MACHINES,
	  name_text },
	{ { .name = "dso", .header = "module", .code = true, .shrink = 12, .drop = 1 },
	  EYES | MARKDOWN | MACHINES,
	  module_text },
	{ { .name = "note", .header = "", .code = true }, EYES | MARKDOWN | MACHINES, note_text },
};

#define NR_COLUMNS (sizeof(columns) / sizeof(*columns))

static unsigned form_of(const struct view_style *style)
{
	return style->format == VIEW_TEXT       ? EYES
	       : style->format == VIEW_MARKDOWN ? MARKDOWN
						: MACHINES;
}

/* Folded text has no modules. */
static bool has_modules(const struct diff *d)
{
	for (size_t i = 0; i < d->n; i++)
		if (*d->rows[i].module[0] || *d->rows[i].module[1])
			return true;
	return false;
}

static bool shown(const struct diff_column *c, const struct diff *d, const struct view_style *style)
{
	unsigned form = form_of(style);

	return c->forms & form && (form == MACHINES || c->text != module_text || has_modules(d));
}

void diff_row_columns(struct grid *g, const struct diff *d, const struct view_style *style)
{
	for (size_t c = 0; c < NR_COLUMNS; c++) {
		struct grid_column col = columns[c].grid;

		if (!shown(&columns[c], d, style))
			continue;
		if (d->opts.by_total && !strcmp(col.name, "delta"))
			col.header = "Δ total";
		if (d->opts.by_total && !strcmp(col.name, "other"))
			col.header = "Δ self";
		if (!col.header)
			col.header = col.name;
		grid_column(g, &col);
	}
}

static enum colour colour_of(const struct diff_column *c, const struct diff_row *row)
{
	if (c->text != delta_text)
		return c->text == chance_text ? COLOUR_DIM : COLOUR_NONE;
	if (row->kind == DIFF_SLOWER || row->kind == DIFF_NEW)
		return COLOUR_HOT;
	return row->kind == DIFF_FASTER || row->kind == DIFF_GONE ? COLOUR_GOOD : COLOUR_NONE;
}

void diff_row_add(struct grid *g, const struct diff *d, const struct diff_row *row,
		  const struct view_style *style)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t c = 0; c < NR_COLUMNS; c++) {
		if (!shown(&columns[c], d, style))
			continue;
		strbuf_clear(&sb);
		columns[c].text(d, row, &sb);
		grid_cell(g, strbuf_str(&sb), colour_of(&columns[c], row));
	}
	strbuf_release(&sb);
}

static void put_inlining(struct json_object *o, const char *key, unsigned how)
{
	static const char *const words[] = { NULL, "called", "inlined", "both" };

	json_put_text(o, key, words[how & 3]);
}

struct json_object *diff_row_json(const struct diff *d, const struct diff_row *row)
{
	struct json_object *o = json_new();

	json_put_text(o, "kind", diff_kind_name(row->kind));
	json_put_text(o, "sym", row->name);
	json_put_text(o, "dso_before", row->module[0]);
	json_put_text(o, "dso_after", row->module[1]);
	json_put(o, "self", diff_measure_json(&row->self));
	json_put(o, "total", diff_measure_json(&row->total));
	put_inlining(o, "inlining_before", row->inlining[0]);
	put_inlining(o, "inlining_after", row->inlining[1]);
	json_put_bool(o, "reinlined", row->reinlined);
	json_put_text(o, "twin", row->twin == PROFILE_NONE ? NULL : d->rows[row->twin].name);
	return o;
}
