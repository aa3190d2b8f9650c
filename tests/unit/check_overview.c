/* SPDX-License-Identifier: MIT */
/* The lines above the tables: what was recorded, how good it is and what repairs it, the hottest. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/view.h>

#include "base/strbuf.h"
#include "view/json.h"
#include "view/wrap.h"
#include "view_profile.h"

static const struct view_style plain = { .format = VIEW_TEXT };

/* A recording without a fault. */
static struct view_event good_event(void)
{
	return (struct view_event){
		.name = "cycles:u",
		.unit = "cycles",
		.rate = "at 999 Hz",
		.quality = { .stacks = STACKS_FP,
			     .weight = 30000000,
			     .samples = 30000,
			     .effective = 30000 },
	};
}

static struct view_recording good(const struct view_event *e, size_t n)
{
	return (struct view_recording){
		.file = "perf.data",
		.path = "perf.data",
		.cmdline = "perf record -F 999 -g -- ./loadgen --secs 30",
		.host = "box",
		.kernel = "6.18.0",
		.arch = "x86_64",
		.perf_version = "6.1.187",
		.seconds = 30.04,
		.threads = 5,
		.cpus = 8,
		.samples = 30000,
		.events = e,
		.nr_events = n,
	};
}

static void assert_overview(const struct view_recording *rec, const struct view_style *style,
			    const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	overview_print(rec, style, &sb);
	ck_assert_str_eq(strbuf_str(&sb), expected);
	strbuf_release(&sb);
}

static void assert_event(const struct view_recording *rec, uint32_t event, const char *expected)
{
	struct strbuf sb = STRBUF_INIT;

	overview_event(rec, event, &plain, &sb);
	ck_assert_str_eq(strbuf_str(&sb), expected);
	strbuf_release(&sb);
}

START_TEST(a_recording)
{
	const struct view_event e = good_event();
	const struct view_recording rec = good(&e, 1);

	assert_overview(
		&rec, &plain,
		"recording   perf.data · perf record -F 999 -g -- ./loadgen --secs 30\n"
		"            cycles:u at 999 Hz, frame pointers · 30.0 s · 30,000 samples · "
		"5 threads on 8 CPUs\n"
		"            box · Linux 6.18.0 · x86_64 · perf 6.1.187\n");
	assert_overview(&rec, &(struct view_style){ .format = VIEW_TEXT, .width = 60 },
			"recording   perf.data · perf record -F 999 -g -- ./loadgen\n"
			"            --secs 30\n"
			"            cycles:u at 999 Hz, frame pointers · 30.0 s ·\n"
			"            30,000 samples · 5 threads on 8 CPUs\n"
			"            box · Linux 6.18.0 · x86_64 · perf 6.1.187\n");
	assert_overview(
		&rec, &(struct view_style){ .format = VIEW_MARKDOWN },
		"- **recording** perf.data · perf record -F 999 -g -- ./loadgen --secs 30\n"
		"  cycles:u at 999 Hz, frame pointers · 30.0 s · 30,000 samples · 5 threads on 8 "
		"CPUs\n"
		"  box · Linux 6.18.0 · x86\\_64 · perf 6.1.187\n");
}
END_TEST

START_TEST(hostile_strings)
{
	const struct view_event e = good_event();
	struct view_recording rec = good(&e, 1);

	rec.host = "\033]0;evil\a";
	rec.cmdline = NULL;
	rec.kernel = rec.arch = rec.perf_version = NULL;
	rec.seconds = -1;
	rec.threads = 1;
	rec.cpus = 0;
	rec.samples = 1;
	assert_overview(&rec, &plain,
			"recording   perf.data\n"
			"            cycles:u at 999 Hz, frame pointers · 1 sample · 1 thread\n"
			"            \\x1b]0;evil\\x07\n");
}
END_TEST

