/* SPDX-License-Identifier: MIT */
/*
 * E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927:
 * the interval is the set of true shares that the observed one is not significantly away from.
 * Unlike p ± z·sqrt(p(1-p)/n) it never leaves [0, 1] and is right for few samples.
 *
 * Two shares of one set of samples are a multinomial's: they compete, their covariance is
 * -p1·p2/n, so Var(p1 - p2) = (p1 + p2 - (p1 - p2)²) / n.
 *
 * Over blocks a share is a ratio estimator (W. G. Cochran, "Sampling Techniques", chapter 6).  One
 * number of blocks is not enough: short ones are alike within a phase of the program, and few ones
 * tell their own variance badly.  The widest of three is taken, which covers as promised as long as
 * phases are shorter than a tenth of the recording.
 */
#include <perfrep/statistics.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

#define MIN_SAMPLES_PER_BLOCK 25
#define MAX_BLOCKS            64

struct interval wilson(double p, double n)
{
	double z2 = STAT_Z95 * STAT_Z95, centre, half, scale;

	if (!(n > 0))
		return (struct interval){ 0, 1 };
	scale = 1 / (1 + z2 / n);
	centre = (p + z2 / (2 * n)) * scale;
	half = STAT_Z95 * sqrt(fmax(p * (1 - p), 0) / n + z2 / (4 * n * n)) * scale;
	/* none and all are exact bounds, whatever the rounding */
	return (struct interval){ p <= 0 ? 0 : fmax(centre - half, 0),
				  p >= 1 ? 1 : fmin(centre + half, 1) };
}

double wilson_margin(double p, double n)
{
	struct interval i = wilson(p, n);

	return (i.high - i.low) / 2;
}

bool shares_differ(double p1, double p2, double n)
{
	double d = fabs(p1 - p2), var;

	if (!(n > 0))
		return false;
	var = (p1 + p2 - d * d) / n;
	return d > STAT_Z95 * sqrt(fmax(var, 0)) && d > 0;
}

double zero_hit_bound(double n)
{
	double z2 = STAT_Z95 * STAT_Z95;

	return n > z2 ? z2 / n : 1;
}

double samples_needed(double p, double half)
{
	return half > 0 ? STAT_Z95 * STAT_Z95 * p * (1 - p) / (half * half) : INFINITY;
}

double kish_samples(double sum, double sum_of_squares)
{
	return sum_of_squares > 0 ? sum * sum / sum_of_squares : 0;
}

/* ---- blocks ---- */

static double sum_of(const uint64_t *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)v[i];
	return sum;
}

double block_variance(const uint64_t *x, const uint64_t *w, size_t n)
{
	double base = sum_of(w, n), p, sum = 0;

	if (n < 2 || !(base > 0))
		return 0;
	p = sum_of(x, n) / base;
	for (size_t i = 0; i < n; i++) {
		double d = (double)x[i] - p * (double)w[i];

		sum += d * d;
	}
	return sum / base / base * (double)n / (double)(n - 1);
}

/* N blocks as N / BY, neighbours added up. */
static void merge_blocks(const uint64_t *v, size_t n, size_t by, uint64_t *out)
{
	memset(out, 0, n / by * sizeof(*out));
	for (size_t i = 0; i < n; i++)
		if (__builtin_add_overflow(out[i / by], v[i], &out[i / by]))
			out[i / by] = UINT64_MAX;
}

static double variance_by(const uint64_t *x, const uint64_t *w, size_t nr, size_t by)
{
	uint64_t xs[MAX_BLOCKS], ws[MAX_BLOCKS];

	merge_blocks(x, nr, by, xs);
	merge_blocks(w, nr, by, ws);
	return block_variance(xs, ws, nr / by);
}

/* Student's 97.5 % quantile for N blocks. */
static double t_of_blocks(size_t n)
{
	switch (n) {
	case 40:
		return 2.022690920;
	case 20:
		return 2.093024054;
	case 10:
		return 2.262157163;
	default:
		return student_quantile(0.975, (double)n - 1);
	}
}

