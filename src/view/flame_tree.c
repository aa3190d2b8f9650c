/* SPDX-License-Identifier: MIT */
/*
 * Stacks come sorted by their frames, so those with the same callers are neighbours: the tree is
 * made in one pass, and what turns out to be too narrow to be drawn is dropped on the way.  The
 * memory is that of the picture, not that of the recording.
 *
 * Two profiles to compare, reversed stacks and those from a function on are added one by one to a
 * tree that keeps all.  A node's id is above its parent's.
 */
#include "view/flame_tree.h"

#include <stdlib.h>
#include <string.h>

#include <perfrep/order.h>
#include <perfrep/statistics.h>
#include <perfrep/sums.h>

#include "base/hash.h"

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* What is needed while one profile is added. */
struct adder {
	struct flame_tree *t;
	struct flame_side *side;
	const struct profile *p;
	const struct flame_source *src;
	uint32_t *key_frame; /* by key; PROFILE_NONE: none (folded text) */
	uint32_t *func_frame; /* by function */
	bool *is_root; /* by function, with src->root */
	bool unique; /* sorted, and alone: a frame that is not the last one's is new */
	VEC(struct {
		uint32_t frame;
		uint32_t func;
		bool inlined;
	})
	path; /* innermost first */
	VEC(uint32_t) open; /* nodes from the outermost in, without "all" */
};

uint32_t flame_tree_frame(struct flame_tree *t, const char *name, size_t len, const char *module,
			  uint16_t flags)
{
	struct flame_frame f = { intern_add(&t->names, name, len), intern_adds(&t->names, module),
				 flags };
	uint64_t hash = hash_pair(f.name, f.module);
	struct hashidx_iter it = hashidx_first(&t->frame_index, hash);
	uint32_t id;

	while ((id = hashidx_next(&t->frame_index, &it)) != HASHIDX_NONE)
		if (t->frames.v[id].name == f.name && t->frames.v[id].module == f.module &&
		    t->frames.v[id].flags == f.flags)
			return id;
	id = (uint32_t)t->frames.n;
	vec_push(&t->frames, f);
	hashidx_add(&t->frame_index, hash, id);
	return id;
}

void flame_tree_init(struct flame_tree *t)
{
	memset(t, 0, sizeof(*t));
	flame_tree_frame(t, "all", 3, "", FLAME_COMM);
	vec_push(&t->nodes, (struct flame_node){ .parent = PROFILE_NONE,
						 .child = PROFILE_NONE,
						 .next = PROFILE_NONE });
}

void flame_tree_release(struct flame_tree *t)
{
	intern_release(&t->names);
	hashidx_release(&t->frame_index);
	hashidx_release(&t->child_index);
	vec_release(&t->frames);
	vec_release(&t->nodes);
	for (int i = 0; i < 2; i++) {
		vec_release(&t->side[i].cost);
		vec_release(&t->side[i].of_frame);
	}
}

static uint32_t add_child(struct adder *a, uint32_t parent, uint32_t frame, bool inlined)
{
	struct flame_tree *t = a->t;
	uint64_t hash = hash_pair(parent, frame);
	struct hashidx_iter it = hashidx_first(&t->child_index, hash);
	uint32_t id = a->unique ? HASHIDX_NONE : hashidx_next(&t->child_index, &it);
	uint16_t flags = t->frames.v[frame].flags;

	if (id != HASHIDX_NONE) {
		t->nodes.v[id].inlined &= inlined || flags & LINE_INLINED;
		return id;
	}
	id = (uint32_t)t->nodes.n;
	vec_push(&t->nodes, (struct flame_node){ .parent = parent,
						 .frame = frame,
						 .child = PROFILE_NONE,
						 .next = PROFILE_NONE,
						 .inlined = inlined || flags & LINE_INLINED });
	if (!a->unique)
		hashidx_add(&t->child_index, hash, id);
	return id;
}

static void add_cost(struct adder *a, uint32_t node, uint64_t weight, uint64_t samples)
{
	struct flame_cost *c;

	if (node >= a->side->cost.n)
		vec_resize(&a->side->cost, (size_t)node + 1);
	c = &a->side->cost.v[node];
	c->weight = add_saturating(c->weight, weight);
	c->samples = add_saturating(c->samples, samples);
}

