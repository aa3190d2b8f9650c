/* SPDX-License-Identifier: MIT */
/*
 * The entries of a section of call frame information (DWARF 5, section 6.4.1; for .eh_frame the
 * Linux Standard Base, core specification, chapter 10.6):
 *
 *	CIE	what many functions have in common: alignment factors, how addresses are encoded,
 *		the instructions that each function's begin with
 *	FDE	one function: its CIE, its range of addresses, its instructions
 *
 * All are read once, when the file is opened, and sorted by address: a few nanoseconds each.  The
 * table that the linker makes for searching (.eh_frame_hdr) is not used: it may be missing, or say
 * something else.
 *
 * A malformed entry is left out; one whose length leads out of the section ends it.
 */
#include "stack/cfi.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/cursor.h"
#include "stack/leb.h"

static uint64_t read_word(struct cursor *c, unsigned word)
{
	return word == 4 ? cursor_u32(c) : cursor_u64(c);
}

static uint64_t place(const struct cfi *cfi, const struct cursor *c)
{
	return (uint64_t)(c->p - cfi->data);
}

/* The value alone, sign-extended where the format is signed. */
static uint64_t encoded_value(struct cursor *c, uint8_t format, unsigned word)
{
	switch (format) {
	case DW_EH_PE_absptr:
		return read_word(c, word);
	case DW_EH_PE_uleb128:
		return leb_unsigned(c);
	case DW_EH_PE_udata2:
		return cursor_u16(c);
	case DW_EH_PE_udata4:
		return cursor_u32(c);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return cursor_u64(c);
	case DW_EH_PE_sleb128:
		return (uint64_t)leb_signed(c);
	case DW_EH_PE_sdata2:
		return (uint64_t)(int64_t)(int16_t)cursor_u16(c);
	case DW_EH_PE_sdata4:
		return (uint64_t)(int64_t)(int32_t)cursor_u32(c);
	default:
		c->bad = true;
		return 0;
	}
}

bool cfi_address(const struct cfi *cfi, struct cursor *c, uint8_t encoding, uint64_t *out)
{
	uint64_t base = 0, mask = cfi->word == 4 ? UINT32_MAX : UINT64_MAX;

	if ((encoding & 0x70) == DW_EH_PE_pcrel)
		base = cfi->addr + place(cfi, c);
	else if (encoding & 0xf0) /* relative to what is not known here, or indirect */
		return false;
	*out = (encoded_value(c, encoding & 0x0f, cfi->word) + base) & mask;
	return !c->bad && !(encoding & DW_EH_PE_indirect);
}

/* The augmentation data of a CIE, as the letters after `z` say; unknown ones end it. */
static bool read_augmentation(const struct cfi *cfi, struct cursor *c, const char *letters,
			      struct cfi_cie *cie)
{
	uint64_t size = leb_unsigned(c), ignored;
	const uint8_t *bytes = cursor_bytes(c, size);
	struct cursor a;

	if (!bytes)
		return false;
	a = cursor_init(bytes, size, cfi->be);
	cie->sized = true;
	for (; *letters; letters++) {
		switch (*letters) {
		case 'L':
			cursor_u8(&a);
			break;
		case 'R':
			cie->encoding = cursor_u8(&a);
			break;
		case 'P':
			/* an address whose place is of no interest, as its value */
			cfi_address(cfi, &a, cursor_u8(&a) & 0x0f, &ignored);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B': /* return addresses are signed with the other key */
			break;
		default:
			return !a.bad;
		}
	}
	return !a.bad;
}

static bool read_cie(const struct cfi *cfi, struct cursor *c, struct cfi_cie *cie)
{
	unsigned version = cursor_u8(c);
	const char *augmentation = cursor_cstr(c);

	if (!augmentation || (version != 1 && version != 3 && version != 4))
		return false;
	if (version == 4) { /* sizes of addresses and of segment selectors */
		if (cursor_u8(c) != cfi->word || cursor_u8(c) != 0)
			return false;
	}
	if (!strcmp(augmentation, "eh")) /* of gcc 2: a pointer */
		read_word(c, cfi->word);
	cie->encoding = DW_EH_PE_absptr;
	cie->code_align = leb_unsigned(c);
	cie->data_align = leb_signed(c);
	cie->ra = version == 1 ? cursor_u8(c) : leb_unsigned(c);
	if (*augmentation == 'z') {
		if (!read_augmentation(cfi, c, augmentation + 1, cie))
			return false;
	} else if (*augmentation && strcmp(augmentation, "eh") != 0) {
		return false; /* there is no telling where its instructions are */
	}
	cie->program = place(cfi, c);
	cie->end = cie->program + cursor_left(c);
	return !c->bad;
}

