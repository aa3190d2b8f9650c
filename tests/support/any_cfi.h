/* SPDX-License-Identifier: MIT */
/*
 * Call frame information written by hand (DWARF 5, section 6.4.1; for .eh_frame the Linux Standard
 * Base, chapter 10.6): one CIE, then FDEs.
 *
 *	struct any_cfi c = { .machine = EM_X86_64 };
 *	any_cfi_cie(&c, "zR", ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
 *	any_cfi_fde(&c, 0x11000, 16, ANY_CFI(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16));
 */
#ifndef PERFREP_TESTS_ANY_CFI_H
#define PERFREP_TESTS_ANY_CFI_H

#include <dwarf.h>
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct any_cfi {
	uint16_t machine;
	bool debug_frame;
	uint8_t v[(1 << 16) + 4096];
	size_t n;
	size_t cie; /* offset of the last one */
};

#define ANY_CFI(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })
#define ANY_CFI_NONE NULL, 0

static inline void any_cfi_put(struct any_cfi *c, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes && c->n < sizeof(c->v); i++)
		c->v[c->n++] = (uint8_t)(v >> 8 * i);
}

static inline unsigned any_cfi_word(const struct any_cfi *c)
{
	return c->machine == EM_386 ? 4 : 8;
}

/* Instructions, padding, and the length of the entry that began at START. */
static inline void any_cfi_end(struct any_cfi *c, size_t start, const uint8_t *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		any_cfi_put(c, ops[i], 1);
	while ((c->n - start) % 8)
		any_cfi_put(c, DW_CFA_nop, 1);
	for (unsigned i = 0; i < 4; i++)
		c->v[start + i] = (uint8_t)((c->n - start - 4) >> 8 * i);
}

/* AUGMENTATION: "zR", "zRS" for signal frames; "" in .debug_frame. */
static inline void any_cfi_cie(struct any_cfi *c, const char *augmentation, const uint8_t *ops,
			       size_t n)
{
	size_t start = c->n;

	c->cie = start;
	any_cfi_put(c, 0, 4);
	any_cfi_put(c, c->debug_frame ? UINT32_MAX : 0, 4);
	any_cfi_put(c, 1, 1);
	for (const char *p = augmentation;; p++) {
		any_cfi_put(c, (uint8_t)*p, 1);
		if (!*p)
			break;
	}
	any_cfi_put(c, 1, 1); /* code alignment */
	any_cfi_put(c, any_cfi_word(c) == 4 ? 0x7c : 0x78, 1); /* data alignment -4, -8 */
	any_cfi_put(c, c->machine == EM_386 ? 8 : c->machine == EM_AARCH64 ? 30 : 16, 1);
	if (*augmentation == 'z') {
		any_cfi_put(c, 1, 1);
		any_cfi_put(c, 0, 1); /* addresses as they are */
	}
	any_cfi_end(c, start, ops, n);
}

/* Of the last CIE, which has an augmentation unless the section is .debug_frame. */
static inline void any_cfi_fde(struct any_cfi *c, uint64_t pc, uint64_t size, const uint8_t *ops,
			       size_t n)
{
	size_t start = c->n;

	any_cfi_put(c, 0, 4);
	any_cfi_put(c, c->debug_frame ? c->cie : c->n - c->cie, 4);
	any_cfi_put(c, pc, any_cfi_word(c));
	any_cfi_put(c, size, any_cfi_word(c));
	if (!c->debug_frame)
		any_cfi_put(c, 0, 1);
	any_cfi_end(c, start, ops, n);
}

#endif
