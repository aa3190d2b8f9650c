/* SPDX-License-Identifier: MIT */
/*
 * Comparisons: what a function's identity is, rows that were slowed, renamed, added, inlined or
 * left alone, and simulated pairs of recordings for what the tests promise.
 */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/diff.h>
#include <perfrep/folded.h>
#include <perfrep/statistics.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "view_profile.h"

/* ---- identity ---- */

static void same(const char *name, const char *identity)
{
	char *got = diff_identity(name, NULL);

	ck_assert_str_eq(got, identity);
	free(got);
}

START_TEST(identities)
{
	bool inlined;
	char *name;

	same("memcpy", "memcpy");
	same("walk.constprop.0", "walk");
	same("walk.isra.0.part.12", "walk");
	same("walk.cold", "walk");
	same("walk.part.0.cold.3", "walk");
	same("walk.llvm.1234567890123456789", "walk");
	same("step(int) [clone .isra.0] [clone .cold]", "step(int)");
	same("core::fmt::write::h0123456789abcdef", "core::fmt::write");
	same("core::fmt::write::h0123456789abcdeF", "core::fmt::write::h0123456789abcdeF");
	same("core[3f1a2b4c5d6e7f80]::fmt::write", "core::fmt::write");
	same("<mycrate[0a1b2c3d4e5f6071]::Book as core[3f1a2b4c5d6e7f80]::ops::Add>::add",
	     "<mycrate::Book as core::ops::Add>::add");
	same("table[12]::x", "table[12]::x");
	same("strings.clone", "strings.clone"); /* Go's */
	same("pkg.part", "pkg.part");
	same("a.b.c", "a.b.c");
	same(".cold", ".cold");
	same("", "");
	same("[libfoo.so]", "[libfoo.so]");
	same("read_[k]", "read");
	name = diff_identity("step.isra.0_[i]", &inlined);
	ck_assert_str_eq(name, "step");
	ck_assert(inlined);
	free(name);
}
END_TEST

/* ---- rows ---- */

struct pair {
	struct profile *p[2];
	struct diff_recording r[2];
	struct diff_side side[2];
	struct diff d;
};

static struct profile *make(const char *text)
{
	struct profile *p = profile_new();

	view_profile_add(p, "cycles", "ns", text);
	profile_need_trie(p);
	diff_identify(p, false);
	return p;
}

static void pair_init(struct pair *t, const char *before, const char *after,
		      const struct diff_options *o)
{
	static const struct diff_options share = { DIFF_SHARE, false };
	const char *text[2] = { before, after };

	for (int s = 0; s < 2; s++) {
		t->p[s] = make(text[s]);
		t->r[s] = (struct diff_recording){ t->p[s], 0, s ? 200 : 100 };
		t->side[s] = (struct diff_side){ &t->r[s], 1 };
	}
	diff_build(&t->d, t->side, o ? o : &share);
}

static void pair_release(struct pair *t)
{
	diff_release(&t->d);
	profile_free(t->p[0]);
	profile_free(t->p[1]);
}

static const struct diff_row *row(const struct pair *t, const char *name)
{
	for (size_t i = 0; i < t->d.n; i++)
		if (!strcmp(t->d.rows[i].name, name))
			return &t->d.rows[i];
	ck_abort_msg("no row for %s", name);
	return NULL;
}

/*
 * slow takes twice the time (300 → 600 of 1000 → 1300), old is called fresh now, added is new
 * (and 100), tiny is inlined now, a to c are as they were.
 */
static const char before_text[] = "app;main@app;slow@app 3000 3000\n"
				  "app;main@app;old@app 1000 1000\n"
				  "app;main@app;tiny@app 500 500\n"
				  "app;main@app;a@app 2500 2500\n"
				  "app;main@app;b@app 1500 1500\n"
				  "app;main@app;c@app 1500 1500\n"
				  "app;main@app;rare@app 4 4\n";
