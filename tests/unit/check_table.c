/* SPDX-License-Identifier: MIT */
/*
 * Tables of a profile built by hand: rows by every kind of key, what they add up to, ranks, and
 * the text in each format and width.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/folded.h>
#include <perfrep/view.h>

#include "base/strbuf.h"
#include "view/json.h"
#include "view/precision.h"
#include "view_profile.h"

/* Recursion, an inlined function that is also a leaf, and a frame without a name. */
static const char small[] = "app;main@app;run@app+step@app;memcpy@libc.so.6 4000 4\n"
			    "app;main@app;run@app+step@app 3000 3\n"
			    "app;main@app;fib@app;fib@app;fib@app 2000 2\n"
			    "idle;main@app;[gzip]?@gzip 1000 1\n";

static const struct view_style plain = { .format = VIEW_TEXT };
static const struct table_options by_function = { .keys = { { KEY_DSO, KEY_SYM }, 2 } };

static struct profile *make(const char *text)
{
	struct profile *p = profile_new();
	struct err err;

	view_profile_add(p, "cycles:u", "cycles", text);
	ck_assert_int_eq(profile_check(p, &err), 0);
	return p;
}

static const char *name(const struct table *t, size_t row)
{
	const struct profile *p = t->profile;

	return profile_str(p, p->funcs[p->lines[t->rows[row].line].func].name);
}

START_TEST(self_and_total)
{
	static const struct {
		const char *name;
		uint64_t self, total, samples, inlined;
	} rows[] = {
		{ "memcpy", 4000, 4000, 4, 0 }, { "step", 3000, 7000, 3, 3000 },
		{ "fib", 2000, 2000, 2, 0 },    { "[gzip]", 1000, 1000, 1, 0 },
		{ "main", 0, 10000, 0, 0 },     { "run", 0, 7000, 0, 0 },
	};
	struct profile *p = make(small);
	struct table t;

	table_build(&t, p, 0, &by_function);
	ck_assert_uint_eq(t.n, 6);
	ck_assert_uint_eq(t.base, 10000);
	ck_assert_double_eq(t.samples, 10);
	for (size_t i = 0; i < t.n; i++) {
		ck_assert_str_eq(name(&t, i), rows[i].name);
		ck_assert_uint_eq(t.rows[i].self, rows[i].self);
		ck_assert_uint_eq(t.rows[i].total, rows[i].total);
		ck_assert_uint_eq(t.rows[i].self_samples, rows[i].samples);
		ck_assert_uint_eq(t.rows[i].inlined, rows[i].inlined);
	}
	table_release(&t);
	profile_free(p);
}
END_TEST

START_TEST(by_count_and_by_total)
{
	static const char *const order[] = { "main", "step", "run", "memcpy", "fib", "[gzip]" };
	const struct table_options opts = { .keys = by_function.keys,
					    .by_count = true,
					    .by_total = true };
	struct profile *p = make(small);
	struct table t;

	table_build(&t, p, 0, &opts);
	ck_assert_uint_eq(t.base, 10);
	for (size_t i = 0; i < t.n; i++)
		ck_assert_str_eq(name(&t, i), order[i]);
	ck_assert_uint_eq(t.rows[0].total, 10);
	ck_assert_uint_eq(t.rows[1].self, 3);
	ck_assert_uint_eq(t.rows[1].inlined, 3);
	table_release(&t);
	profile_free(p);
}
END_TEST

/* The rows of any keys: their text and self, in order, and the sum. */
static void assert_rows(const char *keys, const char *expected)
{
	struct table_options opts = { 0 };
	struct profile *p = make(small);
	struct strbuf sb = STRBUF_INIT;
	struct table t;
	uint64_t sum = 0;
	struct err err;

	ck_assert_int_eq(view_keys_parse(&opts.keys, keys, &err), 0);
	table_build(&t, p, 0, &opts);
	for (size_t i = 0; i < t.n; i++) {
		for (size_t k = 0; k < opts.keys.n; k++) {
			table_key_text(&t, &t.rows[i], opts.keys.v[k], true, &sb);
			strbuf_addc(&sb, '|');
		}
		strbuf_addf(&sb, "%llu/%llu\n", (unsigned long long)t.rows[i].self,
			    (unsigned long long)t.rows[i].total);
		sum += t.rows[i].self;
	}
	ck_assert_str_eq(strbuf_str(&sb), expected);
	ck_assert_uint_eq(sum, t.base);
	strbuf_release(&sb);
	table_release(&t);
	profile_free(p);
}