START_TEST(losses_and_problems)
{
	static char cut[] = "perf.data: 12 bytes at 0x1f40 are no record";
	static char *problems[] = { cut };
	const struct view_event e = good_event();
	struct view_recording rec = good(&e, 1);

	rec.cmdline = rec.host = rec.kernel = rec.arch = rec.perf_version = NULL;
	rec.lost_samples = 12;
	rec.throttled = 1;
	rec.problems = problems;
	rec.nr_problems = 1;
	assert_overview(
		&rec, &plain,
		"recording   perf.data\n"
		"            cycles:u at 999 Hz, frame pointers · 30.0 s · 30,000 samples · 5 "
		"threads on 8 CPUs\n"
		"lost        12 samples (<0.1 %) did not reach the file: record with larger "
		"buffers (-m 16M) or at a lower rate (-F)\n"
		"throttled   the kernel stopped sampling 1 time because samples came too fast: "
		"record at a lower rate (-F)\n"
		"problem     perf.data: 12 bytes at 0x1f40 are no record\n");
}
END_TEST

START_TEST(all_is_well)
{
	const struct view_event e = good_event();
	const struct view_recording rec = good(&e, 1);

	assert_event(&rec, 0, "quality     stacks 100 % whole · names 100 % known\n");
}
END_TEST

START_TEST(several_events_say_which)
{
	struct view_event e[2] = { good_event(), good_event() };
	const struct view_recording rec = good(e, 2);

	e[1].name = "page-faults";
	e[1].unit = "";
	e[1].rate = NULL;
	e[1].quality.weight = e[1].quality.samples;
	e[1].quality.lost = 3;
	assert_event(
		&rec, 0,
		"event       cycles:u at 999 Hz, frame pointers · 30,000 samples · 30.0 M cycles\n"
		"quality     stacks 100 % whole · names 100 % known\n");
	assert_event(&rec, 1,
		     "event       page-faults, frame pointers · 30,000 samples\n"
		     "quality     stacks  100 % whole\n"
		     "            names   100 % known\n"
		     "            samples 3 of this event lost\n");
	assert_overview(&rec, &plain,
			"recording   perf.data · perf record -F 999 -g -- ./loadgen --secs 30\n"
			"            2 events · 30.0 s · 30,000 samples · 5 threads on 8 CPUs\n"
			"            box · Linux 6.18.0 · x86_64 · perf 6.1.187\n");
}
END_TEST

static void assert_quality(struct view_quality q, const char *expected)
{
	struct view_event e = good_event();
	const struct view_recording rec = good(&e, 1);

	q.weight = 1000;
	if (!q.samples)
		q.samples = 30000;
	if (q.effective <= 0)
		q.effective = (double)q.samples;
	e.quality = q;
	assert_event(&rec, 0, expected);
}

