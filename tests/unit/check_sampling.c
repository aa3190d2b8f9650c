/* SPDX-License-Identifier: MIT */
/* What sample times tell: rate, spread of periods, lockstep, periodic programs; and which are kept. */
#include <check.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <perfrep/sampling.h>

#include "base/vec.h"
#include "collect/times.h"

static struct {
	VEC(struct sample_point) v;
} points;

static uint64_t rng_state;

static double uniform(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (double)(rng_state >> 11) / 9007199254740992.0;
}

/* SECONDS of samples, one every INTERVAL ns, each late by up to JITTER. */
static void add_timer(uint32_t thread, uint32_t cpu, double offset, double interval, double jitter,
		      double seconds)
{
	for (double t = offset; t < seconds * 1e9; t += interval)
		vec_push(&points.v,
			 (struct sample_point){
				 .time = 1000000000000u + (uint64_t)(t + jitter * uniform()),
				 .period = 1000,
				 .thread = thread,
				 .cpu = cpu,
			 });
}

static struct sampling judge(double interval, double frequency)
{
	const struct sampling_wish wish = { interval, frequency };
	struct sampling s;

	sampling_judge(&s, points.v.v, points.v.n, false, &wish);
	return s;
}

static void setup(void)
{
	rng_state = 88172645463325252u;
}

static void teardown(void)
{
	vec_release(&points.v);
	points.v.n = 0;
}

START_TEST(nothing)
{
	struct sampling s = judge(1e6, 0);

	ck_assert_uint_eq(s.points, 0);
	ck_assert_double_eq(s.lockstep, 0);
}
END_TEST

/* 1,000 Hz is in step with a millisecond, 999 Hz is not. */
START_TEST(in_step)
{
	struct sampling s;

	add_timer(1, 0, 123456, 1e6, 5000, 10);
	s = judge(1e6, 1000);
	ck_assert_uint_eq(s.points, 10000);
	ck_assert_double_eq_tol(s.interval, 1e6, 5000);
	ck_assert_double_eq(s.lockstep, 1e6);
	ck_assert_double_gt(s.phases[0].r, 0.99);
	ck_assert_double_eq(s.phases[0].cycle, 1e6);
	ck_assert_double_lt(s.phases[0].p, 1e-6);
	ck_assert_double_lt(s.phases[1].r, 0.01); /* four points of the cycle */
	ck_assert_uint_eq(s.nr_lines, 0); /* the sampler's own does not count */
	teardown();
	add_timer(1, 0, 123456, 1e9 / 999, 5000, 10);
	s = judge(1e9 / 999, 999);
	ck_assert_double_eq(s.lockstep, 0);
	ck_assert_double_lt(s.phases[0].r, 0.05);
	ck_assert_uint_eq(s.nr_lines, 0);
	/* not even in a recording that is too short to go round */
	teardown();
	add_timer(1, 0, 123456, 1e9 / 999, 5000, 0.2);
	s = judge(1e9 / 999, 999);
	ck_assert_double_gt(s.phases[0].r, 0.9);
	ck_assert_double_eq(s.lockstep, 0);
}
END_TEST

START_TEST(the_longest_cycle)
{
	add_timer(1, 0, 0, 4e6, 1000, 10);
	ck_assert_double_eq(judge(4e6, 250).lockstep, 4e6);
	teardown();
	add_timer(1, 0, 0, 20e6, 1000, 10);
	ck_assert_double_eq(judge(20e6, 50).lockstep, 10e6);
	teardown();
	add_timer(1, 0, 0, 250e3, 1000, 10);
	ck_assert_double_eq(judge(250e3, 4000).lockstep, 0);
}
END_TEST

/* Each thread, or each CPU, has a phase of its own. */
START_TEST(many_timers)
{
	for (uint32_t t = 0; t < 8; t++)
		add_timer(t, 0, t * 125000, 1e6, 5000, 2);
	ck_assert_double_eq(judge(1e6, 1000).lockstep, 1e6);
	teardown();
	for (uint32_t c = 0; c < 8; c++)
		add_timer(1, c, c * 125000, 1e6, 5000, 2);
	ck_assert_double_eq(judge(1e6, 1000).lockstep, 1e6);
	teardown();
	/* threads that only ran for a few samples say nothing */
	for (uint32_t t = 0; t < 100; t++)
		add_timer(t, t, t * 77777, 1e6, 5000, 0.04);
	ck_assert_double_eq(judge(1e6, 1000).lockstep, 0);
}
END_TEST

