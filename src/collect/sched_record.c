/* SPDX-License-Identifier: MIT */
/*
 * Records of the scheduler in order of time.  A recorder writes a buffer for each CPU, each in
 * order, one after the other: long ascending runs, of which as many as there are CPUs overlap.
 * The records stay where they are; their order is found in one merge of the runs, each of which
 * takes part from when its first record is due.
 */
#include "collect/sched.h"

enum {
	TASK_INTERRUPTIBLE = 1,
	TASK_UNINTERRUPTIBLE = 2,
	TASK_STOPPED = 4 | 8, /* by a signal, by a tracer */
	TASK_DEAD = 16 | 32,
	TASK_PARKED = 64,
	TASK_IDLE = 128,
};

/*
 * Above these bits are, by version of the kernel, flags that say "preempted", and modifiers of
 * uninterruptible sleep, which comes with its own bit.
 */
enum sched_state sched_state_of(uint64_t prev_state)
{
	if (prev_state & TASK_INTERRUPTIBLE)
		return STATE_SLEEPING;
	if (prev_state & TASK_UNINTERRUPTIBLE)
		return STATE_DISK;
	if (prev_state & TASK_STOPPED)
		return STATE_STOPPED;
	if (prev_state & TASK_DEAD)
		return STATE_DEAD;
	if (prev_state & TASK_PARKED)
		return STATE_PARKED;
	if (prev_state & TASK_IDLE)
		return STATE_IDLE;
	return STATE_READY;
}

/* ---- order ---- */

/* A piece of the file in which records ascend, from AT on. */
struct run {
	uint32_t at, end;
};

/* Runs that have begun, as a heap: the one whose next record is the first comes first. */
struct merge {
	const struct sched_record *v;
	struct run *heap;
	size_t n;
};

static bool before(const struct sched_record *v, uint32_t a, uint32_t b)
{
	return v[a].time != v[b].time ? v[a].time < v[b].time : a < b;
}

static void sift_down(struct merge *m)
{
	struct run moving = m->heap[0];
	size_t at = 0;

	for (;;) {
		size_t child = 2 * at + 1;

		if (child + 1 < m->n && before(m->v, m->heap[child + 1].at, m->heap[child].at))
			child++;
		if (child >= m->n || before(m->v, moving.at, m->heap[child].at))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = moving;
}

static void begin_run(struct merge *m, struct run run)
{
	size_t at = m->n++;

	while (at && before(m->v, run.at, m->heap[(at - 1) / 2].at)) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = run;
}

/* Move records of the first run to ORDER, until one of another run comes before: NEXT's, or the heap's. */
static void advance(struct merge *m, const struct run *next, uint32_t **order)
{
	struct run *first = m->heap;
	uint32_t limit = next ? next->at : UINT32_MAX;

	for (size_t i = 1; i < 3 && i < m->n; i++)
		if (limit == UINT32_MAX || before(m->v, m->heap[i].at, limit))
			limit = m->heap[i].at;
	do
		*(*order)++ = first->at++;
	while (first->at < first->end && (limit == UINT32_MAX || before(m->v, first->at, limit)));
	if (first->at == first->end)
		m->heap[0] = m->heap[--m->n];
	if (m->n)
		sift_down(m);
}

static int by_beginning(const void *pa, const void *pb, void *ctx)
{
	const struct run *a = pa, *b = pb;

	return before(ctx, a->at, b->at) ? -1 : 1;
}

void sched_records_add(struct sched_records *r, const struct sched_record *rec)
{
	if (!r->v.n || rec->time < r->v.v[r->v.n - 1].time)
		vec_push(&r->runs, (uint32_t)r->v.n);
	vec_push(&r->v, *rec);
	r->holes += rec->kind == SCHED_LOST;
}

void sched_records_sort(struct sched_records *r)
{
	size_t n = r->runs.n, next = 0;
	struct run *runs = xcalloc(n, sizeof(*runs));
	struct merge m = { .v = r->v.v, .heap = xcalloc(n, sizeof(*m.heap)) };
	uint32_t *order;

	for (size_t i = 0; i < n; i++)
		runs[i] = (struct run){ r->runs.v[i],
					i + 1 < n ? r->runs.v[i + 1] : (uint32_t)r->v.n };
	if (n)
		qsort_r(runs, n, sizeof(*runs), by_beginning, r->v.v);
	r->order.n = 0;
	vec_reserve(&r->order, r->v.n);
	order = r->order.v;
	while (m.n || next < n) {
		if (next < n && (!m.n || before(m.v, runs[next].at, m.heap[0].at)))
			begin_run(&m, runs[next++]);
		else
			advance(&m, next < n ? &runs[next] : NULL, &order);
	}
	r->order.n = r->v.n;
	free(runs);
	free(m.heap);
}

void sched_records_release(struct sched_records *r)
{
	vec_release(&r->v);
	vec_release(&r->order);
	vec_release(&r->runs);
}
