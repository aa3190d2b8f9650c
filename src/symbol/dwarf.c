/* SPDX-License-Identifier: MIT */
/*
 * The index as a whole: which unit has an address, which node of the unit, and from there the
 * frames.
 *
 * Several units may claim one address (a linker that folds identical functions keeps one copy,
 * and the debug data of all).  The first unit in the file is asked first, and the others if it
 * has no function there.
 *
 * Frames: the innermost one's line is the line table's; each other's is the place of the call to
 * the one before, which the inlined call's DIE has.
 */
#include "symbol/dwarf_private.h"

#include "base/bisect.h"

static void add_ranges(struct dwarf_index *di, struct dw_unit *u)
{
	struct dw_spans spans = { 0 };

	if (!dw_unit_prepare(u))
		return;
	dw_ranges_read(u, &u->pcs, &spans, dw_ranges_limit(u));
	for (size_t i = 0; i < spans.list.n; i++)
		vec_push(&di->ranges,
			 (struct dw_range){ spans.list.v[i].lo, spans.list.v[i].hi, 0, u->id });
	vec_release(&spans.list);
}

static int by_lo(const void *a, const void *b)
{
	const struct dw_range *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Sort the ranges, and flatten them: the unit of the lowest number has the address. */
static void build_unit_map(struct dwarf_index *di)
{
	struct dw_intervals in = { 0 };
	uint64_t max = 0;

	if (di->ranges.n)
		qsort(di->ranges.v, di->ranges.n, sizeof(*di->ranges.v), by_lo);
	for (size_t i = 0; i < di->ranges.n; i++) {
		struct dw_range *r = &di->ranges.v[i];

		max = r->hi > max ? r->hi : max;
		r->max_hi = max;
		vec_push(&in.list, (struct dw_interval){ r->lo, r->hi, DW_NONE - 1 - r->unit });
	}
	dw_map_release(&di->unit_map);
	dw_map_build(&di->unit_map, &in);
}

/* What .debug_aranges says, which is all about the units that it knows. */
static void add_aranges(struct dwarf_index *di)
{
	for (size_t i = 0; i < di->aranges.list.n; i++) {
		const struct dw_arange *r = &di->aranges.list.v[i];
		struct dw_unit *u = dw_file_unit_at(di->file, r->unit);

		if (!u || u->offset != r->unit)
			continue;
		u->in_aranges = true;
		vec_push(&di->ranges, (struct dw_range){ r->lo, r->hi, 0, u->id });
	}
}

/* From all units, not just those that .debug_aranges leads to. */
static void complete(struct dwarf_index *di)
{
	if (di->complete)
		return;
	di->complete = true;
	dw_file_list_units(di->file);
	add_aranges(di);
	for (size_t i = 0; i < di->file->nr_info_units; i++)
		if (!di->file->units.v[i]->in_aranges)
			add_ranges(di, di->file->units.v[i]);
	build_unit_map(di);
}

int dwarf_index_new(int fd, const char *path, struct dwarf_index **out, struct err *err)
{
	struct dwarf_index *di = xcalloc(1, sizeof(*di));

	*out = NULL;
	dwarf_index_also_at(di, path);
	di->file = dw_file_new(di, fd, path, false, err);
	if (!di->file) {
		dwarf_index_free(di);
		return -ERR_FORMAT;
	}
	if (di->file->relocatable) {
		dwarf_index_free(di);
		return err_set(
			err, ERR_UNSUPPORTED,
			"%s: expected a linked file, found a relocatable one, whose debug data "
			"has no addresses yet",
			path);
	}
	if (!dw_section_upto(di->file, DW_SEC_INFO, 1)) {
		dwarf_index_free(di);
		return err_set(err, ERR_NOT_FOUND,
			       "%s: expected debug data in .debug_info, found none", path);
	}
	dw_aranges_read(&di->aranges, di->file);
	*out = di;
	return 0;
}

void dwarf_index_also_at(struct dwarf_index *di, const char *path)
{
	vec_push(&di->programs, xstrdup(path));
}

void dwarf_index_free(struct dwarf_index *di)
{
	if (!di)
		return;
	for (size_t i = 0; i < di->lines.n; i++)
		dw_lines_free(di->lines.v[i]);
	for (size_t i = 0; i < di->units.n; i++)
		dw_unit_free(di->units.v[i]);
	for (size_t i = 0; i < di->others.n; i++)
		dw_file_free(di->others.v[i]);
	for (size_t i = 0; i < di->programs.n; i++)
		free(di->programs.v[i]);
	vec_release(&di->programs);
	dw_file_free(di->package);
	dw_file_free(di->file);
	vec_release(&di->lines);
	vec_release(&di->units);
	vec_release(&di->others);
	vec_release(&di->ranges);
	vec_release(&di->frames);
	vec_release(&di->aranges.list);
	hashidx_release(&di->other_index);
	hashidx_release(&di->line_index);
	dw_map_release(&di->unit_map);
	dw_names_release(&di->names);
	arena_release(&di->arena);
	free(di);
}

void dwarf_index_no_lines(struct dwarf_index *di)
{
	di->no_lines = true;
}

static void push_frame(struct dwarf_index *di, const struct dw_node *node)
{
	struct dwarf_frame f = { 0 };

	if (node) {
		const struct dw_name *n = dw_name_of(di, node->unit, node->off);

		f.linkage_name = n->linkage;
		f.name = n->name;
		f.scope = n->scope;
	}
	vec_push(&di->frames, f);
}

/* The line-table row of ADDR into the innermost frame. */
static bool set_line(struct dw_unit *u, uint64_t addr, struct dwarf_frame *f)
{
	struct dw_lines *l = u->file->di->no_lines ? NULL : dw_unit_lines(u);
	uint32_t file, line;

	if (!l || !dw_lines_find(l, addr, &file, &line))
		return false;
	f->file = dw_lines_path(l, file);
	f->line = line;
	return true;
}

static bool frames_of(struct dwarf_index *di, struct dw_unit *u, uint64_t addr)
{
	struct dw_unit *split = dw_unit_split(u);
	struct dw_dies *d = dw_unit_dies(split ? split : u);
	uint32_t id = dw_map_find(&d->map, addr);
	struct dw_lines *l;

	if (id == DW_NONE && split) {
		/* the skeleton may have the calls as well: clang's -fsplit-dwarf-inlining */
		d = dw_unit_dies(u);
		id = dw_map_find(&d->map, addr);
	}
	if (id == DW_NONE)
		return false;
	push_frame(di, &d->nodes.v[id]);
	set_line(u, addr, &di->frames.v[0]);
	l = di->no_lines ? NULL : dw_unit_lines(u);
	for (; d->nodes.v[id].parent != DW_NONE; id = d->nodes.v[id].parent) {
		const struct dw_node *node = &d->nodes.v[id];
		struct dwarf_frame *f;

		di->frames.v[di->frames.n - 1].inlined = true;
		push_frame(di, &d->nodes.v[node->parent]);
		f = &di->frames.v[di->frames.n - 1];
		f->line = node->call_line;
		f->file = l ? dw_lines_path(l, node->call_file) : NULL;
	}
	return true;
}

static bool line_only(struct dwarf_index *di, struct dw_unit *u, uint64_t addr)
{
	if (u->in_aranges && !dw_unit_claims(u, addr))
		return false;
	push_frame(di, NULL);
	if (set_line(u, addr, &di->frames.v[0]))
		return true;
	di->frames.n = 0;
	return false;
}

typedef bool (*try_unit)(struct dwarf_index *di, struct dw_unit *u, uint64_t addr);

/* Ask the units other than FIRST that claim ADDR; not more than a file of a compiler has. */
static bool try_others(struct dwarf_index *di, uint32_t first, uint64_t addr, try_unit try)
{
	size_t at = bisect(i, di->ranges.n, di->ranges.v[i].lo <= addr);

	for (int tries = 0; at && tries < 1000; tries++) {
		const struct dw_range *r = &di->ranges.v[--at];

		if (r->max_hi <= addr)
			break;
		if (r->hi > addr && r->unit != first && try(di, di->units.v[r->unit], addr))
			return true;
	}
	return false;
}

/*
 * Units whose root DIE has no addresses at all.  GCC, clang and rustc write them wherever there
 * is code; of others' units all are walked, once, when an address is in no unit.
 */
static void find_rangeless(struct dwarf_index *di)
{
	size_t before = di->ranges.n;

	di->rangeless_done = true;
	for (size_t i = 0; i < di->file->nr_info_units; i++) {
		struct dw_unit *u = di->file->units.v[i];
		const struct dw_map *m;

		if (u->in_aranges || !dw_unit_prepare(u) || u->pcs.ranges.form ||
		    u->pcs.high.form || !u->has_stmt_list || !u->producer ||
		    !strncmp(u->producer, "GNU ", 4) || strstr(u->producer, "clang ") ||
		    strstr(u->producer, "rustc "))
			continue;
		m = &dw_unit_dies(u)->map;
		for (size_t k = 0; k + 1 < m->n; k++)
			if (m->id[k] != DW_NONE)
				vec_push(&di->ranges,
					 (struct dw_range){ m->pc[k], m->pc[k + 1], 0, u->id });
	}
	if (di->ranges.n != before)
		build_unit_map(di);
}

/* Without reading all units, when .debug_aranges has the address. */
static bool lookup_quickly(struct dwarf_index *di, uint64_t vaddr)
{
	struct dw_unit *u = di->complete ? NULL : dw_aranges_find(&di->aranges, di->file, vaddr);

	if (!u || frames_of(di, u, vaddr))
		return u;
	if (!dw_unit_claims(u, vaddr))
		return false;
	if (!di->no_lines)
		line_only(di, u, vaddr);
	return true;
}

size_t dwarf_index_lookup(struct dwarf_index *di, uint64_t vaddr, const struct dwarf_frame **frames)
{
	uint32_t id, first;

	di->frames.n = 0;
	*frames = NULL;
	if (dw_file_has_stub(di->file, vaddr))
		return 0;
	if (lookup_quickly(di, vaddr)) {
		*frames = di->frames.v;
		return di->frames.n;
	}
	complete(di);
	id = dw_map_find(&di->unit_map, vaddr);
	if (id == DW_NONE && !di->rangeless_done) {
		find_rangeless(di);
		id = dw_map_find(&di->unit_map, vaddr);
	}
	if (id == DW_NONE)
		return 0;
	first = DW_NONE - 1 - id;
	if (!frames_of(di, di->units.v[first], vaddr) && !try_others(di, first, vaddr, frames_of) &&
	    !di->no_lines && !line_only(di, di->units.v[first], vaddr))
		try_others(di, first, vaddr, line_only);
	*frames = di->frames.v;
	return di->frames.n;
}

uint32_t dwarf_index_unit(struct dwarf_index *di, uint64_t vaddr)
{
	const struct dw_unit *u;
	uint32_t id;

	if (dw_file_has_stub(di->file, vaddr))
		return UINT32_MAX;
	u = di->complete ? NULL : dw_aranges_find(&di->aranges, di->file, vaddr);
	if (u)
		return u->id;
	complete(di);
	id = dw_map_find(&di->unit_map, vaddr);
	return id == DW_NONE ? UINT32_MAX : DW_NONE - 1 - id;
}

struct dwarf_index_stats dwarf_index_stats(const struct dwarf_index *di)
{
	struct dwarf_index_stats stats = di->stats;

	stats.units = di->file->units.n;
	return stats;
}
