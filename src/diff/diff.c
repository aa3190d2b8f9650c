/* SPDX-License-Identifier: MIT */
/*
 * The rows of a comparison.
 *
 * Each recording has a table of functions; rows are the union of them by (name, module).  Names
 * that are left over on both sides under different modules, once on each, are a renamed or newly
 * versioned module.  Then every row gets an estimate from each recording and is judged.
 */
#include <perfrep/diff.h>

#include <math.h>
#include <string.h>

#include <perfrep/sums.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/intern.h"
#include "base/vec.h"
#include "diff/judge.h"
#include "diff/measure.h"

/* What one recording says of one row. */
struct cell {
	struct estimate self, total;
};

struct diff_key {
	uint32_t name, module[2]; /* strings */
};

struct build {
	struct diff *d;
	const struct diff_side *side;
	struct scales scales;
	size_t recordings; /* of both sides */
	struct hashidx index; /* (name, module) -> row */
	VEC(struct diff_key) keys; /* by row */
	VEC(struct cell) cells; /* [row * recordings + recording] */
	VEC(struct diff_row) rows;
};

struct diff_strings {
	struct intern in;
};

static uint32_t find_row(struct build *b, uint32_t name, uint32_t module)
{
	uint64_t hash = hash_pair(name, module);
	struct hashidx_iter it = hashidx_first(&b->index, hash);
	uint32_t id = hashidx_next(&b->index, &it);

	if (id != HASHIDX_NONE)
		return id;
	id = (uint32_t)b->keys.n;
	vec_push(&b->keys, (struct diff_key){ name, { module, module } });
	vec_resize(&b->cells, b->keys.n * b->recordings);
	vec_push(&b->rows, (struct diff_row){ .twin = PROFILE_NONE });
	hashidx_add(&b->index, hash, id);
	return id;
}

static uint32_t row_of_func(struct build *b, const struct profile *p, uint32_t func)
{
	const struct func *f = &p->funcs[func];

	return find_row(b, intern_adds(&b->d->strings->in, profile_str(p, f->name)),
			intern_adds(&b->d->strings->in, profile_str(p, f->module)));
}

/* How the functions of a recording were met, by function: enum diff_inlining. */
static uint8_t *inlining_of(const struct profile *p)
{
	uint8_t *how = xcalloc(p->nr_funcs + 1, 1);

	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		for (uint32_t k = 0; k < l->nr_lines; k++) {
			const struct line *line = &p->lines[l->first_line + k];

			how[line->func] |= line->flags & LINE_INLINED ? DIFF_INLINED : DIFF_CALLED;
		}
	}
	return how;
}

static void add_func(struct build *b, const struct diff_recording *r, const struct scale *scale,
		     const struct row_sums *sums, uint32_t func, struct cell *cell)
{
	const struct row_sum *s = &sums->rows[func];
	const struct row_blocks *blocks = &sums->blocks;
	size_t at = (size_t)func * blocks->n;

	cell->self = estimate_of(r, scale, s->self, s->self_samples,
				 blocks->n ? blocks->self + at : NULL, blocks);
	cell->total = estimate_of(r, scale, s->total, s->total_samples,
				  blocks->n ? blocks->total + at : NULL, blocks);
	b->d->blocks &= blocks->n > 0;
}

static void add_recording(struct build *b, int side, size_t k, size_t at)
{
	const struct diff_recording *r = &b->side[side].v[k];
	const struct profile *p = r->profile;
	uint32_t *func_of = xreallocarray(NULL, p->nr_lines + 1, sizeof(*func_of));
	uint8_t *how = inlining_of(p);
	struct row_sums sums;

	for (size_t i = 0; i < p->nr_lines; i++)
		func_of[i] = p->lines[i].func;
	row_sums(&sums, p, r->event, func_of, p->nr_funcs, true);
	for (uint32_t f = 0; f < p->nr_funcs; f++) {
		uint32_t row;

		if (!sums.rows[f].total && !sums.rows[f].total_samples)
			continue;
		row = row_of_func(b, p, f);
		add_func(b, r, &b->scales.v[side][k], &sums, f,
			 &b->cells.v[row * b->recordings + at]);
		b->rows.v[row].inlining[side] |= how[f];
	}
	row_sums_release(&sums);
	free(func_of);
	free(how);
}

/* ---- modules that have another name now ---- */

static bool has_side(const struct build *b, size_t row, int side)
{
	size_t from = side ? b->side[0].n : 0;

	for (size_t k = 0; k < b->side[side].n; k++)
		if (b->cells.v[row * b->recordings + from + k].total.samples)
			return true;
	return false;
}

/* By name: the only row that is on one side only; PROFILE_NONE none, PROFILE_NONE - 1 several. */
struct alone {
	uint32_t row[2];
};

#define SEVERAL (PROFILE_NONE - 1)

static struct alone *find_alone(const struct build *b)
{
	size_t n = intern_count(&b->d->strings->in);
	struct alone *alone = xreallocarray(NULL, n, sizeof(*alone));

	memset(alone, 0xff, n * sizeof(*alone));
	for (size_t i = 0; i < b->keys.n; i++) {
		bool before = has_side(b, i, 0), after = has_side(b, i, 1);
		uint32_t *slot = &alone[b->keys.v[i].name].row[before ? 0 : 1];

		if (before == after)
			continue;
		*slot = *slot == PROFILE_NONE ? (uint32_t)i : SEVERAL;
	}
	return alone;
}

