/* SPDX-License-Identifier: MIT */
/*
 * Unwinding by rules that are written out here: what each kind of rule does, and how each end is
 * told.  Two functions: `first` at 0x11000 and `second` at 0x11040, 64 bytes each.
 */
#include <check.h>
#include <stdlib.h>

#include "any_cfi.h"
#include "any_stack.h"

enum {
	FIRST = ANY_ELF_BASE + ANY_ELF_CODE,
	SECOND = FIRST + 64,
	GAP = SECOND + 64, /* 16 bytes that are no function's */
	THIRD = GAP + 16,
	SIZE = 64,
	CODE = 3 * 64 + 16,
	MAPPED = 0x3000,
	SP = 0x7000, /* where the stacks begin */
};

/* perf's numbers */
enum { AX, BX, CX, DX, SI, DI, BP, X86_SP, IP, R12 = 20, R13, R14, R15, X86_REGS };

/* Whatever is not set is a value that nobody should need. */
struct test {
	struct any_cfi cfi;
	uint8_t code[CODE];
	uint64_t regs[33], stack[64];
	size_t words; /* of the stack */
	bool starts; /* the name of `second` is _start */
	bool go; /* it is the switch to a thread's own stack */
	struct stack st;
	struct unwind_info info;
};

static void begin(struct test *t, uint16_t machine)
{
	*t = (struct test){ .cfi.machine = machine };
	for (int i = 0; i < 33; i++)
		t->regs[i] = 0xdead0000 + (unsigned)i;
	memset(t->code, 0x90, sizeof(t->code));
}

/* x86-64: CFA = rsp + 8, the return address below it; three functions that change nothing. */
static void begin_plain(struct test *t, const uint8_t *ops, size_t n)
{
	begin(t, EM_X86_64);
	any_cfi_cie(&t->cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	any_cfi_fde(&t->cfi, FIRST, SIZE, ops, n);
	any_cfi_fde(&t->cfi, SECOND, SIZE, ANY_CFI_NONE);
	any_cfi_fde(&t->cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 16));
	t->regs[IP] = FIRST + 20;
	t->regs[X86_SP] = SP;
}

static void put_stack(struct test *t, const uint64_t *words, size_t n)
{
	memcpy(t->stack, words, n * sizeof(*words));
	t->words = n;
}
#define STACK(t, ...) \
	put_stack(t, (uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)

/* SHORT: the dump has less than was reserved, since the stack ended. */
static void run_dump(struct test *t, uint64_t abi, bool short_dump)
{
	const struct any_elf elf = { .machine = t->cfi.machine,
				     .debug_frame = t->cfi.debug_frame,
				     .cfi = t->cfi.v,
				     .cfi_size = t->cfi.n,
				     .code = t->code,
				     .code_size = CODE,
				     .second = 64,
				     .second_starts = t->starts,
				     .go = t->go };
	const uint64_t size = 8 * t->words;
	struct any_stack as;

	any_stack_init(&as, &elf, MAPPED);
	t->st.n = 0;
	t->st.flags = 0;
	any_stack_run(&as, abi, t->regs, 33, t->stack, size, size + short_dump, &t->st, &t->info);
	any_stack_release(&as);
	ck_assert_uint_eq(t->st.n, t->info.n);
	if (t->st.n)
		ck_assert_int_eq(!(t->st.flags & STACK_TRUNCATED), t->info.end == UNWIND_WHOLE);
	for (size_t i = 0; i < t->st.n; i++)
		ck_assert_int_eq(t->st.frames[i].cpumode, CPUMODE_USER);
}

static void run(struct test *t)
{
	run_dump(t, 2, true);
}

static void finish(struct test *t)
{
	stack_release(&t->st);
	unwind_info_release(&t->info);
}

/* The frames: every one but the first is a return address, unless it is negated. */
static void assert_frames(const struct test *t, enum unwind_end end, const int64_t *pcs, size_t n)
{
	ck_assert_str_eq(unwind_end_text(t->info.end), unwind_end_text(end));
	ck_assert_uint_eq(t->st.n, n);
	for (size_t i = 0; i < n; i++) {
		ck_assert_uint_eq(t->st.frames[i].addr, (uint64_t)llabs(pcs[i]));
		ck_assert_int_eq(t->st.frames[i].is_return, i > 0 && pcs[i] > 0);
	}
}
#define FRAMES(t, end, ...)                                     \
	assert_frames(t, end, (const int64_t[]){ __VA_ARGS__ }, \
		      sizeof((const int64_t[]){ __VA_ARGS__ }) / 8)

/* Where each return address lay, and that frames of one function have one identity. */
START_TEST(slots_and_functions)
{
	struct test t;

	begin_plain(&t, ANY_CFI_NONE);
	STACK(&t, SECOND + 5, SECOND + 30, THIRD + 1);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, SECOND + 5, SECOND + 30, THIRD + 1);
	ck_assert_uint_eq(t.info.sp, SP);
	ck_assert_uint_eq(t.info.frames[0].slot, SP);
	ck_assert_uint_eq(t.info.frames[1].slot, SP + 8);
	ck_assert_uint_eq(t.info.frames[2].slot, SP + 16);
	ck_assert_uint_eq(t.info.frames[3].slot, 0);
	ck_assert_uint_ne(t.info.frames[0].func, 0);
	ck_assert_uint_ne(t.info.frames[0].func, t.info.frames[1].func);
	ck_assert_uint_eq(t.info.frames[1].func, t.info.frames[2].func);
	/* the symbol of `second` goes on to the end, but this is another function's CFI */
	ck_assert_uint_ne(t.info.frames[3].func, 0);
	ck_assert_uint_ne(t.info.frames[3].func, t.info.frames[2].func);
	finish(&t);
}
END_TEST

