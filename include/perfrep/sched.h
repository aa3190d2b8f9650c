/* SPDX-License-Identifier: MIT */
/* From a recording to the table of its threads: see sched_table.h. */
#ifndef PERFREP_SCHED_H
#define PERFREP_SCHED_H

#include <perfrep/sched_table.h>
#include <perfrep/session.h>

enum sched_sort {
	SCHED_BY_DELAY, /* most time of waiting for a CPU first */
	SCHED_BY_MAX,
	SCHED_BY_RUN,
	SCHED_BY_SWITCHES,
	SCHED_BY_COMM,
	SCHED_BY_TID,
};

struct sched_options {
	/*
	 * comm, pid and tid choose threads.  The time leaves of each span what is within, and of
	 * what happens at a moment that which does.  A CPU has what ran there, the waits for it,
	 * and what threads did that ran there last.  May be NULL.
	 */
	struct filter *filter;
	enum sched_sort sort;
	uint64_t over; /* delays of at least so much are listed; 0: none */
	size_t worst; /* at most so many */
};

/*
 * Walk the recording of SO; the table and, in S, what session_walk() gives.  Fails when the
 * recording has nothing of the scheduler; S is released then.
 */
int sched_table_build(struct sched_table *t, struct session *s, const struct session_options *so,
		      const struct sched_options *o, struct err *err);

#endif