START_TEST(any_keys)
{
	assert_rows("comm", "app|9000/9000\nidle|1000/1000\n");
	assert_rows("dso", "app|5000/10000\nlibc.so.6|4000/4000\ngzip|1000/1000\n");
	assert_rows("comm,dso", "app|app|5000/9000\napp|libc.so.6|4000/4000\n"
				"idle|gzip|1000/1000\nidle|app|0/1000\n");
	assert_rows("event", "cycles:u|10000/10000\n");
	assert_rows("srcfile", "??|10000/10000\n");
	assert_rows("tid", "?|10000/10000\n");
}
END_TEST

START_TEST(source_lines)
{
	struct profile *p = make("a;main@x:/src/m.c:10;f@x:/src/f.c:3+g@x:/inc/g.h:7 20 2\n"
				 "a;main@x:/src/m.c:11;f@x:/src/f.c:3 10 1\n");
	struct table_options opts = { .keys = { { KEY_SRCLINE }, 1 } };
	struct strbuf sb = STRBUF_INIT;
	struct table t;

	table_build(&t, p, 0, &opts);
	for (size_t i = 0; i < t.n; i++) {
		table_key_text(&t, &t.rows[i], KEY_SRCLINE, true, &sb);
		strbuf_addf(&sb, " %d %d\n", (int)t.rows[i].self, (int)t.rows[i].total);
	}
	ck_assert_str_eq(sb.s, "/inc/g.h:7 20 20\n/src/f.c:3 10 30\n/src/m.c:10 0 20\n"
			       "/src/m.c:11 0 10\n");
	strbuf_clear(&sb);
	table_key_text(&t, &t.rows[0], KEY_SRCLINE, false, &sb);
	ck_assert_str_eq(sb.s, "g.h:7");
	strbuf_release(&sb);
	table_release(&t);
	profile_free(p);
}
END_TEST

/* ---- ± from slices of time ---- */

/* Two functions; A has SHARES[i] percent of the 100 samples of slice i. */
static struct profile *in_slices(const unsigned shares[PROFILE_BLOCKS])
{
	struct profile *p = profile_new();
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	uint32_t event = profile_event(p, "cycles", "cycles"), root = profile_key(p, &key);
	uint32_t locs[2];

	for (uint32_t f = 0; f < 2; f++) {
		uint32_t str = profile_string(p, f ? "b" : "a", 1);
		struct line line = { .func = profile_func(p, str, 0, 0) };

		locs[f] = profile_loc(p, LOC_NAME, 0, str, 0);
		profile_set_lines(p, locs[f], &line, 1);
	}
	for (unsigned i = 0; i < PROFILE_BLOCKS * 100; i++) {
		struct stack_weight w = { .weight = 1,
					  .event = event,
					  .block = (uint8_t)(i / 100) };

		profile_add_stack(p, &locs[i % 100 >= shares[i / 100]], 1, root, &w, 1);
	}
	p->timed = true;
	profile_end_stacks(p);
	return p;
}

START_TEST(steady_share)
{
	const struct table_options opts = { .keys = { { KEY_SYM }, 1 }, .blocks = true };
	unsigned shares[PROFILE_BLOCKS];
	struct strbuf sb = STRBUF_INIT;
	struct profile *p;
	struct table t;

	for (unsigned i = 0; i < PROFILE_BLOCKS; i++)
		shares[i] = 70;
	p = in_slices(shares);
	table_build(&t, p, 0, &opts);
	ck_assert_uint_eq(t.n, 2);
	ck_assert_double_eq(t.rows[0].self_n, 4000); /* never more than the binomial one */
	ck_assert(!precision_drifts(&t, &t.rows[0]));
	overview_hottest(&t, &plain, &sb);
	ck_assert_str_eq(strbuf_str(&sb), "hottest     a, 70.0 % ±1.5 of cycles\n");
	strbuf_release(&sb);
	table_release(&t);
	profile_free(p);
}
END_TEST

