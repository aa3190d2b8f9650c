/* SPDX-License-Identifier: MIT */
/*
 * From outermost inwards, a node of the profile's trie is the child of what its parent became, so
 * each is looked at once.  Reversed, or from a function on, stacks have to be walked one by one,
 * since what their nodes become depends on what is below.
 *
 * A node's id is above its parent's; sums are made backwards, as everywhere.
 */
#include "view/flame_tree.h"

#include <stdlib.h>
#include <string.h>

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
	const struct profile_event *e;
	const struct flame_source *src;
	uint32_t *key_frame; /* by key; PROFILE_NONE: none (folded text) */
	uint32_t *func_frame; /* by function */
	bool *is_root; /* by function, with src->root */
	bool unique; /* no two children of a node are the same frame: no need to look */
	VEC(struct {
		uint32_t frame;
		uint32_t func;
		bool inlined;
	})
	path;
};

static uint32_t tree_frame(struct flame_tree *t, const char *name, size_t len, const char *module,
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
	tree_frame(t, "all", 3, "", FLAME_COMM);
	vec_push(&t->nodes, (struct flame_node){ PROFILE_NONE, 0, PROFILE_NONE, PROFILE_NONE, 0 });
}

void flame_tree_release(struct flame_tree *t)
{
	intern_release(&t->names);
	hashidx_release(&t->frame_index);
	hashidx_release(&t->child_index);
	vec_release(&t->frames);
	vec_release(&t->nodes);
	vec_release(&t->side[0].cost);
	vec_release(&t->side[1].cost);
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

static uint64_t self_samples(const struct adder *a, uint32_t node)
{
	return node < a->e->node_cap ? a->e->node_count[node] : 0;
}

static uint64_t self_weight(const struct adder *a, uint32_t node)
{
	if (a->src->by_count)
		return self_samples(a, node);
	return node < a->e->node_cap ? a->e->node_weight[node] : 0;
}

static const struct line *node_lines(const struct adder *a, uint32_t node, size_t *n)
{
	const struct location *l = &a->p->locs[a->p->nodes[node].loc];

	*n = l->nr_lines;
	return &a->p->lines[l->first_line];
}

static bool is_trie_root(const struct adder *a, uint32_t node)
{
	return a->p->nodes[node].parent == PROFILE_NONE;
}

static uint32_t child_of_root(struct adder *a, uint32_t key)
{
	uint32_t frame = a->key_frame[key];

	return frame == PROFILE_NONE ? 0 : add_child(a, 0, frame, false);
}

/* Which nodes have samples of the event in or below them. */
static bool *find_used(const struct adder *a)
{
	size_t n = a->p->nr_nodes;
	bool *used = xcalloc(n + 1, sizeof(*used));

	for (size_t i = n; i-- > 0;) {
		uint32_t parent = a->p->nodes[i].parent;

		used[i] |= self_samples(a, (uint32_t)i) || self_weight(a, (uint32_t)i);
		if (used[i] && parent != PROFILE_NONE)
			used[parent] = true;
	}
	return used;
}

/* Outermost first: a node of the trie continues what its parent became. */
static void add_inwards(struct adder *a)
{
	uint32_t *of_node = xcalloc(a->p->nr_nodes + 1, sizeof(*of_node));
	bool *used = find_used(a);

	for (uint32_t i = 0; i < a->p->nr_nodes; i++) {
		const struct stack_node *node = &a->p->nodes[i];
		const struct line *lines;
		size_t n;
		uint32_t at;

		if (!used[i])
			continue;
		if (is_trie_root(a, i)) {
			of_node[i] = child_of_root(a, node->loc);
			continue;
		}
		at = of_node[node->parent];
		lines = node_lines(a, i, &n);
		while (n-- > 0)
			at = add_child(a, at, a->func_frame[lines[n].func],
				       lines[n].flags & LINE_INLINED);
		of_node[i] = at;
		add_cost(a, at, self_weight(a, i), self_samples(a, i));
	}
	free(of_node);
	free(used);
}

/* The frames of the stack that ends in NODE, innermost first; the key of its root. */
static uint32_t take_path(struct adder *a, uint32_t node)
{
	a->path.n = 0;
	for (; !is_trie_root(a, node); node = a->p->nodes[node].parent) {
		size_t n;
		const struct line *lines = node_lines(a, node, &n);

		for (size_t i = 0; i < n; i++) {
			vec_reserve(&a->path, 1);
			a->path.v[a->path.n].frame = a->func_frame[lines[i].func];
			a->path.v[a->path.n].func = lines[i].func;
			a->path.v[a->path.n++].inlined = lines[i].flags & LINE_INLINED;
		}
	}
	return a->p->nodes[node].loc;
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

static uint32_t add_path(struct adder *a, size_t from, uint32_t at)
{
	size_t n = a->path.n;

	for (size_t i = from; i < n; i++) {
		size_t k = a->src->reverse ? i : n - 1 - i;

		at = add_child(a, at, a->path.v[k].frame, a->path.v[k].inlined);
	}
	return at;
}

/* Stack by stack; the command is its outermost frame. */
static void add_stacks(struct adder *a)
{
	for (uint32_t i = 0; i < a->p->nr_nodes; i++) {
		uint64_t weight = self_weight(a, i), samples = self_samples(a, i);
		uint32_t key, at = 0;
		size_t from = 0;

		if ((!weight && !samples) || is_trie_root(a, i))
			continue;
		key = take_path(a, i);
		if (a->is_root)
			from = cut_path(a);
		if (from == a->path.n)
			continue;
		if (!a->is_root && !a->src->reverse)
			at = child_of_root(a, key);
		at = add_path(a, from, at);
		if (a->src->reverse && a->key_frame[key] != PROFILE_NONE)
			at = add_child(a, at, a->key_frame[key], false);
		add_cost(a, at, weight, samples);
	}
}

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

static uint32_t function_frame(struct adder *a, const struct func *f)
{
	const struct profile *p = a->p;
	const char *name = profile_str(p, f->name);
	size_t len = profile_strlen(p, f->name);
	uint16_t flags = p->folded ? mark_flags(name, len) : f->flags;

	return tree_frame(a->t, name, len, profile_str(p, f->module), flags);
}

static void make_frames(struct adder *a)
{
	const struct profile *p = a->p;

	a->key_frame = xreallocarray(NULL, p->nr_keys + 1, sizeof(*a->key_frame));
	a->func_frame = xreallocarray(NULL, p->nr_funcs + 1, sizeof(*a->func_frame));
	for (size_t i = 0; i < p->nr_keys; i++) {
		uint32_t comm = p->keys[i].comm;

		a->key_frame[i] = p->folded ? PROFILE_NONE
					    : tree_frame(a->t, profile_str(p, comm),
							 profile_strlen(p, comm), "", FLAME_COMM);
	}
	for (size_t i = 0; i < p->nr_funcs; i++)
		a->func_frame[i] = function_frame(a, &p->funcs[i]);
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
	/* a folded file's trie is of names already */
	a->unique = a->p->folded && a->src->alone && !a->src->root && !a->src->reverse;
	if (a->src->root || a->src->reverse)
		add_stacks(a);
	else
		add_inwards(a);
	return 0;
}

int flame_tree_add(struct flame_tree *t, unsigned side, const struct flame_source *src,
		   struct err *err)
{
	const struct profile_event *e = &src->profile->events[src->event];
	struct adder a = { .t = t, .p = src->profile, .e = e, .src = src, .side = &t->side[side] };
	int r = add_all(&a, err);

	a.side->base = src->by_count ? e->samples : e->weight;
	a.side->samples = e->samples;
	a.side->effective = src->by_count ? (double)e->samples : profile_effective_samples(e);
	free(a.key_frame);
	free(a.func_frame);
	free(a.is_root);
	vec_release(&a.path);
	return r;
}

static void sum_up(struct flame_side *s, const struct flame_tree *t)
{
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
