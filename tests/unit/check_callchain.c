/* SPDX-License-Identifier: MIT */
/* Stacks from recorded callchains, exact, in both byte orders. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/stack.h>

#define KERNEL 0xffffffff81000000u

static uint8_t bytes[1 << 16];

static void put(uint8_t *to, uint64_t v, bool be)
{
	for (int i = 0; i < 8; i++)
		to[be ? 7 - i : i] = (uint8_t)(v >> 8 * i);
}

static struct sample sample_of(const uint64_t *ips, size_t n, bool be)
{
	struct sample s = { .present = SAMPLE_IP | SAMPLE_CALLCHAIN,
			    .ip = 0x401000,
			    .cpumode = CPUMODE_USER,
			    .be = be,
			    .chain_nr = n,
			    .chain = bytes };

	for (size_t i = 0; i < n; i++)
		put(bytes + 8 * i, ips[i], be);
	return s;
}

struct want {
	uint64_t addr;
	enum cpumode mode;
	bool is_return;
};

static void check_frames(const struct stack *st, const struct want *w, size_t n, unsigned flags)
{
	ck_assert_uint_eq(st->n, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(st->frames[i].addr, w[i].addr);
		ck_assert_int_eq(st->frames[i].cpumode, (int)w[i].mode);
		ck_assert_int_eq(st->frames[i].is_return, w[i].is_return);
	}
	ck_assert_uint_eq(st->flags, flags);
}

#define CHAIN(...) ((uint64_t[]){ __VA_ARGS__ })
#define WANT(...)                         \
	((struct want[]){ __VA_ARGS__ }), \
		sizeof((struct want[]){ __VA_ARGS__ }) / sizeof(struct want)

static void from(const uint64_t *ips, size_t n, const struct want *w, size_t nr_want,
		 unsigned flags)
{
	struct stack st = { 0 };

	for (int be = 0; be < 2; be++) {
		struct sample s = sample_of(ips, n, be);

		stack_from_callchain(&s, NULL, &st);
		check_frames(&st, w, nr_want, flags);
	}
	stack_release(&st);
}

static void compat(const uint64_t *ips, size_t n, const struct want *w, size_t nr_want,
		   unsigned flags)
{
	struct stack st = { 0 };
	struct sample s = sample_of(ips, n, false);

	stack_from_callchain_compat(&s, NULL, &st);
	check_frames(&st, w, nr_want, flags);
	stack_release(&st);
}

START_TEST(kernel_and_user)
{
	from(CHAIN(CONTEXT_KERNEL, KERNEL + 1, KERNEL + 2, CONTEXT_USER, 0x401000, 0x402000), 6,
	     WANT({ KERNEL + 1, CPUMODE_KERNEL, false }, { KERNEL + 2, CPUMODE_KERNEL, true },
		  { 0x401000, CPUMODE_USER, false }, { 0x402000, CPUMODE_USER, true }),
	     0);
}
END_TEST

START_TEST(every_marker)
{
	from(CHAIN(CONTEXT_HV, 1, 2, CONTEXT_GUEST_KERNEL, 3, 4, CONTEXT_GUEST_USER, 5, 6,
		   CONTEXT_GUEST, 7, 8, CONTEXT_USER, 9),
	     14,
	     WANT({ 1, CPUMODE_HYPERVISOR, false }, { 2, CPUMODE_HYPERVISOR, true },
		  { 3, CPUMODE_GUEST_KERNEL, false }, { 4, CPUMODE_GUEST_KERNEL, true },
		  { 5, CPUMODE_GUEST_USER, false }, { 6, CPUMODE_GUEST_USER, true },
		  { 7, CPUMODE_GUEST_KERNEL, false }, { 8, CPUMODE_GUEST_KERNEL, true },
		  { 9, CPUMODE_USER, false }),
	     0);
}
END_TEST

START_TEST(perf_drops_guests)
{
	compat(CHAIN(CONTEXT_GUEST, 0x401000), 2, NULL, 0, STACK_GARBAGE);
	compat(CHAIN(CONTEXT_KERNEL, KERNEL, CONTEXT_GUEST_USER, 5), 4, NULL, 0, STACK_GARBAGE);
	compat(CHAIN(CONTEXT_HV, 1, CONTEXT_KERNEL, 2), 4,
	       WANT({ 1, CPUMODE_HYPERVISOR, false }, { 2, CPUMODE_KERNEL, false }), 0);
}
END_TEST

/* Without a marker the mode is the sample's; perf takes such entries for user's. */
START_TEST(no_marker)
{
	struct stack st = { 0 };
	struct sample s = sample_of(CHAIN(KERNEL + 1, KERNEL + 2), 2, false);

	s.cpumode = CPUMODE_KERNEL;
	stack_from_callchain(&s, NULL, &st);
	check_frames(&st,
		     WANT({ KERNEL + 1, CPUMODE_KERNEL, false },
			  { KERNEL + 2, CPUMODE_KERNEL, true }),
		     0);
	stack_from_callchain_compat(&s, NULL, &st);
	check_frames(&st,
		     WANT({ KERNEL + 1, CPUMODE_USER, false }, { KERNEL + 2, CPUMODE_USER, true }),
		     0);
	stack_release(&st);
}
END_TEST

