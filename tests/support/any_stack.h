/* SPDX-License-Identifier: MIT */
/*
 * A process that has one file mapped, any_elf.h's at its own addresses, and memory with code that
 * is of no file; and samples of it: all that the unwinder needs.
 */
#ifndef PERFREP_TESTS_ANY_STACK_H
#define PERFREP_TESTS_ANY_STACK_H

#include "any_elf.h"
#include "perfdata_builder.h"

#include <perfrep/reader.h>
#include <perfrep/unwind.h>

enum {
	ANY_STACK_PID = 42,
	ANY_STACK_JIT = 0x7f0000, /* 0x1000 bytes */
};

struct any_stack {
	struct builder b;
	struct reader *reader;
	struct timeline *timeline;
	const struct process *process;
	struct unwind_modules *modules;
	struct unwinder *unwinder;
	char path[ANY_ELF_PATH];
};

/* The file is mapped up to SIZE bytes behind ANY_ELF_BASE. */
void any_stack_init(struct any_stack *as, const struct any_elf *elf, uint64_t size);
/*
 * Unwind: registers by perf's numbers 0 … NR - 1 (NR <= 33), and the stack from the stack pointer
 * on.  DUMPED is what was reserved for it: equal to SIZE when the dump was too small.
 */
void any_stack_run(struct any_stack *as, uint64_t abi, const uint64_t *regs, unsigned nr,
		   const void *stack, uint64_t size, uint64_t dumped, struct stack *st,
		   struct unwind_info *info);
void any_stack_release(struct any_stack *as);

#endif
