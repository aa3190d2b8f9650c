/* SPDX-License-Identifier: MIT */
/* What is kept of each thread and each CPU until the table of threads is made. */
#ifndef PERFREP_COLLECT_SCHED_ACCOUNT_H
#define PERFREP_COLLECT_SCHED_ACCOUNT_H

#include <perfrep/sched.h>

#include "collect/sched_within.h"

struct account {
	struct sched_row row;
	uint32_t cpu; /* where it ran last; UINT32_MAX: nowhere yet */
	VEC(uint64_t) delays;
	bool ran, known; /* at any time and anywhere: for a moment; what it did otherwise */
	bool wanted;
};

struct run {
	uint64_t from, until;
	uint32_t account;
};

struct accounts {
	VEC(struct account) v; /* by thread of the replay */
	VEC(struct sched_span) over;
	VEC(struct cpu_runs {
		VEC(struct run) v; /* in order of time */
		bool seen;
	})
	cpus;
	const struct sched_options *opts;
	struct sched_within within;
};

/* The longest waits, and who ran instead; threads are numbers of A … */
void sched_worst_list(struct sched_table *t, struct accounts *a, const struct sched *s);
/* … which become places of rows. */
void sched_worst_renumber(struct sched_table *t, const uint32_t *place);

#endif
