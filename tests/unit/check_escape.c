/* SPDX-License-Identifier: MIT */
/* What becomes of hostile text in each place, of numbers for eyes, and of names that don't fit. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "view/escape.h"
#include "view/number.h"
#include "view/shorten.h"
#include "view/wrap.h"
#include "view/utf8.h"

#define ASSERT_TEXT(call, expected)                            \
	do {                                                   \
		struct strbuf sb = STRBUF_INIT;                \
		call;                                          \
		ck_assert_str_eq(strbuf_str(&sb), (expected)); \
		strbuf_release(&sb);                           \
	} while (0)

START_TEST(utf8_sequences)
{
	static const struct {
		const char *s;
		int32_t cp;
		size_t size;
	} cases[] = {
		{ "A", 'A', 1 },
		{ "\xc3\xa9", 0xe9, 2 },
		{ "\xe2\x82\xac", 0x20ac, 3 },
		{ "\xf0\x9f\x98\x80", 0x1f600, 4 },
		{ "\xf4\x8f\xbf\xbf", 0x10ffff, 4 },
		/* no UTF-8: the bytes that one replacement character stands for */
		{ "\x80", -1, 1 },
		{ "\xc0\xaf", -1, 1 }, /* overlong */
		{ "\xc3", -1, 1 }, /* cut */
		{ "\xe2\x82", -1, 2 }, /* cut */
		{ "\xe2\x82x", -1, 2 },
		{ "\xe0\x80\x80", -1, 1 }, /* overlong */
		{ "\xed\xa0\x80", -1, 1 }, /* surrogate */
		{ "\xf0\x9f\x98", -1, 3 },
		{ "\xf4\x90\x80\x80", -1, 1 }, /* above U+10FFFF */
		{ "\xff", -1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t size = 99;

		ck_assert_int_eq(utf8_decode(cases[i].s, strlen(cases[i].s), &size), cases[i].cp);
		ck_assert_uint_eq(size, cases[i].size);
	}
	ck_assert_uint_eq(utf8_columns("a\xc3\xa9", 3), 2);
	ck_assert_uint_eq(utf8_columns("e\xcc\x81", 3), 1); /* combining accent */
	ck_assert_uint_eq(utf8_columns("\xe6\xbc\xa2\xe5\xad\x97", 6), 4); /* two wide ones */
	ck_assert_uint_eq(utf8_prefix("\xe6\xbc\xa2\xe5\xad\x97", 6, 3), 3);
}
END_TEST

START_TEST(terminal)
{
	ASSERT_TEXT(escape_terminal(&sb, "plain é — \\x"), "plain é — \\x");
	ASSERT_TEXT(escape_terminal(&sb, "\033[2J\a\r\n\t"), "\\x1b[2J\\x07\\x0d\\x0a\\x09");
	ASSERT_TEXT(escape_terminal(&sb, "\x7f"), "\\x7f");
	ASSERT_TEXT(escape_terminal(&sb, "\xc2\x9b"
					 "31m"),
		    "\\x9b31m"); /* C1's CSI */
	ASSERT_TEXT(escape_terminal(&sb, "a\xff\xe2\x82z"), "a\\xff\\xe2\\x82z");
	ASSERT_TEXT(escape_terminal(&sb, "a\xe2\x80\xae"
					 "b"),
		    "a\\u{202e}b");
	ASSERT_TEXT(escape_terminal(&sb, ""), "");
}
END_TEST