/*
 * The largest squared half-width over the divisions into NR, NR/2 and NR/4 blocks that hold enough
 * samples (SAMPLES infinite: all do); *BLOCKS the division, 0 when there is none.
 */
static double widest(const uint64_t *x, const uint64_t *w, size_t nr, double samples,
		     unsigned *blocks)
{
	double best = 0;

	*blocks = 0;
	if (nr > MAX_BLOCKS || nr % 4)
		return 0;
	for (size_t by = 1; by <= 4; by *= 2) {
		size_t n = nr / by;
		double t, h2;

		if (n < 2 || samples / (double)n < MIN_SAMPLES_PER_BLOCK)
			continue;
		t = t_of_blocks(n);
		h2 = t * t * variance_by(x, w, nr, by);
		if (h2 <= best)
			continue;
		best = h2;
		*blocks = (unsigned)n;
	}
	return best;
}

struct share share_binomial(double p, double n)
{
	struct share s = { .p = p, .n = n, .design = 1, .ci = wilson(p, n) };

	s.half = n > 0 ? STAT_Z95 * sqrt(fmax(p * (1 - p), 0) / n) : 1;
	return s;
}

struct share share_of_blocks(const uint64_t *x, const uint64_t *w, const uint64_t *samples,
			     size_t nr, double n)
{
	double base = sum_of(w, nr), count = sum_of(samples, nr), h2;
	struct share s = share_binomial(base > 0 ? sum_of(x, nr) / base : 0, n);
	unsigned blocks;

	h2 = widest(x, w, nr, count, &blocks);
	if (h2 > s.half * s.half && s.p > 0 && s.p < 1) {
		s.half = sqrt(h2);
		s.blocks = blocks;
		s.n = samples_needed(s.p, s.half);
		s.ci = wilson(s.p, s.n);
	}
	s.design = s.n > 0 ? n / s.n : 1;
	return s;
}

double share_variance(const struct share *s)
{
	double se = s->half / STAT_Z95;

	return se * se;
}

/* ---- drift ---- */

struct part {
	double p, var;
};

static struct part part_of(const uint64_t *x, const uint64_t *w, const uint64_t *samples,
			   size_t from, size_t to)
{
	double base = sum_of(w + from, to - from), n = sum_of(samples + from, to - from);
	struct part r = { base > 0 ? sum_of(x + from, to - from) / base : 0, 0 };
	double binomial = n > 0 ? r.p * (1 - r.p) / n : INFINITY;

	r.var = fmax(block_variance(x + from, w + from, to - from), binomial);
	return r;
}

/* The p-value of two parts; each variance has as many degrees of freedom as it has blocks. */
static double parts_differ(const struct part *a, const struct part *b, double df)
{
	double var = a->var + b->var;

	if (isinf(var) || !(var > 0))
		return 1;
	return student_tail((a->p - b->p) / sqrt(var), df);
}

bool share_drifts(const uint64_t *x, const uint64_t *w, const uint64_t *samples, size_t nr)
{
	size_t half = nr / 2, third = nr / 3;
	struct part h[2], t[3];
	double least;

	if (nr < 12 || sum_of(samples, nr) / (double)nr < MIN_SAMPLES_PER_BLOCK)
		return false;
	h[0] = part_of(x, w, samples, 0, half);
	h[1] = part_of(x, w, samples, half, nr);
	t[0] = part_of(x, w, samples, 0, third);
	t[1] = part_of(x, w, samples, third, nr - third);
	t[2] = part_of(x, w, samples, nr - third, nr);
	least = parts_differ(&h[0], &h[1], (double)half - 1);
	for (size_t i = 0; i < 3; i++)
		least = fmin(least, parts_differ(&t[i], &t[(i + 1) % 3], (double)third - 1));
	return least * 4 < 0.05;
}

/* ---- ratios ---- */

struct ratio ratio_of_blocks(const uint64_t *y, const uint64_t *x, size_t nr)
{
	double base = sum_of(x, nr);
	unsigned blocks;

