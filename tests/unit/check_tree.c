/* SPDX-License-Identifier: MIT */
/* Call trees in both directions, their options and text; callers and callees of one function. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/view.h>

#include "base/strbuf.h"
#include "view/json.h"
#include "view/tree_detail.h"
#include "view_profile.h"

static const char small[] = "app;main@app;run@app+step@app;memcpy@libc.so.6 400 4\n"
			    "app;main@app;run@app+step@app 300 3\n"
			    "app;main@app;fib@app;fib@app;fib@app 200 2\n"
			    "app;start@app;fib@app;memcpy@libc.so.6 100 1\n";

static struct profile *make(const char *text)
{
	struct profile *p = profile_new();

	view_profile_add(p, "cycles:u", "cycles", text);
	return p;
}

static void assert_tree(const char *text, const char *options, struct view_style style,
			const char *expected)
{
	struct profile *p = make(text);
	struct strbuf sb = STRBUF_INIT;
	struct tree_options opts;
	struct tree t;
	struct err err = { 0 };

	tree_options_init(&opts);
	ck_assert_msg(tree_options_parse(&opts, options, &err) == 0, "%s", err.text);
	tree_build(&t, p, 0, &opts);
	tree_print(&t, &style, &sb);
	ck_assert_str_eq(strbuf_str(&sb), expected);
	strbuf_release(&sb);
	tree_release(&t);
	profile_free(p);
}

static const struct view_style plain = { .format = VIEW_TEXT };

START_TEST(from_the_outermost_inwards)
{
	assert_tree(small, "graph,0.5,caller", plain,
		    "   total     self  call tree\n"
		    "  90.0 %           ├─ main  app\n"
		    "  70.0 %           │  ├─ run\n"
		    "  70.0 %   30.0 %  │  │  step (inlined)\n"
		    "  40.0 %   40.0 %  │  │  memcpy  libc.so.6\n"
		    "  20.0 %           │  └─ fib\n"
		    "  20.0 %           │     fib\n"
		    "  20.0 %   20.0 %  │     fib\n"
		    "  10.0 %           └─ start  app\n"
		    "  10.0 %              fib\n"
		    "  10.0 %   10.0 %     memcpy  libc.so.6\n");
}
END_TEST

START_TEST(from_where_time_is_spent)
{
	assert_tree(small, "callee", plain,
		    "   total  function, below it its callers\n"
		    "  50.0 %  ├─ memcpy  libc.so.6\n"
		    "  40.0 %  │  ├─ step (inlined)  app\n"
		    "  40.0 %  │  │  run\n"
		    "  40.0 %  │  │  main\n"
		    "  10.0 %  │  └─ fib  app\n"
		    "  10.0 %  │     start\n"
		    "  30.0 %  ├─ step (inlined)  app\n"
		    "  30.0 %  │  run\n"
		    "  30.0 %  │  main\n"
		    "  20.0 %  └─ fib  app\n"
		    "  20.0 %     fib\n"
		    "  20.0 %     fib\n"
		    "  20.0 %     main\n");
}
END_TEST

START_TEST(small_branches_are_left_out)
{
	assert_tree(small, "15", plain,
		    "   total     self  call tree\n"
		    "  90.0 %           main  app\n"
		    "  70.0 %           ├─ run\n"
		    "  70.0 %   30.0 %  │  step (inlined)\n"
		    "  40.0 %   40.0 %  │  memcpy  libc.so.6\n"
		    "  20.0 %           └─ fib\n"
		    "  20.0 %              fib\n"
		    "  20.0 %   20.0 %     fib\n");
	/* the second number is how many branches a node may have */
	assert_tree(small, "0.5,1", plain,
		    "   total     self  call tree\n"
		    "  90.0 %           ├─ main  app\n"
		    "  70.0 %           │  ├─ run\n"
		    "  70.0 %   30.0 %  │  │  step (inlined)\n"
		    "  40.0 %   40.0 %  │  │  memcpy  libc.so.6\n"
		    "  20.0 %           │  └─ … 1 more\n"
		    "  10.0 %           └─ … 1 more\n");
}
END_TEST