START_TEST(share_in_bursts)
{
	const struct table_options opts = { .keys = { { KEY_SYM }, 1 }, .blocks = true };
	const struct table_options apart = { .keys = { { KEY_SYM }, 1 } };
	unsigned shares[PROFILE_BLOCKS];
	struct strbuf sb = STRBUF_INIT;
	struct profile *p;
	struct table t;

	for (unsigned i = 0; i < PROFILE_BLOCKS; i++)
		shares[i] = i % 2 ? 100 : 20;
	p = in_slices(shares);
	table_build(&t, p, 0, &opts);
	/* 40 slices: Var = 40/39 · 40 · 40² / 4000² = 0.0041026, t = 2.0227: ±0.12955 */
	ck_assert_double_eq_tol(t.rows[0].self_n, 1.95996 * 1.95996 * 0.6 * 0.4 / 0.12955 / 0.12955,
				0.1);
	ck_assert_double_eq(t.rows[0].self_n, t.rows[0].total_n);
	ck_assert_uint_eq(t.rows[0].rank_last, 2); /* 60 and 40 % may be the same */
	ck_assert(!precision_drifts(&t, &t.rows[0]));
	overview_hottest(&t, &plain, &sb);
	ck_assert_str_eq(
		strbuf_str(&sb),
		"hottest     a, 60.0 % ±12.6 of cycles; within the noise of it: b, 40.0 % "
		"±12.6\n"
		"            it comes in bursts: its 2,400 samples tell as much as 33 independent "
		"ones would; ± counts that\n");
	strbuf_release(&sb);
	table_release(&t);
	/* without slices */
	table_build(&t, p, 0, &apart);
	ck_assert_double_eq(t.rows[0].self_n, 4000);
	ck_assert_uint_eq(t.rows[0].rank_last, 1);
	table_release(&t);
	profile_free(p);
}
END_TEST

/* The same samples in two threads: rows by thread are as unsure as their bursts make them. */
START_TEST(bursts_by_key)
{
	struct table_options opts = { .keys = { { KEY_TID, KEY_SYM }, 2 }, .blocks = true };
	struct profile *p = profile_new();
	struct line line = { .func = profile_func(p, profile_string(p, "a", 1), 0, 0) };
	uint32_t event = profile_event(p, "cycles", "cycles");
	uint32_t loc = profile_loc(p, LOC_NAME, 0, profile_string(p, "a", 1), 0);
	struct table t;

	profile_set_lines(p, loc, &line, 1);
	for (unsigned i = 0; i < PROFILE_BLOCKS * 100; i++) {
		bool first = i % 100 < (i / 100 % 2 ? 100 : 20);
		struct stack_key key = { .pid = 1, .tid = first ? 1 : 2, .cpu = -1 };
		struct stack_weight w = { .weight = 3,
					  .event = event,
					  .block = (uint8_t)(i / 100) };

		profile_add_stack(p, &loc, 1, profile_key(p, &key), &w, 1);
	}
	p->timed = true;
	profile_end_stacks(p);
	for (int count = 0; count < 2; count++) {
		opts.by_count = count;
		table_build(&t, p, 0, &opts);
		ck_assert_uint_eq(t.n, 2);
		ck_assert_uint_eq(t.rows[0].self, count ? 2400 : 7200);
		/* as in share_in_bursts */
		ck_assert_double_eq_tol(t.rows[0].self_n,
					1.95996 * 1.95996 * 0.6 * 0.4 / 0.12955 / 0.12955, 0.1);
		ck_assert_double_eq(t.rows[0].self_n, t.rows[0].total_n);
		ck_assert_double_eq_tol(t.rows[1].self_n, t.rows[0].self_n, 1e-9);
		ck_assert_double_eq(precision_part(&t, &t.rows[0], 0, 2), 0.6);
		ck_assert_uint_eq(t.rows[0].rank_last, 2);
		table_release(&t);
	}
	opts.blocks = false;
	opts.by_count = false;
	table_build(&t, p, 0, &opts);
	ck_assert_uint_eq(t.rows[0].rank_last, 1);
	table_release(&t);
	profile_free(p);
}
END_TEST

