/* SPDX-License-Identifier: MIT */
/*
 * A sampler is in step with what happens every T when its samples always fall on the same point of
 * a cycle of T: then one part of the cycle gets all samples and the others none.  Each thread has
 * a timer of its own, or each CPU when all of it was recorded; so the points are compared within
 * threads and within CPUs (Rayleigh's test, pooled), and what is more in step counts.
 *
 * Evenly spread points may also come in lines: what a program does periodically shows in the
 * spectrum of the sample times, beside the sampler's own frequency and its multiples.
 */
#include <perfrep/sampling.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <perfrep/statistics.h>

#include "base/vec.h"

enum {
	FEW = 50, /* points of a thread: fewer say nothing about phases */
	BINS = 512, /* of a window */
	MIN_WINDOWS = 8,
};

#define BIN_BITS  (SAMPLING_WINDOW_BITS - 9)
#define IN_STEP   0.5 /* of r */
#define CERTAIN   1e-6 /* of p */
#define OWN_TIMER 1e-4 /* how near a timer's interval is to a multiple of the cycle */
#define OWN_GUESS 0.01 /* … one that was measured */
#define STRONG    4.0 /* a line, times random */

static int by_thread_and_time(const void *va, const void *vb)
{
	const struct sample_point *a = va, *b = vb;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

static int by_value(const void *va, const void *vb)
{
	const double *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

static double quantile(double *v, size_t n, double q)
{
	if (!n)
		return 0;
	return v[(size_t)(q * (double)(n - 1) + 0.5)];
}

static void judge_periods(struct sampling *s, const struct sample_point *v, size_t n)
{
	double *periods = xreallocarray(NULL, n + 1, sizeof(*periods));

	for (size_t i = 0; i < n; i++)
		periods[i] = (double)v[i].period;
	qsort(periods, n, sizeof(*periods), by_value);
	s->period_low = quantile(periods, n, 0.05);
	s->period_median = quantile(periods, n, 0.5);
	s->period_high = quantile(periods, n, 0.95);
	free(periods);
}

/* The lower quartile: a thread that sleeps between two samples makes long ones. */
static void judge_interval(struct sampling *s, const struct sample_point *v, size_t n)
{
	double *gaps = xreallocarray(NULL, n + 1, sizeof(*gaps));
	size_t nr = 0;

	for (size_t i = 1; i < n; i++)
		if (v[i].thread == v[i - 1].thread && v[i].time > v[i - 1].time &&
		    v[i].time >> SAMPLING_WINDOW_BITS == v[i - 1].time >> SAMPLING_WINDOW_BITS)
			gaps[nr++] = (double)(v[i].time - v[i - 1].time);
	if (nr)
		qsort(gaps, nr, sizeof(*gaps), by_value);
	s->interval = quantile(gaps, nr, 0.25);
	free(gaps);
}

/* ---- phases ---- */

static int by_cpu_and_time(const void *va, const void *vb)
{
	const struct sample_point *a = va, *b = vb;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

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
		for (to = from; to < n && same_timer(&v[to], &v[from], by_cpu); to++)
			phases[to - from] = 2 * M_PI *
					    fmod((double)(v[to].time - v[from].time), ph->cycle) /
					    ph->cycle;
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

/* ---- the spectrum ---- */

struct complex_number {
	double re, im;
};

/* In place; N is a power of 2. */
static void fourier(struct complex_number *a, size_t n)
{
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n >> 1;

		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j) {
			struct complex_number t = a[i];

			a[i] = a[j];
			a[j] = t;
		}
	}
	for (size_t len = 2; len <= n; len <<= 1) {
		for (size_t k = 0; k < len / 2; k++) {
			double angle = -2 * M_PI * (double)k / (double)len;
			struct complex_number w = { cos(angle), sin(angle) };

			for (size_t i = k; i < n; i += len) {
				struct complex_number *x = &a[i], *y = &a[i + len / 2];
				struct complex_number t = { y->re * w.re - y->im * w.im,
							    y->re * w.im + y->im * w.re };

				*y = (struct complex_number){ x->re - t.re, x->im - t.im };
				*x = (struct complex_number){ x->re + t.re, x->im + t.im };
			}
		}
	}
}

static int by_time(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/*
 * The spectra of the windows, averaged, in units of what random times have.  Returns the number of
 * windows with enough samples.
 */
static size_t average_spectrum(double power[BINS / 2], const struct sample_point *v, size_t n)
{
	uint64_t *times = xreallocarray(NULL, n + 1, sizeof(*times));
	size_t windows = 0;

	for (size_t i = 0; i < n; i++)
		times[i] = v[i].time;
	qsort(times, n, sizeof(*times), by_time);
	for (size_t from = 0, to; from < n; from = to) {
		struct complex_number a[BINS] = { 0 };
		double mean;

		for (to = from; to < n && times[to] >> SAMPLING_WINDOW_BITS ==
						  times[from] >> SAMPLING_WINDOW_BITS;
		     to++)
			a[times[to] >> BIN_BITS & (BINS - 1)].re++;
		if (to - from < FEW)
			continue;
		mean = (double)(to - from) / BINS;
		for (size_t i = 0; i < BINS; i++)
			a[i].re -= mean;
		fourier(a, BINS);
		for (size_t i = 1; i < BINS / 2; i++)
			power[i] += (a[i].re * a[i].re + a[i].im * a[i].im) / (double)(to - from);
		windows++;
	}
	for (size_t i = 1; windows && i < BINS / 2; i++)
		power[i] /= (double)windows;
	free(times);
	return windows;
}

/* Whether a bin is the sampler's frequency or a multiple, as it looks at this resolution. */
static bool is_own(size_t bin, double interval)
{
	double window = (double)(UINT64_C(1) << SAMPLING_WINDOW_BITS);
	double last = fmax(8, 2 * BINS * interval / window); /* those beyond are folded back */

	for (int k = 1; interval > 0 && k <= last; k++) {
		double at = fmod(k * window / interval, BINS);

		if (at > BINS / 2.0)
			at = BINS - at;
		if (fabs(at - (double)bin) < 2)
			return true;
	}
	return false;
}

static void judge_lines(struct sampling *s, const struct sample_point *v, size_t n,
			const struct sampling_wish *wish)
{
	double power[BINS / 2] = { 0 },
			    interval = wish->interval > 0 ? wish->interval : s->interval;

	if (average_spectrum(power, v, n) < MIN_WINDOWS)
		return;
	for (size_t i = 2; i + 1 < BINS / 2; i++) {
		struct sampling_line line = {
			(double)i * 1e9 / (double)(UINT64_C(1) << SAMPLING_WINDOW_BITS), power[i]
		};
		size_t at;

		if (power[i] < STRONG || power[i] < power[i - 1] || power[i] < power[i + 1] ||
		    is_own(i, interval))
			continue;
		for (at = s->nr_lines; at > 0 && s->lines[at - 1].power < line.power; at--)
			if (at < SAMPLING_LINES)
				s->lines[at] = s->lines[at - 1];
		if (at < SAMPLING_LINES)
			s->lines[at] = line;
		s->nr_lines += s->nr_lines < SAMPLING_LINES;
	}
}

void sampling_judge(struct sampling *s, struct sample_point *v, size_t n,
		    const struct sampling_wish *wish)
{
	*s = (struct sampling){ .points = n };
	if (!n)
		return;
	qsort(v, n, sizeof(*v), by_thread_and_time);
	judge_periods(s, v, n);
	judge_interval(s, v, n);
	judge_cycles(s, v, n, false);
	qsort(v, n, sizeof(*v), by_cpu_and_time);
	judge_cycles(s, v, n, true);
	judge_lockstep(s, wish);
	judge_lines(s, v, n, wish);
}
