/* SPDX-License-Identifier: MIT */
/*
 * Names, one for each distinct function DIE that a frame needs.
 *
 * A function's attributes are spread over up to three DIEs: the concrete one, the abstract one
 * (DW_AT_abstract_origin) and the declaration inside its class (DW_AT_specification).  What the
 * first of them says counts.  In a damaged file they can form a cycle; the number of hops is
 * limited.
 *
 * Where there is no linkage name (GCC omits it for functions that no other unit can see) the name
 * is put together: the namespaces, types and functions around the last DIE of that chain.  DWARF
 * has no pointer to the parent, so the walk's list of scopes is searched, and the types that the
 * walk jumped over are looked into.
 */
#include "base/bisect.h"
#include "base/strbuf.h"
#include "symbol/dwarf_private.h"

#define HOPS_MAX   16
#define SCOPES_MAX 64
#define LENGTH_MAX 65536

struct chain {
	const char *linkage, *name;
	struct dw_pos last; /* the DIE without further reference */
	uint16_t tag; /* of the first one */
};

/* What one DIE says; its reference to the next one. */
static struct dw_pos read_link(struct dw_pos at, struct chain *ch)
{
	struct dw_pos next = { NULL, 0 };
	struct cursor c;
	const struct dw_abbrev *ab = dw_die_open(at.u, at.off, &c);

	if (ab && !ch->tag)
		ch->tag = ab->tag;
	for (uint32_t i = 0; ab && i < ab->nr_attrs && !c.bad; i++) {
		const struct dw_attr *a = &at.u->abbrevs->attrs.v[ab->attrs + i];
		struct dw_value v;

		dw_form_read(at.u, &c, a, &v);
		switch (a->name) {
		case DW_AT_linkage_name:
		case DW_AT_MIPS_linkage_name:
			if (!ch->linkage)
				ch->linkage = dw_value_string(at.u, &v);
			break;
		case DW_AT_name:
			if (!ch->name)
				ch->name = dw_value_string(at.u, &v);
			break;
		case DW_AT_abstract_origin:
		case DW_AT_specification:
		case DW_AT_signature:
			next = dw_value_ref(at.u, &v);
			break;
		default:
			break;
		}
	}
	return next;
}

static struct chain follow(struct dw_pos at)
{
	struct chain ch = { .last = at };

	for (int hops = 0; at.u && hops < HOPS_MAX && !(ch.linkage && ch.name); hops++) {
		ch.last = at;
		at = read_link(at, &ch);
	}
	return ch;
}

/* The innermost scope of the walk's list that has OFF inside, or DW_NONE. */
static uint32_t scope_around(const struct dw_dies *d, uint32_t off)
{
	size_t at = bisect(i, d->scopes.n, d->scopes.v[i].off < off);
	uint32_t s;

	for (s = at ? (uint32_t)at - 1 : DW_NONE; s != DW_NONE; s = d->scopes.v[s].parent)
		if (off < d->scopes.v[s].end)
			break;
	return s;
}

struct offs {
	VEC(uint32_t) list; /* outermost first */
};

/* The types between the one at FROM, which the walk jumped over, and OFF. */
static void look_inside(struct dw_unit *u, uint32_t from, uint32_t off, struct offs *out)
{
	struct cursor c = dw_unit_cursor(u, from);
	struct dw_names *names = &u->file->di->names;
	struct offs open = { 0 };

	/* a class of usual size is searched for each of its members; a whole file must not be */
	if (names->looked_at > 64 * (uint64_t)dw_section_place(u->file, DW_SEC_INFO).n)
		return;
	names->looked_at += off - from;
	while (!c.bad && c.p < u->start + off) {
		uint32_t at = (uint32_t)(c.p - u->start);
		uint64_t code = dw_uleb(&c);
		const struct dw_abbrev *ab;

		if (!code) {
			if (!open.list.n)
				break;
			open.list.n--;
			continue;
		}
		ab = dw_abbrev_find(u->abbrevs, code);
		if (!ab || !ab->known)
			break;
		dw_die_skip(u, ab, &c);
		if (ab->children)
			vec_push(&open.list, ab->kind == DW_KIND_SCOPE ? at : DW_NONE);
	}
	for (size_t i = 1; i < open.list.n; i++) /* the first is FROM */
		if (open.list.v[i] != DW_NONE)
			vec_push(&out->list, open.list.v[i]);
	vec_release(&open.list);
}

