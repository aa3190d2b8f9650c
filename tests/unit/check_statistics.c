/* SPDX-License-Identifier: MIT */
/*
 * Wilson's interval against the values published by R. G. Newcombe, "Two-sided confidence
 * intervals for the single proportion", Statistics in Medicine 17 (1998), table I, method 3;
 * distributions against printed tables (Abramowitz and Stegun 26); block variances against sums
 * done by hand; and simulations with fixed seeds of what intervals and tests promise.
 */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <perfrep/statistics.h>

START_TEST(published_values)
{
	static const struct {
		double hits, n, low, high;
	} cases[] = {
		{ 81, 263, 0.2553, 0.3662 },
		{ 15, 148, 0.0624, 0.1605 },
		{ 0, 20, 0.0000, 0.1611 },
		{ 1, 29, 0.0061, 0.1718 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct interval ci = wilson(cases[i].hits / cases[i].n, cases[i].n);

		ck_assert_double_eq_tol(ci.low, cases[i].low, 0.00005);
		ck_assert_double_eq_tol(ci.high, cases[i].high, 0.00005);
	}
}
END_TEST

START_TEST(ends)
{
	struct interval ci = wilson(1, 10);

	ck_assert_double_eq_tol(ci.low, 0.722467, 1e-6);
	ck_assert_double_eq(ci.high, 1);
	ci = wilson(0, 1);
	ck_assert_double_eq(ci.low, 0);
	ck_assert_double_eq_tol(ci.high, 0.793451, 1e-6);
	ci = wilson(0.5, 0);
	ck_assert_double_eq(ci.low, 0);
	ck_assert_double_eq(ci.high, 1);
	ck_assert_double_eq_tol(wilson_margin(0.5, 100), 0.096168, 1e-6);
	/* n need not be whole */
	ck_assert_double_eq_tol(wilson_margin(0.234, 2.5), 0.366803, 1e-6);
}
END_TEST

/* z = (p1 - p2) / sqrt((p1 + p2 - (p1 - p2)^2) / n), significant above 1.95996. */
START_TEST(differences)
{
	/* 60 and 40 of 100: z = 0.2 / sqrt(0.96 / 100) = 2.04 */
	ck_assert(shares_differ(0.6, 0.4, 100));
	/* 59 and 41: z = 0.18 / sqrt(0.9676 / 100) = 1.83 */
	ck_assert(!shares_differ(0.59, 0.41, 100));
	ck_assert(!shares_differ(0.41, 0.59, 100));
	/* 10 and 2 of 1000: z = 0.008 / sqrt(0.011936 / 1000) = 2.32; 8 and 3: 1.51 */
	ck_assert(shares_differ(0.010, 0.002, 1000));
	ck_assert(!shares_differ(0.008, 0.003, 1000));
	ck_assert(!shares_differ(0.5, 0.5, 1e9));
	ck_assert(!shares_differ(0, 0, 1e9));
	ck_assert(!shares_differ(1, 0, 0));
	ck_assert(shares_differ(1, 0, 1));
}
END_TEST

/*
 * How often the interval of a simulated share covers the true one: at least 93 % of the time
 * where 95 % are promised.  The generator and its seed are fixed.
 */
START_TEST(coverage)
{
	static const double shares[] = { 0.005, 0.03, 0.1, 0.5, 0.9 };
	enum { SAMPLES = 500, RUNS = 2000 };
	uint64_t x = 88172645463325252u;

	for (size_t s = 0; s < sizeof(shares) / sizeof(*shares); s++) {
		int covered = 0;

		for (int r = 0; r < RUNS; r++) {
			int hits = 0;
			struct interval ci;

			for (int i = 0; i < SAMPLES; i++) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				hits += (double)(x >> 11) / 9007199254740992.0 < shares[s];
			}
			ci = wilson((double)hits / SAMPLES, SAMPLES);
			covered += ci.low <= shares[s] && shares[s] <= ci.high;
		}
		ck_assert_int_ge(covered, RUNS * 93 / 100);
		ck_assert_int_le(covered, RUNS * 98 / 100);
	}
}
END_TEST

