/* SPDX-License-Identifier: MIT */
/*
 * Completing stacks from others of the same thread.  Functions are numbers, slots are addresses on
 * a stack that grows downwards; a frame returns through its slot.
 */
#include <check.h>
#include <stdlib.h>

#include "stack/repair.h"

enum { TID = 7 };

#define INTERRUPTED ((uint64_t)1 << 63) /* in `ra`: no call has put it there */

struct shown {
	uint64_t slot, func, ra; /* ra: the word in the slot, the next frame's address */
};

/* A stack that was seen at WHEN: its frames, leaf first; the last one's slot is not read. */
static void see(struct repair *r, int32_t tid, uint64_t when, const struct shown *frames, size_t n,
		enum unwind_end end)
{
	struct unwind_info info = { .end = end };
	struct unwind_frame v[16];
	struct stack st = { 0 };

	info.frames = v;
	info.n = n;
	stack_push(&st, 0xffffffff81000000, CPUMODE_KERNEL, false);
	stack_push(&st, 0x1234, CPUMODE_USER, false);
	for (size_t i = 0; i < n; i++) {
		v[i] = (struct unwind_frame){ frames[i].slot, frames[i].func };
		if (i + 1 < n)
			stack_push(&st, frames[i].ra & ~INTERRUPTED, CPUMODE_USER,
				   !(frames[i].ra & INTERRUPTED));
	}
	repair_observe(r, tid, when, &st, 1, &info, 0);
	stack_release(&st);
}
#define SEE(r, when, end, ...)                                   \
	see(r, TID, when, (const struct shown[]){ __VA_ARGS__ }, \
	    sizeof((const struct shown[]){ __VA_ARGS__ }) / sizeof(struct shown), end)

/* What is known beyond a frame of FUNC that returns through SLOT. */
static void assert_known(const struct repair *r, int32_t tid, uint64_t when, uint64_t slot,
			 uint64_t func, bool want_whole, const uint64_t *want, size_t n)
{
	struct stack st = { 0 };
	bool whole;

	ck_assert_uint_eq(repair_complete(r, tid, when, slot, func, &st, &whole), n);
	ck_assert_int_eq(whole, want_whole);
	ck_assert_uint_eq(st.n, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(st.frames[i].addr, want[i]);
		ck_assert_int_eq(st.frames[i].cpumode, CPUMODE_USER);
		ck_assert(st.frames[i].is_return);
		ck_assert(st.frames[i].repaired);
	}
	stack_release(&st);
}
#define KNOWN(r, when, slot, func, whole, ...)                                           \
	assert_known(r, TID, when, slot, func, whole, (const uint64_t[]){ __VA_ARGS__ }, \
		     sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8)
#define UNKNOWN(r, tid, when, slot, func) assert_known(r, tid, when, slot, func, false, NULL, 0)

static const uint64_t NOWHERE = 0;

/* leaf 1 <- 2 <- 3, whose caller there is none */
#define STACK3                                  \
	{ 0x100, 1, 0xa2 }, { 0x200, 2, 0xa3 }, \
	{                                       \
		NOWHERE, 3, 0                   \
	}

START_TEST(outer_frames)
{
	struct repair r = { 0 };

	SEE(&r, 10, UNWIND_WHOLE, STACK3);
	repair_finish(&r);
	for (uint64_t when = 5; when <= 15; when += 5) { /* before, then, after */
		KNOWN(&r, when, 0x100, 1, true, 0xa2, 0xa3);
		KNOWN(&r, when, 0x200, 2, true, 0xa3);
	}
	UNKNOWN(&r, TID, 10, 0x200, 1); /* another function's frame */
	UNKNOWN(&r, TID, 10, 0x208, 2);
	UNKNOWN(&r, TID + 1, 10, 0x200, 2);
	UNKNOWN(&r, TID, 10, 0, 3);
	ck_assert_uint_eq(repair_top(&r, TID), 0x200);
	ck_assert_uint_eq(repair_top(&r, TID + 1), 0);
	repair_release(&r);
}
END_TEST

