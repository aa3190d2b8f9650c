/* SPDX-License-Identifier: MIT */
/*
 * Three tables of one matter: threads, how long waits for a CPU were, and the longest of them.
 * For eyes they come one below the other; a format with one table has the one that was asked for.
 */
#include "view/sched.h"

#include <inttypes.h>

#include "view/cell.h"
#include "view/json.h"
#include "view/number.h"
#include "view/wrap.h"

/* ---- cells ---- */

/* A time of the recording's clock, as perf script prints it. */
static void add_clock(struct strbuf *sb, uint64_t ns)
{
	strbuf_addf(sb, "%" PRIu64 ".%06" PRIu64, ns / 1000000000, ns % 1000000000 / 1000);
}

static void clock_cell(struct grid *g, uint64_t ns, bool eyes)
{
	struct strbuf sb = STRBUF_INIT;

	if (!eyes)
		strbuf_addu(&sb, ns);
	else if (ns)
		add_clock(&sb, ns);
	cell_take(g, &sb, COLOUR_NONE);
}

static uint64_t mean(const struct sched_delays *d)
{
	return d->n ? d->sum / d->n : 0;
}

/* ---- threads ---- */

static void thread_columns(struct grid *g, bool eyes)
{
	static const struct grid_column short_list[] = {
		{ .header = "run", .right = true },
		{ .header = "asleep", .right = true },
		{ .header = "waits", .right = true },
		{ .header = "unknown", .right = true, .drop = 6 },
		{ .header = "switches", .right = true, .drop = 3 },
		{ .header = "preempted", .right = true, .drop = 4 },
		{ .header = "moved", .right = true, .drop = 7 },
		{ .header = "mean", .right = true, .drop = 2 },
		{ .header = "p50", .right = true, .drop = 5 },
		{ .header = "p99", .right = true, .drop = 1 },
		{ .header = "longest", .right = true },
		{ .header = "at", .right = true, .drop = 8 },
		{ .header = "tid", .right = true, .drop = 9 },
		{ .header = "thread", .code = true, .shrink = 10 },
	};
	static const struct grid_column long_list[] = {
		{ .name = "comm" },         { .name = "pid" },
		{ .name = "tid" },          { .name = "life_ns" },
		{ .name = "run_ns" },       { .name = "sleeping_ns" },
		{ .name = "disk_ns" },      { .name = "blocked_ns" },
		{ .name = "woken_ns" },     { .name = "preempted_ns" },
		{ .name = "unknown_ns" },   { .name = "doubtful_ns" },
		{ .name = "switches" },     { .name = "preempted" },
		{ .name = "migrations" },   { .name = "delays" },
		{ .name = "delay_sum_ns" }, { .name = "delay_mean_ns" },
		{ .name = "delay_p50_ns" }, { .name = "delay_p99_ns" },
		{ .name = "delay_max_ns" }, { .name = "delay_max_at_ns" },
	};

	if (eyes)
		GRID_COLUMNS(g, short_list);
	else
		GRID_COLUMNS(g, long_list);
}

static void thread_for_eyes(struct grid *g, const struct sched_row *r)
{
	const struct sched_delays *d = &r->delays;

	cell_time(g, r->time[PART_RUN], true);
	cell_time(g, r->time[PART_SLEEPING] + r->time[PART_DISK] + r->time[PART_BLOCKED], true);
	cell_time(g, r->time[PART_WOKEN] + r->time[PART_PREEMPTED], true);
	cell_time(g, r->time[PART_UNKNOWN], true);
	cell_count(g, r->switches, true, COLOUR_NONE);
	cell_count(g, r->preempted, true, COLOUR_NONE);
	cell_count(g, r->migrations, true, COLOUR_NONE);
	cell_time(g, mean(d), true);
	cell_time(g, d->p50, true);
	cell_time(g, d->p99, true);
	cell_time(g, d->max, true);
	clock_cell(g, d->max_at, true);
	cell_id(g, r->tid);
	grid_cell(g, r->comm, COLOUR_NONE);
}

static void thread_for_machines(struct grid *g, const struct sched_row *r)
{
	const struct sched_delays *d = &r->delays;

	grid_cell(g, r->comm, COLOUR_NONE);
	cell_id(g, r->pid);
	cell_id(g, r->tid);
	cell_time(g, r->life, false);
	for (int i = 0; i < PART_MAX; i++)
		cell_time(g, r->time[i], false);
	cell_time(g, r->doubtful, false);
	cell_count(g, r->switches, false, COLOUR_NONE);
	cell_count(g, r->preempted, false, COLOUR_NONE);
	cell_count(g, r->migrations, false, COLOUR_NONE);
	cell_count(g, d->n, false, COLOUR_NONE);
	cell_time(g, d->sum, false);
	cell_time(g, mean(d), false);
	cell_time(g, d->p50, false);
	cell_time(g, d->p99, false);
	cell_time(g, d->max, false);
	clock_cell(g, d->max_at, false);
}