START_TEST(shares_of_the_parent)
{
	assert_tree(small, "fractal,25", plain,
		    "   total     self  call tree\n"
		    "  90.0 %           main  app\n"
		    "  77.8 %           run\n"
		    " 100.0 %   42.9 %  step (inlined)\n"
		    "  57.1 %   57.1 %  memcpy  libc.so.6\n");
}
END_TEST

START_TEST(chains)
{
	assert_tree(small, "flat,20", plain,
		    "  40.0 %  main\n          run\n          step\n          memcpy\n\n"
		    "  30.0 %  main\n          run\n          step\n\n"
		    "  20.0 %  main\n          fib\n          fib\n          fib\n\n");
	assert_tree(small, "folded,20,callee", plain,
		    "  40.0 %  memcpy;step;run;main\n"
		    "  30.0 %  step;run;main\n"
		    "  20.0 %  fib;fib;fib;main\n");
	assert_tree(small, "none", plain, "");
}
END_TEST

START_TEST(values)
{
	assert_tree(small, "period,60", plain,
		    "   total     self  call tree\n"
		    "900 cycles           main  app\n"
		    "700 cycles           run\n"
		    "700 cycles   30.0 %  step (inlined)\n");
	assert_tree(small, "count,60", plain,
		    "   total     self  call tree\n"
		    "       9           main  app\n"
		    "       7           run\n"
		    "       7   30.0 %  step (inlined)\n");
}
END_TEST

START_TEST(narrow)
{
	const struct view_style style = { .format = VIEW_TEXT, .width = 45 };

	assert_tree("a;main@app;std::map<std::string, std::vector<int> >::at(int) const@lib 1 1\n",
		    "0", style,
		    "   total     self  call tree\n"
		    " 100.0 %           main  app\n"
		    " 100.0 %  100.0 %  std::map<…>::at(int) const\n");
}
END_TEST

/* Chains of any length, and the guides of a deep tree that is no chain. */
START_TEST(deep)
{
	struct strbuf text = STRBUF_INIT;
	struct tree_options opts;
	struct profile *p;
	struct strbuf sb = STRBUF_INIT;
	struct tree t;

	strbuf_adds(&text, "a");
	for (int i = 0; i < 20000; i++)
		strbuf_adds(&text, ";f@m");
	strbuf_adds(&text, " 1 1\n");
	p = make(text.s);
	tree_options_init(&opts);
	tree_build(&t, p, 0, &opts);
	ck_assert_uint_eq(t.n, 20001);
	tree_print(&t, &plain, &sb);
	ck_assert_uint_gt(sb.n, 20000 * 20);
	tree_release(&t);
	profile_free(p);
	strbuf_release(&sb);
	strbuf_release(&text);
}
END_TEST

START_TEST(options)
{
	struct tree_options o;
	struct err err;

	tree_options_init(&o);
	ck_assert_int_eq(o.type, TREE_GRAPH);
	ck_assert_double_eq(o.threshold, 0.5);
	ck_assert(!o.callees);
	ck_assert_int_eq(tree_options_parse(&o, "fractal,2.5%,7,callee,function,count", &err), 0);
	ck_assert_int_eq(o.type, TREE_FRACTAL);
	ck_assert_double_eq(o.threshold, 2.5);
	ck_assert_uint_eq(o.limit, 7);
	ck_assert(o.callees);
	ck_assert_int_eq(o.value, TREE_COUNT);
	ck_assert_int_lt(tree_options_parse(&o, "graph,perf.data", &err), 0);
	ck_assert_str_eq(err.text,
			 "\"perf.data\" says nothing about a call graph; known are graph, "
			 "fractal, flat, folded, none, caller, callee, percent, period, "
			 "count, and numbers for the threshold and the limit.");
	ck_assert(tree_options_plausible("caller"));
	ck_assert(tree_options_plausible("5"));
	ck_assert(!tree_options_plausible("x.data"));
	ck_assert(!tree_options_plausible(""));
	ck_assert(!tree_options_plausible("-i"));
}
END_TEST