/* rbx is saved by `first`, which has pushed three words, and is the CFA's register in `second`. */
START_TEST(saved_registers)
{
	struct test t;

	begin(&t, EM_X86_64);
	any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	any_cfi_fde(&t.cfi, FIRST, SIZE,
		    ANY_CFI(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 32, DW_CFA_offset | 3, 4,
			    DW_CFA_offset | 12, 3));
	any_cfi_fde(&t.cfi, SECOND, SIZE, ANY_CFI(DW_CFA_def_cfa, 3, 16));
	any_cfi_fde(&t.cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 16));
	t.regs[X86_SP] = SP;
	t.regs[IP] = FIRST + 4;
	STACK(&t, SP + 40, 12, 0, SECOND + 3, 0, 0, THIRD + 9);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 4, SECOND + 3, THIRD + 9);
	ck_assert_uint_eq(t.info.frames[1].slot, SP + 48);

	/* one byte before: not pushed yet */
	t.regs[IP] = FIRST + 3;
	t.regs[BX] = SP + 16;
	STACK(&t, SECOND + 3, 0, 0, THIRD + 9);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 3, SECOND + 3, THIRD + 9);
	finish(&t);
}
END_TEST

/* A slot below the stack pointer is not in the dump: the register has been restored from it. */
START_TEST(restored_registers)
{
	struct test t;

	begin(&t, EM_X86_64);
	any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	any_cfi_fde(&t.cfi, FIRST, SIZE, ANY_CFI(DW_CFA_offset | 6, 2));
	any_cfi_fde(&t.cfi, SECOND, SIZE, ANY_CFI(DW_CFA_def_cfa, 6, 16));
	any_cfi_fde(&t.cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 16));
	t.regs[X86_SP] = SP;
	t.regs[BP] = SP + 8;
	t.regs[IP] = FIRST;
	STACK(&t, SECOND + 3, 0, THIRD + 9);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST, SECOND + 3, THIRD + 9);
	finish(&t);
}
END_TEST

/* A call that is the last instruction of `first` returns to `second`, and is of `first`. */
START_TEST(call_before_lookup)
{
	struct test t;

	begin_plain(&t, ANY_CFI(DW_CFA_undefined, 16));
	t.regs[IP] = SECOND;
	STACK(&t, SECOND);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, SECOND, SECOND);
	finish(&t);
}
END_TEST

/* A return address that no call pushed: no function lies before it. */
START_TEST(made_up_return_address)
{
	struct test t;

	begin_plain(&t, ANY_CFI_NONE);
	STACK(&t, THIRD);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, -THIRD);
	finish(&t);
}
END_TEST