static const char after_text[] = "app;main@app;slow.isra.0@app 6000 6000\n"
				 "app;main@app;fresh@app 1010 1010\n"
				 "app;main@app;added@app 1900 1900\n"
				 "app;main@app+tiny@app 505 505\n"
				 "app;main@app;a@app 2530 2530\n"
				 "app;main@app;b@app 1480 1480\n"
				 "app;main@app;c@app 1490 1490\n"
				 "app;main@app;rare@app 8 8\n";

START_TEST(kinds_by_time)
{
	static const struct diff_options o = { DIFF_TIME, false };
	const struct diff_row *r;
	struct pair t;

	pair_init(&t, before_text, after_text, &o);
	ck_assert_str_eq(t.d.rows[0].name, "slow");
	r = &t.d.rows[0];
	ck_assert_uint_eq(r->kind, DIFF_SLOWER);
	ck_assert_double_eq_tol(r->self.delta, 3000, 1e-6);
	ck_assert_double_gt(r->self.half, 100);
	ck_assert_double_lt(r->self.half, 200);
	ck_assert_uint_eq(row(&t, "added")->kind, DIFF_NEW);
	ck_assert_uint_eq(row(&t, "added")->twin, PROFILE_NONE);
	r = row(&t, "fresh");
	ck_assert_uint_eq(r->kind, DIFF_NEW);
	ck_assert_str_eq(t.d.rows[r->twin].name, "old");
	ck_assert_uint_eq(row(&t, "old")->kind, DIFF_GONE);
	ck_assert_str_eq(t.d.rows[row(&t, "old")->twin].name, "fresh");
	r = row(&t, "tiny");
	ck_assert_uint_eq(r->kind, DIFF_NOISE);
	ck_assert(r->reinlined);
	ck_assert_uint_eq(r->inlining[0], DIFF_CALLED);
	ck_assert_uint_eq(r->inlining[1], DIFF_INLINED);
	ck_assert_uint_eq(row(&t, "a")->kind, DIFF_NOISE);
	ck_assert(!row(&t, "a")->reinlined);
	ck_assert_uint_eq(row(&t, "rare")->kind, DIFF_FEW);
	ck_assert_uint_eq(row(&t, "main")->kind, DIFF_FEW); /* by self */
	ck_assert_uint_eq(t.d.count[DIFF_SLOWER], 1);
	ck_assert_uint_eq(t.d.count[DIFF_FASTER], 0);
	ck_assert_uint_eq(t.d.count[DIFF_NOISE], 4);
	ck_assert_uint_eq(t.d.tested, 8);
	pair_release(&t);
}
END_TEST

/* By share a, b, c and tiny lose a third: not because anything happened to them. */
START_TEST(kinds_by_share)
{
	struct pair t;

	pair_init(&t, before_text, after_text, NULL);
	ck_assert_str_eq(t.d.rows[0].name, "slow");
	ck_assert_double_eq_tol(t.d.rows[0].self.share[0], 3000.0 / 10004, 1e-9);
	ck_assert_double_eq_tol(t.d.rows[0].self.share[1], 6000.0 / 14923, 1e-9);
	ck_assert_double_eq_tol(t.d.rows[0].self.delta, 6000.0 / 14923 - 3000.0 / 10004, 1e-9);
	ck_assert_double_eq_tol(t.d.shift, 0.67, 0.02);
	ck_assert_uint_eq(row(&t, "a")->kind, DIFF_SHIFTED);
	ck_assert_uint_eq(row(&t, "b")->kind, DIFF_SHIFTED);
	ck_assert_uint_eq(row(&t, "tiny")->kind, DIFF_SHIFTED);
	ck_assert_uint_eq(t.d.count[DIFF_SHIFTED], 4);
	ck_assert_uint_eq(t.d.count[DIFF_FASTER], 0);
	ck_assert_str_eq(t.d.rows[row(&t, "fresh")->twin].name, "old");
	pair_release(&t);
}
END_TEST

