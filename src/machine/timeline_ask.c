/* SPDX-License-Identifier: MIT */
/*
 * Questions to a finished timeline.  All of them may be asked from any number of threads.
 */
#include "machine/timeline_priv.h"

#include <stdlib.h>

#include "base/xmalloc.h"

struct dso_table *timeline_dsos(struct timeline *tl)
{
	return &tl->dsos;
}

const struct process *timeline_process(const struct timeline *tl, int32_t pid, uint64_t when,
				       struct validity *valid)
{
	return processes_find(&tl->processes, pid, when, valid);
}

const struct process *timeline_kernel(const struct timeline *tl, enum cpumode mode)
{
	return mode == CPUMODE_GUEST_KERNEL ? &tl->guest.proc : &tl->kernel.proc;
}

uint32_t timeline_comm(const struct timeline *tl, int32_t pid, int32_t tid, uint64_t when,
		       struct validity *valid)
{
	(void)pid; /* tids are unique in a system */
	return comms_find(tl->comms, tid, when, valid);
}

const char *timeline_comm_str(const struct timeline *tl, uint32_t comm)
{
	return comms_str(tl->comms, comm);
}

static void each_map(const struct maps *maps, int32_t pid, timeline_map_fn *fn, void *ctx)
{
	for (uint32_t i = 0; i < maps->n; i++)
		fn(ctx, pid, &maps->v[i]);
}

static void each_process_map(const struct process *proc, timeline_map_fn *fn, void *ctx)
{
	each_map(&proc->maps, proc->pid, fn, ctx);
	each_map(&proc->code, proc->pid, fn, ctx);
}

void timeline_each_map(const struct timeline *tl, timeline_map_fn *fn, void *ctx)
{
	each_process_map(&tl->kernel.proc, fn, ctx);
	each_process_map(&tl->guest.proc, fn, ctx);
	for (size_t i = 0; i < tl->processes.images.n; i++)
		each_process_map(tl->processes.images.v[i], fn, ctx);
}

static int by_pid_tid(const void *pa, const void *pb)
{
	const struct timeline_thread *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return a->from < b->from ? -1 : a->from > b->from;
}

size_t timeline_threads(const struct timeline *tl, struct timeline_thread **out)
{
	size_t n = tl->threads.lives.n;
	struct timeline_thread *v = xcalloc(n ? n : 1, sizeof(*v));
	struct validity unused;

	for (size_t i = 0; i < n; i++) {
		v[i] = tl->threads.lives.v[i];
		/* at its end another thread may have the tid already */
		v[i].comm = comms_find(tl->comms, v[i].tid,
				       v[i].until > v[i].from ? v[i].until - 1 : v[i].from,
				       &unused);
	}
	qsort(v, n, sizeof(*v), by_pid_tid);
	*out = v;
	return n;
}

struct timeline_stats timeline_stats(const struct timeline *tl)
{
	return tl->stats;
}