START_TEST(ends)
{
	struct test t;

	begin_plain(&t, ANY_CFI_NONE);
	STACK(&t, SECOND + 5, 0);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, SECOND + 5); /* to 0 */

	STACK(&t, SECOND + 5, 0x900000);
	run(&t);
	FRAMES(&t, UNWIND_NO_MAP, FIRST + 20, SECOND + 5);

	STACK(&t, SECOND + 5);
	run_dump(&t, 2, false);
	FRAMES(&t, UNWIND_DUMP_END, FIRST + 20, SECOND + 5);
	ck_assert_uint_eq(t.info.missing, SP + 8);
	ck_assert_uint_eq(t.info.frames[1].slot, SP + 8); /* for the repair */

	/* the stack itself ended there */
	run_dump(&t, 2, true);
	FRAMES(&t, UNWIND_NO_MEMORY, FIRST + 20, SECOND + 5);
	ck_assert_uint_eq(t.info.missing, 0);

	STACK(&t, GAP + 5);
	run(&t);
	FRAMES(&t, UNWIND_NO_CFI, FIRST + 20, GAP + 5);
	finish(&t);
}
END_TEST

/* All-ones stands for a register that was not known to the kernel. */
/* An expression that is cut off: nothing is known, least of all that the stack is whole. */
START_TEST(malformed_rule)
{
	struct test t;

	begin_plain(&t, ANY_CFI(DW_CFA_expression, 16, 3, DW_OP_breg3, 32));
	STACK(&t, SECOND + 5);
	run(&t);
	FRAMES(&t, UNWIND_NO_CFI, FIRST + 20);
	finish(&t);
}
END_TEST

START_TEST(unknown_register)
{
	struct test t;

	begin_plain(&t, ANY_CFI(DW_CFA_def_cfa, 3, 8));
	t.regs[BX] = UINT64_MAX;
	STACK(&t, SECOND + 5);
	run(&t);
	FRAMES(&t, UNWIND_NO_REGISTER, FIRST + 20);

	t.regs[BX] = SP;
	STACK(&t, SECOND + 5, THIRD + 5);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, SECOND + 5, THIRD + 5);
	finish(&t);
}
END_TEST

START_TEST(no_progress)
{
	struct test t;

	/* r12 holds the same CFA for ever */
	begin_plain(&t, ANY_CFI(DW_CFA_def_cfa, 12, 8));
	t.regs[R12] = SP;
	STACK(&t, FIRST + 5);
	run(&t);
	FRAMES(&t, UNWIND_NO_PROGRESS, FIRST + 20, FIRST + 5);
	finish(&t);
}
END_TEST

START_TEST(too_deep)
{
	struct test t;

	/* each frame one byte: four equal return addresses overlap */
	begin_plain(&t, ANY_CFI(DW_CFA_def_cfa_offset, 1, DW_CFA_val_expression, 16, 5,
				DW_OP_const4u, FIRST & 0xff, FIRST >> 8 & 0xff, FIRST >> 16, 0));
	t.regs[IP] = FIRST + 1;
	STACK(&t, 0);
	run(&t);
	/* FIRST - 1 is in no function, and `first` begins behind it: not a return address */
	ck_assert_int_eq(t.info.end, UNWIND_TOO_DEEP);
	ck_assert_uint_eq(t.st.n, 8192);
	ck_assert_uint_eq(t.st.frames[8191].addr, FIRST);
	finish(&t);
}
END_TEST

