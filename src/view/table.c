/* SPDX-License-Identifier: MIT */
/*
 * Rows by any tuple of keys.
 *
 * A key is either a part of the stack's root (comm, pid, tid, cpu) or of a frame (dso, sym,
 * srcline, srcfile).  So a row is a pair: what is kept of the root, and what is kept of the
 * frame.  Both are interned to small numbers first, once for each root key and each line of the
 * profile; after that rows are found by pairs of numbers.
 *
 * When roots are not told apart, rows are frames alone, and the profile sums them up; else each
 * stack is looked at here.  Rows are many then and most of them are in few slices of time: what
 * fell into which is a list of cells for each row, not an array.
 */
#include <perfrep/view.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "view/precision.h"
#include "view/table_order.h"

/* What is kept of a root or of a frame; parts that are no key are 0. */
struct tuple {
	uint32_t v[5];
};

struct tuples {
	struct hashidx index;
	VEC(struct tuple) v;
};

static uint32_t tuple_id(struct tuples *ts, struct tuple t)
{
	uint64_t hash = hash_bytes(&t, sizeof(t));
	struct hashidx_iter it = hashidx_first(&ts->index, hash);
	uint32_t id;

	while ((id = hashidx_next(&ts->index, &it)) != HASHIDX_NONE)
		if (!memcmp(&ts->v.v[id], &t, sizeof(t)))
			return id;
	id = (uint32_t)ts->v.n;
	vec_push(&ts->v, t);
	hashidx_add(&ts->index, hash, id);
	return id;
}

static void tuples_release(struct tuples *ts)
{
	hashidx_release(&ts->index);
	vec_release(&ts->v);
}

struct row_state {
	uint32_t key_id, frame_id;
	uint32_t stamp; /* the last stack that had the row */
};

#define NO_CELL UINT32_MAX

struct build {
	struct table *t;
	const struct profile *p;
	uint32_t *key_id; /* by profile.keys */
	uint32_t *frame_id; /* by profile.lines, and one more: no frame */
	size_t nr_keys, nr_frames; /* different ones */
	/* when roots are kept apart: */
	struct hashidx index; /* (key_id, frame_id) -> row */
	VEC(struct row_state) state; /* by row */
	uint32_t stamp;
	VEC(struct table_row) rows;
	VEC(struct table_cell) cells;
};

static struct tuple key_tuple(const struct view_keys *keys, const struct stack_key *k)
{
	struct tuple t = { { 0 } };

	if (view_keys_have(keys, KEY_COMM))
		t.v[0] = k->comm;
	if (view_keys_have(keys, KEY_PID))
		t.v[1] = (uint32_t)k->pid;
	if (view_keys_have(keys, KEY_TID))
		t.v[2] = (uint32_t)k->tid;
	if (view_keys_have(keys, KEY_CPU))
		t.v[3] = (uint32_t)k->cpu;
	if (view_keys_have(keys, KEY_FIELDS))
		t.v[4] = k->fields;
	return t;
}

static struct tuple frame_tuple(const struct profile *p, const struct view_keys *keys,
				const struct line *l)
{
	const struct func *f = &p->funcs[l->func];
	struct tuple t = { { 0 } };

	if (view_keys_have(keys, KEY_DSO))
		t.v[0] = f->module;
	if (view_keys_have(keys, KEY_SYM))
		t.v[1] = f->name;
	if (view_keys_have(keys, KEY_SRCLINE) || view_keys_have(keys, KEY_SRCFILE))
		t.v[2] = l->file;
	if (view_keys_have(keys, KEY_SRCLINE))
		t.v[3] = l->line;
	return t;
}

static bool has_frame_key(const struct view_keys *keys)
{
	return view_keys_have(keys, KEY_DSO) || view_keys_have(keys, KEY_SYM) ||
	       view_keys_have(keys, KEY_SRCLINE) || view_keys_have(keys, KEY_SRCFILE);
}

static void intern_tuples(struct build *b)
{
	const struct view_keys *keys = &b->t->opts.keys;
	const struct tuple no_frame = { { UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX } };
	struct tuples kt = { 0 }, ft = { 0 };
	const struct profile *p = b->p;

	b->key_id = xreallocarray(NULL, p->nr_keys + 1, sizeof(*b->key_id));
	b->frame_id = xreallocarray(NULL, p->nr_lines + 1, sizeof(*b->frame_id));
	for (size_t i = 0; i < p->nr_keys; i++)
		b->key_id[i] = tuple_id(&kt, key_tuple(keys, &p->keys[i]));
	for (size_t i = 0; i < p->nr_lines; i++)
		b->frame_id[i] = tuple_id(&ft, frame_tuple(p, keys, &p->lines[i]));
	b->frame_id[p->nr_lines] = has_frame_key(keys) ? tuple_id(&ft, no_frame)
						       : tuple_id(&ft, (struct tuple){ { 0 } });
	b->nr_keys = kt.v.n;
	b->nr_frames = ft.v.n;
	tuples_release(&kt);
	tuples_release(&ft);
}

