/* SPDX-License-Identifier: MIT */
/* Which chunks were remembered in time for the stacks that were cut. */
#include <check.h>

#include "collect/watch.h"

enum { TID = 7, OTHER = 8 };

static const uint64_t CUT = 0x7fff00100000, MARGIN = 65536;

struct fixture {
	struct watch watch;
	struct repair memory;
};

/* A stack of two frames; the inner one's return address lies in SLOT. */
static void show(struct fixture *f, int32_t tid, uint64_t slot, enum unwind_end end)
{
	struct unwind_frame frames[] = { { slot, 1 }, { slot + 0x10, 2 } };
	struct unwind_info info = { .end = end, .frames = frames, .n = 2 };
	struct stack st = { 0 };

	if (end == UNWIND_WHOLE)
		frames[1].slot = 0;
	stack_push(&st, 0x1000, CPUMODE_USER, false);
	stack_push(&st, 0x2000, CPUMODE_USER, true);
	watch_stack(&f->watch, &f->memory, tid, 10, &st, 0, &info);
	stack_release(&st);
}

static void begin(struct fixture *f, size_t index)
{
	watch_begin(&f->watch, index, &f->memory);
}

static void end(struct fixture *f)
{
	watch_end(&f->watch, &f->memory);
}

static void release(struct fixture *f)
{
	watch_release(&f->watch);
	repair_release(&f->memory);
}

/* Without a cut nothing is remembered, and nothing of threads without one. */
START_TEST(not_before_a_cut)
{
	struct fixture f = { 0 };

	begin(&f, 3);
	show(&f, TID, CUT, UNWIND_WHOLE);
	ck_assert(watch_suffices(&f.watch));
	ck_assert_uint_eq(f.memory.words.n, 0);
	show(&f, OTHER, CUT, UNWIND_DUMP_END);
	ck_assert(!watch_suffices(&f.watch));
	ck_assert_uint_eq(f.memory.words.n, 1);
	show(&f, TID, CUT, UNWIND_WHOLE);
	ck_assert_uint_eq(f.memory.words.n, 1);
	end(&f);
	ck_assert_uint_eq(f.watch.chunks.n, 1);
	ck_assert_uint_eq(f.watch.chunks.v[0].index, 3);
	ck_assert_uint_eq(f.watch.chunks.v[0].threads, watch_bit(TID) | watch_bit(OTHER));
	ck_assert_uint_eq(watch_since(&f.watch, OTHER, CUT + 0x10), 1);
	ck_assert_uint_eq(watch_since(&f.watch, TID, CUT), UINT32_MAX);
	release(&f);
}
END_TEST

/* From the chunk after the first cut on, the memory has what is wanted: spans of its own. */
START_TEST(from_then_on)
{
	struct fixture f = { 0 };

	begin(&f, 0);
	show(&f, TID, CUT, UNWIND_DUMP_END);
	end(&f);
	begin(&f, 1);
	show(&f, TID, CUT, UNWIND_WHOLE);
	show(&f, TID, CUT, UNWIND_WHOLE);
	show(&f, TID, CUT + 0x10 - MARGIN, UNWIND_DUMP_END); /* low, but not too low */
	ck_assert(watch_suffices(&f.watch));
	end(&f);
	ck_assert_uint_eq(watch_since(&f.watch, TID, CUT + 0x10 - MARGIN), 1);
	ck_assert_uint_eq(watch_since(&f.watch, TID, CUT + 0xf - MARGIN), UINT32_MAX);
	ck_assert_uint_eq(f.watch.chunks.v[0].from, 0);
	ck_assert_uint_eq(f.watch.chunks.v[0].to, 1);
	ck_assert_uint_eq(f.watch.chunks.v[1].from, 1);
	ck_assert_uint_eq(f.watch.chunks.v[1].to, 3);
	release(&f);
}
END_TEST

/* A cut further below: what was remembered until then has not all of it. */
START_TEST(too_low)
{
	struct fixture f = { 0 };

	begin(&f, 0);
	show(&f, TID, CUT, UNWIND_DUMP_END);
	end(&f);
	begin(&f, 1);
	show(&f, TID, CUT - MARGIN - 1, UNWIND_DUMP_END);
	ck_assert(!watch_suffices(&f.watch));
	end(&f);
	begin(&f, 2);
	show(&f, TID, CUT - MARGIN - 1, UNWIND_DUMP_END);
	ck_assert(watch_suffices(&f.watch));
	end(&f);
	ck_assert_uint_eq(watch_since(&f.watch, TID, CUT - MARGIN), 2);
	release(&f);
}
END_TEST

/* A stack that was not shown may have told something. */
START_TEST(missed)
{
	struct fixture f = { 0 };

	begin(&f, 0);
	ck_assert(watch_suffices(&f.watch));
	watch_miss(&f.watch, OTHER);
	ck_assert(!watch_suffices(&f.watch));
	end(&f);
	ck_assert_uint_eq(f.watch.chunks.v[0].missed, watch_bit(OTHER));
	ck_assert_uint_eq(f.watch.chunks.v[0].threads, 0);
	release(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("watch");
	TCase *tc = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, not_before_a_cut);
	tcase_add_test(tc, from_then_on);
	tcase_add_test(tc, too_low);
	tcase_add_test(tc, missed);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