/* ---- distributions ---- */

START_TEST(normal)
{
	ck_assert_double_eq_tol(normal_tail(1.959963984540054), 0.05, 1e-15);
	ck_assert_double_eq_tol(normal_tail(-1), 0.317310507862914, 1e-14);
	ck_assert_double_eq_tol(normal_tail(0), 1, 1e-15);
	ck_assert_double_eq_tol(student_quantile(0.975, INFINITY), STAT_Z95, 1e-12);
	ck_assert_double_eq_tol(student_quantile(0.005, INFINITY), -2.575829303548901, 1e-11);
	ck_assert_double_eq(student_quantile(0.5, INFINITY), 0);
}
END_TEST

/* One degree of freedom is Cauchy's: tail 1 - 2/pi atan t; two: 1 - t / sqrt(2 + t^2). */
START_TEST(student)
{
	static const struct {
		double df, t;
	} upper[] = {
		/* 97.5 % */
		{ 1, 12.706205 }, { 2, 4.302653 },  { 3, 3.182446 },  { 9, 2.262157 },
		{ 10, 2.228139 }, { 19, 2.093024 }, { 39, 2.022691 }, { 120, 1.979930 },
	};

	for (size_t i = 0; i < sizeof(upper) / sizeof(*upper); i++) {
		ck_assert_double_eq_tol(student_quantile(0.975, upper[i].df), upper[i].t, 1e-6);
		ck_assert_double_eq_tol(student_quantile(0.025, upper[i].df), -upper[i].t, 1e-6);
		ck_assert_double_eq_tol(student_tail(upper[i].t, upper[i].df), 0.05, 1e-7);
	}
	ck_assert_double_eq_tol(student_tail(3, 1), 1 - 2 / M_PI * atan(3), 1e-13);
	ck_assert_double_eq_tol(student_tail(-0.1, 2), 1 - 0.1 / sqrt(2.01), 1e-13);
	ck_assert_double_eq_tol(student_tail(50, 2), 1 - 50 / sqrt(2502), 1e-13);
	ck_assert_double_eq(student_quantile(0.5, 7), 0);
	ck_assert(isinf(student_quantile(1, 7)) && isinf(student_quantile(0, 7)));
	ck_assert_double_eq(student_tail(INFINITY, 3), 0);
}
END_TEST

START_TEST(chi_squared)
{
	/* two degrees: exp(-x/2); one: a squared normal; printed: 14.067 for 7, 88.250 for 63 … */
	ck_assert_double_eq_tol(chi2_tail(3, 2), exp(-1.5), 1e-14);
	ck_assert_double_eq_tol(chi2_tail(40, 2), exp(-20), 1e-20);
	ck_assert_double_eq_tol(chi2_tail(2.5, 1), normal_tail(sqrt(2.5)), 1e-13);
	ck_assert_double_eq_tol(chi2_tail(14.06714, 7), 0.05, 1e-7);
	ck_assert_double_eq_tol(chi2_tail(124.3421, 100), 0.05, 1e-6);
	ck_assert_double_eq(chi2_tail(0, 3), 1);
}
END_TEST

/* ---- blocks ---- */

/* p = 10/40; residuals 1.5, -0.5, -1, 0 of blocks of 10, 10, 12, 8: Σ² = 3.5; 4/3 · 3.5 / 1600. */
START_TEST(variance_over_blocks)
{
	static const uint64_t x[] = { 4, 2, 2, 2 }, w[] = { 10, 10, 12, 8 };
	static const uint64_t none[] = { 0, 0, 0, 0 };

	ck_assert_double_eq_tol(block_variance(x, w, 4), 4.0 / 3 * 3.5 / 1600, 1e-15);
	ck_assert_double_eq(block_variance(w, w, 4), 0);
	ck_assert_double_eq(block_variance(none, w, 4), 0);
	ck_assert_double_eq(block_variance(none, none, 4), 0);
	ck_assert_double_eq(block_variance(x, w, 1), 0);
}
END_TEST

