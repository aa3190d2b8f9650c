/* SPDX-License-Identifier: MIT */
/* Bisection: every length with every number of elements that the condition holds for. */
#include <check.h>

#include "base/bisect.h"
#include "reader_test.h"

START_TEST(every_place)
{
	for (size_t n = 0; n <= 70; n++)
		for (size_t first = 0; first <= n; first++)
			ck_assert_uint_eq(bisect(i, n, i < first), first);
}
END_TEST

/* Nothing behind the end is looked at, and each step leaves half. */
START_TEST(few_looks_inside)
{
	for (size_t n = 1; n <= 1000; n++) {
		size_t looks = 0, outside = 0, most = 64 - (size_t)__builtin_clzll(n);

		ck_assert_uint_eq(bisect(i, n, (looks++, outside += i >= n, i < n)), n);
		ck_assert_uint_le(looks, most);
		looks = 0;
		ck_assert_uint_eq(bisect(i, n, (looks++, outside += i >= n, i > n)), 0);
		ck_assert_uint_eq(looks, most);
		ck_assert_uint_eq(outside, 0);
	}
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, every_place);
	tcase_add_test(tc, few_looks_inside);
}

int main(void)
{
	return test_run("bisect", add, 10);
}