/* 100 operations before, 200 after: slow costs the same, the others half. */
START_TEST(kinds_by_work)
{
	static const struct diff_options o = { DIFF_WORK, false };
	struct pair t;

	pair_init(&t, before_text, after_text, &o);
	ck_assert_double_eq_tol(row(&t, "slow")->self.cost[0], 30, 1e-9);
	ck_assert_double_eq_tol(row(&t, "slow")->self.cost[1], 30, 1e-9);
	ck_assert_uint_eq(row(&t, "slow")->kind, DIFF_NOISE);
	ck_assert_uint_eq(row(&t, "a")->kind, DIFF_FASTER);
	ck_assert_str_eq(t.d.rows[0].name, "a"); /* by size */
	ck_assert_double_eq_tol(t.d.whole[0], 100.04, 1e-9);
	ck_assert_double_eq_tol(t.d.whole[1], 74.615, 1e-9);
	pair_release(&t);
}
END_TEST

START_TEST(equal)
{
	struct pair t;

	pair_init(&t, before_text, before_text, NULL);
	ck_assert(t.d.equal);
	for (size_t i = 0; i < t.d.n; i++)
		ck_assert_uint_ge(t.d.rows[i].kind, DIFF_NOISE);
	pair_release(&t);
	pair_init(&t, before_text, after_text, NULL);
	ck_assert(!t.d.equal);
	pair_release(&t);
	/* nothing at all */
	pair_init(&t, "", "", NULL);
	ck_assert_uint_eq(t.d.n, 0);
	pair_release(&t);
}
END_TEST

/* A clone and its origin on one stack are one function, which the stack counts once. */
START_TEST(clones_count_once)
{
	struct pair t;

	pair_init(&t, "app;main@app;walk@app;walk.part.0@app 100 100\napp;main@app 100 100\n",
		  "app;main@app;walk@app 100 100\napp;main@app 100 100\n", NULL);
	ck_assert_double_eq_tol(row(&t, "walk")->total.share[0], 0.5, 1e-12);
	ck_assert_double_eq_tol(row(&t, "walk")->self.share[0], 0.5, 1e-12);
	ck_assert_uint_eq(row(&t, "walk")->kind, DIFF_NOISE);
	ck_assert(t.d.equal);
	pair_release(&t);
}
END_TEST

/* The program has a version in its name: its functions are still the same. */
START_TEST(renamed_module)
{
	struct pair t;

	pair_init(&t,
		  "app;main@app-1.0;f@app-1.0;memcpy@libc-2.31.so 500 500\n"
		  "app;main@app-1.0;f@app-1.0 500 500\na;[app-1.0]?@app-1.0 50 50\n",
		  "app;main@app-1.1;f@app-1.1;memcpy@libc.so.6 520 520\n"
		  "app;main@app-1.1;f@app-1.1 480 480\na;[app-1.1]?@app-1.1 50 50\n",
		  NULL);
	ck_assert_str_eq(row(&t, "f")->module[0], "app-1.0");
	ck_assert_str_eq(row(&t, "f")->module[1], "app-1.1");
	ck_assert_uint_eq(row(&t, "f")->kind, DIFF_NOISE);
	ck_assert_uint_eq(row(&t, "memcpy")->self.samples[0], 500);
	ck_assert_uint_eq(row(&t, "memcpy")->self.samples[1], 520);
	ck_assert_uint_eq(t.d.n, 5); /* with the two that have no name */
	pair_release(&t);
	/* two functions of one name on a side stay apart */
	pair_init(&t, "a;f@x 100 100\na;f@y 100 100\n", "a;f@z 100 100\na;f@x 100 100\n", NULL);
	ck_assert_uint_eq(t.d.n, 2);
	pair_release(&t);
}
END_TEST

/* Nothing of 100 samples is no sign that a function is new when it has 0.1 % of 20,000. */
START_TEST(new_needs_evidence)
{
	struct pair t;

	pair_init(&t, "a;f@x 100 100\n", "a;f@x 19980 19980\na;g@x 20 20\n", NULL);
	ck_assert_uint_eq(row(&t, "g")->kind, DIFF_NOISE);
	pair_release(&t);
	pair_init(&t, "a;f@x 20000 20000\n", "a;f@x 19980 19980\na;g@x 20 20\n", NULL);
	ck_assert_uint_eq(row(&t, "g")->kind, DIFF_NEW);
	pair_release(&t);
}
END_TEST