/* ---- sorted ------------------------------------------------------------------------------ */

/*
 * Frames for sorting: [2 id] and [2 id + 1], inlined, are the same, so they have the same rank, and
 * no other two have.
 */
struct sorting {
	VEC(uint32_t) v;
	struct frames_range *keys, *locs;
	uint32_t *ranks;
};

static void sort_frames(struct sorting *s, const struct adder *a)
{
	const struct profile *p = a->p;

	s->keys = xcalloc(p->nr_keys + 1, sizeof(*s->keys));
	s->locs = xcalloc(p->nr_locs + 1, sizeof(*s->locs));
	for (size_t i = 0; i < p->nr_keys; i++) {
		s->keys[i].first = (uint32_t)s->v.n;
		if (a->key_frame[i] == PROFILE_NONE)
			continue;
		vec_push(&s->v, 2 * a->key_frame[i]);
		s->keys[i].n = 1;
	}
	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		s->locs[i] = (struct frames_range){ (uint32_t)s->v.n, l->nr_lines };
		for (uint32_t k = l->nr_lines; k-- > 0;) {
			const struct line *line = &p->lines[l->first_line + k];

			vec_push(&s->v,
				 2 * a->func_frame[line->func] + !!(line->flags & LINE_INLINED));
		}
	}
	s->ranks = xreallocarray(NULL, 4 * a->t->frames.n, sizeof(*s->ranks));
	for (uint32_t i = 0; i < 4 * a->t->frames.n; i++)
		s->ranks[i] = i / 4;
}

static void sorting_release(struct sorting *s)
{
	vec_release(&s->v);
	free(s->keys);
	free(s->locs);
	free(s->ranks);
}

/*
 * Nothing will be added to the innermost open node.  If it is narrow, all below it goes: those
 * are the nodes after it.  It stays itself, since it has a place among its siblings.
 */
static void close_node(struct adder *a)
{
	uint32_t node = a->open.v[--a->open.n];
	struct flame_tree *t = a->t;
	struct flame_cost *costs = a->side->cost.v;

	if (!a->unique)
		return;
	costs[t->nodes.v[node].parent].weight += costs[node].weight;
	costs[t->nodes.v[node].parent].samples += costs[node].samples;
	if ((double)costs[node].weight >= a->src->least || node + 1 == t->nodes.n)
		return;
	t->left_out += t->nodes.n - node - 1;
	t->nodes.v[node].cut = true;
	t->nodes.n = node + 1;
	a->side->cost.n = node + 1;
}

/* Go from the stack before to one with N frames, doubled. */
static uint32_t open_stack(struct adder *a, const uint32_t *frames, size_t n)
{
	size_t same = 0;

	for (; same < n && same < a->open.n; same++) {
		struct flame_node *node = &a->t->nodes.v[a->open.v[same]];

		if (node->frame != frames[same] / 2)
			break;
		node->inlined &= frames[same] & 1 ||
				 a->t->frames.v[node->frame].flags & LINE_INLINED;
	}
	while (a->open.n > same)
		close_node(a);
	for (; same < n; same++) {
		uint32_t parent = same ? a->open.v[same - 1] : 0;

		vec_push(&a->open, add_child(a, parent, frames[same] / 2, frames[same] & 1));
		add_cost(a, a->open.v[same], 0, 0);
	}
	return n ? a->open.v[n - 1] : 0;
}

static void add_sorted(struct adder *a)
{
	struct sorting s = { 0 };
	struct stack_order order;
	uint32_t *frames = NULL;
	size_t cap = 0;

	sort_frames(&s, a);
	stack_order_init(&order, a->p, a->src->event,
			 &(struct stack_frames){ .frames = s.v.v,
						 .keys = s.keys,
						 .locs = { s.locs },
						 .ranks = s.ranks,
						 .nr_ranks = (uint32_t)a->t->frames.n });
	add_cost(a, 0, 0, 0);
	for (size_t i = 0; i < order.n; i++) {
		uint64_t samples, weight = stack_order_weight(&order, i, &samples);
		size_t n = stack_order_frames(&order, i, &frames, &cap);

		if (a->src->by_count)
			weight = samples;
		add_cost(a, open_stack(a, frames, n), weight, samples);
	}
	while (a->open.n)
		close_node(a);
	a->side->summed = a->unique;
	free(frames);
	stack_order_release(&order);
	sorting_release(&s);
}