START_TEST(stacks)
{
	assert_quality(
		(struct view_quality){ .stacks = STACKS_NONE },
		"quality     stacks none recorded, only where time is spent, not by whose call: "
		"record with perf record -g · names 100 % known\n");
	assert_quality(
		(struct view_quality){ .stacks = STACKS_FP,
				       .truncated = 38,
				       .truncated_module = "libstdc++.so.6",
				       .truncated_module_weight = 38 },
		"quality     stacks  96.2 % whole, 3.8 % cut, all in libstdc++.so.6, built without "
		"frame pointers: record with --call-graph dwarf\n"
		"            names   100 % known\n");
	/* processes always begin with some stacks that are cut */
	assert_quality((struct view_quality){ .stacks = STACKS_FP, .truncated = 4 },
		       "quality     stacks 99.6 % whole · names 100 % known\n");
	assert_quality(
		(struct view_quality){ .stacks = STACKS_DWARF,
				       .truncated = 100,
				       .repaired = 50,
				       .dump_size = 8192,
				       .needed_dump = 20000,
				       .cut_by_dump = 1000 },
		"quality     stacks  90.0 % whole (5.0 % completed from others of the thread), "
		"10.0 % cut: the dump of 8,192 bytes is too small for them; record with "
		"--call-graph dwarf,20480\n"
		"            names   100 % known\n");
	assert_quality(
		(struct view_quality){ .stacks = STACKS_DWARF,
				       .truncated = 100,
				       .dump_size = 40000,
				       .cut_by_dump = 900,
				       .cut_elsewhere = "odd" },
		"quality     stacks  90.0 % whole, 10.0 % cut: the dump of 40,000 bytes is too small "
		"for 90.0 % of them, the others: odd; record with --call-graph dwarf,65528\n"
		"            names   100 % known\n");
	assert_quality((struct view_quality){ .stacks = STACKS_DWARF,
					      .truncated = 100,
					      .truncated_module = "libc.so.6",
					      .truncated_module_weight = 90,
					      .dump_size = 8192,
					      .cut_elsewhere = "odd" },
		       "quality     stacks  90.0 % whole, 10.0 % cut: odd, most in libc.so.6\n"
		       "            names   100 % known\n");
	assert_quality((struct view_quality){ .stacks = STACKS_DWARF,
					      .truncated = 100,
					      .dump_size = 8192,
					      .cut_elsewhere = "odd",
					      .fp_would_do = true },
		       "quality     stacks  90.0 % whole, 10.0 % cut: odd; record with "
		       "--call-graph fp\n"
		       "            names   100 % known\n");
	assert_quality(
		(struct view_quality){ .stacks = STACKS_LBR, .truncated = 100 },
		"quality     stacks  90.0 % whole, 10.0 % cut: deeper than the branch records; "
		"record with --call-graph dwarf\n"
		"            names   100 % known\n");
	assert_quality((struct view_quality){ .stacks = STACKS_DWARF, .not_unwound = 1000 },
		       "quality     stacks  100 % whole; stack dumps not unwound: 100 %\n"
		       "            names   100 % known\n");
}
END_TEST

/* For every reason there is a sentence, and for all but one something to do. */
START_TEST(names)
{
	static const char *const repairs[UNKNOWN_MAX] = {
		[UNKNOWN_NO_MAP] = "(no mapping): the recording does not say what is mapped there",
		[UNKNOWN_NO_FILE] = "(file not found): give its folder with --search-dir DIR or "
				    "--symfs DIR",
		[UNKNOWN_BUILD_ID] = "(other build-id): give the folder of the recorded build with "
				     "--search-dir DIR",
		[UNKNOWN_NO_SYMBOLS] = "(no symbols): install its debug symbols, or give them with "
				       "--debug-dir DIR",
		[UNKNOWN_NO_SYMBOL] =
			"(no symbol there): give its debug symbols with --debug-dir DIR",
		[UNKNOWN_BAD_FILE] =
			"(unreadable file): give an undamaged file with --search-dir DIR",
		[UNKNOWN_KERNEL] = "(no kernel symbols): give root's copy of that machine's "
				   "/proc/kallsyms with --kallsyms FILE",
		[UNKNOWN_JIT] = "(no JIT map): let the JIT write perf-PID.map or a jitdump file",
		[UNKNOWN_SPECIAL] = "(special mapping)",
	};

	for (int r = UNKNOWN_NO_MAP; r < UNKNOWN_MAX; r++) {
		struct view_quality q = { .stacks = STACKS_FP,
					  .leaf_unknown = 6,
					  .any_unknown = 6,
					  .unknown_module = "libfoo.so.2",
					  .unknown_module_weight = 6,
					  .unknown_module_reason = (enum unknown_reason)r };
		struct strbuf sb = STRBUF_INIT;

		q.reasons[r] = 6;
		strbuf_addf(&sb,
			    "quality     stacks  100 %% whole\n"
			    "            names   99.4 %% known, 0.6 %% unknown, in libfoo.so.2 %s; "
			    "see perfrep symbols perf.data\n",
			    repairs[r]);
		assert_quality(q, sb.s);
		strbuf_release(&sb);
	}
	assert_quality(
		(struct view_quality){ .stacks = STACKS_FP,
				       .leaf_unknown = 100,
				       .any_unknown = 300,
				       .reasons = { [UNKNOWN_JIT] = 60, [UNKNOWN_NO_MAP] = 40 } },
		"quality     stacks  100 % whole\n"
		"            names   90.0 % known, 6.0 % unknown (no JIT map): let the JIT write "
		"perf-PID.map or a jitdump file; 4.0 % elsewhere; see perfrep symbols perf.data; "
		"some caller without a name in 30.0 %\n");
	assert_quality((struct view_quality){ .stacks = STACKS_FP, .any_unknown = 300 },
		       "quality     stacks  100 % whole\n"
		       "            names   100 % known; some caller without a name in 30.0 %: see "
		       "perfrep symbols perf.data\n");
}
END_TEST

