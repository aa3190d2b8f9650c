/* SPDX-License-Identifier: MIT */
/* Filters: the grammar of each option, what passes, and the sums after filtering. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/folded.h>

#include "profile/filter.h"

#define SEC UINT64_C(1000000000)

static struct filter *f;

static void setup(void)
{
	f = filter_new();
}

static void teardown(void)
{
	filter_free(f);
	filter_free(NULL);
}

static void add(enum filter_kind kind, const char *text)
{
	struct err err = { 0 };

	ck_assert_msg(filter_add(f, kind, text, &err) == 0, "%s: %s", text, err.text);
}

static const char *refuse(enum filter_kind kind, const char *text)
{
	static struct err err;

	err = (struct err){ 0 };
	ck_assert_int_eq(filter_add(f, kind, text, &err), -ERR_USAGE);
	return err.text;
}

static bool passes(const char *comm, int pid, int tid, int cpu, uint64_t time)
{
	return filter_sample(f, comm, pid, tid, cpu, time);
}

/* ---- samples ----------------------------------------------------------------------------- */

START_TEST(without_conditions_everything_passes)
{
	ck_assert(!filter_on_stacks(f));
	ck_assert(!filter_needs_span(f));
	ck_assert(passes(NULL, -1, -1, -1, 0));
	ck_assert(filter_event(f, "cycles"));
}
END_TEST

START_TEST(comms_are_exact_names)
{
	add(FILTER_COMM, "bash,V8 WorkerThread");
	add(FILTER_COMM, "x");
	ck_assert(!filter_on_stacks(f));
	ck_assert(filter_has(f, FILTER_COMM));
	ck_assert(!filter_has(f, FILTER_PID));
	ck_assert(passes("bash", 1, 1, 1, 1));
	ck_assert(passes("V8 WorkerThread", 1, 1, 1, 1));
	ck_assert(passes("x", 1, 1, 1, 1));
	ck_assert(!passes("bas", 1, 1, 1, 1));
	ck_assert(!passes("bash2", 1, 1, 1, 1));
	ck_assert(!passes(NULL, 1, 1, 1, 1));
	ck_assert_str_eq(refuse(FILTER_COMM, ","), "--comm needs a name; \",\" has none");
}
END_TEST

START_TEST(pids_tids_and_cpus_are_lists_and_ranges)
{
	add(FILTER_PID, "10,20");
	add(FILTER_TID, "5-7");
	add(FILTER_CPU, "0,2-3");
	ck_assert(passes("", 10, 5, 0, 0));
	ck_assert(passes("", 20, 7, 3, 0));
	ck_assert(passes("", 20, 6, 2, 0));
	ck_assert(!passes("", 15, 6, 2, 0));
	ck_assert(!passes("", 20, 8, 2, 0));
	ck_assert(!passes("", 20, 4, 2, 0));
	ck_assert(!passes("", 20, 6, 1, 0));
	ck_assert(!passes("", 20, 6, 4, 0));
	ck_assert(!passes("", 20, 6, -1, 0));
}
END_TEST