/* ---- one by one -------------------------------------------------------------------------- */

/* The frames of a stack, innermost first. */
static void take_path(struct adder *a, const uint32_t *locs, size_t n)
{
	a->path.n = 0;
	while (n-- > 0) {
		const struct location *l = &a->p->locs[locs[n]];

		for (uint32_t i = 0; i < l->nr_lines; i++) {
			const struct line *line = &a->p->lines[l->first_line + i];

			vec_reserve(&a->path, 1);
			a->path.v[a->path.n].frame = a->func_frame[line->func];
			a->path.v[a->path.n].func = line->func;
			a->path.v[a->path.n++].inlined = line->flags & LINE_INLINED;
		}
	}
}

/*
 * Keep of the path what begins at the root function: from its outermost place on, or, seen from
 * the other end, from its innermost.  Its first frame; path.n when it isn't there.
 */
static size_t cut_path(struct adder *a)
{
	size_t from = 0;

	if (a->src->reverse) {
		while (from < a->path.n && !a->is_root[a->path.v[from].func])
			from++;
		return from;
	}
	while (a->path.n && !a->is_root[a->path.v[a->path.n - 1].func])
		a->path.n--;
	return 0;
}

static uint32_t add_path(struct adder *a, size_t from)
{
	size_t n = a->path.n;
	uint32_t at = 0;

	for (size_t i = from; i < n; i++) {
		size_t k = a->src->reverse ? i : n - 1 - i;

		at = add_child(a, at, a->path.v[k].frame, a->path.v[k].inlined);
	}
	return at;
}

/* Reversed, the command is the last; from a function on there is none. */
static void add_stacks(struct adder *a)
{
	struct stack_iter it;

	stack_iter_init(&it, a->p, a->src->event);
	while (stack_iter_next(&it)) {
		uint32_t at, command = a->key_frame[it.key];
		size_t from = 0;

		take_path(a, it.locs, it.n);
		if (a->is_root)
			from = cut_path(a);
		if (from == a->path.n)
			continue;
		at = add_path(a, from);
		if (a->src->reverse && command != PROFILE_NONE)
			at = add_child(a, at, command, false);
		add_cost(a, at, a->src->by_count ? it.count : it.weight, it.count);
	}
	stack_iter_release(&it);
}

/* ---- frames ------------------------------------------------------------------------------ */

/* The marks that stackcollapse-perf.pl puts behind names: what they say. */
static uint16_t mark_flags(const char *name, size_t len)
{
	const char *mark = name + len - 4;

	if (len <= 4 || mark[0] != '_' || mark[1] != '[' || mark[3] != ']')
		return 0;
	switch (mark[2]) {
	case 'k':
		return FLAME_MARKED | LINE_KERNEL;
	case 'j':
		return FLAME_MARKED | LINE_JIT;
	case 'i':
		return FLAME_MARKED | LINE_INLINED;
	case 'w':
		return FLAME_MARKED;
	default:
		return 0;
	}
}

uint32_t flame_tree_function(struct flame_tree *t, const struct profile *p, const struct func *f)
{
	const char *name = profile_str(p, f->name);
	size_t len = profile_strlen(p, f->name);
	uint16_t flags = p->folded ? mark_flags(name, len) : f->flags;

	return flame_tree_frame(t, name, len, profile_str(p, f->module), flags);
}

static void make_frames(struct adder *a)
{
	const struct profile *p = a->p;

	a->key_frame = xreallocarray(NULL, p->nr_keys + 1, sizeof(*a->key_frame));
	a->func_frame = xreallocarray(NULL, p->nr_funcs + 1, sizeof(*a->func_frame));
	for (size_t i = 0; i < p->nr_keys; i++) {
		uint32_t comm = p->keys[i].comm;

		a->key_frame[i] = p->folded ? PROFILE_NONE
					    : flame_tree_frame(a->t, profile_str(p, comm),
							       profile_strlen(p, comm), "",
							       FLAME_COMM);
	}
	for (size_t i = 0; i < p->nr_funcs; i++)
		a->func_frame[i] = flame_tree_function(a->t, p, &p->funcs[i]);
}