/* By total, callers are rows to be judged. */
START_TEST(by_total)
{
	static const struct diff_options o = { DIFF_SHARE, true };
	struct pair t;

	pair_init(&t, "a;main@x;left@x;f@x 5000 5000\na;main@x;right@x;f@x 5000 5000\n",
		  "a;main@x;left@x;f@x 7000 7000\na;main@x;right@x;f@x 3000 3000\n", &o);
	ck_assert_uint_eq(row(&t, "left")->kind, DIFF_SLOWER);
	ck_assert_uint_eq(row(&t, "right")->kind, DIFF_FASTER);
	ck_assert_uint_eq(row(&t, "f")->kind, DIFF_NOISE);
	ck_assert_uint_eq(row(&t, "main")->kind, DIFF_NOISE);
	pair_release(&t);
}
END_TEST

/* IPC of f falls from 2 to 1, that of g stays at 1; h has too few samples. */
START_TEST(ratios)
{
	static const char *const cycles[2] = {
		"a;f@x 1000000 1000\na;g@x 2000000 2000\na;h@x 9 9\n",
		"a;f@x 1500000 1500\na;g@x 2000000 2000\na;h@x 9 9\n"
	};
	static const char *const instr[2] = {
		"a;f@x 2000000 1000\na;g@x 2020000 2000\na;h@x 9 9\n",
		"a;f@x 1500000 1500\na;g@x 2000000 2000\na;h@x 9 9\n"
	};
	struct diff_options o = { DIFF_TIME, false };
	struct diff_recording num[2], den[2];
	struct diff_side num_side[2], den_side[2];
	struct diff_ratios dr;
	struct diff dn, dd;

	for (int s = 0; s < 2; s++) {
		num[s] = (struct diff_recording){ make(instr[s]), 0, 0 };
		den[s] = (struct diff_recording){ make(cycles[s]), 0, 0 };
		num_side[s] = (struct diff_side){ &num[s], 1 };
		den_side[s] = (struct diff_side){ &den[s], 1 };
	}
	diff_build(&dn, num_side, &o);
	diff_build(&dd, den_side, &o);
	diff_ratios_build(&dr, "IPC", &dn, &dd, 1);
	ck_assert_uint_eq(dr.n, 2);
	ck_assert_uint_eq(dr.changed, 1);
	ck_assert_str_eq(dr.rows[0].name, "f");
	ck_assert_double_eq_tol(dr.rows[0].v[0], 2, 1e-12);
	ck_assert_double_eq_tol(dr.rows[0].v[1], 1, 1e-12);
	/* relative variances: 2/1000 of 2, 2/1500 of 1, and a little for periods that differ */
	ck_assert_double_eq_tol(dr.rows[0].half, STAT_Z95 * sqrt(4 * 0.002 + 2.0 / 1500), 0.02);
	ck_assert_str_eq(dr.rows[1].name, "g");
	ck_assert_double_gt(dr.rows[1].q, 0.05);
	diff_ratios_release(&dr);
	diff_release(&dn);
	diff_release(&dd);
	for (int s = 0; s < 2; s++) {
		profile_free((struct profile *)num[s].profile);
		profile_free((struct profile *)den[s].profile);
	}
}
END_TEST

/* ---- several recordings a side ---- */

