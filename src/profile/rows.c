/* SPDX-License-Identifier: MIT */
/*
 * One row per function: self and inclusive.
 *
 * A function's inclusive weight counts a stack once, so what has to be added is the weight of
 * whole subtrees: those below the outermost occurrence of the function on each path.  The
 * subtree sums are one pass over the nodes backwards (a parent's id is below its children's);
 * then one walk in depth-first order with a counter per function of its occurrences on the
 * current path.  Inlined lines of a location are frames like others.  The walk costs one visit
 * per node and line, whatever the number of samples.
 */
#include <perfrep/folded.h>

#include <stdlib.h>
#include <string.h>

#include "profile/priv.h"

struct walk {
	const struct profile *p;
	const struct profile_event *e;
	uint64_t *weight, *count;  /* of the subtree, by node */
	uint32_t *child, *sibling; /* first child and next sibling, by node */
	uint32_t root;		   /* the first one; the others are its siblings */
	uint32_t *active;	   /* occurrences on the current path, by function */
	struct profile_row *rows;  /* by function */
};

static void sum_subtrees(struct walk *w)
{
	const struct profile *p = w->p;
	size_t n = p->nr_nodes, cols = w->e->node_cap < n ? w->e->node_cap : n;

	if (cols) {
		memcpy(w->weight, w->e->node_weight, cols * sizeof(*w->weight));
		memcpy(w->count, w->e->node_count, cols * sizeof(*w->count));
	}
	w->root = PROFILE_NONE;
	memset(w->child, 0xff, n * sizeof(*w->child));
	for (size_t i = n; i-- > 0;) {
		uint32_t parent = p->nodes[i].parent;
		uint32_t *head = parent == PROFILE_NONE ? &w->root : &w->child[parent];

		w->sibling[i] = *head;
		*head = (uint32_t)i;
		if (parent == PROFILE_NONE)
			continue;
		w->weight[parent] = add_saturating(w->weight[parent], w->weight[i]);
		w->count[parent] = add_saturating(w->count[parent], w->count[i]);
	}
}

static const struct location *node_loc(const struct walk *w, uint32_t node)
{
	const struct stack_node *n = &w->p->nodes[node];

	return n->parent == PROFILE_NONE ? NULL : &w->p->locs[n->loc];
}

static void enter(struct walk *w, uint32_t node)
{
	const struct location *l = node_loc(w, node);

	for (uint32_t i = 0; l && i < l->nr_lines; i++) {
		uint32_t f = w->p->lines[l->first_line + i].func;

		if (w->active[f]++)
			continue;
		w->rows[f].total = add_saturating(w->rows[f].total, w->weight[node]);
		w->rows[f].total_count = add_saturating(w->rows[f].total_count, w->count[node]);
	}
	if (l && l->nr_lines && node < w->e->node_cap) {
		struct profile_row *r = &w->rows[w->p->lines[l->first_line].func];

		r->self = add_saturating(r->self, w->e->node_weight[node]);
		r->self_count = add_saturating(r->self_count, w->e->node_count[node]);
	}
}

static void leave(struct walk *w, uint32_t node)
{
	const struct location *l = node_loc(w, node);

	for (uint32_t i = 0; l && i < l->nr_lines; i++)
		w->active[w->p->lines[l->first_line + i].func]--;
}

/* Depth first without a stack of its own: the way back is the parent. */
static void walk(struct walk *w)
{
	uint32_t node = w->root;

	while (node != PROFILE_NONE) {
		enter(w, node);
		if (w->child[node] != PROFILE_NONE) {
			node = w->child[node];
			continue;
		}
		leave(w, node);
		while (w->sibling[node] == PROFILE_NONE) {
			node = w->p->nodes[node].parent;
			if (node == PROFILE_NONE)
				return;
			leave(w, node);
		}
		node = w->sibling[node];
	}
}

static int compare_rows(const void *va, const void *vb, void *arg)
{
	const struct profile_row *a = va, *b = vb;
	const struct profile *p = arg;
	const struct func *fa = &p->funcs[a->func], *fb = &p->funcs[b->func];
	int cmp;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	cmp = strcmp(profile_str(p, fa->name), profile_str(p, fb->name));
	if (!cmp)
		cmp = strcmp(profile_str(p, fa->module), profile_str(p, fb->module));
	return cmp ? cmp : (int)fa->flags - (int)fb->flags;
}

size_t profile_rows(const struct profile *p, uint32_t event, struct profile_row **out)
{
	struct walk w = { .p = p, .e = &p->events[event] };
	size_t n = 0;

	w.weight = xcalloc(p->nr_nodes, sizeof(*w.weight));
	w.count = xcalloc(p->nr_nodes, sizeof(*w.count));
	w.child = xreallocarray(NULL, p->nr_nodes, sizeof(*w.child));
	w.sibling = xreallocarray(NULL, p->nr_nodes, sizeof(*w.sibling));
	w.active = xcalloc(p->nr_funcs, sizeof(*w.active));
	w.rows = xcalloc(p->nr_funcs, sizeof(*w.rows));
	sum_subtrees(&w);
	walk(&w);
	for (size_t f = 0; f < p->nr_funcs; f++) {
		w.rows[f].func = (uint32_t)f;
		if (w.rows[f].total || w.rows[f].total_count)
			w.rows[n++] = w.rows[f];
	}
	if (n)
		qsort_r(w.rows, n, sizeof(*w.rows), compare_rows, (void *)p);
	*out = w.rows;
	free(w.weight);
	free(w.count);
	free(w.child);
	free(w.sibling);
	free(w.active);
	return n;
}