/* Loops in expressions, and programs longer than any compiler's, cost no more than a budget. */
START_TEST(bounded)
{
	static const uint8_t nops[1 << 16]; /* DW_CFA_nop is 0 */
	struct test t;

	begin_plain(&t, ANY_CFI(DW_CFA_def_cfa_expression, 3, DW_OP_skip, 0xfd, 0xff));
	STACK(&t, SECOND + 5);
	run(&t);
	FRAMES(&t, UNWIND_NO_REGISTER, FIRST + 20);
	finish(&t);

	/* counts from 10,000 down to 0, then rsp + 8: the budget is for all frames of a sample */
	begin_plain(&t, ANY_CFI(DW_CFA_def_cfa_expression, 12, DW_OP_const2u, 0x10, 0x27,
				DW_OP_lit1, DW_OP_minus, DW_OP_dup, DW_OP_bra, 0xfa, 0xff,
				DW_OP_breg7, 8, DW_OP_plus));
	STACK(&t, FIRST + 5, FIRST + 6, FIRST + 7);
	run(&t);
	FRAMES(&t, UNWIND_NO_REGISTER, FIRST + 20, FIRST + 5);
	run(&t); /* the next one has its own */
	FRAMES(&t, UNWIND_NO_REGISTER, FIRST + 20, FIRST + 5);
	finish(&t);

	begin_plain(&t, nops, sizeof(nops) - 1000);
	STACK(&t, SECOND + 5, THIRD + 5);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, SECOND + 5, THIRD + 5);
	finish(&t);

	begin_plain(&t, nops, sizeof(nops));
	STACK(&t, SECOND + 5, THIRD + 5);
	run(&t);
	FRAMES(&t, UNWIND_NO_CFI, FIRST + 20);
	finish(&t);
}
END_TEST

/* What GNU ld writes for the procedure linkage table: 11 bytes into an entry it has pushed. */
START_TEST(expression_of_the_plt)
{
	struct test t;

	begin_plain(&t, ANY_CFI(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0,
				DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
				DW_OP_shl, DW_OP_plus));
	t.regs[IP] = FIRST + 16 + 10;
	STACK(&t, SECOND + 5, THIRD + 1);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 26, SECOND + 5, THIRD + 1);

	t.regs[IP] = FIRST + 16 + 11;
	STACK(&t, 77, SECOND + 5, THIRD + 1);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 27, SECOND + 5, THIRD + 1);
	ck_assert_uint_eq(t.info.frames[0].slot, SP + 8);
	finish(&t);
}
END_TEST

/* Frames aligned by hand: the CFA is in memory, and so is where a register is. */
START_TEST(over_aligned_frame)
{
	struct test t;

	begin_plain(&t, ANY_CFI(DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref,
				DW_CFA_expression, 6, 2, DW_OP_breg6, 0));
	t.regs[BP] = SP + 16;
	/* rbp - 8 holds the CFA, rbp points to the caller's */
	STACK(&t, 1, SP + 40, 0x1234, 2, SECOND + 5, THIRD + 1);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, SECOND + 5, THIRD + 1);
	ck_assert_uint_eq(t.info.frames[0].slot, SP + 32);
	finish(&t);
}
END_TEST

/* A word that is read from the mapped file: code is read-only. */
START_TEST(memory_of_the_file)
{
	struct test t;

	begin_plain(&t, ANY_CFI(DW_CFA_expression, 16, 2, DW_OP_breg3, 32));
	memcpy(t.code + 32, (uint64_t[]){ THIRD + 7 }, 8);
	t.regs[BX] = FIRST;
	STACK(&t, 0);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, THIRD + 7);

	t.regs[BX] = FIRST + 0x100000;
	run(&t);
	FRAMES(&t, UNWIND_NO_MEMORY, FIRST + 20);
	finish(&t);
}
END_TEST

/*
 * A signal's frame: every register comes from it, the pc is no return address, and the stack
 * it interrupted may lie below.
 */
START_TEST(signal_frame)
{
	struct test t;

	begin(&t, EM_X86_64);
	any_cfi_cie(&t.cfi, "zRS",
		    ANY_CFI(DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8, DW_OP_deref,
			    DW_CFA_expression, 16, 2, DW_OP_breg7, 16, DW_CFA_expression, 0, 2,
			    DW_OP_breg7, 24));
	any_cfi_fde(&t.cfi, FIRST, SIZE, ANY_CFI_NONE);
	any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	/* the interrupted function finds its frame by rax, which no callee keeps */
	any_cfi_fde(&t.cfi, SECOND, SIZE, ANY_CFI(DW_CFA_def_cfa, 0, 8));
	any_cfi_fde(&t.cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 16));
	t.regs[X86_SP] = SP;
	t.regs[IP] = FIRST + 20;
	STACK(&t, 0, SP - 0x100, SECOND, SP + 32, THIRD + 1);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, -SECOND, THIRD + 1);
	finish(&t);
}
END_TEST

