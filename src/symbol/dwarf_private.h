/* SPDX-License-Identifier: MIT */
/*
 * What the dwarf_*.c files share; nobody else includes this.
 *
 *	dwarf_file.c	an ELF file as a set of debug sections: the main one, .dwo, .dwp, dwz's
 *	dwarf_split.c	which .dwo or .dwp has the other half of a skeleton unit
 *	dwarf_form.c	one attribute value; strings, addresses and references
 *	dwarf_abbrev.c	abbreviation tables, compiled into what a walk needs
 *	dwarf_unit.c	unit headers and their root DIE
 *	dwarf_aranges.c	which unit has an address, as .debug_aranges says
 *	dwarf_ranges.c	range lists
 *	dwarf_map.c	nested intervals -> disjoint ones, binary search
 *	dwarf_die.c	the walk over a unit's DIEs -> map of addresses to inline nodes
 *	dwarf_line.c	line programs
 *	dwarf_name.c	names of functions and their scopes
 *	dwarf.c		open, lookup
 *
 * The bytes of a section live as long as the file; everything belongs to the dwarf_index.  All
 * of it is one thread's.  Failure to decode is never an error for the caller: what was found up
 * to there is used.
 */
#ifndef PERFREP_SYMBOL_DWARF_PRIVATE_H
#define PERFREP_SYMBOL_DWARF_PRIVATE_H

#include <dwarf.h>
#include <libelf.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/hashidx.h"
#include "base/intern.h"
#include "base/vec.h"
#include "symbol/dwarf.h"

#define DW_NONE UINT32_MAX

struct dw_unit;

struct dw_bytes {
	const uint8_t *p;
	size_t n;
};

struct dw_span {
	uint64_t lo, hi; /* [lo, hi) */
};

/* --- dwarf_file.c --- */

enum dw_section_id {
	DW_SEC_INFO,
	DW_SEC_TYPES,
	DW_SEC_ABBREV,
	DW_SEC_LINE,
	DW_SEC_STR,
	DW_SEC_LINE_STR,
	DW_SEC_RANGES,
	DW_SEC_RNGLISTS,
	DW_SEC_ADDR,
	DW_SEC_ARANGES,
	DW_SEC_STR_OFFSETS,
	DW_SEC_CU_INDEX,
	DW_SEC_ALTLINK,
	DW_SEC_SUP,
	DW_SEC_BUILD_ID,
	DW_NR_SECS
};

struct dw_section {
	size_t scn; /* index in the ELF file, 0: there is none */
	bool opened;
	struct dw_bytes bytes;
	struct deflate *z; /* it is inflated as far as is asked for; NULL: all is there */
};

struct dw_abbrevs;

struct dw_file {
	struct dwarf_index *di;
	char *path;
	int fd;
	Elf *elf;
	bool be;
	bool relocatable; /* ET_REL */
	bool split; /* a .dwo or .dwp: the sections' names end in .dwo */
	struct dw_section sec[DW_NR_SECS];
	VEC(struct dw_span) code; /* executable sections, sorted, disjoint */
	VEC(struct dw_span) stubs; /* those of the linker's stubs */
	VEC(struct dw_unit *) units; /* .debug_info's, by offset, then .debug_types' */
	size_t nr_info_units;
	uint64_t listed; /* bytes of .debug_info whose units are in the list */
	bool info_listed, units_listed; /* all of them, with .debug_types' */
	struct hashidx by_signature; /* type units */
	VEC(struct dw_abbrevs *) abbrevs;
	struct hashidx abbrev_index;
	uint64_t abbrev_bytes; /* decoded so far */
	bool alt_tried;
	struct dw_file *alt; /* dwz's common file */
};

/* Takes FD over, also on failure (NULL). */
struct dw_file *dw_file_new(struct dwarf_index *di, int fd, const char *path, bool split,
			    struct err *err);
