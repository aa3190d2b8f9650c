/* SPDX-License-Identifier: MIT */
/*
 * Trees for machines: a list of nodes, parents before their children and heavy branches first, each
 * with its own number and its parent's.  Nested objects would be as deep as the stacks.
 */
#include <stdlib.h>

#include <perfrep/statistics.h>

#include "view/cell.h"
#include "view/json.h"
#include "view/tree.h"
#include "view/tree_detail.h"

static double percent(const struct tree *t, uint64_t v)
{
	return t->base ? (double)v * 100 / (double)t->base : 0;
}

/* Children are in order of their weight: behind one that is too small all are. */
static bool shown(const struct tree *t, uint32_t node)
{
	return node != PROFILE_NONE && percent(t, t->nodes[node].total) >= t->opts.threshold;
}

/*
 * The nodes that are shown, one after the other.  They are numbered in this order: that in which
 * nodes were made depends on which thread came first.
 */
struct listing {
	const struct tree *t;
	uint32_t node; /* the root before the first, PROFILE_NONE behind the last */
	unsigned depth; /* of NODE; the root is 0 deep */
	uint32_t *ids; /* by node; 0: the root */
	uint32_t last_id;
};

static void listing_init(struct listing *l, const struct tree *t)
{
	*l = (struct listing){ .t = t, .ids = xcalloc(t->n, sizeof(*l->ids)) };
}

/* NODE comes to stand on the next; false when there is none. */
static bool listing_next(struct listing *l)
{
	const struct tree *t = l->t;
	uint32_t at = l->node, to = t->nodes[at].first_child;

	if (shown(t, to) && (!t->opts.max_depth || l->depth < t->opts.max_depth)) {
		l->depth++;
	} else {
		for (to = PROFILE_NONE; at && !shown(t, to); at = t->nodes[at].parent) {
			to = t->nodes[at].next;
			l->depth -= !shown(t, to);
		}
	}
	if (!shown(t, to))
		return false;
	l->node = to;
	l->ids[to] = ++l->last_id;
	return true;
}

static uint32_t listing_parent(const struct listing *l)
{
	return l->ids[l->t->nodes[l->node].parent];
}

static void listing_release(struct listing *l)
{
	free(l->ids);
}

static void put_interval(struct json_object *o, const char *low, const char *high, double p,
			 double n)
{
	struct interval ci = wilson(p, n);

	json_put_real(o, low, ci.low * 100, 4);
	json_put_real(o, high, ci.high * 100, 4);
}

/* Of the parent in a fractal tree, of the function in one around it. */
static void put_relative(struct json_object *o, const struct tree *t, uint32_t node, double n)
{
	uint32_t of = t->opts.type == TREE_FRACTAL ? t->nodes[node].parent : 0;
	uint64_t whole = t->nodes[of].total;
	double p = whole ? (double)t->nodes[node].total / (double)whole : 0;

	json_put_real(o, "of_percent", p * 100, 4);
	put_interval(o, "of_low", "of_high", p, n);
}

static void put_detail_json(struct json_object *o, const struct tree *t, uint32_t node)
{
	const double *n = tree_effective(t, node), *of_n = tree_effective_of(t, node);
	const struct ratio_row *ratios = tree_ratios(t, node);

	if (n)
		put_interval(o, "total_low", "total_high", percent(t, t->nodes[node].total) / 100,
			     *n);
	if (of_n)
		put_relative(o, t, node, *of_n);
	if (ratios)
		ratios_put_json(o, &t->detail->shape, ratios);
}

struct json_object *tree_json(const struct tree *t)
{
	const struct profile *p = t->profile;
	struct json_object *list = json_new_array();
	struct listing l;

