/* SPDX-License-Identifier: MIT */
/* Metrics without counts: a row for each metric, place and interval. */
#include "view/counters.h"

#include "view/grid.h"
#include "view/json.h"

enum { COLUMN_VALUE, COLUMN_TIME, COLUMN_PLACE, COLUMN_METRIC, COLUMNS };

static void add_cell(struct grid *g, const struct counter_set *set, const struct counter_metric *m,
		     int column)
{
	struct strbuf sb = STRBUF_INIT;

	if (column == COLUMN_VALUE)
		strbuf_addf(&sb, "%.2f", m->value);
	else if (column == COLUMN_TIME && m->time >= 0)
		strbuf_addf(&sb, "%.3f", m->time);
	else if (column == COLUMN_PLACE)
		strbuf_adds(&sb, set->wheres[m->where]);
	else if (column == COLUMN_METRIC)
		strbuf_adds(&sb, m->name);
	grid_cell(g, strbuf_str(&sb), COLOUR_NONE);
	strbuf_release(&sb);
}

void counters_metrics(const struct counter_set *set, const struct view_style *style,
		      struct strbuf *sb)
{
	static const struct grid_column columns[COLUMNS] = {
		{ .name = "value", .header = "value", .right = true },
		{ .name = "time", .header = "until", .right = true },
		{ .name = "place", .header = "where" },
		{ .name = "metric", .header = "metric" },
	};
	bool wanted[COLUMNS] = { [COLUMN_VALUE] = true, [COLUMN_METRIC] = true };
	struct grid g = { 0 };

	for (size_t i = 0; i < set->nr_metrics; i++) {
		wanted[COLUMN_TIME] |= set->metric[i].time >= 0;
		wanted[COLUMN_PLACE] |= set->metric[i].where != 0;
	}
	for (int c = 0; c < COLUMNS; c++)
		if (wanted[c])
			grid_column(&g, &columns[c]);
	for (size_t i = 0; i < set->nr_metrics; i++)
		for (int c = 0; c < COLUMNS; c++)
			if (wanted[c])
				add_cell(&g, set, &set->metric[i], c);
	grid_print(&g, style, sb);
	grid_release(&g);
}

/* In the columns of counters_fields_columns(): "insn per cycle (S0 until 1.000852081)". */
void counters_metrics_fields(const struct counter_set *set, const char *file, struct grid *g)
{
	for (size_t i = 0; i < set->nr_metrics; i++) {
		const struct counter_metric *m = &set->metric[i];
		struct strbuf value = STRBUF_INIT, name = STRBUF_INIT;

		strbuf_addf(&value, "%.6f", m->value);
		strbuf_adds(&name, m->name);
		if (m->where || m->time >= 0)
			strbuf_addf(&name, " (%s", set->wheres[m->where]);
		if (m->time >= 0)
			strbuf_addf(&name, "%suntil %.9f", m->where ? " " : "", m->time);
		if (m->where || m->time >= 0)
			strbuf_addc(&name, ')');
		const char *const cells[] = { strbuf_str(&value), "",  "metric", "", "",
					      strbuf_str(&name),  file };

		for (size_t c = 0; c < sizeof(cells) / sizeof(*cells); c++)
			grid_cell(g, cells[c], COLOUR_NONE);
		strbuf_release(&value);
		strbuf_release(&name);
	}
}

struct json_object *counters_metrics_json(const struct counter_set *set)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < set->nr_metrics; i++) {
		const struct counter_metric *m = &set->metric[i];
		struct json_object *o = json_new();

		json_put_text(o, "metric", m->name);
		json_put_real(o, "value", m->value, 6);
		json_put_text(o, "where", set->wheres[m->where]);
		if (m->time >= 0)
			json_put_real(o, "time", m->time, 9);
		json_append(list, o);
	}
	return list;
}
