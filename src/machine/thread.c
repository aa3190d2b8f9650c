/* SPDX-License-Identifier: MIT */
/*
 * The lives of tasks.  A tid can be used again: a FORK begins another life of it, and ends one
 * whose EXIT was lost.
 */
#include "machine/thread.h"

#include "base/hash.h"

static uint32_t *find_tid(struct thread_table *t, int32_t tid)
{
	struct hashidx_iter it = hashidx_first(&t->index, hash_u64((uint32_t)tid));
	uint32_t i;

	while ((i = hashidx_next(&t->index, &it)) != HASHIDX_NONE)
		if (t->lives.v[t->current.v[i]].tid == tid)
			return &t->current.v[i];
	return NULL;
}

static struct timeline_thread *begin(struct thread_table *t, int32_t pid, int32_t tid,
				     uint64_t when)
{
	uint32_t *current = find_tid(t, tid), life = (uint32_t)t->lives.n;

	if (current) {
		struct timeline_thread *old = &t->lives.v[*current];

		if (old->until == UINT64_MAX)
			old->until = when;
		*current = life;
	} else {
		hashidx_add(&t->index, hash_u64((uint32_t)tid), (uint32_t)t->current.n);
		vec_push(&t->current, life);
	}
	vec_push(&t->lives,
		 (struct timeline_thread){
			 .pid = pid, .tid = tid, .ppid = -1, .from = when, .until = UINT64_MAX });
	return &t->lives.v[life];
}

void threads_seen(struct thread_table *t, int32_t pid, int32_t tid)
{
	if (!find_tid(t, tid))
		begin(t, pid, tid, 0);
}

void threads_fork(struct thread_table *t, const struct record_task *task, uint64_t when)
{
	uint32_t *current = find_tid(t, task->tid);
	struct timeline_thread *life;

	/* perf may have written other records of a task that was there before its FORK */
	if (!when && current && !t->lives.v[*current].from)
		life = &t->lives.v[*current];
	else
		life = begin(t, task->pid, task->tid, when);
	if (task->ppid != task->pid)
		life->ppid = task->ppid;
}

void threads_exit(struct thread_table *t, const struct record_task *task, uint64_t when)
{
	uint32_t *current;

	threads_seen(t, task->pid, task->tid);
	current = find_tid(t, task->tid);
	t->lives.v[*current].until = when;
}

void threads_release(struct thread_table *t)
{
	vec_release(&t->lives);
	vec_release(&t->current);
	hashidx_release(&t->index);
}
