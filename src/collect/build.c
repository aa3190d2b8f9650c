/* SPDX-License-Identifier: MIT */
/*
 * The second parallel pass: each sample's stack becomes a node of the trie.  Jobs are the chunks
 * of the recording, then what each worker of the first pass stored.
 *
 * Neighbouring samples share their outer frames: the nodes of the last stack are kept, and a
 * stack is walked from where it parts from the last one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "collect/canon.h"
#include "collect/gather.h"
#include "collect/sample_stack.h"

struct path_frame { /* of the last stack, root first */
	struct frame_addr frame;
	uint32_t node;
};

struct builder {
	struct profile *profile; /* its locations have the ids of the merged profile */
	struct intake intake;
	struct locator locator;
	struct collapse_flags *flags;
	uint32_t mark; /* the location of [truncated] */
	struct stack stack;
	VEC(struct path_frame) path;
	const struct process *path_process;
	uint32_t path_root;
	struct validity path_valid;
};

struct job {
	struct collapse *c;
	const uint32_t *canon; /* NULL: every location stands for itself */
	struct builder *builders;
};

static bool same_frame(struct frame_addr a, struct frame_addr b)
{
	return a.addr == b.addr && a.cpumode == b.cpumode && a.is_return == b.is_return;
}

/* How many frames, from the root on, are those of the last stack. */
static size_t shared_frames(const struct builder *b, uint32_t root)
{
	const struct stack *st = &b->stack;
	size_t n = 0;

	if (b->path_root != root || b->path_process != b->intake.image->process ||
	    !validity_has(b->path_valid, b->intake.when))
		return 0;
	while (n < st->n && n < b->path.n &&
	       same_frame(b->path.v[n].frame, st->frames[st->n - 1 - n]))
		n++;
	return n;
}

/*
 * The meeting of all validities is kept for the whole path: it can only be too narrow, never
 * wrong.
 */
static uint32_t walk(struct builder *b, uint32_t root)
{
	const struct intake *in = &b->intake;
	const struct stack *st = &b->stack;
	size_t at = shared_frames(b, root);
	struct validity valid = in->image->valid, v;
	uint32_t node = at ? b->path.v[at - 1].node : root;

	if (at)
		valid = validity_meet(valid, b->path_valid);
	b->path.n = at;
	vec_reserve(&b->path, st->n - at);
	for (; at < st->n; at++) {
		struct frame_addr f = st->frames[st->n - 1 - at];
		uint32_t loc = locator_find(&b->locator, in->image->process, f, in->when, &v);

		node = profile_child(b->profile, node, loc);
		valid = validity_meet(valid, v);
		b->path.v[b->path.n++] = (struct path_frame){ f, node };
	}
	b->path_root = root;
	b->path_process = in->image->process;
	b->path_valid = valid;
	return node;
}

static void note_flags(struct collapse_flags *f, unsigned flags, uint64_t weight)
{
	if (!flags)
		return;
	if (flags & STACK_TRUNCATED)
		f->truncated += weight;
	if (flags & STACK_REPAIRED)
		f->repaired += weight;
	if (flags & STACK_GARBAGE)
		f->garbage += weight;
	if (flags & STACK_NO_CHAIN)
		f->no_chain += weight;
	if (flags & STACK_DEFERRED)
		f->deferred += weight;
	if (flags & STACK_NOT_UNWOUND)
		f->not_unwound += weight;
}

static void build_sample(struct job *job, struct builder *b)
{
	struct intake *in = &b->intake;
	uint32_t root, node;

	if (sample_has_dump(&in->s) && job->c->unwinds)
		return; /* stored by the first pass */
	sample_stack(&in->s, in->evsel, intake_deferred(in), job->c->shared.opts, &b->stack);
	if (sample_has_dump(&in->s))
		b->stack.flags |= STACK_NOT_UNWOUND;
	root = profile_root(b->profile, in->thread->key);
	if (b->stack.flags & STACK_TRUNCATED)
		root = profile_child(b->profile, root, b->mark);
	node = walk(b, root);
	for (size_t i = 0; i < in->nr_weights; i++) {
		uint32_t event = in->weights[i].event;

		if (!intake_wants(in, event))
			continue;
		profile_add_sample(b->profile, event, node, in->weights[i].weight);
		note_flags(&b->flags[event], b->stack.flags, in->weights[i].weight);
	}
}

/* A key of the merged profile in the builder's own. */
static uint32_t own_key(struct job *job, struct builder *b, uint32_t merged)
{
	struct stack_key key = job->c->profile->keys[merged];
	const char *comm = profile_str(job->c->profile, key.comm);

	if (b->profile == job->c->profile)
		return merged;
	key.comm = profile_string(b->profile, comm, strlen(comm));
	return profile_key(b->profile, &key);
}

