/* SPDX-License-Identifier: MIT */
/* The longest waits for a CPU, and who had it meanwhile. */
#include <stdlib.h>

#include "base/bisect.h"
#include "collect/sched_account.h"

/* The first run of the CPU that ends after FROM. */
static size_t first_run(const struct cpu_runs *cpu, uint64_t from)
{
	return bisect(i, cpu->v.n, cpu->v.v[i].until <= from);
}

static void count_instead(struct accounts *a, struct sched_wait *w, uint64_t *time,
			  uint32_t *touched)
{
	const struct cpu_runs *cpu = &a->cpus.v[w->cpu];
	size_t n = 0;

	for (size_t i = first_run(cpu, w->from); i < cpu->v.n; i++) {
		const struct run *r = &cpu->v.v[i];
		uint64_t from = r->from > w->from ? r->from : w->from;
		uint64_t until = r->until < w->until ? r->until : w->until;

		if (r->from >= w->until)
			break;
		if (!time[r->account])
			touched[n++] = r->account;
		time[r->account] += until - from;
	}
	while (w->nr_instead < SCHED_INSTEAD) {
		size_t best = n;

		for (size_t i = 0; i < n; i++)
			if (time[touched[i]] &&
			    (best == n || time[touched[i]] > time[touched[best]]))
				best = i;
		if (best == n)
			break;
		w->instead[w->nr_instead++] =
			(struct sched_instead){ touched[best], time[touched[best]] };
		time[touched[best]] = 0;
	}
	for (size_t i = 0; i < n; i++)
		time[touched[i]] = 0;
}

static int by_length(const void *va, const void *vb)
{
	const struct sched_span *a = va, *b = vb;
	uint64_t x = a->until - a->from, y = b->until - b->from;

	if (x != y)
		return x > y ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static uint32_t thread_with_tid(const struct accounts *a, const struct sched *s, int32_t tid,
				uint64_t when)
{
	for (size_t i = s->threads.n; tid >= 0 && i-- > 0;)
		if (s->threads.v[i].tid == tid && s->threads.v[i].born <= when)
			return i < a->v.n ? (uint32_t)i : UINT32_MAX;
	return UINT32_MAX;
}

void sched_worst_list(struct sched_table *t, struct accounts *a, const struct sched *s)
{
	uint64_t *time = xcalloc(a->v.n + 1, sizeof(*time));
	uint32_t *touched = xcalloc(a->v.n + 1, sizeof(*touched));
	size_t kept = 0;

	for (size_t i = 0; i < a->over.n; i++)
		if (a->v.v[a->over.v[i].thread].wanted)
			a->over.v[kept++] = a->over.v[i];
	if (kept)
		qsort(a->over.v, kept, sizeof(*a->over.v), by_length);
	t->nr_over = kept;
	t->nr_worst = a->opts->worst && kept > a->opts->worst ? a->opts->worst : kept;
	t->worst = xcalloc(t->nr_worst + 1, sizeof(*t->worst));
	for (size_t i = 0; i < t->nr_worst; i++) {
		const struct sched_span *sp = &a->over.v[i];
		struct sched_wait *w = &t->worst[i];

		*w = (struct sched_wait){ .row = sp->thread, .from = sp->from, .until = sp->until };
		w->cpu = sp->flags & SPAN_OPEN_END ? -1 : (int64_t)sp->cpu;
		w->was_preempted = sp->state == STATE_READY;
		w->irq = sp->flags & SPAN_IRQ;
		w->waker = thread_with_tid(a, s, sp->waker, sp->from);
		if (w->cpu >= 0 && (size_t)w->cpu < a->cpus.n)
			count_instead(a, w, time, touched);
	}
	free(time);
	free(touched);
}

void sched_worst_renumber(struct sched_table *t, const uint32_t *place)
{
	for (size_t i = 0; i < t->nr_worst; i++) {
		struct sched_wait *w = &t->worst[i];

		w->row = place[w->row];
		if (w->waker != UINT32_MAX)
			w->waker = place[w->waker];
		for (unsigned k = 0; k < w->nr_instead; k++)
			w->instead[k].row = place[w->instead[k].row];
	}
}