/*
 * A handler returns to the first byte of the trampoline, whose call frame information begins a
 * byte before: it is looked up where it is.
 */
START_TEST(trampoline)
{
	struct test t;

	begin(&t, EM_X86_64);
	any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	any_cfi_fde(&t.cfi, FIRST, SIZE - 1, ANY_CFI_NONE);
	any_cfi_fde(&t.cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 16));
	any_cfi_cie(&t.cfi, "zRS",
		    ANY_CFI(DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8, DW_OP_deref,
			    DW_CFA_expression, 16, 2, DW_OP_breg7, 16));
	any_cfi_fde(&t.cfi, SECOND - 1, SIZE, ANY_CFI_NONE);
	t.regs[X86_SP] = SP;
	t.regs[IP] = FIRST + 20;
	STACK(&t, SECOND, 0, SP + 0x100, THIRD + 1);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, -SECOND, -(THIRD + 1));
	ck_assert_uint_eq(t.info.frames[1].slot, SP + 24);
	finish(&t);
}
END_TEST

START_TEST(debug_frame)
{
	struct test t;

	begin(&t, EM_X86_64);
	t.cfi.debug_frame = true;
	any_cfi_cie(&t.cfi, "", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	any_cfi_fde(&t.cfi, FIRST, SIZE, ANY_CFI(DW_CFA_def_cfa_offset, 16));
	any_cfi_fde(&t.cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 16));
	t.regs[X86_SP] = SP;
	t.regs[IP] = FIRST + 20;
	STACK(&t, 0, THIRD + 9);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, THIRD + 9);
	finish(&t);
}
END_TEST

/* Words of four bytes, on a 64-bit kernel and on a 32-bit one. */
START_TEST(i386)
{
	for (int i = 0; i < 2; i++) {
		struct test t;

		begin(&t, EM_386);
		any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1));
		any_cfi_fde(&t.cfi, FIRST, SIZE,
			    ANY_CFI(DW_CFA_def_cfa_offset, 8, DW_CFA_offset | 5, 2));
		any_cfi_fde(&t.cfi, SECOND, SIZE, ANY_CFI(DW_CFA_def_cfa, 5, 8));
		any_cfi_fde(&t.cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 8));
		t.regs[X86_SP] = SP | (uint64_t)1 << 32;
		t.regs[IP] = FIRST + 20;
		STACK(&t, (uint64_t)(SECOND + 5) << 32 | (SP + 8), (uint64_t)(THIRD + 2) << 32);
		run_dump(&t, i ? 1 : 2, true);
		FRAMES(&t, UNWIND_WHOLE, FIRST + 20, SECOND + 5, THIRD + 2);
		ck_assert_uint_eq(t.info.frames[0].slot, SP + 4);
		ck_assert_uint_eq(t.info.frames[1].slot, SP + 12);
		finish(&t);
	}
}
END_TEST

/* The first caller is in the link register; signed addresses lose their signature. */
/* Return addresses are signed: in the upper bits, in the register and in memory. */
START_TEST(aarch64)
{
	struct test t;

	begin(&t, EM_AARCH64);
	any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 31, 0));
	any_cfi_fde(&t.cfi, FIRST, SIZE, ANY_CFI_NONE);
	any_cfi_fde(&t.cfi, SECOND, SIZE,
		    ANY_CFI(DW_CFA_GNU_window_save /* negate_ra_state */, DW_CFA_def_cfa_offset, 16,
			    DW_CFA_offset | 29, 2, DW_CFA_offset | 30, 1));
	any_cfi_fde(&t.cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 30));
	t.regs[30] = 0x3f00000000000000 | (SECOND + 8);
	t.regs[31] = SP;
	t.regs[32] = FIRST + 20;
	STACK(&t, 0, 0x5a00000000000000 | (THIRD + 4));
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, SECOND + 8, THIRD + 4);
	finish(&t);
}
END_TEST