START_TEST(malformed_lists_are_named)
{
	static const char *const bad[] = { "",    "x",   "1,",         ",1",   "1-",  "-1",
					   "1 2", "0x1", "2147483648", "1--2", "1,,2" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ck_assert_ptr_nonnull(strstr(refuse(FILTER_CPU, bad[i]),
					     "--cpu needs a list of numbers such as \"0,2-3\""));
	ck_assert_str_eq(refuse(FILTER_PID, "3-2"), "--pid: the range 3-2 is empty");
	ck_assert_str_eq(refuse(FILTER_TID, "1;2"),
			 "--tid needs a list of numbers such as \"0,2-3\"; \"1;2\" is none");
	add(FILTER_PID, "2147483647");
	ck_assert(passes("", INT32_MAX, 0, 0, 0));
}
END_TEST

START_TEST(a_time_window_has_both_ends_in_it)
{
	add(FILTER_TIME, "1.5,2.25");
	ck_assert(!filter_needs_span(f));
	ck_assert(filter_has(f, FILTER_TIME));
	ck_assert(!passes("", 1, 1, 1, 3 * SEC / 2 - 1));
	ck_assert(passes("", 1, 1, 1, 3 * SEC / 2));
	ck_assert(passes("", 1, 1, 1, 9 * SEC / 4));
	ck_assert(!passes("", 1, 1, 1, 9 * SEC / 4 + 1));
	ck_assert(passes("", 1, 1, 1, 0)); /* has no time */
}
END_TEST

START_TEST(a_time_window_may_be_open)
{
	add(FILTER_TIME, "2,");
	ck_assert(!passes("", 1, 1, 1, 2 * SEC - 1));
	ck_assert(passes("", 1, 1, 1, UINT64_MAX));
	filter_free(f);
	f = filter_new();
	add(FILTER_TIME, ",2");
	ck_assert(passes("", 1, 1, 1, 1));
	ck_assert(passes("", 1, 1, 1, 2 * SEC));
	ck_assert(!passes("", 1, 1, 1, 2 * SEC + 1));
	filter_free(f);
	f = filter_new();
	add(FILTER_TIME, ",");
	ck_assert(passes("", 1, 1, 1, 77));
}
END_TEST

START_TEST(time_windows_are_separated_by_blanks)
{
	add(FILTER_TIME, "1.000000001,1.5 2, 3  4.123456789,");
	ck_assert(!passes("", 1, 1, 1, SEC));
	ck_assert(passes("", 1, 1, 1, SEC + 1));
	ck_assert(!passes("", 1, 1, 1, 3 * SEC / 2 + 1));
	ck_assert(passes("", 1, 1, 1, 3 * SEC));
	ck_assert(!passes("", 1, 1, 1, 3 * SEC + 1));
	ck_assert(!passes("", 1, 1, 1, 4 * SEC + 123456788));
	ck_assert(passes("", 1, 1, 1, 4 * SEC + 123456789));
	ck_assert(passes("", 1, 1, 1, 9 * SEC));
}
END_TEST

START_TEST(malformed_times_are_named)
{
	static const char *const bad[][2] = {
		{ "", "a comma is missing" },
		{ "1.5", "a comma is missing" },
		{ "x,2", "a comma is missing" },
		{ "1,2,3", "a stop must be followed by a blank" },
		{ "1,2x", "a stop must be followed by a blank" },
		{ "2,1", "a stop is before its start" },
		{ "1,3 2,4", "the windows overlap or are out of order" },
		{ "3,4 1,2", "the windows overlap or are out of order" },
		{ "1.0000000001,2", "a number is too large or too precise" },
		{ "1,18446744074", "a number is too large or too precise" },
		{ "99999999999999999999,", "a number is too large or too precise" },
		{ "10%/0", "a part is outside 0% to 100%" },
		{ "10%/11", "a part is outside 0% to 100%" },
		{ "0%-101%", "a part is outside 0% to 100%" },
		{ "20%-10%", "a part is empty" },
		{ "0%/1", "a part is empty" },
		{ "%", "a percentage is malformed" },
		{ "10%/", "a percentage is malformed" },
		{ "10%-20", "a percentage is malformed" },
		{ "10%/2;", "parts are separated by commas" },
		{ "10%/2,", "a percentage is malformed" },
	};
	char want[256];

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		snprintf(want, sizeof(want),
			 "the time \"%s\" is not understood (%s): give \"start,stop\" in seconds, "
			 "\"10%%/2\" or \"10%%-20%%\"",
			 bad[i][0], bad[i][1]);
		filter_free(f);
		f = filter_new();
		ck_assert_str_eq(refuse(FILTER_TIME, bad[i][0]), want);
	}
	filter_free(f);
	f = filter_new();
	add(FILTER_TIME, "1,2");
	ck_assert_ptr_nonnull(strstr(refuse(FILTER_TIME, "10%/1"), "can't be mixed"));
}
END_TEST

/* Parts of 1000 … 2000 ns; the border belongs to the later part. */
static void assert_part(const char *text, uint64_t from, uint64_t to)
{
	filter_free(f);
	f = filter_new();
	add(FILTER_TIME, text);
	ck_assert(filter_needs_span(f));
	filter_set_span(f, 1000, 2000);
	ck_assert(!filter_needs_span(f));
	ck_assert(!passes("", 1, 1, 1, from - 1));
	ck_assert(passes("", 1, 1, 1, from));
	ck_assert(passes("", 1, 1, 1, to));
	ck_assert(!passes("", 1, 1, 1, to + 1));
}

START_TEST(times_in_percent_are_of_the_recording)
{
	assert_part("10%/1", 1000, 1099);
	assert_part("10%/2", 1100, 1199);
	assert_part("10%/10", 1900, 2000);
	assert_part("0%-10%", 1000, 1099);
	assert_part("12.5%-50%", 1125, 1499);
	assert_part("90%-100%", 1900, 2000);
	assert_part("50%", 1000, 1499);
	assert_part("100%", 1000, 2000);
	assert_part("10%/2,10%/3", 1100, 1299);
	assert_part("0%-10% 10%-20%", 1000, 1199);
	add(FILTER_TIME, "30%-40%");
	filter_set_span(f, 1000, 2000);
	ck_assert(passes("", 1, 1, 1, 1300));
	ck_assert(!passes("", 1, 1, 1, 1299));
}
END_TEST