	listing_init(&l, t);
	while (listing_next(&l)) {
		const struct tree_node *n = &t->nodes[l.node];
		struct json_object *o = json_new();

		json_put_uint(o, "id", l.ids[l.node]);
		json_put_uint(o, "parent", listing_parent(&l)); /* 0: none */
		json_put_text(o, "sym", profile_str(p, p->funcs[n->func].name));
		json_put_text(o, "dso", profile_str(p, p->funcs[n->func].module));
		json_put_bool(o, "inlined", n->inlined);
		json_put_uint(o, "total", n->total);
		json_put_uint(o, "self", n->self);
		json_put_uint(o, "repaired", n->repaired);
		json_put_real(o, "total_percent", percent(t, n->total), 4);
		put_detail_json(o, t, l.node);
		json_append(list, o);
	}
	listing_release(&l);
	return list;
}

void tree_fields_columns(struct grid *g)
{
	static const struct grid_column columns[] = {
		{ .name = "event" },
		{ .name = "part" },
		{ .name = "id" },
		{ .name = "parent" },
		{ .name = "depth" },
		{ .name = "total_percent" },
		{ .name = "total_low" },
		{ .name = "total_high" },
		{ .name = "self_percent" },
		{ .name = "total_weight" },
		{ .name = "self_weight" },
		{ .name = "repaired_weight" },
		{ .name = "total_samples" },
		{ .name = "inlined" },
		{ .name = "dso" },
		{ .name = "sym" },
	};

	GRID_COLUMNS(g, columns);
}

static void percent_cell(struct grid *g, const struct tree *t, uint64_t v)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%.4f", percent(t, v));
	cell_take(g, &sb, COLOUR_NONE);
}

/* The interval of 95 % of what N samples tell; empty where that is not known. */
static void interval_cells(struct grid *g, const struct tree *t, uint32_t node, const double *n)
{
	struct interval ci = { 0 };
	struct strbuf sb = STRBUF_INIT;

	if (n)
		ci = wilson(percent(t, t->nodes[node].total) / 100, *n);
	for (int end = 0; end < 2; end++) {
		if (n)
			strbuf_addf(&sb, "%.4f", (end ? ci.high : ci.low) * 100);
		cell_take(g, &sb, COLOUR_NONE);
	}
}

/* Where a row stands, besides its node. */
struct row_place {
	const char *part;
	uint32_t id, parent;
	unsigned depth;
	const double *effective; /* samples that its total is as good as; NULL: not known */
};

/* NODE, which stands for FUNC, and of which SELF ends in it. */
static void add_row(struct grid *g, const struct tree *t, const struct row_place *at, uint32_t node,
		    uint32_t func, uint64_t self)
{
	const struct profile *p = t->profile;
	const struct tree_node *n = &t->nodes[node];

	grid_cell(g, profile_str(p, p->events[t->event].name), COLOUR_NONE);
	grid_cell(g, at->part, COLOUR_NONE);
	cell_count(g, at->id, false, COLOUR_NONE);
	cell_count(g, at->parent, false, COLOUR_NONE);
	cell_count(g, at->depth, false, COLOUR_NONE);
	percent_cell(g, t, n->total);
	interval_cells(g, t, node, at->effective);
	percent_cell(g, t, self);
	cell_count(g, n->total, false, COLOUR_NONE);
	cell_count(g, self, false, COLOUR_NONE);
	cell_count(g, n->repaired, false, COLOUR_NONE);
	cell_count(g, n->total_samples, false, COLOUR_NONE);
	cell_count(g, n->inlined, false, COLOUR_NONE);
	grid_cell(g, profile_str(p, p->funcs[func].module), COLOUR_NONE);
	grid_cell(g, profile_str(p, p->funcs[func].name), COLOUR_NONE);
}

void tree_fields_root(struct grid *g, const struct tree *t, const char *part, uint32_t func,
		      uint64_t self, const double *effective)
{
	add_row(g, t, &(struct row_place){ part, 0, 0, 0, effective }, 0, func, self);
}

void tree_fields_nodes(struct grid *g, const struct tree *t, const char *part)
{
	struct listing l;

	listing_init(&l, t);
	while (listing_next(&l)) {
		const struct row_place at = { part, l.ids[l.node], listing_parent(&l), l.depth,
					      tree_effective(t, l.node) };

		add_row(g, t, &at, l.node, t->nodes[l.node].func, t->nodes[l.node].self);
	}
	listing_release(&l);
}
