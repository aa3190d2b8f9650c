/* SPDX-License-Identifier: MIT */
/*
 * The test of one row.
 *
 * Within a recording the variance of a share is that of its blocks; what is unsure about the
 * difference of two is the sum.  A side without a hit has no variance of its own, and one with few
 * a bad one, so neither counts as surer than the binomial of both sides' common share.
 *
 * With several recordings on a side the spread between them is what counts, by Welch's test (or
 * with the variance of the one side that has several).  Two or three runs may be alike by chance,
 * so the test within the recordings has to agree: the larger p-value is taken.
 */
#include "diff/measure.h"

#include <math.h>
#include <stdlib.h>

#include <perfrep/statistics.h>

#include "base/xmalloc.h"

static double cost_of_all(const struct diff_recording *r, enum diff_norm norm)
{
	double weight = (double)r->profile->events[r->event].weight;

	switch (norm) {
	case DIFF_TIME:
		return weight;
	case DIFF_WORK:
		return r->work > 0 ? weight / r->work : 0;
	default:
		return 1;
	}
}

void scales_init(struct scales *s, const struct diff_side side[2], enum diff_norm norm)
{
	for (int i = 0; i < 2; i++) {
		s->n[i] = side[i].n;
		s->v[i] = xcalloc(side[i].n + 1, sizeof(*s->v[i]));
		for (size_t k = 0; k < side[i].n; k++) {
			const struct diff_recording *r = &side[i].v[k];

			s->v[i][k].cost = cost_of_all(r, norm);
			s->v[i][k].n = profile_effective_samples(&r->profile->events[r->event]);
		}
	}
}

void scales_release(struct scales *s)
{
	free(s->v[0]);
	free(s->v[1]);
}

struct estimate estimate_of(const struct diff_recording *r, const struct scale *scale,
			    uint64_t weight, uint64_t samples, const uint64_t *x,
			    const struct row_blocks *all)
{
	double base = (double)r->profile->events[r->event].weight;
	double p = base > 0 ? fmin((double)weight / base, 1) : 0;
	struct share s = share_binomial(p, scale->n);

	if (x && all->n)
		s = share_of_blocks(x, all->weight, all->samples, all->n, scale->n);
	return (struct estimate){ p, scale->n > 0 ? share_variance(&s) : 0, s.design, weight,
				  samples };
}

/* The share that both sides have together, by effective samples; *DESIGN the worst of the row. */
static double common_share(const struct scales *s, const struct estimate *const e[2],
			   double *design)
{
	double hits = 0, n = 0;

	*design = 1;
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < s->n[i]; k++) {
			hits += e[i][k].p * s->v[i][k].n;
			n += s->v[i][k].n;
			*design = fmax(*design, e[i][k].design);
		}
	}
	return n > 0 ? hits / n : 0;
}

/* Mean cost of a side; *VAR the variance of that mean from within its recordings. */
static double side_cost(const struct scales *s, const struct estimate *e, int i, double common,
			double design, double *var)
{
	double sum = 0, var_sum = 0, n = (double)s->n[i];

	for (size_t k = 0; k < s->n[i]; k++) {
		const struct scale *sc = &s->v[i][k];
		double floor = sc->n > 0 ? common * (1 - common) / sc->n : 0;

		if (!(e[k].p > 0))
			floor *= design;
		sum += e[k].p * sc->cost;
		var_sum += fmax(e[k].var, floor) * sc->cost * sc->cost;
	}
	*var = var_sum / n / n;
	return sum / n;
}

/* The test between recordings; p is below 0 when there is but one on each side. */
static struct difference between(const struct scales *s, const struct estimate *const e[2])
{
	struct difference d = { .p = -1 };
	double *cost[2];

	if (s->n[0] < 2 && s->n[1] < 2)
		return d;
	for (int i = 0; i < 2; i++) {
		cost[i] = xcalloc(s->n[i] + 1, sizeof(double));
		for (size_t k = 0; k < s->n[i]; k++)
			cost[i][k] = e[i][k].p * s->v[i][k].cost;
	}
	if (s->n[0] >= 2 && s->n[1] >= 2) {
		d = difference_welch(cost[0], s->n[0], cost[1], s->n[1]);
	} else {
		int many = s->n[1] >= 2;
		double n = (double)s->n[many], var = variance_of(cost[many], s->n[many]);

		d = difference_z(mean_of(cost[0], s->n[0]), var / (many ? 1 : n),
				 mean_of(cost[1], s->n[1]), var / (many ? n : 1));
		d.df = n - 1;
		if (d.se > 0) {
			d.half = student_quantile(0.975, d.df) * d.se;
			d.p = student_tail(d.z, d.df);
		}
	}
	free(cost[0]);
	free(cost[1]);
	return d;
}

static double effective_hits(const struct scales *s, const struct estimate *e, int i)
{
	double hits = 0;

	for (size_t k = 0; k < s->n[i]; k++)
		hits += e[k].p * s->v[i][k].n / fmax(e[k].design, 1);
	return hits;
}

void measure_compute(struct diff_measure *m, const struct scales *s,
		     const struct estimate *const e[2])
{
	double var[2], design, common = common_share(s, e, &design);
	struct difference within, runs;

	*m = (struct diff_measure){ 0 };
	for (int i = 0; i < 2; i++) {
		m->cost[i] = side_cost(s, e[i], i, common, design, &var[i]);
		for (size_t k = 0; k < s->n[i]; k++) {
			m->weight[i] += e[i][k].weight;
			m->samples[i] += e[i][k].samples;
			m->share[i] += e[i][k].p / (double)s->n[i];
		}
		m->hits[i] = effective_hits(s, e[i], i);
	}
	within = difference_z(m->cost[0], var[0], m->cost[1], var[1]);
	runs = between(s, e);
	m->delta = within.delta;
	m->half = fmax(within.half, runs.half);
	m->p = m->q = fmax(within.p, runs.p);
}

bool measure_follows(const struct diff_measure *m, double k)
{
	/* the variance of after - k·before is not more than that of the difference by max(1, k)² */
	return fabs(m->cost[1] - k * m->cost[0]) <= m->half * fmax(1, k);
}
