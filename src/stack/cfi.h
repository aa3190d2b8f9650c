/* SPDX-License-Identifier: MIT */
/*
 * Call frame information of one section, .eh_frame or .debug_frame: an index of its entries, and
 * the rules that one of them gives for a pc.  The bytes are anybody's: every read is bounded, and
 * so is what a program of instructions can ask for.
 */
#ifndef PERFREP_STACK_CFI_H
#define PERFREP_STACK_CFI_H

#include "base/arena.h"
#include "base/vec.h"
#include "stack/rule.h"

struct cfi_cie {
	uint64_t offset; /* in the section: what entries refer to it by */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra; /* column of the return address */
	uint8_t encoding; /* of addresses in its entries */
	bool sized; /* its entries have augmentation data with a length */
	bool signal; /* frames of signal trampolines */
	uint64_t program, end; /* initial instructions: offsets in the section */
};

struct cfi_fde {
	uint64_t start, size; /* addresses */
	uint32_t cie; /* index */
	uint64_t program, end;
};

struct cfi {
	const uint8_t *data;
	uint64_t size;
	uint64_t addr; /* of the section's first byte */
	unsigned word;
	bool be;
	bool debug_frame; /* else .eh_frame */
	bool ends_at_zero; /* SIZE goes beyond the end, which an entry of length 0 marks */
	VEC(struct cfi_cie) cies; /* by offset */
	VEC(struct cfi_fde) fdes; /* by start */
};

/* Read all entries of the section that the first members of C describe; DATA stays borrowed. */
void cfi_index(struct cfi *c);
/* The entry of the function that ADDR lies in, or NULL. */
const struct cfi_fde *cfi_find(const struct cfi *c, uint64_t addr);
void cfi_release(struct cfi *c);

/* An address in one of the encodings DW_EH_PE_*, whose field begins at C's place in the section. */
struct cursor;
bool cfi_address(const struct cfi *cfi, struct cursor *c, uint8_t encoding, uint64_t *out);

/*
 * The rule for ADDR, which lies in FDE; expressions go to ARENA.  Its kind is RULE_NONE when the
 * information is malformed or of no use.
 */
void cfi_rule(const struct cfi *c, const struct cfi_fde *fde, const struct arch *arch,
	      uint64_t addr, struct arena *arena, struct unwind_rule *out);

/* Decode a DWARF expression; NULL when it is malformed, or longer than any compiler's. */
const struct expr *expr_decode(const uint8_t *bytes, uint64_t size, unsigned word, bool be,
			       struct arena *arena);

#endif
