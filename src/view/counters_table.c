/* SPDX-License-Identifier: MIT */
/* Counters as they were found, and what each place or interval says. */
#include "view/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/number.h"

static bool is_whole(double v)
{
	return v >= 0 && v < 1e15 && v == floor(v);
}

static void add_value(struct strbuf *sb, const struct counter *c, bool eyes)
{
	if (c->state != COUNTER_COUNTED) {
		if (eyes)
			strbuf_adds(sb, counter_state_text(c->state));
	} else if (eyes && is_whole(c->value)) {
		number_thousands(sb, (uint64_t)c->value);
	} else if (eyes && c->value < 1e15) {
		uint64_t hundredths = (uint64_t)llround(c->value * 100);

		number_thousands(sb, hundredths / 100);
		if (c->unit[0])
			strbuf_addf(sb, ".%02u", (unsigned)(hundredths % 100));
	} else {
		strbuf_addf(sb, "%.*f", is_whole(c->value) ? 0 : 6, c->value);
	}
}

enum {
	COLUMN_VALUE,
	COLUMN_UNIT,
	COLUMN_STATE,
	COLUMN_RUNNING,
	COLUMN_SPREAD,
	COLUMN_EVENT,
	COLUMN_FILE,
	COLUMNS
};

/* Eyes are spared columns that have nothing in them. */
static void choose_columns(const struct counter_set *set, bool eyes, bool *wanted)
{
	for (int i = 0; i < COLUMNS; i++)
		wanted[i] = !eyes;
	wanted[COLUMN_VALUE] = wanted[COLUMN_EVENT] = true;
	for (size_t i = 0; eyes && i < set->n; i++) {
		const struct counter *c = &set->v[i];
		bool counted = c->state == COUNTER_COUNTED;

		wanted[COLUMN_UNIT] |= c->unit[0] != 0;
		wanted[COLUMN_RUNNING] |= counted && c->running < 0.99995;
		wanted[COLUMN_SPREAD] |= counted && c->spread >= 0;
	}
}

static void add_cell_text(struct strbuf *sb, const struct counter *c, int column, bool eyes)
{
	bool counted = c->state == COUNTER_COUNTED;

	switch (column) {
	case COLUMN_VALUE:
		add_value(sb, c, eyes);
		break;
	case COLUMN_UNIT:
		strbuf_adds(sb, c->unit);
		break;
	case COLUMN_STATE:
		strbuf_adds(sb, counter_state_text(c->state));
		break;
	case COLUMN_RUNNING:
		if (counted)
			strbuf_addf(sb, eyes ? "%.1f %%" : "%.2f", c->running * 100);
		break;
	case COLUMN_SPREAD:
		if (counted && c->spread >= 0)
			strbuf_addf(sb, eyes ? "±%.2f %%" : "%.4f", c->spread * 100);
		break;
	case COLUMN_EVENT:
		strbuf_adds(sb, c->name);
		if (eyes && c->parts_missing && c->parts_missing < c->parts)
			strbuf_addf(sb, " (not counted in %u of %u lines)", c->parts_missing,
				    c->parts);
		break;
	default:
		break;
	}
}

static void add_row(struct grid *g, const struct counter *c, const char *file, const bool *wanted,
		    bool eyes)
{
	struct strbuf sb = STRBUF_INIT;

	for (int i = 0; i < COLUMNS; i++) {
		bool warn = (i == COLUMN_VALUE && c->state != COUNTER_COUNTED) ||
			    (i == COLUMN_RUNNING && c->running < 0.5);

		if (!wanted[i])
			continue;
		strbuf_clear(&sb);
		if (i == COLUMN_FILE)
			strbuf_adds(&sb, file);
		else
			add_cell_text(&sb, c, i, eyes);
		grid_cell(g, strbuf_str(&sb), warn ? COLOUR_WARN : COLOUR_NONE);
	}
	strbuf_release(&sb);
}

static void add_columns(struct grid *g, const bool *wanted)
{
	static const struct grid_column columns[COLUMNS] = {
		{ .name = "value", .header = "value", .right = true },
		{ .name = "unit", .header = "unit" },
		{ .name = "state", .header = "" },
		{ .name = "running_percent", .header = "of the time", .right = true },
		{ .name = "spread_percent", .header = "between runs", .right = true },
		{ .name = "event", .header = "event", .code = true },
		{ .name = "file" },
	};

	for (int i = 0; i < COLUMNS; i++)
		if (wanted[i])
			grid_column(g, &columns[i]);
}

