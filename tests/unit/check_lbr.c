/* SPDX-License-Identifier: MIT */
/* Call stacks that the CPU kept, alone and completed from the sample before. */
#include <check.h>
#include <stdlib.h>

#include "base/vec.h"
#include "stack/stitch.h"

enum { MAX_BRANCHES = 8, MAX_CHAIN = 8 };

struct test {
	struct sample s;
	uint8_t branches[24 * MAX_BRANCHES];
	uint8_t chain[8 * MAX_CHAIN];
	struct evsel evsel;
};

static void put64(uint8_t *p, uint64_t v, bool be)
{
	for (unsigned i = 0; i < 8; i++)
		p[be ? 7 - i : i] = (uint8_t)(v >> 8 * i);
}

/* A call is FROM << 8 | TO. */
static void begin(struct test *t, bool be, const uint64_t *chain, size_t nr_chain,
		  const uint64_t *calls, size_t nr_calls)
{
	*t = (struct test){ .s = { .present = SAMPLE_CALLCHAIN | SAMPLE_BRANCH_STACK,
				   .ip = 0x1001,
				   .cpumode = CPUMODE_USER,
				   .be = be,
				   .tid = 1,
				   .chain_nr = nr_chain,
				   .branch_nr = nr_calls } };
	t->evsel.attr.branch_sample_type = BRANCH_CALL_STACK;
	t->s.chain = t->chain;
	t->s.branches = t->branches;
	for (size_t i = 0; i < nr_chain; i++)
		put64(t->chain + 8 * i, chain[i], be);
	for (size_t i = 0; i < nr_calls; i++) {
		put64(t->branches + 24 * i, calls[i] >> 8, be);
		put64(t->branches + 24 * i + 8, calls[i] & 0xff, be);
	}
}
#define LIST(...) (const uint64_t[]){ __VA_ARGS__ }, sizeof((const uint64_t[]){ __VA_ARGS__ }) / 8

/* Frames of user code, but for the first NR_KERNEL; none is behind a call. */
static void assert_frames(const struct stack *st, size_t nr_kernel, const uint64_t *want, size_t n)
{
	ck_assert_uint_eq(st->n, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(st->frames[i].addr, want[i]);
		ck_assert_int_eq(st->frames[i].cpumode,
				 i < nr_kernel ? CPUMODE_KERNEL : CPUMODE_USER);
		if (i >= nr_kernel)
			ck_assert(!st->frames[i].is_return);
	}
}

START_TEST(user_code)
{
	for (int be = 0; be < 2; be++) {
		struct stack st = { 0 };
		struct test t;

		begin(&t, be, LIST(CONTEXT_USER, 0x1001, 0x666), LIST(0x201110, 0x301120));
		ck_assert(sample_has_call_stack(&t.s, &t.evsel));
		stack_from_lbr(&t.s, &st);
		assert_frames(&st, 0, LIST(0x1001, 0x2011, 0x3011));
		ck_assert_uint_eq(st.flags, 0);
		stack_release(&st);
	}
}
END_TEST

START_TEST(kernel_code)
{
	struct stack st = { 0 };
	struct test t;

	begin(&t, false,
	      LIST(CONTEXT_KERNEL, 0xffffffff81000001, 0xffffffff81000002, CONTEXT_USER, 0x1001,
		   0x666),
	      LIST(0x201110));
	t.s.cpumode = CPUMODE_KERNEL;
	stack_from_lbr(&t.s, &st);
	assert_frames(&st, 2, LIST(0xffffffff81000001, 0xffffffff81000002, 0x1001, 0x2011));

	/* no user frame was recorded: where the newest call went to */
	begin(&t, false, LIST(CONTEXT_KERNEL, 0xffffffff81000001), LIST(0x201110, 0x301120));
	t.s.cpumode = CPUMODE_KERNEL;
	stack_from_lbr(&t.s, &st);
	assert_frames(&st, 1, LIST(0xffffffff81000001, 0x10, 0x2011, 0x3011));
	stack_release(&st);
}
END_TEST

START_TEST(odd_entries)
{
	struct stack st = { 0 };
	struct test t;

	begin(&t, false, LIST(CONTEXT_USER, 0x1001), LIST(0x201110, 0, 0x301120, 0x40));
	stack_from_lbr(&t.s, &st);
	assert_frames(&st, 0, LIST(0x1001, 0x2011, 0x3011));

	begin(&t, false, LIST(CONTEXT_USER, 0x1001), NULL, 0);
	ck_assert(!sample_has_call_stack(&t.s, &t.evsel));
	begin(&t, false, LIST(CONTEXT_USER, 0x1001), LIST(0x201110));
	t.evsel.attr.branch_sample_type = 0; /* branches of another kind */
	ck_assert(!sample_has_call_stack(&t.s, &t.evsel));

	begin(&t, false, NULL, 0, LIST(0x201110)); /* no chain: the sample's ip */
	stack_from_lbr(&t.s, &st);
	assert_frames(&st, 0, LIST(0x1001, 0x2011));
	stack_release(&st);
}
END_TEST

