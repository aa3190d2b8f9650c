/* SPDX-License-Identifier: MIT */
/*
 * Folded text: a test for each sentence that defines the format and its tables, once on the
 * text and once on the profile that is read from it.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/folded.h>

#include "base/strbuf.h"

/* "a|b|c = 5", or "none" when it is no line. */
static const char *parsed_n(const char *line, size_t len)
{
	static struct strbuf out;
	struct folded_line l = { 0 };

	strbuf_clear(&out);
	if (!folded_parse_line(line, len, &l)) {
		strbuf_adds(&out, "none");
	} else {
		for (size_t i = 0; i < l.nr_frames; i++) {
			if (i)
				strbuf_addc(&out, '|');
			strbuf_add(&out, l.frames[i].s, l.frames[i].len);
		}
		strbuf_adds(&out, " = ");
		strbuf_addu(&out, l.count);
	}
	folded_line_release(&l);
	return strbuf_str(&out);
}

static const char *parsed(const char *line)
{
	return parsed_n(line, strlen(line));
}

static const char *table_text(struct folded_table *t)
{
	static struct strbuf out;

	strbuf_clear(&out);
	for (size_t i = 0; i < t->n; i++) {
		strbuf_adds(&out, t->rows[i].name);
		strbuf_addc(&out, '=');
		strbuf_addu(&out, t->rows[i].count);
		strbuf_addc(&out, ' ');
	}
	folded_table_release(t);
	return strbuf_str(&out);
}

static const char *self_of(const char *text)
{
	struct folded_table t;

	folded_self(text, strlen(text), &t);
	return table_text(&t);
}

static const char *inclusive_of(const char *text)
{
	struct folded_table t;

	folded_inclusive(text, strlen(text), &t);
	return table_text(&t);
}

static uint64_t total_of(const char *text)
{
	return folded_total(text, strlen(text));
}

/* ---- one line ---------------------------------------------------------------------------- */

START_TEST(one_line_is_frames_and_a_count)
{
	ck_assert_str_eq(parsed("frame;frame;frame 7"), "frame|frame|frame = 7");
	ck_assert_str_eq(parsed("main;engine::run;engine::Engine::submit;book::Book::add 60"),
			 "main|engine::run|engine::Engine::submit|book::Book::add = 60");
	ck_assert_str_eq(parsed("main 1"), "main = 1");
	ck_assert_str_eq(parsed("main 0"), "main = 0");
	ck_assert_str_eq(parsed("main 007"), "main = 7");
	ck_assert_str_eq(parsed("main 18446744073709551615"), "main = 18446744073709551615");
}
END_TEST

START_TEST(frames_may_contain_spaces_so_the_count_follows_the_last_one)
{
	ck_assert_str_eq(parsed("main;<alloc::string::String as core::fmt::Write>::write_str 42"),
			 "main|<alloc::string::String as core::fmt::Write>::write_str = 42");
	ck_assert_str_eq(parsed("a b;c d 3 4"), "a b|c d 3 = 4");
	ck_assert_str_eq(parsed("1 2"), "1 = 2");
	/* what an argument list left behind is part of the name */
	ck_assert_str_eq(parsed("main;std::function<void  9"), "main|std::function<void  = 9");
	ck_assert_str_eq(parsed("main;a\tb 5"), "main|a\tb = 5");
}
END_TEST

START_TEST(surrounding_white_space_is_ignored)
{
	ck_assert_str_eq(parsed("   main;work 5"), "main|work = 5");
	ck_assert_str_eq(parsed("main;work 5   "), "main|work = 5");
	ck_assert_str_eq(parsed("\t main;work 5\r\n"), "main|work = 5");
	ck_assert_str_eq(parsed("\v\fmain;work 5\f\v"), "main|work = 5");
}
END_TEST

START_TEST(blank_lines_are_none)
{
	ck_assert_str_eq(parsed(""), "none");
	ck_assert_str_eq(parsed(" "), "none");
	ck_assert_str_eq(parsed(" \t\r\n"), "none");
}
END_TEST