/* Samples without a line are in the slices of the row that they are added to. */
START_TEST(frameless_in_slices)
{
	static const enum view_key keys[] = { KEY_EVENT, KEY_SYM };
	unsigned shares[PROFILE_BLOCKS];
	struct profile *p;
	struct table t;

	for (unsigned i = 0; i < PROFILE_BLOCKS; i++)
		shares[i] = i % 2 ? 100 : 20;
	p = in_slices(shares);
	profile_set_lines(p, 0, NULL, 0);
	for (size_t i = 0; i < 2; i++) {
		const struct table_options opts = { .keys = { { keys[i] }, 1 }, .blocks = true };

		table_build(&t, p, 0, &opts);
		ck_assert_uint_eq(t.n, i + 1);
		ck_assert_uint_eq(t.rows[0].self, i ? 2400 : 4000);
		ck_assert_double_eq(precision_part(&t, &t.rows[0], 0, 4), i ? 0.6 : 1);
		ck_assert_double_eq_tol(t.rows[0].self_n, i ? 54.93 : 4000, 0.01);
		table_release(&t);
	}
	profile_free(p);
}
END_TEST

START_TEST(share_that_changes)
{
	const struct table_options opts = { .keys = { { KEY_SYM }, 1 }, .blocks = true };
	unsigned shares[PROFILE_BLOCKS];
	struct strbuf sb = STRBUF_INIT;
	struct json_object *json;
	struct profile *p;
	struct table t;

	for (unsigned i = 0; i < PROFILE_BLOCKS; i++)
		shares[i] = i < 20 ? 90 : 60;
	p = in_slices(shares);
	table_build(&t, p, 0, &opts);
	ck_assert(precision_drifts(&t, &t.rows[0]));
	ck_assert_double_eq(precision_part(&t, &t.rows[0], 0, 2), 0.9);
	ck_assert_double_eq(precision_part(&t, &t.rows[0], 1, 2), 0.6);
	overview_hottest(&t, &plain, &sb);
	ck_assert_ptr_nonnull(strstr(
		strbuf_str(&sb), "\n            its share changes over time: 90.0 % in the first "
				 "third, 76.2 % in the second third, 60.0 % in the last third; "));
	strbuf_clear(&sb);
	json = overview_hottest_json(&t);
	json_print(json, false, &sb);
	json_free(json);
	ck_assert_ptr_nonnull(strstr(strbuf_str(&sb), "\"changes_over_time\":true"));
	strbuf_release(&sb);
	table_release(&t);
	profile_free(p);
}
END_TEST

START_TEST(key_names)
{
	struct view_keys keys = { { KEY_CPU }, 1 };
	struct err err;

	ck_assert_int_eq(view_keys_parse(&keys, "symbol,dso,sym", &err), 0);
	ck_assert_uint_eq(keys.n, 2);
	ck_assert_int_eq(keys.v[0], KEY_SYM);
	ck_assert_int_eq(keys.v[1], KEY_DSO);
	ck_assert_int_lt(view_keys_parse(&keys, "sym,,dso", &err), 0);
	ck_assert_int_lt(view_keys_parse(&keys, "colour", &err), 0);
	ck_assert_str_eq(err.text,
			 "\"colour\" is no key to sort by; the keys are comm, pid, tid, cpu, "
			 "dso, sym, srcline, srcfile, event, and fields of tracepoints such as "
			 "prev_state or sched_switch.prev_state.");
	ck_assert_int_eq(view_keys_parse(&keys, "comm,prev_state,sched_switch.next_comm", &err), 0);
	ck_assert_uint_eq(keys.n, 2); /* fields are one key */
	ck_assert_int_eq(keys.v[1], KEY_FIELDS);
	ck_assert_uint_eq(keys.n, 2); /* unchanged */
}
END_TEST

/*
 * 600, 400, 380 and 20 of 1,400 samples: the second and the third are z = 0.72 apart, the others
 * far; the fifth has no self time.
 */