START_TEST(few_samples)
{
	assert_quality((struct view_quality){ .stacks = STACKS_FP, .samples = 100 },
		       "quality     stacks  100 % whole\n"
		       "            names   100 % known\n"
		       "            samples only 100: a share of 10 % would be ±6.0; record longer "
		       "(one of 0.3 % needs 11,489 samples for ±0.1)\n");
	assert_quality(
		(struct view_quality){ .stacks = STACKS_FP,
				       .samples = 100,
				       .effective = 10,
				       .filtered_samples = 1234 },
		"quality     stacks  100 % whole\n"
		"            names   100 % known\n"
		"            samples 1,234 left out by filters; only 100, and their periods differ so "
		"much that they are worth 10: a share of 10 % would be ±19.4; record longer "
		"(one of 0.3 % needs 11,489 samples for ±0.1)\n");
}
END_TEST

static void assert_samples(const struct sampling *s, struct sampling_wish wish,
			   const char *expected)
{
	struct view_event e = good_event();
	const struct view_recording rec = good(&e, 1);
	struct strbuf sb = STRBUF_INIT;

	e.quality.sampling = s;
	e.quality.wish = wish;
	strbuf_adds(&sb, "quality     stacks  100 % whole\n"
			 "            names   100 % known\n"
			 "            samples ");
	strbuf_adds(&sb, expected);
	assert_event(&rec, 0,
		     *expected ? strbuf_str(&sb)
			       : "quality     stacks 100 % whole · names 100 % known\n");
	strbuf_release(&sb);
}

/* Of the strongest lines the slowest that is in step warns; one that is not has a word. */
START_TEST(rhythms)
{
	const struct sampling_wish hz = { .interval = 1e9 / 1500, .frequency = 1500 };
	struct sampling s = { .points = 5000,
			      .interval = 1e9 / 1500,
			      .period_low = 1,
			      .period_median = 1,
			      .period_high = 1,
			      .lines = { { 1000, 40, 0, true, 3 }, { 500, 30, 0, true, 3 } },
			      .nr_lines = 2 };
	struct view_event e = good_event();
	const struct view_recording rec = good(&e, 1);

	assert_samples(
		&s, hz,
		"in step: they fall on the same 3 points of each 2.00 ms, in which rhythm "
		"the program works, so what it does between them is missed; record at an odd "
		"rate (-F 1499)\n");
	s.lines[0].points = s.lines[1].points = 0;
	e.quality.sampling = &s;
	e.quality.wish = hz;
	assert_event(
		&rec, 0,
		"quality     stacks 100 % whole · names 100 % known · samples the program works "
		"in a rhythm of 2.00 ms: keep the rate odd, out of step with it\n");
	s.lines[0].kept_up = s.lines[1].kept_up = false;
	assert_samples(&s, hz, "");
}
END_TEST

