/* SPDX-License-Identifier: MIT */
/* Of spans, what a filter takes: the part within its times, and those of its CPUs. */
#ifndef PERFREP_COLLECT_SCHED_WITHIN_H
#define PERFREP_COLLECT_SCHED_WITHIN_H

#include "collect/sched.h"
#include "profile/filter.h"

struct sched_within {
	const struct filter *filter; /* NULL: all */
	struct filter_window *windows; /* NULL: any time */
	size_t nr_windows;
};

/* F may be NULL; of times in percent it knows already what they are parts of. */
void sched_within_init(struct sched_within *w, const struct filter *f);
void sched_within_release(struct sched_within *w);

/* How much of the time. */
uint64_t sched_within_time(const struct sched_within *w, uint64_t from, uint64_t until);
/* The first moment of it; FROM when there is none. */
uint64_t sched_within_first(const struct sched_within *w, uint64_t from, uint64_t until);
bool sched_within_moment(const struct sched_within *w, uint64_t time);
/* Whether it is of one of the CPUs. */
bool sched_within_cpus(const struct sched_within *w, const struct sched_span *span);

#endif
