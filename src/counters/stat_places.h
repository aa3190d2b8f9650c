/* SPDX-License-Identifier: MIT */
/* What perf stat record was to keep apart, and the names of the places. */
#ifndef PERFREP_COUNTERS_STAT_PLACES_H
#define PERFREP_COUNTERS_STAT_PLACES_H

#include <stdint.h>

#include <perfrep/feature.h>

#include "base/strbuf.h"

enum stat_aggr {
	STAT_CPU, /* -A */
	STAT_GLOBAL,
	STAT_SOCKET,
	STAT_DIE,
	STAT_CLUSTER,
	STAT_CACHE,
	STAT_CORE,
	STAT_THREAD,
	STAT_NODE,
	STAT_UNKNOWN, /* the number means nothing, or not the same in all versions it may be of */
};

/*
 * What MODE of the configuration means to the perf of VERSION ("6.1.187"; NULL: not known).  LEVELS:
 * the configuration has a tag that came with 6.5.  ANY_CPU: nothing was counted by CPU, as it is
 * for threads and for nothing that has a place.
 */
enum stat_aggr stat_aggr_of(uint64_t mode, bool levels, const char *version, bool any_cpu);

/*
 * Add the name of CPU's place, as perf prints it: "S0-D0-C3", "N1".  False when the recording does
 * not tell where the CPU is.  LEVEL: of STAT_CACHE; 0: the last.
 */
bool stat_place(struct strbuf *sb, enum stat_aggr aggr, const struct features *f, uint32_t cpu,
		uint32_t level);

#endif