/* A stack that was cut itself tells what it had, and is not called whole. */
START_TEST(partly)
{
	struct repair r = { 0 };

	SEE(&r, 10, UNWIND_DUMP_END, { 0x100, 1, 0xa2 }, { 0x200, 2, 0xa3 }, { 0x300, 3, 0 });
	repair_finish(&r);
	KNOWN(&r, 10, 0x100, 1, false, 0xa2, 0xa3);
	repair_release(&r);
}
END_TEST

/* Out of a signal's handler 1: its trampoline 2, the interrupted function 3, a caller of that. */
START_TEST(through_a_signal)
{
	static const bool returns[] = { false, false, true };
	struct repair r = { 0 };
	struct stack st = { 0 };
	bool whole;

	SEE(&r, 10, UNWIND_WHOLE, { 0x100, 1, 0xa2 | INTERRUPTED },
	    { 0x200, 2, 0xa3 | INTERRUPTED }, { 0x300, 3, 0xa4 }, { NOWHERE, 4, 0 });
	repair_finish(&r);
	ck_assert_uint_eq(repair_complete(&r, TID, 10, 0x100, 1, &st, &whole), 3);
	ck_assert(whole);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(st.frames[i].addr, 0xa2 + i);
		ck_assert_int_eq(st.frames[i].is_return, returns[i]);
		ck_assert(st.frames[i].repaired);
	}
	stack_release(&st);
	repair_release(&r);
}
END_TEST

/* Two stacks that were cut at different places are joined through the frame that both have. */
START_TEST(joined)
{
	struct repair r = { 0 };

	SEE(&r, 10, UNWIND_DUMP_END, { 0x100, 1, 0xa2 }, { 0x200, 2, 0xa3 }, { 0x300, 3, 0 });
	SEE(&r, 20, UNWIND_WHOLE, { 0x280, 9, 0xb3 }, { 0x300, 3, 0xa4 }, { NOWHERE, 4, 0 });
	repair_finish(&r);
	KNOWN(&r, 15, 0x100, 1, true, 0xa2, 0xa3, 0xa4);
	repair_release(&r);
}
END_TEST

/* The nearest before and after must agree. */
START_TEST(disagreement)
{
	struct repair r = { 0 };

	SEE(&r, 10, UNWIND_WHOLE, { 0x200, 2, 0xa3 }, { NOWHERE, 3, 0 });
	SEE(&r, 30, UNWIND_WHOLE, { 0x200, 2, 0xb3 }, { NOWHERE, 4, 0 });
	SEE(&r, 50, UNWIND_WHOLE, { 0x200, 2, 0xb3 }, { NOWHERE, 4, 0 });
	repair_cut(&r);
	repair_finish(&r);
	KNOWN(&r, 5, 0x200, 2, true, 0xa3);
	UNKNOWN(&r, TID, 20, 0x200, 2);
	KNOWN(&r, 40, 0x200, 2, true, 0xb3);
	KNOWN(&r, 60, 0x200, 2, true, 0xb3);
	repair_release(&r);
}
END_TEST

/* A word that comes and goes: both are said of the time between. */
START_TEST(alternating)
{
	struct repair r = { 0 };

	SEE(&r, 10, UNWIND_WHOLE, { 0x200, 2, 0xa3 }, { NOWHERE, 3, 0 });
	SEE(&r, 20, UNWIND_WHOLE, { 0x200, 2, 0xb3 }, { NOWHERE, 3, 0 });
	SEE(&r, 30, UNWIND_WHOLE, { 0x200, 2, 0xa3 }, { NOWHERE, 3, 0 });
	SEE(&r, 40, UNWIND_WHOLE, { 0x200, 2, 0xb3 }, { NOWHERE, 3, 0 });
	repair_finish(&r);
	KNOWN(&r, 15, 0x200, 2, true, 0xa3); /* only one of them was there so early */
	UNKNOWN(&r, TID, 25, 0x200, 2);
	repair_release(&r);
}
END_TEST

