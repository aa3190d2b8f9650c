/* SPDX-License-Identifier: MIT */
/*
 * What a program does periodically shows in the spectrum of the sample times, beside the sampler's
 * own frequency and its multiples.
 *
 * The power of random times at a frequency is χ² with two degrees of freedom for each window that
 * it is averaged over.  Bursts without a rhythm raise whole ranges of frequencies, so a line is
 * compared with its neighbourhood; and as there are as many chances as frequencies, the p-value
 * is multiplied by their number.
 *
 * A window tells frequencies from some six of its cycles on: 45 Hz in 134 ms.  Slower ones show in
 * windows of eight times the length, if the recording has enough of them, and no part was left out,
 * as it is of large ones: what is missing would be a rhythm of its own.
 *
 * A timer is in step with a rhythm when some cycles of one take as long as some of the other: then
 * samples fall on few points of the cycle.  That needs the line's frequency exactly, which the
 * whole recording tells: it is refined over spans of doubling length.
 */
#include "base/sampling_lines.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "base/vec.h"

enum {
	FEW = 50, /* points of a window */
	BIN_BITS = 9,
	BINS = 1 << BIN_BITS, /* of a window */
	LONGER_BITS = 3, /* the next longer windows */
	LONGEST = 36, /* bits of ns: a minute */
	MIN_WINDOWS = 8,
	NEAR = 3, /* bins beside a line that belong to it */
	AROUND = 12, /* bins beside it that it is compared with */
	LOWEST = NEAR + 3, /* bin: below are none to compare with */
	POINTS_MAX = 8, /* of a cycle: more are as good as all of it */
};

#define STRONG       4.0 /* a line, times random */
#define CERTAIN      1e-6 /* of p, corrected */
#define STEP_EXACT   3e-4 /* relative: 999 Hz are not in step with what 1,000 Hz are */
#define FIRST_POINTS 256 /* that a line is first found more exactly with */
#define COHERENT     0.3 /* of r, over the whole recording */
#define MULTIPLE     0.02 /* how near a frequency is to a multiple of another */
#define CYCLES_MIN   200 /* of a rhythm in the recording: fewer may be chance */

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

/* Sample times, in order, and the windows that are looked at. */
struct series {
	const uint64_t *t;
	size_t n;
	unsigned bits; /* of ns: the length of a window */
	double interval; /* of the sampler; 0: not known */
	double power[BINS / 2]; /* averaged over WINDOWS, in units of what random times have */
	size_t windows; /* with enough samples */
};

/* The frequency of the first bin, by which bins differ. */
static double resolution(const struct series *s)
{
	return 1e9 / (double)(UINT64_C(1) << s->bits);
}

static void average_spectrum(struct series *s)
{
	memset(s->power, 0, sizeof(s->power));
	s->windows = 0;
	for (size_t from = 0, to; from < s->n; from = to) {
		struct complex_number a[BINS] = { 0 };
		double mean;

		for (to = from; to < s->n && s->t[to] >> s->bits == s->t[from] >> s->bits; to++)
			a[s->t[to] >> (s->bits - BIN_BITS) & (BINS - 1)].re++;
		if (to - from < FEW)
			continue;
		mean = (double)(to - from) / BINS;
		for (size_t i = 0; i < BINS; i++)
			a[i].re -= mean;
		fourier(a, BINS);
		for (size_t i = 1; i < BINS / 2; i++)
			s->power[i] +=
				(a[i].re * a[i].re + a[i].im * a[i].im) / (double)(to - from);
		s->windows++;
	}
	for (size_t i = 1; s->windows && i < BINS / 2; i++)
		s->power[i] /= (double)s->windows;
}

/* Whether a bin is the sampler's frequency or a multiple, as it looks at this resolution. */
static bool is_own(const struct series *s, size_t bin)
{
	double turns = 1e9 / (resolution(s) * s->interval); /* of a window */
	double last = fmax(8, 2 * BINS / turns); /* those beyond are folded back */

	for (int k = 1; s->interval > 0 && k <= last; k++) {
		double at = fmod(k * turns, BINS);

		if (at > BINS / 2.0)
			at = BINS - at;
		if (fabs(at - (double)bin) < 2)
			return true;
	}
	return false;
}

/* ---- the exact frequency ---- */

static double resultant(const uint64_t *t, size_t n, double hz)
{
	double c = 0, s = 0;

	for (size_t i = 0; i < n; i++) {
		double phase = 2 * M_PI * fmod((double)(t[i] - t[0]) * 1e-9 * hz, 1);

		c += cos(phase);
		s += sin(phase);
	}
	return hypot(c, s) / (double)n;
}

/* The frequency within REACH of HZ at which N times are most in phase; *R how much. */
static double best_near(const uint64_t *t, size_t n, double hz, double reach, double step,
			double *r)
{
	double best = hz;

	*r = 0;
	for (double f = fmax(hz - reach, step); f <= hz + reach; f += step) {
		double at = resultant(t, n, f);

		if (at > *r) {
			*r = at;
			best = f;
		}
	}
	return best;
}

/*
 * Of a line within REACH of HZ: refined over the first points, then over twice as many, and so on; 0
 * when it is not kept up.
 */
