/* SPDX-License-Identifier: MIT */
/*
 * Records of the scheduler in order of time.  A recorder writes a buffer for each CPU, each in
 * order, one after the other: few long ascending runs, which are found and merged.
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

const char *sched_state_name(enum sched_state s)
{
	static const char *const names[STATE_MAX] = {
		[STATE_UNKNOWN] = "unknown", [STATE_SLEEPING] = "sleeping",
		[STATE_DISK] = "disk",       [STATE_STOPPED] = "stopped",
		[STATE_IDLE] = "idle",       [STATE_PARKED] = "parked",
		[STATE_DEAD] = "dead",       [STATE_READY] = "preempted",
		[STATE_BLOCKED] = "blocked",
	};

	return s < STATE_MAX ? names[s] : names[STATE_UNKNOWN];
}

static bool before(const struct sched_record *a, const struct sched_record *b)
{
	return a->time != b->time ? a->time < b->time : a->pos < b->pos;
}

/* Merge A[0, m) and A[m, n) into TO. */
static void merge(const struct sched_record *a, size_t m, size_t n, struct sched_record *to)
{
	size_t i = 0, k = m;

	while (i < m && k < n)
		*to++ = before(&a[k], &a[i]) ? a[k++] : a[i++];
	memcpy(to, a + i, (m - i) * sizeof(*a));
	memcpy(to + (m - i), a + k, (n - k) * sizeof(*a));
}

void sched_records_sort(struct sched_records *r)
{
	VEC(size_t) runs = { 0 }; /* where each begins, and the end */
	struct sched_record *from = r->v.v, *to, *spare;
	size_t n = r->v.n;

	for (size_t i = 0; i < n; i++)
		if (!i || before(&from[i], &from[i - 1]))
			vec_push(&runs, i);
	if (runs.n < 2) {
		vec_release(&runs);
		return;
	}
	vec_push(&runs, n);
	to = spare = xreallocarray(NULL, n, sizeof(*to));
	while (runs.n > 2) {
		struct sched_record *swap = from;
		size_t kept = 0;

		for (size_t i = 0; i + 1 < runs.n; i += 2) {
			size_t last = i + 2 < runs.n ? i + 2 : i + 1;

			merge(from + runs.v[i], runs.v[i + 1] - runs.v[i], runs.v[last] - runs.v[i],
			      to + runs.v[i]);
			runs.v[kept++] = runs.v[i];
		}
		runs.v[kept++] = n;
		runs.n = kept;
		from = to;
		to = swap;
	}
	if (from == spare) {
		memcpy(r->v.v, spare, n * sizeof(*spare));
	}
	free(spare);
	vec_release(&runs);
}

void sched_records_release(struct sched_records *r)
{
	vec_release(&r->v);
}