/* ---- rows by frame alone: the sums of the profile ---- */

/* A line for each frame id; PROFILE_NONE for "no frame". */
static uint32_t *line_of_frame(const struct build *b)
{
	uint32_t *line = xreallocarray(NULL, b->nr_frames, sizeof(*line));

	memset(line, 0xff, b->nr_frames * sizeof(*line));
	for (size_t i = b->p->nr_lines; i-- > 0;)
		line[b->frame_id[i]] = (uint32_t)i;
	return line;
}

static void add_sum(struct build *b, uint32_t id, const struct row_sum *s, uint32_t line)
{
	if (s->total || s->total_samples)
		vec_push(&b->rows, (struct table_row){ .line = line,
						       .sum = id,
						       .self_weight = s->self,
						       .total_weight = s->total,
						       .self_samples = s->self_samples,
						       .total_samples = s->total_samples,
						       .depth = s->depth });
}

static void add_slices(uint64_t *v, size_t to, size_t from, unsigned n)
{
	for (unsigned b = 0; b < n; b++)
		v[to * n + b] += v[from * n + b];
}

/* Stacks without a line are a row of their own, or part of the only one there is. */
static void place_frameless(const struct build *b, struct row_sums *sums)
{
	size_t to = b->frame_id[b->p->nr_lines], from = b->nr_frames;
	const struct row_sum *gone = &sums->rows[from];
	struct row_sum *row = &sums->rows[to];
	struct row_blocks *blocks = &sums->blocks;

	row->self += gone->self;
	row->self_samples += gone->self_samples;
	row->total += gone->total;
	row->total_samples += gone->total_samples;
	if (!blocks->n)
		return;
	add_slices(blocks->self, to, from, blocks->n);
	add_slices(blocks->total, to, from, blocks->n);
	add_slices(blocks->self_samples, to, from, blocks->n);
	add_slices(blocks->total_samples, to, from, blocks->n);
}

static void rows_by_frame(struct build *b)
{
	uint32_t *line = line_of_frame(b);
	struct table *t = b->t;
	struct row_sums sums;

	row_sums(&sums, b->p, t->event, b->frame_id, b->nr_frames, t->opts.blocks);
	place_frameless(b, &sums);
	for (uint32_t i = 0; i < b->nr_frames; i++)
		add_sum(b, i, &sums.rows[i], line[i]);
	t->has_total = sums.deep;
	t->leaves = sums.leaves;
	t->blocks = sums.blocks;
	free(sums.rows);
	free(line);
}

/* How much of a row's self is in inlined copies: the leaf of the stack tells. */
static void find_inlined(struct build *b)
{
	uint64_t *by_frame = xcalloc(b->nr_frames, sizeof(*by_frame));
	const struct profile *p = b->p;

	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];
		const struct leaf_sum *leaf = &b->t->leaves[i];

		if (l->nr_lines && p->lines[l->first_line].flags & LINE_INLINED)
			by_frame[b->frame_id[l->first_line]] += b->t->opts.by_count ? leaf->samples
										    : leaf->weight;
	}
	for (size_t i = 0; i < b->rows.n; i++)
		if (b->rows.v[i].line != PROFILE_NONE)
			b->rows.v[i].inlined = by_frame[b->frame_id[b->rows.v[i].line]];
	free(by_frame);
}

/* ---- rows by root and frame ---- */

static uint32_t add_row(struct build *b, uint32_t key, size_t line)
{
	bool frame = line < b->p->nr_lines;

	vec_push(&b->rows, (struct table_row){ .key = key,
					       .line = frame ? (uint32_t)line : PROFILE_NONE,
					       .sum = NO_CELL });
	vec_push(&b->state, (struct row_state){ b->key_id[key], b->frame_id[line], 0 });
	return (uint32_t)b->rows.n - 1;
}

/* The row of a root key and a line (nr_lines: no frame), made when it is new. */
static uint32_t row_of(struct build *b, uint32_t key, size_t line)
{
	uint32_t kid = b->key_id[key], fid = b->frame_id[line], id;
	uint64_t hash = hash_u64((uint64_t)kid << 32 | fid);
	struct hashidx_iter it = hashidx_first(&b->index, hash);

	while ((id = hashidx_next(&b->index, &it)) != HASHIDX_NONE)
		if (b->state.v[id].key_id == kid && b->state.v[id].frame_id == fid)
			return id;
	id = add_row(b, key, line);
	hashidx_add(&b->index, hash, id);
	return id;
}

/* The cell of a row and a slice of time, made when it is new; NULL when slices are not told apart. */
static struct table_cell *cell_of(struct build *b, uint32_t id, const struct stack_iter *it)
{
	uint32_t *first = &b->rows.v[id].sum;