/* Chains by frame pointers lack the caller of a leaf that has no frame: it is in the register. */
START_TEST(link_register)
{
	struct any_elf elf = { .machine = EM_AARCH64, .code_size = CODE, .second = 64 };
	uint64_t words[31] = { [30] = (SECOND + 8) | (uint64_t)0x5a << 56 }, caller;
	struct sample s = { .pid = ANY_STACK_PID,
			    .user_abi = 2,
			    .user_regs = (uint8_t *)words,
			    .user_regs_mask = (uint64_t)-1 >> 33 };
	struct any_stack as;
	struct test t;

	begin(&t, EM_AARCH64);
	any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 31, 0));
	any_cfi_fde(&t.cfi, FIRST, SIZE,
		    ANY_CFI(DW_CFA_advance_loc | 8, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 30,
			    1));
	any_cfi_fde(&t.cfi, SECOND, SIZE, ANY_CFI_NONE);
	elf.cfi = t.cfi.v;
	elf.cfi_size = t.cfi.n;
	elf.code = t.code;
	any_stack_init(&as, &elf, MAPPED);
	ck_assert(unwinder_link(as.unwinder, &s, as.process, 1, FIRST + 4, &caller));
	ck_assert_uint_eq(caller, SECOND + 8);
	/* saved by now: the chain has it */
	ck_assert(!unwinder_link(as.unwinder, &s, as.process, 1, FIRST + 8, &caller));
	/* nothing is known of the function, the pc, or where the register points to */
	ck_assert(!unwinder_link(as.unwinder, &s, as.process, 1, THIRD, &caller));
	ck_assert(!unwinder_link(as.unwinder, &s, as.process, 1, 0x900000, &caller));
	words[30] = 0x900000;
	ck_assert(!unwinder_link(as.unwinder, &s, as.process, 1, FIRST + 4, &caller));
	s.user_regs_mask >>= 1;
	ck_assert(!unwinder_link(as.unwinder, &s, as.process, 1, FIRST + 4, &caller));
	any_stack_release(&as);
	finish(&t);
}
END_TEST

START_TEST(inserted_caller)
{
	struct stack st = { 0 };

	stack_push(&st, 0x100, CPUMODE_USER, false);
	stack_insert_caller(&st, 0, 0x200);
	stack_push(&st, 0x400, CPUMODE_USER, true);
	stack_insert_caller(&st, 1, 0x300);
	stack_insert_caller(&st, 1, 0x300); /* there already */
	ck_assert_uint_eq(st.n, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(st.frames[i].addr, 0x100 * (i + 1));
		ck_assert_int_eq(st.frames[i].is_return, i > 0);
	}
	stack_release(&st);
}
END_TEST

/* Without CFI the code tells whether there is a frame pointer, and where it is by now. */
START_TEST(frame_pointer_by_the_code)
{
	/* nop; push %rbp; nop; mov %rsp, %rbp; … pop %rbp; ret */
	static const uint8_t code[] = { 0x90, 0x55, 0x90, 0x48, 0x89, 0xe5, 0x90, 0x5d, 0xc3 };
	struct test t;

	begin(&t, EM_X86_64);
	any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	any_cfi_fde(&t.cfi, THIRD, SIZE, ANY_CFI(DW_CFA_undefined, 16));
	memcpy(t.code, code, sizeof(code));
	t.regs[X86_SP] = SP;
	t.regs[BP] = SP + 8;
	STACK(&t, THIRD + 1, THIRD + 2, THIRD + 3);
	t.regs[IP] = FIRST + 1;
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 1, THIRD + 1);
	t.regs[IP] = FIRST + 3;
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 3, THIRD + 2);
	t.regs[IP] = FIRST + 6;
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 6, THIRD + 3);
	ck_assert_uint_eq(t.info.frames[0].slot, SP + 16);
	t.regs[IP] = FIRST + 8;
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 8, THIRD + 1);

	/* `second` keeps none: rbp is somebody else's */
	t.regs[IP] = SECOND + 6;
	run(&t);
	FRAMES(&t, UNWIND_NO_CFI, SECOND + 6);
	finish(&t);
}
END_TEST

