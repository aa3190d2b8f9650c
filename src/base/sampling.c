/* SPDX-License-Identifier: MIT */
/*
 * A sampler is in step with what happens every T when its samples always fall on the same point of
 * a cycle of T: then one part of the cycle gets all samples and the others none.  Each thread has
 * a timer of its own, or each CPU when all of it was recorded; so the points are compared within
 * threads and within CPUs (Rayleigh's test, pooled), and what is more in step counts.
 */
#include "base/sampling_lines.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "base/keyed.h"
#include "base/vec.h"

enum { FEW = 50 }; /* points of a thread: fewer say nothing about phases */

#define IN_STEP   0.5 /* of r */
#define CERTAIN   1e-6 /* of p */
#define OWN_TIMER 1e-4 /* how near a timer's interval is to a multiple of the cycle */
#define OWN_GUESS 0.01 /* … one that was measured */

/* By thread, or by CPU, and time; of equal times by address, whatever the order they came in. */
static void sort_points(struct sample_point *v, size_t n, bool by_cpu)
{
	struct sample_point *points = xreallocarray(NULL, n, sizeof(*points));
	struct keyed *keys = xreallocarray(NULL, n, sizeof(*keys));

	for (size_t i = 0; i < n; i++)
		keys[i] = (struct keyed){ v[i].ip, (uint32_t)i };
	keyed_sort(keys, n);
	for (size_t i = 0; i < n; i++)
		keys[i].key = v[keys[i].at].time;
	keyed_sort(keys, n);
	for (size_t i = 0; i < n; i++)
		keys[i].key = by_cpu ? v[keys[i].at].cpu : v[keys[i].at].thread;
	keyed_sort(keys, n);
	memcpy(points, v, n * sizeof(*points));
	for (size_t i = 0; i < n; i++)
		v[i] = points[keys[i].at];
	free(keys);
	free(points);
}

static double quantile(const struct keyed *sorted, size_t n, double q)
{
	if (!n)
		return 0;
	return (double)sorted[(size_t)(q * (double)(n - 1) + 0.5)].key;
}

static void judge_periods(struct sampling *s, const struct sample_point *v, size_t n)
{
	struct keyed *periods = xreallocarray(NULL, n, sizeof(*periods));

	for (size_t i = 0; i < n; i++)
		periods[i] = (struct keyed){ v[i].period, 0 };
	keyed_sort(periods, n);
	s->period_low = quantile(periods, n, 0.05);
	s->period_median = quantile(periods, n, 0.5);
	s->period_high = quantile(periods, n, 0.95);
	free(periods);
}

/* The lower quartile: a thread that sleeps between two samples makes long ones. */
static void judge_interval(struct sampling *s, const struct sample_point *v, size_t n)
{
	struct keyed *gaps = xreallocarray(NULL, n, sizeof(*gaps));
	size_t nr = 0;

	for (size_t i = 1; i < n; i++)
		if (v[i].thread == v[i - 1].thread && v[i].time > v[i - 1].time &&
		    v[i].time >> SAMPLING_WINDOW_BITS == v[i - 1].time >> SAMPLING_WINDOW_BITS)
			gaps[nr++] = (struct keyed){ v[i].time - v[i - 1].time, 0 };
	keyed_sort(gaps, nr);
	s->interval = quantile(gaps, nr, 0.25);
	free(gaps);
}

/* ---- phases ---- */

static bool same_timer(const struct sample_point *a, const struct sample_point *b, bool by_cpu)
{
	return by_cpu ? a->cpu == b->cpu : a->thread == b->thread;
}

/*
 * 2nR² of each timer is χ² with two degrees of freedom when there is nothing, so their sum is χ²
 * too; R² of all is their mean, weighted with n.
 */
static void judge_phase(struct sampling_phase *ph, const struct sample_point *v, size_t n,
			bool by_cpu)
{
	double *phases = xreallocarray(NULL, n + 1, sizeof(*phases));
	double sum = 0, all = 0, timers = 0, r;

	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && same_timer(&v[to], &v[from], by_cpu); to++) {
			double turns = (double)(v[to].time - v[from].time) / ph->cycle;

			phases[to - from] = 2 * M_PI * (turns - floor(turns));
		}
		if (to - from < FEW)
			continue;
		sum += (double)(to - from) * pow(rayleigh_test(phases, to - from).r, 2);
		all += (double)(to - from);
		timers++;
	}
	r = all > 0 ? sqrt(sum / all) : 0;
	if (r > ph->r) {
		ph->r = r;
		ph->p = chi2_tail(2 * sum, 2 * timers);
	}
	free(phases);
}

static bool is_multiple(double interval, double cycle, double tolerance)
{
	double ratio = interval / cycle, whole = round(ratio);

	return whole >= 1 && fabs(ratio - whole) < tolerance * whole;
}

static void judge_cycles(struct sampling *s, const struct sample_point *v, size_t n, bool by_cpu)
{
	static const double cycles[SAMPLING_PHASES] = { 1e6, 4e6, 10e6 };

	for (size_t i = 0; i < SAMPLING_PHASES; i++) {
		if (!by_cpu)
			s->phases[i] = (struct sampling_phase){ cycles[i], 0, 1 };
		judge_phase(&s->phases[i], v, n, by_cpu);
	}
}

/* The longest cycle says it all: in step with 10 ms is in step with 1 ms. */
static void judge_lockstep(struct sampling *s, const struct sampling_wish *wish)
{
	for (size_t i = 0; i < SAMPLING_PHASES; i++) {
		const struct sampling_phase *ph = &s->phases[i];

		if (ph->r >= IN_STEP && ph->p < CERTAIN &&
		    (wish->interval > 0 ? is_multiple(wish->interval, ph->cycle, OWN_TIMER)
					: is_multiple(s->interval, ph->cycle, OWN_GUESS)))
			s->lockstep = ph->cycle;
	}
}

void sampling_judge(struct sampling *s, struct sample_point *v, size_t n, bool gaps,
		    const struct sampling_wish *wish)
{
	*s = (struct sampling){ .points = n };
	if (!n)
		return;
	sort_points(v, n, false);
	judge_periods(s, v, n);
	judge_interval(s, v, n);
	judge_cycles(s, v, n, false);
	sort_points(v, n, true);
	judge_cycles(s, v, n, true);
	judge_lockstep(s, wish);
	sampling_find_lines(s, v, n, gaps, wish);
}
