/* SPDX-License-Identifier: MIT */
/*
 * Tasks are known from their records, by time: a tid may have been that of several threads.  Those
 * that no COMM record names have the name that fields of the scheduler's tracepoints told.
 */
#include "collect/sched_who.h"

#include <stdlib.h>

#include "base/bisect.h"

static int by_tid(const void *va, const void *vb)
{
	const struct timeline_thread *a = va, *b = vb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

void sched_who_init(struct sched_who *w, const struct timeline *tl, const struct sched_read *sr)
{
	*w = (struct sched_who){ .timeline = tl, .read = sr };
	w->n = timeline_threads(tl, &w->v);
	if (w->n)
		qsort(w->v, w->n, sizeof(*w->v), by_tid);
}

void sched_who_release(struct sched_who *w)
{
	free(w->v);
}

/* Its own time, not that of who has the tid next. */
static uint64_t last_moment(uint64_t ended)
{
	return ended ? ended - 1 : 0;
}

int32_t sched_who_pid(const struct sched_who *w, int32_t tid, uint64_t ended)
{
	size_t at = bisect(i, w->n, w->v[i].tid < tid);
	uint64_t when = last_moment(ended);
	int32_t pid = -1;

	for (; at < w->n && w->v[at].tid == tid; at++)
		if (pid < 0 || w->v[at].from <= when)
			pid = w->v[at].pid;
	return pid;
}

const char *sched_who_name(const struct sched_who *w, int32_t pid, int32_t tid, uint64_t ended)
{
	struct validity valid;
	const char *comm = timeline_comm_str(
		w->timeline, timeline_comm(w->timeline, pid, tid, last_moment(ended), &valid));
	const char *told = *comm == ':' ? sched_read_name(w->read, tid) : NULL;

	return told ? told : comm;
}
