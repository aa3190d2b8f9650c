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
	struct filter *filter; /* comm, pid and tid of threads; may be NULL */
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
