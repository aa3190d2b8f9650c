/* SPDX-License-Identifier: MIT */
/* kallsyms: which name an address has, what ends a function, hidden addresses, damaged text. */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/kallsyms.h"

static const char text[] = "ffffffff81000000 T _stext\n"
			   "ffffffff81000000 T _text\n"
			   "ffffffff81000000 t local_start\n"
			   "ffffffff81000100 T vfs_read\n"
			   "ffffffff81000200 t __do_read\n"
			   "ffffffff81000200 W weak_read\n"
			   "ffffffff81000300 t only_local\n"
			   "ffffffff81000400 D data_begins\n"
			   "ffffffff81000500 d more_data\n"
			   "ffffffff81000600 T last\n"
			   "0000000000000000 A fixed_percpu_data\n"
			   "ffffffffc0000040 t init_it\t[some_mod]\n"
			   "ffffffffc0000000 t mod_read\t[some_mod]\n"
			   "ffffffffc0001000 t vfs_read\t[other-mod]\n";

static struct kallsyms ks;

/* A text, which has no NUL. */
static const char *copy_of(const char *s, size_t len)
{
	static char copy[80];

	snprintf(copy, sizeof(copy), "%.*s", (int)len, s);
	return copy;
}

static const char *name_at(uint64_t addr)
{
	struct kallsym s;

	return kallsyms_find(&ks, addr, &s) ? copy_of(s.name, s.name_len) : "-";
}

static const char *module_at(uint64_t addr)
{
	struct kallsym s;

	ck_assert(kallsyms_find(&ks, addr, &s));
	return s.module ? copy_of(s.module, s.module_len) : "-";
}

START_TEST(names_and_boundaries)
{
	kallsyms_parse(&ks, text, strlen(text), "_stext");
	ck_assert_uint_eq(ks.lines, 14);
	ck_assert(!ks.hidden && ks.has_ref);
	ck_assert_uint_eq(ks.ref, 0xffffffff81000000);
	/* one name for each address: global before local, then the longer one */
	ck_assert_str_eq(name_at(0xffffffff81000000), "_stext");
	ck_assert_str_eq(name_at(0xffffffff810000ff), "_stext");
	ck_assert_str_eq(name_at(0xffffffff81000100), "vfs_read");
	ck_assert_str_eq(name_at(0xffffffff810001ff), "vfs_read");
	ck_assert_str_eq(name_at(0xffffffff81000200), "weak_read");
	ck_assert_str_eq(name_at(0xffffffff810003ff), "only_local");
	/* data ends a function and names nothing */
	ck_assert_str_eq(name_at(0xffffffff81000400), "-");
	ck_assert_str_eq(name_at(0xffffffff810005ff), "-");
	ck_assert_str_eq(name_at(0xffffffff81000600), "last");
	/* nothing before the first, and not without end after the last */
	ck_assert_str_eq(name_at(0xffffffff80ffffff), "-");
	ck_assert_str_eq(name_at(0), "-");
	ck_assert_str_eq(name_at(0xffffffff81000600 + (1 << 20) - 1), "last");
	ck_assert_str_eq(name_at(0xffffffff81000600 + (1 << 20)), "-");
	kallsyms_release(&ks);
}
END_TEST

START_TEST(modules)
{
	uint64_t at;

	kallsyms_parse(&ks, text, strlen(text), NULL);
	ck_assert(!ks.has_ref);
	ck_assert_str_eq(module_at(0xffffffffc0000010), "some_mod");
	ck_assert_str_eq(name_at(0xffffffffc0000010), "mod_read");
	ck_assert_str_eq(name_at(0xffffffffc0000050), "init_it");
	ck_assert(kallsyms_module_start(&ks, "some-mod", &at));
	ck_assert_uint_eq(at, 0xffffffffc0000000);
	ck_assert(kallsyms_module_start(&ks, "other_mod", &at));
	ck_assert_uint_eq(at, 0xffffffffc0001000);
	ck_assert(!kallsyms_module_start(&ks, "some_mo", &at));
	ck_assert(!kallsyms_module_start(&ks, "some_mod2", &at));
	ck_assert_str_eq(module_at(0xffffffff81000100), "-");
	kallsyms_release(&ks);
}
END_TEST