static double exact_frequency(const uint64_t *t, size_t n, double hz, double reach)
{
	size_t take = n < FIRST_POINTS ? n : FIRST_POINTS;
	double r = 0;
	double all = (double)(t[n - 1] - t[0]) / 1e9;

	for (;;) {
		double span = (double)(t[take - 1] - t[0]) / 1e9;

		if (!(span > 0) || reach * span > 4000)
			return 0;
		hz = best_near(t, take, hz, reach, 0.2 / span, &r);
		reach = fmin(reach, 0.5 / span);
		if (take == n)
			break;
		take = take * 2 < n ? take * 2 : n;
	}
	return r >= COHERENT && hz * all >= CYCLES_MIN ? hz : 0;
}

/* On how many points of a cycle of HZ a timer's samples fall; 0: on all, or that is not known. */
static unsigned points_of_cycle(double hz, double interval, double span)
{
	if (!(hz > 0) || !(interval > 0) || 0.1 / (span * hz) > STEP_EXACT)
		return 0;
	for (unsigned b = 1; b <= POINTS_MAX; b++) {
		double turns = b * hz * interval / 1e9, whole = round(turns);

		if (whole >= 1 && fabs(turns - whole) < STEP_EXACT * whole)
			return b;
	}
	return 0;
}

/* ---- the lines ---- */

static int by_value(const void *va, const void *vb)
{
	const double *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* The median of the bins [FROM, TO). */
static double median(const double power[BINS / 2], size_t from, size_t to)
{
	double v[AROUND];
	size_t n = 0;

	for (size_t i = from; i < to && n < AROUND; i++)
		v[n++] = power[i];
	qsort(v, n, sizeof(*v), by_value);
	return n ? v[n / 2] : 0;
}

/*
 * What there would be without the line: at least what random times have, more where bursts raise
 * all around it.  They raise low frequencies most, so the higher side counts.
 */
static double background(const double power[BINS / 2], size_t bin)
{
	size_t low = bin > AROUND + 1 ? bin - AROUND : 1;
	size_t high = bin + AROUND < BINS / 2 ? bin + AROUND : BINS / 2;

	return fmax(1, fmax(median(power, low, bin - NEAR), median(power, bin + NEAR + 1, high)));
}

/* Those that are multiples of LINE, which tells more. */
static void drop_multiples(struct sampling *s, const struct sampling_line *line)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nr_lines; i++) {
		double times = s->lines[i].hz / line->hz;

		if (times < 1.5 || fabs(times - round(times)) > MULTIPLE)
			s->lines[n++] = s->lines[i];
	}
	s->nr_lines = n;
}

static void add_line(struct sampling *s, const struct sampling_line *line)
{
	size_t at;

	for (at = s->nr_lines; at > 0 && s->lines[at - 1].power < line->power; at--)
		if (at < SAMPLING_LINES)
			s->lines[at] = s->lines[at - 1];
	if (at < SAMPLING_LINES)
		s->lines[at] = *line;
	s->nr_lines += s->nr_lines < SAMPLING_LINES;
}

/* How exactly it is in step, from all times. */
static void judge_step(struct sampling_line *line, const struct series *s, double timer)
{
	double exact = exact_frequency(s->t, s->n, line->hz, resolution(s));

	if (!(exact > 0))
		return;
	line->hz = exact;
	line->kept_up = true;
	line->points = points_of_cycle(exact, timer, (double)(s->t[s->n - 1] - s->t[0]) / 1e9);
}

/* The strongest lines of the bins below END. */
static void strongest(struct sampling *found, const struct series *s, size_t end)
{
	const double *power = s->power, windows = (double)s->windows;

	for (size_t i = LOWEST; i < end; i++) {
		struct sampling_line line = {
			.hz = (double)i * resolution(s),
			.power = power[i] / background(power, i),
		};

		if (line.power < STRONG || power[i] < power[i - 1] || power[i] < power[i + 1] ||
		    is_own(s, i))
			continue;
		line.p = fmin(1, chi2_tail(2 * windows * line.power, 2 * windows) * (BINS / 2));
		if (line.p < CERTAIN)
			add_line(found, &line);
	}
}

/* They are few, and only now looked at in all times.  TIMER: its interval; 0: it is none. */
static void find_in(struct sampling *out, const struct series *s, size_t end, double timer)
{
	struct sampling found = { .nr_lines = 0 };

	strongest(&found, s, end);
	for (size_t i = 0; i < found.nr_lines; i++) {
		judge_step(&found.lines[i], s, timer);
		if (s->bits > SAMPLING_WINDOW_BITS && found.lines[i].kept_up)
			drop_multiples(out, &found.lines[i]);
		add_line(out, &found.lines[i]);
	}
}

void sampling_find_lines(struct sampling *s, const struct sample_point *v, size_t n, bool gaps,
			 const struct sampling_wish *wish)
{
	uint64_t *times = xreallocarray(NULL, n + 1, sizeof(*times));
	struct series series = {
		.t = times,
		.n = n,
		.bits = SAMPLING_WINDOW_BITS,
		.interval = wish->interval > 0 ? wish->interval : s->interval,
	};
	unsigned longest = gaps ? SAMPLING_WINDOW_BITS : LONGEST;
	size_t end = BINS / 2 - 1;

	for (size_t i = 0; i < n; i++)
		times[i] = v[i].time;
	qsort(times, n, sizeof(*times), by_time);
	for (; n && series.bits <= longest; series.bits += LONGER_BITS) {
		average_spectrum(&series);
		if (series.windows < MIN_WINDOWS)
			continue; /* too few samples in each: longer ones may do */
		find_in(s, &series, end, wish->interval);
		end = LOWEST << LONGER_BITS; /* from there on these have told */
	}
	free(times);
}
