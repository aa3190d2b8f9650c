/* SPDX-License-Identifier: MIT */
/*
 * Abbreviation tables, compiled for the walk.
 *
 * Nearly all DIEs are of no interest and only have to be passed.  So each abbreviation is turned
 * into "add so many bytes, pass one value of varying size, add …": neighbouring values of fixed
 * size become one addition, and for most abbreviations of GCC that is all there is.
 *
 * Tables are kept by offset, as many units may share one (dwz makes them do so).  Overlapping
 * tables only exist in made-up files; decoding stops when more bytes than the section can have
 * in tables that don't overlap were decoded.
 */
#include "symbol/dwarf_private.h"

#include "base/bisect.h"

static bool has_attr(const struct dw_abbrevs *t, const struct dw_abbrev *ab, uint16_t name)
{
	for (uint32_t i = 0; i < ab->nr_attrs; i++)
		if (t->attrs.v[ab->attrs + i].name == name)
			return true;
	return false;
}

static enum dw_kind kind_of(const struct dw_abbrevs *t, const struct dw_abbrev *ab)
{
	switch (ab->tag) {
	case DW_TAG_inlined_subroutine:
		return DW_KIND_CODE;
	case DW_TAG_subprogram:
		if (has_attr(t, ab, DW_AT_declaration))
			return DW_KIND_CLOSED;
		/* an abstract one may hold lambdas with code */
		return has_attr(t, ab, DW_AT_low_pc) || has_attr(t, ab, DW_AT_ranges)
			       ? DW_KIND_CODE
			       : DW_KIND_FUNCTION;
	case DW_TAG_namespace:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_module:
		return ab->children ? DW_KIND_SCOPE : DW_KIND_PLAIN;
	case DW_TAG_enumeration_type:
		/* Rust's enumerations of plain values have methods */
		return ab->children ? DW_KIND_SCOPE : DW_KIND_PLAIN;
	case DW_TAG_array_type:
	case DW_TAG_subroutine_type:
	case DW_TAG_call_site:
	case DW_TAG_GNU_call_site:
	case DW_TAG_formal_parameter:
	case DW_TAG_variable:
		return DW_KIND_CLOSED;
	default:
		return DW_KIND_PLAIN;
	}
}

/* Fill in how to pass the attributes, and where DW_AT_sibling is if that is fixed. */
static void compile(struct dw_abbrevs *t, struct dw_abbrev *ab)
{
	uint32_t add = 0;

	ab->skips = (uint32_t)t->skips.n;
	ab->sibling = DW_NONE;
	ab->known = true;
	for (uint32_t i = 0; i < ab->nr_attrs; i++) {
		const struct dw_attr *at = &t->attrs.v[ab->attrs + i];
		int size = dw_form_size(at->form, t->addr_size, t->off_size, t->v2);

		if (at->name == DW_AT_sibling && t->skips.n == ab->skips && size > 0) {
			ab->sibling = add;
			ab->sibling_form = at->form;
		}
		if (size >= 0) {
			add += (uint32_t)size;
		} else {
			ab->known &= size == -1;
			vec_push(&t->skips, (struct dw_skip){ add, at->form });
			add = 0;
		}
	}
	ab->nr_skips = (uint32_t)(t->skips.n - ab->skips);
	ab->tail = add;
	ab->kind = (uint8_t)kind_of(t, ab);
}

/* What the walk wants to know of functions and calls. */
static bool is_of_use(uint16_t name)
{
	switch (name) {
	case DW_AT_low_pc:
	case DW_AT_high_pc:
	case DW_AT_ranges:
	case DW_AT_call_file:
	case DW_AT_call_line:
	case DW_AT_abstract_origin:
		return true;
	default:
		return false;
	}
}

/* Fill in how to read these, and pass the others: one step for each of them, or of varying size. */
static void compile_reads(struct dw_abbrevs *t, struct dw_abbrev *ab)
{
	uint32_t add = 0;

	ab->reads = (uint32_t)t->reads.n;
	for (uint32_t i = ab->attrs; i < ab->attrs + ab->nr_attrs; i++) {
		const struct dw_attr *at = &t->attrs.v[i];
		int size = dw_form_size(at->form, t->addr_size, t->off_size, t->v2);

		if (size >= 0 && !is_of_use(at->name)) {
			add += (uint32_t)size;
		} else {
			vec_push(&t->reads, (struct dw_read){ add, i });
			add = 0;
		}
	}
	ab->nr_reads = (uint32_t)t->reads.n - ab->reads;
	ab->reads_tail = add;
}

