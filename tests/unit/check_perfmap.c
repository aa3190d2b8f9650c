/* SPDX-License-Identifier: MIT */
/* perf-PID.map: names to the end of the line, which of overlapping lines wins, junk. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/perfmap.h"

static struct perfmap pm;

/* The name at an address, in a buffer of the test's. */
static const char *at(uint64_t addr)
{
	static char name[256];
	const struct perfmap_range *r = perfmap_find(&pm, addr);

	if (!r)
		return "-";
	snprintf(name, sizeof(name), "%.*s", (int)r->len, r->name);
	return name;
}

static void parse(const char *text)
{
	perfmap_parse(&pm, text, strlen(text));
}

START_TEST(names)
{
	parse("7f0000001000 20 JS:~work /srv/app main.js:10:5\n"
	      "0x7f0000002000 0x10 Ljava/lang/String;::indexOf(Ljava/lang/String;I)I\r\n"
	      "7F000000300A 1F int [App] App.Program::<Main>g__Work|0_0(int32)[Optimized] \n"
	      "\t7f0000004000\t10\ttabs\n"
	      "7f0000005000 10 \xff\xfe bytes\n"
	      "7f0000006000 10 no newline");
	ck_assert_uint_eq(pm.lines, 6);
	ck_assert_uint_eq(pm.malformed, 0);
	ck_assert_str_eq(at(0x7f0000000fff), "-");
	ck_assert_str_eq(at(0x7f0000001000), "JS:~work /srv/app main.js:10:5");
	ck_assert_str_eq(at(0x7f000000101f), "JS:~work /srv/app main.js:10:5");
	ck_assert_str_eq(at(0x7f0000001020), "-");
	ck_assert_str_eq(at(0x7f000000200f), "Ljava/lang/String;::indexOf(Ljava/lang/String;I)I");
	ck_assert_str_eq(at(0x7f000000300a),
			 "int [App] App.Program::<Main>g__Work|0_0(int32)[Optimized] ");
	ck_assert_str_eq(at(0x7f0000003029), "-");
	ck_assert_str_eq(at(0x7f0000004008), "tabs");
	ck_assert_str_eq(at(0x7f0000005000), "\xff\xfe bytes");
	ck_assert_str_eq(at(0x7f0000006000), "no newline");
	perfmap_release(&pm);
}
END_TEST

START_TEST(later_lines_win)
{
	parse("1000 100 old name\n"
	      "0 10000 whole-region\n"
	      "1000 100 new name\n"
	      "2000 100 outer\n"
	      "2040 20 inner\n"
	      "3000 80 left\n"
	      "3040 80 right\n");
	ck_assert_uint_eq(pm.n, 10);
	ck_assert_str_eq(at(0), "whole-region");
	ck_assert_str_eq(at(0xfff), "whole-region");
	ck_assert_str_eq(at(0x1000), "new name");
	ck_assert_str_eq(at(0x10ff), "new name");
	ck_assert_str_eq(at(0x1100), "whole-region");
	ck_assert_str_eq(at(0x203f), "outer");
	ck_assert_str_eq(at(0x2040), "inner");
	ck_assert_str_eq(at(0x205f), "inner");
	ck_assert_str_eq(at(0x2060), "outer");
	ck_assert_str_eq(at(0x20ff), "outer");
	ck_assert_str_eq(at(0x2100), "whole-region");
	ck_assert_str_eq(at(0x303f), "left");
	ck_assert_str_eq(at(0x3040), "right");
	ck_assert_str_eq(at(0x30bf), "right");
	ck_assert_str_eq(at(0xffff), "whole-region");
	ck_assert_str_eq(at(0x10000), "-");
	perfmap_release(&pm);
}
END_TEST

START_TEST(junk)
{
	parse("\nnot a line\n1000\n1000 10\n1000 10 \n1000 0 zero size\nxyz 10 name\n"
	      "10000000000000000 10 too many digits\n"
	      "ffffffffffffff00 200 past the end\n"
	      "-1000 10 negative\n"
	      "2000 10 good\n"
	      "3000 10");
	ck_assert_uint_eq(pm.lines, 1);
	ck_assert_uint_eq(pm.malformed, 10);
	ck_assert_str_eq(at(0x1000), "-");
	ck_assert_str_eq(at(0x2000), "good");
	ck_assert_str_eq(at(0x3000), "-");
	perfmap_release(&pm);
	parse("");
	ck_assert_str_eq(at(0), "-");
	perfmap_release(&pm);
	parse("ffffffffffffff00 ff up to the end\n");
	ck_assert_str_eq(at(UINT64_MAX - 1), "up to the end");
	ck_assert_str_eq(at(UINT64_MAX), "-");
	perfmap_release(&pm);
}
END_TEST

/* Against the definition: the last line that has the address. */
START_TEST(random_overlaps)
{
	uint64_t seed = 42;

	for (int round = 0; round < 300; round++) {
		uint32_t start[40], size[40];
		char text[40 * 32];
		size_t n = 0;

		for (int i = 0; i < 40; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			start[i] = (uint32_t)(seed >> 56);
			size[i] = 1 + (uint32_t)(seed >> 40) % (round % 2 ? 256 : 32);
			n += (size_t)sprintf(text + n, "%x %x n%d\n", start[i], size[i], i);
		}
		perfmap_parse(&pm, text, n);
		for (uint32_t addr = 0; addr < 600; addr++) {
			char want[16] = "-";

			for (int i = 0; i < 40; i++)
				if (addr - start[i] < size[i])
					sprintf(want, "n%d", i);
			ck_assert_str_eq(at(addr), want);
		}
		perfmap_release(&pm);
	}
}
END_TEST

START_TEST(mutations)
{
	static const char text[] =
		"1000 100 old name\n0 10000 whole\r\n0x2040 20 inner\n3000 8 l\n";
	static const char bytes[] = "\n\r\t 0fFxX\0\xff-";
	uint64_t seed = 7;
	char copy[sizeof(text)];

	for (int round = 0; round < 20000; round++) {
		memcpy(copy, text, sizeof(text));
		for (int i = 0; i < 4; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % (sizeof(text) - 1)] =
				bytes[(seed >> 20) % (sizeof(bytes) - 1)];
		}
		perfmap_parse(&pm, copy, round % 3 ? sizeof(text) - 1 : seed % sizeof(text));
		for (size_t i = 0; i < pm.n; i++) {
			ck_assert_uint_lt(pm.v[i].start, pm.v[i].end);
			ck_assert(!i || pm.v[i - 1].end <= pm.v[i].start);
			ck_assert(pm.v[i].name >= copy &&
				  pm.v[i].name + pm.v[i].len <= copy + sizeof(copy));
		}
		perfmap_release(&pm);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("perfmap");
	TCase *tc = tcase_create("perfmap");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, names);
	tcase_add_test(tc, later_lines_win);
	tcase_add_test(tc, junk);
	tcase_add_test(tc, random_overlaps);
	tcase_add_test(tc, mutations);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