/* By path, if it is a regular file; else NULL. */
struct dw_file *dw_file_open(struct dwarf_index *di, const char *path, bool split);
void dw_file_free(struct dw_file *f);
/* Empty when there is no such section.  Inflated as a whole. */
struct dw_bytes dw_section(struct dw_file *f, enum dw_section_id id);
/* Where it is and its size: only the bytes that dw_section_upto() was asked for are there. */
struct dw_bytes dw_section_place(struct dw_file *f, enum dw_section_id id);
/* Bytes of it that are there: END at the least, unless it is smaller or damaged. */
size_t dw_section_upto(struct dw_file *f, enum dw_section_id id, uint64_t end);
/* The file that dwz moved common parts to, or NULL. */
struct dw_file *dw_file_alt(struct dw_file *f);
/*
 * Whether code can be at ADDR: what the linker threw away was left with addresses that are in no
 * executable section (0, 1, -1, -2 or a small offset).
 */
bool dw_file_has_code(const struct dw_file *f, uint64_t addr);
/* Whether ADDR is in a procedure linkage table, of which no unit tells. */
bool dw_file_has_stub(const struct dw_file *f, uint64_t addr);

/* --- dwarf_abbrev.c --- */

enum dw_kind {
	DW_KIND_PLAIN, /* nothing to see; its children may have something */
	DW_KIND_CODE, /* a subprogram with addresses, or an inlined subroutine */
	DW_KIND_FUNCTION, /* a subprogram without addresses */
	DW_KIND_SCOPE, /* namespace or type that names can be in; functions are scopes too */
	DW_KIND_CLOSED, /* no code and no scope below */
};

struct dw_attr {
	uint16_t name, form;
	uint32_t implicit; /* DW_FORM_implicit_const's value */
};

/* Go ADD bytes forward, then past one value whose size is in the bytes. */
struct dw_skip {
	uint32_t add;
	uint16_t form;
};

/* Go ADD bytes forward, then read an attribute. */
struct dw_read {
	uint32_t add;
	uint32_t attr; /* in the table */
};

struct dw_abbrev {
	uint64_t code;
	uint32_t attrs, skips; /* first, in the table */
	uint32_t nr_attrs, nr_skips;
	uint32_t tail; /* bytes after the last skip */
	uint32_t reads, nr_reads, reads_tail; /* the same for DW_KIND_CODE, with what is of use */
	uint32_t sibling; /* where DW_AT_sibling's value is, DW_NONE: not known */
	uint16_t sibling_form;
	uint16_t tag;
	uint8_t kind;
	bool children;
	bool known; /* false: has a form we can't pass */
};

struct dw_abbrevs {
	uint64_t offset;
	uint8_t addr_size, off_size;
	bool v2;
	bool dense; /* code n is entry n - 1 */
	VEC(struct dw_abbrev) abbrevs; /* by code */
	VEC(struct dw_attr) attrs;
	VEC(struct dw_skip) skips;
	VEC(struct dw_read) reads;
};

/* The table of the unit, decoded once; NULL when the bytes make no sense. */
const struct dw_abbrevs *dw_abbrevs_of(struct dw_unit *u);
void dw_abbrevs_free(struct dw_abbrevs *t);
const struct dw_abbrev *dw_abbrev_search(const struct dw_abbrevs *t, uint64_t code);

static inline const struct dw_abbrev *dw_abbrev_find(const struct dw_abbrevs *t, uint64_t code)
{
	if (t->dense)
		return code - 1 < t->abbrevs.n ? &t->abbrevs.v[code - 1] : NULL;
	return dw_abbrev_search(t, code);
}

/* --- dwarf_form.c --- */

struct dw_value {
	uint16_t form; /* never DW_FORM_indirect; 0: no value */
	uint64_t u; /* number, offset, index; length of a block */
	const uint8_t *p; /* block or string */
};

/* A DIE: OFF counts from the unit's header.  u is NULL: none. */
struct dw_pos {
	struct dw_unit *u;
	uint32_t off;
};

uint64_t dw_uleb_long(struct cursor *c);
int64_t dw_sleb(struct cursor *c);

static inline uint64_t dw_uleb(struct cursor *c)
{
	if (c->p < c->end && *c->p < 0x80)
		return *c->p++;
	return dw_uleb_long(c);
}

/* A number of SIZE bytes: 1, 2, 3, 4 or 8; others are bad. */
uint64_t dw_fixed(struct cursor *c, unsigned size);
/* Bytes of FORM's values, or -1 when that is in the bytes, -2 when the form is unknown. */
int dw_form_size(uint16_t form, uint8_t addr_size, uint8_t off_size, bool v2);
/* Past a value whose size is in the bytes. */
void dw_form_skip(const struct dw_unit *u, struct cursor *c, uint16_t form);
void dw_form_read(const struct dw_unit *u, struct cursor *c, const struct dw_attr *at,
		  struct dw_value *v);
