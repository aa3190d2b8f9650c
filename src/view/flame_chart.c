/* SPDX-License-Identifier: MIT */
/*
 * Boxes are made depth first: a sample closes those of the sample before that it does not share,
 * and opens its own.  A box that turns out to be narrow when it is closed goes, with all in it,
 * which are the last ones: the memory is that of the picture.  Node and box have the same number.
 */
#include "view/flame_chart.h"

#include <stdlib.h>
#include <string.h>

#include <perfrep/moments.h>

#include "base/strbuf.h"

struct builder {
	struct flame_chart *c;
	const struct profile *p;
	double least; /* ns */
	uint32_t *func_frame; /* by function */
	uint32_t floor; /* depth of the lane's own box */
	VEC(uint32_t) open; /* boxes from the lane's own on */
	VEC(uint32_t) path; /* of the sample at hand, outermost first: 2 frame + inlined */
	uint32_t *locs;
	size_t cap;
};

/* ---- time -------------------------------------------------------------------------------- */

static bool same_thread(const struct profile *p, const struct moment *a, const struct moment *b)
{
	return p->keys[a->key].pid == p->keys[b->key].pid &&
	       p->keys[a->key].tid == p->keys[b->key].tid;
}

static int ascending(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return a < b ? -1 : a > b;
}

/* The median of the times between samples of a thread; 1 when there is none. */
static uint64_t usual_interval(const struct profile *p, const struct moments *m)
{
	uint64_t *v = xreallocarray(NULL, m->n + 1, sizeof(*v)), median;
	size_t n = 0;

	for (size_t i = 1; i < m->n; i++)
		if (same_thread(p, &m->v[i - 1], &m->v[i]) && m->v[i].when > m->v[i - 1].when)
			v[n++] = m->v[i].when - m->v[i - 1].when;
	qsort(v, n, sizeof(*v), ascending);
	median = n ? v[n / 2] : 1;
	free(v);
	return median;
}

/* Up to when sample I stands. */
static uint64_t end_of(const struct builder *b, const struct moments *m, size_t i)
{
	uint64_t when = m->v[i].when, usual = b->c->interval, next;

	if (i + 1 < m->n && same_thread(b->p, &m->v[i], &m->v[i + 1])) {
		next = m->v[i + 1].when;
		if (next - when <= 2 * usual)
			return next;
	}
	return when + usual < when ? UINT64_MAX : when + usual;
}

static void find_span(struct builder *b, const struct moments *m)
{
	uint64_t last = 0;

	b->c->first = m->n ? UINT64_MAX : 0;
	for (size_t i = 0; i < m->n; i++) {
		uint64_t end = end_of(b, m, i);

		if (m->v[i].when < b->c->first)
			b->c->first = m->v[i].when;
		if (end > last)
			last = end;
	}
	b->c->span = last - b->c->first;
}

/* ---- boxes ------------------------------------------------------------------------------- */

static void open_box(struct builder *b, uint32_t frame, bool inlined, uint32_t depth, uint64_t when)
{
	struct flame_tree *t = b->c->tree;
	struct flame_layout *l = &b->c->layout;
	uint32_t id = (uint32_t)l->boxes.n;
	uint32_t parent = b->open.n ? b->open.v[b->open.n - 1] : id ? 0 : PROFILE_NONE;
	const struct flame_box box = { .node = id, .depth = depth, .x = when - b->c->first };

	if (id)
		vec_push(&t->nodes, (struct flame_node){ .parent = parent,
							 .frame = frame,
							 .child = PROFILE_NONE,
							 .next = PROFILE_NONE,
							 .inlined = inlined });
	vec_push(&t->side[1].cost, (struct flame_cost){ 0 });
	vec_push(&l->boxes, box);
	vec_push(&b->open, id);
}

static void close_box(struct builder *b, uint64_t end)
{
	struct flame_tree *t = b->c->tree;
	struct flame_layout *l = &b->c->layout;
	uint32_t id = b->open.v[--b->open.n];
	struct flame_box *box = &l->boxes.v[id];

	box->width = end - b->c->first - box->x;
	t->side[1].cost.v[id].weight = box->width;
	if (b->open.n && (!box->width || (double)box->width < b->least)) {
		l->left_out += l->boxes.n - id;
		l->boxes.n = t->nodes.n = t->side[1].cost.n = id;
	}
}

