/* SPDX-License-Identifier: MIT */
#include "stack/arch.h"

#include <elf.h>

const struct arch *arch_of(uint16_t e_machine, uint64_t abi)
{
	switch (e_machine) {
	case EM_X86_64:
		return abi == 1 ? &arch_i386 : &arch_x86_64;
	case EM_386:
		return &arch_i386;
	case EM_AARCH64:
		return abi == 1 ? NULL : &arch_aarch64;
	default:
		return NULL;
	}
}

/*
 * A sample that was taken in an NMI while in the kernel has all-ones in the registers that the
 * entry code did not save: they are not known.  No pointer is all-ones, so nothing is lost by
 * distrusting the value everywhere.
 */
bool arch_regs(const struct arch *arch, const struct sample *s, struct regs *out)
{
	uint64_t ones = arch->word == 8 ? UINT64_MAX : UINT32_MAX;

	*out = (struct regs){ 0 };
	for (unsigned i = 0; i < arch->nr_regs; i++) {
		uint64_t v;

		if (arch->from_perf[i] < 0 || !sample_user_reg(s, (unsigned)arch->from_perf[i], &v))
			continue;
		if (arch->word == 4)
			v &= UINT32_MAX;
		if (v != ones)
			regs_set(out, i, v);
	}
	return regs_get(out, arch->ra == 30 ? 32 : arch->ra, &out->pc) &&
	       out->known >> arch->sp & 1;
}
