/* SPDX-License-Identifier: MIT */
/*
 * The walk over a unit's DIEs.
 *
 * It goes once over the bytes, in order, with a stack of the open DIEs.  Functions and inlined
 * calls with addresses become nodes; every other DIE is passed (see dwarf_abbrev.c), lexical
 * blocks and the like without a trace, so that the parent of an inlined call is the call or
 * function around it however many blocks lie between.  A node has a higher number than what it
 * is in, so "the highest number wins" (dwarf_map.c) is "the innermost wins".
 *
 * DW_AT_sibling, which GCC writes, lets us jump over types and declarations.  A type inside a
 * function is entered all the same: it may be a lambda's, with the code of its operator().
 * Namespaces, types and functions are remembered as scopes, for names that have to be put
 * together.
 *
 * Names are not read: a node only says which DIE has it.
 */
#include "symbol/dwarf_private.h"

#define DEPTH_MAX 10000

struct level {
	uint32_t node; /* what an inlined call here is inlined into */
	uint32_t scope; /* that was opened by this level's DIE, else DW_NONE */
	uint32_t around; /* innermost open scope */
	bool in_function;
};

struct walk {
	struct dw_unit *u;
	struct dw_dies *d;
	struct cursor c;
	struct dw_intervals intervals;
	struct dw_spans spans;
	size_t max_intervals;
	VEC(struct level) levels;
	uint64_t dies;
	bool scopes; /* of use in this language */
};

/* C has no scopes for functions; whatever has is not listed here. */
static bool language_has_scopes(uint16_t language)
{
	switch (language) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler:
		return false;
	default:
		return true;
	}
}

static uint32_t at(const struct walk *w)
{
	return (uint32_t)(w->c.p - w->u->start);
}

static void push(struct walk *w, struct level l)
{
	if (w->levels.n >= DEPTH_MAX)
		w->c.bad = true;
	else
		vec_push(&w->levels, l);
}

static void pop(struct walk *w)
{
	struct level *l = &w->levels.v[--w->levels.n];

	if (l->scope != DW_NONE)
		w->d->scopes.v[l->scope].end = at(w);
}

/* Read the attributes of a function or call; where it is goes to PCS, the rest to NODE. */
static void read_code_attrs(struct walk *w, const struct dw_abbrev *ab, struct dw_node *node,
			    struct dw_pcs *pcs)
{
	struct dw_unit *u = w->u;
	struct dw_pos origin;
	struct dw_value v;

	for (uint32_t i = 0; i < ab->nr_reads; i++) {
		const struct dw_read *r = &u->abbrevs->reads.v[ab->reads + i];
		const struct dw_attr *a = &u->abbrevs->attrs.v[r->attr];

		cursor_bytes(&w->c, r->add);
		dw_form_read(u, &w->c, a, &v);
		switch (a->name) {
		case DW_AT_low_pc:
			pcs->low = v;
			break;
		case DW_AT_high_pc:
			pcs->high = v;
			break;
		case DW_AT_ranges:
			pcs->ranges = v;
			break;
		case DW_AT_call_file:
			node->call_file = v.u < DW_NONE ? (uint32_t)v.u : DW_NONE;
			break;
		case DW_AT_call_line:
			node->call_line = (uint32_t)v.u;
			break;
		case DW_AT_abstract_origin:
			/* a function's own DIE may have more than its origin: start there */
			if (ab->tag == DW_TAG_subprogram)
				break;
			origin = dw_value_ref(u, &v);
			if (origin.u) {
				node->unit = origin.u->id;
				node->off = origin.off;
			}
			break;
		default:
			break;
		}
	}
	cursor_bytes(&w->c, ab->reads_tail);
}

/* Remember the DIE at OFF as a scope inside the innermost open one, up to END. */
static uint32_t add_scope(struct walk *w, uint32_t off, uint32_t end, uint32_t around, bool jumped)
{
	if (!w->scopes)
		return DW_NONE;
	vec_push(&w->d->scopes, (struct dw_scope){ off, end, around, jumped });
	return (uint32_t)w->d->scopes.n - 1;
}

/* What is below a function that starts at OFF; NODE is what calls there are inlined into. */
static void push_function(struct walk *w, uint32_t off, uint32_t node)
{
	uint32_t around = w->levels.v[w->levels.n - 1].around;
	uint32_t scope = add_scope(w, off, w->u->size, around, false);

	push(w, (struct level){ node, scope, scope, true });
}