/* Functions that depend on the point of a cycle are told with it. */
START_TEST(shares_by_cycle)
{
	struct sampling s = { .points = 5000,
			      .interval = 1e6,
			      .shares = { { .cycle = 1e6, .p = 1, .high = 1 },
					  { .cycle = 4e6, .p = 0, .low = 0.2, .high = 0.24 },
					  { .cycle = 10e6, .p = 0, .low = 0.0304, .high = 0.966 } },
			      .nr_shares = 3 };
	struct view_event e = good_event();
	const struct view_recording rec = good(&e, 1);

	e.quality.sampling = &s;
	e.quality.shares_row[2] = "f";
	assert_event(&rec, 0,
		     "quality     stacks 100 % whole · names 100 % known · samples what is done "
		     "depends on the point of each 10.0 ms, of whose eighths f has 3 to 97 %: keep "
		     "the rate odd, out of step with it\n");
	s.lines[0] = (struct sampling_line){ 100, 40, 0, true, 0 };
	s.nr_lines = 1;
	assert_event(
		&rec, 0,
		"quality     stacks 100 % whole · names 100 % known · samples the program works "
		"in a rhythm of 10.0 ms, of whose eighths f has 3 to 97 %: keep the rate odd, "
		"out of step with it\n");
	s.lines[0].points = 2;
	e.quality.wish.frequency = 200;
	assert_event(
		&rec, 0,
		"quality     stacks  100 % whole\n"
		"            names   100 % known\n"
		"            samples in step: they fall on the same 2 points of each 10.0 ms, in "
		"which rhythm the program works, so what it does between them is missed (at "
		"them f has 3 to 97 %); record at an odd rate (-F 199)\n");
}
END_TEST

START_TEST(how_samples_were_taken)
{
	const struct sampling_wish hz = { .interval = 1e6, .frequency = 1000 }, fixed = { 1e6, 0 };
	struct sampling s = { .points = 5000,
			      .interval = 1e6,
			      .period_low = 900,
			      .period_median = 1e6,
			      .period_high = 8990 };

	assert_samples(&s, hz, "");
	assert_samples(NULL, hz, "");
	s.lockstep = 1e6;
	assert_samples(&s, hz,
		       "in step: they fall on the same point of each 1.00 ms, so what is done in "
		       "that rhythm gets too much or too little; record at an odd rate (-F 999)\n");
	assert_samples(&s, fixed,
		       "in step: they fall on the same point of each 1.00 ms, so what is done in "
		       "that rhythm gets too much or too little; record at an odd rate "
		       "(-c 1001001)\n");
	s.lockstep = 0;
	s.interval = 2e6;
	assert_samples(&s, hz, "taken at 500 Hz instead of 1,000\n");
	assert_samples(&s, fixed, "");
	s.interval = 1.4e6; /* 714 Hz are near enough */
	assert_samples(&s, hz, "");
	s.period_high = 9000;
	assert_samples(&s, hz,
		       "their periods differ, 90 % lie between 900 and 9.00 k: few samples carry "
		       "most of the weight; record with a fixed period (-c)\n");
	s.points = 999; /* too few to tell */
	assert_samples(&s, hz, "");
}
END_TEST

START_TEST(what_was_taken_instead)
{
	struct view_event e = good_event();
	const struct view_recording rec = good(&e, 1);

	e.quality.no_kernel = e.quality.fell_back = true;
	assert_event(
		&rec, 0,
		"quality     stacks  100 % whole\n"
		"            names   100 % known\n"
		"            samples time in the kernel was not recorded: record as root, or with "
		"kernel.perf_event_paranoid at 1 or below; a clock was sampled, not cycles: no "
		"hardware counters there, as in many virtual machines\n");
}
END_TEST

START_TEST(folded_input)
{
	struct view_event e = { .name = "samples",
				.unit = "",
				.quality = { .stacks = STACKS_FOLDED,
					     .weight = 5000,
					     .samples = 5000,
					     .effective = 5000 } };
	const struct view_recording rec = { .file = "x.folded",
					    .path = "x.folded",
					    .seconds = -1,
					    .samples = 5000,
					    .folded = true,
					    .events = &e,
					    .nr_events = 1 };

	assert_overview(&rec, &plain, "folded      x.folded\n            5,000 samples\n");
	assert_event(&rec, 0,
		     "quality     samples a count is taken for a sample: where it is a weight, ± "
		     "is too small\n");
}
END_TEST

