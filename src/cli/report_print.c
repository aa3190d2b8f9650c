/* SPDX-License-Identifier: MIT */
/*
 * The report in its formats.  For eyes there is a block for each event with samples; for machines
 * a row or an object names its event.  Events are never added up.
 */
#include "cli/report.h"

#include "cli/summary.h"
#include "view/counters.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/line.h"
#include "view/tree.h"
#include "view/tree_detail.h"

static bool for_eyes(const struct report_options *o)
{
	return view_for_eyes(&o->common.out.style);
}

bool report_tells_problems(const struct report_options *o)
{
	return for_eyes(o) || o->common.out.style.format == VIEW_JSON;
}

/* The function table, which "hottest" is about, whatever the rows are told apart by. */
static void build_functions(struct table *t, const struct session *s, uint32_t event,
			    const struct report_options *o)
{
	const struct table_options by_function = {
		.keys = { { KEY_DSO, KEY_SYM }, 2 },
		.by_count = o->common.out.by_count,
		.blocks = s->profile->timed,
	};

	table_build(t, s->profile, event, &by_function);
}

/* Folded stacks know no modules: a column for them is shown only if it is asked for. */
static struct view_keys keys_of(const struct session *s, const struct report_options *o)
{
	if (s->profile->folded && !o->keys_given)
		return (struct view_keys){ { KEY_SYM }, 1 };
	return o->keys;
}

static void build_rows(struct table *t, const struct session *s, uint32_t event,
		       const struct report_options *o)
{
	const struct table_options rows = {
		.keys = keys_of(s, o),
		.by_count = o->common.out.by_count,
		.by_total = o->by_total,
		.blocks = s->profile->timed,
	};

	table_build(t, s->profile, event, &rows);
}

/* Whether the rows are the functions, in the same order: then one table serves both. */
static bool rows_are_functions(const struct session *s, const struct report_options *o)
{
	const struct view_keys keys = keys_of(s, o);

	return !o->by_total && keys.n == 2 && keys.v[0] == KEY_DSO && keys.v[1] == KEY_SYM;
}

/* Whose ratios are shown; eyes get them once, with the event that tells the time. */
static const struct ratio_events *ratios_for(const struct report_options *o, uint32_t event)
{
	if (!o->recorded->ratios || (for_eyes(o) && event != o->recorded->time_event))
		return NULL;
	return &o->recorded->events;
}

static void add_ratios(struct table *t, struct table_ratios *r, const struct report_options *o)
{
	const struct ratio_events *events = ratios_for(o, t->event);

	*r = (struct table_ratios){ .rows = NULL };
	if (!events)
		return;
	table_ratios_build(r, t, events);
	t->ratios = r;
}

static void build_tree(struct tree *t, const struct session *s, uint32_t event,
		       const struct report_options *o)
{
	tree_build(t, s->profile, event, &o->tree);
	tree_find_detail(t, ratios_for(o, event));
}

static void print_table(struct table *t, const struct report_options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->common.out.style;
	struct table_ratios ratios;

	add_ratios(t, &ratios, o);
	table_print(t, &o->print, style, sb);
	if (for_eyes(o) && t->ratios)
		ratios_note(&ratios.shape, style, sb);
	t->ratios = NULL;
	table_ratios_release(&ratios);
}

static void print_rows(const struct session *s, struct table *functions, uint32_t event,
		       const struct report_options *o, struct strbuf *sb)
{
	struct table rows;

	if (rows_are_functions(s, o)) {
		print_table(functions, o, sb);
		return;
	}
	build_rows(&rows, s, event, o);
	print_table(&rows, o, sb);
	table_release(&rows);
}

static void find_hints(struct hints *h, const struct session *s, uint32_t event,
		       const struct report_options *o)
{
	struct profile_modules modules = session_modules(s);
	struct hint_options opts = o->hints;

	opts.modules = &modules;
	hints_find(h, s->profile, event, &opts);
}

static void print_hints(const struct session *s, uint32_t event, const struct report_options *o,
			struct strbuf *sb)
{
	const struct view_style *style = &o->common.out.style;
	struct hints h;

	if (o->no_hints)
		return;
	find_hints(&h, s, event, o);
	if (h.n)
		strbuf_addc(sb, '\n');
	hints_print(&h, style, sb);
	hints_release(&h);
}

/* What the events say together, with the one that tells the time if there is one. */
static void print_counters(const struct report_options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->common.out.style;

	if (!counters_tell(&o->recorded->analysis))
		return;
	strbuf_addc(sb, '\n');
	counters_print(&o->recorded->analysis, style, sb);
}

static void print_event(const struct session *s, const struct summary *sum, uint32_t event,
			const struct report_options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->common.out.style;
	struct table functions;
	struct tree tree;

	overview_event(&sum->rec, event, style, sb);
	build_functions(&functions, s, event, o);
	overview_hottest(&functions, style, sb);
	strbuf_addc(sb, '\n');
	if (o->tree.type != TREE_NONE) {
		build_tree(&tree, s, event, o);
		tree_print(&tree, style, sb);
		tree_release(&tree);
	} else {
		print_rows(s, &functions, event, o, sb);
	}
	table_release(&functions);
	if (event == o->recorded->time_event)
		print_counters(o, sb);
	print_hints(s, event, o, sb);
}

