/* SPDX-License-Identifier: MIT */
/* When which task was there: for listing them.  Filled in order of time. */
#ifndef PERFREP_MACHINE_THREAD_H
#define PERFREP_MACHINE_THREAD_H

#include <perfrep/timeline.h>

#include "base/hashidx.h"
#include "base/vec.h"

struct thread_table {
	VEC(struct timeline_thread) lives; /* in the order in which they began; comm is not set */
	VEC(uint32_t) current; /* of each tid: its latest life */
	struct hashidx index; /* tid -> current */
};

/* A record named the task; that it was not heard of before means that it was there. */
void threads_seen(struct thread_table *t, int32_t pid, int32_t tid);
/* WHEN 0: it was there before. */
void threads_fork(struct thread_table *t, const struct record_task *task, uint64_t when);
void threads_exit(struct thread_table *t, const struct record_task *task, uint64_t when);
void threads_release(struct thread_table *t);

#endif
