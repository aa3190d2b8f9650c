/* SPDX-License-Identifier: MIT */
/* DWARF expressions: from their bytes to their values, and what is refused. */
#include <check.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "stack/cfi.h"

enum { STEPS = 1000 };

/* Memory in which the word at A is A * 0x101, in steps of 16 bytes below 0x1000. */
static int read_memory(struct memory *m, uint64_t addr, unsigned size, uint64_t *out)
{
	(void)m;
	if (addr % 16 || addr >= 0x1000)
		return -1;
	*out = addr * 0x101;
	if (size < 8)
		*out &= ((uint64_t)1 << 8 * size) - 1;
	return 0;
}

struct outcome {
	bool decoded, known;
	uint64_t value;
	unsigned steps;
};

static struct outcome run(const struct arch *arch, bool start, const uint8_t *bytes, size_t size)
{
	const uint64_t cfa = 0x777;
	struct memory mem = { read_memory };
	struct arena arena = { 0 };
	struct regs regs = { .pc = 0x4321 };
	struct expr_context ctx = { arch, &regs, &mem, STEPS };
	struct outcome o = { 0 };
	const struct expr *e;

	regs_set(&regs, arch->sp, 0x100);
	regs_set(&regs, 3, 0xffffffffffff0000);
	e = expr_decode(bytes, size, arch->word, false, &arena);
	o.decoded = e != NULL;
	if (e)
		o.known = expr_eval(e, &ctx, start ? &cfa : NULL, &o.value);
	o.steps = ctx.steps;
	arena_release(&arena);
	return o;
}

#define BYTES(...)         (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define VALUE(want, ...)   assert_value(&arch_x86_64, want, BYTES(__VA_ARGS__))
#define VALUE32(want, ...) assert_value(&arch_i386, want, BYTES(__VA_ARGS__))
/* Decoded, but without a value. */
#define NO_VALUE(...)  assert_no_value(true, BYTES(__VA_ARGS__))
#define MALFORMED(...) assert_no_value(false, BYTES(__VA_ARGS__))

static void assert_value(const struct arch *arch, uint64_t want, const uint8_t *bytes, size_t n)
{
	struct outcome o = run(arch, false, bytes, n);

	ck_assert(o.decoded);
	ck_assert(o.known);
	ck_assert_uint_eq(o.value, want);
}

static void assert_no_value(bool decoded, const uint8_t *bytes, size_t n)
{
	struct outcome o = run(&arch_x86_64, false, bytes, n);

	ck_assert_int_eq(o.decoded, decoded);
	ck_assert(!o.known);
}