static void visit_code(struct walk *w, const struct dw_abbrev *ab, uint32_t off)
{
	struct level *top = &w->levels.v[w->levels.n - 1];
	bool function = ab->tag == DW_TAG_subprogram;
	struct dw_pcs pcs = { 0 };
	struct dw_node node = {
		.unit = w->u->id,
		.off = off,
		.call_file = DW_NONE,
		.parent = function ? DW_NONE : top->node,
	};
	uint32_t id = (uint32_t)w->d->nodes.n;
	size_t left = w->max_intervals - w->intervals.list.n;

	read_code_attrs(w, ab, &node, &pcs);
	if (w->c.bad)
		return;
	vec_push(&w->d->nodes, node);
	w->spans.list.n = 0;
	dw_ranges_read(w->u, &pcs, &w->spans, left);
	for (size_t i = 0; i < w->spans.list.n; i++)
		vec_push(&w->intervals.list,
			 (struct dw_interval){ w->spans.list.v[i].lo, w->spans.list.v[i].hi, id });
	if (ab->children && function)
		push_function(w, off, id);
	else if (ab->children)
		push(w, (struct level){ id, DW_NONE, top->around, true });
}

/* Jump to the next sibling if we know where it is: forwards and inside the unit only. */
static bool jump(struct walk *w, const struct dw_abbrev *ab)
{
	struct cursor c = w->c;
	uint64_t off;

	if (ab->sibling == DW_NONE)
		return false;
	cursor_bytes(&c, ab->sibling);
	switch (ab->sibling_form) {
	case DW_FORM_ref1:
		off = cursor_u8(&c);
		break;
	case DW_FORM_ref2:
		off = cursor_u16(&c);
		break;
	case DW_FORM_ref4:
		off = cursor_u32(&c);
		break;
	case DW_FORM_ref8:
		off = cursor_u64(&c);
		break;
	default:
		return false;
	}
	if (c.bad || off >= w->u->size || off <= (uint64_t)(c.p - w->u->start))
		return false;
	w->c.p = w->u->start + off;
	return true;
}

static void visit_scope(struct walk *w, const struct dw_abbrev *ab, uint32_t off)
{
	struct level l = w->levels.v[w->levels.n - 1];
	bool jumped = ab->tag != DW_TAG_namespace && ab->tag != DW_TAG_module && !l.in_function &&
		      jump(w, ab);

	if (!jumped)
		dw_die_skip(w->u, ab, &w->c);
	l.scope = l.around = add_scope(w, off, jumped ? at(w) : w->u->size, l.around, jumped);
	if (!jumped)
		push(w, l);
}

static void visit(struct walk *w, const struct dw_abbrev *ab, uint32_t off)
{
	struct level l;

	if (ab->kind == DW_KIND_CODE) {
		visit_code(w, ab, off);
		return;
	}
	if (ab->kind == DW_KIND_SCOPE) {
		visit_scope(w, ab, off);
		return;
	}
	if (ab->kind == DW_KIND_CLOSED && ab->children && jump(w, ab))
		return;
	dw_die_skip(w->u, ab, &w->c);
	if (!ab->children)
		return;
	if (ab->tag == DW_TAG_subprogram) {
		push_function(w, off, DW_NONE);
		return;
	}
	l = w->levels.v[w->levels.n - 1];
	l.scope = DW_NONE;
	push(w, l);
}

static void run(struct walk *w)
{
	const struct dw_abbrevs *t = w->u->abbrevs;

	/* the root's siblings would be on this level */
	push(w, (struct level){ DW_NONE, DW_NONE, DW_NONE, false });
	do {
		uint32_t off = at(w);
		uint64_t code = dw_uleb(&w->c);
		const struct dw_abbrev *ab;

		if (!code) {
			pop(w);
			continue;
		}
		ab = dw_abbrev_find(t, code);
		if (!ab || !ab->known)
			break;
		w->dies++;
		visit(w, ab, off);
	} while (w->levels.n > 1 && !w->c.bad && cursor_left(&w->c));
}

struct dw_dies *dw_unit_dies(struct dw_unit *u)
{
	struct dw_dies *d;
	struct walk w = { .u = u };

	if (u->dies)
		return u->dies;
	d = u->dies = xcalloc(1, sizeof(*d));
	if (!dw_unit_prepare(u))
		return d;
	w.d = d;
	w.c = dw_unit_cursor(u, u->root);
	w.max_intervals = dw_ranges_limit(u);
	w.scopes = language_has_scopes(u->language);
	run(&w);
	u->file->di->stats.dies += w.dies;
	u->file->di->stats.units_walked++;
	dw_map_build(&d->map, &w.intervals);
	vec_release(&w.spans.list);
	vec_release(&w.levels);
	return d;
}

void dw_dies_free(struct dw_dies *d)
{
	if (!d)
		return;
	dw_map_release(&d->map);
	vec_release(&d->nodes);
	vec_release(&d->scopes);
	free(d);
}