static void fill(uint64_t *v, uint64_t value)
{
	for (int i = 0; i < 40; i++)
		v[i] = value;
}

/* Twenty blocks with 20 % and twenty with none, in turns: of 40 blocks they vary, of 20 they don't. */
START_TEST(widest_of_three)
{
	uint64_t x[40], w[40];
	struct share s;

	fill(w, 100);
	for (int i = 0; i < 40; i++)
		x[i] = i % 2 ? 20 : 0;
	s = share_of_blocks(x, w, w, 40, 4000);
	ck_assert_double_eq_tol(s.p, 0.1, 1e-15);
	ck_assert_uint_eq(s.blocks, 40);
	/* Var = 40/39 · 40 · 10² / 4000² */
	ck_assert_double_eq_tol(s.half, 2.022690920 * sqrt(40.0 / 39 * 4000 / 16e6), 1e-9);
	ck_assert_double_eq_tol(s.n, STAT_Z95 * STAT_Z95 * 0.09 / (s.half * s.half), 1e-6);
	ck_assert_double_eq_tol(s.design, 4000 / s.n, 1e-9);
	ck_assert_double_eq(s.ci.low, wilson(0.1, s.n).low);
	ck_assert_double_eq_tol(share_variance(&s), s.half * s.half / (STAT_Z95 * STAT_Z95), 1e-18);
	/* four blocks on, four off: ten blocks see it as well as forty, with the larger t */
	for (int i = 0; i < 40; i++)
		x[i] = i / 4 % 2 ? 20 : 0;
	s = share_of_blocks(x, w, w, 40, 4000);
	ck_assert_uint_eq(s.blocks, 10);
	ck_assert_double_eq_tol(s.half, 2.262157163 * sqrt(10.0 / 9 * 10 * 1600 / 16e6), 1e-9);
}
END_TEST

/* Even blocks say nothing that the number of samples doesn't: binomial. */
START_TEST(not_below_binomial)
{
	uint64_t x[40], w[40];
	struct share s;

	fill(x, 10);
	fill(w, 100);
	s = share_of_blocks(x, w, w, 40, 4000);
	ck_assert_uint_eq(s.blocks, 0);
	ck_assert_double_eq_tol(s.half, STAT_Z95 * sqrt(0.09 / 4000), 1e-15);
	ck_assert_double_eq(s.n, 4000);
	ck_assert_double_eq(s.design, 1);
}
END_TEST

/* Fewer than 25 samples a block on average: that many blocks aren't made. */
START_TEST(too_few_for_blocks)
{
	uint64_t x[40], w[40];

	for (int i = 0; i < 40; i++)
		x[i] = i < 20 ? 6 : 0;
	fill(w, 24); /* 24 by 40, 48 by 20, 96 by 10 */
	ck_assert_uint_eq(share_of_blocks(x, w, w, 40, 960).blocks, 10);
	fill(w, 6);
	ck_assert_uint_eq(share_of_blocks(x, w, w, 40, 240).blocks, 0);
	/* without any hit the bound is told by the number of samples */
	fill(x, 0);
	ck_assert_double_eq(share_of_blocks(x, w, w, 40, 240).n, 240);
	ck_assert_double_eq(share_of_blocks(x, w, w, 40, 240).half, 0);
	ck_assert_double_eq_tol(zero_hit_bound(3841.4588), 0.001, 1e-8);
	ck_assert_double_eq(zero_hit_bound(2), 1);
}
END_TEST

