/* SPDX-License-Identifier: MIT */
/*
 * Attribute values (DWARF 5, sections 7.5.4 to 7.5.6, and GNU's split-unit and dwz forms).
 *
 * Reading and understanding are two steps: a root DIE's strings and addresses can be indices
 * that count from a base, and the base is an attribute of the same DIE, perhaps a later one.
 * So dw_form_read() only takes the bytes, and dw_value_*() resolve them.
 */
#include "symbol/dwarf_private.h"

enum {
	SIZE_ADDR = 0x20,
	SIZE_OFFSET,
	SIZE_REF_ADDR,
	SIZE_VARIES,
	SIZE_UNKNOWN,
};

static const uint8_t form_sizes[] = {
	[0] = SIZE_UNKNOWN,
	[2] = SIZE_UNKNOWN,
	[DW_FORM_addr] = SIZE_ADDR,
	[DW_FORM_block2] = SIZE_VARIES,
	[DW_FORM_block4] = SIZE_VARIES,
	[DW_FORM_data2] = 2,
	[DW_FORM_data4] = 4,
	[DW_FORM_data8] = 8,
	[DW_FORM_string] = SIZE_VARIES,
	[DW_FORM_block] = SIZE_VARIES,
	[DW_FORM_block1] = SIZE_VARIES,
	[DW_FORM_data1] = 1,
	[DW_FORM_flag] = 1,
	[DW_FORM_sdata] = SIZE_VARIES,
	[DW_FORM_strp] = SIZE_OFFSET,
	[DW_FORM_udata] = SIZE_VARIES,
	[DW_FORM_ref_addr] = SIZE_REF_ADDR,
	[DW_FORM_ref1] = 1,
	[DW_FORM_ref2] = 2,
	[DW_FORM_ref4] = 4,
	[DW_FORM_ref8] = 8,
	[DW_FORM_ref_udata] = SIZE_VARIES,
	[DW_FORM_indirect] = SIZE_VARIES,
	[DW_FORM_sec_offset] = SIZE_OFFSET,
	[DW_FORM_exprloc] = SIZE_VARIES,
	[DW_FORM_flag_present] = 0,
	[DW_FORM_strx] = SIZE_VARIES,
	[DW_FORM_addrx] = SIZE_VARIES,
	[DW_FORM_ref_sup4] = 4,
	[DW_FORM_strp_sup] = SIZE_OFFSET,
	[DW_FORM_data16] = 16,
	[DW_FORM_line_strp] = SIZE_OFFSET,
	[DW_FORM_ref_sig8] = 8,
	[DW_FORM_implicit_const] = 0,
	[DW_FORM_loclistx] = SIZE_VARIES,
	[DW_FORM_rnglistx] = SIZE_VARIES,
	[DW_FORM_ref_sup8] = 8,
	[DW_FORM_strx1] = 1,
	[DW_FORM_strx2] = 2,
	[DW_FORM_strx3] = 3,
	[DW_FORM_strx4] = 4,
	[DW_FORM_addrx1] = 1,
	[DW_FORM_addrx2] = 2,
	[DW_FORM_addrx3] = 3,
	[DW_FORM_addrx4] = 4,
};

int dw_form_size(uint16_t form, uint8_t addr_size, uint8_t off_size, bool v2)
{
	uint8_t s = form < sizeof(form_sizes) ? form_sizes[form] : SIZE_UNKNOWN;

	if (form == DW_FORM_GNU_addr_index || form == DW_FORM_GNU_str_index)
		s = SIZE_VARIES;
	else if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_GNU_strp_alt)
		s = SIZE_OFFSET;
	switch (s) {
	case SIZE_ADDR:
		return addr_size;
	case SIZE_OFFSET:
		return off_size;
	case SIZE_REF_ADDR:
		return v2 ? addr_size : off_size;
	case SIZE_VARIES:
		return -1;
	case SIZE_UNKNOWN:
		return -2;
	default:
		return s;
	}
}

uint64_t dw_uleb_long(struct cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : shift;
	} while (b & 0x80);
	return v;
}

int64_t dw_sleb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = cursor_u8(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift = shift < 64 ? shift + 7 : shift;
	} while (b & 0x80);
	if ((b & 0x40) && shift < 64)
		v |= ~(uint64_t)0 << shift;
	return (int64_t)v;
}

uint64_t dw_fixed(struct cursor *c, unsigned size)
{
	const uint8_t *p;

	switch (size) {
	case 1:
		return cursor_u8(c);
	case 2:
		return cursor_u16(c);
	case 3:
		p = cursor_bytes(c, 3);
		if (!p)
			return 0;
		return c->be ? (uint64_t)p[0] << 16 | p[1] << 8 | p[2]
			     : (uint64_t)p[2] << 16 | p[1] << 8 | p[0];
	case 4:
		return cursor_u32(c);
	case 8:
		return cursor_u64(c);
	default:
		c->bad = true;
		return 0;
	}
}

/* The length in front of a block of that form. */
static uint64_t block_length(struct cursor *c, uint16_t form)
{
	switch (form) {
	case DW_FORM_block1:
		return cursor_u8(c);
	case DW_FORM_block2:
		return cursor_u16(c);
	case DW_FORM_block4:
		return cursor_u32(c);
	default:
		return dw_uleb(c);
	}
}

/* The form behind DW_FORM_indirect; it must not be indirect again. */
static uint16_t indirect_form(struct cursor *c)
{
	uint64_t form = dw_uleb(c);

	if (form == DW_FORM_indirect || form == DW_FORM_implicit_const || form > UINT16_MAX) {
		c->bad = true;
		return 0;
	}
	return (uint16_t)form;
}