/* Code that was made at run time: the chain of frame pointers, into it and out of it again. */
START_TEST(jit)
{
	struct test t;

	begin_plain(&t, ANY_CFI(DW_CFA_def_cfa_offset, 24)); /* sub $16, %rsp */
	t.regs[IP] = FIRST + 20;
	t.regs[BP] = SP + 24; /* of the code at ANY_STACK_JIT + 16 */
	STACK(&t, 1, 2, ANY_STACK_JIT + 16, SP + 48, ANY_STACK_JIT + 32, 3, 0x1234, SECOND + 5,
	      THIRD + 5);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, ANY_STACK_JIT + 16, ANY_STACK_JIT + 32, SECOND + 5,
	       THIRD + 5);

	t.regs[BP] = 0x1234; /* it keeps none */
	run(&t);
	FRAMES(&t, UNWIND_NO_CFI, FIRST + 20, ANY_STACK_JIT + 16);
	t.regs[IP] = ANY_STACK_JIT + 8;
	t.regs[BP] = SP + 24;
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, ANY_STACK_JIT + 8, ANY_STACK_JIT + 32, SECOND + 5, THIRD + 5);
	finish(&t);
}
END_TEST

/* The dynamic linker's _start has no CFI, and no caller. */
START_TEST(start_of_a_process)
{
	struct test t;

	begin(&t, EM_X86_64);
	any_cfi_cie(&t.cfi, "zR", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
	any_cfi_fde(&t.cfi, FIRST, SIZE, ANY_CFI_NONE);
	t.regs[IP] = FIRST + 4;
	t.regs[X86_SP] = SP;
	STACK(&t, SECOND + 5, 1, THIRD + 1); /* argc, argv[0] … */
	run(&t);
	FRAMES(&t, UNWIND_NO_CFI, FIRST + 4, SECOND + 5);
	t.starts = true;
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 4, SECOND + 5);
	t.regs[IP] = SECOND;
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, SECOND);
	finish(&t);
}
END_TEST

/* What Go's runtime does on a thread's own stack was called from a goroutine's. */
START_TEST(switch_of_stacks)
{
	struct test t;

	begin_plain(&t, ANY_CFI_NONE);
	STACK(&t, SECOND + 5, THIRD + 1);
	run(&t);
	FRAMES(&t, UNWIND_WHOLE, FIRST + 20, SECOND + 5, THIRD + 1);
	t.go = true;
	run(&t);
	FRAMES(&t, UNWIND_OTHER_STACK, FIRST + 20, SECOND + 5);
	finish(&t);
}
END_TEST

START_TEST(nothing_to_unwind)
{
	struct test t;

	begin_plain(&t, ANY_CFI_NONE);
	STACK(&t, SECOND + 5);
	run_dump(&t, 0, true);
	ck_assert_int_eq(t.info.end, UNWIND_NO_DUMP);
	ck_assert_uint_eq(t.st.n, 0);
	finish(&t);

	begin(&t, EM_S390);
	STACK(&t, 0);
	run(&t);
	ck_assert_int_eq(t.info.end, UNWIND_NO_ARCH);
	ck_assert_uint_eq(t.st.n, 0);
	finish(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unwind");
	TCase *tc = tcase_create("all");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, slots_and_functions);
	tcase_add_test(tc, saved_registers);
	tcase_add_test(tc, restored_registers);
	tcase_add_test(tc, call_before_lookup);
	tcase_add_test(tc, made_up_return_address);
	tcase_add_test(tc, ends);
	tcase_add_test(tc, malformed_rule);
	tcase_add_test(tc, unknown_register);
	tcase_add_test(tc, no_progress);
	tcase_add_test(tc, too_deep);
	tcase_add_test(tc, bounded);
	tcase_add_test(tc, expression_of_the_plt);
	tcase_add_test(tc, over_aligned_frame);
	tcase_add_test(tc, memory_of_the_file);
	tcase_add_test(tc, signal_frame);
	tcase_add_test(tc, trampoline);
	tcase_add_test(tc, debug_frame);
	tcase_add_test(tc, i386);
	tcase_add_test(tc, aarch64);
	tcase_add_test(tc, link_register);
	tcase_add_test(tc, inserted_caller);
	tcase_add_test(tc, frame_pointer_by_the_code);
	tcase_add_test(tc, jit);
	tcase_add_test(tc, start_of_a_process);
	tcase_add_test(tc, switch_of_stacks);
	tcase_add_test(tc, nothing_to_unwind);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
