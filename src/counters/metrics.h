/* SPDX-License-Identifier: MIT */
/* What perf's own metrics say of what is otherwise made of counts. */
#ifndef PERFREP_COUNTERS_METRICS_H
#define PERFREP_COUNTERS_METRICS_H

#include <perfrep/counters.h>

/* Of one place and interval; WHERE UINT32_MAX: of the set, if there is just one of both. */
void metrics_analyse(struct counter_analysis *a, const struct counter_set *set, uint32_t where,
		     double time);

#endif