/* Runs differ by far more than their samples say: only a change beyond that counts. */
START_TEST(several_runs)
{
	static const int hits[2][3] = { { 1000, 1300, 1150 }, { 1400, 1200, 1350 } };
	static const int clear[2][3] = { { 1000, 1010, 990 }, { 1500, 1490, 1510 } };

	for (int c = 0; c < 2; c++) {
		struct diff_recording r[2][3];
		struct diff_options o = { DIFF_SHARE, false };
		struct diff_side side[2];
		struct diff d;

		for (int s = 0; s < 2; s++) {
			for (int k = 0; k < 3; k++) {
				int n = c ? clear[s][k] : hits[s][k];
				char text[100];

				snprintf(text, sizeof(text), "a;f@x %d %d\na;g@x %d %d\n", n, n,
					 10000 - n, 10000 - n);
				r[s][k] = (struct diff_recording){ make(text), 0, 0 };
			}
			side[s] = (struct diff_side){ r[s], 3 };
		}
		diff_build(&d, side, &o);
		ck_assert_uint_eq(d.nr[0], 3);
		for (size_t i = 0; i < d.n; i++) {
			ck_assert_uint_eq(d.rows[i].kind < DIFF_NOISE, c);
			ck_assert_uint_eq(d.rows[i].self.samples[0] + d.rows[i].self.samples[1] > 0,
					  1);
		}
		if (!c) { /* Welch's, by hand: means .115 and .131666…, variances 225e-6, 108.3e-6 */
			double se = sqrt((0.000225 + 0.000108333333) / 3);

			ck_assert_double_eq_tol(fabs(d.rows[0].self.delta), 0.0166666667, 1e-8);
			ck_assert_double_gt(d.rows[0].self.half, 2 * se);
			ck_assert_double_gt(d.rows[0].self.p, 0.05);
		}
		diff_release(&d);
		for (int i = 0; i < 6; i++)
			profile_free((struct profile *)r[i / 3][i % 3].profile);
	}
}
END_TEST

/* ---- paths ---- */

static const struct diff_path *path(const struct diff_path *v, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i].text, text))
			return &v[i];
	ck_abort_msg("no path %s", text);
	return NULL;
}

START_TEST(paths)
{
	struct diff_options o = { DIFF_SHARE, false };
	struct diff_paths dp;
	struct err err;
	struct pair t;

	pair_init(&t,
		  "a;main@x;left@x;f@x 1000 1000\na;main@x;right@x;f@x;g@x 1000 1000\n"
		  "a;main@x;right@x;f@x;f@x;h@x 500 500\na;main@x;rest@x 7500 7500\n",
		  "a;main@x;left@x;f@x 3000 3000\na;main@x;right@x;f@x;g@x 1000 1000\n"
		  "a;main@x;right@x;f@x;f@x;h@x 500 500\na;main@x;rest@x 5500 5500\n",
		  NULL);
	ck_assert_int_eq(diff_paths_build(&dp, t.side, &o, "f", &err), 0);
	ck_assert_double_eq_tol(dp.m.share[0], 0.25, 1e-12);
	ck_assert_double_eq_tol(dp.m.share[1], 0.45, 1e-12);
	ck_assert_uint_eq(dp.nr_above, 2);
	ck_assert_str_eq(dp.above[0].text, "main;left;f");
	ck_assert_double_eq_tol(dp.above[0].m.delta, 0.2, 1e-12);
	ck_assert_uint_eq(dp.above[0].kind, DIFF_SLOWER);
	ck_assert_uint_eq(path(dp.above, dp.nr_above, "main;right;f")->kind, DIFF_NOISE);
	ck_assert_uint_eq(dp.nr_below, 3);
	ck_assert_str_eq(dp.below[0].text, "[self]");
	ck_assert_double_eq_tol(dp.below[0].m.delta, 0.2, 1e-12);
	ck_assert_uint_eq(path(dp.below, dp.nr_below, "h")->m.samples[1], 500);
	diff_paths_release(&dp);
	ck_assert_int_lt(diff_paths_build(&dp, t.side, &o, "nothing", &err), 0);
	ck_assert_str_eq(err.text, "No function of either side has \"nothing\" in its name.");
	ck_assert_int_lt(diff_paths_build(&dp, t.side, &o, "t", &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "part of the names of"));
	ck_assert_int_eq(diff_paths_build(&dp, t.side, &o, "lef", &err), 0);
	ck_assert_str_eq(dp.function, "left");
	diff_paths_release(&dp);
	pair_release(&t);
}
END_TEST

/* ---- folded ---- */