/* A counter, not a timer: the interval is measured, and as uneven as the program is. */
START_TEST(counters)
{
	add_timer(1, 0, 0, 1e6, 1e6, 10);
	ck_assert_double_eq(judge(0, 1000).lockstep, 0);
	teardown();
	add_timer(1, 0, 0, 1e6, 2000, 10);
	ck_assert_double_eq(judge(0, 1000).lockstep, 1e6);
}
END_TEST

/* Random times in the first half of each 10 ms. */
START_TEST(periodic_program)
{
	struct sampling s;

	for (int i = 0; i < 20000; i++) {
		double t = uniform() * 10e9;

		if (fmod(t, 10e6) < 5e6)
			add_timer(1, 0, t, 1e12, 0, t / 1e9 + 1e-9);
	}
	s = judge(0, 1000);
	ck_assert_uint_ge(s.nr_lines, 1);
	ck_assert_double_eq_tol(s.lines[0].hz, 100, 8);
	ck_assert_double_gt(s.lines[0].power, 4);
	ck_assert_double_eq(s.lockstep, 0);
	teardown();
	for (int i = 0; i < 10000; i++) {
		double t = uniform() * 10e9;

		add_timer(1, 0, t, 1e12, 0, t / 1e9 + 1e-9);
	}
	ck_assert_uint_eq(judge(0, 1000).nr_lines, 0);
}
END_TEST

/* A program that works in the first millisecond of every two; only then it is sampled. */
static struct sampling two_milliseconds(double hz, double seconds)
{
	teardown();
	for (double t = 123456; t < seconds * 1e9; t += 1e9 / hz)
		if (fmod(t, 2e6) < 1e6)
			add_timer(1, 0, t, 1e12, 5000, t / 1e9 + 1e-9);
	return judge(1e9 / hz, hz);
}

/* 1,500 Hz fall on the same three points of a rhythm of 2 ms, 1,499 Hz go round. */
START_TEST(rhythm_in_step)
{
	struct sampling s = two_milliseconds(1500, 10);
	bool found = false;

	ck_assert_double_eq(s.lockstep, 0);
	ck_assert_uint_ge(s.nr_lines, 1);
	for (size_t i = 0; i < s.nr_lines; i++) {
		ck_assert_double_lt(s.lines[i].p, 1e-6);
		if (fabs(s.lines[i].hz - 500) < 0.05) {
			ck_assert_uint_eq(s.lines[i].points, 3);
			ck_assert(s.lines[i].kept_up);
			found = true;
		}
	}
	ck_assert(found);
	s = two_milliseconds(1499, 10);
	ck_assert_double_eq(s.lockstep, 0);
	ck_assert_uint_ge(s.nr_lines, 1);
	found = false;
	for (size_t i = 0; i < s.nr_lines; i++) {
		ck_assert_uint_eq(s.lines[i].points, 0);
		found |= fabs(s.lines[i].hz - 500) < 0.05;
	}
	ck_assert(found);
	/* 1,000 Hz are in step with a millisecond, which says it all */
	ck_assert_double_eq(two_milliseconds(1000, 10).lockstep, 1e6);
}
END_TEST

/* Works in the first tenth of each CYCLE ns; sampled at 999 Hz. */
static void slow_program(double cycle, double seconds)
{
	teardown();
	for (double t = 123456; t < seconds * 1e9; t += 1e9 / 999)
		if (fmod(t, cycle) < 0.1 * cycle)
			add_timer(1, 0, t, 1e12, 5000, t / 1e9 + 1e-9);
}

