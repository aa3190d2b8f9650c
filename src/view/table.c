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
 * stack is looked at here.
 */
#include <perfrep/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "view/precision.h"
#include <perfrep/statistics.h>

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
		vec_push(&b->rows,
			 (struct table_row){ .line = line,
					     .sum = line == PROFILE_NONE ? (uint32_t)b->nr_frames
									 : id,
					     .self_weight = s->self,
					     .total_weight = s->total,
					     .self_samples = s->self_samples,
					     .total_samples = s->total_samples,
					     .depth = s->depth });
}

/* Stacks without a line are a row of their own, or part of the only one there is. */
static void place_frameless(const struct build *b, struct row_sum *sums)
{
	struct row_sum *to = &sums[b->frame_id[b->p->nr_lines]], *from = &sums[b->nr_frames];

	to->self += from->self;
	to->self_samples += from->self_samples;
	to->total += from->total;
	to->total_samples += from->total_samples;
}

static void rows_by_frame(struct build *b)
{
	uint32_t *line = line_of_frame(b);
	struct table *t = b->t;
	struct row_sums sums;

	row_sums(&sums, b->p, t->event, b->frame_id, b->nr_frames, t->opts.blocks);
	place_frameless(b, sums.rows);
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

	vec_push(&b->rows,
		 (struct table_row){ .key = key, .line = frame ? (uint32_t)line : PROFILE_NONE });
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

static void add_total(struct build *b, uint32_t id, const struct stack_iter *it, uint32_t depth)
{
	struct table_row *row = &b->rows.v[id];

	if (b->state.v[id].stamp == b->stamp)
		return;
	b->state.v[id].stamp = b->stamp;
	row->total_weight += it->weight;
	row->total_samples += it->count;
	if (!row->depth || depth < row->depth)
		row->depth = depth;
}

static void add_self(struct build *b, uint32_t id, const struct stack_iter *it, bool inlined)
{
	struct table_row *row = &b->rows.v[id];

	row->self_weight += it->weight;
	row->self_samples += it->count;
	if (inlined)
		row->inlined += b->t->opts.by_count ? it->count : it->weight;
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
	struct stack_iter it;

	stack_iter_init(&it, b->p, b->t->event);
	while (stack_iter_next(&it))
		add_stack(b, &it);
	stack_iter_release(&it);
	b->t->leaves = leaf_sums(b->p, b->t->event);
	hashidx_release(&b->index);
	vec_release(&b->state);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void frame_text(const struct table *t, const struct line *l, enum view_key key, bool full,
		       struct strbuf *sb)
{
	const struct profile *p = t->profile;
	const struct func *f = &p->funcs[l->func];
	const char *file = l->file ? profile_str(p, l->file) : "??";

	switch (key) {
	case KEY_DSO:
		strbuf_adds(sb, f->module ? profile_str(p, f->module) : "[unknown]");
		break;
	case KEY_SYM:
		strbuf_adds(sb, profile_str(p, f->name));
		break;
	case KEY_SRCLINE:
		strbuf_adds(sb, full ? file : base_name(file));
		strbuf_addf(sb, ":%u", l->line);
		break;
	default:
		strbuf_adds(sb, full ? file : base_name(file));
	}
}

static void number_text(int32_t v, struct strbuf *sb)
{
	if (v >= 0)
		strbuf_addu(sb, (uint64_t)v);
	else
		strbuf_addc(sb, '?');
}

void table_key_text(const struct table *t, const struct table_row *row, enum view_key key,
		    bool full, struct strbuf *sb)
{
	const struct profile *p = t->profile;
	const struct stack_key *k = &p->keys[row->key];

	switch (key) {
	case KEY_COMM:
		strbuf_adds(sb, profile_str(p, k->comm));
		break;
	case KEY_PID:
		number_text(k->pid, sb);
		break;
	case KEY_TID:
		number_text(k->tid, sb);
		break;
	case KEY_CPU:
		number_text(k->cpu, sb);
		break;
	case KEY_FIELDS:
		strbuf_adds(sb, profile_str(p, k->fields));
		break;
	case KEY_EVENT:
		strbuf_adds(sb, profile_str(p, p->events[t->event].name));
		break;
	default:
		if (row->line == PROFILE_NONE)
			strbuf_adds(sb, "[no frame]");
		else
			frame_text(t, &p->lines[row->line], key, full, sb);
	}
}

static int compare_u64_down(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_i32(int32_t a, int32_t b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

static int compare_key(const struct table *t, const struct table_row *a, const struct table_row *b,
		       enum view_key key)
{
	const struct stack_key *ka = &t->profile->keys[a->key], *kb = &t->profile->keys[b->key];
	struct strbuf ta = STRBUF_INIT, tb = STRBUF_INIT;
	int r;

	if (key == KEY_PID)
		return compare_i32(ka->pid, kb->pid);
	if (key == KEY_TID)
		return compare_i32(ka->tid, kb->tid);
	if (key == KEY_CPU)
		return compare_i32(ka->cpu, kb->cpu);
	table_key_text(t, a, key, true, &ta);
	table_key_text(t, b, key, true, &tb);
	r = strcmp(strbuf_str(&ta), strbuf_str(&tb));
	strbuf_release(&ta);
	strbuf_release(&tb);
	return r;
}

/* Ties: the smaller name of the function first, then the keys as they come. */
static int compare_rows(const void *va, const void *vb, void *ctx)
{
	const struct table_row *a = va, *b = vb;
	const struct table *t = ctx;
	const struct view_keys *keys = &t->opts.keys;
	bool by_total = t->opts.by_total;
	int r = by_total ? compare_u64_down(a->total, b->total)
			 : compare_u64_down(a->self, b->self);

	if (!r)
		r = by_total ? compare_u64_down(a->self, b->self)
			     : compare_u64_down(a->total, b->total);
	if (!r && view_keys_have(keys, KEY_SYM))
		r = compare_key(t, a, b, KEY_SYM);
	for (size_t i = 0; !r && i < keys->n; i++)
		r = compare_key(t, a, b, keys->v[i]);
	return r;
}

static double row_share(const struct table *t, const struct table_row *row)
{
	uint64_t v = t->opts.by_total ? row->total : row->self;

	return t->base ? (double)v / (double)t->base : 0;
}

/* Rows that were not hit at all have a group of their own. */
static bool in_the_noise(const struct table *t, const struct table_row *a,
			 const struct table_row *b)
{
	double sa = row_share(t, a), sb = row_share(t, b);
	double na = t->opts.by_total ? a->total_n : a->self_n;
	double nb = t->opts.by_total ? b->total_n : b->self_n;

	return (sa > 0) == (sb > 0) && !shares_differ(sa, sb, na < nb ? na : nb);
}

/*
 * A row shares the rank of the first row of the group above it that it is not significantly
 * below.  Comparing with the first, not with the neighbour, keeps a long slope of small steps
 * from becoming one group.
 */
static void rank_rows(struct table *t)
{
	size_t first = 0;

	for (size_t i = 1; i <= t->n; i++) {
		if (i < t->n && in_the_noise(t, &t->rows[first], &t->rows[i]))
			continue;
		for (size_t k = first; k < i; k++) {
			t->rows[k].rank = (uint32_t)first + 1;
			t->rows[k].rank_last = (uint32_t)i;
		}
		first = i;
	}
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
	if (t->n)
		qsort_r(t->rows, t->n, sizeof(*t->rows), compare_rows, t);
	precision_find(t);
	rank_rows(t);
	free(b.key_id);
	free(b.frame_id);
}

void table_release(struct table *t)
{
	free(t->rows);
	free(t->leaves);
	row_blocks_release(&t->blocks);
	memset(t, 0, sizeof(*t));
}