START_TEST(ranks_within_the_noise)
{
	static const unsigned rank[] = { 1, 2, 2, 4, 5 }, last[] = { 1, 3, 3, 4, 5 };
	struct profile *p = make("a;m;a1 600 600\na;m;a2 400 400\na;m;a3 380 380\na;m;a4 20 20\n");
	struct table t;

	table_build(&t, p, 0, &by_function);
	ck_assert_uint_eq(t.n, 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(t.rows[i].rank, rank[i]);
		ck_assert_uint_eq(t.rows[i].rank_last, last[i]);
	}
	table_release(&t);
	profile_free(p);
}
END_TEST

/* Steps that are each within the noise of the next don't make one group. */
START_TEST(a_slope_is_not_one_rank)
{
	struct profile *p = make("a;a1 100 100\na;a2 85 85\na;a3 72 72\na;a4 60 60\n");
	struct table t;

	table_build(&t, p, 0, &by_function);
	ck_assert_uint_eq(t.rows[0].rank_last, 2);
	ck_assert_uint_eq(t.rows[2].rank, 3);
	ck_assert_uint_eq(t.rows[2].rank_last, 4);
	table_release(&t);
	profile_free(p);
}
END_TEST

static void assert_print(const struct profile *p, const struct table_options *opts,
			 struct table_print what, struct view_style style, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;
	struct table t;

	table_build(&t, p, 0, opts);
	table_print_header(&t, &what, &style, &sb);
	table_print(&t, &what, &style, &sb);
	ck_assert_str_eq(strbuf_str(&sb), expected);
	strbuf_release(&sb);
	table_release(&t);
}

START_TEST(plain_text)
{
	struct profile *p = make(small);

	assert_print(
		p, &by_function, (struct table_print){ .percent_limit = 0.5 },
		(struct view_style){ .format = VIEW_TEXT },
		"rank          self          total  samples         weight  module     function\n"
		" 1–4  40.0 % ±26.0   40.0 % ±26.0        4  4.00 k cycles  libc.so.6  memcpy\n"
		" 1–4  30.0 % ±24.8   70.0 % ±24.8        3  3.00 k cycles  app        step (inlined)\n"
		" 1–4  20.0 % ±22.7   20.0 % ±22.7        2  2.00 k cycles  app        fib\n"
		" 1–4  10.0 % ±19.4   10.0 % ±19.4        1  1.00 k cycles  gzip       [gzip]\n"
		"                 –  100.0 % ±13.9                          app        main\n"
		"                 –   70.0 % ±24.8                          app        run\n"
		"Totals count a stack once per function: they don't add up.\n");
	profile_free(p);
}
END_TEST

START_TEST(text_that_must_fit)
{
	struct profile *p = make(small);

	/* the weight goes first, then samples, then the rank; names are shortened before */
	assert_print(p, &by_function, (struct table_print){ .percent_limit = 25, .no_total = true },
		     (struct view_style){ .format = VIEW_TEXT, .width = 58 },
		     "rank          self  samples  module     function\n"
		     " 1–4  40.0 % ±26.0        4  libc.so.6  memcpy\n"
		     " 1–4  30.0 % ±24.8        3  app        step (inlined)\n"
		     "… 4 more functions: 30.0 % self.\n");
	assert_print(p, &by_function,
		     (struct table_print){ .percent_limit = 25, .no_total = true, .limit = 1 },
		     (struct view_style){ .format = VIEW_TEXT, .width = 33 },
		     "        self  module     function\n"
		     "40.0 % ±26.0  libc.so.6  memcpy\n"
		     "… 5 more functions: 60.0 % self.\n");
	profile_free(p);
}
END_TEST

/* Below the rows with self time, those that have much below them: of a chain the innermost. */
START_TEST(text_with_callers)
{
	struct profile *p = make("a;start;main;outer;inner;x 900 900\na;start;main;y 90 90\n"
				 "a;start;z 10 10\n");
	const struct table_options opts = { .keys = { { KEY_SYM }, 1 } };

	assert_print(
		p, &opts, (struct table_print){ .percent_limit = 2, .callers = true },
		(struct view_style){ .format = VIEW_TEXT },
		"rank         self        total  samples  function\n"
		"   1  90.0 % ±1.9  90.0 % ±1.9      900  x\n"
		"   2   9.0 % ±1.8   9.0 % ±1.8       90  y\n"
		"\n"
		"much below them, little of their own\n"
		"                –  99.0 % ±0.7           main\n"
		"                –  90.0 % ±1.9           inner\n"
		"… 3 more functions: 1.0 % self.  Totals count a stack once per function: they "
		"don't add up.\n");
	profile_free(p);
}
END_TEST