/* The reference symbol is the image's, also when it is no function or not the chosen name. */
START_TEST(reference)
{
	kallsyms_parse(&ks, text, strlen(text), "data_begins");
	ck_assert(ks.has_ref);
	ck_assert_uint_eq(ks.ref, 0xffffffff81000400);
	kallsyms_release(&ks);
	kallsyms_parse(&ks, text, strlen(text), "local_start");
	ck_assert_uint_eq(ks.ref, 0xffffffff81000000);
	kallsyms_release(&ks);
	kallsyms_parse(&ks, text, strlen(text), "mod_read");
	ck_assert(!ks.has_ref);
	kallsyms_release(&ks);
}
END_TEST

/* A NUL ends a name; what is behind it is not compared with the reference symbol. */
START_TEST(nul_in_a_name)
{
	static const char lines[] = "ffffffff62000000 T _text\0\0\0\0 data\n"
				    "ffffffff81000100 t do_one\n";
	char *ref_name = strdup("_text"); /* of just that size, for the sanitizer */

	kallsyms_parse(&ks, lines, sizeof(lines) - 1, ref_name);
	ck_assert_uint_eq(ks.lines, 2);
	ck_assert(ks.has_ref);
	ck_assert_uint_eq(ks.ref, 0xffffffff62000000);
	ck_assert_str_eq(name_at(0xffffffff62000001), "_text");
	ck_assert_str_eq(name_at(0xffffffff81000101), "do_one");
	kallsyms_release(&ks);
	free(ref_name);
}
END_TEST

START_TEST(hidden_addresses)
{
	static const char zero[] = "0000000000000000 T _text\n"
				   "0000000000000000 T vfs_read\n"
				   "0000000000000000 t mod_read\t[some_mod]\n";

	kallsyms_parse(&ks, zero, strlen(zero), "_text");
	ck_assert(ks.hidden);
	ck_assert_uint_eq(ks.lines, 3);
	ck_assert(!ks.has_functions);
	ck_assert_str_eq(name_at(0), "-");
	ck_assert_str_eq(name_at(0xffffffff81000000), "-");
	kallsyms_release(&ks);
	kallsyms_parse(&ks, "", 0, NULL);
	ck_assert(!ks.hidden && !ks.has_functions);
	kallsyms_release(&ks);
}
END_TEST

START_TEST(malformed_lines)
{
	static const char odd[] = "\n \nffffffff81000000\nffffffff81000000 \nffffffff81000000 T\n"
				  "ffffffff81000000 T \nffffffff81000000  T x\nxyz T x\n"
				  "ffffffff810000000 T too_long\n"
				  "ffffffff81000000 TT x\n"
				  "FFFFFFFF81000010 T capital\n"
				  "ffffffff81000020 t $x\nffffffff81000030 t $d.12\n"
				  "ffffffff81000040 t $xenon\n"
				  "ffffffff81000050 t cut_module\t[mod\n"
				  "ffffffff81000060 T no_newline";

	kallsyms_parse(&ks, odd, strlen(odd), NULL);
	ck_assert_uint_eq(ks.lines, 6);
	ck_assert_str_eq(name_at(0xffffffff8100000f), "-");
	ck_assert_str_eq(name_at(0xffffffff81000010), "capital");
	ck_assert_str_eq(name_at(0xffffffff81000020), "-");
	ck_assert_str_eq(name_at(0xffffffff81000048), "$xenon");
	ck_assert_str_eq(name_at(0xffffffff81000050), "cut_module");
	ck_assert_str_eq(module_at(0xffffffff81000050), "mod");
	ck_assert_str_eq(name_at(0xffffffff81000060), "no_newline");
	kallsyms_release(&ks);
}
END_TEST

/* Whether lines that are left for later, as they are in KS, make the same symbols as others. */
static void same_as_eager(const char *lines, size_t len, const char *ref_name)
{
	struct kallsyms eager;
	struct kallsym a, b;
	char *copy = malloc(len + 2);

	memcpy(copy, "\t\n", 2); /* behind a tab no line is left */
	memcpy(copy + 2, lines, len);
	kallsyms_parse(&eager, copy, len + 2, ref_name);
	ck_assert_uint_eq(eager.nr_places, 0);
	ck_assert_uint_eq(ks.lines, eager.lines);
	ck_assert_int_eq(ks.hidden, eager.hidden);
	ck_assert_int_eq(ks.has_functions, eager.has_functions);
	ck_assert_int_eq(ks.has_ref, eager.has_ref);
	ck_assert_uint_eq(ks.ref, eager.ref);
	for (size_t i = 0; i < 3 * eager.n; i++) {
		uint64_t addr = eager.v[i / 3].addr + i % 3 - 1;
		bool found = kallsyms_find(&ks, addr, &a);

		ck_assert_int_eq(found, kallsyms_find(&eager, addr, &b));
		ck_assert(!found || (a.addr == b.addr && a.name_len == b.name_len &&
				     !memcmp(a.name, b.name, a.name_len)));
	}
	kallsyms_release(&eager);
	free(copy);
}