START_TEST(malformed_lines_are_none)
{
	ck_assert_str_eq(parsed("main;work"), "none");
	ck_assert_str_eq(parsed("main;work five"), "none");
	ck_assert_str_eq(parsed("main;work 5x"), "none");
	ck_assert_str_eq(parsed("main;work -5"), "none");
	ck_assert_str_eq(parsed("main;work +5"), "none");
	ck_assert_str_eq(parsed("main;work 5.0"), "none");
	ck_assert_str_eq(parsed("main;work 0x5"), "none");
	ck_assert_str_eq(parsed("main;work 18446744073709551616"), "none");
	ck_assert_str_eq(parsed("main;work 99999999999999999999999"), "none");
	ck_assert_str_eq(parsed("main;work\t5"), "none");
	ck_assert_str_eq(parsed("main;work \t5"), "none");
	/* a count and no stack: there is no space that it could follow */
	ck_assert_str_eq(parsed("5"), "none");
	ck_assert_str_eq(parsed(" 5"), "none");
	ck_assert_str_eq(parsed("# comment"), "none");
}
END_TEST

START_TEST(frames_are_split_at_each_semicolon)
{
	ck_assert_str_eq(parsed("a;;b 5"), "a||b = 5");
	ck_assert_str_eq(parsed(";a 5"), "|a = 5");
	ck_assert_str_eq(parsed("a; 5"), "a| = 5");
	ck_assert_str_eq(parsed("; 5"), "| = 5");
}
END_TEST

START_TEST(any_bytes_are_taken)
{
	ck_assert_str_eq(parsed("\xff\xfe;na\xc3\xafve 5"), "\xff\xfe|na\xc3\xafve = 5");
	ck_assert_str_eq(parsed_n("main 512", 6), "main = 5");
}
END_TEST

START_TEST(a_line_is_reused)
{
	struct folded_line l = { 0 };

	ck_assert(folded_parse_line("a;b;c 1", 7, &l));
	ck_assert_uint_eq(l.nr_frames, 3);
	ck_assert(folded_parse_line("d 2", 3, &l));
	ck_assert_uint_eq(l.nr_frames, 1);
	ck_assert_uint_eq(l.count, 2);
	ck_assert(!folded_parse_line("junk", 4, &l));
	ck_assert_uint_eq(l.nr_frames, 0);
	folded_line_release(&l);
}
END_TEST

/* ---- the text ---------------------------------------------------------------------------- */

START_TEST(total_is_of_all_valid_lines_and_skips_junk)
{
	ck_assert_uint_eq(total_of(""), 0);
	ck_assert_uint_eq(total_of("a;b 3\na;c 4\n"), 7);
	ck_assert_uint_eq(total_of("a;b 3\n\njunk\n  \na;c x\na;c 4"), 7);
	ck_assert_uint_eq(total_of("a 18446744073709551615\nb 2\n"), UINT64_MAX);
}
END_TEST

START_TEST(self_credits_the_leaf_only)
{
	ck_assert_str_eq(self_of("main;run;add 60\nmain;run 30\nmain 10\n"),
			 "add=60 run=30 main=10 ");
	ck_assert_str_eq(self_of("main;a 1\nmain;b;a 2\n"), "a=3 ");
	ck_assert_str_eq(self_of("junk\n\n"), "");
}
END_TEST

START_TEST(self_is_sorted_by_count_descending_then_name_ascending)
{
	ck_assert_str_eq(self_of("m;b 5\nm;a 5\nm;c 9\nm;B 5\nm;\xc3\xa9 5\n"),
			 "c=9 B=5 a=5 b=5 \xc3\xa9=5 ");
}
END_TEST

START_TEST(inclusive_gives_every_frame_the_count)
{
	ck_assert_str_eq(inclusive_of("main;run;add 60\nmain;run 30\nmain;idle 10\n"),
			 "main=100 run=90 add=60 idle=10 ");
}
END_TEST

START_TEST(recursion_counts_once_per_stack)
{
	ck_assert_str_eq(inclusive_of("main;f;f;f 5\n"), "f=5 main=5 ");
	ck_assert_str_eq(inclusive_of("f;g;f;g 5\nf;g 2\n"), "f=7 g=7 ");
	ck_assert_str_eq(self_of("main;f;f;f 5\n"), "f=5 ");
}
END_TEST

START_TEST(inclusive_has_the_same_order)
{
	ck_assert_str_eq(inclusive_of("z;y;x 1\nz;a 1\n"), "z=2 a=1 x=1 y=1 ");
}
END_TEST

