/* SPDX-License-Identifier: MIT */
#include <check.h>

#include "machine/scopes.h"

static const struct validity early = { 10, 20 }, late = { 20, 30 };

START_TEST(equal_ones_share_a_number)
{
	struct scopes s = { 0 };

	scopes_init(&s);
	ck_assert_uint_eq(scopes_id(&s, 5, early), 1);
	ck_assert_uint_eq(scopes_id(&s, 5, late), 2);
	ck_assert_uint_eq(scopes_id(&s, 6, early), 3);
	ck_assert_uint_eq(scopes_id(&s, 5, early), 1);
	scopes_init(&s);
	ck_assert_uint_eq(scopes_id(&s, 6, early), 1);
	scopes_release(&s);
}
END_TEST

START_TEST(what_they_include)
{
	struct scopes s = { 0 };

	scopes_init(&s);
	scopes_id(&s, 5, early);
	ck_assert(scopes_has(&s, 1, 5, 10));
	ck_assert(scopes_has(&s, 1, 5, 19));
	ck_assert(!scopes_has(&s, 1, 5, 9));
	ck_assert(!scopes_has(&s, 1, 5, 20));
	ck_assert(!scopes_has(&s, 1, 6, 10));
	ck_assert(!scopes_has(&s, 0, 5, 10));
	ck_assert(!scopes_has(&s, 0, 5, 0)); /* a free slot of a cache */
	scopes_release(&s);
}
END_TEST

/* Only the last few are looked through; caches are emptied before there are too many. */
START_TEST(many)
{
	struct scopes s = { 0 };

	scopes_init(&s);
	for (uint32_t i = 1; i <= 4096; i++) {
		ck_assert(!scopes_are_many(&s));
		ck_assert_uint_eq(scopes_id(&s, i, early), i);
	}
	ck_assert(scopes_are_many(&s));
	ck_assert_uint_eq(scopes_id(&s, 4096 - 63, early), 4096 - 63);
	ck_assert_uint_eq(scopes_id(&s, 4096 - 64, early), 4097);
	scopes_release(&s);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scopes");
	TCase *tc = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, equal_ones_share_a_number);
	tcase_add_test(tc, what_they_include);
	tcase_add_test(tc, many);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