static void folded(const char *a, const char *b, struct diff_folded_options o, const char *want)
{
	struct diff_folded *f = diff_folded_new(o.strip_hex);
	size_t len;
	char *got;

	diff_folded_add(f, 0, a, strlen(a));
	diff_folded_add(f, 1, b, strlen(b));
	got = diff_folded_text(f, &o, &len);
	ck_assert_str_eq(got, want);
	ck_assert_uint_eq(len, strlen(want));
	free(got);
	diff_folded_free(f);
}

START_TEST(two_counts)
{
	struct diff_folded_options o = { 0 };

	folded("a;b 10\na;c d 5\n", "a;b 20\nnew 3", o, "a;b 10 20\na;c d 5 0\nnew 0 3\n");
	folded("a 1\na 2\n\njunk\nx y\n9\n", "", o, "a 3 0\n");
	folded("a  7\n", "", o, "a  7 0\n"); /* the stack keeps its blank */
	folded("a 0.5\nb 2.\n", "a 1\n", o, "a 0.5 1\nb 2 0\n");
	folded("a 2.000\n", "a 1\n", o, "a 2 1\n");
	/* a fraction although its nearest double is whole */
	folded("a 0.99999999999999999\n", "a 2\n", o, "a 1 2\n");
	folded("a .5\na 5\r\n", "", o, "");
	folded("f 0x1f;0xG 1\n", "f 0x2e;0xG 2\n", o, "f 0x1f;0xG 1 0\nf 0x2e;0xG 0 2\n");
	folded("", "", o, "");
	o.strip_hex = true;
	folded("f 0x1f;0xG 1\n", "f 0x2e;0xG 2\n", o, "f 0x...;0xG 1 2\n");
	o = (struct diff_folded_options){ .normalise = true };
	/* 10·50/30 = 16.67, 20·50/30 = 33.3 */
	folded("a 10\nb 20\n", "a 50\n", o, "a 16 50\nb 33 0\n");
	folded("a 10\nb 20\n", "a 30\n", o, "a 10 30\nb 20 0\n");
	folded("a 0.99999999999999999\n", "a 2\n", o, "a 2 2\n");
	o.keep_gone = true;
	folded("a 10\nb 20\n", "a 50\n", o, "a 16 50\nb 33 0\n[gone];b 66 33\n");
}
END_TEST

/* ---- simulation ---- */

static uint64_t rng_state;

static double uniform(void)
{
	rng_state ^= rng_state << 13;
	rng_state ^= rng_state >> 7;
	rng_state ^= rng_state << 17;
	return (double)(rng_state >> 11) / 9007199254740992.0;
}

enum { FUNCS = 60 };

/* Costs: the first is that of "target", the others fall like 1/rank; together 1. */
static void costs(double *v, double target)
{
	double sum = 0;

	v[0] = target;
	for (int i = 1; i < FUNCS; i++)
		sum += v[i] = 1.0 / (i + 2);
	for (int i = 1; i < FUNCS; i++)
		v[i] *= (1 - target) / sum;
}

/* As many SAMPLES for a cost of 1 in all; the number of samples grows with the cost. */
static struct profile *simulate(const double *v, int samples)
{
	struct profile *p = profile_new();
	struct strbuf sb = STRBUF_INIT;
	double up[FUNCS], sum = 0;
	unsigned hits[FUNCS] = { 0 };

	for (int i = 0; i < FUNCS; i++)
		up[i] = sum += v[i];
	for (int n = 0; n < (int)(samples * sum); n++) {
		double u = uniform() * sum;
		int i = 0;

		while (i < FUNCS - 1 && u > up[i])
			i++;
		hits[i]++;
	}
	for (int i = 0; i < FUNCS; i++)
		strbuf_addf(&sb, "main;f%d %u\n", i, hits[i]);
	folded_read(p, strbuf_str(&sb), sb.n, "samples", NULL);
	strbuf_release(&sb);
	profile_need_trie(p);
	diff_identify(p, true);
	return p;
}

