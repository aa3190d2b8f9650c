/* SPDX-License-Identifier: MIT */
/* Time off the CPU as tables.  For eyes states are a few words; machines get a column for each. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "view/cell.h"
#include "view/line.h"
#include "view/number.h"
#include "view/offcpu.h"

enum { SHOWN_FRAMES = 8, SHOWN_STATES = 3 };

/* "sleeping 97.5 %, runnable 2.5 %": the largest first. */
static void add_states(struct strbuf *sb, const uint64_t *states, uint64_t total)
{
	bool used[OFFCPU_STATES] = { false };

	for (int shown = 0; shown < SHOWN_STATES; shown++) {
		int best = -1;

		for (int s = 0; s < OFFCPU_STATES; s++)
			if (states[s] && !used[s] && (best < 0 || states[s] > states[best]))
				best = s;
		if (best < 0)
			return;
		used[best] = true;
		strbuf_addf(sb, "%s%s", shown ? ", " : "",
			    offcpu_state_name((enum offcpu_state)best));
		if (states[best] != total) {
			strbuf_addc(sb, ' ');
			number_percent(sb, (double)states[best] / (double)total);
			strbuf_adds(sb, " %");
		}
	}
}

static void column(struct grid *g, const char *name, const char *header, bool right, uint8_t drop)
{
	grid_column(g, &(struct grid_column){
			       .name = name, .header = header, .right = right, .drop = drop });
}

static void state_columns(struct grid *g)
{
	static const char *const names[OFFCPU_STATES] = {
		"sleeping_ns", "disk_ns",     "stopped_ns",   "idle_ns",     "parked_ns",
		"blocked_ns",  "unstated_ns", "preempted_ns", "runnable_ns",
	};

	for (int s = 0; s < OFFCPU_STATES; s++)
		column(g, names[s], names[s], true, 0);
}

static void group_columns(const struct offcpu_groups *groups, const struct view_style *style,
			  struct grid *g)
{
	bool eyes = view_for_eyes(style), stack = groups->by == OFFCPU_BY_STACK;

	column(g, "percent", "share", true, 0);
	column(g, "total_ns", "off-cpu", true, 0);
	column(g, "count", "times", true, 3);
	column(g, "mean_ns", "mean", true, 4);
	column(g, "p99_ns", "p99", true, 2);
	column(g, "max_ns", "longest", true, 5);
	if (eyes) {
		column(g, "states", "states", false, 1);
	} else {
		state_columns(g);
		column(g, "not_over_ns", "", true, 0);
	}
	grid_column(g,
		    &(struct grid_column){ .name = stack ? "stack" : "function",
					   .header = stack ? "stack, innermost first" : "function",
					   .symbol = true,
					   .code = true,
					   .shrink = 20 });
	if (!stack)
		column(g, "module", "module", false, 6);
}

/* The functions of a stack from the one that waits outwards. */
static void add_path(struct strbuf *sb, const struct offcpu_groups *g,
		     const struct offcpu_group *row, size_t limit)
{
	const struct profile *p = g->profile;
	const struct offcpu_detail *d = g->detail;
	struct offcpu_stack st = d->stacks[row->stack];
	bool begun = false;
	size_t n = 0;

	for (uint32_t i = st.n; i-- > 0;) {
		const struct location *l = &p->locs[d->locs[st.first + i]];

		for (uint32_t k = 0; k < l->nr_lines; k++) {
			uint32_t func = p->lines[l->first_line + k].func;

			begun = begun || func == row->func;
			if (!begun)
				continue;
			if (limit && n == limit) {
				strbuf_adds(sb, " ← …");
				return;
			}
			strbuf_addf(sb, "%s%s", n++ ? " ← " : "",
				    profile_str(p, p->funcs[func].name));
		}
	}
}

static void name_cells(const struct offcpu_groups *groups, const struct offcpu_group *row,
		       const struct view_style *style, struct grid *g, struct strbuf *sb)
{
	const struct profile *p = groups->profile;

	if (groups->by == OFFCPU_BY_STACK && row->stack != PROFILE_NONE)
		add_path(sb, groups, row, view_for_eyes(style) ? SHOWN_FRAMES : 0);
	else if (row->func == PROFILE_NONE)
		strbuf_adds(sb, "[no stack]");
	else
		strbuf_adds(sb, profile_str(p, p->funcs[row->func].name));
	cell_take(g, sb, COLOUR_NONE);
	if (groups->by == OFFCPU_BY_FUNCTION)
		grid_cell(g,
			  row->func == PROFILE_NONE ? ""
						    : profile_str(p, p->funcs[row->func].module),
			  COLOUR_NONE);
}