START_TEST(how_many)
{
	ck_assert_double_eq_tol(samples_needed(0.003, 0.001), 11490, 1);
	ck_assert_double_eq_tol(samples_needed(0.1, 0.01), 3457, 1);
	ck_assert_double_eq(kish_samples(10, 50), 2);
	ck_assert_double_eq(kish_samples(0, 0), 0);
}
END_TEST

static uint64_t rng_state;

static double uniform(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (double)(rng_state >> 11) / 9007199254740992.0;
}

/*
 * SAMPLES samples over 40 blocks with the share P, switching between P·1.8 and P·0.2 in phases of
 * mean length LENGTH (0: independent samples).
 */
static void simulate(uint64_t *x, uint64_t *w, int samples, double p, double length)
{
	bool high = uniform() < 0.5;

	fill(x, 0);
	fill(w, 0);
	for (int i = 0; i < samples; i++) {
		int b = (int)((long)i * 40 / samples);

		if (length > 0 && uniform() < 1 / length)
			high = !high;
		w[b]++;
		x[b] += uniform() < (length > 0 ? p * (high ? 1.8 : 0.2) : p);
	}
}

/* 95 % are promised; at least 93 where phases are shorter than a fortieth of the recording. */
START_TEST(coverage_of_bursts)
{
	static const double lengths[] = { 0, 50, 200, 500 };
	enum { RUNS = 400 };

	rng_state = 88172645463325252u;
	for (size_t l = 0; l < sizeof(lengths) / sizeof(*lengths); l++) {
		int covered = 0, binomial = 0;

		for (int r = 0; r < RUNS; r++) {
			uint64_t x[40], w[40];
			struct share s, plain;

			simulate(x, w, 20000, 0.1, lengths[l]);
			s = share_of_blocks(x, w, w, 40, 20000);
			plain = share_binomial(s.p, 20000);
			covered += s.ci.low <= 0.1 && 0.1 <= s.ci.high;
			binomial += plain.ci.low <= 0.1 && 0.1 <= plain.ci.high;
		}
		ck_assert_int_ge(covered, RUNS * 93 / 100);
		if (lengths[l] > 0) /* what it is there for */
			ck_assert_int_le(binomial, RUNS * 75 / 100);
	}
}
END_TEST

/*
 * How often three kinds of interval cover the true share, by the mean length of phases: what samples
 * taken for independent promise, what 40 blocks do, and what the largest of 40, 20 and 10 does.
 */
START_TEST(coverage_by_length)
{
	static const struct {
		double length;
		int binomial, forty, largest; /* percent, ± 4: 600 draws */
	} table[] = {
		{ 0, 95, 94, 98 },   { 50, 66, 95, 97 },   { 200, 37, 95, 96 },
		{ 500, 25, 86, 94 }, { 1000, -1, 78, 92 }, { 2000, 13, 64, 87 },
	};
	enum { RUNS = 600, TOLERANCE = 4 };
	const double t39 = student_quantile(0.975, 39);

	rng_state = 1181783497276652981u;
	for (size_t l = 0; l < sizeof(table) / sizeof(*table); l++) {
		double binomial = 0, forty = 0, largest = 0;

		for (int r = 0; r < RUNS; r++) {
			uint64_t x[40], w[40];
			struct share s, plain;

			simulate(x, w, 20000, 0.1, table[l].length);
			s = share_of_blocks(x, w, w, 40, 20000);
			plain = share_binomial(s.p, 20000);
			binomial += plain.ci.low <= 0.1 && 0.1 <= plain.ci.high;
			forty += fabs(s.p - 0.1) <= t39 * sqrt(block_variance(x, w, 40));
			largest += s.ci.low <= 0.1 && 0.1 <= s.ci.high;
		}
		if (table[l].binomial >= 0)
			ck_assert_double_eq_tol(binomial * 100 / RUNS, table[l].binomial,
						TOLERANCE);
		ck_assert_double_eq_tol(forty * 100 / RUNS, table[l].forty, TOLERANCE);
		ck_assert_double_eq_tol(largest * 100 / RUNS, table[l].largest, TOLERANCE);
	}
}
END_TEST