START_TEST(json)
{
	struct profile *p = make("a;f@m;g@n 3 3\na;h@m 1 1\n");
	struct strbuf sb = STRBUF_INIT;
	struct tree_options opts;
	struct json_object *o;
	struct tree t;

	tree_options_init(&opts);
	opts.threshold = 50;
	tree_build(&t, p, 0, &opts);
	o = tree_json(&t);
	json_print(o, false, &sb);
	ck_assert_str_eq(sb.s,
			 "[{\"id\":1,\"parent\":0,\"sym\":\"f\",\"dso\":\"m\",\"inlined\":false,"
			 "\"total\":3,\"self\":0,\"repaired\":0,\"total_percent\":75.0000},"
			 "{\"id\":2,\"parent\":1,\"sym\":\"g\",\"dso\":\"n\",\"inlined\":false,"
			 "\"total\":3,\"self\":3,\"repaired\":0,\"total_percent\":75.0000}]\n");
	json_free(o);
	strbuf_release(&sb);
	tree_release(&t);
	profile_free(p);
}
END_TEST

/* Each node's "repaired", joined by blanks. */
static void assert_repaired(const struct tree *t, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 1; i < t->n; i++)
		strbuf_addf(&sb, "%s%s %" PRIu64, i > 1 ? ", " : "",
			    profile_str(t->profile, t->profile->funcs[t->nodes[i].func].name),
			    t->nodes[i].repaired);
	ck_assert_str_eq(strbuf_str(&sb), expected);
	strbuf_release(&sb);
}

/* The frames that were taken from another stack are marked, and are frames like others. */
START_TEST(repaired)
{
	struct profile *p = make("a;main@m;run@m;f@m 3 3\n"
				 "a;!main@m;!run@m;f@m 5 5\n"
				 "a;!main@m;run@m;g@m 2 2\n");
	struct tree_options opts;
	struct callers c;
	struct tree t;

	tree_options_init(&opts);
	tree_build(&t, p, 0, &opts);
	assert_repaired(&t, "main 7, run 5, f 0, g 0");
	ck_assert_uint_eq(t.nodes[1].total, 10);
	ck_assert_uint_eq(t.nodes[2].total, 10);
	tree_release(&t);
	opts.callees = true;
	tree_build(&t, p, 0, &opts);
	assert_repaired(&t, "f 0, run 5, main 5, g 0, run 0, main 2");
	tree_release(&t);
	ck_assert_int_eq(callers_build(&c, p, 0, "f", &opts, NULL), 0);
	assert_repaired(&c.above, "run 5, main 5");
	callers_release(&c);
	ck_assert_int_eq(callers_build(&c, p, 0, "main", &opts, NULL), 0);
	assert_repaired(&c.below, "run 5, f 0, g 0");
	callers_release(&c);
	profile_free(p);
}
END_TEST

/* ---- callers ---- */

static void assert_callers(const char *text, const char *function, unsigned depth,
			   const char *expected)
{
	struct profile *p = make(text);
	struct strbuf sb = STRBUF_INIT;
	struct tree_options opts;
	struct callers c;
	struct err err = { 0 };

	tree_options_init(&opts);
	opts.max_depth = depth;
	if (callers_build(&c, p, 0, function, &opts, &err) < 0) {
		ck_assert_str_eq(err.text, expected);
	} else {
		callers_print(&c, &plain, &sb);
		ck_assert_str_eq(strbuf_str(&sb), expected);
		callers_release(&c);
	}
	strbuf_release(&sb);
	profile_free(p);
}

START_TEST(recursion_counts_once)
{
	assert_callers(
		small, "fib", 1,
		"  of all    of it  called by\n"
		"  20.0 %   66.7 %  ├─ main  app\n"
		"  10.0 %   33.3 %  └─ start  app\n"
		"\n"
		"fib  app\n"
		"   total 30.0 % ±24.8 of cycles:u, self 20.0 % ±22.7, 3 samples; recursive in "
		"66.7 % of them\n"
		"\n"
		"  of all    of it  calls\n"
		"  10.0 %   33.3 %  memcpy  libc.so.6\n"
		"  20.0 %   66.7 %  [itself: self]\n");
}
END_TEST