static void group_row(const struct offcpu_groups *groups, const struct offcpu_group *row,
		      const struct view_style *style, struct grid *g, struct strbuf *sb)
{
	double share = groups->total ? (double)row->total / (double)groups->total : 0;

	if (view_for_eyes(style)) {
		number_percent(sb, share);
		strbuf_adds(sb, " %");
	} else {
		strbuf_addf(sb, "%.4f", share * 100);
	}
	cell_take(g, sb, COLOUR_NONE);
	cell_time(g, row->total, view_for_eyes(style));
	cell_count(g, row->count, view_for_eyes(style), COLOUR_NONE);
	cell_time(g, row->mean, view_for_eyes(style));
	cell_time(g, row->p99, view_for_eyes(style));
	cell_time(g, row->max, view_for_eyes(style));
	if (view_for_eyes(style)) {
		add_states(sb, row->states, row->total);
		cell_take(g, sb, COLOUR_NONE);
	} else {
		for (int s = 0; s < OFFCPU_STATES; s++)
			cell_time(g, row->states[s], view_for_eyes(style));
		cell_time(g, row->open, view_for_eyes(style));
	}
	name_cells(groups, row, style, g, sb);
}

/* "… 12 more" below a table that was cut. */
static void print_rest(size_t shown, size_t all, const char *what, const struct view_style *style,
		       struct strbuf *sb)
{
	if (shown < all && view_for_eyes(style))
		strbuf_addf(sb, "… %zu more %s\n", all - shown, what);
}

void offcpu_groups_print(const struct offcpu_groups *groups, size_t limit,
			 const struct view_style *style, struct strbuf *sb)
{
	size_t n = limit && limit < groups->n ? limit : groups->n;
	struct strbuf text = STRBUF_INIT;
	struct grid g = { 0 };

	group_columns(groups, style, &g);
	for (size_t i = 0; i < n; i++)
		group_row(groups, &groups->v[i], style, &g, &text);
	grid_print(&g, style, sb);
	print_rest(n, groups->n, groups->by == OFFCPU_BY_STACK ? "stacks" : "functions", style, sb);
	grid_release(&g);
	strbuf_release(&text);
}

/* ---- threads ---- */

static uint64_t blocked(const struct offcpu_thread *t)
{
	return t->states[OFFCPU_DISK] + t->states[OFFCPU_STOPPED] + t->states[OFFCPU_PARKED] +
	       t->states[OFFCPU_IDLE] + t->states[OFFCPU_BLOCKED] + t->states[OFFCPU_UNSTATED];
}

static int by_run(const void *pa, const void *pb)
{
	const struct offcpu_thread *const *a = pa, *const *b = pb;
	uint64_t x = (*a)->run, y = (*b)->run;

	if (x != y)
		return x > y ? -1 : 1;
	if ((*a)->life != (*b)->life)
		return (*a)->life > (*b)->life ? -1 : 1;
	return (*a)->tid < (*b)->tid ? -1 : (*a)->tid > (*b)->tid;
}

static void thread_columns(const struct view_style *style, struct grid *g)
{
	column(g, "life_ns", "life", true, 0);
	column(g, "run_ns", "on-CPU", true, 0);
	if (view_for_eyes(style)) {
		column(g, "sleeping", "sleeping", true, 0);
		column(g, "blocked", "blocked", true, 0);
		column(g, "runnable", "runnable", true, 0);
		column(g, "preempted", "preempted", true, 0);
	} else {
		state_columns(g);
		column(g, "sleeping_runnable_ns", "", true, 0);
		column(g, "disk_runnable_ns", "", true, 0);
	}
	column(g, "unknown_ns", "unknown", true, 0);
	if (!view_for_eyes(style)) {
		column(g, "not_over_ns", "", true, 0);
		column(g, "doubtful_ns", "", true, 0);
	}
	column(g, "pid", "pid", true, 2);
	column(g, "tid", "tid", true, 1);
	grid_column(g, &(struct grid_column){ .name = "comm", .header = "thread", .shrink = 8 });
}

/* -1: not known */
static void number_cell(struct grid *g, const struct view_style *style, int32_t v,
			struct strbuf *sb)
{
	if (v >= 0 || !view_for_eyes(style))
		strbuf_addf(sb, "%" PRId32, v);
	else
		strbuf_adds(sb, "–");
	cell_take(g, sb, COLOUR_NONE);
}