/* 25 Hz show in windows of a second, when there are enough, and none is missing. */
START_TEST(slow_rhythm)
{
	const struct sampling_wish wish = { 1e9 / 999, 999 };
	struct sampling s;
	bool found = false;

	slow_program(40e6, 12);
	s = judge(1e9 / 999, 999);
	for (size_t i = 0; i < s.nr_lines; i++) {
		if (fabs(s.lines[i].hz - 25) > 0.01)
			continue;
		ck_assert(s.lines[i].kept_up);
		ck_assert_uint_eq(s.lines[i].points, 0);
		ck_assert_double_lt(s.lines[i].p, 1e-6);
		found = true;
	}
	ck_assert(found);
	slow_program(40e6, 12);
	sampling_judge(&s, points.v.v, points.v.n, true, &wish);
	for (size_t i = 0; i < s.nr_lines; i++)
		ck_assert_double_gt(s.lines[i].hz, 44);
	slow_program(40e6, 6);
	s = judge(1e9 / 999, 999);
	for (size_t i = 0; i < s.nr_lines; i++)
		ck_assert_double_gt(s.lines[i].hz, 44);
}
END_TEST

/* Bursts of any length and at any time are no rhythm; nor are random times, whatever the number. */
START_TEST(bursts_are_no_rhythm)
{
	static const double lengths[] = { 20e6, 100e6, 300e6 };

	for (int round = 0; round < 60; round++) {
		double length = lengths[round % 3], t = 0;

		teardown();
		while (t < 12e9) {
			double end = t - log(1 - uniform()) * length;

			for (; t < end; t += 1e9 / 999)
				add_timer(1, 0, t, 1e12, 5000, t / 1e9 + 1e-9);
			t -= log(1 - uniform()) * length;
		}
		ck_assert_uint_eq(judge(1e9 / 999, 999).nr_lines, 0);
	}
}
END_TEST

/* ---- shares by the point of a cycle ---- */

static struct {
	VEC(struct sample_hit) v;
} hits;

/* What is done at T, in ns. */
typedef uint32_t row_fn(double t);

/* As above, in one thread on one CPU with the number THREAD, each sample on time. */
static void add_hits(uint32_t thread, double offset, double hz, double seconds, row_fn *row)
{
	for (double t = offset; t < seconds * 1e9; t += 1e9 / hz)
		vec_push(&hits.v, (struct sample_hit){ .time = 1000000000000u + (uint64_t)t,
						       .thread = thread,
						       .cpu = thread,
						       .row = row(t) });
}

/* Of what was added, which is taken away.  LINE: the frequency of a rhythm; 0: there is none. */
static struct sampling judge_shares(double hz, double line)
{
	const struct sampling_wish wish = { 1e9 / hz, hz };
	struct sampling s = { .phases = { { .cycle = 1e6 }, { .cycle = 4e6 }, { .cycle = 10e6 } } };

	if (line > 0) {
		s.lines[0] = (struct sampling_line){ .hz = line, .kept_up = true };
		s.nr_lines = 1;
	}
	sampling_judge_shares(&s, hits.v.v, hits.v.n, 4, &wish);
	vec_release(&hits.v);
	hits.v.n = 0;
	return s;
}

static uint32_t by_half(double t)
{
	return fmod(t, 1e6) < 0.5e6 ? 2 : 3;
}

/* 999 Hz go round 1 ms ten times: each eighth has one function, so χ² is the number of samples. */
START_TEST(shares_by_half)
{
	const struct sampling_shares *sh;
	struct sampling s;

	add_hits(1, 62500, 999, 10, by_half);
	s = judge_shares(999, 0);
	ck_assert_uint_eq(s.nr_shares, 3);
	sh = sampling_dependent(&s);
	ck_assert_ptr_eq(sh, &s.shares[0]);
	ck_assert_double_eq(sh->cycle, 1e6);
	ck_assert_double_eq(sh->df, 7);
	ck_assert_double_eq_tol(sh->chi2, 9990, 1e-6);
	ck_assert_double_eq(sh->low, 0);
	ck_assert_double_eq(sh->high, 1);
	ck_assert_double_lt(sh->p, 1e-6);
	ck_assert_double_eq(s.shares[2].p, 1); /* ten of them are no cycle of their own */
	/* a recording of 3 s tells too, one that does not go round can't */
	add_hits(1, 0, 999, 3, by_half);
	s = judge_shares(999, 0);
	ck_assert_ptr_eq(sampling_dependent(&s), &s.shares[0]);
	add_hits(1, 0, 999, 1, by_half);
	s = judge_shares(999, 0);
	ck_assert_ptr_null(sampling_dependent(&s));
}
END_TEST