START_TEST(json)
{
	ASSERT_TEXT(escape_json(&sb, "a\"b\\c\n\t\x01\x7f", 9),
		    "a\\\"b\\\\c\\n\\u0009\\u0001\\u007f");
	ASSERT_TEXT(escape_json(&sb, "\xc3\xa9\xff", 3), "é\xef\xbf\xbd");
	ASSERT_TEXT(escape_utf8(&sb, "x\xe2\x82\xe2\x82\xacy", 7), "x\xef\xbf\xbd\xe2\x82\xacy");
	ASSERT_TEXT(escape_utf8(&sb, "\xed\xa0\x80", 3), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}
END_TEST

START_TEST(fields)
{
	ASSERT_TEXT(escape_csv(&sb, "plain", ','), "plain");
	ASSERT_TEXT(escape_csv(&sb, "f<a, b>", ','), "\"f<a, b>\"");
	ASSERT_TEXT(escape_csv(&sb, "say \"x\"", ','), "\"say \"\"x\"\"\"");
	ASSERT_TEXT(escape_csv(&sb, "two\nlines", ','), "two\\x0alines");
	ASSERT_TEXT(escape_tsv(&sb, "a\tb"), "a\\x09b");
	ASSERT_TEXT(escape_separated(&sb, "f<a, b>", ','), "f<a. b>");
	ASSERT_TEXT(escape_markdown(&sb, "a|b"), "`a\\|b`");
	ASSERT_TEXT(escape_markdown(&sb, "x`y``z"), "``` x`y``z ```");
	ASSERT_TEXT(escape_markdown_text(&sb, "<b>_x_ [y](z)"), "\\<b\\>\\_x\\_ \\[y\\](z)");
}
END_TEST

START_TEST(numbers)
{
	ASSERT_TEXT(number_thousands(&sb, 0), "0");
	ASSERT_TEXT(number_thousands(&sb, 999), "999");
	ASSERT_TEXT(number_thousands(&sb, 1000), "1,000");
	ASSERT_TEXT(number_thousands(&sb, UINT64_MAX), "18,446,744,073,709,551,615");
	ASSERT_TEXT(number_si(&sb, 7), "7");
	ASSERT_TEXT(number_si(&sb, 999), "999");
	ASSERT_TEXT(number_si(&sb, 1234), "1.23 k");
	ASSERT_TEXT(number_si(&sb, 45600000), "45.6 M");
	ASSERT_TEXT(number_si(&sb, 999600), "1.00 M");
	ASSERT_TEXT(number_si(&sb, 1.8e19), "18.0 E");
	ASSERT_TEXT(number_duration(&sb, 0), "0 ns");
	ASSERT_TEXT(number_duration(&sb, 250e-6), "250 µs");
	ASSERT_TEXT(number_duration(&sb, 0.00125), "1.25 ms");
	ASSERT_TEXT(number_duration(&sb, 30), "30.0 s");
	ASSERT_TEXT(number_duration(&sb, 119.4), "119 s");
	ASSERT_TEXT(number_duration(&sb, 725), "12 min 5 s");
	ASSERT_TEXT(number_duration(&sb, 7320), "2 h 2 min");
	ASSERT_TEXT(number_bytes(&sb, 1), "1 byte");
	ASSERT_TEXT(number_bytes(&sb, 30100000), "30.1 MB");
	ASSERT_TEXT(number_weight(&sb, 2500000, "ns"), "2.50 ms");
	ASSERT_TEXT(number_weight(&sb, 12345678901, "cycles"), "12.3 G cycles");
	ASSERT_TEXT(number_percent(&sb, 0), "0.0");
	ASSERT_TEXT(number_percent(&sb, 0.0004), "<0.1");
	ASSERT_TEXT(number_percent(&sb, 0.0006), "0.1");
	ASSERT_TEXT(number_percent(&sb, 0.234), "23.4");
	ASSERT_TEXT(number_percent(&sb, 0.99999), "99.9");
	ASSERT_TEXT(number_percent(&sb, 1), "100.0");
	ASSERT_TEXT(number_margin(&sb, 0.007), "0.7");
	ASSERT_TEXT(number_margin(&sb, 0.0071), "0.8");
	ASSERT_TEXT(number_margin(&sb, 0.00001), "0.1");
}
END_TEST

START_TEST(names_that_do_not_fit)
{
	ASSERT_TEXT(shorten_middle(&sb, "abcdefghij", 10), "abcdefghij");
	ASSERT_TEXT(shorten_middle(&sb, "abcdefghij", 9), "abcd…ghij");
	ASSERT_TEXT(shorten_middle(&sb, "abcdefghij", 4), "ab…j");
	ASSERT_TEXT(shorten_middle(&sb, "abcdefghij", 1), "…");
	ASSERT_TEXT(shorten_middle(&sb, "abcdefghij", 0), "");
	ASSERT_TEXT(shorten_middle(&sb, "漢字漢字漢字", 7), "漢…字"); /* no half characters */
	ASSERT_TEXT(shorten_symbol(&sb, "std::map<int, int>::find", 24),
		    "std::map<int, int>::find");
	ASSERT_TEXT(shorten_symbol(&sb, "std::map<int, int>::find", 20), "std::map<…>::find");
	/* the longest arguments go first */
	ASSERT_TEXT(shorten_symbol(&sb, "f<long, arguments, here>::g<x>(int)", 20),
		    "f<…>::g<x>(int)");
	ASSERT_TEXT(shorten_symbol(&sb, "a::b<c>::operator<<(x, y, z)", 27),
		    "a::b<c>::operator<<(…)");
	ASSERT_TEXT(shorten_symbol(&sb, "s<aaaaaaaaaaaaa>::operator->", 20), "s<…>::operator->");
	/* a bracket at the beginning says what it is about */
	ASSERT_TEXT(shorten_symbol(&sb, "<alloc::string::String as core::fmt::Write>::write_str",
				   30),
		    "<alloc::stri…Write>::write_str");
	ASSERT_TEXT(shorten_symbol(&sb, "std::vector<long_long_type>::at (inlined)", 30),
		    "std::vector<…>::at (inlined)");
	/* brackets that don't match are left alone */
	ASSERT_TEXT(shorten_symbol(&sb, "x<<<<<yyyyyyyyyyyyyyyy", 12), "x<<<<…yyyyyy");
}
END_TEST

START_TEST(names_in_sentences)
{
	const char *name = "std::map<std::basic_string<char>, std::vector<int>>::insert_or_assign";

	/* not wrapped: as it is */
	ASSERT_TEXT(shorten_in_sentence(&sb, name, 0), name);
	ASSERT_TEXT(shorten_in_sentence(&sb, name, 100), name);
	ASSERT_TEXT(shorten_in_sentence(&sb, name, 80), "std::map<…>::insert_or_assign");
	/* never less than 40 columns */
	ASSERT_TEXT(shorten_in_sentence(&sb, name, 10), "std::map<…>::insert_or_assign");
	ASSERT_TEXT(shorten_in_sentence(&sb, "a\033b\xff", 80), "a\\x1bb\\xff");
}
END_TEST

START_TEST(numbers_keep_their_units)
{
	ASSERT_TEXT(wrap_text(&sb, 11, 0, 2, "takes 43.9 % of all"), "takes\n  43.9 % of\n  all\n");
	ASSERT_TEXT(wrap_text(&sb, 12, 0, 2, "it is 29.5 % ±6.0, or 1.00 s."),
		    "it is\n  29.5 % ±6.0,\n  or 1.00 s.\n");
	/* a word that is none of them, and a number that has none */
	ASSERT_TEXT(wrap_text(&sb, 8, 0, 2, "in s 12 samples"), "in s 12\n  samples\n");
	ASSERT_TEXT(wrap_text(&sb, 0, 0, 2, "1 ms 2 µs"), "1 ms 2 µs\n");
}
END_TEST

int main(void)
{
	Suite *s = suite_create("escape");
	TCase *tc = tcase_create("escape");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, utf8_sequences);
	tcase_add_test(tc, terminal);
	tcase_add_test(tc, json);
	tcase_add_test(tc, fields);
	tcase_add_test(tc, numbers);
	tcase_add_test(tc, names_that_do_not_fit);
	tcase_add_test(tc, names_in_sentences);
	tcase_add_test(tc, numbers_keep_their_units);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
