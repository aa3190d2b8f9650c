/* SPDX-License-Identifier: MIT */
/*
 * A stack counts once for each row that is in it: the stack's number is left in the row as a
 * stamp.  What is added to is kept apart by slice of time, since neighbouring stacks fall into the
 * same one: the part of the sums that is in use stays small.
 */
#include <perfrep/sums.h>

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "profile/priv.h"

struct cell_sum {
	uint64_t weight, samples;
};

struct block_sum { /* by row; NULL until the first stack of the block comes */
	struct cell_sum *self, *total;
};

struct row_seen {
	uint32_t stamp; /* the last stack that had the row */
	uint32_t depth; /* the least, UINT32_MAX: no stack had it */
};

struct worker {
	struct block_sum blocks[PROFILE_BLOCKS];
	struct cell_sum all[PROFILE_BLOCKS];
	struct leaf_sum *leaves;
	struct row_seen *seen; /* by row */
	uint32_t *path, cap; /* the rows of a stack, root first, with room for SPARE more */
	uint32_t serial;
	bool deep;
};

/* Rows of a location that are copied whether or not it has so many: a copy of a fixed size. */
enum { SPARE = 4 };

struct job {
	const struct profile *p;
	uint32_t event;
	size_t nr_rows; /* with the one for stacks without a line */
	bool apart; /* slices of time are told apart */
	uint32_t *first, *rows; /* rows[first[l] …] are those of location l, outermost first */
	struct worker *workers;
	uint32_t most; /* lines of a location */
};

static void map_locs(struct job *job, const uint32_t *row_of_line)
{
	const struct profile *p = job->p;
	size_t n = 0;

	job->first = xcalloc(p->nr_locs + 1, sizeof(*job->first));
	for (size_t i = 0; i < p->nr_locs; i++)
		n += p->locs[i].nr_lines;
	job->rows = xcalloc(n + SPARE, sizeof(*job->rows));
	n = 0;
	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		if (l->nr_lines > job->most)
			job->most = l->nr_lines;
		for (uint32_t k = l->nr_lines; k-- > 0;)
			job->rows[n++] = row_of_line[l->first_line + k];
		job->first[i + 1] = (uint32_t)n;
	}
}

static void add(struct cell_sum *to, uint64_t weight, uint64_t samples)
{
	to->weight = add_saturating(to->weight, weight);
	to->samples = add_saturating(to->samples, samples);
}

static struct block_sum *block_of(const struct job *job, struct worker *w, unsigned block)
{
	struct block_sum *b = &w->blocks[job->apart ? block : 0];

	if (!b->self) {
		b->self = xcalloc(job->nr_rows, sizeof(*b->self));
		b->total = xcalloc(job->nr_rows, sizeof(*b->total));
	}
	return b;
}

/* The rows of a stack into w->path; their number. */
static size_t find_path(const struct job *job, struct worker *w, const struct stack_iter *it)
{
	size_t n = 0, need = it->n * job->most + SPARE;

	if (need > w->cap) {
		w->cap = 2 * need;
		w->path = xreallocarray(w->path, w->cap, sizeof(*w->path));
	}
	for (size_t i = 0; i < it->n; i++) {
		const uint32_t *rows = &job->rows[job->first[it->locs[i]]];
		size_t m = job->first[it->locs[i] + 1] - job->first[it->locs[i]];

		memcpy(&w->path[n], rows, SPARE * sizeof(*rows));
		for (size_t k = SPARE; k < m; k++)
			w->path[n + k] = rows[k];
		n += m;
	}
	return n;
}

static bool has_row(const struct job *job, uint32_t loc)
{
	return job->first[loc] != job->first[loc + 1];
}

static void add_stack(const struct job *job, struct worker *w, const struct stack_iter *it)
{
	struct block_sum *b = block_of(job, w, it->block);
	uint32_t serial = ++w->serial, leaf = (uint32_t)job->nr_rows - 1;
	size_t n = find_path(job, w, it);

	for (size_t i = 0; i < n; i++) {
		struct row_seen *seen = &w->seen[w->path[i]];

		if (seen->stamp == serial)
			continue;
		seen->stamp = serial;
		if (i + 1 < seen->depth)
			seen->depth = (uint32_t)i + 1;
		add(&b->total[w->path[i]], it->weight, it->count);
	}
	if (it->n && has_row(job, it->locs[it->n - 1])) {
		leaf = w->path[n - 1];
	} else {
		add(&b->total[leaf], it->weight, it->count);
		w->seen[leaf].depth = 0;
	}
	add(&b->self[leaf], it->weight, it->count);
	if (it->n) {
		struct leaf_sum *sum = &w->leaves[it->locs[it->n - 1]];

		sum->weight = add_saturating(sum->weight, it->weight);
		sum->samples = add_saturating(sum->samples, it->count);
	}
	add(&w->all[job->apart ? it->block : 0], it->weight, it->count);
	w->deep |= n > 1;
}

static void worker_init(struct worker *w, const struct job *job)
{
	w->seen = xcalloc(job->nr_rows, sizeof(*w->seen));
	w->leaves = xcalloc(job->p->nr_locs, sizeof(*w->leaves));
	for (size_t i = 0; i < job->nr_rows; i++)
		w->seen[i].depth = UINT32_MAX;
}