/* One entry; false at the end of the table or of the bytes. */
static bool read_abbrev(struct dw_abbrevs *t, struct cursor *c)
{
	struct dw_abbrev ab = { .code = dw_uleb(c) };
	uint64_t tag, name, form;

	if (!ab.code || c->bad)
		return false;
	tag = dw_uleb(c);
	ab.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
	ab.children = cursor_u8(c) != 0;
	ab.attrs = (uint32_t)t->attrs.n;
	while (name = dw_uleb(c), form = dw_uleb(c), !c->bad && (name || form)) {
		struct dw_attr at = {
			.name = name <= UINT16_MAX ? (uint16_t)name : UINT16_MAX,
			.form = form <= UINT16_MAX ? (uint16_t)form : 0,
		};

		if (form == DW_FORM_implicit_const) {
			int64_t v = dw_sleb(c);

			/* files, lines, flags: what doesn't fit is of no attribute that is read */
			at.implicit = v < 0 || v > UINT32_MAX ? UINT32_MAX : (uint32_t)v;
		}
		vec_push(&t->attrs, at);
	}
	if (c->bad || t->attrs.n >= UINT32_MAX / 2)
		return false;
	ab.nr_attrs = (uint32_t)t->attrs.n - ab.attrs;
	compile(t, &ab);
	if (ab.kind == DW_KIND_CODE)
		compile_reads(t, &ab);
	vec_push(&t->abbrevs, ab);
	if (ab.code != t->abbrevs.n)
		t->dense = false;
	return true;
}

static int by_code(const void *a, const void *b)
{
	const struct dw_abbrev *x = a, *y = b;

	if (x->code != y->code)
		return x->code < y->code ? -1 : 1;
	return x->attrs < y->attrs ? -1 : x->attrs > y->attrs;
}

const struct dw_abbrev *dw_abbrev_search(const struct dw_abbrevs *t, uint64_t code)
{
	size_t at = bisect(i, t->abbrevs.n, t->abbrevs.v[i].code < code);

	return at < t->abbrevs.n && t->abbrevs.v[at].code == code ? &t->abbrevs.v[at] : NULL;
}

/* From C; false: the table has not ended there. */
static bool read_table(struct dw_abbrevs *t, struct cursor *c)
{
	t->dense = true;
	while (read_abbrev(t, c))
		;
	return !c->bad;
}

static void clear(struct dw_abbrevs *t)
{
	t->abbrevs.n = t->attrs.n = t->skips.n = t->reads.n = 0;
}

/* OFFSET counts from the section's begin; how long a table is tells only its end. */
static struct dw_abbrevs *decode(struct dw_unit *u, uint64_t offset)
{
	struct dw_file *f = u->file;
	struct dw_bytes whole = dw_section_place(f, DW_SEC_ABBREV), part = u->abbrev_bytes;
	size_t end = (size_t)(part.p - whole.p) + part.n, room = 1 << 14, ready;
	struct dw_abbrevs *t;
	struct cursor c;

	if (offset >= end || f->abbrev_bytes > 4 * (uint64_t)whole.n)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->offset = offset;
	t->addr_size = u->addr_size;
	t->off_size = u->off_size;
	t->v2 = u->version == 2;
	do {
		ready = dw_section_upto(f, DW_SEC_ABBREV,
					room < end - offset ? offset + room : end);
		ready = ready < end ? ready : end;
		clear(t);
		if (ready <= offset)
			break;
		c = cursor_init(whole.p + offset, ready - offset, f->be);
		room *= 4;
	} while (!read_table(t, &c) && ready - offset >= room / 4 && ready < end);
	if (ready > offset)
		f->abbrev_bytes += (uint64_t)(c.p - (whole.p + offset));
	if (!t->dense && t->abbrevs.n)
		qsort(t->abbrevs.v, t->abbrevs.n, sizeof(*t->abbrevs.v), by_code);
	return t;
}

const struct dw_abbrevs *dw_abbrevs_of(struct dw_unit *u)
{
	struct dw_file *f = u->file;
	/* in the section, not in a package's part of it */
	uint64_t offset = (uint64_t)(u->abbrev_bytes.p - dw_section_place(f, DW_SEC_ABBREV).p) +
			  u->abbrev_offset;
	uint64_t hash = hash_u64(offset);
	struct hashidx_iter it = hashidx_first(&f->abbrev_index, hash);
	struct dw_abbrevs *t;
	uint32_t id;

	while ((id = hashidx_next(&f->abbrev_index, &it)) != HASHIDX_NONE) {
		t = f->abbrevs.v[id];
		if (t->offset == offset && t->addr_size == u->addr_size &&
		    t->off_size == u->off_size && t->v2 == (u->version == 2))
			return t;
	}
	t = decode(u, offset);
	if (!t)
		return NULL;
	hashidx_add(&f->abbrev_index, hash, (uint32_t)f->abbrevs.n);
	vec_push(&f->abbrevs, t);
	return t;
}

void dw_abbrevs_free(struct dw_abbrevs *t)
{
	vec_release(&t->abbrevs);
	vec_release(&t->attrs);
	vec_release(&t->skips);
	vec_release(&t->reads);
	free(t);
}