	if (!(base > 0))
		return (struct ratio){ 0, INFINITY };
	return (struct ratio){ sum_of(y, nr) / base, sqrt(widest(y, x, nr, INFINITY, &blocks)) };
}

double half_of_blocks(const double *d, size_t nr)
{
	double best = 0;

	for (size_t by = 1; by <= 4 && nr % 4 == 0 && nr / by >= 2; by *= 2) {
		double n = (double)(nr / by), t = t_of_blocks(nr / by), sum = 0;

		for (size_t i = 0; i < nr; i += by) {
			double block = 0;

			for (size_t k = i; k < i + by; k++)
				block += d[k];
			sum += block * block;
		}
		best = fmax(best, t * t * sum * n / (n - 1));
	}
	return sqrt(best);
}

struct ratio ratio_apart(double y, double var_y, double x, double var_x)
{
	double r, relative;

	if (!(x > 0))
		return (struct ratio){ 0, INFINITY };
	r = y / x;
	if (!(y > 0))
		return (struct ratio){ 0, STAT_Z95 * sqrt(var_y) / x };
	relative = var_y / y / y + var_x / x / x;
	return (struct ratio){ r, STAT_Z95 * r * sqrt(relative) };
}

/* ---- differences ---- */

struct difference difference_z(double a, double var_a, double b, double var_b)
{
	struct difference d = { .delta = b - a, .df = INFINITY, .p = 1 };

	d.se = sqrt(var_a + var_b);
	d.half = STAT_Z95 * d.se;
	if (d.se > 0) {
		d.z = d.delta / d.se;
		d.p = normal_tail(d.z);
	} else if (d.delta != 0) {
		d.z = copysign(INFINITY, d.delta);
		d.p = 0;
	}
	return d;
}

double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / (double)n : 0;
}

double variance_of(const double *v, size_t n)
{
	double mean = mean_of(v, n), sum = 0;

	if (n < 2)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum / (double)(n - 1);
}

struct difference difference_welch(const double *a, size_t na, const double *b, size_t nb)
{
	struct difference d = { .delta = mean_of(b, nb) - mean_of(a, na), .p = 1 };
	double va, vb, var;

	if (na < 2 || nb < 2) {
		d.se = d.half = INFINITY;
		return d;
	}
	va = variance_of(a, na) / (double)na;
	vb = variance_of(b, nb) / (double)nb;
	var = va + vb;
	if (!(var > 0)) {
		d = difference_z(mean_of(a, na), 0, mean_of(b, nb), 0);
		d.df = (double)(na + nb - 2);
		return d;
	}
	d.se = sqrt(var);
	d.df = var * var / (va * va / (double)(na - 1) + vb * vb / (double)(nb - 1));
	d.half = student_quantile(0.975, d.df) * d.se;
	d.z = d.delta / d.se;
	d.p = student_tail(d.z, d.df);
	return d;
}

/* ---- many tests ---- */

static int compare_p(const void *va, const void *vb, void *arg)
{
	const size_t *a = va, *b = vb;
	const double *p = arg;

	if (p[*a] != p[*b])
		return p[*a] < p[*b] ? -1 : 1;
	return *a < *b ? -1 : *a > *b;
}

void benjamini_hochberg(double *p, size_t n)
{
	size_t *order = xreallocarray(NULL, n + 1, sizeof(*order));
	double least = 1;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare_p, p);
	for (size_t i = n; i-- > 0;) {
		least = fmin(least, p[order[i]] * (double)n / (double)(i + 1));
		p[order[i]] = least;
	}
	free(order);
}

/* ---- phases ---- */

struct rayleigh rayleigh_test(const double *phases, size_t n)
{
	double c = 0, s = 0, r;

	if (!n)
		return (struct rayleigh){ 0, 1 };
	for (size_t i = 0; i < n; i++) {
		c += cos(phases[i]);
		s += sin(phases[i]);
	}
	r = hypot(c, s) / (double)n;
	/* 2nR² is χ² with two degrees of freedom, whose tail is an exponential */
	return (struct rayleigh){ r, exp(-(double)n * r * r) };
}