START_TEST(colours)
{
	struct profile *p = make("a;m 996 996\na;n 4 4\n");
	const struct table_options opts = { .keys = { { KEY_SYM }, 1 } };

	assert_print(p, &opts, (struct table_print){ .no_total = true, .limit = 1 },
		     (struct view_style){ .format = VIEW_TEXT, .colour = true },
		     "\033[1mrank\033[0m         \033[1mself\033[0m  \033[1msamples\033[0m  "
		     "\033[1mfunction\033[0m\n"
		     "   \033[2m1\033[0m  \033[1;31m99.6 % ±0.5\033[0m      996  m\n"
		     "\033[2m… 1 more function: 0.4 % self.\n\033[0m");
	profile_free(p);
}
END_TEST

START_TEST(formats_for_machines)
{
	struct profile *p = make("a;f<x, y>@l|b 3000 3\na;\"q\"@m 1000 1\n");
	const struct table_print what = { .no_total = true };

	assert_print(
		p, &by_function, what, (struct view_style){ .format = VIEW_CSV },
		"event,rank,rank_last,self_percent,self_low,self_high,self_samples,self_weight,"
		"inlined_percent,dso,sym\n"
		"cycles:u,1,2,75.0000,30.0642,95.4413,3,3000,0.0000,l|b,\"f<x, y>\"\n"
		"cycles:u,1,2,25.0000,4.5587,69.9358,1,1000,0.0000,m,\"\"\"q\"\"\"\n");
	assert_print(p, &by_function, what, (struct view_style){ .format = VIEW_TSV },
		     "event\trank\trank_last\tself_percent\tself_low\tself_high\tself_samples\t"
		     "self_weight\tinlined_percent\tdso\tsym\n"
		     "cycles:u\t1\t2\t75.0000\t30.0642\t95.4413\t3\t3000\t0.0000\tl|b\tf<x, y>\n"
		     "cycles:u\t1\t2\t25.0000\t4.5587\t69.9358\t1\t1000\t0.0000\tm\t\"q\"\n");
	assert_print(
		p, &by_function, what,
		(struct view_style){ .format = VIEW_SEPARATED, .separator = ',' },
		"event,rank,rank_last,self_percent,self_low,self_high,self_samples,self_weight,"
		"inlined_percent,dso,sym\n"
		"cycles:u,1,2,75.0000,30.0642,95.4413,3,3000,0.0000,l|b,f<x. y>\n"
		"cycles:u,1,2,25.0000,4.5587,69.9358,1,1000,0.0000,m,\"q\"\n");
	assert_print(p, &by_function, what, (struct view_style){ .format = VIEW_MARKDOWN },
		     "| rank | self | samples | weight | module | function |\n"
		     "|---:|---:|---:|---:|---|---|\n"
		     "| 1–2 | 75.0 % ±32.7 | 3 | 3.00 k cycles | `l\\|b` | `f<x, y>` |\n"
		     "| 1–2 | 25.0 % ±32.7 | 1 | 1.00 k cycles | `m` | `\"q\"` |\n");
	profile_free(p);
}
END_TEST

START_TEST(json)
{
	struct profile *p = make("a;f@m 3000 3\na;g\xff@m 1000 1\n");
	const struct table_print what = { .no_total = true, .limit = 1 };
	struct strbuf sb = STRBUF_INIT;
	struct json_object *o;
	struct table t;

	table_build(&t, p, 0, &by_function);
	o = table_json(&t, &what);
	json_print(o, false, &sb);
	ck_assert_str_eq(sb.s,
			 "{\"rows\":[{\"event\":\"cycles:u\",\"rank\":1,\"rank_last\":2,"
			 "\"self_percent\":75.0000,\"self_low\":30.0642,\"self_high\":95.4413,"
			 "\"self_samples\":3,\"self_weight\":3000,\"inlined_percent\":0.0000,"
			 "\"dso\":\"m\",\"sym\":\"f\"}],\"hidden_rows\":1,\"hidden_self\":1000}\n");
	json_free(o);
	strbuf_release(&sb);
	table_release(&t);
	profile_free(p);
}
END_TEST