/* Give row TO what row FROM has of the second side; FROM is left without anything. */
static void join_rows(struct build *b, uint32_t to, uint32_t from)
{
	size_t first = b->side[0].n, n = b->side[1].n;
	struct cell *dst = &b->cells.v[to * b->recordings + first];
	struct cell *src = &b->cells.v[from * b->recordings + first];

	memcpy(dst, src, n * sizeof(*dst));
	memset(src, 0, n * sizeof(*src));
	b->keys.v[to].module[1] = b->keys.v[from].module[1];
	b->rows.v[to].inlining[1] = b->rows.v[from].inlining[1];
}

static void match_modules(struct build *b)
{
	struct alone *alone = find_alone(b);

	for (size_t i = 0; i < b->keys.n; i++) {
		uint32_t name = b->keys.v[i].name;
		const struct alone *a = &alone[name];

		/* "[libfoo.so]" and "[unknown]" are no names */
		if (a->row[0] == i && a->row[1] < SEVERAL &&
		    intern_str(&b->d->strings->in, name)[0] != '[')
			join_rows(b, a->row[0], a->row[1]);
	}
	free(alone);
}

/* ---- rows ---- */

static void measure_row(struct build *b, size_t i)
{
	struct diff_row *row = &b->rows.v[i];
	struct cell *cells = &b->cells.v[i * b->recordings];
	struct estimate *e = xcalloc(b->recordings, sizeof(*e));
	const struct estimate *const sides[2] = { e, e + b->side[0].n };

	for (size_t k = 0; k < b->recordings; k++)
		e[k] = cells[k].self;
	measure_compute(&row->self, &b->scales, sides);
	for (size_t k = 0; k < b->recordings; k++)
		e[k] = cells[k].total;
	measure_compute(&row->total, &b->scales, sides);
	row->name = intern_str(&b->d->strings->in, b->keys.v[i].name);
	for (int s = 0; s < 2; s++)
		row->module[s] = intern_str(&b->d->strings->in, b->keys.v[i].module[s]);
	free(e);
}

/* Measure all rows and drop those that were joined to others. */
static void measure_rows(struct build *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->rows.n; i++) {
		measure_row(b, i);
		if (b->rows.v[i].total.samples[0] || b->rows.v[i].total.samples[1] ||
		    b->rows.v[i].total.weight[0] || b->rows.v[i].total.weight[1])
			b->rows.v[n++] = b->rows.v[i];
	}
	b->d->rows = b->rows.v;
	b->d->n = n;
}

/* Everything: the recordings' sums and, when there are several, whether they differ. */
static void measure_whole(struct build *b)
{
	struct estimate *e = xcalloc(b->recordings, sizeof(*e));
	const struct estimate *const sides[2] = { e, e + b->side[0].n };
	struct diff *d = b->d;
	size_t at = 0;

	for (int s = 0; s < 2; s++) {
		for (size_t k = 0; k < b->side[s].n; k++) {
			const struct diff_recording *r = &b->side[s].v[k];
			const struct profile_event *ev = &r->profile->events[r->event];

			e[at++] = (struct estimate){ 1, 0, 1, ev->weight, ev->samples };
			d->weight[s] += ev->weight;
			d->samples[s] += ev->samples;
		}
		d->nr[s] = b->side[s].n;
	}
	measure_compute(&d->total, &b->scales, sides);
	/* one recording says nothing about the spread of its total */
	if (d->nr[0] < 2 && d->nr[1] < 2)
		d->total.p = d->total.q = 1;
	memcpy(d->whole, d->total.cost, sizeof(d->whole));
	free(e);
}

static bool all_equal(const struct diff *d)
{
	if (d->weight[0] != d->weight[1] || d->samples[0] != d->samples[1])
		return false;
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_measure *s = &d->rows[i].self, *t = &d->rows[i].total;

		if (s->weight[0] != s->weight[1] || s->samples[0] != s->samples[1] ||
		    t->weight[0] != t->weight[1] || t->samples[0] != t->samples[1])
			return false;
	}
	return true;
}

void diff_build(struct diff *d, const struct diff_side side[2], const struct diff_options *o)
{
	struct build b = { .d = d, .side = side, .recordings = side[0].n + side[1].n };
	const struct diff_recording *first = &side[0].v[0];
	size_t at = 0;

	*d = (struct diff){ .opts = *o, .shift = 1, .blocks = true };
	d->strings = xcalloc(1, sizeof(*d->strings));
	d->event = profile_str(first->profile, first->profile->events[first->event].name);
	d->unit = profile_str(first->profile, first->profile->events[first->event].unit);
	scales_init(&b.scales, side, o->norm);
	for (int s = 0; s < 2; s++)
		for (size_t k = 0; k < side[s].n; k++)
			add_recording(&b, s, k, at++);
	match_modules(&b);
	measure_whole(&b);
	measure_rows(&b);
	d->equal = all_equal(d);
	judge(d);
	scales_release(&b.scales);
	hashidx_release(&b.index);
	vec_release(&b.keys);
	vec_release(&b.cells);
}

void diff_release(struct diff *d)
{
	free(d->rows);
	if (d->strings)
		intern_release(&d->strings->in);
	free(d->strings);
	memset(d, 0, sizeof(*d));
}
