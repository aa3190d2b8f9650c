/* SPDX-License-Identifier: MIT */
/*
 * Verdicts.
 *
 * Testing hundreds of rows at 5 % each would call a dozen unchanged ones changed, so the p-values
 * are adjusted (Benjamini and Hochberg) before any is called significant.  Significant is not
 * important: the order is that of the size.
 *
 * Shares: if one function takes twice the time, all others' shares fall by one common factor.  It
 * is the median of after / before, weighted by the share, when at least three rows with half of
 * the weight between them agree on it; rows that moved by just that are DIFF_SHIFTED.
 */
#include "diff/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "diff/measure.h"

#include <perfrep/statistics.h>

#define TWINS_LOOKED_AT 200 /* new and gone rows */
#define SHIFT_MIN_ROWS  3

size_t judge_adjust(struct diff_measure *const *m, size_t n)
{
	double *p = xcalloc(n + 1, sizeof(*p));
	size_t tested = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		if (measure_testable(m[i]))
			p[tested++] = m[i]->p;
	benjamini_hochberg(p, tested);
	for (size_t i = 0; i < n; i++)
		m[i]->q = measure_testable(m[i]) ? p[at++] : 1;
	free(p);
	return tested;
}

enum diff_kind judge_kind(const struct diff_measure *m, const struct diff_measure *total,
			  double shift)
{
	if (!measure_testable(m))
		return DIFF_FEW;
	if (m->q > DIFF_LEVEL)
		return DIFF_NOISE;
	if (!total->samples[0])
		return DIFF_NEW;
	if (!total->samples[1])
		return DIFF_GONE;
	if (shift != 1 && measure_follows(m, shift))
		return DIFF_SHIFTED;
	return m->delta > 0 ? DIFF_SLOWER : DIFF_FASTER;
}

static struct diff_measure *chosen(const struct diff *d, struct diff_row *row)
{
	return d->opts.by_total ? &row->total : &row->self;
}

/* ---- the common factor of shares ---- */

struct weighted {
	double ratio, weight;
	const struct diff_measure *m;
};

static int compare_ratio(const void *va, const void *vb)
{
	const struct weighted *a = va, *b = vb;

	return a->ratio < b->ratio ? -1 : a->ratio > b->ratio;
}

/* Rows by self that are on both sides, in the order of their ratios; *SUM of the weights. */
static size_t collect_ratios(const struct diff *d, struct weighted *v, double *sum)
{
	size_t n = 0;

	*sum = 0;
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_measure *m = &d->rows[i].self;

		if (!measure_testable(m) || !m->samples[0] || !m->samples[1])
			continue;
		v[n++] = (struct weighted){ m->cost[1] / m->cost[0], m->cost[0], m };
		*sum += m->cost[0];
	}
	if (n)
		qsort(v, n, sizeof(*v), compare_ratio);
	return n;
}

static double common_factor(const struct diff *d)
{
	struct weighted *v = xcalloc(d->n + 1, sizeof(*v));
	double sum, half = 0, agree = 0, k;
	size_t n = collect_ratios(d, v, &sum), mid = 0, rows = 0;

	while (mid < n && (half += v[mid].weight) < sum / 2)
		mid++;
	k = mid < n ? v[mid].ratio : 1;
	for (size_t i = 0; i < n; i++) {
		if (!measure_follows(v[i].m, k))
			continue;
		agree += v[i].weight;
		rows++;
	}
	free(v);
	return rows >= SHIFT_MIN_ROWS && agree >= sum / 2 ? k : 1;
}

/* ---- inlining, new names ---- */

static bool reinlined(const struct diff_row *row)
{
	const struct diff_measure *t = &row->total;

	/* one sample in a call that is elsewhere inlined tells nothing */
	return row->inlining[0] != row->inlining[1] && t->samples[0] >= DIFF_MIN_HITS &&
	       t->samples[1] >= DIFF_MIN_HITS;
}

/* Whether a gone row and a new one cost the same. */
static bool look_alike(const struct diff_row *gone, const struct diff_row *fresh, double shift)
{
	double self = fabs(fresh->self.cost[1] - shift * gone->self.cost[0]);
	double total = fabs(fresh->total.cost[1] - shift * gone->total.cost[0]);

	return !strcmp(gone->module[0], fresh->module[1]) &&
	       self <= hypot(gone->self.half, fresh->self.half) / M_SQRT2 &&
	       total <= hypot(gone->total.half, fresh->total.half) / M_SQRT2;
}

/* The one row of KIND that looks like ROW; PROFILE_NONE when there is none, or are several. */
static uint32_t twin_of(const struct diff *d, const struct diff_row *row, enum diff_kind kind)
{
	uint32_t found = PROFILE_NONE;

	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *other = &d->rows[i];
		bool alike;

		if (other->kind != kind)
			continue;
		alike = kind == DIFF_GONE ? look_alike(other, row, d->shift)
					  : look_alike(row, other, d->shift);
		if (alike && found != PROFILE_NONE)
			return PROFILE_NONE;
		if (alike)
			found = (uint32_t)i;
	}
	return found;
}

static void find_twins(struct diff *d)
{
	if (d->count[DIFF_NEW] > TWINS_LOOKED_AT || d->count[DIFF_GONE] > TWINS_LOOKED_AT)
		return;
	for (size_t i = 0; i < d->n; i++) {
		uint32_t t;

		if (d->rows[i].kind != DIFF_NEW)
			continue;
		t = twin_of(d, &d->rows[i], DIFF_GONE);
		if (t == PROFILE_NONE || twin_of(d, &d->rows[t], DIFF_NEW) != i)
			continue;
		d->rows[i].twin = t;
		d->rows[t].twin = (uint32_t)i;
	}
}

/* ---- order ---- */

static int compare_rows(const void *va, const void *vb, void *arg)
{
	const struct diff_row *a = va, *b = vb;
	const struct diff *d = arg;
	double da = fabs(chosen(d, (struct diff_row *)a)->delta);
	double db = fabs(chosen(d, (struct diff_row *)b)->delta);
	int cmp;

	if (a->kind != b->kind)
		return (int)a->kind - (int)b->kind;
	if (da != db)
		return da < db ? 1 : -1;
	cmp = strcmp(a->name, b->name);
	return cmp ? cmp : strcmp(a->module[0], b->module[0]);
}

static size_t adjust(struct diff *d)
{
	struct diff_measure **m = xcalloc(d->n + 1, sizeof(*m));
	size_t tested;

	for (size_t i = 0; i < d->n; i++)
		m[i] = d->opts.by_total ? &d->rows[i].self : &d->rows[i].total;
	judge_adjust(m, d->n);
	for (size_t i = 0; i < d->n; i++)
		m[i] = chosen(d, &d->rows[i]);
	tested = judge_adjust(m, d->n);
	free(m);
	return tested;
}

void judge(struct diff *d)
{
	d->tested = adjust(d);
	if (d->opts.norm == DIFF_SHARE)
		d->shift = common_factor(d);
	for (size_t i = 0; i < d->n; i++) {
		struct diff_row *row = &d->rows[i];

		row->kind =
			judge_kind(chosen(d, row), &row->total, d->opts.by_total ? 1 : d->shift);
		row->reinlined = reinlined(row);
		d->count[row->kind]++;
	}
	if (d->n)
		qsort_r(d->rows, d->n, sizeof(*d->rows), compare_rows, d);
	find_twins(d);
}