/* Many lines with equal addresses, in order for the most part. */
START_TEST(left_for_later)
{
	char *lines = malloc(2000 * 64);
	uint64_t seed = 3, addr = 0xffffffff81000000;

	for (int round = 0; round < 200; round++) {
		size_t len = 0;

		for (int i = 0; i < 1000 + round; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			if ((seed >> 60) % 4 || (round % 5 == 0 && i < 40))
				addr += (seed >> 40) % 64;
			if (round % 7 == 0 && (seed >> 33) % 500 == 0)
				addr -= 1000;
			len += (size_t)sprintf(lines + len, "%016" PRIx64 " %c %s%s%d\n", addr,
					       "TtWwDdbAr"[(seed >> 50) % 9],
					       (seed >> 45) % 3 ? "" : "__",
					       (seed >> 47) % 20 ? "f" : "$x.", i);
		}
		kallsyms_parse(&ks, lines, len, "f7");
		ck_assert_uint_gt(ks.nr_places, 2);
		same_as_eager(lines, len, "f7");
		kallsyms_release(&ks);
	}
	free(lines);
}
END_TEST

/* Each byte before the name with each value: what is no digit is never taken for one. */
START_TEST(each_byte)
{
	static const char lines[] = "0123456789abcdef T first\nffffffff81abcdef t second\n"
				    "ffffffff89abcdef T third\n";
	char copy[sizeof(lines)];
	struct kallsym s;

	kallsyms_parse(&ks, lines, strlen(lines), NULL);
	ck_assert_uint_eq(ks.nr_places, 1);
	ck_assert(kallsyms_find(&ks, 0x0123456789abcdef, &s));
	ck_assert_uint_eq(s.addr, 0x0123456789abcdef);
	kallsyms_release(&ks);
	for (size_t at = 25; at < 25 + 20; at++) {
		for (int value = 0; value < 256; value++) {
			memcpy(copy, lines, sizeof(lines));
			copy[at] = (char)value;
			kallsyms_parse(&ks, copy, strlen(lines), NULL);
			same_as_eager(copy, strlen(lines), NULL);
			kallsyms_release(&ks);
		}
	}
}
END_TEST

/* Whatever a byte is changed to: no crash, answers in order, names that end. */
START_TEST(mutations)
{
	static const char bytes[] = "\n\t \0[]Tt0f\xff$";
	uint64_t seed = 20240607;
	char copy[sizeof(text)];

	for (int round = 0; round < 20000; round++) {
		size_t len = strlen(text);

		memcpy(copy, text, sizeof(text));
		for (int i = 0; i < 4; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % len] = bytes[(seed >> 20) % (sizeof(bytes) - 1)];
		}
		if (round % 4 == 0)
			len = (seed >> 40) % len;
		kallsyms_parse(&ks, copy, len, "_text");
		for (size_t i = 1; i < ks.n; i++)
			ck_assert_uint_lt(ks.v[i - 1].addr, ks.v[i].addr);
		for (size_t i = 0; i < ks.n; i++)
			if (ks.v[i].name)
				ck_assert(ks.v[i].name + ks.v[i].name_len <= copy + len);
		if (round % 8 < 2)
			same_as_eager(copy, len, "_text");
		kallsyms_release(&ks);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("kallsyms");
	TCase *tc = tcase_create("kallsyms");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, names_and_boundaries);
	tcase_add_test(tc, modules);
	tcase_add_test(tc, reference);
	tcase_add_test(tc, nul_in_a_name);
	tcase_add_test(tc, hidden_addresses);
	tcase_add_test(tc, malformed_lines);
	tcase_add_test(tc, left_for_later);
	tcase_add_test(tc, each_byte);
	tcase_add_test(tc, mutations);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