START_TEST(outermost_and_inlined)
{
	assert_callers(small, "main", 2,
		       "  of all    of it  called by\n"
		       "  90.0 %  100.0 %  [nobody: it is the outermost frame]\n"
		       "\n"
		       "main  app\n"
		       "   total 90.0 % ±19.4 of cycles:u, self 0.0 % ±13.9, 9 samples\n"
		       "\n"
		       "  of all    of it  calls\n"
		       "  70.0 %   77.8 %  ├─ run  app\n"
		       "  70.0 %   77.8 %  │  step (inlined)\n"
		       "  20.0 %   22.2 %  └─ fib  app\n"
		       "  20.0 %   22.2 %     fib\n");
	assert_callers(small, "step", 3,
		       "  of all    of it  called by\n"
		       "  70.0 %  100.0 %  run  app\n"
		       "  70.0 %  100.0 %  main\n"
		       "\n"
		       "step  app\n"
		       "   total 70.0 % ±24.8 of cycles:u, self 30.0 % ±24.8, 7 samples\n"
		       "\n"
		       "  of all    of it  calls\n"
		       "  40.0 %   57.1 %  memcpy  libc.so.6\n"
		       "  30.0 %   42.9 %  [itself: self]\n");
}
END_TEST

/*
 * main calls a and b; a has 20 and 100 % of the samples of the slices in turn, so that its ± is
 * that of 55 independent samples (as in check_table.c), in trees of either order and for a function.
 */
START_TEST(bursts)
{
	struct profile *p = profile_new();
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	uint32_t event = profile_event(p, "cycles", "cycles"), root = profile_key(p, &key);
	struct strbuf sb = STRBUF_INIT;
	struct tree_options opts;
	uint32_t locs[3];
	struct callers c;
	struct tree t;
	struct err err;

	for (uint32_t f = 0; f < 3; f++) {
		uint32_t str = profile_string(p, f == 2 ? "main" : f ? "b" : "a", f == 2 ? 4 : 1);
		struct line line = { .func = profile_func(p, str, 0, 0) };

		locs[f] = profile_loc(p, LOC_NAME, 0, str, 0);
		profile_set_lines(p, locs[f], &line, 1);
	}
	for (unsigned i = 0; i < PROFILE_BLOCKS * 100; i++) {
		bool a = i % 100 < (i / 100 % 2 ? 100 : 20);
		uint32_t stack[2] = { locs[2], locs[a ? 0 : 1] };
		struct stack_weight w = { .weight = 7,
					  .event = event,
					  .block = (uint8_t)(i / 100) };

		profile_add_stack(p, stack, 2, root, &w, 1);
	}
	p->timed = true;
	profile_end_stacks(p);
	tree_options_init(&opts);
	for (int callees = 0; callees < 2; callees++) {
		opts.callees = callees;
		tree_build(&t, p, 0, &opts);
		ck_assert(!tree_effective(&t, 1));
		tree_find_detail(&t, NULL);
		for (uint32_t i = 1; i < t.n; i++) {
			bool whole = t.nodes[i].total == t.base;

			ck_assert_double_eq_tol(*tree_effective(&t, i), whole ? 4000 : 54.93, 0.01);
		}
		ck_assert(!tree_ratios(&t, 1));
		strbuf_clear(&sb);
		tree_print(&t, &plain, &sb);
		ck_assert_str_eq(sb.s, callees ? "   total        function, below it its callers\n"
						 "  60.0 % ±12.6  ├─ a\n"
						 "  60.0 % ±12.6  │  main\n"
						 "  40.0 % ±12.6  └─ b\n"
						 "  40.0 % ±12.6     main\n"
					       : "   total           self  call tree\n"
						 " 100.0 % ±0.1            main\n"
						 "  60.0 % ±12.6   60.0 %  ├─ a\n"
						 "  40.0 % ±12.6   40.0 %  └─ b\n");
		tree_release(&t);
	}
	opts.callees = false;
	ck_assert_int_eq(callers_build(&c, p, 0, "a", &opts, &err), 0);
	callers_find_detail(&c, NULL);
	ck_assert_double_eq_tol(c.detail->total_n, 54.93, 0.01);
	ck_assert_double_eq_tol(c.detail->self_n, 54.93, 0.01);
	ck_assert_double_eq_tol(*tree_effective(&c.above, 1), 54.93, 0.01);
	callers_release(&c);
	strbuf_release(&sb);
	profile_free(p);
}
END_TEST

