/* SPDX-License-Identifier: MIT */
/*
 * .debug_aranges (DWARF 5, section 6.1.2): which unit has an address.
 *
 * A unit that has addresses there has all of its own, as GCC and the assembler write them; clang
 * and rustc write none.  So an address that is in the table is in that unit, and nothing need be
 * read of the others; of one that isn't nothing is known.  A table in which two units claim an
 * address is not used at all.
 */
#include "symbol/dwarf_private.h"

#include "base/bisect.h"

/* What is before the addresses; false when it is of no kind that we know. */
static bool read_header(struct cursor *c, uint64_t *unit, uint8_t *addr_size)
{
	const uint8_t *start = c->p;
	uint64_t length = cursor_u32(c);
	unsigned off_size = length == 0xffffffff ? 8 : 4, version;

	if (off_size == 8)
		length = cursor_u64(c);
	if (c->bad || length > cursor_left(c))
		return false;
	c->end = c->p + length;
	version = cursor_u16(c);
	*unit = dw_fixed(c, off_size);
	*addr_size = cursor_u8(c);
	if (cursor_u8(c) || version != 2 || (*addr_size != 4 && *addr_size != 8))
		return false; /* addresses with segments */
	/* pairs begin at a multiple of their size */
	while (!c->bad && (size_t)(c->p - start) % (2u * *addr_size))
		cursor_u8(c);
	return !c->bad;
}

static void read_set(struct dw_aranges *a, const struct dw_file *f, struct cursor c)
{
	uint8_t addr_size;
	uint64_t unit;

	if (!read_header(&c, &unit, &addr_size))
		return;
	while (cursor_left(&c) >= 2u * addr_size) {
		uint64_t lo = dw_fixed(&c, addr_size), size = dw_fixed(&c, addr_size);

		if (!lo && !size)
			break;
		if (size && lo + size > lo && dw_file_has_code(f, lo))
			vec_push(&a->list, (struct dw_arange){ lo, lo + size, unit });
	}
}

static int by_lo(const void *x, const void *y)
{
	const struct dw_arange *a = x, *b = y;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

void dw_aranges_read(struct dw_aranges *a, struct dw_file *f)
{
	struct dw_bytes b = dw_section(f, DW_SEC_ARANGES);
	struct cursor c = cursor_init(b.p, b.n, f->be);

	while (cursor_left(&c)) {
		struct cursor set = c;
		uint64_t length = cursor_u32(&c);

		if (length == 0xffffffff)
			length = cursor_u64(&c);
		if (!cursor_bytes(&c, length))
			break;
		set.end = c.p;
		read_set(a, f, set);
	}
	if (a->list.n)
		qsort(a->list.v, a->list.n, sizeof(*a->list.v), by_lo);
	for (size_t i = 1; i < a->list.n; i++)
		if (a->list.v[i].lo < a->list.v[i - 1].hi)
			a->list.n = 0;
}

bool dw_unit_claims(struct dw_unit *u, uint64_t addr)
{
	struct dw_spans spans = { 0 };
	bool found = false;

	if (!dw_unit_prepare(u))
		return false;
	dw_ranges_read(u, &u->pcs, &spans, dw_ranges_limit(u));
	for (size_t i = 0; i < spans.list.n; i++)
		found |= addr >= spans.list.v[i].lo && addr < spans.list.v[i].hi;
	vec_release(&spans.list);
	return found;
}

struct dw_unit *dw_aranges_find(const struct dw_aranges *a, struct dw_file *f, uint64_t addr)
{
	size_t at = bisect(i, a->list.n, a->list.v[i].lo <= addr);
	struct dw_unit *u;

	if (!at || addr >= a->list.v[at - 1].hi)
		return NULL;
	u = dw_file_unit_at(f, a->list.v[at - 1].unit);
	return u && u->offset == a->list.v[at - 1].unit ? u : NULL;
}
