/* SPDX-License-Identifier: MIT */
/* Ratios of a table's rows: a stack belongs to the row of its innermost line. */
#include "view/ratios.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/xmalloc.h"

/* What makes a row: the parts of root and frame that are keys. */
struct identity {
	uint32_t v[8];
};

struct work {
	const struct table *t;
	struct hashidx index; /* identity -> row */
	struct identity *rows;
	struct row_slices sums;
};

static struct identity identity_of(const struct table *t, const struct stack_key *k,
				   const struct line *l)
{
	const struct profile *p = t->profile;
	const struct view_keys *keys = &t->opts.keys;
	struct identity id = { { 0 } };

	for (size_t i = 0; i < keys->n; i++) {
		switch (keys->v[i]) {
		case KEY_COMM:
			id.v[0] = k->comm;
			break;
		case KEY_PID:
			id.v[1] = (uint32_t)k->pid;
			break;
		case KEY_TID:
			id.v[2] = (uint32_t)k->tid;
			break;
		case KEY_CPU:
			id.v[3] = (uint32_t)k->cpu;
			break;
		case KEY_DSO:
			id.v[4] = l ? p->funcs[l->func].module : UINT32_MAX;
			break;
		case KEY_SYM:
			id.v[5] = l ? p->funcs[l->func].name : UINT32_MAX;
			break;
		case KEY_SRCLINE:
			id.v[6] = l ? l->file : UINT32_MAX;
			id.v[7] = l ? l->line : UINT32_MAX;
			break;
		case KEY_SRCFILE:
			id.v[6] = l ? l->file : UINT32_MAX;
			break;
		default:
			break;
		}
	}
	return id;
}

static void index_rows(struct work *w)
{
	const struct table *t = w->t;
	const struct profile *p = t->profile;

	w->rows = xcalloc(t->n + 1, sizeof(*w->rows));
	for (size_t i = 0; i < t->n; i++) {
		const struct table_row *row = &t->rows[i];

		w->rows[i] = identity_of(t, &p->keys[row->key],
					 row->line == PROFILE_NONE ? NULL : &p->lines[row->line]);
		hashidx_add(&w->index, hash_bytes(&w->rows[i], sizeof(w->rows[i])), (uint32_t)i);
	}
}

static uint32_t find_row(const struct work *w, const struct identity *id)
{
	struct hashidx_iter it = hashidx_first(&w->index, hash_bytes(id, sizeof(*id)));
	uint32_t row;

	while ((row = hashidx_next(&w->index, &it)) != HASHIDX_NONE)
		if (!memcmp(&w->rows[row], id, sizeof(*id)))
			break;
	return row;
}

static void place(void *ctx, const struct stack_iter *it)
{
	struct work *w = ctx;
	const struct profile *p = w->t->profile;
	const struct location *l = it->n ? &p->locs[it->locs[it->n - 1]] : NULL;
	const struct line *line = l && l->nr_lines ? &p->lines[l->first_line] : NULL;
	struct identity id = identity_of(w->t, &p->keys[it->key], line);
	uint32_t row = find_row(w, &id);

	if (row != HASHIDX_NONE)
		row_slices_add(&w->sums, row, it);
}

void table_ratios_build(struct table_ratios *r, const struct table *t, const struct ratio_events *e)
{
	struct work w = { .t = t };

	*r = (struct table_ratios){ .shape = ratios_shape(e),
				    .rows = xcalloc(t->n + 1, sizeof(*r->rows)) };
	row_slices_init(&w.sums, t->profile, t->n);
	ratios_want(e, &w.sums);
	index_rows(&w);
	row_slices_fill(&w.sums, place, &w);
	for (size_t row = 0; row < t->n; row++)
		r->rows[row] = ratios_of_row(e, &r->shape, &w.sums, row);
	row_slices_release(&w.sums);
	free(w.rows);
	hashidx_release(&w.index);
}

void table_ratios_release(struct table_ratios *r)
{
	free(r->rows);
	*r = (struct table_ratios){ .rows = NULL };
}
