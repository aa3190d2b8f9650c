/* SPDX-License-Identifier: MIT */
/*
 * A span belongs to one CPU: a run to where it was, a wait for a CPU to the one that the thread got,
 * all else to where it ran last, or if it had not, where it comes.  So what the CPUs have together is
 * what there is, but for threads that never ran.
 */
#include "collect/sched_within.h"

#include <stdlib.h>

void sched_within_init(struct sched_within *w, const struct filter *f)
{
	*w = (struct sched_within){ .filter = f };
	if (f && filter_has(f, FILTER_TIME))
		w->nr_windows = filter_windows(f, &w->windows);
}

void sched_within_release(struct sched_within *w)
{
	free(w->windows);
}

uint64_t sched_within_time(const struct sched_within *w, uint64_t from, uint64_t until)
{
	if (!w->windows)
		return until - from;
	return filter_windows_within(w->windows, w->nr_windows, from, until);
}

uint64_t sched_within_first(const struct sched_within *w, uint64_t from, uint64_t until)
{
	for (size_t i = 0; i < w->nr_windows; i++) {
		if (w->windows[i].until <= from)
			continue;
		return w->windows[i].from > from && w->windows[i].from < until ? w->windows[i].from
									       : from;
	}
	return from;
}

bool sched_within_moment(const struct sched_within *w, uint64_t time)
{
	bool any = !w->windows;

	for (size_t i = 0; i < w->nr_windows && !any; i++)
		any = time >= w->windows[i].from &&
		      (time < w->windows[i].until || w->windows[i].until == UINT64_MAX);
	return any;
}

bool sched_within_cpus(const struct sched_within *w, const struct sched_span *span)
{
	bool ended_there = span->kind == SPAN_RUN || span->kind == SPAN_READY;
	uint32_t cpu = span->last_cpu;

	if (!w->filter || !filter_has(w->filter, FILTER_CPU))
		return true;
	if ((ended_there || cpu == UINT32_MAX) && span->cpu != UINT32_MAX)
		cpu = span->cpu;
	return filter_cpu(w->filter, cpu > INT32_MAX ? -1 : (int32_t)cpu);
}
