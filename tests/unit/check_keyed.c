/* SPDX-License-Identifier: MIT */
/* Sorting by keys: against what insertion makes of it, and that equal ones stay in order. */
#include <check.h>
#include <stdlib.h>

#include "base/keyed.h"
#include "base/xmalloc.h"

static uint64_t seed;

static uint64_t number(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed ^ seed >> 31;
}

/* Sorted by N numbers that are masked with MASK: the position breaks ties. */
static void sorts(size_t n, uint64_t mask)
{
	struct keyed *v = xreallocarray(NULL, n + 1, sizeof(*v));
	uint64_t *keys = xreallocarray(NULL, n + 1, sizeof(*keys));
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		keys[i] = number() & mask;
		v[i] = (struct keyed){ keys[i], (uint32_t)i };
		sum += i;
	}
	v[n] = (struct keyed){ 4711, 4712 };
	keyed_sort(v, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(v[i].key, keys[v[i].at]);
		sum -= v[i].at;
		if (i)
			ck_assert(v[i - 1].key < v[i].key ||
				  (v[i - 1].key == v[i].key && v[i - 1].at < v[i].at));
	}
	ck_assert_uint_eq(sum, 0);
	ck_assert_uint_eq(v[n].key, 4711);
	ck_assert_uint_eq(v[n].at, 4712);
	free(keys);
	free(v);
}

START_TEST(each_size)
{
	seed = 1;
	for (size_t n = 0; n < 200; n++) {
		sorts(n, UINT64_MAX);
		sorts(n, 3);
	}
	sorts(100000, UINT64_MAX);
}
END_TEST

/* Keys that differ in some digits only, the highest and the lowest among them, or in none. */
START_TEST(each_digit)
{
	seed = 2;
	for (unsigned shift = 0; shift < 64; shift++) {
		sorts(1000, UINT64_C(1) << shift);
		sorts(1000, UINT64_C(0xfff) << shift);
		sorts(1000, UINT64_MAX >> shift);
	}
	sorts(1000, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("keyed");
	TCase *tc = tcase_create("keyed");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, each_size);
	tcase_add_test(tc, each_digit);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