START_TEST(drift)
{
	uint64_t x[40], w[40];
	int told = 0;

	rng_state = 4101842887655102017u;
	for (int r = 0; r < 400; r++) {
		simulate(x, w, 20000, 0.1, 0);
		told += share_drifts(x, w, w, 40);
	}
	ck_assert_int_le(told, 20); /* 5 % */
	for (int i = 0; i < 40; i++)
		x[i] = i < 20 ? 60 : 40;
	ck_assert(share_drifts(x, w, w, 40));
	for (int i = 0; i < 40; i++)
		x[i] = i >= 13 && i < 27 ? 70 : 40;
	ck_assert(share_drifts(x, w, w, 40));
	fill(x, 50);
	ck_assert(!share_drifts(x, w, w, 40));
	fill(w, 20);
	ck_assert(!share_drifts(x, w, w, 40));
}
END_TEST

/* ---- ratios ---- */

START_TEST(ratios)
{
	uint64_t y[40], x[40];
	double d[40];
	struct ratio r;

	fill(x, 1000);
	for (int i = 0; i < 40; i++)
		y[i] = i % 2 ? 900 : 700;
	r = ratio_of_blocks(y, x, 40);
	ck_assert_double_eq_tol(r.r, 0.8, 1e-15);
	ck_assert_double_eq_tol(r.half, 2.022690920 * sqrt(40.0 / 39 * 40 * 1e4) / 40000, 1e-9);
	/* the same by its differences */
	for (int i = 0; i < 40; i++)
		d[i] = ((double)y[i] - 0.8 * 1000) / 40000;
	ck_assert_double_eq_tol(half_of_blocks(d, 40), r.half, 1e-12);
	for (int i = 0; i < 40; i++) /* alike in pairs: 20 blocks are the widest */
		d[i] = i / 2 % 2 ? 0.01 : -0.01;
	ck_assert_double_eq_tol(half_of_blocks(d, 40), 2.093024054 * sqrt(20.0 / 19 * 20 * 4e-4),
				1e-9);
	fill(x, 0);
	ck_assert(isinf(ratio_of_blocks(y, x, 40).half));
	/* 200 ± 10 by 100 ± 10: relative variances 0.0025 + 0.01 */
	r = ratio_apart(200, 100, 100, 100);
	ck_assert_double_eq(r.r, 2);
	ck_assert_double_eq_tol(r.half, STAT_Z95 * 2 * sqrt(0.0125), 1e-12);
	ck_assert_double_eq(ratio_apart(0, 1, 100, 4).r, 0);
	ck_assert(isinf(ratio_apart(1, 1, 0, 0).half));
}
END_TEST

/* ---- differences ---- */

START_TEST(z_of_difference)
{
	struct difference d = difference_z(0.10, 9e-6, 0.12, 16e-6);

	ck_assert_double_eq_tol(d.delta, 0.02, 1e-15);
	ck_assert_double_eq_tol(d.se, 0.005, 1e-15);
	ck_assert_double_eq_tol(d.z, 4, 1e-12);
	ck_assert_double_eq_tol(d.p, 6.334248366623985e-05, 1e-16);
	ck_assert_double_eq(difference_z(1, 0, 1, 0).p, 1);
	ck_assert_double_eq(difference_z(1, 0, 2, 0).p, 0);
}
END_TEST

/*
 * a = 16, 20, 24 and b = 22, 23, 24: means 20 and 23, variances 16 and 1.  se² = 16/3 + 1/3,
 * t = 3 / sqrt(17/3), df = (17/3)² / ((16/3)²/2 + (1/3)²/2) = 289 / 128.5.
 */