/* NULL, or false, or no unit, when the value isn't of that class or points nowhere. */
const char *dw_value_string(struct dw_unit *u, const struct dw_value *v);
bool dw_value_addr(struct dw_unit *u, const struct dw_value *v, uint64_t *addr);
bool dw_addrx(struct dw_unit *u, uint64_t index, uint64_t *addr);
struct dw_pos dw_value_ref(struct dw_unit *u, const struct dw_value *v);

/* --- dwarf_unit.c --- */

struct dw_dies;
struct dw_lines;

struct dw_pcs {
	struct dw_value low, high, ranges;
};

struct dw_unit {
	struct dw_file *file;
	uint32_t id; /* in di->units */
	bool types; /* lies in .debug_types */
	const uint8_t *start; /* the header */
	uint32_t size; /* with it */
	uint64_t offset; /* in the section */
	uint32_t root; /* of the root DIE */
	uint16_t version;
	uint8_t type; /* DW_UT_*, 0 when the version has none */
	uint8_t addr_size, off_size;
	uint64_t abbrev_offset;
	uint64_t signature; /* of a type unit, or the dwo id */
	uint32_t type_off; /* the type of a type unit */

	bool in_aranges; /* .debug_aranges has addresses of it */
	bool prepared, broken;
	const struct dw_abbrevs *abbrevs;
	/* this unit's part of sections: the whole one, but in a package */
	struct dw_bytes abbrev_bytes, str_offsets, rnglists;
	struct dw_unit *skeleton; /* of a split unit */
	uint64_t str_offsets_base, addr_base, rnglists_base, ranges_base;
	struct dw_pcs pcs;
	uint64_t low_pc; /* base of range lists */
	uint64_t stmt_list;
	bool has_stmt_list;
	uint16_t language;
	const char *name, *comp_dir, *dwo_name, *producer;

	bool split_tried;
	struct dw_unit *split; /* of a skeleton */
	struct dw_dies *dies;
	bool lines_tried;
	struct dw_lines *lines; /* borrowed from the index */
};

static inline struct cursor dw_unit_cursor(const struct dw_unit *u, uint32_t off)
{
	struct cursor c = cursor_init(u->start, u->size, u->file->be);

	c.p += off < u->size ? off : u->size;
	return c;
}

/* Read the headers of all units of F. */
void dw_file_list_units(struct dw_file *f);
/* The unit of .debug_info with that offset inside, or NULL. */
struct dw_unit *dw_file_unit_at(struct dw_file *f, uint64_t offset);
struct dw_unit *dw_file_type_unit(struct dw_file *f, uint64_t signature);
/* One unit at OFFSET of a section; NULL when there is none that we know. */
struct dw_unit *dw_unit_new(struct dw_file *f, bool types, uint64_t offset, uint64_t *next);
void dw_unit_free(struct dw_unit *u);
/* Read the root DIE; false when the unit is of no use. */
bool dw_unit_prepare(struct dw_unit *u);
/* The cursor stands behind the abbreviation code; NULL at a null entry or nonsense. */
const struct dw_abbrev *dw_die_open(struct dw_unit *u, uint32_t off, struct cursor *c);

/* --- dwarf_aranges.c --- */

struct dw_arange {
	uint64_t lo, hi;
	uint64_t unit; /* offset in .debug_info */
};

struct dw_aranges {
	VEC(struct dw_arange) list; /* sorted and disjoint; empty: nothing is known */
};

void dw_aranges_read(struct dw_aranges *a, struct dw_file *f);
/* The unit of F that has ADDR, or NULL: they don't tell. */
struct dw_unit *dw_aranges_find(const struct dw_aranges *a, struct dw_file *f, uint64_t addr);
/* Whether ADDR is in the ranges that U itself has. */
bool dw_unit_claims(struct dw_unit *u, uint64_t addr);

/* --- dwarf_split.c --- */

/* The unit in a .dwo or .dwp that belongs to the skeleton U, or NULL. */
struct dw_unit *dw_unit_split(struct dw_unit *u);

/* --- dwarf_ranges.c --- */

