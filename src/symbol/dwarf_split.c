/* SPDX-License-Identifier: MIT */
/*
 * Split units: the skeleton in the main file has the addresses and the line table, the DIEs are
 * in a .dwo file, or in a .dwp package made of many of them (DWARF 5, section 7.3; before that
 * GNU's "DebugFission" extension of DWARF 4, whose package index is version 2).
 *
 * A .dwo is looked for where the compiler put it and beside the program, a .dwp beside the
 * program, wherever that is or was; the 64-bit id in both halves must be the same.
 */
#include "base/strbuf.h"
#include "symbol/dwarf_private.h"

/* --- package --- */

/* Columns of the index; the numbers differ between the versions. */
enum {
	SECT_INFO = 1,
	SECT_ABBREV = 3,
	SECT_STR_OFFSETS = 6,
	SECT_RNGLISTS = 8, /* version 5 only */
};

struct package_index {
	struct dw_bytes bytes;
	bool be;
	uint32_t version, columns, units, slots;
	size_t hashes, rows, ids, offsets, sizes; /* where in the bytes */
};

static uint64_t index_number(const struct package_index *ix, size_t table, uint64_t i,
			     unsigned size)
{
	struct cursor c = cursor_init(ix->bytes.p, ix->bytes.n, ix->be);

	cursor_bytes(&c, table);
	cursor_bytes(&c, i * size);
	return dw_fixed(&c, size);
}

static bool read_index(struct dw_file *f, struct package_index *ix)
{
	struct dw_bytes b = dw_section(f, DW_SEC_CU_INDEX);
	struct cursor c = cursor_init(b.p, b.n, f->be);
	uint64_t cells;

	ix->bytes = b;
	ix->be = f->be;
	ix->version = cursor_u32(&c);
	if (ix->version != 2) /* version 5 has two bytes and two of padding */
		ix->version = b.n >= 2 ? get_u16(b.p, f->be) : 0;
	ix->columns = cursor_u32(&c);
	ix->units = cursor_u32(&c);
	ix->slots = cursor_u32(&c);
	if (c.bad || (ix->version != 2 && ix->version != 5) || !ix->slots ||
	    (ix->slots & (ix->slots - 1)) || ix->columns > 32)
		return false;
	cells = (uint64_t)ix->columns * ix->units;
	if ((uint64_t)ix->slots * 12 + (uint64_t)ix->columns * 4 + cells * 8 > cursor_left(&c))
		return false;
	ix->hashes = 16;
	ix->rows = ix->hashes + (size_t)ix->slots * 8;
	ix->ids = ix->rows + (size_t)ix->slots * 4;
	ix->offsets = ix->ids + (size_t)ix->columns * 4;
	ix->sizes = ix->offsets + (size_t)cells * 4;
	return true;
}

/* The row of the unit, from 0; DW_NONE when it isn't in the package. */
static uint32_t find_row(const struct package_index *ix, uint64_t id)
{
	uint64_t mask = ix->slots - 1, slot = id & mask, step = ((id >> 32) & mask) | 1;

	for (uint32_t i = 0; i < ix->slots; i++, slot = (slot + step) & mask) {
		uint32_t row = (uint32_t)index_number(ix, ix->rows, slot, 4);

		if (!row)
			break;
		if (index_number(ix, ix->hashes, slot, 8) == id)
			return row <= ix->units ? row - 1 : DW_NONE;
	}
	return DW_NONE;
}

/* The unit's part of a section; the whole section when the index has no such column. */
static struct dw_bytes part(const struct package_index *ix, uint32_t row, uint32_t column_id,
			    struct dw_bytes whole)
{
	for (uint32_t i = 0; i < ix->columns; i++) {
		uint64_t off, size, cell = (uint64_t)row * ix->columns + i;

		if (index_number(ix, ix->ids, i, 4) != column_id)
			continue;
		off = index_number(ix, ix->offsets, cell, 4);
		size = index_number(ix, ix->sizes, cell, 4);
		if (off > whole.n || size > whole.n - off)
			return (struct dw_bytes){ whole.p, 0 };
		return (struct dw_bytes){ whole.p + off, (size_t)size };
	}
	return whole;
}

static struct dw_unit *package_unit(struct dw_file *f, uint64_t id)
{
	struct dw_bytes info = dw_section_place(f, DW_SEC_INFO);
	struct package_index ix;
	struct dw_unit *u;
	uint32_t row;
	uint64_t next;