static void thread_row(const struct profile *p, const struct offcpu_thread *t,
		       const struct view_style *style, struct grid *g, struct strbuf *sb)
{
	cell_time(g, t->life, view_for_eyes(style));
	cell_time(g, t->run, view_for_eyes(style));
	if (view_for_eyes(style)) {
		cell_time(g, t->states[OFFCPU_SLEEPING], view_for_eyes(style));
		cell_time(g, blocked(t), view_for_eyes(style));
		cell_time(g, t->states[OFFCPU_RUNNABLE], view_for_eyes(style));
		cell_time(g, t->states[OFFCPU_PREEMPTED], view_for_eyes(style));
	} else {
		for (int s = 0; s < OFFCPU_STATES; s++)
			cell_time(g, t->states[s], view_for_eyes(style));
		cell_time(g, t->woken[OFFCPU_SLEEPING], view_for_eyes(style));
		cell_time(g, t->woken[OFFCPU_DISK], view_for_eyes(style));
	}
	cell_time(g, t->unknown, view_for_eyes(style));
	if (!view_for_eyes(style)) {
		cell_time(g, t->open, view_for_eyes(style));
		cell_time(g, t->doubtful, view_for_eyes(style));
	}
	number_cell(g, style, t->pid, sb);
	number_cell(g, style, t->tid, sb);
	grid_cell(g, profile_str(p, t->comm), COLOUR_NONE);
}

void offcpu_threads_print(const struct profile *p, const struct offcpu_detail *d, size_t limit,
			  const struct view_style *style, struct strbuf *sb)
{
	const struct offcpu_thread **order = xcalloc(d->nr_threads, sizeof(*order));
	size_t n = limit && limit < d->nr_threads ? limit : d->nr_threads;
	struct strbuf text = STRBUF_INIT;
	struct grid g = { 0 };

	for (size_t i = 0; i < d->nr_threads; i++)
		order[i] = &d->threads[i];
	if (d->nr_threads)
		qsort(order, d->nr_threads, sizeof(*order), by_run);
	thread_columns(style, &g);
	for (size_t i = 0; i < n; i++)
		thread_row(p, order[i], style, &g, &text);
	grid_print(&g, style, sb);
	print_rest(n, d->nr_threads, "threads", style, sb);
	free(order);
	grid_release(&g);
	strbuf_release(&text);
}

static void print_missing(const struct offcpu_detail *d, const struct view_style *style,
			  struct strbuf *sb)
{
	uint64_t missing = d->missing_in + d->missing_out;
	struct strbuf line = STRBUF_INIT;

	if (!missing && !d->holes)
		return;
	if (missing)
		strbuf_addf(&line, "%" PRIu64 " switch%s missing", missing,
			    missing == 1 ? " is" : "es are");
	if (d->holes)
		strbuf_addf(&line, "%srecords were lost in %" PRIu64 " place%s",
			    missing ? ", and " : "", d->holes, d->holes == 1 ? "" : "s");
	strbuf_adds(&line, ": what was there is unknown, not guessed");
	line_print(sb, style, "", strbuf_str(&line));
	strbuf_release(&line);
}

/* ---- above ---- */

void offcpu_head_print(const struct offcpu_groups *g, const struct view_style *style,
		       struct strbuf *sb)
{
	const struct offcpu_detail *d = g->detail;
	uint64_t states[OFFCPU_STATES] = { 0 };
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < d->nr_waits; i++)
		for (int k = 0; k < 2; k++)
			states[d->waits[i].mark[k] / 2] += d->waits[i].ns[k];
	number_duration(&line, (double)g->total / 1e9);
	strbuf_addf(&line, ", summed over %zu threads, in ", d->nr_threads);
	number_duration(&line, (double)d->length / 1e9);
	strbuf_adds(&line, " of recording");
	if (g->total) {
		strbuf_adds(&line, ": ");
		add_states(&line, states, g->total);
	}
	line_print(sb, style, "off-cpu", strbuf_str(&line));
	strbuf_clear(&line);
	if (!d->has_states)
		line_print(sb, style, "",
			   "why is not recorded: record sched:sched_switch with -g for "
			   "states and stacks");
	if (!d->has_wakes)
		line_print(sb, style, "",
			   "wakings are not recorded, so a wait for a CPU counts as "
			   "the state before it: record sched:sched_waking too");
	print_missing(d, style, sb);
	strbuf_release(&line);
}
