/* SPDX-License-Identifier: MIT */
/*
 * Counters side by side: the ratios that are made of them, then each that either side has.
 *
 * A counter that was read once has no spread; perf stat -r tells one, several inputs a side show
 * one, and a sum of sampled periods has that of the number of samples.  Where nothing is known of it
 * a difference is shown and not judged.
 */
#include <perfrep/diff.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* One input's value, and its variance when it is known. */
struct reading {
	bool known;
	double value, var;
};

struct build {
	const struct diff_counter_input *in[2];
	size_t n[2];
	VEC(struct diff_counter) rows;
};

typedef struct reading read_fn(const struct diff_counter_input *in, const void *what);

static struct reading of_derived(const struct derived *d)
{
	double se = d->half / STAT_Z95;

	return (struct reading){ d->known, d->value, se * se };
}

static struct reading read_ipc(const struct diff_counter_input *in, const void *what)
{
	(void)what;
	return of_derived(&in->analysis->ipc);
}

static struct reading read_mpki(const struct diff_counter_input *in, const void *what)
{
	(void)what;
	return of_derived(&in->analysis->mpki);
}

static struct reading read_branch_miss(const struct diff_counter_input *in, const void *what)
{
	(void)what;
	return of_derived(&in->analysis->branch_miss);
}

static double relative_variance(const struct counter *c)
{
	if (c->spread >= 0)
		return c->spread * c->spread;
	return c->samples ? 1 / (double)c->samples : 0;
}

/* The counter of that name. */
static struct reading read_counter(const struct diff_counter_input *in, const void *what)
{
	double per = in->work > 0 ? in->work : 1;

	for (size_t i = 0; i < in->set->n; i++) {
		const struct counter *c = &in->set->v[i];
		double v = c->value / per;

		if (c->state == COUNTER_COUNTED && !strcmp(c->name, what))
			return (struct reading){ true, v, v * v * relative_variance(c) };
	}
	return (struct reading){ 0 };
}

/* The metric of that name, of the whole: it is a ratio, whatever was done. */
static struct reading read_metric(const struct diff_counter_input *in, const void *what)
{
	for (size_t i = 0; i < in->set->nr_metrics && counter_metrics_whole(in->set); i++)
		if (!strcmp(in->set->metric[i].name, what))
			return (struct reading){ true, in->set->metric[i].value, 0 };
	return (struct reading){ 0 };
}

static double *values_of(const struct reading *r, size_t n)
{
	double *v = xcalloc(n + 1, sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = r[i].value;
	return v;
}

static void judge(struct diff_counter *row, const struct reading *const r[2], const size_t n[2])
{
	double *v[2] = { values_of(r[0], n[0]), values_of(r[1], n[1]) }, var[2] = { 0, 0 };
	struct difference d = { .p = 1 };

	for (int s = 0; s < 2; s++) {
		row->v[s] = mean_of(v[s], n[s]);
		for (size_t i = 0; i < n[s]; i++)
			var[s] += r[s][i].var / (double)n[s] / (double)n[s];
	}
	row->p = 1;
	row->half = -1;
	if (n[0] > 1 && n[1] > 1)
		d = difference_welch(v[0], n[0], v[1], n[1]);
	else if (var[0] + var[1] > 0)
		d = difference_z(row->v[0], var[0], row->v[1], var[1]);
	if (d.se > 0 && isfinite(d.se)) {
		row->half = d.half;
		row->p = d.p;
	}
	free(v[0]);
	free(v[1]);
}

/* A row, unless neither side has it. */
static void add(struct build *b, const char *name, bool ratio, read_fn *read, const void *what)
{
	struct diff_counter row = { .ratio = ratio, .known = { true, true } };
	struct reading *r[2];

	for (int s = 0; s < 2; s++) {
		r[s] = xcalloc(b->n[s] + 1, sizeof(*r[s]));
		for (size_t i = 0; i < b->n[s]; i++) {
			r[s][i] = read(&b->in[s][i], what);
			row.known[s] &= r[s][i].known;
		}
	}
	if (row.known[0] || row.known[1]) {
		judge(&row, (const struct reading *const[]){ r[0], r[1] }, b->n);
		if (!row.known[0] || !row.known[1]) {
			row.half = -1;
			row.p = 1;
		}
		row.name = xstrdup(name);
		vec_push(&b->rows, row);
	}
	free(r[0]);
	free(r[1]);
}

static bool has_row(const struct build *b, const char *name)
{
	for (size_t i = 0; i < b->rows.n; i++)
		if (!strcmp(b->rows.v[i].name, name))
			return true;
	return false;
}

static void add_counters(struct build *b, const struct counter_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		if (!has_row(b, set->v[i].name))
			add(b, set->v[i].name, false, read_counter, set->v[i].name);
}

/* Those that are no row already by another name. */
static void add_metrics(struct build *b, const struct counter_set *set)
{
	for (size_t i = 0; i < set->nr_metrics; i++)
		if (!counter_metric_is_ratio(set->metric[i].name) &&
		    !has_row(b, set->metric[i].name))
			add(b, set->metric[i].name, true, read_metric, set->metric[i].name);
}

void diff_counters_build(struct diff_counters *dc, const struct diff_counter_input *const in[2],
			 const size_t n[2])
{
	struct build b = { .in = { in[0], in[1] }, .n = { n[0], n[1] } };

	add(&b, "IPC", true, read_ipc, NULL);
	add(&b, "branch-miss %", true, read_branch_miss, NULL);
	add(&b, "LLC MPKI", true, read_mpki, NULL);
	for (int s = 0; s < 2; s++) {
		add_counters(&b, in[s][0].set);
		add_metrics(&b, in[s][0].set);
	}
	*dc = (struct diff_counters){ .rows = b.rows.v, .n = b.rows.n, .nr = { n[0], n[1] } };
	dc->by_work = in[0][0].work > 0;
}

void diff_counters_release(struct diff_counters *dc)
{
	for (size_t i = 0; i < dc->n; i++)
		free(dc->rows[i].name);
	free(dc->rows);
	memset(dc, 0, sizeof(*dc));
}