/* The windows of F as text: "FROM-UNTIL …". */
static const char *windows(void)
{
	static char text[256];
	struct filter_window *v;
	size_t n = filter_windows(f, &v), at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%" PRIu64 "-%" PRIu64,
				       i ? " " : "", v[i].from, v[i].until);
	free(v);
	return text;
}

START_TEST(durations_are_cut_to_windows)
{
	ck_assert_str_eq(windows(), "");
	add(FILTER_TIME, "0.000001500,0.000002");
	ck_assert_str_eq(windows(), "1500-2000");
	add(FILTER_TIME, ",0.000001");
	ck_assert_str_eq(windows(), "0-1000 1500-2000");
	add(FILTER_TIME, "0.000001750,");
	ck_assert_str_eq(windows(), "0-1000 1500-18446744073709551615");
}
END_TEST

/* Neighbours touch, and the first and the last part have what is beyond the samples. */
START_TEST(durations_are_cut_to_parts)
{
	add(FILTER_TIME, "10%/3");
	filter_set_span(f, 1000, 2000);
	ck_assert_str_eq(windows(), "1200-1300");
	add(FILTER_TIME, "30%-40%,90%-100%,25%-35%");
	filter_set_span(f, 1000, 2000);
	ck_assert_str_eq(windows(), "1200-1400 1900-18446744073709551615");
	add(FILTER_TIME, "5%");
	filter_set_span(f, 1000, 2000);
	ck_assert_str_eq(windows(), "0-1050 1200-1400 1900-18446744073709551615");
}
END_TEST

START_TEST(events_go_by_name_with_or_without_modifiers)
{
	add(FILTER_EVENT, "cycles,cpu/event=0x3c,umask=1/u,sched:sched_switch");
	ck_assert(filter_event(f, "cycles"));
	ck_assert(filter_event(f, "cycles:u"));
	ck_assert(filter_event(f, "cycles:ppp"));
	ck_assert(filter_event(f, "cpu/event=0x3c,umask=1/u"));
	ck_assert(filter_event(f, "sched:sched_switch"));
	ck_assert(!filter_event(f, "cycles:"));
	ck_assert(!filter_event(f, "cycles:xx"));
	ck_assert(!filter_event(f, "cycle"));
	ck_assert(!filter_event(f, "umask=1/u"));
	ck_assert(!filter_event(f, "sched:sched_switch2"));
	filter_free(f);
	f = filter_new();
	add(FILTER_EVENT, "sched,cycles:u");
	ck_assert(!filter_event(f, "sched:sched_switch"));
	ck_assert(!filter_event(f, "cycles"));
	ck_assert(!filter_event(f, "cycles:k"));
	ck_assert_str_eq(refuse(FILTER_COMM, ""), "--comm needs a name; \"\" has none");
	filter_free(f);
	f = filter_new();
	ck_assert_str_eq(refuse(FILTER_EVENT, ","), "--event needs a name; \",\" has none");
}
END_TEST

/* ---- stacks ------------------------------------------------------------------------------ */

static struct profile *stacks(const char *text)
{
	struct profile *p = profile_new();

	folded_read(p, text, strlen(text), "samples", NULL);
	return p;
}