static void sum_piece(void *ctx, unsigned worker, size_t piece)
{
	struct job *job = ctx;
	struct worker *w = &job->workers[worker];
	struct stack_iter it;

	if (!w->seen)
		worker_init(w, job);
	stack_iter_init(&it, job->p, job->event);
	it.by_block = job->apart;
	stack_iter_piece(&it, piece);
	while (stack_iter_next(&it)) {
		for (size_t i = 0; w->serial == UINT32_MAX && i < job->nr_rows; i++)
			w->seen[i].stamp = 0;
		if (w->serial == UINT32_MAX)
			w->serial = 0;
		add_stack(job, w, &it);
	}
	stack_iter_release(&it);
}

static void blocks_init(struct row_blocks *b, size_t nr_rows)
{
	size_t n = PROFILE_BLOCKS;

	b->n = PROFILE_BLOCKS;
	b->weight = xcalloc(n, sizeof(*b->weight));
	b->samples = xcalloc(n, sizeof(*b->samples));
	b->self = xcalloc(nr_rows * n, sizeof(*b->self));
	b->total = xcalloc(nr_rows * n, sizeof(*b->total));
	b->self_samples = xcalloc(nr_rows * n, sizeof(*b->self_samples));
	b->total_samples = xcalloc(nr_rows * n, sizeof(*b->total_samples));
}

static void add_block(uint64_t *weight, uint64_t *samples, const struct cell_sum *sum)
{
	*weight = add_saturating(*weight, sum->weight);
	*samples = add_saturating(*samples, sum->samples);
}

static bool is_empty(const struct cell_sum *s)
{
	return !s->weight && !s->samples;
}

/* One row of one worker's block. */
static void collect_row(const struct block_sum *from, size_t row, unsigned block,
			struct row_sums *out)
{
	struct row_sum *sum = &out->rows[row];
	struct row_blocks *b = &out->blocks;
	size_t at = row * PROFILE_BLOCKS + block;

	if (is_empty(&from->self[row]) && is_empty(&from->total[row]))
		return; /* as nearly all are when there are many rows */
	add_block(&sum->self, &sum->self_samples, &from->self[row]);
	add_block(&sum->total, &sum->total_samples, &from->total[row]);
	if (!b->n)
		return;
	add_block(&b->self[at], &b->self_samples[at], &from->self[row]);
	add_block(&b->total[at], &b->total_samples[at], &from->total[row]);
}

static void collect_blocks(const struct job *job, const struct worker *w, struct row_sums *out)
{
	for (unsigned b = 0; b < PROFILE_BLOCKS; b++) {
		if (out->blocks.n)
			add_block(&out->blocks.weight[b], &out->blocks.samples[b], &w->all[b]);
		for (size_t r = 0; w->blocks[b].self && r < job->nr_rows; r++)
			collect_row(&w->blocks[b], r, b, out);
	}
}

static void collect(const struct job *job, const struct worker *w, struct row_sums *out)
{
	if (!w->seen)
		return; /* had nothing to do */
	collect_blocks(job, w, out);
	for (size_t r = 0; r < job->nr_rows; r++)
		if (w->seen[r].depth != UINT32_MAX &&
		    (!out->rows[r].depth || w->seen[r].depth < out->rows[r].depth))
			out->rows[r].depth = w->seen[r].depth;
	for (size_t l = 0; l < job->p->nr_locs; l++) {
		out->leaves[l].weight = add_saturating(out->leaves[l].weight, w->leaves[l].weight);
		out->leaves[l].samples =
			add_saturating(out->leaves[l].samples, w->leaves[l].samples);
	}
	out->deep |= w->deep;
}

static void worker_release(struct worker *w)
{
	for (unsigned b = 0; b < PROFILE_BLOCKS; b++) {
		free(w->blocks[b].self);
		free(w->blocks[b].total);
	}
	free(w->seen);
	free(w->path);
	free(w->leaves);
}

void row_sums(struct row_sums *out, const struct profile *p, uint32_t event,
	      const uint32_t *row_of_line, size_t nr_rows, bool by_block)
{
	struct job job = { .p = p, .event = event, .nr_rows = nr_rows + 1 };
	bool apart = by_block && p->timed;
	unsigned threads = stack_threads(p);

	*out = (struct row_sums){ 0 };
	out->rows = xcalloc(job.nr_rows, sizeof(*out->rows));
	out->leaves = xcalloc(p->nr_locs, sizeof(*out->leaves));
	job.apart = apart;
	if (apart)
		blocks_init(&out->blocks, job.nr_rows);
	map_locs(&job, row_of_line);
	job.workers = xcalloc(threads, sizeof(*job.workers));
	pool_run(threads, stack_pieces(p), sum_piece, &job);
	for (unsigned i = 0; i < threads; i++) {
		collect(&job, &job.workers[i], out);
		worker_release(&job.workers[i]);
	}
	free(job.workers);
	free(job.first);
	free(job.rows);
}

void row_blocks_release(struct row_blocks *b)
{
	free(b->weight);
	free(b->samples);
	free(b->self);
	free(b->total);
	free(b->self_samples);
	free(b->total_samples);
	*b = (struct row_blocks){ 0 };
}

void row_sums_release(struct row_sums *s)
{
	free(s->rows);
	free(s->leaves);
	row_blocks_release(&s->blocks);
	*s = (struct row_sums){ 0 };
}

struct leaf_sum *leaf_sums(const struct profile *p, uint32_t event)
{
	struct leaf_sum *leaves = xcalloc(p->nr_locs, sizeof(*leaves));
	struct stack_iter it;

	stack_iter_init(&it, p, event);
	while (stack_iter_next(&it)) {
		struct leaf_sum *leaf = &leaves[it.locs[it.n - 1]];

		leaf->weight = add_saturating(leaf->weight, it.weight);
		leaf->samples = add_saturating(leaf->samples, it.count);
	}
	stack_iter_release(&it);
	return leaves;
}