void counters_table(const struct counter_set *set, const struct view_style *style,
		    struct strbuf *sb)
{
	struct grid g = { 0 };
	bool wanted[COLUMNS];

	choose_columns(set, true, wanted);
	add_columns(&g, wanted);
	for (size_t i = 0; i < set->n; i++)
		add_row(&g, &set->v[i], "", wanted, true);
	grid_print(&g, style, sb);
	grid_release(&g);
}

void counters_fields_columns(struct grid *g)
{
	bool wanted[COLUMNS];

	choose_columns(NULL, false, wanted);
	add_columns(g, wanted);
}

void counters_fields(const struct counter_set *set, const char *file, struct grid *g)
{
	bool wanted[COLUMNS];

	choose_columns(set, false, wanted);
	for (size_t i = 0; i < set->n; i++)
		add_row(g, &set->v[i], file, wanted, false);
	counters_metrics_fields(set, file, g);
}

struct json_object *counters_table_json(const struct counter_set *set)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < set->n; i++) {
		const struct counter *c = &set->v[i];
		struct json_object *o = json_new();

		json_put_text(o, "event", c->name);
		json_put_text(o, "unit", c->unit);
		json_put_text(o, "state", counter_state_text(c->state));
		if (c->state != COUNTER_COUNTED)
			json_put_null(o, "value");
		else if (is_whole(c->value))
			json_put_uint(o, "value", (uint64_t)c->value);
		else
			json_put_real(o, "value", c->value, 6);
		if (c->state == COUNTER_COUNTED)
			json_put_real(o, "running", c->running, 4);
		if (c->spread >= 0)
			json_put_real(o, "spread", c->spread, 6);
		if (c->parts_missing)
			json_put_uint(o, "parts_missing", c->parts_missing);
		json_append(list, o);
	}
	return list;
}

/* ---- places and intervals ---- */

struct place {
	uint32_t where;
	double time; /* below 0: none */
};

struct places {
	VEC(struct place) v;
};

static int compare_places(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	if (a->time < b->time || a->time > b->time)
		return a->time < b->time ? -1 : 1;
	return a->where < b->where ? -1 : a->where > b->where;
}

static void add_place(struct places *p, uint32_t where, double time)
{
	struct place place = { where, time };

	if (!p->v.n || compare_places(&p->v.v[p->v.n - 1], &place))
		vec_push(&p->v, place);
}

/* Distinct ones, in order of time, then as they came. */
static void find_places(struct places *p, const struct counter_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->nr_parts; i++)
		add_place(p, set->parts[i].where, set->parts[i].time);
	for (size_t i = 0; i < set->nr_metrics; i++)
		add_place(p, set->metric[i].where, set->metric[i].time);
	if (p->v.n)
		qsort(p->v.v, p->v.n, sizeof(*p->v.v), compare_places);
	for (size_t i = 0; i < p->v.n; i++)
		if (!i || compare_places(&p->v.v[n - 1], &p->v.v[i]))
			p->v.v[n++] = p->v.v[i];
	p->v.n = n;
}

static void verdict_text(const struct counter_verdict *v, struct strbuf *sb)
{
	if (!v->known)
		return;
	strbuf_adds(sb, bottleneck_text(v->at[0]));
	if (!v->agree)
		strbuf_addf(sb, " / %s", bottleneck_text(v->at[v->n - 1]));
}

enum {
	PLACE_TIME,
	PLACE_WHERE,
	PLACE_CPU,
	PLACE_IPC,
	PLACE_BRANCH,
	PLACE_MPKI,
	PLACE_FAULTS,
	PLACE_VERDICT,
	PLACE_COLUMNS
};

static void add_derived(struct strbuf *sb, const struct derived *d, int decimals)
{
	if (d->known)
		strbuf_addf(sb, "%.*f", decimals, d->value);
}

