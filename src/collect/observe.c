/* SPDX-License-Identifier: MIT */
/*
 * A cut stack asks for words of its thread from the place of its cut outwards: samples of other
 * threads, and words below the lowest cut of the thread, need not be remembered.
 */
#include "collect/observe.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/keyed.h"
#include "base/pool.h"
#include "collect/sample_stack.h"

struct need {
	int32_t tid;
	uint64_t lowest; /* address of the lowest word that is asked for */
};

struct job {
	struct collapse *c;
	VEC(struct need) needs; /* one for each thread */
	struct hashidx needs_index;
	uint64_t threads; /* their bits: watch_bit() */
	VEC(size_t) again; /* chunks to look at */
};

static struct need *need_of(const struct job *job, int32_t tid)
{
	struct hashidx_iter it = hashidx_first(&job->needs_index, hash_u64((uint32_t)tid));
	uint32_t i;

	while ((i = hashidx_next(&job->needs_index, &it)) != HASHIDX_NONE)
		if (job->needs.v[i].tid == tid)
			return &job->needs.v[i];
	return NULL;
}

static void add_need(struct job *job, int32_t tid, uint64_t slot)
{
	struct need *need = need_of(job, tid);

	if (need) {
		need->lowest = slot < need->lowest ? slot : need->lowest;
		return;
	}
	hashidx_add(&job->needs_index, hash_u64((uint32_t)tid), (uint32_t)job->needs.n);
	vec_push(&job->needs, (struct need){ tid, slot });
	job->threads |= watch_bit(tid);
}

/* One need for each thread with a cut that can be repaired: where a return address is missing. */
static void find_needs(struct job *job)
{
	for (unsigned i = 0; i < job->c->threads; i++) {
		const struct cut *cut = &job->c->workers[i].cut;

		for (size_t k = 0; k < cut->samples.n; k++)
			if (cut->samples.v[k].slot)
				add_need(job, cut->samples.v[k].tid, cut->samples.v[k].slot);
	}
}

/* Which chunks of W lack something: that is forgotten, to be looked at again as a whole. */
static void find_chunks(struct job *job, struct gather_worker *w)
{
	uint32_t since[64] = { 0 };

	for (size_t i = 0; i < job->needs.n; i++) {
		const struct need *need = &job->needs.v[i];
		uint32_t *of_bit = &since[__builtin_ctzll(watch_bit(need->tid))];
		uint32_t from = watch_since(&w->watch, need->tid, need->lowest);

		*of_bit = from > *of_bit ? from : *of_bit;
	}
	for (uint32_t i = 0; i < w->watch.chunks.n; i++) {
		const struct watched_chunk *chunk = &w->watch.chunks.v[i];
		bool lacks = chunk->missed & job->threads;

		for (uint64_t bits = chunk->threads & job->threads; bits; bits &= bits - 1)
			lacks |= since[__builtin_ctzll(bits)] > i;
		if (!lacks)
			continue;
		repair_forget(&w->repair, chunk->from, chunk->to);
		vec_push(&job->again, chunk->index);
	}
}

static void observe_sample(const struct job *job, struct gather_worker *w, const struct record *rec)
{
	const struct evlist *list = &job->c->shared.reader->evlist;
	const struct evsel *evsel = evlist_evsel(list, rec);
	const struct need *need;
	struct sample s;
	uint64_t when;

	if (!evsel || sample_decode(rec, evsel, &s, NULL) < 0 || !sample_has_dump(&s))
		return;
	need = need_of(job, s.tid);
	if (!need)
		return;
	when = timeline_when(list->timed, s.time, rec->pos);
	w->stack.n = 0;
	w->stack.flags = 0;
	unwinder_run(w->unwinder, &s, who_image(&w->intake.who, s.pid, when)->process, when,
		     &w->stack, &w->info);
	repair_observe(&w->repair, s.tid, when, &w->stack, 0, &w->info, need->lowest);
}

static void observe_chunk(void *ctx, unsigned worker, size_t index)
{
	struct job *job = ctx;
	struct gather_worker *w = &job->c->workers[worker];
	const struct chunk *whole = &job->c->chunks[job->again.v[index]];
	struct chunk chunk = *whole;
	struct record rec;

	while (chunk_next(&chunk, &rec) == 0)
		if (rec.type == RECORD_SAMPLE)
			observe_sample(job, w, &rec);
	repair_cut(&w->repair);
	reader_drop(job->c->shared.reader, whole);
}

/*
 * How large a dump would have held 99 % of the stacks that did not fit: from their stack pointers
 * to the highest return address that was seen in their thread.  Where that is far away the sample
 * was taken on another stack of the thread.
 */
static uint64_t needed_dump(const struct job *job, const struct repair *r)
{
	VEC(struct keyed) sizes = { 0 };
	uint64_t size = 0;

	for (unsigned i = 0; i < job->c->threads; i++) {
		const struct cut *cut = &job->c->workers[i].cut;

		for (size_t k = 0; k < cut->samples.n; k++) {
			const struct cut_sample *cs = &cut->samples.v[k];
			const struct need *need = need_of(job, cs->tid);
			uint64_t top = need ? repair_top(r, cs->tid) : 0;

			if (!cs->waking && cs->end == UNWIND_DUMP_END && need &&
			    top >= need->lowest && top > cs->sp && top - cs->sp < UNWIND_STACK_SPAN)
				vec_push(&sizes, (struct keyed){ .key = top + 8 - cs->sp });
		}
	}
	if (sizes.n) {
		keyed_sort(sizes.v, sizes.n);
		size = sizes.v[(sizes.n - 1) * 99 / 100].key;
	}
	vec_release(&sizes);
	return size;
}

void observe_run(struct collapse *c, struct repair *all)
{
	struct job job = { .c = c };

	find_needs(&job);
	for (unsigned i = 0; i < c->threads && job.needs.n; i++)
		find_chunks(&job, &c->workers[i]);
	pool_run(c->threads, job.again.n, observe_chunk, &job);
	for (unsigned i = 0; i < c->threads; i++)
		repair_merge(all, &c->workers[i].repair);
	repair_finish(all);
	c->unwind.needed_dump = needed_dump(&job, all);
	vec_release(&job.needs);
	hashidx_release(&job.needs_index);
	vec_release(&job.again);
}
