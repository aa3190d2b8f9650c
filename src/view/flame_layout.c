/* SPDX-License-Identifier: MIT */
/*
 * Names are compared once: every frame gets two ranks, one for each of the characters that may
 * follow it, and siblings are sorted by rank.
 */
#include "view/flame_layout.h"

#include <stdlib.h>
#include <string.h>

/* A node that waits for its box. */
struct entry {
	uint32_t rank, node, depth;
	uint64_t x;
};

struct builder {
	struct flame_layout *l;
	const struct flame_tree *t;
	const uint64_t *weight;
	uint32_t *ranks; /* by frame: [2 id] when it ends a line, [2 id + 1] when not */
	VEC(struct entry) stack; /* the next one last */
	VEC(struct entry) children;
};

static int char_at(const struct flame_tree *t, uint32_t key, size_t at)
{
	uint32_t name = t->frames.v[key / 2].name;
	size_t len = intern_len(&t->names, name);

	if (at < len)
		return (unsigned char)intern_str(&t->names, name)[at];
	return at > len ? -1 : key % 2 ? ';' : ' ';
}

static int compare_keys(const void *va, const void *vb, void *arg)
{
	const struct flame_tree *t = arg;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	const struct flame_frame *fa = &t->frames.v[a / 2], *fb = &t->frames.v[b / 2];
	size_t la = intern_len(&t->names, fa->name), lb = intern_len(&t->names, fb->name);
	size_t n = la < lb ? la : lb;
	int cmp = memcmp(intern_str(&t->names, fa->name), intern_str(&t->names, fb->name), n);

	if (!cmp)
		cmp = char_at(t, a, n) - char_at(t, b, n);
	if (!cmp)
		cmp = char_at(t, a, n + 1) - char_at(t, b, n + 1);
	if (!cmp)
		cmp = strcmp(intern_str(&t->names, fa->module), intern_str(&t->names, fb->module));
	return cmp ? cmp : a < b ? -1 : a > b;
}

static void make_ranks(struct builder *b)
{
	uint32_t n = 2 * (uint32_t)b->t->frames.n;
	uint32_t *keys = xreallocarray(NULL, n, sizeof(*keys));

	for (uint32_t i = 0; i < n; i++)
		keys[i] = i;
	qsort_r(keys, n, sizeof(*keys), compare_keys, (void *)b->t);
	b->ranks = xreallocarray(NULL, n, sizeof(*b->ranks));
	for (uint32_t i = 0; i < n; i++)
		b->ranks[keys[i]] = i;
	free(keys);
}

static int compare_entries(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Most sets are tiny. */
static void sort_entries(struct entry *v, size_t n)
{
	if (n > 24) {
		qsort(v, n, sizeof(*v), compare_entries);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct entry e = v[i];
		size_t k = i;

		for (; k && compare_entries(&v[k - 1], &e) > 0; k--)
			v[k] = v[k - 1];
		v[k] = e;
	}
}

static bool goes_on(const struct builder *b, uint32_t node)
{
	uint32_t c = b->t->nodes.v[node].child;

	if (b->t->nodes.v[node].cut)
		return true;
	while (c != PROFILE_NONE && !b->weight[c])
		c = b->t->nodes.v[c].next;
	return c != PROFILE_NONE;
}

/* The children of a box wait, the first of them on top; they end where the box ends. */
static void push_children(struct builder *b, const struct flame_box *box)
{
	uint64_t x = box->x + box->width;

	b->children.n = 0;
	for (uint32_t c = b->t->nodes.v[box->node].child; c != PROFILE_NONE;
	     c = b->t->nodes.v[c].next) {
		uint32_t frame = b->t->nodes.v[c].frame;

		if (b->weight[c])
			vec_push(&b->children, (struct entry){ b->ranks[2 * frame + goes_on(b, c)],
							       c, box->depth + 1, 0 });
	}
	sort_entries(b->children.v, b->children.n);
	for (size_t i = b->children.n; i-- > 0;) {
		x -= b->weight[b->children.v[i].node];
		b->children.v[i].x = x;
		vec_push(&b->stack, b->children.v[i]);
	}
}

static size_t count_frames(const struct builder *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->t->nodes.n; i++)
		n += b->weight[i] != 0;
	return n;
}

void flame_layout_init(struct flame_layout *l, const struct flame_tree *t, const uint64_t *weight,
		       double min)
{
	struct builder b = { .l = l, .t = t, .weight = weight };

	*l = (struct flame_layout){ 0 };
	make_ranks(&b);
	vec_push(&b.stack, (struct entry){ 0 });
	while (b.stack.n) {
		struct entry e = b.stack.v[--b.stack.n];
		struct flame_box box = { e.node, e.depth, e.x, weight[e.node] };

		if (e.node && (double)box.width < min)
			continue;
		vec_push(&l->boxes, box);
		if (e.depth > l->depth)
			l->depth = e.depth;
		push_children(&b, &box);
	}
	l->left_out = count_frames(&b) - l->boxes.n + !weight[0] + t->left_out;
	free(b.ranks);
	vec_release(&b.stack);
	vec_release(&b.children);
}

void flame_layout_release(struct flame_layout *l)
{
	vec_release(&l->boxes);
}