START_TEST(zeros)
{
	/* at the root, in the middle, as the leaf of a part */
	from(CHAIN(CONTEXT_USER, 0x401000, 0, 0x402000, 0), 5,
	     WANT({ 0x401000, CPUMODE_USER, false }, { 0x402000, CPUMODE_USER, true }), 0);
	from(CHAIN(CONTEXT_USER, 0, 0x402000), 3, WANT({ 0x402000, CPUMODE_USER, true }), 0);
	compat(CHAIN(CONTEXT_USER, 0x401000, 0, 0x402000, 0), 5,
	       WANT({ 0x401000, CPUMODE_USER, false }, { 0, CPUMODE_USER, true },
		    { 0x402000, CPUMODE_USER, true }, { 0, CPUMODE_USER, true }),
	       0);
}
END_TEST

START_TEST(garbage)
{
	static const uint64_t odd[] = { (uint64_t)-1, (uint64_t)-3, CONTEXT_MAX, CONTEXT_USER + 1,
					CONTEXT_GUEST - 1 };

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		from(CHAIN(CONTEXT_USER, 0x401000, odd[i], 0x402000), 4,
		     WANT({ 0x401000, CPUMODE_USER, false }), STACK_GARBAGE);
		compat(CHAIN(CONTEXT_USER, 0x401000, odd[i], 0x402000), 4, NULL, 0, STACK_GARBAGE);
	}
	/* nothing before it: the sample's ip is left */
	from(CHAIN(CONTEXT_USER, (uint64_t)-1, 0x402000), 3,
	     WANT({ 0x401000, CPUMODE_USER, false }), STACK_GARBAGE);
	/* the value below the range is an address */
	from(CHAIN(CONTEXT_KERNEL, CONTEXT_MAX - 1), 2,
	     WANT({ CONTEXT_MAX - 1, CPUMODE_KERNEL, false }), 0);
}
END_TEST

START_TEST(empty)
{
	from(CHAIN(0), 0, WANT({ 0x401000, CPUMODE_USER, false }), 0);
	from(CHAIN(CONTEXT_KERNEL, CONTEXT_USER), 2, WANT({ 0x401000, CPUMODE_USER, false }), 0);
	from(CHAIN(CONTEXT_USER, 0, 0), 3, WANT({ 0x401000, CPUMODE_USER, false }), 0);
	compat(CHAIN(0), 0, NULL, 0, 0);
	compat(CHAIN(CONTEXT_USER), 1, NULL, 0, 0);
}
END_TEST

START_TEST(absent)
{
	struct stack st = { 0 };
	struct sample s = { .present = SAMPLE_IP, .ip = KERNEL, .cpumode = CPUMODE_KERNEL };

	stack_from_callchain(&s, NULL, &st);
	check_frames(&st, WANT({ KERNEL, CPUMODE_KERNEL, false }), STACK_NO_CHAIN);
	stack_from_callchain_compat(&s, NULL, &st);
	check_frames(&st, NULL, 0, STACK_NO_CHAIN);
	stack_release(&st);
}
END_TEST

/* The stack is emptied before it is used again, flags too. */
START_TEST(used_again)
{
	struct stack st = { 0 };
	struct sample s = sample_of(CHAIN(CONTEXT_USER, 1, 2, (uint64_t)-1), 4, false);

	s.stack_size = 8192;
	s.user_abi = 2;
	stack_from_callchain(&s, NULL, &st);
	check_frames(&st, WANT({ 1, CPUMODE_USER, false }, { 2, CPUMODE_USER, true }),
		     STACK_GARBAGE | STACK_NOT_UNWOUND);
	s = sample_of(CHAIN(CONTEXT_USER, 3), 2, false);
	stack_from_callchain(&s, NULL, &st);
	check_frames(&st, WANT({ 3, CPUMODE_USER, false }), 0);
	stack_release(&st);
}
END_TEST