	if (!read_index(f, &ix) || (row = find_row(&ix, id)) == DW_NONE)
		return NULL;
	u = dw_unit_new(f, false, (uint64_t)(part(&ix, row, SECT_INFO, info).p - info.p), &next);
	if (!u)
		return NULL;
	u->abbrev_bytes = part(&ix, row, SECT_ABBREV, u->abbrev_bytes);
	u->str_offsets = part(&ix, row, SECT_STR_OFFSETS, u->str_offsets);
	if (ix.version == 5)
		u->rnglists = part(&ix, row, SECT_RNGLISTS, u->rnglists);
	return u;
}

static struct dw_file *package_of(struct dwarf_index *di)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < di->programs.n && !di->package_tried && !di->package; i++) {
		strbuf_clear(&sb);
		strbuf_addf(&sb, "%s.dwp", di->programs.v[i]);
		di->package = dw_file_open(di, strbuf_str(&sb), true);
	}
	di->package_tried = true;
	strbuf_release(&sb);
	return di->package;
}

/* --- one .dwo --- */

/* Opened once, also when it isn't there. */
static struct dw_file *dwo_file(struct dwarf_index *di, const char *path)
{
	uint64_t hash = hash_bytes(path, strlen(path));
	struct hashidx_iter it = hashidx_first(&di->other_index, hash);
	struct dw_file *f;
	uint32_t id;

	while ((id = hashidx_next(&di->other_index, &it)) != HASHIDX_NONE)
		if (!strcmp(di->others.v[id]->path, path))
			return di->others.v[id];
	f = dw_file_open(di, path, true);
	if (f) {
		hashidx_add(&di->other_index, hash, (uint32_t)di->others.n);
		vec_push(&di->others, f);
	}
	return f;
}

static struct dw_unit *unit_in(struct dw_file *f, uint64_t id)
{
	dw_file_list_units(f);
	for (size_t i = 0; i < f->nr_info_units; i++) {
		struct dw_unit *u = f->units.v[i];

		if (u->type == DW_UT_split_type || u->type == DW_UT_type)
			continue;
		/* up to version 4 the id is in the root DIE */
		if (dw_unit_prepare(u) && u->signature == id)
			return u;
	}
	return NULL;
}

/* DIR, if there is one, and NAME. */
static struct dw_unit *try_dwo(struct dw_unit *u, const char *dir, size_t dir_len, const char *name)
{
	struct strbuf sb = STRBUF_INIT;
	struct dw_file *f;

	if (dir_len) {
		strbuf_add(&sb, dir, dir_len);
		strbuf_addc(&sb, '/');
	}
	strbuf_adds(&sb, name);
	f = dwo_file(u->file->di, strbuf_str(&sb));
	strbuf_release(&sb);
	return f ? unit_in(f, u->signature) : NULL;
}

static struct dw_unit *beside(struct dw_unit *u, const char *program)
{
	const char *slash = strrchr(program, '/'), *base = strrchr(u->dwo_name, '/');
	size_t here = slash ? (size_t)(slash - program) : 0;
	struct dw_unit *s = NULL;

	if (u->dwo_name[0] != '/')
		s = try_dwo(u, program, here, u->dwo_name);
	if (!s && base)
		s = try_dwo(u, program, here, base + 1);
	return s;
}

static struct dw_unit *find_dwo(struct dw_unit *u)
{
	const struct dwarf_index *di = u->file->di;
	struct dw_unit *s;

	if (u->dwo_name[0] == '/')
		s = try_dwo(u, NULL, 0, u->dwo_name);
	else
		s = try_dwo(u, u->comp_dir, u->comp_dir ? strlen(u->comp_dir) : 0, u->dwo_name);
	for (size_t i = 0; !s && i < di->programs.n; i++)
		s = beside(u, di->programs.v[i]);
	return s;
}

struct dw_unit *dw_unit_split(struct dw_unit *u)
{
	struct dw_file *package;

	if (u->split_tried)
		return u->split;
	u->split_tried = true;
	if (!dw_unit_prepare(u) || !u->dwo_name || u->file != u->file->di->file)
		return NULL;
	package = package_of(u->file->di);
	if (package)
		u->split = package_unit(package, u->signature);
	if (!u->split)
		u->split = find_dwo(u);
	if (!u->split)
		u->file->di->stats.missing++;
	if (u->split && !u->split->skeleton)
		u->split->skeleton = u;
	return u->split;
}