START_TEST(an_event_without_samples)
{
	struct profile *p = make("");
	struct table t;

	table_build(&t, p, 0, &by_function);
	ck_assert_uint_eq(t.n, 0);
	ck_assert_uint_eq(t.base, 0);
	table_release(&t);
	profile_free(p);
}
END_TEST

/*
 * Random stacks over few names, many recursive, some inlined: the rows by function are those of
 * profile_rows(), which is written apart, and every other tuple of keys adds up to the same.
 */
START_TEST(random_profiles)
{
	static const char *const tuples[] = {
		"sym", "dso", "comm", "comm,sym", "dso,sym", "tid,dso"
	};
	uint64_t x = 2463534242u;
	struct err err;

	for (int round = 0; round < 40; round++) {
		struct strbuf text = STRBUF_INIT;
		struct profile_row *rows;
		struct profile *p;
		struct table t;
		size_t n;

		for (int s = 0; s < 60; s++) {
			strbuf_addf(&text, "c%d", (int)(x % 3));
			for (int d = 0; d < 9; d++) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				if (x % 5 == 0 && d)
					break;
				strbuf_addf(&text, "%sf%d@m%d", x % 7 == 1 && d ? "+" : ";",
					    (int)(x >> 8) % 6, (int)(x >> 20) % 2);
			}
			strbuf_addf(&text, " %d %d\n", (int)(x >> 33) % 50 * 3, 3);
		}
		p = make(text.s);
		table_build(&t, p, 0, &by_function);
		n = profile_rows(p, 0, &rows);
		ck_assert_uint_eq(n, t.n);
		for (size_t i = 0; i < n; i++) {
			bool found = false;

			for (size_t k = 0; k < n && !found; k++)
				found = rows[k].func == p->lines[t.rows[i].line].func &&
					rows[k].self == t.rows[i].self &&
					rows[k].total == t.rows[i].total &&
					rows[k].total_count == t.rows[i].total_samples;
			ck_assert(found);
		}
		free(rows);
		table_release(&t);
		for (size_t i = 0; i < sizeof(tuples) / sizeof(*tuples); i++) {
			struct table_options opts = { 0 };
			uint64_t sum = 0;

			view_keys_parse(&opts.keys, tuples[i], &err);
			table_build(&t, p, 0, &opts);
			for (size_t k = 0; k < t.n; k++) {
				sum += t.rows[k].self;
				ck_assert_uint_le(t.rows[k].self, t.rows[k].total);
				ck_assert_uint_le(t.rows[k].total, t.base);
			}
			ck_assert_uint_eq(sum, t.base);
			table_release(&t);
		}
		profile_free(p);
		strbuf_release(&text);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("table");
	TCase *tc = tcase_create("table");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, self_and_total);
	tcase_add_test(tc, by_count_and_by_total);
	tcase_add_test(tc, any_keys);
	tcase_add_test(tc, source_lines);
	tcase_add_test(tc, steady_share);
	tcase_add_test(tc, share_in_bursts);
	tcase_add_test(tc, bursts_by_key);
	tcase_add_test(tc, frameless_in_slices);
	tcase_add_test(tc, share_that_changes);
	tcase_add_test(tc, key_names);
	tcase_add_test(tc, ranks_within_the_noise);
	tcase_add_test(tc, a_slope_is_not_one_rank);
	tcase_add_test(tc, plain_text);
	tcase_add_test(tc, text_that_must_fit);
	tcase_add_test(tc, text_with_callers);
	tcase_add_test(tc, colours);
	tcase_add_test(tc, formats_for_machines);
	tcase_add_test(tc, json);
	tcase_add_test(tc, an_event_without_samples);
	tcase_add_test(tc, random_profiles);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