struct dw_spans {
	VEC(struct dw_span) list;
};

/* Append those that have code, MAX at most. */
void dw_ranges_read(struct dw_unit *u, const struct dw_pcs *pcs, struct dw_spans *out, size_t max);
/* How many ranges the range lists of U can have at all. */
size_t dw_ranges_limit(struct dw_unit *u);

/* --- dwarf_map.c --- */

struct dw_interval {
	uint64_t lo, hi;
	uint32_t id;
};

struct dw_intervals {
	VEC(struct dw_interval) list;
};

/* Disjoint and sorted: from pc[i] up to pc[i + 1] it is id[i], DW_NONE in holes. */
struct dw_map {
	uint64_t *pc;
	uint32_t *id;
	size_t n;
};

/* Where intervals overlap, the highest id has it.  IN is used up. */
void dw_map_build(struct dw_map *m, struct dw_intervals *in);
uint32_t dw_map_find(const struct dw_map *m, uint64_t addr);
void dw_map_release(struct dw_map *m);

/* --- dwarf_die.c --- */

/* A function or one inlined call in it. */
struct dw_node {
	uint32_t unit, off; /* the DIE that has the name */
	uint32_t parent; /* what it is inlined into; DW_NONE: a function */
	uint32_t call_file, call_line;
};

struct dw_scope {
	uint32_t off, end; /* in the unit */
	uint32_t parent; /* in the array */
	bool jumped; /* what is inside was not looked at */
};

struct dw_dies {
	struct dw_map map;
	VEC(struct dw_node) nodes;
	VEC(struct dw_scope) scopes; /* by off */
};

/* The index of U, made at the first call. */
struct dw_dies *dw_unit_dies(struct dw_unit *u);
void dw_dies_free(struct dw_dies *d);
/* Past the attributes of a DIE. */
static inline void dw_die_skip(const struct dw_unit *u, const struct dw_abbrev *ab,
			       struct cursor *c)
{
	const struct dw_skip *s = u->abbrevs->skips.v + ab->skips;

	for (uint32_t i = 0; i < ab->nr_skips; i++) {
		cursor_bytes(c, s[i].add);
		dw_form_skip(u, c, s[i].form);
	}
	cursor_bytes(c, ab->tail);
}

/* --- dwarf_line.c --- */

/* The line table of U, or NULL. */
struct dw_lines *dw_unit_lines(struct dw_unit *u);
bool dw_lines_find(const struct dw_lines *l, uint64_t addr, uint32_t *file, uint32_t *line);
/* The full path of file number FILE, or NULL. */
const char *dw_lines_path(struct dw_lines *l, uint32_t file);
void dw_lines_free(struct dw_lines *l);

/* --- dwarf_name.c --- */

struct dw_name {
	uint64_t key; /* unit << 32 | off */
	const char *linkage, *name, *scope;
};

struct dw_names {
	VEC(struct dw_name) list;
	struct hashidx index;
	struct intern scopes;
	uint64_t looked_at; /* bytes of types that were searched once more */
};

const struct dw_name *dw_name_of(struct dwarf_index *di, uint32_t unit, uint32_t off);
void dw_names_release(struct dw_names *n);

/* --- dwarf.c --- */

struct dw_range {
	uint64_t lo, hi;
	uint64_t max_hi; /* of this and all before */
	uint32_t unit;
};

struct dwarf_index {
	struct dw_file *file;
	VEC(struct dw_file *) others; /* .dwo files */
	struct hashidx other_index;
	VEC(char *) programs; /* paths beside which further debug data may be; the file's own first */
	bool package_tried;
	struct dw_file *package; /* .dwp */
	VEC(struct dw_unit *) units; /* of all files; by dw_unit.id */
	VEC(struct dw_range) ranges; /* by lo */
	struct dw_map unit_map;
	struct dw_aranges aranges; /* used until an address comes that isn't in them */
	bool complete; /* `ranges` and `unit_map` are of all units */
	bool rangeless_done;
	bool no_lines;
	struct dw_names names;
	VEC(struct dw_lines *) lines;
	struct hashidx line_index;
	uint64_t line_bytes; /* decoded so far */
	struct arena arena;
	VEC(struct dwarf_frame) frames;
	struct dwarf_index_stats stats;
};

#endif
