/* SPDX-License-Identifier: MIT */
/*
 * A cut stack asks for words of its thread from the place of its cut outwards: samples of other
 * threads, and words below the lowest cut of the thread, need not be remembered.
 */
#include "collect/observe.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/pool.h"
#include "collect/sample_stack.h"

struct need {
	int32_t tid;
	uint64_t lowest; /* address of the lowest word that is asked for */
};

struct job {
	struct collapse *c;
	VEC(struct need) needs; /* by tid */
};

static int by_tid(const void *pa, const void *pb)
{
	const struct need *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->lowest < b->lowest ? -1 : a->lowest > b->lowest;
}

/* One need for each thread with a cut that can be repaired: where a return address is missing. */
static void find_needs(struct job *job)
{
	size_t n = 0;

	for (unsigned i = 0; i < job->c->threads; i++) {
		const struct cut *cut = &job->c->workers[i].cut;

		for (size_t k = 0; k < cut->samples.n; k++)
			if (cut->samples.v[k].slot)
				vec_push(&job->needs, (struct need){ cut->samples.v[k].tid,
								     cut->samples.v[k].slot });
	}
	if (job->needs.n)
		qsort(job->needs.v, job->needs.n, sizeof(*job->needs.v), by_tid);
	for (size_t i = 0; i < job->needs.n; i++)
		if (!n || job->needs.v[n - 1].tid != job->needs.v[i].tid)
			job->needs.v[n++] = job->needs.v[i];
	job->needs.n = n;
}

static const struct need *need_of(const struct job *job, int32_t tid)
{
	size_t at = bisect(i, job->needs.n, job->needs.v[i].tid < tid);

	return at < job->needs.n && job->needs.v[at].tid == tid ? &job->needs.v[at] : NULL;
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
	struct chunk chunk = job->c->chunks[index];
	struct record rec;

	while (chunk_next(&chunk, &rec) == 0)
		if (rec.type == RECORD_SAMPLE)
			observe_sample(job, w, &rec);
	repair_cut(&w->repair);
	reader_drop(job->c->shared.reader, &job->c->chunks[index]);
}

void observe_run(struct collapse *c)
{
	struct job job = { .c = c };

	find_needs(&job);
	if (job.needs.n)
		pool_run(c->threads, c->nr_chunks, observe_chunk, &job);
	vec_release(&job.needs);
}