static size_t shown_rows(const struct sched_table *t, const struct sched_view *v)
{
	return v->limit && v->limit < t->n ? v->limit : t->n;
}

static void print_threads(const struct sched_table *t, const struct sched_view *v,
			  const struct view_style *style, struct strbuf *sb)
{
	size_t n = shown_rows(t, v);
	struct grid g = { 0 };

	thread_columns(&g, view_for_eyes(style));
	for (size_t i = 0; i < n; i++) {
		if (view_for_eyes(style))
			thread_for_eyes(&g, &t->rows[i]);
		else
			thread_for_machines(&g, &t->rows[i]);
	}
	grid_print(&g, style, sb);
	if (view_for_eyes(style) && n < t->n)
		strbuf_addf(sb, "… %zu more thread%s: --limit=0 lists all\n", t->n - n,
			    t->n - n == 1 ? "" : "s");
	grid_release(&g);
}

/* ---- histogram ---- */

static uint64_t bucket_from(unsigned b)
{
	return b ? (uint64_t)1 << b : 0;
}

static void bucket_for_eyes(struct grid *g, const struct sched_table *t, unsigned b)
{
	const struct sched_bucket *k = &t->histogram[b];
	double share = t->delays.n ? (double)k->n / (double)t->delays.n : 0;
	struct strbuf sb = STRBUF_INIT;

	if (b)
		number_duration(&sb, (double)bucket_from(b) / 1e6);
	else
		strbuf_adds(&sb, "0");
	cell_take(g, &sb, COLOUR_NONE);
	cell_count(g, k->n, true, COLOUR_NONE);
	number_percent(&sb, share);
	strbuf_adds(&sb, " %");
	cell_take(g, &sb, COLOUR_NONE);
	cell_time(g, k->sum, true);
	for (unsigned i = 0; i < (unsigned)(share * 40 + 0.5); i++)
		strbuf_adds(&sb, "█");
	cell_take(g, &sb, COLOUR_NONE);
}

static void print_histogram(const struct sched_table *t, const struct view_style *style,
			    struct strbuf *sb)
{
	static const struct grid_column short_list[] = {
		{ .header = "from", .right = true },
		{ .header = "waits", .right = true },
		{ .header = "share", .right = true },
		{ .header = "together", .right = true },
		{ .header = "" },
	};
	static const struct grid_column long_list[] = {
		{ .name = "from_us" },
		{ .name = "to_us" },
		{ .name = "delays" },
		{ .name = "sum_ns" },
	};
	unsigned first = SCHED_BUCKETS, last = 0;
	struct grid g = { 0 };

	if (view_for_eyes(style))
		GRID_COLUMNS(&g, short_list);
	else
		GRID_COLUMNS(&g, long_list);
	for (unsigned b = 0; b < SCHED_BUCKETS; b++) {
		if (!t->histogram[b].n)
			continue;
		first = b < first ? b : first;
		last = b;
	}
	for (unsigned b = first; b <= last; b++) {
		if (view_for_eyes(style)) {
			bucket_for_eyes(&g, t, b);
			continue;
		}
		cell_count(&g, bucket_from(b), false, COLOUR_NONE);
		cell_count(&g, bucket_from(b + 1), false, COLOUR_NONE);
		cell_count(&g, t->histogram[b].n, false, COLOUR_NONE);
		cell_count(&g, t->histogram[b].sum, false, COLOUR_NONE);
	}
	grid_print(&g, style, sb);
	grid_release(&g);
}

/* ---- the longest waits ---- */

static void add_thread(struct strbuf *sb, const struct sched_table *t, uint32_t row)
{
	if (row < t->nr_all)
		strbuf_addf(sb, "%s (%d)", t->rows[row].comm, t->rows[row].tid);
}

/* "a (12) 3 ms, b (13) 1 ms, nobody 200 µs" */
static void add_instead(struct strbuf *sb, const struct sched_table *t, const struct sched_wait *w)
{
	uint64_t left = w->until - w->from;

	for (unsigned i = 0; i < w->nr_instead; i++) {
		if (i)
			strbuf_adds(sb, ", ");
		add_thread(sb, t, w->instead[i].row);
		strbuf_addc(sb, ' ');
		number_duration(sb, (double)w->instead[i].time / 1e9);
		left -= w->instead[i].time < left ? w->instead[i].time : left;
	}
	if (w->nr_instead < SCHED_INSTEAD && w->cpu >= 0 && left >= (w->until - w->from) / 100) {
		strbuf_adds(sb, w->nr_instead ? ", " : "");
		strbuf_adds(sb, t->wide ? "nobody " : "others ");
		number_duration(sb, (double)left / 1e9);
	}
}

