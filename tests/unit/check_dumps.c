/* SPDX-License-Identifier: MIT */
/* Samples with stack dumps through a whole session, where nothing is known of the program. */
#include <check.h>
#include <stdlib.h>

#include "run_session.h"

enum { BP = 6, SP = 7, IP = 8, SIZE = 64 };

#define LEAF UINT64_C(0x400200)

/* One sample; VALID bytes of its dump could be read. */
static void run(uint64_t valid, struct session *s)
{
	const uint64_t regs[] = { 0x7000, 0x7000, LEAF },
		       dump[SIZE / 8] = { 0x7020, 0x400300, 0, 0, 0x7030, 0x99 };
	struct builder b;
	uint32_t ev;

	builder_init(&b, &(struct builder_opts){ 0 });
	ev = builder_event(
		&b, &(struct builder_attr){ .sample_type = BUILDER_SAMPLE_TYPE | SAMPLE_REGS_USER |
							   SAMPLE_STACK_USER,
					    .sample_regs_user = 1 << BP | 1 << SP | 1 << IP,
					    .sample_stack_user = SIZE });
	builder_features(&b);
	builder_mmap2(&b, &(struct builder_mmap){ .pid = 42,
						  .tid = 42,
						  .addr = 0x400000,
						  .len = 0x1000,
						  .prot = 5,
						  .filename = "/no/such/file" });
	builder_sample(&b, ev,
		       &(struct builder_sample){ .time = 100,
						 .pid = 42,
						 .tid = 42,
						 .ip = LEAF,
						 .period = 1,
						 .user_abi = 2,
						 .user_regs = regs,
						 .stack = dump,
						 .stack_size = SIZE,
						 .dyn_size = valid });
	run_session(&b, (struct session_options){ .threads = 1 }, s);
}

/* The only stack is cut; its frames are ADDRS, root first. */
static void assert_cut(struct session *s, const uint64_t *addrs, size_t n)
{
	struct stack_iter it;

	stack_iter_init(&it, s->profile, 0);
	ck_assert(stack_iter_next(&it));
	ck_assert_uint_eq(it.n, n + 1);
	ck_assert_int_eq(s->profile->locs[it.locs[0]].kind, LOC_MARK);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(s->profile->locs[it.locs[i + 1]].addr, addrs[i]);
	stack_iter_release(&it);
	ck_assert_uint_eq(s->events[0].quality.truncated_weight, 1);
	ck_assert_uint_eq(s->unwind.samples, 1);
	session_release(s);
}

START_TEST(without_cfi)
{
	struct session s;

	run(SIZE, &s); /* by frame pointers, into nowhere */
	assert_cut(&s, (uint64_t[]){ 0x300 - 1, 0x200 }, 2);
}
END_TEST

/* The kernel could not read the page: the leaf is all that is known, and is not the whole stack. */
START_TEST(empty)
{
	struct session s;

	run(0, &s);
	assert_cut(&s, (uint64_t[]){ 0x200 }, 1);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dumps");
	TCase *tc = tcase_create("dumps");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, without_cfi);
	tcase_add_test(tc, empty);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