/* 13 functions of equal weight, two at each time: in either order, and numbered either way. */
START_TEST(shares_of_equal_rows)
{
	double chi2 = 0;

	for (int order = 0; order < 2; order++) {
		const struct sampling_wish wish = { 1e6, 1000 };
		struct sampling s = {
			.phases = { { .cycle = 1e6 }, { .cycle = 4e6 }, { .cycle = 10e6 } }
		};

		for (uint32_t i = 0; i < 2600; i++) {
			uint32_t which = i / 2 * 2 + (order ? 1 - i % 2 : i % 2), row = which % 13;
			uint64_t time = 1000000000000u + (uint64_t)(i / 2) * 1010000;

			if (row < 3) /* these come at one point of each millisecond */
				time -= time % 1000000;
			vec_push(&hits.v, (struct sample_hit){ .time = time,
							       .ip = 0x1000 + row,
							       .row = order ? 12 - row : row });
		}
		sampling_judge_shares(&s, hits.v.v, hits.v.n, 13, &wish);
		vec_release(&hits.v);
		hits.v.n = 0;
		ck_assert_double_gt(s.shares[0].df, 0);
		if (!order)
			chi2 = s.shares[0].chi2;
		else
			ck_assert_double_eq(s.shares[0].chi2, chi2);
	}
}
END_TEST

/* In step all samples fall into one eighth: there is nothing to compare, nor between threads. */
START_TEST(shares_in_step)
{
	struct sampling s;

	add_hits(1, 100e3, 1000, 10, by_half);
	add_hits(2, 600e3, 1000, 10, by_half);
	s = judge_shares(1000, 0);
	ck_assert_double_eq(s.shares[0].df, 0);
	ck_assert_double_eq(s.shares[0].p, 1);
	ck_assert_ptr_null(sampling_dependent(&s));
}
END_TEST

static uint32_t by_third(double t)
{
	return (uint32_t)(fmod(t, 2e6) / 2e6 * 3);
}

/* 1,500 Hz fall on three points of 2 ms, with a function each. */
START_TEST(shares_of_a_rhythm)
{
	struct sampling s;

	add_hits(1, 100e3, 1500, 10, by_third);
	s = judge_shares(1500, 500);
	ck_assert_uint_eq(s.nr_shares, 4);
	ck_assert_double_eq(s.shares[3].cycle, 2e6);
	ck_assert_double_eq(s.shares[3].df, 4);
	ck_assert_double_eq_tol(s.shares[3].chi2, 2 * 15000, 1e-6);
	/* of 1 ms these are three points too: at this rate nobody can tell */
	ck_assert_ptr_eq(sampling_dependent(&s), &s.shares[0]);
	ck_assert_double_eq_tol(s.shares[0].chi2, s.shares[3].chi2, 1e-6);
}
END_TEST

static uint32_t random_row(double t)
{
	(void)t;
	return (uint32_t)(uniform() * 4);
}

static struct {
	double mean, until;
	uint32_t row;
} phase;

/* Another function for some time, again and again. */
static uint32_t by_phase(double t)
{
	if (t >= phase.until) {
		phase.until = t - log(1 - uniform()) * phase.mean;
		phase.row = random_row(t);
	}
	return uniform() < 0.8 ? phase.row : random_row(t);
}