/* Compare RUNS recordings a side of costs A and B. */
static void compare(struct diff *d, const double *a, const double *b, size_t runs, int samples,
		    enum diff_norm norm)
{
	struct diff_recording r[2][10];
	struct diff_side side[2];
	struct diff_options o = { norm, false };

	for (int s = 0; s < 2; s++) {
		for (size_t k = 0; k < runs; k++)
			r[s][k] = (struct diff_recording){ simulate(s ? b : a, samples), 0, 0 };
		side[s] = (struct diff_side){ r[s], runs };
	}
	diff_build(d, side, &o);
	d->event = d->unit = NULL; /* the profiles go */
	for (int s = 0; s < 2; s++)
		for (size_t k = 0; k < runs; k++)
			profile_free((struct profile *)r[s][k].profile);
}

/* The same program twice: 5 % by chance before the correction, and none after it. */
START_TEST(null_pairs)
{
	size_t tested = 0, raw = 0, clean = 0;
	double v[FUNCS];

	rng_state = 88172645463325252u;
	costs(v, 0.1);
	for (int pair = 0; pair < 100; pair++) {
		struct diff d;
		size_t changed = 0;

		compare(&d, v, v, 1, 20000, DIFF_SHARE);
		for (size_t i = 0; i < d.n; i++) {
			raw += d.rows[i].self.q < 1 || d.rows[i].kind == DIFF_NOISE
				       ? d.rows[i].self.p < 0.05
				       : 0;
			changed += d.rows[i].kind < DIFF_SHIFTED;
		}
		tested += d.tested;
		clean += !changed;
		diff_release(&d);
	}
	printf("null: %zu of %zu rows below 0.05 (%.2f %%), %zu of 100 pairs clean\n", raw, tested,
	       100.0 * (double)raw / (double)tested, clean);
	ck_assert_uint_ge(tested, 5500);
	ck_assert_uint_le(raw * 100, tested * 5);
	ck_assert_uint_ge(raw * 100, tested * 3); /* not by being blind */
	ck_assert_uint_ge(clean, 95);
}
END_TEST

/*
 * A program that switches between two mixes of its functions, in phases of LENGTH samples on
 * average; with the slices of time that its samples fall into, or without.
 */
static struct profile *simulate_phases(int length, bool timed)
{
	enum { MIX = 20, N = 20000 };
	struct profile *p = profile_new();
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	uint32_t event = profile_event(p, "cycles", "ns"), root = profile_key(p, &key);
	uint32_t locs[MIX];
	bool second = uniform() < 0.5;

	for (uint32_t f = 0; f < MIX; f++) {
		char name[16];
		int n = snprintf(name, sizeof(name), "f%u", f);
		uint32_t str = profile_string(p, name, (size_t)n);
		struct line line = { .func = profile_func(p, str, 0, 0) };

		locs[f] = profile_loc(p, LOC_NAME, 0, str, 0);
		profile_set_lines(p, locs[f], &line, 1);
	}
	for (int i = 0; i < N; i++) {
		struct stack_weight w = { .weight = 1,
					  .event = event,
					  .block = (uint8_t)((long)i * PROFILE_BLOCKS / N) };
		int f = (int)(uniform() * MIX);

		if (uniform() < 1.0 / length)
			second = !second;
		if (second) /* the first quarter alone */
			f /= 4;
		profile_add_stack(p, &locs[f], 1, root, &w, 1);
	}
	p->timed = timed;
	profile_end_stacks(p);
	diff_identify(p, true);
	return p;
}

