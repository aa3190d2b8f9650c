/* SPDX-License-Identifier: MIT */
/*
 * aarch64: perf's and DWARF's numbers agree: 0-30 X0-X30, 31 SP, 32 PC
 * (arch/arm64/include/uapi/asm/perf_regs.h; DWARF for the Arm 64-bit architecture, section 4.1).
 * A signed return address has its code in the bits above the user's address space: 48 bits are
 * kept, which fits every kernel that does not hand out 52-bit addresses on request.
 */
#include "stack/arch.h"

const struct arch arch_aarch64 = {
	.name = "aarch64",
	.word = 8,
	.nr_regs = 33,
	.sp = 31,
	.fp = 29,
	.ra = 30,
	.lr = 30,
	.nr_saved = 12,
	.saved = { 29, 30, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28 },
	.kept = (uint64_t)0xfff << 19,
	.from_perf = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
		       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 },
	.addr_mask = ((uint64_t)1 << 48) - 1,
};
