/* SPDX-License-Identifier: MIT */
/*
 * The cursor: both byte orders, the sticky `bad`, and the comparisons that must not overflow.
 */
#include <check.h>
#include <stdlib.h>

#include "base/cursor.h"

static const uint8_t bytes[] = { 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07,
				 0x08, 0x09, 0x0a, 'h',  'i',  0,    'x' };

START_TEST(numbers_in_both_orders)
{
	struct cursor le = cursor_init(bytes, sizeof(bytes), false);
	struct cursor be = cursor_init(bytes, sizeof(bytes), true);

	ck_assert_uint_eq(cursor_u8(&le), 0x01);
	ck_assert_uint_eq(cursor_u16(&le), 0x0302);
	ck_assert_uint_eq(cursor_u32(&le), 0x07060504);
	ck_assert_uint_eq(cursor_left(&le), 7);
	ck_assert_uint_eq(cursor_u8(&be), 0x01);
	ck_assert_uint_eq(cursor_u16(&be), 0x0203);
	ck_assert_uint_eq(cursor_u32(&be), 0x04050607);
	ck_assert(!le.bad && !be.bad);
	ck_assert_uint_eq(get_u64(bytes, false), 0x0807060504030201);
	ck_assert_uint_eq(get_u64(bytes + 1, true), 0x0203040506070809);
}
END_TEST

START_TEST(a_read_past_the_end_sticks)
{
	struct cursor c = cursor_init(bytes, 5, false);

	ck_assert_uint_eq(cursor_u32(&c), 0x04030201);
	ck_assert_uint_eq(cursor_u16(&c), 0);
	ck_assert(c.bad);
	/* one byte is there, but a bad cursor gives nothing */
	ck_assert_uint_eq(cursor_u8(&c), 0);
	ck_assert_ptr_null(cursor_bytes(&c, 0));
	ck_assert_ptr_null(cursor_cstr(&c));
	ck_assert(!cursor_has(&c, 0, 1));
}
END_TEST

START_TEST(counts_do_not_overflow)
{
	struct cursor c = cursor_init(bytes, 10, false);

	ck_assert(cursor_has(&c, 1, 8));
	ck_assert(!cursor_has(&c, 2, 8));
	ck_assert(cursor_has(&c, 5, 2));
	ck_assert(!cursor_has(&c, (uint64_t)1 << 61, 8));
	ck_assert(!cursor_has(&c, UINT64_MAX, 24));
	ck_assert_ptr_null(cursor_bytes(&c, UINT64_MAX));
	ck_assert(c.bad);
}
END_TEST

START_TEST(strings_end_inside)
{
	struct cursor c = cursor_init(bytes + 10, 4, false);

	ck_assert_str_eq(cursor_cstr(&c), "hi");
	ck_assert_uint_eq(cursor_left(&c), 1);
	ck_assert_ptr_null(cursor_cstr(&c));
	ck_assert(c.bad);
}
END_TEST

START_TEST(nothing_at_all)
{
	struct cursor c = cursor_init(bytes, 0, true);

	ck_assert_ptr_eq(cursor_bytes(&c, 0), bytes);
	ck_assert(!c.bad);
	ck_assert_ptr_null(cursor_cstr(&c));
	ck_assert(c.bad);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cursor");
	TCase *tc = tcase_create("cursor");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, numbers_in_both_orders);
	tcase_add_test(tc, a_read_past_the_end_sticks);
	tcase_add_test(tc, counts_do_not_overflow);
	tcase_add_test(tc, strings_end_inside);
	tcase_add_test(tc, nothing_at_all);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