START_TEST(constants)
{
	VALUE(0, DW_OP_lit0);
	VALUE(31, DW_OP_lit31);
	VALUE(0x200, DW_OP_const1u, 0, DW_OP_drop, DW_OP_const2u, 0, 2);
	VALUE((uint64_t)-2, DW_OP_const1s, 0xfe);
	VALUE(0xfe, DW_OP_const1u, 0xfe);
	VALUE((uint64_t)-2, DW_OP_const2s, 0xfe, 0xff);
	VALUE(0x80000001, DW_OP_const4u, 1, 0, 0, 0x80);
	VALUE(0xffffffff80000001, DW_OP_const4s, 1, 0, 0, 0x80);
	VALUE(0x8877665544332211, DW_OP_const8u, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
	VALUE(624485, DW_OP_constu, 0xe5, 0x8e, 0x26);
	VALUE((uint64_t)-123456, DW_OP_consts, 0xc0, 0xbb, 0x78);
	VALUE(0x8877665544332211, DW_OP_addr, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88);
	VALUE32(0x44332211, DW_OP_addr, 0x11, 0x22, 0x33, 0x44);
	VALUE32(0xfffffffe, DW_OP_const1s, 0xfe);
}
END_TEST

START_TEST(registers_and_memory)
{
	VALUE(0x100, DW_OP_breg7, 0);
	VALUE(0xf8, DW_OP_breg7, 0x78); /* - 8 */
	VALUE(0x4325, DW_OP_breg16, 4); /* the pc */
	VALUE(0xfffffffffffdffff, DW_OP_bregx, 3, 0xff, 0xff, 0x7b);
	NO_VALUE(DW_OP_breg1, 0);
	NO_VALUE(DW_OP_bregx, 200, 1, 0);
	VALUE(0x100 * 0x101, DW_OP_breg7, 0, DW_OP_deref);
	VALUE(0x100, DW_OP_breg7, 0, DW_OP_deref_size, 2);
	NO_VALUE(DW_OP_lit8, DW_OP_deref);
	NO_VALUE(DW_OP_lit0, DW_OP_deref_size, 9);
	VALUE32(0x100 * 0x101, DW_OP_breg4, 0, DW_OP_deref);
	VALUE32(0xffff0000, DW_OP_breg3, 0);
}
END_TEST

START_TEST(arithmetic)
{
	VALUE(7, DW_OP_lit3, DW_OP_lit4, DW_OP_plus);
	VALUE((uint64_t)-1, DW_OP_lit3, DW_OP_lit4, DW_OP_minus);
	VALUE(12, DW_OP_lit3, DW_OP_lit4, DW_OP_mul);
	VALUE(303, DW_OP_lit3, DW_OP_plus_uconst, 0xac, 2);
	VALUE((uint64_t)-3, DW_OP_lit7, DW_OP_neg, DW_OP_lit2, DW_OP_div);
	VALUE(1, DW_OP_lit7, DW_OP_lit2, DW_OP_mod);
	VALUE(6, DW_OP_lit7, DW_OP_lit14, DW_OP_and);
	VALUE(15, DW_OP_lit7, DW_OP_lit14, DW_OP_or);
	VALUE(9, DW_OP_lit7, DW_OP_lit14, DW_OP_xor);
	VALUE(~(uint64_t)5, DW_OP_lit5, DW_OP_not);
	VALUE(5, DW_OP_lit5, DW_OP_neg, DW_OP_abs);
	VALUE(40, DW_OP_lit5, DW_OP_lit3, DW_OP_shl);
	VALUE(0, DW_OP_lit5, DW_OP_const1u, 64, DW_OP_shl);
	VALUE(UINT64_MAX >> 1, DW_OP_lit0, DW_OP_not, DW_OP_lit1, DW_OP_shr);
	VALUE(UINT64_MAX, DW_OP_lit0, DW_OP_not, DW_OP_const1u, 200, DW_OP_shra);
	VALUE32(0x7fffffff, DW_OP_lit0, DW_OP_not, DW_OP_lit1, DW_OP_shr);
	NO_VALUE(DW_OP_lit1, DW_OP_lit0, DW_OP_div);
	NO_VALUE(DW_OP_lit1, DW_OP_lit0, DW_OP_mod);
	NO_VALUE(DW_OP_lit1, DW_OP_const1u, 63, DW_OP_shl, DW_OP_lit1, DW_OP_neg, DW_OP_div);
}
END_TEST

/* Comparisons are of signed numbers. */
START_TEST(comparisons)
{
	static const struct {
		uint8_t op, less, equal, greater; /* -1 to 1, 1 to 1, 1 to -1 */
	} ops[] = {
		{ DW_OP_eq, 0, 1, 0 }, { DW_OP_ne, 1, 0, 1 }, { DW_OP_lt, 1, 0, 0 },
		{ DW_OP_le, 1, 1, 0 }, { DW_OP_gt, 0, 0, 1 }, { DW_OP_ge, 0, 1, 1 },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		VALUE(ops[i].less, DW_OP_const1s, 0xff, DW_OP_lit1, ops[i].op);
		VALUE(ops[i].equal, DW_OP_lit1, DW_OP_lit1, ops[i].op);
		VALUE(ops[i].greater, DW_OP_lit1, DW_OP_const1s, 0xff, ops[i].op);
		VALUE32(ops[i].less, DW_OP_const1s, 0xff, DW_OP_lit1, ops[i].op);
	}
}
END_TEST

START_TEST(stack)
{
	VALUE(6, DW_OP_lit3, DW_OP_dup, DW_OP_plus);
	VALUE(1, DW_OP_lit1, DW_OP_lit2, DW_OP_drop);
	VALUE(1, DW_OP_lit1, DW_OP_lit2, DW_OP_over);
	VALUE(1, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_pick, 2);
	VALUE(1, DW_OP_lit1, DW_OP_lit2, DW_OP_swap);
	/* the top becomes third: 1 2 3 -> 3 1 2 */
	VALUE(2, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot);
	VALUE(1, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop);
	VALUE(3, DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop, DW_OP_drop);
	VALUE(5, DW_OP_nop, DW_OP_lit5, DW_OP_nop);
	NO_VALUE(DW_OP_drop, DW_OP_lit1);
	NO_VALUE(DW_OP_lit1, DW_OP_pick, 1);
	NO_VALUE(DW_OP_lit1, DW_OP_plus);
	NO_VALUE(DW_OP_nop);
	/* 64 values have room: 1, and 63 branches back through dup; 1,000 steps end it anyway */
	NO_VALUE(DW_OP_lit1, DW_OP_dup, DW_OP_skip, 0xfc, 0xff);
}
END_TEST

START_TEST(branches)
{
	/* 3 + 2 + 1: a loop */
	VALUE(6, DW_OP_lit0, DW_OP_lit3, DW_OP_swap, DW_OP_over, DW_OP_plus, DW_OP_swap, DW_OP_lit1,
	      DW_OP_minus, DW_OP_dup, DW_OP_bra, 0xf6, 0xff, DW_OP_drop);
	VALUE(1, DW_OP_lit1, DW_OP_skip, 1, 0, DW_OP_lit2);
	VALUE(9, DW_OP_lit9, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_nop);
	MALFORMED(DW_OP_lit1, DW_OP_skip, 2, 0, DW_OP_lit2); /* beyond the end */
	MALFORMED(DW_OP_const1u, 1, DW_OP_skip, 0xfc, 0xff); /* into an operand */
	MALFORMED(DW_OP_skip, 0xfc, 0xff); /* before the beginning */
}
END_TEST

START_TEST(budget)
{
	static const uint8_t loop[] = { DW_OP_skip, 0xfd, 0xff };
	struct outcome o = run(&arch_x86_64, false, loop, sizeof(loop));

	ck_assert(o.decoded);
	ck_assert(!o.known);
	ck_assert_uint_eq(o.steps, 0);
	o = run(&arch_x86_64, false, BYTES(DW_OP_lit1, DW_OP_lit2, DW_OP_plus));
	ck_assert_uint_eq(o.steps, STEPS - 3);
}
END_TEST

/* Rules of registers begin with the CFA on the stack. */
START_TEST(start)
{
	struct outcome o = run(&arch_x86_64, true, BYTES(DW_OP_lit1, DW_OP_plus));

	ck_assert(o.known);
	ck_assert_uint_eq(o.value, 0x778);
}
END_TEST

START_TEST(malformed)
{
	uint8_t many[257];

	memset(many, DW_OP_nop, sizeof(many));
	many[0] = DW_OP_lit4;
	ck_assert(run(&arch_x86_64, false, many, 256).known);
	ck_assert(!run(&arch_x86_64, false, many, 257).decoded);
	ck_assert(!run(&arch_x86_64, false, many, 0).decoded);
	MALFORMED(DW_OP_const2u, 1);
	MALFORMED(DW_OP_constu, 0x80);
	MALFORMED(DW_OP_bregx, 1);
	MALFORMED(DW_OP_reg0);
	MALFORMED(DW_OP_call_frame_cfa);
	MALFORMED(DW_OP_piece, 1);
	MALFORMED(0xff);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("expr");
	TCase *tc = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, constants);
	tcase_add_test(tc, registers_and_memory);
	tcase_add_test(tc, arithmetic);
	tcase_add_test(tc, comparisons);
	tcase_add_test(tc, stack);
	tcase_add_test(tc, branches);
	tcase_add_test(tc, budget);
	tcase_add_test(tc, start);
	tcase_add_test(tc, malformed);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