void dw_form_skip(const struct dw_unit *u, struct cursor *c, uint16_t form)
{
	struct dw_attr at;
	struct dw_value v;

	switch (form) {
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cursor_bytes(c, block_length(c, form));
		break;
	case DW_FORM_string:
		cursor_cstr(c);
		break;
	case DW_FORM_indirect:
		at = (struct dw_attr){ .form = indirect_form(c) };
		dw_form_read(u, c, &at, &v);
		break;
	default:
		dw_uleb(c);
	}
}

/* The forms whose size is in the bytes. */
static void read_varying(const struct dw_unit *u, struct cursor *c, struct dw_value *v)
{
	struct dw_attr at;

	switch (v->form) {
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
	case DW_FORM_exprloc:
		v->u = block_length(c, v->form);
		v->p = cursor_bytes(c, v->u);
		break;
	case DW_FORM_string:
		v->p = (const uint8_t *)cursor_cstr(c);
		break;
	case DW_FORM_sdata:
		v->u = (uint64_t)dw_sleb(c);
		break;
	case DW_FORM_indirect:
		at = (struct dw_attr){ .form = indirect_form(c) };
		dw_form_read(u, c, &at, v); /* not deeper than this: see indirect_form() */
		break;
	default:
		v->u = dw_uleb(c);
	}
}

void dw_form_read(const struct dw_unit *u, struct cursor *c, const struct dw_attr *at,
		  struct dw_value *v)
{
	int size = dw_form_size(at->form, u->addr_size, u->off_size, u->version == 2);

	v->form = at->form;
	v->u = 0;
	v->p = NULL;
	if (size == -2)
		c->bad = true;
	else if (size == -1)
		read_varying(u, c, v);
	else if (at->form == DW_FORM_implicit_const)
		v->u = at->implicit;
	else if (at->form == DW_FORM_flag_present)
		v->u = 1;
	else if (size == 16)
		v->p = cursor_bytes(c, 16);
	else
		v->u = dw_fixed(c, (unsigned)size);
	if (c->bad)
		v->form = 0;
}

/* Longer names are no names; the search for the NUL must not cost more than that. */
#define STRING_MAX ((size_t)1 << 20)

static const char *string_at(struct dw_file *f, enum dw_section_id id, uint64_t offset)
{
	struct dw_bytes s;
	struct cursor c;

	if (!f)
		return NULL;
	s = dw_section(f, id);
	c = cursor_init(s.p, s.n, f->be);
	cursor_bytes(&c, offset);
	if (cursor_left(&c) > STRING_MAX)
		c.end = c.p + STRING_MAX;
	return cursor_cstr(&c);
}

/* Entry INDEX of a table of SIZE-byte numbers that starts at BASE. */
static bool table_entry(struct dw_bytes b, bool be, uint64_t base, uint64_t index, unsigned size,
			uint64_t *out)
{
	struct cursor c = cursor_init(b.p, b.n, be);

	cursor_bytes(&c, base);
	if (c.bad || index >= cursor_left(&c) / size)
		return false;
	cursor_bytes(&c, index * size);
	*out = dw_fixed(&c, size);
	return !c.bad;
}

const char *dw_value_string(struct dw_unit *u, const struct dw_value *v)
{
	uint64_t off;

	switch (v->form) {
	case DW_FORM_string:
		return (const char *)v->p;
	case DW_FORM_strp:
		return string_at(u->file, DW_SEC_STR, v->u);
	case DW_FORM_line_strp:
		return string_at(u->file, DW_SEC_LINE_STR, v->u);
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return string_at(dw_file_alt(u->file), DW_SEC_STR, v->u);
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index:
		if (!table_entry(u->str_offsets, u->file->be, u->str_offsets_base, v->u,
				 u->off_size, &off))
			return NULL;
		return string_at(u->file, DW_SEC_STR, off);
	default:
		return NULL;
	}
}

bool dw_addrx(struct dw_unit *u, uint64_t index, uint64_t *addr)
{
	/* a split unit's addresses are in the main file, which is what was relocated */
	struct dw_unit *at = u->skeleton ? u->skeleton : u;

	return table_entry(dw_section(at->file, DW_SEC_ADDR), at->file->be, at->addr_base, index,
			   at->addr_size, addr);
}

bool dw_value_addr(struct dw_unit *u, const struct dw_value *v, uint64_t *addr)
{
	switch (v->form) {
	case DW_FORM_addr:
		*addr = v->u;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		return dw_addrx(u, v->u, addr);
	default:
		return false;
	}
}

static struct dw_pos pos_in(struct dw_unit *u, uint64_t off)
{
	if (!u || off < u->root || off >= u->size)
		return (struct dw_pos){ NULL, 0 };
	return (struct dw_pos){ u, (uint32_t)off };
}

/* OFFSET in .debug_info of F. */
static struct dw_pos pos_at(struct dw_file *f, uint64_t offset)
{
	struct dw_unit *u = f ? dw_file_unit_at(f, offset) : NULL;

	return u ? pos_in(u, offset - u->offset) : (struct dw_pos){ NULL, 0 };
}

struct dw_pos dw_value_ref(struct dw_unit *u, const struct dw_value *v)
{
	struct dw_unit *tu;

	switch (v->form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		return pos_in(u, v->u);
	case DW_FORM_ref_addr:
		return pos_at(u->file, v->u);
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case DW_FORM_GNU_ref_alt:
		return pos_at(dw_file_alt(u->file), v->u);
	case DW_FORM_ref_sig8:
		tu = dw_file_type_unit(u->file, v->u);
		return pos_in(tu, tu ? tu->type_off : 0);
	default:
		return (struct dw_pos){ NULL, 0 };
	}
}