	if (!it->by_block)
		return NULL;
	for (uint32_t c = *first; c != NO_CELL; c = b->cells.v[c].next)
		if (b->cells.v[c].block == it->block)
			return &b->cells.v[c];
	vec_push(&b->cells, (struct table_cell){ .next = *first, .block = it->block });
	*first = (uint32_t)b->cells.n - 1;
	return &b->cells.v[*first];
}

static void add_total(struct build *b, uint32_t id, const struct stack_iter *it, uint32_t depth)
{
	struct table_row *row = &b->rows.v[id];
	struct table_cell *cell;

	if (b->state.v[id].stamp == b->stamp)
		return;
	b->state.v[id].stamp = b->stamp;
	row->total_weight += it->weight;
	row->total_samples += it->count;
	if (!row->depth || depth < row->depth)
		row->depth = depth;
	cell = cell_of(b, id, it);
	if (cell)
		cell->total += b->t->opts.by_count ? it->count : it->weight;
}

static void add_self(struct build *b, uint32_t id, const struct stack_iter *it, bool inlined)
{
	struct table_row *row = &b->rows.v[id];
	struct table_cell *cell = cell_of(b, id, it);
	uint64_t chosen = b->t->opts.by_count ? it->count : it->weight;

	row->self_weight += it->weight;
	row->self_samples += it->count;
	if (inlined)
		row->inlined += chosen;
	if (cell)
		cell->self += chosen;
}

static void add_stack(struct build *b, const struct stack_iter *it)
{
	uint32_t depth = 0, id = 0;

	b->stamp++;
	for (size_t i = 0; i < it->n; i++) {
		const struct location *l = &b->p->locs[it->locs[i]];

		for (uint32_t k = l->nr_lines; k-- > 0;) {
			id = row_of(b, it->key, l->first_line + k);
			add_total(b, id, it, ++depth);
		}
		if (i == it->n - 1 && l->nr_lines)
			add_self(b, id, it, b->p->lines[l->first_line].flags & LINE_INLINED);
	}
	if (!it->n || !b->p->locs[it->locs[it->n - 1]].nr_lines) {
		id = row_of(b, it->key, b->p->nr_lines);
		add_total(b, id, it, 0);
		add_self(b, id, it, false);
	}
	if (depth > 1)
		b->t->has_total = true;
}

static void rows_by_key(struct build *b)
{
	struct table *t = b->t;
	struct stack_iter it;

	stack_iter_init(&it, b->p, t->event);
	it.by_block = t->opts.blocks && b->p->timed;
	if (it.by_block) {
		t->blocks.n = PROFILE_BLOCKS;
		t->blocks.weight = xcalloc(PROFILE_BLOCKS, sizeof(*t->blocks.weight));
		t->blocks.samples = xcalloc(PROFILE_BLOCKS, sizeof(*t->blocks.samples));
	}
	while (stack_iter_next(&it)) {
		add_stack(b, &it);
		if (!it.by_block)
			continue;
		t->blocks.weight[it.block] += it.weight;
		t->blocks.samples[it.block] += it.count;
	}
	stack_iter_release(&it);
	t->cells = b->cells.v; /* now the table's */
	t->leaves = leaf_sums(b->p, t->event);
	hashidx_release(&b->index);
	vec_release(&b->state);
}

static void choose_weight(struct table *t)
{
	bool count = t->opts.by_count;

	for (size_t i = 0; i < t->n; i++) {
		struct table_row *row = &t->rows[i];

		row->self = count ? row->self_samples : row->self_weight;
		row->total = count ? row->total_samples : row->total_weight;
	}
}

void table_build(struct table *t, const struct profile *p, uint32_t event,
		 const struct table_options *opts)
{
	const struct profile_event *e = &p->events[event];
	struct build b = { .t = t, .p = p };

	*t = (struct table){ .profile = p, .event = event, .opts = *opts };
	t->base = opts->by_count ? e->samples : e->weight;
	t->samples = opts->by_count ? (double)e->samples : profile_effective_samples(e);
	intern_tuples(&b);
	if (b.nr_keys > 1) {
		rows_by_key(&b);
	} else {
		rows_by_frame(&b);
		find_inlined(&b);
	}
	t->rows = b.rows.v; /* now the table's */
	t->n = b.rows.n;
	t->has_total = t->has_total && has_frame_key(&opts->keys);
	choose_weight(t);
	table_order(t);
	precision_find(t);
	table_rank(t);
	free(b.key_id);
	free(b.frame_id);
}

void table_release(struct table *t)
{
	free(t->rows);
	free(t->leaves);
	free(t->cells);
	row_blocks_release(&t->blocks);
	memset(t, 0, sizeof(*t));
}
