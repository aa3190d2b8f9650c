/* SPDX-License-Identifier: MIT */
/*
 * The addresses of a DIE: DW_AT_low_pc with DW_AT_high_pc, or a range list, which is in
 * .debug_ranges up to DWARF 4 (section 2.17.3 there) and in .debug_rnglists from 5 (7.25).
 *
 * Ranges of code that the linker dropped are left out; see dw_file_has_code().
 */
#include "symbol/dwarf_private.h"

struct out {
	struct dw_spans *spans;
	size_t max;
	const struct dw_file *code; /* whose code it is */
};

static void add_span(struct out *o, uint64_t lo, uint64_t hi)
{
	if (lo < hi && o->spans->list.n < o->max && dw_file_has_code(o->code, lo))
		vec_push(&o->spans->list, (struct dw_span){ lo, hi });
}

static struct dw_unit *skeleton_of(struct dw_unit *u)
{
	return u->skeleton ? u->skeleton : u;
}

static void read_ranges(struct dw_unit *u, uint64_t offset, struct out *o)
{
	struct dw_unit *s = skeleton_of(u);
	struct dw_bytes b = dw_section(s->file, DW_SEC_RANGES);
	struct cursor c = cursor_init(b.p, b.n, s->file->be);
	uint64_t base = s->low_pc, lo, hi;
	uint64_t most = u->addr_size == 8 ? UINT64_MAX : ((uint64_t)1 << u->addr_size * 8) - 1;

	/* GNU's split units count from a base, their skeletons don't */
	cursor_bytes(&c, offset + (u->skeleton ? s->ranges_base : 0));
	while (o->spans->list.n < o->max) {
		lo = dw_fixed(&c, u->addr_size);
		hi = dw_fixed(&c, u->addr_size);
		if (c.bad || (!lo && !hi))
			break;
		if (lo == most)
			base = hi;
		else
			add_span(o, base + lo, base + hi);
	}
}

/* One entry of a list; false at its end. */
static bool read_entry(struct dw_unit *u, struct cursor *c, uint64_t *base, struct out *o)
{
	uint8_t kind = cursor_u8(c);
	uint64_t a = 0, b = 0, lo = 0, hi = 0;

	if (kind >= DW_RLE_base_addressx && kind <= DW_RLE_offset_pair)
		a = dw_uleb(c);
	else if (kind >= DW_RLE_base_address && kind <= DW_RLE_start_length)
		a = dw_fixed(c, u->addr_size);
	if (kind == DW_RLE_startx_endx || kind == DW_RLE_startx_length ||
	    kind == DW_RLE_offset_pair || kind == DW_RLE_start_length)
		b = dw_uleb(c);
	else if (kind == DW_RLE_start_end)
		b = dw_fixed(c, u->addr_size);
	if (c->bad)
		return false;
	switch (kind) {
	case DW_RLE_base_addressx:
		return dw_addrx(u, a, base);
	case DW_RLE_startx_endx:
		if (dw_addrx(u, a, &lo) && dw_addrx(u, b, &hi))
			add_span(o, lo, hi);
		return true;
	case DW_RLE_startx_length:
		if (dw_addrx(u, a, &lo))
			add_span(o, lo, lo + b);
		return true;
	case DW_RLE_offset_pair:
		add_span(o, *base + a, *base + b);
		return true;
	case DW_RLE_base_address:
		*base = a;
		return true;
	case DW_RLE_start_end:
		add_span(o, a, b);
		return true;
	case DW_RLE_start_length:
		add_span(o, a, a + b);
		return true;
	default:
		return false;
	}
}

static void read_rnglist(struct dw_unit *u, const struct dw_value *v, struct out *o)
{
	struct dw_bytes b = u->rnglists;
	struct cursor c = cursor_init(b.p, b.n, u->file->be);
	uint64_t offset = v->u, base = skeleton_of(u)->low_pc;

	if (v->form == DW_FORM_rnglistx) {
		cursor_bytes(&c, u->rnglists_base);
		if (c.bad || v->u >= cursor_left(&c) / u->off_size)
			return;
		cursor_bytes(&c, v->u * u->off_size);
		offset = u->rnglists_base + dw_fixed(&c, u->off_size);
		c = cursor_init(b.p, b.n, u->file->be);
	}
	cursor_bytes(&c, offset);
	while (!c.bad && o->spans->list.n < o->max && read_entry(u, &c, &base, o))
		;
}

void dw_ranges_read(struct dw_unit *u, const struct dw_pcs *pcs, struct dw_spans *out, size_t max)
{
	struct out o = { out, max, skeleton_of(u)->file };
	uint64_t lo, hi;

	if (pcs->ranges.form) {
		if (u->version < 5)
			read_ranges(u, pcs->ranges.u, &o);
		else
			read_rnglist(u, &pcs->ranges, &o);
		return;
	}
	if (!pcs->high.form || !dw_value_addr(u, &pcs->low, &lo))
		return;
	if (!dw_value_addr(u, &pcs->high, &hi))
		hi = lo + pcs->high.u; /* a number: the length */
	add_span(&o, lo, hi);
}

size_t dw_ranges_limit(struct dw_unit *u)
{
	/* an entry has three bytes at least, and so has a DIE with low_pc and high_pc */
	return u->size + dw_section(skeleton_of(u)->file, DW_SEC_RANGES).n + u->rnglists.n;
}