/* Entries refer to a CIE that stands before them in .eh_frame, and nearly always elsewhere. */
static const struct cfi_cie *find_cie(const struct cfi *cfi, uint64_t offset)
{
	size_t at = bisect(i, cfi->cies.n, cfi->cies.v[i].offset < offset);

	return at < cfi->cies.n && cfi->cies.v[at].offset == offset ? &cfi->cies.v[at] : NULL;
}

static bool read_fde(const struct cfi *cfi, struct cursor *c, const struct cfi_cie *cie,
		     struct cfi_fde *fde)
{
	uint64_t size;

	if (!cie || !cfi_address(cfi, c, cie->encoding, &fde->start) ||
	    !cfi_address(cfi, c, cie->encoding & 0x0f, &fde->size))
		return false;
	if (cie->sized) {
		size = leb_unsigned(c);
		cursor_bytes(c, size);
	}
	fde->cie = (uint32_t)(cie - cfi->cies.v);
	fde->program = place(cfi, c);
	fde->end = fde->program + cursor_left(c);
	/* code that the linker threw away is at 0 */
	return !c->bad && fde->start && fde->size && fde->start + fde->size > fde->start;
}

struct entry {
	struct cursor body; /* behind the id */
	uint64_t offset, id_offset, id;
	bool cie;
};

/* The next entry; false at the end. */
static bool next_entry(const struct cfi *cfi, struct cursor *c, struct entry *e)
{
	uint64_t size;
	bool wide;

	do {
		e->offset = place(cfi, c);
		size = cursor_u32(c);
		if (c->bad || (!size && cfi->ends_at_zero))
			return false;
	} while (!size);
	wide = size == UINT32_MAX;
	if (wide)
		size = cursor_u64(c);
	if (!cursor_has(c, size, 1))
		return false;
	e->body = cursor_init(c->p, size, cfi->be);
	cursor_bytes(c, size);
	e->id_offset = place(cfi, &e->body);
	e->id = wide ? cursor_u64(&e->body) : cursor_u32(&e->body);
	e->cie = e->id == (!cfi->debug_frame ? 0 : wide ? UINT64_MAX : UINT32_MAX);
	return true;
}

/* Which CIE an FDE names: by its offset, in .eh_frame by how far it lies back. */
static uint64_t cie_offset(const struct cfi *cfi, const struct entry *e)
{
	return cfi->debug_frame ? e->id : e->id_offset - e->id;
}

static void read_cies(struct cfi *cfi)
{
	struct cursor c = cursor_init(cfi->data, cfi->size, cfi->be);
	struct entry e;

	while (next_entry(cfi, &c, &e)) {
		struct cfi_cie cie = { .offset = e.offset };

		if (e.cie && read_cie(cfi, &e.body, &cie))
			vec_push(&cfi->cies, cie);
	}
}

static void read_fdes(struct cfi *cfi)
{
	struct cursor c = cursor_init(cfi->data, cfi->size, cfi->be);
	struct entry e;

	while (next_entry(cfi, &c, &e)) {
		struct cfi_fde fde;

		if (!e.cie && read_fde(cfi, &e.body, find_cie(cfi, cie_offset(cfi, &e)), &fde))
			vec_push(&cfi->fdes, fde);
	}
}

static int by_start(const void *pa, const void *pb)
{
	const struct cfi_fde *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->program < b->program ? -1 : a->program > b->program;
}

/* Linkers leave the entries nearly sorted: look before sorting. */
static void sort_fdes(struct cfi *cfi)
{
	for (size_t i = 1; i < cfi->fdes.n; i++) {
		if (by_start(&cfi->fdes.v[i - 1], &cfi->fdes.v[i]) > 0) {
			qsort(cfi->fdes.v, cfi->fdes.n, sizeof(*cfi->fdes.v), by_start);
			return;
		}
	}
}

void cfi_index(struct cfi *c)
{
	read_cies(c);
	read_fdes(c);
	sort_fdes(c);
}

const struct cfi_fde *cfi_find(const struct cfi *c, uint64_t addr)
{
	size_t at = bisect(i, c->fdes.n, c->fdes.v[i].start <= addr);

	if (!at || addr - c->fdes.v[at - 1].start >= c->fdes.v[at - 1].size)
		return NULL;
	return &c->fdes.v[at - 1];
}

void cfi_release(struct cfi *c)
{
	vec_release(&c->cies);
	vec_release(&c->fdes);
}