/* Changes over time are no rhythm, however slowly the sampler goes round. */
START_TEST(phases_are_no_cycle)
{
	static const double means[] = { 20e6, 100e6, 300e6, 1e9 }, rates[] = { 999, 997, 3999, 99 };
	struct sampling s;

	for (size_t i = 0; i < 12 * 4 * 4; i++) {
		phase.mean = means[i % 4];
		phase.until = 0;
		add_hits(1, 1e6 * uniform(), rates[i / 4 % 4], (double[]){ 3, 4, 10 }[i % 3],
			 by_phase);
		s = judge_shares(rates[i / 4 % 4], 60 + 400 * uniform());
		ck_assert_msg(!sampling_dependent(&s), "phases of %.0f ms at %.0f Hz",
			      phase.mean / 1e6, rates[i / 4 % 4]);
	}
	for (size_t i = 0; i < 100; i++) {
		add_hits(1, 1e6 * uniform(), 999, 4, random_row);
		s = judge_shares(999, 0);
		for (size_t k = 0; k < s.nr_shares; k++)
			ck_assert_double_gt(s.shares[k].p, 1e-4);
	}
}
END_TEST

START_TEST(periods)
{
	struct sampling s;

	add_timer(1, 0, 0, 1e6, 0, 1);
	for (size_t i = 0; i < points.v.n; i++)
		points.v.v[i].period = i + 1;
	s = judge(0, 1000);
	ck_assert_double_eq(s.period_low, 51);
	ck_assert_double_eq(s.period_median, 501);
	ck_assert_double_eq(s.period_high, 950);
}
END_TEST

/* ---- which are kept ---- */

static int by_time(const void *va, const void *vb)
{
	const struct sample_point *a = va, *b = vb;

	return a->time < b->time ? -1 : a->time > b->time;
}

START_TEST(the_same_for_any_number_of_workers)
{
	enum { N = 200000, WORKERS = 7 };
	struct times one = { 0 }, many[WORKERS] = { 0 };

	for (uint32_t i = 0; i < N; i++) {
		struct sample_point p = { .time = i * UINT64_C(1000000), .period = i };

		times_add(&one, p);
		times_add(&many[i / 1000 % WORKERS], p);
	}
	for (int w = 1; w < WORKERS; w++)
		times_merge(&many[0], &many[w]);
	ck_assert_uint_gt(one.v.n, TIMES_MAX / 4);
	ck_assert_uint_le(one.v.n, TIMES_MAX);
	ck_assert_uint_eq(many[0].v.n, one.v.n);
	ck_assert_uint_eq(many[0].level, one.level);
	qsort(one.v.v, one.v.n, sizeof(*one.v.v), by_time);
	qsort(many[0].v.v, many[0].v.n, sizeof(*one.v.v), by_time);
	for (size_t i = 0; i < one.v.n; i++) {
		ck_assert_uint_eq(one.v.v[i].time, many[0].v.v[i].time);
		/* a window is there as a whole */
		ck_assert(i == 0 ||
			  one.v.v[i].time >> SAMPLING_WINDOW_BITS !=
				  one.v.v[i - 1].time >> SAMPLING_WINDOW_BITS ||
			  one.v.v[i].period == one.v.v[i - 1].period + 1);
	}
	times_release(&one);
	for (int w = 0; w < WORKERS; w++)
		times_release(&many[w]);
}
END_TEST

/* All at one time: they can't be cut, so none is kept. */
START_TEST(one_crowded_window)
{
	struct times t = { 0 };

	for (uint32_t i = 0; i < 100000; i++)
		times_add(&t, (struct sample_point){ .time = 5, .period = i });
	ck_assert_uint_le(t.v.n, TIMES_MAX + 1);
	times_release(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sampling");
	TCase *tc = tcase_create("sampling");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing);
	tcase_add_test(tc, in_step);
	tcase_add_test(tc, the_longest_cycle);
	tcase_add_test(tc, many_timers);
	tcase_add_test(tc, counters);
	tcase_add_test(tc, periodic_program);
	tcase_add_test(tc, rhythm_in_step);
	tcase_add_test(tc, slow_rhythm);
	tcase_add_test(tc, bursts_are_no_rhythm);
	tcase_add_test(tc, shares_by_half);
	tcase_add_test(tc, shares_of_equal_rows);
	tcase_add_test(tc, shares_in_step);
	tcase_add_test(tc, shares_of_a_rhythm);
	tcase_add_test(tc, phases_are_no_cycle);
	tcase_add_test(tc, periods);
	tcase_add_test(tc, the_same_for_any_number_of_workers);
	tcase_add_test(tc, one_crowded_window);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