START_TEST(welch)
{
	static const double a[] = { 16, 20, 24 }, b[] = { 22, 23, 24 }, c[] = { 5, 5 };
	struct difference d = difference_welch(a, 3, b, 3);

	ck_assert_double_eq_tol(d.delta, 3, 1e-15);
	ck_assert_double_eq_tol(d.se, sqrt(17.0 / 3), 1e-14);
	ck_assert_double_eq_tol(d.df, 289 / 128.5, 1e-12);
	ck_assert_double_eq_tol(d.z, 3 / sqrt(17.0 / 3), 1e-14);
	ck_assert_double_eq_tol(d.p, student_tail(d.z, 289 / 128.5), 1e-15);
	ck_assert_double_eq_tol(d.half, student_quantile(0.975, d.df) * d.se, 1e-12);
	ck_assert_double_eq(difference_welch(a, 1, b, 3).p, 1);
	ck_assert_double_eq(difference_welch(c, 2, c, 2).p, 1);
	ck_assert_double_eq(difference_welch(c, 2, a, 1).p, 1);
}
END_TEST

/* The worked example of Y. Benjamini and Y. Hochberg, JRSS B 57 (1995), section 3.2: 15 p-values. */
START_TEST(false_discoveries)
{
	double p[] = { 0.0459, 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
		       0.0344, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000 };
	int significant = 0;

	benjamini_hochberg(p, 15);
	for (size_t i = 0; i < 15; i++)
		significant += p[i] <= 0.05;
	ck_assert_int_eq(significant, 4); /* the first four, as printed */
	ck_assert_double_eq_tol(p[1], 0.0015, 1e-12);
	ck_assert_double_eq_tol(p[2], 0.0030, 1e-12);
	ck_assert_double_eq_tol(p[3], 0.0095, 1e-12);
	ck_assert_double_eq_tol(p[4], 0.035625, 1e-12);
	ck_assert_double_eq_tol(p[5], 0.0201 * 15 / 5, 1e-12);
	/* 0.0278·15/6 is more than 0.0298·15/7, and so capped by it */
	ck_assert_double_eq_tol(p[6], 0.0298 * 15 / 7, 1e-12);
	ck_assert_double_eq_tol(p[7], 0.0298 * 15 / 7, 1e-12);
	ck_assert_double_eq_tol(p[0], 0.0459 * 15 / 9, 1e-12);
	ck_assert_double_eq(p[14], 1);
	benjamini_hochberg(NULL, 0);
}
END_TEST

START_TEST(phases)
{
	double even[8], same[8];
	struct rayleigh r;

	for (int i = 0; i < 8; i++) {
		even[i] = i * M_PI / 4;
		same[i] = 1;
	}
	r = rayleigh_test(even, 8);
	ck_assert_double_eq_tol(r.r, 0, 1e-15);
	ck_assert_double_eq_tol(r.p, 1, 1e-15);
	r = rayleigh_test(same, 8);
	ck_assert_double_eq_tol(r.r, 1, 1e-15);
	ck_assert_double_eq_tol(r.p, exp(-8), 1e-15);
	ck_assert_double_eq(rayleigh_test(NULL, 0).p, 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("statistics");
	TCase *tc = tcase_create("statistics");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, published_values);
	tcase_add_test(tc, ends);
	tcase_add_test(tc, differences);
	tcase_add_test(tc, coverage);
	tcase_add_test(tc, normal);
	tcase_add_test(tc, student);
	tcase_add_test(tc, chi_squared);
	tcase_add_test(tc, variance_over_blocks);
	tcase_add_test(tc, widest_of_three);
	tcase_add_test(tc, not_below_binomial);
	tcase_add_test(tc, too_few_for_blocks);
	tcase_add_test(tc, how_many);
	tcase_add_test(tc, coverage_of_bursts);
	tcase_add_test(tc, coverage_by_length);
	tcase_add_test(tc, drift);
	tcase_add_test(tc, ratios);
	tcase_add_test(tc, z_of_difference);
	tcase_add_test(tc, welch);
	tcase_add_test(tc, false_discoveries);
	tcase_add_test(tc, phases);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
