/* SPDX-License-Identifier: MIT */
/*
 * Units: their headers (DWARF 5, section 7.5.1) and what their root DIE says.
 *
 * The headers are read one after another, which touches some bytes per unit, up to the unit that
 * is wanted.  When an address comes that .debug_aranges doesn't have, all are read, and the root
 * DIEs of all units in the main file, as they have the units' address ranges.  All else about a
 * unit waits until an address or a reference leads there.
 */
#include "symbol/dwarf_private.h"

#define HEADER_MAX 64 /* bytes, and more than any has */

/* What the header says beyond version 4's fields; false when the unit type isn't known. */
static bool read_v5_header(struct dw_unit *u, struct cursor *c)
{
	u->type = cursor_u8(c);
	u->addr_size = cursor_u8(c);
	u->abbrev_offset = dw_fixed(c, u->off_size);
	switch (u->type) {
	case DW_UT_compile:
	case DW_UT_partial:
		return true;
	case DW_UT_skeleton:
	case DW_UT_split_compile:
		u->signature = cursor_u64(c);
		return true;
	case DW_UT_type:
	case DW_UT_split_type:
		u->signature = cursor_u64(c);
		u->type_off = (uint32_t)dw_fixed(c, u->off_size);
		return true;
	default:
		return false;
	}
}

static bool read_header(struct dw_unit *u, struct cursor *c)
{
	u->version = cursor_u16(c);
	if (u->version < 2 || u->version > 5)
		return false;
	if (u->version == 5) {
		if (!read_v5_header(u, c))
			return false;
	} else {
		u->abbrev_offset = dw_fixed(c, u->off_size);
		u->addr_size = cursor_u8(c);
		if (u->types) {
			u->type = DW_UT_type;
			u->signature = cursor_u64(c);
			u->type_off = (uint32_t)dw_fixed(c, u->off_size);
		}
	}
	return !c->bad && (u->addr_size == 4 || u->addr_size == 8 || u->addr_size == 2);
}

/* The length field: sets the size of offsets; the unit's size with it, or 0. */
static uint64_t read_length(struct cursor *c, uint8_t *off_size)
{
	uint64_t n = cursor_u32(c);

	*off_size = 4;
	if (n == 0xffffffff) {
		*off_size = 8;
		n = cursor_u64(c);
	} else if (n >= 0xfffffff0) {
		return 0;
	}
	/* positions in a unit are kept in 32 bits */
	if (c->bad || n > cursor_left(c) || n > UINT32_MAX - 12)
		return 0;
	return n + (*off_size == 8 ? 12 : 4);
}

struct dw_unit *dw_unit_new(struct dw_file *f, bool types, uint64_t offset, uint64_t *next)
{
	enum dw_section_id id = types ? DW_SEC_TYPES : DW_SEC_INFO;
	struct dw_bytes s = dw_section_place(f, id);
	struct cursor c = cursor_init(s.p, s.n, f->be);
	struct dw_unit *u = xcalloc(1, sizeof(*u));
	uint64_t header_end = offset < s.n && s.n - offset > HEADER_MAX ? offset + HEADER_MAX : s.n;

	if (offset >= s.n || dw_section_upto(f, id, header_end) < header_end)
		goto none;
	cursor_bytes(&c, offset);
	u->file = f;
	u->types = types;
	u->start = c.p;
	u->offset = offset;
	u->size = (uint32_t)read_length(&c, &u->off_size);
	*next = offset + u->size;
	if (!u->size || !cursor_left(&c))
		goto none;
	c.end = u->start + u->size;
	if (!read_header(u, &c))
		goto none;
	u->root = (uint32_t)(c.p - u->start);
	u->abbrev_bytes = dw_section_place(f, DW_SEC_ABBREV);
	u->str_offsets = dw_section(f, DW_SEC_STR_OFFSETS);
	u->rnglists = dw_section(f, DW_SEC_RNGLISTS);
	u->id = (uint32_t)f->di->units.n;
	vec_push(&f->di->units, u);
	return u;
none:
	*next = u->size ? *next : 0;
	free(u);
	return NULL;
}

void dw_unit_free(struct dw_unit *u)
{
	dw_dies_free(u->dies);
	free(u);
}

/* The unit at AT of a section; where the next one begins, 0: nowhere. */
static uint64_t list_one(struct dw_file *f, bool types, uint64_t at)
{
	uint64_t next;
	struct dw_unit *u = dw_unit_new(f, types, at, &next);

	if (u) {
		vec_push(&f->units, u);
		f->nr_info_units += !types;
		if (u->type == DW_UT_type || u->type == DW_UT_split_type)
			hashidx_add(&f->by_signature, hash_u64(u->signature), u->id);
	}
	return next;
}

/* The headers of the units of .debug_info, up to the one with OFFSET inside. */
static void list_upto(struct dw_file *f, uint64_t offset)
{
	uint64_t n = dw_section_place(f, DW_SEC_INFO).n;

	while (!f->info_listed && f->listed <= offset) {
		uint64_t next = f->listed < n ? list_one(f, false, f->listed) : 0;

		if (next)
			f->listed = next;
		else
			f->info_listed = true;
	}
}