/* The walk goes outwards only, whatever was remembered. */
START_TEST(no_circles)
{
	struct repair r = { 0 };

	SEE(&r, 10, UNWIND_DUMP_END, { 0x200, 2, 0xa3 }, { 0x100, 3, 0xa2 }, { 0x200, 2, 0xa3 },
	    { 0x100, 3, 0 });
	repair_finish(&r);
	KNOWN(&r, 10, 0x200, 2, false, 0xa3);
	KNOWN(&r, 10, 0x100, 3, false, 0xa2, 0xa3);
	repair_release(&r);
}
END_TEST

/* What several workers saw is one memory, in whatever order it is put together. */
START_TEST(merged)
{
	for (int order = 0; order < 2; order++) {
		struct repair part[2] = { 0 }, all = { 0 };

		SEE(&part[0], 10, UNWIND_DUMP_END, { 0x100, 1, 0xa2 }, { 0x200, 2, 0 });
		SEE(&part[1], 20, UNWIND_WHOLE, { 0x200, 2, 0xa3 }, { NOWHERE, 3, 0 });
		repair_merge(&all, &part[order]);
		repair_merge(&all, &part[!order]);
		ck_assert_uint_eq(part[0].words.n + part[1].words.n, 0);
		repair_finish(&all);
		KNOWN(&all, 12, 0x100, 1, true, 0xa2, 0xa3);
		repair_release(&all);
	}
}
END_TEST

/* What was remembered of a part of the recording can be forgotten, and seen again. */
START_TEST(forgotten)
{
	struct repair r = { 0 };
	size_t from, to;

	SEE(&r, 10, UNWIND_WHOLE, { 0x200, 2, 0xa3 }, { NOWHERE, 3, 0 });
	from = repair_cut(&r);
	SEE(&r, 20, UNWIND_WHOLE, { 0x200, 2, 0xb3 }, { NOWHERE, 3, 0 });
	SEE(&r, 20, UNWIND_WHOLE, { 0x300, 2, 0xb3 }, { NOWHERE, 3, 0 });
	to = repair_cut(&r);
	ck_assert_uint_eq(to - from, 2);
	repair_forget(&r, from, to);
	SEE(&r, 30, UNWIND_WHOLE, { 0x300, 2, 0xc3 }, { NOWHERE, 3, 0 });
	repair_finish(&r);
	KNOWN(&r, 20, 0x200, 2, true, 0xa3);
	KNOWN(&r, 20, 0x300, 2, true, 0xc3);
	repair_release(&r);
}
END_TEST

/* A place that had several words at different times, in a memory put together of several. */
START_TEST(merged_words)
{
	struct repair part[2] = { 0 }, all = { 0 };

	SEE(&part[0], 10, UNWIND_WHOLE, { 0x200, 2, 0xa3 }, { NOWHERE, 3, 0 });
	SEE(&part[1], 20, UNWIND_WHOLE, { 0x200, 2, 0xb3 }, { NOWHERE, 3, 0 });
	SEE(&part[1], 30, UNWIND_WHOLE, { 0x200, 2, 0xa3 }, { NOWHERE, 3, 0 });
	repair_merge(&all, &part[0]);
	repair_merge(&all, &part[1]);
	ck_assert_uint_eq(all.words.n, 2);
	repair_finish(&all);
	KNOWN(&all, 10, 0x200, 2, true, 0xa3);
	KNOWN(&all, 20, 0x200, 2, true, 0xb3);
	UNKNOWN(&all, TID, 25, 0x200, 2);
	KNOWN(&all, 30, 0x200, 2, true, 0xa3);
	repair_release(&all);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("repair");
	TCase *tc = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, outer_frames);
	tcase_add_test(tc, partly);
	tcase_add_test(tc, through_a_signal);
	tcase_add_test(tc, joined);
	tcase_add_test(tc, disagreement);
	tcase_add_test(tc, alternating);
	tcase_add_test(tc, no_circles);
	tcase_add_test(tc, merged);
	tcase_add_test(tc, forgotten);
	tcase_add_test(tc, merged_words);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