static void place_text(struct strbuf *sb, const struct counter_set *set, const struct place *p,
		       const struct counter_analysis *a, int column)
{
	switch (column) {
	case PLACE_TIME:
		if (p->time >= 0)
			strbuf_addf(sb, "%.3f", p->time);
		break;
	case PLACE_WHERE:
		strbuf_adds(sb, set->wheres[p->where]);
		break;
	case PLACE_CPU:
		if (a->v[ROLE_CPU_TIME].state == COUNTER_COUNTED)
			strbuf_addf(sb, "%.2f", a->v[ROLE_CPU_TIME].value / 1e6);
		break;
	case PLACE_IPC:
		add_derived(sb, &a->ipc, 2);
		break;
	case PLACE_BRANCH:
		add_derived(sb, &a->branch_miss, 2);
		break;
	case PLACE_MPKI:
		add_derived(sb, &a->mpki, 2);
		break;
	case PLACE_FAULTS:
		add_derived(sb, &a->faults, 0);
		break;
	default:
		verdict_text(&a->verdict, sb);
	}
}

/* The cells of all places, [row * PLACE_COLUMNS + column], to be freed one by one. */
static char **place_cells(const struct counter_set *set, const struct place *p, size_t n,
			  const struct counter_options *opts)
{
	char **cells = xcalloc(n * PLACE_COLUMNS + 1, sizeof(*cells));

	for (size_t i = 0; i < n; i++) {
		struct counter_analysis a;

		counter_analyse_part(&a, set, p[i].where, p[i].time, opts);
		for (int c = 0; c < PLACE_COLUMNS; c++) {
			struct strbuf sb = STRBUF_INIT;

			place_text(&sb, set, &p[i], &a, c);
			cells[i * PLACE_COLUMNS + (size_t)c] = sb.n ? strbuf_detach(&sb) : NULL;
			strbuf_release(&sb);
		}
		counter_analysis_release(&a);
	}
	return cells;
}

static void fill_grid(struct grid *g, char **cells, size_t n)
{
	static const struct grid_column columns[PLACE_COLUMNS] = {
		{ .name = "time", .header = "until", .right = true },
		{ .name = "place", .header = "where" },
		{ .name = "cpu_ms", .header = "CPU ms", .right = true },
		{ .name = "ipc", .header = "IPC", .right = true },
		{ .name = "branch_miss_percent", .header = "branch miss %", .right = true },
		{ .name = "llc_mpki", .header = "LLC MPKI", .right = true },
		{ .name = "faults", .header = "faults/CPU s", .right = true },
		{ .name = "bottleneck", .header = "bound by" },
	};
	bool wanted[PLACE_COLUMNS] = { false };

	for (size_t i = 0; i < n * PLACE_COLUMNS; i++)
		wanted[i % PLACE_COLUMNS] |= cells[i] != NULL;
	for (int c = 0; c < PLACE_COLUMNS; c++)
		if (wanted[c])
			grid_column(g, &columns[c]);
	for (size_t i = 0; i < n * PLACE_COLUMNS; i++) {
		if (wanted[i % PLACE_COLUMNS])
			grid_cell(g, cells[i] ? cells[i] : "", COLOUR_NONE);
		free(cells[i]);
	}
	free(cells);
}

void counters_parts(const struct counter_set *set, const struct counter_options *opts,
		    const struct view_style *style, size_t limit, struct strbuf *sb)
{
	struct places p = { 0 };
	struct grid g = { 0 };
	size_t n;

	find_places(&p, set);
	n = limit && p.v.n > limit ? limit : p.v.n;
	if (p.v.n > 1) {
		fill_grid(&g, place_cells(set, p.v.v, n, opts), n);
		strbuf_addc(sb, '\n');
		grid_print(&g, style, sb);
		if (n < p.v.n)
			strbuf_addf(sb, "… %zu more: --limit=0 shows all.\n", p.v.n - n);
	}
	vec_release(&p.v);
	grid_release(&g);
}

struct json_object *counters_parts_json(const struct counter_set *set,
					const struct counter_options *opts)
{
	struct json_object *list = json_new_array();
	struct places p = { 0 };

	find_places(&p, set);
	for (size_t i = 0; p.v.n > 1 && i < p.v.n; i++) {
		struct counter_analysis a;
		struct json_object *o;

		counter_analyse_part(&a, set, p.v.v[i].where, p.v.v[i].time, opts);
		o = counters_json(&a);
		json_put_text(o, "where", set->wheres[p.v.v[i].where]);
		if (p.v.v[i].time >= 0)
			json_put_real(o, "time", p.v.v[i].time, 9);
		json_append(list, o);
		counter_analysis_release(&a);
	}
	vec_release(&p.v);
	return list;
}
