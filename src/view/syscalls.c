/* SPDX-License-Identifier: MIT */
#include "view/syscalls.h"

#include <inttypes.h>

#include "view/cell.h"
#include "view/json.h"
#include "view/number.h"
#include "view/wrap.h"

enum { FRAMES_SHOWN = 8 }; /* for eyes */

static uint64_t returned(const struct syscall_row *r)
{
	return r->calls - r->open - r->broken;
}

/* ---- cells ---- */

static void time_cell(struct grid *g, uint64_t ns, bool known, bool eyes)
{
	if (known)
		cell_time(g, ns, eyes);
	else
		grid_cell(g, eyes ? "–" : "", COLOUR_NONE);
}

/* Folded, but leaf first: "nap < sleeps < run_job". */
static void stack_cell(struct grid *g, const struct syscall_row *r, bool eyes)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < r->nr_stack && !(eyes && i == FRAMES_SHOWN); i++) {
		if (i)
			strbuf_adds(&sb, " < ");
		strbuf_adds(&sb, r->stack[i]);
	}
	if (eyes && r->nr_stack > FRAMES_SHOWN)
		strbuf_adds(&sb, " < …");
	cell_take(g, &sb, COLOUR_NONE);
}

/* ---- the table ---- */

static void add_columns(struct grid *g, const struct syscall_table *t, const struct syscall_view *v,
			bool eyes)
{
	static const struct grid_column numbers[] = {
		{ .name = "total_ns", .header = "total", .right = true },
		{ .name = "calls", .header = "calls", .right = true },
		{ .name = "errors", .header = "errors", .right = true, .drop = 2 },
		{ .name = "open", .header = "open", .right = true, .drop = 5 },
		{ .name = "mean_ns", .header = "mean", .right = true, .drop = 3 },
		{ .name = "p50_ns", .header = "p50", .right = true, .drop = 4 },
		{ .name = "p99_ns", .header = "p99", .right = true, .drop = 1 },
		{ .name = "max_ns", .header = "longest", .right = true },
	};
	static const struct grid_column machines[] = {
		{ .name = "max_at_ns" },
		{ .name = "broken" },
		{ .name = "pid" },
		{ .name = "nr" },
	};
	static const struct grid_column tid = {
		.name = "tid", .header = "tid", .right = true, .drop = 7
	};
	static const struct grid_column comm = {
		.name = "comm", .header = "thread", .code = true, .shrink = 8
	};
	static const struct grid_column call = {
		.name = "call", .header = "call", .code = true, .shrink = 8
	};
	static const struct grid_column stack = {
		.name = "stack", .header = "longest was from", .code = true, .shrink = 16, .drop = 6
	};

	GRID_COLUMNS(g, numbers);
	if (!eyes)
		GRID_COLUMNS(g, machines);
	if (v->threads) {
		grid_column(g, &tid);
		grid_column(g, &comm);
	}
	grid_column(g, &call);
	if (t->has_stacks)
		grid_column(g, &stack);
}

static void add_row(struct grid *g, const struct syscall_table *t, const struct syscall_view *v,
		    const struct syscall_row *r, bool eyes)
{
	uint64_t n = returned(r);

	time_cell(g, r->total, true, eyes);
	cell_count(g, r->calls, eyes, COLOUR_NONE);
	cell_count(g, r->errors, eyes, COLOUR_WARN);
	cell_count(g, r->open, eyes, COLOUR_NONE);
	time_cell(g, r->calls - r->broken ? r->total / (r->calls - r->broken) : 0,
		  r->calls != r->broken, eyes);
	time_cell(g, r->p50, n, eyes);
	time_cell(g, r->p99, n, eyes);
	time_cell(g, r->max, n, eyes);
	if (!eyes) {
		time_cell(g, r->max_at, n, false);
		cell_count(g, r->broken, false, COLOUR_NONE);
		cell_id(g, r->pid);
		cell_id(g, r->nr);
	}
	if (v->threads) {
		cell_id(g, r->tid);
		grid_cell(g, r->comm ? r->comm : "", COLOUR_NONE);
	}
	grid_cell(g, r->name, COLOUR_NONE);
	if (t->has_stacks)
		stack_cell(g, r, eyes);
}