/* What is left of a text when the filter is applied: accepted/filtered weight. */
static void assert_left(const char *text, uint64_t left, uint64_t filtered)
{
	struct profile *p = stacks(text);
	struct err err = { 0 };

	filter_profile(p, f, NULL);
	ck_assert_msg(profile_check(p, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(p->events[0].weight, left);
	ck_assert_uint_eq(p->events[0].samples, left);
	ck_assert_uint_eq(p->events[0].filtered_weight, filtered);
	ck_assert_uint_eq(p->events[0].filtered_samples, filtered);
	profile_free(p);
}

static const char *const text = "main;run;add 1\nmain;run;add;hash 2\nmain;idle 4\nother 8\n";

START_TEST(focus_needs_a_match_in_some_frame)
{
	add(FILTER_FOCUS, "^a.d$");
	ck_assert(filter_on_stacks(f));
	assert_left(text, 3, 12);
}
END_TEST

START_TEST(every_focus_must_match_and_no_ignore)
{
	add(FILTER_FOCUS, "main");
	add(FILTER_FOCUS, "run|idle");
	assert_left(text, 7, 8);
	add(FILTER_IGNORE, "hash");
	assert_left(text, 5, 10);
	add(FILTER_IGNORE, "idle");
	assert_left(text, 1, 14);
}
END_TEST

START_TEST(ignore_alone_keeps_the_rest)
{
	add(FILTER_IGNORE, "run");
	assert_left(text, 12, 3);
}
END_TEST

START_TEST(a_bad_expression_is_named)
{
	ck_assert_ptr_nonnull(strstr(refuse(FILTER_FOCUS, "a("),
				     "--focus: \"a(\" is not a POSIX extended regular "
				     "expression: "));
	for (int i = 0; i < 31; i++)
		add(FILTER_FOCUS, "main");
	ck_assert_str_eq(refuse(FILTER_FOCUS, "x"), "--focus can be given 31 times at most");
	assert_left(text, 7, 8);
}
END_TEST

START_TEST(a_symbol_is_that_of_the_leaf)
{
	add(FILTER_SYMBOL, "add,other");
	assert_left(text, 9, 6);
}
END_TEST

START_TEST(symbols_with_commas_in_brackets_are_one)
{
	add(FILTER_SYMBOL, "f<int, char>,g(int, long),operator<,operator->,operator()(a, b),h");
	assert_left("f<int, char> 1\ng(int, long) 2\noperator< 4\noperator-> 8\nh 16\n"
		    "operator()(a, b) 32\nf<int 64\n char> 128\n",
		    63, 192);
}
END_TEST

static const char *path_of(const void *ctx, uint32_t dso)
{
	const char *const *paths = ctx;

	return paths[dso];
}

START_TEST(a_dso_goes_by_short_or_long_name)
{
	static const char *const paths[] = { "/usr/lib/libc.so.6", "/opt/x/prog", NULL };
	static const char *const names[] = { "libc.so.6", "prog", "[unknown]" };
	struct profile_modules modules = { path_of, paths };
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	struct profile *p = profile_new();
	uint32_t root = profile_root(p, profile_key(p, &key));

	profile_event(p, "cycles", NULL);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t module = profile_string(p, names[i], strlen(names[i]));
		uint32_t loc = profile_loc(p, i == 2 ? LOC_ADDR : LOC_DSO, i, i, 0);
		struct line l = { .func = profile_func(p, 0, module, 0) };

		profile_set_lines(p, loc, &l, 1);
		profile_add_sample(p, 0, profile_child(p, root, loc), UINT64_C(1) << i);
	}
	add(FILTER_DSO, "libc.so.6,/opt/x/prog");
	filter_profile(p, f, &modules);
	ck_assert_uint_eq(p->events[0].weight, 3);
	ck_assert_uint_eq(p->events[0].filtered_weight, 4);
	ck_assert_uint_eq(p->events[0].samples, 2);
	/* 1 + 4 + 16, scaled by 3/7 */
	ck_assert_uint_eq(p->events[0].sum_sq_lo, 9);
	filter_profile(p, f, NULL);
	ck_assert_uint_eq(p->events[0].weight, 1);
	ck_assert_uint_eq(p->events[0].filtered_weight, 6);
	ck_assert_uint_eq(p->events[0].filtered_samples, 2);
	profile_free(p);
}
END_TEST

START_TEST(nothing_left_is_sound)
{
	struct profile *p = stacks(text);
	struct profile_row *rows;

	add(FILTER_FOCUS, "nowhere");
	filter_profile(p, f, NULL);
	ck_assert_uint_eq(p->events[0].weight, 0);
	ck_assert_uint_eq(profile_rows(p, 0, &rows), 0);
	ck_assert_double_eq(profile_effective_samples(&p->events[0]), 0);
	free(rows);
	profile_free(p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("filter");
	TCase *t = tcase_create("filter");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, without_conditions_everything_passes);
	tcase_add_test(t, comms_are_exact_names);
	tcase_add_test(t, pids_tids_and_cpus_are_lists_and_ranges);
	tcase_add_test(t, malformed_lists_are_named);
	tcase_add_test(t, a_time_window_has_both_ends_in_it);
	tcase_add_test(t, a_time_window_may_be_open);
	tcase_add_test(t, time_windows_are_separated_by_blanks);
	tcase_add_test(t, malformed_times_are_named);
	tcase_add_test(t, times_in_percent_are_of_the_recording);
	tcase_add_test(t, durations_are_cut_to_windows);
	tcase_add_test(t, durations_are_cut_to_parts);
	tcase_add_test(t, events_go_by_name_with_or_without_modifiers);
	tcase_add_test(t, focus_needs_a_match_in_some_frame);
	tcase_add_test(t, every_focus_must_match_and_no_ignore);
	tcase_add_test(t, ignore_alone_keeps_the_rest);
	tcase_add_test(t, a_bad_expression_is_named);
	tcase_add_test(t, a_symbol_is_that_of_the_leaf);
	tcase_add_test(t, symbols_with_commas_in_brackets_are_one);
	tcase_add_test(t, a_dso_goes_by_short_or_long_name);
	tcase_add_test(t, nothing_left_is_sound);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
