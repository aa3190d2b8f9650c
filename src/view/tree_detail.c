/* SPDX-License-Identifier: MIT */
/*
 * The tree is there already: each stack is followed from its root as far as nodes are shown, and
 * counts for the nodes that it comes through.
 */
#include "view/tree_detail.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xmalloc.h"
#include "view/tree.h"

#define WHOLE    SIZE_MAX
#define ROWS_MAX 20000 /* of one tree: each costs a kilobyte for each event */

/* The nodes of a tree that are shown, and how to get from one to the next. */
struct shown {
	const struct tree *t;
	struct tree_detail *d;
	struct hashidx index; /* (node, function) -> child */
	size_t first; /* row of its first node */
};

struct work {
	struct row_slices sums;
	const struct tree *tree; /* or, of a function: */
	struct callers *callers;
	uint8_t *is; /* by function: the one that is meant */
	struct shown above, below; /* of a tree: only `below` */
	VEC(uint32_t) frames; /* functions of the stack at hand, outermost first */
};

static void show_children(struct shown *s, uint32_t node, size_t *next)
{
	const struct tree *t = s->t;

	for (uint32_t c = t->nodes[node].first_child; c != PROFILE_NONE; c = t->nodes[c].next) {
		if (!tree_visible(t, c) || *next - s->first >= ROWS_MAX)
			break; /* the others have less */
		s->d->row[c] = (uint32_t)(*next)++;
		hashidx_add(&s->index, hash_u64((uint64_t)node << 32 | t->nodes[c].func), c);
	}
}

/* Give rows from *NEXT on to the nodes of T that are shown. */
static void show(struct shown *s, struct tree *t, size_t *next)
{
	const unsigned deepest = t->opts.max_depth;

	*s = (struct shown){ .t = t, .d = xcalloc(1, sizeof(*s->d)), .first = *next };
	t->detail = s->d;
	s->d->row = xreallocarray(NULL, t->n, sizeof(*s->d->row));
	memset(s->d->row, 0xff, t->n * sizeof(*s->d->row));
	show_children(s, 0, next);
	/* a child's id is above its parent's */
	for (uint32_t node = 1; node < t->n; node++)
		if (s->d->row[node] != PROFILE_NONE && !(deepest && tree_depth(t, node) >= deepest))
			show_children(s, node, next);
	s->d->nr_rows = *next - s->first;
}

static uint32_t child_of(const struct shown *s, uint32_t node, uint32_t func)
{
	uint64_t hash = hash_u64((uint64_t)node << 32 | func);
	struct hashidx_iter it = hashidx_first(&s->index, hash);
	uint32_t c;

	while ((c = hashidx_next(&s->index, &it)) != HASHIDX_NONE)
		if (s->t->nodes[c].parent == node && s->t->nodes[c].func == func)
			return c;
	return PROFILE_NONE;
}

static void take_frames(struct work *w, const struct stack_iter *it)
{
	const struct profile *p = w->sums.profile;

	w->frames.n = 0;
	for (size_t i = 0; i < it->n; i++) {
		const struct location *l = &p->locs[it->locs[i]];

		for (uint32_t k = l->nr_lines; k-- > 0;)
			vec_push(&w->frames, p->lines[l->first_line + k].func);
	}
}

/* Follow the frames from FROM on, inwards or OUTWARDS, from the root of the tree. */
static void follow(struct work *w, const struct shown *s, size_t from, bool outwards,
		   const struct stack_iter *it)
{
	size_t left = outwards ? from + 1 : w->frames.n - from;
	uint32_t node = 0;

	for (size_t i = from; left-- > 0; i += outwards ? SIZE_MAX : 1) {
		node = child_of(s, node, w->frames.v[i]);
		if (node == PROFILE_NONE)
			return;
		row_slices_add(&w->sums, s->d->row[node], it);
	}
}

static void place_in_tree(void *ctx, const struct stack_iter *it)
{
	struct work *w = ctx;

	take_frames(w, it);
	if (w->frames.n)
		follow(w, &w->below, w->tree->opts.callees ? w->frames.n - 1 : 0,
		       w->tree->opts.callees, it);
}

enum { ROW_SELF, ROW_TOTAL, ROWS_OF_FUNCTION };

static void place_around_function(void *ctx, const struct stack_iter *it)
{
	struct work *w = ctx;
	size_t outermost = SIZE_MAX, innermost = 0;

	take_frames(w, it);
	for (size_t i = 0; i < w->frames.n; i++) {
		if (!w->is[w->frames.v[i]])
			continue;
		outermost = outermost == SIZE_MAX ? i : outermost;
		innermost = i;
	}
	if (outermost == SIZE_MAX)
		return;
	row_slices_add(&w->sums, ROW_TOTAL, it);
	if (innermost == w->frames.n - 1)
		row_slices_add(&w->sums, ROW_SELF, it);
	if (outermost)
		follow(w, &w->above, outermost - 1, true, it);
	if (innermost + 1 < w->frames.n)
		follow(w, &w->below, innermost + 1, false, it);
}