static void assert_hottest(const char *stacks_text, const char *expected, const char *json)
{
	const struct table_options opts = { .keys = { { KEY_DSO, KEY_SYM }, 2 } };
	struct profile *p = profile_new();
	struct strbuf sb = STRBUF_INIT;
	struct json_object *o;
	struct table t;

	view_profile_add(p, "cycles:u", "cycles", stacks_text);
	table_build(&t, p, 0, &opts);
	overview_hottest(&t, &plain, &sb);
	ck_assert_str_eq(strbuf_str(&sb), expected);
	o = overview_hottest_json(&t);
	strbuf_clear(&sb);
	json_print(o, false, &sb);
	ck_assert_str_eq(strbuf_str(&sb), json);
	json_free(o);
	strbuf_release(&sb);
	table_release(&t);
	profile_free(p);
}

START_TEST(hottest)
{
	assert_hottest(
		"a;main@x;add@x+hash@x 234 234\na;main@x;b@x 766 766\n",
		"hottest     b, 76.6 % ±2.7 of cycles:u\n",
		"{\"sym\":\"b\",\"dso\":\"x\",\"inlined_into\":null,\"self_percent\":76.6000,"
		"\"self_low\":73.8772,\"self_high\":79.1192,\"rank_last\":1,\"design_effect\":1.00,\"changes_over_time\":false}\n");
	assert_hottest("a;main@x;add@x+hash@x 60 60\na;m@x 10 10\na;n@x 9 9\na;o@x 21 21\n",
		       "hottest     hash, 60.0 % ±9.5 of cycles:u, inlined into add\n",
		       "{\"sym\":\"hash\",\"dso\":\"x\",\"inlined_into\":\"add\","
		       "\"self_percent\":60.0000,\"self_low\":50.2003,\"self_high\":69.0599,"
		       "\"rank_last\":1,\"design_effect\":1.00,\"changes_over_time\":false}\n");
	/* ties: the smallest name */
	assert_hottest(
		"a;zeta@x 1 1\na;eta@x+beta@x 1 1\na;beta@x 0 0\n",
		"hottest     beta, 50.0 % ±40.6 of cycles:u, inlined into eta; within the noise of "
		"it: zeta, 50.0 % ±40.6\n",
		"{\"sym\":\"beta\",\"dso\":\"x\",\"inlined_into\":\"eta\","
		"\"self_percent\":50.0000,\"self_low\":9.4531,\"self_high\":90.5469,"
		"\"rank_last\":2,\"design_effect\":1.00,\"changes_over_time\":false}\n");
	assert_hottest("", "", "null\n");
}
END_TEST

START_TEST(wrapping)
{
	const struct view_style narrow = { .format = VIEW_TEXT, .width = 24 };
	struct strbuf sb = STRBUF_INIT;

	wrap_line(&sb, &narrow, "label", "one two three four averyveryverylongword five");
	ck_assert_str_eq(sb.s, "label       one two\n"
			       "            three four\n"
			       "            averyveryverylongword\n"
			       "            five\n");
	strbuf_clear(&sb);
	wrap_line(&sb, &narrow, "a long label here", "x");
	ck_assert_str_eq(sb.s, "a long label here x\n");
	strbuf_clear(&sb);
	wrap_line(&sb, &narrow, "empty", "");
	ck_assert_str_eq(strbuf_str(&sb), "");
	wrap_text(&sb, 10, 0, 2, "\033[1mabcd\033[0m efgh ijkl");
	ck_assert_str_eq(sb.s, "\033[1mabcd\033[0m efgh\n  ijkl\n");
	strbuf_release(&sb);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("overview");
	TCase *tc = tcase_create("overview");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, a_recording);
	tcase_add_test(tc, hostile_strings);
	tcase_add_test(tc, losses_and_problems);
	tcase_add_test(tc, all_is_well);
	tcase_add_test(tc, several_events_say_which);
	tcase_add_test(tc, stacks);
	tcase_add_test(tc, names);
	tcase_add_test(tc, few_samples);
	tcase_add_test(tc, rhythms);
	tcase_add_test(tc, shares_by_cycle);
	tcase_add_test(tc, how_samples_were_taken);
	tcase_add_test(tc, what_was_taken_instead);
	tcase_add_test(tc, folded_input);
	tcase_add_test(tc, hottest);
	tcase_add_test(tc, wrapping);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