/* A profile of slices: each has as many samples of a stack as NUMBER says. */
static struct profile *in_slices(const char *const names[], size_t nr_names,
				 unsigned (*number)(unsigned slice, size_t nr_frames))
{
	struct profile *p = profile_new();
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	uint32_t event = profile_event(p, "cycles", "cycles"), root = profile_key(p, &key);
	uint32_t locs[4];

	for (uint32_t f = 0; f < nr_names; f++) {
		uint32_t str = profile_string(p, names[f], strlen(names[f]));
		struct line line = { .func = profile_func(p, str, 0, 0) };

		locs[f] = profile_loc(p, LOC_NAME, 0, str, 0);
		profile_set_lines(p, locs[f], &line, 1);
	}
	for (unsigned slice = 0; slice < PROFILE_BLOCKS; slice++) {
		struct stack_weight w = { .weight = 7, .event = event, .block = (uint8_t)slice };

		for (size_t n = 1; n <= nr_names; n++)
			for (unsigned i = number(slice, n); i-- > 0;)
				profile_add_stack(p, locs, n, root, &w, 1);
	}
	p->timed = true;
	profile_end_stacks(p);
	return p;
}

/* Of 100 samples 20 and 100 in turn are in f, and exactly half of these in g below it. */
static unsigned half_of_bursts(unsigned slice, size_t nr_frames)
{
	unsigned f = slice % 2 ? 100 : 20;

	return nr_frames == 1 ? 100 - f : f / 2;
}

/* g's share of all comes in bursts, as f's; its share of f does not: each sample of f counts. */
START_TEST(shares_of_a_part)
{
	static const char *const names[] = { "main", "f", "g" };
	struct profile *p = in_slices(names, 3, half_of_bursts);
	struct strbuf sb = STRBUF_INIT;
	struct tree_options opts;
	struct callers c;
	struct tree t;
	struct err err;

	tree_options_init(&opts);
	tree_build(&t, p, 0, &opts);
	tree_find_detail(&t, NULL);
	ck_assert_double_eq_tol(*tree_effective(&t, 3), 192.2, 0.1);
	ck_assert(!tree_effective_of(&t, 3));
	tree_release(&t);
	opts.type = TREE_FRACTAL;
	tree_build(&t, p, 0, &opts);
	tree_find_detail(&t, NULL);
	ck_assert_double_eq(*tree_effective_of(&t, 1), 4000);
	ck_assert_double_eq_tol(*tree_effective_of(&t, 2), 54.93, 0.01);
	ck_assert_double_eq_tol(*tree_effective_of(&t, 3), 2400, 1e-6);
	tree_print(&t, &plain, &sb);
	ck_assert_str_eq(sb.s, "   total           self  call tree\n"
			       " 100.0 % ±0.1    40.0 %  main\n"
			       "  60.0 % ±12.6   30.0 %  f\n"
			       "  50.0 % ±2.0    50.0 %  g\n");
	tree_release(&t);
	opts.type = TREE_GRAPH;
	ck_assert_int_eq(callers_build(&c, p, 0, "f", &opts, &err), 0);
	callers_find_detail(&c, NULL);
	ck_assert_double_eq_tol(*tree_effective(&c.below, 1), 192.2, 0.1);
	ck_assert_double_eq_tol(*tree_effective_of(&c.below, 1), 2400, 1e-6);
	strbuf_clear(&sb);
	callers_print(&c, &plain, &sb);
	ck_assert_str_eq(sb.s, "  of all          of it        called by\n"
			       "  60.0 % ±12.6  100.0 % ±0.1   main\n"
			       "\n"
			       "f\n"
			       "   total 60.0 % ±12.6 of cycles, self 30.0 % ±6.5, 2,400 samples\n"
			       "\n"
			       "  of all          of it        calls\n"
			       "  30.0 % ±6.5    50.0 % ±2.0   g\n"
			       "  30.0 %         50.0 %        [itself: self]\n");
	callers_release(&c);
	strbuf_release(&sb);
	profile_free(p);
}
END_TEST