/* Rows called changed, over PAIRS of the same program; *RAW those below 0.05 of *TESTED. */
static size_t false_alarms(int length, bool timed, int pairs, size_t *raw, size_t *tested)
{
	struct diff_options o = { DIFF_SHARE, false };
	size_t clean = 0;

	*raw = *tested = 0;
	for (int i = 0; i < pairs; i++) {
		struct diff_recording r[2];
		struct diff_side side[2];
		struct diff d;

		for (int s = 0; s < 2; s++) {
			r[s] = (struct diff_recording){ simulate_phases(length, timed), 0, 0 };
			side[s] = (struct diff_side){ &r[s], 1 };
		}
		diff_build(&d, side, &o);
		ck_assert(d.blocks == timed);
		for (size_t k = 0; k < d.n; k++)
			*raw += d.rows[k].self.p < 0.05;
		*tested += d.tested;
		clean += d.count[DIFF_NOISE] == d.tested;
		diff_release(&d);
		profile_free((struct profile *)r[0].profile);
		profile_free((struct profile *)r[1].profile);
	}
	printf("phases of %d, %s: %zu of %zu rows below 0.05 (%.2f %%), %zu of %d pairs clean\n",
	       length, timed ? "blocks" : "binomial", *raw, *tested,
	       100.0 * (double)*raw / (double)*tested, clean, pairs);
	return clean;
}

/* A program with phases, twice: blocks of time know, numbers of samples don't. */
START_TEST(null_pairs_with_phases)
{
	static const int lengths[] = { 50, 200, 500 };
	size_t raw, tested;

	rng_state = 88172645463325252u;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		ck_assert_uint_ge(false_alarms(lengths[i], true, 100, &raw, &tested), 95);
		ck_assert_uint_le(raw * 100, tested * 5);
	}
	false_alarms(200, false, 40, &raw, &tested);
	ck_assert_uint_ge(raw * 100, tested * 15);
}
END_TEST

/* How many of PAIRS tell that the function with 10 % got slower by FACTOR. */
static int found(double factor, size_t runs, int samples, int pairs)
{
	double a[FUNCS], b[FUNCS];
	int n = 0;

	costs(a, 0.1);
	costs(b, 0.1);
	b[0] *= factor;
	for (int i = 0; i < pairs; i++) {
		struct diff d;

		compare(&d, a, b, runs, samples, DIFF_TIME);
		for (size_t k = 0; k < d.n; k++)
			n += d.rows[k].kind == DIFF_SLOWER && !strcmp(d.rows[k].name, "f0");
		diff_release(&d);
	}
	return n;
}

/*
 * The power curve.  A function with 10 % of 20,000 samples has 2,000 ± 42: the difference of two
 * has a standard error of 3 %, so among 60 rows 15 % more is found and 5 % more can't be; that
 * takes nine times the samples.
 */
START_TEST(power)
{
	static const struct {
		double factor;
		size_t runs;
		int samples;
		int least, most; /* of 40 pairs */
	} cases[] = {
		{ 1.05, 1, 20000, 0, 8 },    { 1.10, 1, 20000, 12, 32 },
		{ 1.15, 1, 20000, 36, 40 },  { 1.20, 1, 20000, 40, 40 },
		{ 2.00, 1, 20000, 40, 40 },  { 1.05, 1, 180000, 36, 40 },
		{ 1.05, 10, 20000, 24, 40 }, { 1.00, 3, 20000, 0, 1 },
	};

	rng_state = 4101842887655102017u;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int n = found(cases[i].factor, cases[i].runs, cases[i].samples, 40);

		printf("power: +%.0f %%, %zu x %d samples a side: %d of 40\n",
		       (cases[i].factor - 1) * 100, cases[i].runs, cases[i].samples, n);
		ck_assert_int_ge(n, cases[i].least);
		ck_assert_int_le(n, cases[i].most);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("diff");
	TCase *tc = tcase_create("diff");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, identities);
	tcase_add_test(tc, kinds_by_time);
	tcase_add_test(tc, kinds_by_share);
	tcase_add_test(tc, kinds_by_work);
	tcase_add_test(tc, equal);
	tcase_add_test(tc, clones_count_once);
	tcase_add_test(tc, renamed_module);
	tcase_add_test(tc, new_needs_evidence);
	tcase_add_test(tc, by_total);
	tcase_add_test(tc, ratios);
	tcase_add_test(tc, several_runs);
	tcase_add_test(tc, paths);
	tcase_add_test(tc, two_counts);
	tcase_add_test(tc, null_pairs);
	tcase_add_test(tc, null_pairs_with_phases);
	tcase_add_test(tc, power);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