static void want(struct row_slices *s, const struct profile *p, uint32_t event, size_t nr_rows,
		 const struct ratio_events *events)
{
	row_slices_init(s, p, nr_rows);
	row_slices_want(s, event);
	if (events)
		ratios_want(events, s);
}

/*
 * How sure shares of another row are: OF, or WHOLE: each node's parent.  Roots have no row for a
 * parent, but their share of the event.
 */
static void find_relative(struct shown *s, const struct row_slices *sums, size_t of)
{
	const struct tree *t = s->t;
	struct tree_detail *d = s->d;

	d->of_n = xcalloc(d->nr_rows + 1, sizeof(*d->of_n));
	for (size_t node = 0; node < t->n; node++) {
		size_t row = d->row[node], parent = of;

		if (row == PROFILE_NONE)
			continue;
		if (of == WHOLE && t->nodes[node].parent)
			parent = d->row[t->nodes[node].parent];
		d->of_n[row - s->first] =
			parent == WHOLE
				? d->n[row - s->first]
				: row_slices_share_of(sums, t->event, row, parent, t->opts.by_count)
					  .n;
	}
}

/*
 * The rows of one tree, from the sums of all; rows are numbered from 0 afterwards.  OF: the row that
 * shares are also of; WHOLE: of none but, in a fractal tree, the parents.
 */
static void finish(struct shown *s, const struct row_slices *sums,
		   const struct ratio_events *events, size_t of)
{
	const struct tree *t = s->t;
	struct tree_detail *d = s->d;

	d->n = xcalloc(d->nr_rows + 1, sizeof(*d->n));
	if (events)
		d->shape = ratios_shape(events);
	if (d->shape.any)
		d->ratios = xcalloc(d->nr_rows + 1, sizeof(*d->ratios));
	for (size_t i = 0; i < d->nr_rows; i++) {
		d->n[i] = row_slices_share(sums, t->event, s->first + i, t->opts.by_count).n;
		if (d->ratios)
			d->ratios[i] = ratios_of_row(events, &d->shape, sums, s->first + i);
	}
	if (of != WHOLE || t->opts.type == TREE_FRACTAL)
		find_relative(s, sums, of);
	for (size_t node = 0; node < t->n; node++)
		if (d->row[node] != PROFILE_NONE)
			d->row[node] -= (uint32_t)s->first;
	hashidx_release(&s->index);
}

void tree_find_detail(struct tree *t, const struct ratio_events *events)
{
	struct work w = { .tree = t };
	size_t rows = 0;

	show(&w.below, t, &rows);
	want(&w.sums, t->profile, t->event, rows, events);
	row_slices_fill(&w.sums, place_in_tree, &w);
	finish(&w.below, &w.sums, events, WHOLE);
	row_slices_release(&w.sums);
	vec_release(&w.frames);
}

void callers_find_detail(struct callers *c, const struct ratio_events *events)
{
	struct work w = { .callers = c, .is = xcalloc(c->profile->nr_funcs + 1, 1) };
	struct callers_detail *d = xcalloc(1, sizeof(*d));
	size_t rows = ROWS_OF_FUNCTION;

	c->detail = d;
	for (size_t i = 0; i < c->nr_funcs; i++)
		w.is[c->funcs[i]] = 1;
	show(&w.above, &c->above, &rows);
	show(&w.below, &c->below, &rows);
	want(&w.sums, c->profile, c->event, rows, events);
	row_slices_fill(&w.sums, place_around_function, &w);
	finish(&w.above, &w.sums, events, ROW_TOTAL);
	finish(&w.below, &w.sums, events, ROW_TOTAL);
	d->self_n = row_slices_share(&w.sums, c->event, ROW_SELF, c->by_count).n;
	d->total_n = row_slices_share(&w.sums, c->event, ROW_TOTAL, c->by_count).n;
	d->shape = c->below.detail->shape;
	if (d->shape.any) {
		d->self = ratios_of_row(events, &d->shape, &w.sums, ROW_SELF);
		d->total = ratios_of_row(events, &d->shape, &w.sums, ROW_TOTAL);
	}
	row_slices_release(&w.sums);
	vec_release(&w.frames);
	free(w.is);
}

void tree_detail_free(struct tree_detail *d)
{
	if (!d)
		return;
	free(d->row);
	free(d->n);
	free(d->of_n);
	free(d->ratios);
	free(d);
}

const double *tree_effective(const struct tree *t, uint32_t node)
{
	const struct tree_detail *d = t->detail;

	return d && d->row[node] != PROFILE_NONE ? &d->n[d->row[node]] : NULL;
}

const double *tree_effective_of(const struct tree *t, uint32_t node)
{
	const struct tree_detail *d = t->detail;

	return d && d->of_n && d->row[node] != PROFILE_NONE ? &d->of_n[d->row[node]] : NULL;
}

const struct ratio_row *tree_ratios(const struct tree *t, uint32_t node)
{
	const struct tree_detail *d = t->detail;

	return d && d->ratios && d->row[node] != PROFILE_NONE ? &d->ratios[d->row[node]] : NULL;
}