static const char *why(const struct sched_wait *w)
{
	return w->was_preempted ? "preempted" : w->irq ? "woken by an interrupt" : "woken";
}

static void wait_for_eyes(struct grid *g, const struct sched_table *t, const struct sched_wait *w)
{
	struct strbuf sb = STRBUF_INIT;

	cell_time(g, w->until - w->from, true);
	clock_cell(g, w->from, true);
	cell_id(g, w->cpu);
	add_thread(&sb, t, w->row);
	cell_take(g, &sb, COLOUR_NONE);
	strbuf_adds(&sb, why(w));
	if (w->waker < t->nr_all && !w->irq) {
		strbuf_adds(&sb, " by ");
		add_thread(&sb, t, w->waker);
	}
	cell_take(g, &sb, COLOUR_NONE);
	if (w->cpu < 0)
		strbuf_adds(&sb, "still waits at the end");
	else
		add_instead(&sb, t, w);
	cell_take(g, &sb, COLOUR_NONE);
}

static void wait_for_machines(struct grid *g, const struct sched_table *t,
			      const struct sched_wait *w)
{
	struct strbuf sb = STRBUF_INIT;
	const struct sched_row *waker = w->waker < t->nr_all ? &t->rows[w->waker] : NULL;

	cell_time(g, w->until - w->from, false);
	cell_time(g, w->from, false);
	cell_id(g, w->cpu);
	grid_cell(g, t->rows[w->row].comm, COLOUR_NONE);
	cell_id(g, t->rows[w->row].tid);
	grid_cell(g, w->was_preempted ? "preempted" : "woken", COLOUR_NONE);
	grid_cell(g, w->irq ? "1" : "0", COLOUR_NONE);
	grid_cell(g, waker ? waker->comm : "", COLOUR_NONE);
	cell_id(g, waker ? waker->tid : -1);
	for (unsigned i = 0; i < SCHED_INSTEAD; i++) {
		bool there = i < w->nr_instead;

		grid_cell(g, there ? t->rows[w->instead[i].row].comm : "", COLOUR_NONE);
		cell_id(g, there ? t->rows[w->instead[i].row].tid : -1);
		cell_id(g, there ? (int64_t)w->instead[i].time : -1);
	}
	strbuf_release(&sb);
}

static void print_waits(const struct sched_table *t, const struct view_style *style,
			struct strbuf *sb)
{
	static const struct grid_column short_list[] = {
		{ .header = "waited", .right = true },
		{ .header = "from", .right = true, .drop = 2 },
		{ .header = "CPU", .right = true, .drop = 1 },
		{ .header = "thread", .code = true, .shrink = 12 },
		{ .header = "because", .shrink = 12, .drop = 3 },
		{ .header = "who ran instead", .shrink = 16 },
	};
	static const struct grid_column long_list[] = {
		{ .name = "wait_ns" },       { .name = "from_ns" },      { .name = "cpu" },
		{ .name = "comm" },          { .name = "tid" },          { .name = "why" },
		{ .name = "irq" },           { .name = "waker_comm" },   { .name = "waker_tid" },
		{ .name = "instead1_comm" }, { .name = "instead1_tid" }, { .name = "instead1_ns" },
		{ .name = "instead2_comm" }, { .name = "instead2_tid" }, { .name = "instead2_ns" },
		{ .name = "instead3_comm" }, { .name = "instead3_tid" }, { .name = "instead3_ns" },
	};
	struct grid g = { 0 };

	if (view_for_eyes(style))
		GRID_COLUMNS(&g, short_list);
	else
		GRID_COLUMNS(&g, long_list);
	for (size_t i = 0; i < t->nr_worst; i++) {
		if (view_for_eyes(style))
			wait_for_eyes(&g, t, &t->worst[i]);
		else
			wait_for_machines(&g, t, &t->worst[i]);
	}
	grid_print(&g, style, sb);
	grid_release(&g);
}

/* ---- what stands above and between ---- */