static void print_head(const struct syscall_table *t, const struct syscall_view *v,
		       const struct view_style *style, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s · ", v->file);
	number_duration(&line, (double)(t->end - t->begin) / 1e9);
	strbuf_adds(&line, " · ");
	number_thousands(&line, t->calls);
	strbuf_addf(&line, " call%s of %zu thread%s · ", t->calls == 1 ? "" : "s", t->nr_threads,
		    t->nr_threads == 1 ? "" : "s");
	number_thousands(&line, t->errors);
	strbuf_adds(&line, t->errors == 1 ? " error" : " errors");
	if (t->open) {
		strbuf_adds(&line, " · ");
		number_thousands(&line, t->open);
		strbuf_adds(&line, " not over at the end");
	}
	wrap_line(sb, style, "calls", strbuf_str(&line));
	strbuf_clear(&line);
	if (t->broken) {
		number_thousands(&line, t->broken);
		strbuf_adds(&line, t->broken == 1 ? " call whose return is missing: it is counted, "
						    "without a time"
						  : " calls whose returns are missing: they are "
						    "counted, without a time");
		wrap_line(sb, style, "missing", strbuf_str(&line));
	}
	strbuf_release(&line);
	strbuf_addc(sb, '\n');
}

void syscalls_print(const struct syscall_table *t, const struct syscall_view *v,
		    const struct view_style *style, struct strbuf *sb)
{
	size_t n = v->limit && v->limit < t->n ? v->limit : t->n;
	struct grid g = { 0 };

	if (style->format == VIEW_TEXT)
		print_head(t, v, style, sb);
	add_columns(&g, t, v, view_for_eyes(style));
	for (size_t i = 0; i < n; i++)
		add_row(&g, t, v, &t->rows[i], view_for_eyes(style));
	grid_print(&g, style, sb);
	if (view_for_eyes(style) && n < t->n)
		strbuf_addf(sb, "… %zu more row%s: --limit=0 lists all\n", t->n - n,
			    t->n - n == 1 ? "" : "s");
	grid_release(&g);
}

/* ---- JSON ---- */

static struct json_object *row_json(const struct syscall_row *r, const struct syscall_view *v)
{
	struct json_object *o = json_new(), *stack = json_new_array();

	json_put_text(o, "call", r->name);
	json_put_int(o, "nr", r->nr);
	if (v->threads) {
		json_put_text(o, "comm", r->comm);
		json_put_int(o, "pid", r->pid);
		json_put_int(o, "tid", r->tid);
	}
	json_put_uint(o, "calls", r->calls);
	json_put_uint(o, "errors", r->errors);
	json_put_uint(o, "open", r->open);
	json_put_uint(o, "broken", r->broken);
	json_put_uint(o, "total_ns", r->total);
	if (returned(r)) {
		json_put_uint(o, "p50_ns", r->p50);
		json_put_uint(o, "p99_ns", r->p99);
		json_put_uint(o, "max_ns", r->max);
		json_put_uint(o, "max_at_ns", r->max_at);
	}
	json_append_texts(stack, r->stack, r->nr_stack);
	json_put(o, "stack", stack);
	return o;
}

struct json_object *syscalls_json(const struct syscall_table *t, const struct syscall_view *v)
{
	struct json_object *o = json_new(), *rows = json_new_array();

	json_put_text(o, "file", v->file);
	json_put_uint(o, "begin_ns", t->begin);
	json_put_uint(o, "end_ns", t->end);
	json_put_uint(o, "threads", t->nr_threads);
	json_put_uint(o, "calls", t->calls);
	json_put_uint(o, "errors", t->errors);
	json_put_uint(o, "open", t->open);
	json_put_uint(o, "broken", t->broken);
	json_put_uint(o, "unmatched_returns", t->unmatched);
	json_put_uint(o, "unreadable", t->unreadable);
	for (size_t i = 0; i < t->n && (!v->limit || i < v->limit); i++)
		json_append(rows, row_json(&t->rows[i], v));
	json_put(o, "rows", rows);
	return o;
}