START_TEST(sums_saturate)
{
	ck_assert_str_eq(self_of("a 18446744073709551615\na 1\nb 3\n"),
			 "a=18446744073709551615 b=3 ");
}
END_TEST

START_TEST(hottest_has_the_most_self_and_its_share_in_percent)
{
	char *name;
	double pct;
	const char *text = "main;a 30\nmain;b;c 50\nmain 20\n";

	ck_assert(folded_hottest(text, strlen(text), &name, &pct));
	ck_assert_str_eq(name, "c");
	ck_assert_double_eq(pct, 50.0);
	free(name);
}
END_TEST

START_TEST(hottest_of_a_tie_is_the_smallest_name)
{
	char *name;
	double pct;
	const char *text = "main;zeta 5\nmain;alpha 5\nmain;mid 5\n";

	ck_assert(folded_hottest(text, strlen(text), &name, &pct));
	ck_assert_str_eq(name, "alpha");
	ck_assert_double_eq_tol(pct, 100.0 / 3, 1e-12);
	free(name);
}
END_TEST

START_TEST(hottest_of_an_empty_profile_is_none)
{
	char *name = NULL;
	double pct = -1;

	ck_assert(!folded_hottest("", 0, &name, &pct));
	ck_assert(!folded_hottest("junk\n\n", 6, &name, &pct));
	ck_assert(!folded_hottest("a;b 0\n", 6, &name, &pct));
	ck_assert_ptr_null(name);
	ck_assert_double_eq(pct, -1);
}
END_TEST

/* ---- the same through a profile ---------------------------------------------------------- */