static void print_head(const struct sched_table *t, const struct sched_view *v,
		       const struct view_style *style, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s · ", v->file);
	if (t->chosen != t->end - t->begin) {
		number_duration(&line, (double)t->chosen / 1e9);
		strbuf_adds(&line, " of ");
	}
	number_duration(&line, (double)(t->end - t->begin) / 1e9);
	strbuf_addf(&line, " · %zu thread%s on %u CPU%s · ", t->n, t->n == 1 ? "" : "s", t->nr_cpus,
		    t->nr_cpus == 1 ? "" : "s");
	number_thousands(&line, t->switches);
	strbuf_adds(&line, t->switches == 1 ? " switch, " : " switches, ");
	number_thousands(&line, t->wakes);
	strbuf_adds(&line, t->wakes == 1 ? " waking" : " wakings");
	wrap_line(sb, style, "scheduler", strbuf_str(&line));
	strbuf_release(&line);
}

static void print_delays(const struct sched_table *t, const struct view_style *style,
			 struct strbuf *sb)
{
	const struct sched_delays *d = &t->delays;
	struct strbuf line = STRBUF_INIT;

	if (d->n) {
		number_thousands(&line, d->n);
		strbuf_adds(&line, d->n == 1 ? " wait for a CPU, " : " waits for a CPU, together ");
		number_duration(&line, (double)d->sum / 1e9);
		strbuf_adds(&line, ": mean ");
		number_duration(&line, (double)mean(d) / 1e9);
		strbuf_adds(&line, ", p50 ");
		number_duration(&line, (double)d->p50 / 1e9);
		strbuf_adds(&line, ", p99 ");
		number_duration(&line, (double)d->p99 / 1e9);
		strbuf_adds(&line, ", longest ");
		number_duration(&line, (double)d->max / 1e9);
		strbuf_adds(&line, " at ");
		add_clock(&line, d->max_at);
	} else {
		strbuf_adds(&line, "no thread waited for a CPU");
	}
	wrap_line(sb, style, "delays", strbuf_str(&line));
	strbuf_release(&line);
}

static void print_doubts(const struct sched_table *t, const struct view_style *style,
			 struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	if (!t->has_wakes)
		wrap_line(
			sb, style, "missing",
			"wakings were not recorded, so waits for a CPU after a sleep count as sleep: "
			"record sched:sched_waking too");
	if (!t->has_states)
		wrap_line(sb, style, "missing",
			  "states were not recorded: SWITCH records only tell who was preempted");
	if (t->missing_in || t->missing_out) {
		number_thousands(&line, t->missing_in + t->missing_out);
		strbuf_adds(&line,
			    t->missing_in + t->missing_out == 1 ? " switch is" : " switches are");
		strbuf_adds(&line, " missing; what went before is unknown time. Kernels may leave "
				   "out switches from the idle task: record with --switch-events");
		wrap_line(sb, style, "missing", strbuf_str(&line));
		strbuf_clear(&line);
	}
	if (t->holes) {
		number_thousands(&line, t->holes);
		strbuf_adds(&line, t->holes == 1 ? " place where records were lost"
						 : " places where records were lost");
		wrap_line(sb, style, "lost", strbuf_str(&line));
	}
	strbuf_release(&line);
}

static void print_for_eyes(const struct sched_table *t, const struct sched_view *v,
			   const struct view_style *style, struct strbuf *sb)
{
	if (style->format == VIEW_TEXT) {
		print_head(t, v, style, sb);
		print_delays(t, style, sb);
		print_doubts(t, style, sb);
		strbuf_addc(sb, '\n');
	}
	if (v->show != SCHED_SHOW_HISTOGRAM)
		print_threads(t, v, style, sb);
	if (t->delays.n) {
		if (v->show != SCHED_SHOW_HISTOGRAM)
			strbuf_addc(sb, '\n');
		print_histogram(t, style, sb);
	}
	if (v->over) {
		strbuf_addf(sb, "\n%zu wait%s of ", t->nr_over, t->nr_over == 1 ? "" : "s");
		number_duration(sb, (double)v->over / 1e9);
		strbuf_addf(sb, " or more%s\n", t->nr_worst < t->nr_over ? ", the longest:" : "");
		if (style->format == VIEW_MARKDOWN)
			strbuf_addc(sb, '\n');
		if (t->nr_worst)
			print_waits(t, style, sb);
	}
}

void sched_print(const struct sched_table *t, const struct sched_view *v,
		 const struct view_style *style, struct strbuf *sb)
{
	if (view_for_eyes(style))
		print_for_eyes(t, v, style, sb);
	else if (v->show == SCHED_SHOW_THREADS)
		print_threads(t, v, style, sb);
	else if (v->show == SCHED_SHOW_HISTOGRAM)
		print_histogram(t, style, sb);
	else
		print_waits(t, style, sb);
}
