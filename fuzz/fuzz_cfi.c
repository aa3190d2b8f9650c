/* SPDX-License-Identifier: MIT */
/*
 * Call frame information, registers and a stack of any content, from the file to the frames.  The
 * input:
 *
 *	u8 machine (low 2 bits: x86-64, i386, aarch64, x86-64 with 32-bit registers),
 *	   bit 2: the bytes are .debug_frame, not .eh_frame
 *	u16 size of the call frame information, u16 size of the code    little-endian
 *	call frame information, code
 *	33 u64: registers by perf's numbers                             what is missing is 0
 *	the rest: the stack
 *
 * An ELF file is made of the first two: see any_elf.h.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "any_stack.h"
#include "base/cursor.h"
#include "stack/repair.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	REGS = 33,
	MAX_FRAMES = 1 << 13,
	MAX_REPAIRED = 1 << 12,
	MAP_SIZE = 0x3000,
};

struct input {
	uint64_t abi;
	struct any_elf elf;
	uint64_t regs[REGS];
	uint8_t *stack; /* exactly this memory, for the sanitizer */
	size_t stack_size;
};

static bool read_input(struct input *in, const uint8_t *data, size_t size)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_X86_64 };
	struct cursor c = cursor_init(data, size, false);
	unsigned flags = cursor_u8(&c);

	*in = (struct input){ .abi = flags & 1 ? 1 : 2 };
	in->elf.machine = machines[flags & 3];
	in->elf.debug_frame = flags & 4;
	in->elf.cfi_size = cursor_u16(&c);
	in->elf.code_size = cursor_u16(&c);
	in->elf.cfi = cursor_bytes(&c, in->elf.cfi_size);
	in->elf.code = cursor_bytes(&c, in->elf.code_size);
	if (c.bad)
		return false;
	for (int i = 0; i < REGS && cursor_left(&c) >= 8; i++)
		in->regs[i] = cursor_u64(&c);
	in->stack_size = cursor_left(&c);
	in->stack = malloc(in->stack_size + !in->stack_size);
	memcpy(in->stack, c.p, in->stack_size);
	return true;
}

static void check_frames(const struct stack *st, const struct unwind_info *info)
{
	if (info->end >= UNWIND_END_MAX || st->n != info->n || info->n > MAX_FRAMES ||
	    !unwind_end_text(info->end)[0])
		abort();
	if (info->n && !(st->flags & STACK_TRUNCATED) != (info->end == UNWIND_WHOLE))
		abort();
	for (size_t i = 0; i < st->n; i++)
		if (st->frames[i].cpumode != CPUMODE_USER)
			abort();
}

/* What was seen must be found again, and a walk through it must end. */
static void repair(struct stack *st, const struct unwind_info *info)
{
	struct repair r = { 0 };
	bool whole;

	repair_observe(&r, 1, 1, st, 0, info, 0);
	repair_observe(&r, 1, 2, st, 0, info, 0);
	repair_cut(&r);
	repair_observe(&r, 1, 3, st, 0, info, 0);
	repair_finish(&r);
	for (size_t i = 0; i < info->n && i < 16; i++)
		if (repair_complete(&r, 1, 2, info->frames[i].slot, info->frames[i].func, st,
				    &whole) > MAX_REPAIRED)
			abort();
	repair_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unwind_info info = { 0 };
	struct stack st = { 0 };
	struct any_stack as;
	struct input in;
	size_t n;

	if (!read_input(&in, data, size))
		return 0;
	any_stack_init(&as, &in.elf, MAP_SIZE);
	any_stack_run(&as, in.abi, in.regs, REGS, in.stack, in.stack_size, in.stack_size, &st,
		      &info);
	check_frames(&st, &info);
	n = st.n;
	st.n = 0; /* again, with what is remembered */
	any_stack_run(&as, in.abi, in.regs, REGS, in.stack, in.stack_size, in.stack_size, &st,
		      &info);
	if (st.n != n)
		abort();
	repair(&st, &info);
	stack_release(&st);
	unwind_info_release(&info);
	any_stack_release(&as);
	free(in.stack);
	return 0;
}