static uint32_t stored_node(struct job *job, struct builder *b, const struct gather_worker *w,
			    const struct stored_stack *st, uint32_t key)
{
	uint32_t node = profile_root(b->profile, own_key(job, b, key));

	for (uint32_t i = st->n; i > 0; i--) {
		uint32_t loc = w->stored.locs.v[st->first + i - 1];

		if (w->loc_map)
			loc = w->loc_map[loc];
		node = profile_child(b->profile, node, job->canon ? job->canon[loc] : loc);
	}
	return node;
}

static void build_stored(struct job *job, struct builder *b, const struct gather_worker *w)
{
	for (size_t i = 0; i < w->stored.cells.n; i++) {
		const struct stored_cell *cell = &w->stored.cells.v[i];
		const struct stored_stack *st = &w->stored.stacks.v[cell->stack];
		uint32_t key = w->key_map ? w->key_map[cell->key] : cell->key;

		profile_add(b->profile, cell->event, stored_node(job, b, w, st, key),
			    cell->weight, cell->count);
		note_flags(&b->flags[cell->event], st->flags, cell->weight);
	}
}

static void build_job(void *ctx, unsigned worker, size_t index)
{
	struct job *job = ctx;
	struct builder *b = &job->builders[worker];
	struct chunk chunk;
	struct record rec;

	if (index >= job->c->nr_chunks) {
		build_stored(job, b, &job->c->workers[index - job->c->nr_chunks]);
		return;
	}
	chunk = job->c->chunks[index];
	while (chunk_next(&chunk, &rec) == 0)
		if (intake_take(&b->intake, &rec))
			build_sample(job, b);
}

/* A profile with the events and the locations of P, under the same ids. */
static struct profile *copy_outline(const struct profile *p)
{
	struct profile *copy = profile_new();

	for (size_t i = 0; i < p->nr_events; i++)
		profile_event_add(copy, profile_str(p, p->events[i].name),
				  profile_str(p, p->events[i].unit));
	for (size_t i = 0; i < p->nr_locs; i++) {
		struct location l = p->locs[i];

		if (l.kind == LOC_MARK || l.kind == LOC_NAME)
			l.addr = profile_string(copy, profile_str(p, (uint32_t)l.addr),
						strlen(profile_str(p, (uint32_t)l.addr)));
		profile_loc(copy, (enum loc_kind)l.kind, l.dso, l.addr, l.ip);
	}
	return copy;
}

static void builder_init(struct builder *b, const struct job *job, struct profile *p)
{
	const struct collapse *c = job->c;

	b->profile = p;
	b->mark = profile_loc(p, LOC_MARK, 0, profile_string(p, "[truncated]", 11), 0);
	intake_init(&b->intake, &c->shared, p, NULL);
	locator_init(&b->locator, c->shared.scan->timeline, p, c->shared.opts->keep_ip);
	b->locator.canon = job->canon;
	b->flags = xcalloc(p->nr_events, sizeof(*b->flags));
}

static void add_flags(struct collapse_flags *a, const struct collapse_flags *b)
{
	a->truncated += b->truncated;
	a->repaired += b->repaired;
	a->garbage += b->garbage;
	a->no_chain += b->no_chain;
	a->deferred += b->deferred;
	a->not_unwound += b->not_unwound;
}

static void builder_finish(struct builder *b, struct collapse *c)
{
	for (size_t i = 0; i < c->profile->nr_events; i++)
		add_flags(&c->flags[i], &b->flags[i]);
	free(b->flags);
	locator_release(&b->locator);
	stack_release(&b->stack);
	vec_release(&b->path);
	if (b->profile != c->profile) {
		profile_merge(c->profile, b->profile);
		profile_free(b->profile);
	}
}

void collapse_build(struct collapse *c)
{
	struct job job = { .c = c };
	uint32_t *canon = NULL;

	if (!c->shared.opts->keep_ip)
		canon = canon_new(c->profile, c->shared.opts->by_line);
	job.canon = canon;
	job.builders = xcalloc(c->threads, sizeof(*job.builders));
	for (unsigned i = c->threads; i-- > 0;) /* the copies are made before the first one,
						 * which builds in place, changes anything */
		builder_init(&job.builders[i], &job, i ? copy_outline(c->profile) : c->profile);
	pool_run(c->threads, c->nr_chunks + c->threads, build_job, &job);
	for (unsigned i = 0; i < c->threads; i++)
		builder_finish(&job.builders[i], c);
	free(job.builders);
	free(canon);
}