/* The functions called src->root; if none is, the names that contain it go into ERR. */
static int find_root(struct adder *a, struct err *err)
{
	const struct profile *p = a->p;
	const char *near = NULL;
	bool found = false;

	a->is_root = xcalloc(p->nr_funcs + 1, sizeof(*a->is_root));
	for (size_t i = 0; i < p->nr_funcs; i++) {
		const char *name = profile_str(p, p->funcs[i].name);

		a->is_root[i] = !strcmp(name, a->src->root);
		found |= a->is_root[i];
		if (strstr(name, a->src->root) && (!near || strcmp(name, near) < 0))
			near = name;
	}
	if (found)
		return 0;
	if (near)
		return err_set(err, ERR_NOT_FOUND,
			       "No function is called \"%s\"; \"%s\" contains it, for one.",
			       a->src->root, near);
	return err_set(err, ERR_NOT_FOUND, "No function is called \"%s\".", a->src->root);
}

static int add_all(struct adder *a, struct err *err)
{
	if (a->src->root && find_root(a, err) < 0)
		return -1;
	make_frames(a);
	a->unique = a->src->alone && !a->src->root && !a->src->reverse;
	if (a->src->root || a->src->reverse)
		add_stacks(a);
	else
		add_sorted(a);
	return 0;
}

/* From slices of time, how bursty each function is. */
static void measure(struct adder *a)
{
	const struct profile *p = a->p;
	uint32_t *row_of_line = xreallocarray(NULL, p->nr_lines + 1, sizeof(*row_of_line));
	struct row_sums sums;

	for (size_t i = 0; i < p->nr_lines; i++)
		row_of_line[i] = a->func_frame[p->lines[i].func];
	row_sums(&sums, p, a->src->event, row_of_line, a->t->frames.n, true);
	for (size_t i = 0; sums.blocks.n && i < a->t->frames.n; i++) {
		const struct row_blocks *b = &sums.blocks;
		const uint64_t *total = a->src->by_count ? b->total_samples : b->total;
		const uint64_t *all = a->src->by_count ? b->samples : b->weight;
		double n = a->side->effective;

		if (sums.rows[i].total_samples)
			n = share_of_blocks(total + i * b->n, all, b->samples, b->n, n).n;
		vec_push(&a->side->of_frame, n);
	}
	row_sums_release(&sums);
	free(row_of_line);
}

int flame_tree_add(struct flame_tree *t, unsigned side, const struct flame_source *src,
		   struct err *err)
{
	const struct profile_event *e = &src->profile->events[src->event];
	struct adder a = { .t = t, .p = src->profile, .src = src, .side = &t->side[side] };
	int r = add_all(&a, err);

	a.side->base = src->by_count ? e->samples : e->weight;
	a.side->samples = e->samples;
	a.side->effective = src->by_count ? (double)e->samples : profile_effective_samples(e);
	if (r >= 0 && src->profile->timed)
		measure(&a);
	free(a.key_frame);
	free(a.func_frame);
	free(a.is_root);
	vec_release(&a.path);
	vec_release(&a.open);
	return r;
}

static void sum_up(struct flame_side *s, const struct flame_tree *t)
{
	if (s->summed)
		return;
	for (size_t i = s->cost.n; i-- > 1;) {
		struct flame_cost *c = &s->cost.v[t->nodes.v[i].parent];

		c->weight = add_saturating(c->weight, s->cost.v[i].weight);
		c->samples = add_saturating(c->samples, s->cost.v[i].samples);
	}
}

void flame_tree_finish(struct flame_tree *t)
{
	for (size_t i = t->nodes.n; i-- > 1;) {
		struct flame_node *n = &t->nodes.v[i], *parent = &t->nodes.v[n->parent];

		n->next = parent->child;
		parent->child = (uint32_t)i;
	}
	sum_up(&t->side[0], t);
	sum_up(&t->side[1], t);
}
