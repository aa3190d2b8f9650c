/* SPDX-License-Identifier: MIT */
/* Whose a thread is of which the scheduler's records have the tid alone, and what it was called. */
#ifndef PERFREP_COLLECT_SCHED_WHO_H
#define PERFREP_COLLECT_SCHED_WHO_H

#include "collect/sched_read.h"

#include <perfrep/timeline.h>

struct sched_who {
	/* private: */
	const struct timeline *timeline;
	const struct sched_read *read;
	struct timeline_thread *v; /* by tid and time */
	size_t n;
};

/* TL, which is finished, and SR are borrowed until the release. */
void sched_who_init(struct sched_who *w, const struct timeline *tl, const struct sched_read *sr);
void sched_who_release(struct sched_who *w);
/* The process of the thread that had TID before ENDED, when its life was over; -1: not known. */
int32_t sched_who_pid(const struct sched_who *w, int32_t tid, uint64_t ended);
/* Its last name; borrowed. */
const char *sched_who_name(const struct sched_who *w, int32_t pid, int32_t tid, uint64_t ended);

#endif