void dw_file_list_units(struct dw_file *f)
{
	uint64_t at = 0, n;

	if (f->units_listed)
		return;
	f->units_listed = true;
	if (dw_section(f, DW_SEC_INFO).n)
		list_upto(f, UINT64_MAX);
	n = dw_section(f, DW_SEC_TYPES).n;
	while (at < n && (at = list_one(f, true, at)))
		;
}

struct dw_unit *dw_file_unit_at(struct dw_file *f, uint64_t offset)
{
	size_t lo = 0, hi;

	list_upto(f, offset);
	hi = f->nr_info_units;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct dw_unit *u = f->units.v[mid];

		if (offset < u->offset)
			hi = mid;
		else if (offset - u->offset >= u->size)
			lo = mid + 1;
		else
			return u;
	}
	return NULL;
}

struct dw_unit *dw_file_type_unit(struct dw_file *f, uint64_t signature)
{
	struct hashidx_iter it;
	uint32_t id;

	dw_file_list_units(f);
	it = hashidx_first(&f->by_signature, hash_u64(signature));
	while ((id = hashidx_next(&f->by_signature, &it)) != HASHIDX_NONE)
		if (f->di->units.v[id]->signature == signature)
			return f->di->units.v[id];
	return NULL;
}

/* Attributes whose meaning depends on others of the same DIE. */
struct root {
	struct dw_value name, comp_dir, dwo_name, producer;
};

static void root_attr(struct dw_unit *u, uint16_t name, const struct dw_value *v, struct root *r)
{
	switch (name) {
	case DW_AT_name:
		r->name = *v;
		break;
	case DW_AT_comp_dir:
		r->comp_dir = *v;
		break;
	case DW_AT_producer:
		r->producer = *v;
		break;
	case DW_AT_dwo_name:
	case DW_AT_GNU_dwo_name:
		r->dwo_name = *v;
		break;
	case DW_AT_GNU_dwo_id:
		u->signature = v->u;
		break;
	case DW_AT_low_pc:
		u->pcs.low = *v;
		break;
	case DW_AT_high_pc:
		u->pcs.high = *v;
		break;
	case DW_AT_ranges:
		u->pcs.ranges = *v;
		break;
	case DW_AT_stmt_list:
		u->stmt_list = v->u;
		u->has_stmt_list = true;
		break;
	case DW_AT_language:
		u->language = (uint16_t)v->u;
		break;
	case DW_AT_str_offsets_base:
		u->str_offsets_base = v->u;
		break;
	case DW_AT_addr_base:
	case DW_AT_GNU_addr_base:
		u->addr_base = v->u;
		break;
	case DW_AT_rnglists_base:
		u->rnglists_base = v->u;
		break;
	case DW_AT_GNU_ranges_base:
		u->ranges_base = v->u;
		break;
	default:
		break;
	}
}

/* Bases that a unit needn't state: the first byte behind a version 5 table's header. */
static void default_bases(struct dw_unit *u)
{
	if (u->version < 5)
		return;
	u->str_offsets_base = u->off_size == 8 ? 16 : 8;
	u->addr_base = u->off_size == 8 ? 16 : 8;
	u->rnglists_base = u->off_size == 8 ? 20 : 12;
}

/* Its bytes, which may have to be inflated yet. */
static bool has_bytes(struct dw_unit *u)
{
	uint64_t end = u->offset + u->size;

	return dw_section_upto(u->file, u->types ? DW_SEC_TYPES : DW_SEC_INFO, end) >= end;
}

bool dw_unit_prepare(struct dw_unit *u)
{
	struct root r = { 0 };
	const struct dw_abbrev *ab;
	struct cursor c;

	if (u->prepared)
		return !u->broken;
	u->prepared = true;
	u->broken = true;
	u->abbrevs = has_bytes(u) ? dw_abbrevs_of(u) : NULL;
	if (!u->abbrevs)
		return false;
	u->broken = false;
	default_bases(u);
	ab = dw_die_open(u, u->root, &c);
	u->broken = !ab;
	if (!ab)
		return false;
	for (uint32_t i = 0; i < ab->nr_attrs && !c.bad; i++) {
		const struct dw_attr *at = &u->abbrevs->attrs.v[ab->attrs + i];
		struct dw_value v;

		dw_form_read(u, &c, at, &v);
		if (v.form)
			root_attr(u, at->name, &v, &r);
	}
	u->name = dw_value_string(u, &r.name);
	u->comp_dir = dw_value_string(u, &r.comp_dir);
	u->dwo_name = dw_value_string(u, &r.dwo_name);
	u->producer = dw_value_string(u, &r.producer);
	if (!dw_value_addr(u, &u->pcs.low, &u->low_pc))
		u->low_pc = 0;
	return true;
}

const struct dw_abbrev *dw_die_open(struct dw_unit *u, uint32_t off, struct cursor *c)
{
	uint64_t code;

	if (!dw_unit_prepare(u))
		return NULL;
	*c = dw_unit_cursor(u, off);
	code = dw_uleb(c);
	return c->bad || !code ? NULL : dw_abbrev_find(u->abbrevs, code);
}