/* The DIEs of the scopes around AT in its unit, outermost first. */
static void scopes_of(struct dw_pos at, struct offs *out)
{
	struct dw_dies *d = dw_unit_dies(at.u);
	uint32_t chain[SCOPES_MAX], s = scope_around(d, at.off);
	size_t n = 0;
	bool jumped = s != DW_NONE && d->scopes.v[s].jumped;
	uint32_t from = jumped ? d->scopes.v[s].off : 0;

	for (; s != DW_NONE && n < SCOPES_MAX; s = d->scopes.v[s].parent)
		chain[n++] = d->scopes.v[s].off;
	while (n)
		vec_push(&out->list, chain[--n]);
	if (jumped)
		look_inside(at.u, from, at.off, out);
}

/* What to call a scope that has INSIDE directly inside.  A lambda's type has no name. */
static const char *scope_name(const struct chain *ch, const char *inside)
{
	if (ch->name)
		return ch->name;
	if (ch->tag == DW_TAG_namespace)
		return "(anonymous namespace)";
	return !strcmp(inside, "operator()") || strstr(inside, "<lambda") ? "{lambda}"
									  : "(anonymous)";
}

static void prepend(struct strbuf *sb, const char *name)
{
	struct strbuf whole = STRBUF_INIT;

	if (sb->n + strlen(name) > LENGTH_MAX)
		return;
	strbuf_adds(&whole, name);
	if (sb->n) {
		strbuf_adds(&whole, "::");
		strbuf_add(&whole, sb->s, sb->n);
	}
	strbuf_release(sb);
	*sb = whole;
}

/*
 * Put the scope around AT, which is called NAME, together.  What is defined outside its class or
 * function names the declaration, and the scopes are around that: start anew there.
 */
static void build_scope(struct dw_pos at, const char *name, struct strbuf *sb)
{
	for (int hops = 0; at.u && hops < HOPS_MAX; hops++) {
		struct offs offs = { 0 };
		struct dw_pos elsewhere = { NULL, 0 };

		scopes_of(at, &offs);
		for (size_t i = offs.list.n; i-- > 0 && !elsewhere.u;) {
			struct dw_pos here = { at.u, offs.list.v[i] };
			struct chain ch = follow(here);

			name = scope_name(&ch, name);
			prepend(sb, name);
			if (ch.last.u != here.u || ch.last.off != here.off)
				elsewhere = ch.last;
		}
		vec_release(&offs.list);
		at = elsewhere;
	}
}

static const char *scope_of(struct dwarf_index *di, struct dw_pos at, const char *name)
{
	struct strbuf sb = STRBUF_INIT;
	const char *scope = NULL;

	build_scope(at, name, &sb);
	if (sb.n)
		scope = intern_str(&di->names.scopes, intern_add(&di->names.scopes, sb.s, sb.n));
	strbuf_release(&sb);
	return scope;
}

const struct dw_name *dw_name_of(struct dwarf_index *di, uint32_t unit, uint32_t off)
{
	struct dw_names *names = &di->names;
	uint64_t key = (uint64_t)unit << 32 | off, hash = hash_u64(key);
	struct hashidx_iter it = hashidx_first(&names->index, hash);
	struct dw_name name = { .key = key };
	struct chain ch;
	uint32_t id;

	while ((id = hashidx_next(&names->index, &it)) != HASHIDX_NONE)
		if (names->list.v[id].key == key)
			return &names->list.v[id];
	ch = follow((struct dw_pos){ di->units.v[unit], off });
	name.linkage = ch.linkage;
	name.name = ch.name;
	if (!ch.linkage && ch.name && ch.last.u)
		name.scope = scope_of(di, ch.last, ch.name);
	hashidx_add(&names->index, hash, (uint32_t)names->list.n);
	vec_push(&names->list, name);
	return &names->list.v[names->list.n - 1];
}

void dw_names_release(struct dw_names *n)
{
	vec_release(&n->list);
	hashidx_release(&n->index);
	intern_release(&n->scopes);
}