START_TEST(deferred)
{
	uint64_t chain[] = { CONTEXT_KERNEL, KERNEL, CONTEXT_USER_DEFERRED, 0xfffffffffffffff0u };
	uint8_t later[24];
	struct deferred_chain d = { .ips = later, .nr = 3 };
	struct stack st = { 0 };
	uint64_t cookie = 1;

	for (int be = 0; be < 2; be++) {
		struct sample s = sample_of(chain, 4, be);

		ck_assert(sample_deferred_cookie(&s, &cookie));
		ck_assert_uint_eq(cookie, 0xfffffffffffffff0u);
		stack_from_callchain(&s, NULL, &st);
		check_frames(&st, WANT({ KERNEL, CPUMODE_KERNEL, false }), STACK_DEFERRED);
		d.be = be;
		put(later, 0x1000, be);
		put(later + 8, 0x2000, be);
		put(later + 16, (uint64_t)-5, be);
		d.nr = 2;
		stack_from_callchain(&s, &d, &st);
		check_frames(&st,
			     WANT({ KERNEL, CPUMODE_KERNEL, false },
				  { 0x1000, CPUMODE_USER, false }, { 0x2000, CPUMODE_USER, true }),
			     0);
		d.nr = 3;
		stack_from_callchain(&s, &d, &st);
		check_frames(&st,
			     WANT({ KERNEL, CPUMODE_KERNEL, false },
				  { 0x1000, CPUMODE_USER, false }, { 0x2000, CPUMODE_USER, true }),
			     STACK_GARBAGE);
	}
	stack_release(&st);
}
END_TEST

START_TEST(no_cookie)
{
	uint64_t cookie;
	struct sample s = sample_of(CHAIN(CONTEXT_KERNEL, KERNEL), 2, false);

	ck_assert(!sample_deferred_cookie(&s, &cookie));
	s = sample_of(CHAIN(CONTEXT_USER_DEFERRED), 1, false);
	ck_assert(!sample_deferred_cookie(&s, &cookie));
	s = (struct sample){ .present = SAMPLE_IP };
	ck_assert(!sample_deferred_cookie(&s, &cookie));
}
END_TEST

START_TEST(long_chain)
{
	uint64_t ips[5000] = { CONTEXT_USER };
	struct sample s;
	struct stack st = { 0 };

	for (size_t i = 1; i < 5000; i++)
		ips[i] = 0x400000 + i;
	s = sample_of(ips, 5000, false);
	stack_from_callchain(&s, NULL, &st);
	ck_assert_uint_eq(st.n, 4999);
	ck_assert_uint_eq(st.frames[0].addr, 0x400001);
	ck_assert_uint_eq(st.frames[4998].addr, 0x400000 + 4999);
	ck_assert(!st.frames[0].is_return && st.frames[1].is_return);
	ck_assert_uint_eq(st.flags, 0);
	stack_release(&st);
}
END_TEST

START_TEST(lookup)
{
	ck_assert_uint_eq(
		frame_addr_lookup((struct frame_addr){ 0x1000, CPUMODE_USER, false, false }),
		0x1000);
	ck_assert_uint_eq(
		frame_addr_lookup((struct frame_addr){ 0x1000, CPUMODE_USER, true, false }), 0xfff);
	ck_assert_uint_eq(frame_addr_lookup((struct frame_addr){ 0, CPUMODE_USER, true, false }),
			  0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("callchain");
	TCase *tc = tcase_create("callchain");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, kernel_and_user);
	tcase_add_test(tc, every_marker);
	tcase_add_test(tc, perf_drops_guests);
	tcase_add_test(tc, no_marker);
	tcase_add_test(tc, zeros);
	tcase_add_test(tc, garbage);
	tcase_add_test(tc, empty);
	tcase_add_test(tc, absent);
	tcase_add_test(tc, used_again);
	tcase_add_test(tc, deferred);
	tcase_add_test(tc, no_cookie);
	tcase_add_test(tc, long_chain);
	tcase_add_test(tc, lookup);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