/* ---- stitching: a CPU with four registers, calls A to H ---- */

enum { A = 0xa00, B = 0xb00, C = 0xc00, D = 0xd00, E = 0xe00, F = 0xf00, G = 0x1100, H = 0x1200 };

struct seen {
	int32_t tid;
	uint64_t when;
	uint64_t hw_idx;
	uint64_t calls[4];
	uint64_t nr;
};

struct stitched {
	struct test tests[8];
	struct stitch stitch;
	size_t n;
};

static void add(struct stitched *sd, struct seen seen)
{
	struct test *t = &sd->tests[sd->n++];

	begin(t, false, LIST(CONTEXT_USER, 0x1001), seen.calls, seen.nr);
	t->s.tid = seen.tid;
	t->s.branch_has_hw_idx = true;
	t->s.branch_hw_idx = seen.hw_idx;
	stitch_add(&sd->stitch, &t->s, seen.when, 100 * sd->n);
}

/* What is known beyond the stack of the N-th sample, from 1. */
static void assert_outer(const struct stitched *sd, size_t n, const uint64_t *want, size_t nr)
{
	struct stack st = { 0 };

	stitch_complete(&sd->stitch, 100 * n, &st);
	ck_assert_int_eq(!!(st.flags & STACK_REPAIRED), nr > 0);
	ck_assert_uint_eq(st.n, nr);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(st.frames[i].addr, want[i] >> 8);
	stack_release(&st);
}

START_TEST(stitched)
{
	struct stitched sd = { 0 };

	add(&sd, (struct seen){ 1, 10, 3, { D, C, B, A }, 4 });
	/* E took A's register, F took B's */
	add(&sd, (struct seen){ 1, 20, 1, { F, E, D, C }, 4 });
	/* and again: what was known of it stays known */
	add(&sd, (struct seen){ 1, 30, 2, { G, F, E, D }, 4 });
	stitch_finish(&sd.stitch);
	assert_outer(&sd, 1, NULL, 0);
	assert_outer(&sd, 2, LIST(B, A));
	assert_outer(&sd, 3, LIST(C, B, A));
	ck_assert_uint_eq(sd.stitch.samples.n, 3);
	stitch_release(&sd.stitch);
}
END_TEST

/* Time decides which sample is the one before, and other threads don't count. */
START_TEST(order_and_threads)
{
	struct stitched sd = { 0 };

	add(&sd, (struct seen){ 1, 20, 1, { F, E, D, C }, 4 });
	add(&sd, (struct seen){ 2, 15, 0, { H, H, H, H }, 4 });
	add(&sd, (struct seen){ 1, 10, 3, { D, C, B, A }, 4 });
	add(&sd, (struct seen){ 3, 30, 2, { G, F, E, D }, 4 });
	stitch_finish(&sd.stitch);
	assert_outer(&sd, 1, LIST(B, A));
	assert_outer(&sd, 2, NULL, 0);
	assert_outer(&sd, 3, NULL, 0);
	assert_outer(&sd, 4, NULL, 0);
	stitch_release(&sd.stitch);
}
END_TEST

START_TEST(nothing_in_common)
{
	struct stitched sd = { 0 };

	add(&sd, (struct seen){ 1, 10, 3, { D, C, B, A }, 4 });
	add(&sd, (struct seen){ 1, 20, 1, { F, E, D, H }, 4 }); /* another call in C's register */
	add(&sd, (struct seen){ 1, 30, 3, { D, C, B, A }, 4 });
	add(&sd, (struct seen){ 1, 40, 2, { F, E, D, C }, 4 }); /* C in another register */
	add(&sd, (struct seen){ 1, 50, 0, { C }, 1 });
	add(&sd, (struct seen){ 1, 60, 1000, { F, E, D, C }, 4 }); /* no such register */
	add(&sd, (struct seen){ 1, 70, UINT64_MAX, { F, E, D, C }, 4 });
	stitch_finish(&sd.stitch);
	for (size_t i = 1; i <= 7; i++)
		assert_outer(&sd, i, NULL, 0);
	stitch_release(&sd.stitch);
}
END_TEST

/* Shorter than the registers: the base is in register 0, and nothing is beyond it. */
START_TEST(shallow)
{
	struct stitched sd = { 0 };

	add(&sd, (struct seen){ 1, 10, 3, { D, C, B, A }, 4 });
	add(&sd, (struct seen){ 1, 20, 1, { B, A }, 2 });
	add(&sd, (struct seen){ 1, 30, 2, { E, B, A }, 3 });
	stitch_finish(&sd.stitch);
	for (size_t i = 1; i <= 3; i++)
		assert_outer(&sd, i, NULL, 0);
	stitch_release(&sd.stitch);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lbr");
	TCase *tc = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, user_code);
	tcase_add_test(tc, kernel_code);
	tcase_add_test(tc, odd_entries);
	tcase_add_test(tc, stitched);
	tcase_add_test(tc, order_and_threads);
	tcase_add_test(tc, nothing_in_common);
	tcase_add_test(tc, shallow);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
