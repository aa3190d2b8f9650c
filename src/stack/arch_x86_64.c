/* SPDX-License-Identifier: MIT */
/*
 * x86-64 and i386.  perf numbers the registers of both alike: 0 AX 1 BX 2 CX 3 DX 4 SI 5 DI 6 BP
 * 7 SP 8 IP 9 FLAGS … 16-23 R8-R15 (arch/x86/include/uapi/asm/perf_regs.h).  DWARF: System V ABI,
 * AMD64 supplement, figure 3.36; i386 supplement, table 2.14.
 */
#include "stack/arch.h"

const struct arch arch_x86_64 = {
	.name = "x86-64",
	.word = 8,
	.nr_regs = 17,
	.sp = 7,
	.fp = 6,
	.ra = 16,
	.lr = -1,
	.nr_saved = 6,
	.saved = { 6, 3, 12, 13, 14, 15 },
	.kept = 1 << 6 | 1 << 3 | 0xf << 12,
	/* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip */
	.from_perf = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 },
	.addr_mask = UINT64_MAX,
};

const struct arch arch_i386 = {
	.name = "i386",
	.word = 4,
	.nr_regs = 9,
	.sp = 4,
	.fp = 5,
	.ra = 8,
	.lr = -1,
	.nr_saved = 4,
	.saved = { 5, 3, 6, 7 },
	.kept = 1 << 5 | 1 << 3 | 1 << 6 | 1 << 7,
	/* eax ecx edx ebx esp ebp esi edi eip */
	.from_perf = { 0, 2, 3, 1, 7, 6, 4, 5, 8 },
	.addr_mask = UINT32_MAX,
};
