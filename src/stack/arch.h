/* SPDX-License-Identifier: MIT */
/*
 * What the unwinder must know about a machine: which of perf's registers is which of DWARF's,
 * which of them a callee keeps, how wide a word is.
 * Sources: the kernel's arch/ARCH/include/uapi/asm/perf_regs.h, and the machine's psABI supplement.
 */
#ifndef PERFREP_STACK_ARCH_H
#define PERFREP_STACK_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include <perfrep/sample.h>

enum {
	ARCH_REGS = 33, /* DWARF numbers 0 … 32 */
	ARCH_SAVED = 12, /* callee-saved registers at most */
};

struct arch {
	const char *name;
	unsigned word; /* bytes */
	unsigned nr_regs; /* DWARF registers that are tracked */
	unsigned sp, fp; /* DWARF numbers */
	unsigned ra; /* the CFI's return address column */
	int lr; /* DWARF number of the link register, -1: none */
	unsigned nr_saved;
	uint8_t saved[ARCH_SAVED]; /* DWARF numbers of the registers that a callee keeps */
	uint64_t kept; /* the same as a mask */
	int8_t from_perf[ARCH_REGS]; /* by DWARF number: perf's register, -1: none */
	uint64_t addr_mask; /* bits of a user address; the rest may hold an authentication code */
};

/* NULL when registers of this machine and ABI (the sample's abi field: 1 is 32-bit, 2 is
 * 64-bit) are not known. */
const struct arch *arch_of(uint16_t e_machine, uint64_t abi);

extern const struct arch arch_x86_64, arch_i386, arch_aarch64;

struct regs {
	uint64_t v[ARCH_REGS];
	uint64_t known; /* bit mask */
	uint64_t pc;
};

static inline bool regs_get(const struct regs *r, unsigned reg, uint64_t *out)
{
	if (reg >= ARCH_REGS || !(r->known >> reg & 1))
		return false;
	*out = r->v[reg];
	return true;
}

static inline void regs_set(struct regs *r, unsigned reg, uint64_t value)
{
	r->v[reg] = value;
	r->known |= (uint64_t)1 << reg;
}

/* The registers of a sample; false when pc or sp are not among them. */
bool arch_regs(const struct arch *arch, const struct sample *s, struct regs *out);

#endif