/* "self: name=self/total …" of a text that is read into a profile. */
static const char *rows_of(const char *text, uint64_t *skipped)
{
	static struct strbuf out;
	struct profile *p = profile_new();
	struct profile_row *rows;
	struct err err = { 0 };
	size_t n;

	folded_read(p, text, strlen(text), "samples", skipped);
	ck_assert_msg(profile_check(p, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(p->events[0].weight, total_of(text));
	ck_assert(p->folded);
	n = profile_rows(p, 0, &rows);
	strbuf_clear(&out);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(&out, "%s=%lu/%lu ", profile_str(p, p->funcs[rows[i].func].name),
			    (unsigned long)rows[i].self, (unsigned long)rows[i].total);
	free(rows);
	profile_free(p);
	return strbuf_str(&out);
}

START_TEST(a_profile_of_folded_text_has_the_same_tables)
{
	uint64_t skipped;

	ck_assert_str_eq(rows_of("main;run;add 60\n\n junk\nmain;run 30\nmain;idle 10\n", &skipped),
			 "add=60/60 run=30/90 idle=10/10 main=0/100 ");
	ck_assert_uint_eq(skipped, 1);
	ck_assert_str_eq(rows_of("main;f;f;f 5\nmain;f;g;f 2\n", NULL), "f=7/7 g=0/2 main=0/7 ");
	ck_assert_str_eq(rows_of("", NULL), "");
}
END_TEST

START_TEST(neighbours_share_only_whole_frames)
{
	ck_assert_str_eq(rows_of("a;bc 1\na;b 2\na;bcd 4\na 8\na;b;c 16\na; 32\n;a 64\n", NULL),
			 "a=72/127 =32/96 c=16/16 bcd=4/4 b=2/18 bc=1/1 ");
	ck_assert_str_eq(rows_of("a;b 1\na;b 2\na;b;c 4\na;b 8\n", NULL), "b=11/15 c=4/4 a=0/15 ");
}
END_TEST

/* A random text: the tables of the profile are those of the text. */
START_TEST(random_text_agrees_with_its_profile)
{
	struct strbuf text = STRBUF_INIT;
	struct folded_table self, incl;
	struct profile *p = profile_new();
	struct profile_row *rows;
	uint64_t seed = 12345;
	size_t n;

	for (int i = 0; i < 3000; i++) {
		int depth = 1 + (int)(seed >> 33) % 12;

		for (int d = 0; d < depth; d++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			strbuf_addf(&text, "%sf %u", d ? ";" : "", (unsigned)(seed >> 40) % 30);
		}
		strbuf_addf(&text, " %u\n", (unsigned)(seed >> 50) % 100 + 1);
	}
	folded_read(p, text.s, text.n, "samples", NULL);
	folded_self(text.s, text.n, &self);
	folded_inclusive(text.s, text.n, &incl);
	n = profile_rows(p, 0, &rows);
	ck_assert_uint_eq(n, incl.n);
	for (size_t i = 0; i < self.n; i++) {
		ck_assert_str_eq(self.rows[i].name, profile_str(p, p->funcs[rows[i].func].name));
		ck_assert_uint_eq(self.rows[i].count, rows[i].self);
	}
	for (size_t i = 0; i < incl.n; i++) {
		size_t k = 0;

		while (strcmp(incl.rows[i].name, profile_str(p, p->funcs[rows[k].func].name)))
			ck_assert_uint_lt(++k, n);
		ck_assert_uint_eq(incl.rows[i].count, rows[k].total);
	}
	free(rows);
	folded_table_release(&self);
	folded_table_release(&incl);
	strbuf_release(&text);
	profile_free(p);
}
END_TEST

/* Bytes that matter to the parser, in any order: the three readers agree, whatever it is. */
START_TEST(junk_is_read_alike_by_all)
{
	static const char alphabet[] = " ;\n\t\r05a9b\xff\x00 ;\n";
	uint64_t seed = 99 + (uint64_t)_i;
	struct strbuf text = STRBUF_INIT;
	struct profile *p = profile_new();
	struct folded_line line = { 0 };
	uint64_t total = 0, skipped, left = 0, lines = 0;
	struct err err = { 0 };

	for (int i = 0; i < 20000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		strbuf_addc(&text, alphabet[(seed >> 40) % (sizeof(alphabet) - 1)]);
	}
	for (size_t at = 0, end; at < text.n; at = end + 1) {
		const char *nl = memchr(text.s + at, '\n', text.n - at);

		end = nl ? (size_t)(nl - text.s) : text.n;
		if (folded_parse_line(text.s + at, end - at, &line)) {
			total = total + line.count < total ? UINT64_MAX : total + line.count;
			lines++;
		} else {
			left += strspn(text.s + at, " \t\r") < end - at;
		}
	}
	ck_assert_uint_gt(lines, 50);
	folded_read(p, text.s, text.n, "samples", &skipped);
	ck_assert_msg(profile_check(p, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(p->events[0].weight, total);
	ck_assert_uint_eq(folded_total(text.s, text.n), total);
	ck_assert_uint_eq(skipped, left);
	folded_line_release(&line);
	strbuf_release(&text);
	profile_free(p);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("folded");
	TCase *line = tcase_create("line"), *text = tcase_create("text");
	TCase *profile = tcase_create("profile");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(line, one_line_is_frames_and_a_count);
	tcase_add_test(line, frames_may_contain_spaces_so_the_count_follows_the_last_one);
	tcase_add_test(line, surrounding_white_space_is_ignored);
	tcase_add_test(line, blank_lines_are_none);
	tcase_add_test(line, malformed_lines_are_none);
	tcase_add_test(line, frames_are_split_at_each_semicolon);
	tcase_add_test(line, any_bytes_are_taken);
	tcase_add_test(line, a_line_is_reused);
	tcase_add_test(text, total_is_of_all_valid_lines_and_skips_junk);
	tcase_add_test(text, self_credits_the_leaf_only);
	tcase_add_test(text, self_is_sorted_by_count_descending_then_name_ascending);
	tcase_add_test(text, inclusive_gives_every_frame_the_count);
	tcase_add_test(text, recursion_counts_once_per_stack);
	tcase_add_test(text, inclusive_has_the_same_order);
	tcase_add_test(text, sums_saturate);
	tcase_add_test(text, hottest_has_the_most_self_and_its_share_in_percent);
	tcase_add_test(text, hottest_of_a_tie_is_the_smallest_name);
	tcase_add_test(text, hottest_of_an_empty_profile_is_none);
	tcase_add_test(profile, a_profile_of_folded_text_has_the_same_tables);
	tcase_add_test(profile, neighbours_share_only_whole_frames);
	tcase_add_test(profile, random_text_agrees_with_its_profile);
	tcase_add_loop_test(profile, junk_is_read_alike_by_all, 0, 10);
	suite_add_tcase(s, line);
	suite_add_tcase(s, text);
	suite_add_tcase(s, profile);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
