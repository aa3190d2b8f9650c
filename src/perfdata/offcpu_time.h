/* SPDX-License-Identifier: MIT */
/* The event of perf record --off-cpu: evsel_is_offcpu_time(). */
#ifndef PERFREP_PERFDATA_OFFCPU_TIME_H
#define PERFREP_PERFDATA_OFFCPU_TIME_H

#include <perfrep/sample.h>

/*
 * S, a sample of EVSEL whose fields are decoded: when it is such an event's, what it says replaces
 * them.  False when that is malformed.
 */
bool offcpu_time_take(struct sample *s, const struct evsel *evsel);

#endif