static bool chosen(const struct session *s, const struct report_options *o, uint32_t event)
{
	const struct profile *p = s->profile;

	return filter_event(o->common.filter.f, profile_str(p, p->events[event].name));
}

/* Events without a block of their own, in one line. */
static void print_empty(const struct session *s, const struct report_options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->common.out.style;
	const struct profile *p = s->profile;
	struct strbuf names = STRBUF_INIT;
	bool filtered = false;

	for (uint32_t i = 0; i < p->nr_events; i++) {
		if (p->events[i].samples || !chosen(s, o, i))
			continue;
		strbuf_addf(&names, "%s%s", names.n ? ", " : "", profile_str(p, p->events[i].name));
		filtered |= s->events[i].samples != 0;
	}
	if (filtered)
		strbuf_adds(&names, " (left out by filters)");
	line_print(sb, style, "no samples", strbuf_str(&names));
	if (!p->nr_events)
		line_print(sb, style, "no samples", "the input holds none");
	strbuf_release(&names);
}

static void print_eyes(const struct session *s, const struct summary *sum,
		       const struct report_options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->common.out.style;

	overview_print(&sum->rec, style, sb);
	print_empty(s, o, sb);
	for (uint32_t i = 0; i < s->profile->nr_events; i++) {
		if (!s->profile->events[i].samples)
			continue;
		if (s->nr_events > 1)
			strbuf_addc(sb, '\n');
		print_event(s, sum, i, o, sb);
	}
	if (o->recorded->time_event == PROFILE_NONE)
		print_counters(o, sb);
}

static void print_tree_fields(const struct session *s, const struct report_options *o,
			      struct strbuf *sb)
{
	struct grid g = { 0 };

	tree_fields_columns(&g);
	for (uint32_t i = 0; i < s->profile->nr_events; i++) {
		struct tree tree;

		build_tree(&tree, s, i, o);
		tree_fields_nodes(&g, &tree, o->tree.callees ? "caller" : "callee");
		tree_release(&tree);
	}
	grid_print(&g, &o->common.out.style, sb);
	grid_release(&g);
}

static void print_fields(const struct session *s, const struct report_options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->common.out.style;

	for (uint32_t i = 0; i < s->profile->nr_events; i++) {
		struct table_ratios ratios;
		struct table rows;

		build_rows(&rows, s, i, o);
		add_ratios(&rows, &ratios, o);
		if (!i)
			table_print_header(&rows, &o->print, style, sb);
		table_print(&rows, &o->print, style, sb);
		table_ratios_release(&ratios);
		table_release(&rows);
	}
}

static struct json_object *event_json(const struct session *s, const struct summary *sum,
				      uint32_t event, const struct report_options *o)
{
	struct json_object *json = overview_event_json(&sum->rec, event);
	struct table functions, rows;
	struct table_ratios ratios;
	struct hints hints;
	struct tree tree;

	build_functions(&functions, s, event, o);
	json_put(json, "hottest", overview_hottest_json(&functions));
	table_release(&functions);
	if (!o->no_hints) {
		find_hints(&hints, s, event, o);
		json_put(json, "hints", hints_json(&hints));
		hints_release(&hints);
	}
	if (o->tree.type != TREE_NONE) {
		build_tree(&tree, s, event, o);
		json_put(json, "tree", tree_json(&tree));
		tree_release(&tree);
	} else {
		build_rows(&rows, s, event, o);
		add_ratios(&rows, &ratios, o);
		json_put(json, "table", table_json(&rows, &o->print));
		table_ratios_release(&ratios);
		table_release(&rows);
	}
	return json;
}

static void print_json(const struct session *s, const struct summary *sum,
		       const struct report_options *o, struct strbuf *sb)
{
	struct json_object *json = json_new(), *events = json_new_array();

	json_put_text(json, "schema", "perfrep-report-1");
	json_put_text(json, "weight", o->common.out.by_count ? "count" : "period");
	json_put(json, "recording", overview_json(&sum->rec));
	for (uint32_t i = 0; i < s->profile->nr_events; i++)
		if (chosen(s, o, i))
			json_append(events, event_json(s, sum, i, o));
	json_put(json, "events", events);
	if (counters_tell(&o->recorded->analysis))
		json_put(json, "counters", counters_json(&o->recorded->analysis));
	json_finish(json, sb);
}

static void print(const struct session *s, const struct summary *sum,
		  const struct report_options *o, struct strbuf *sb)
{
	if (for_eyes(o))
		print_eyes(s, sum, o, sb);
	else if (o->common.out.style.format == VIEW_JSON)
		print_json(s, sum, o, sb);
	else if (o->tree.type != TREE_NONE)
		print_tree_fields(s, o, sb);
	else
		print_fields(s, o, sb);
}

void report_print(const struct session *s, const struct report_options *o, struct strbuf *sb)
{
	struct report_options with = *o;
	struct recorded recorded;
	struct summary sum;

	recorded_init(&recorded, s, false, &o->counters.c);
	with.recorded = &recorded;
	summary_init(&sum, s, o->common.in.path, o->common.out.by_count);
	print(s, &sum, &with, sb);
	summary_release(&sum);
	recorded_release(&recorded);
}