START_TEST(names_of_functions)
{
	/* a part of one name will do; a whole name beats parts of others */
	struct profile *p = make("a;mem@x;memcpy@x;memset@x 1 1\n");
	struct tree_options opts;
	struct callers c;
	struct err err;

	tree_options_init(&opts);
	ck_assert_int_eq(callers_build(&c, p, 0, "mcp", &opts, &err), 0);
	ck_assert_str_eq(profile_str(p, p->funcs[c.funcs[0]].name), "memcpy");
	callers_release(&c);
	ck_assert_int_eq(callers_build(&c, p, 0, "mem", &opts, &err), 0);
	ck_assert_uint_eq(c.nr_funcs, 1);
	ck_assert_str_eq(profile_str(p, p->funcs[c.funcs[0]].name), "mem");
	callers_release(&c);
	profile_free(p);
	assert_callers("a;memcpy@x;memset@x 1 1\n", "mem", 1,
		       "No function is called \"mem\"; it is part of the names of memcpy, memset.");
	assert_callers("a;memcpy@x 1 1\n", "foo", 1,
		       "No function of cycles:u has \"foo\" in its name.");
}
END_TEST

/* Whatever the stacks: the callers and the places without one are the total, the callees and self
 * too. */
START_TEST(both_sides_add_up)
{
	uint64_t x = 88172645463325252u;

	for (int round = 0; round < 40; round++) {
		struct strbuf text = STRBUF_INIT;
		struct tree_options opts;
		struct callers c;
		struct profile *p;
		struct err err;
		uint64_t sides[2] = { 0, 0 };

		strbuf_adds(&text, "a;f0@m 1 1\n");
		for (int s = 0; s < 50; s++) {
			strbuf_adds(&text, "a");
			for (int d = 0; d < 10 && (d < 1 || x % 5); d++) {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				strbuf_addf(&text, ";f%d@m", (int)(x >> 9) % 4);
			}
			strbuf_addf(&text, " %d 1\n", (int)(x >> 40) % 90 + 1);
		}
		p = make(text.s);
		tree_options_init(&opts);
		ck_assert_int_eq(callers_build(&c, p, 0, "f0", &opts, &err), 0);
		for (int side = 0; side < 2; side++) {
			const struct tree *t = side ? &c.below : &c.above;

			sides[side] = t->nodes[0].self;
			for (uint32_t n = t->nodes[0].first_child; n != PROFILE_NONE;
			     n = t->nodes[n].next)
				sides[side] += t->nodes[n].total;
		}
		ck_assert_uint_eq(sides[0], c.total);
		ck_assert_uint_eq(sides[1], c.total);
		ck_assert_uint_eq(c.below.nodes[0].self, c.self);
		callers_release(&c);
		profile_free(p);
		strbuf_release(&text);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("tree");
	TCase *tc = tcase_create("tree");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, from_the_outermost_inwards);
	tcase_add_test(tc, from_where_time_is_spent);
	tcase_add_test(tc, small_branches_are_left_out);
	tcase_add_test(tc, shares_of_the_parent);
	tcase_add_test(tc, chains);
	tcase_add_test(tc, values);
	tcase_add_test(tc, narrow);
	tcase_add_test(tc, deep);
	tcase_add_test(tc, options);
	tcase_add_test(tc, json);
	tcase_add_test(tc, repaired);
	tcase_add_test(tc, recursion_counts_once);
	tcase_add_test(tc, outermost_and_inlined);
	tcase_add_test(tc, bursts);
	tcase_add_test(tc, shares_of_a_part);
	tcase_add_test(tc, names_of_functions);
	tcase_add_test(tc, both_sides_add_up);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