static void take_path(struct builder *b, const struct moment *m)
{
	const struct profile *p = b->p;
	size_t n = moment_stack(p, m, &b->locs, &b->cap);

	b->path.n = 0;
	for (size_t i = 0; i < n; i++) {
		const struct location *l = &p->locs[b->locs[i]];

		for (uint32_t k = l->nr_lines; k-- > 0;) {
			const struct line *line = &p->lines[l->first_line + k];

			vec_push(&b->path,
				 2 * b->func_frame[line->func] + !!(line->flags & LINE_INLINED));
		}
	}
}

/* FOLLOWS: the sample before of the thread ended when this one begins. */
static void add_sample(struct builder *b, uint64_t when, uint64_t before, bool follows)
{
	struct flame_tree *t = b->c->tree;
	size_t same = 0;

	for (; follows && same < b->path.n && same + 1 < b->open.n; same++) {
		struct flame_node *node = &t->nodes.v[b->open.v[same + 1]];

		if (node->frame != b->path.v[same] / 2)
			break;
		node->inlined &= b->path.v[same] & 1;
	}
	while (b->open.n > same + 1)
		close_box(b, before);
	for (; same < b->path.n; same++)
		open_box(b, b->path.v[same] / 2, b->path.v[same] & 1, b->floor + 1 + (uint32_t)same,
			 when);
	for (size_t i = 0; i < b->open.n; i++)
		t->side[1].cost.v[b->open.v[i]].samples++;
	t->side[1].cost.v[0].samples++;
}

/* "orders 24932", under the name that the thread had last. */
static uint32_t lane_frame(struct builder *b, const struct moment *last)
{
	const struct stack_key *key = &b->p->keys[last->key];
	struct strbuf name = STRBUF_INIT;
	uint32_t frame;

	strbuf_adds(&name, profile_str(b->p, key->comm));
	if (key->tid >= 0)
		strbuf_addf(&name, " %d", key->tid);
	frame = flame_tree_frame(b->c->tree, strbuf_str(&name), name.n, "", FLAME_COMM);
	strbuf_release(&name);
	return frame;
}

/* The samples FROM … END - 1, which are a thread's. */
static void add_lane(struct builder *b, const struct moments *m, size_t from, size_t end)
{
	struct flame_layout *l = &b->c->layout;
	size_t first = l->boxes.n;
	uint64_t before = 0;

	b->open.n = 0;
	b->floor = l->depth + 1;
	open_box(b, lane_frame(b, &m->v[end - 1]), false, b->floor, m->v[from].when);
	for (size_t i = from; i < end; i++) {
		take_path(b, &m->v[i]);
		add_sample(b, m->v[i].when, before, i > from && before == m->v[i].when);
		before = end_of(b, m, i);
	}
	while (b->open.n)
		close_box(b, before);
	for (size_t i = first; i < l->boxes.n; i++)
		if (l->boxes.v[i].depth > l->depth)
			l->depth = l->boxes.v[i].depth;
	b->c->lanes++;
}

static void add_lanes(struct builder *b, const struct moments *m)
{
	size_t from = 0;

	open_box(b, 0, false, 0, b->c->first);
	close_box(b, b->c->first + b->c->span);
	for (size_t i = 1; i <= m->n; i++) {
		if (i < m->n && same_thread(b->p, &m->v[i - 1], &m->v[i]))
			continue;
		add_lane(b, m, from, i);
		from = i;
	}
}

void flame_chart_init(struct flame_chart *c, struct flame_tree *tree, const struct profile *p,
		      uint32_t event, double least)
{
	struct builder b = { .c = c, .p = p };
	struct moments m;

	*c = (struct flame_chart){ .tree = tree };
	profile_moments(&m, p, event);
	c->interval = usual_interval(p, &m);
	find_span(&b, &m);
	b.least = least * (double)c->span;
	b.func_frame = xreallocarray(NULL, p->nr_funcs + 1, sizeof(*b.func_frame));
	for (size_t i = 0; i < p->nr_funcs; i++)
		b.func_frame[i] = flame_tree_function(tree, p, &p->funcs[i]);
	if (m.n)
		add_lanes(&b, &m);
	tree->side[1].summed = true;
	tree->side[1].base = c->span;
	tree->side[1].samples = m.n;
	moments_release(&m);
	free(b.func_frame);
	free(b.locs);
	vec_release(&b.open);
	vec_release(&b.path);
}

void flame_chart_release(struct flame_chart *c)
{
	flame_layout_release(&c->layout);
}
