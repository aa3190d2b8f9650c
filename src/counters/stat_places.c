/* SPDX-License-Identifier: MIT */
/*
 * A file of perf stat record has a count for each CPU and thread, and the number of a mode that says
 * what perf stat report is to add up.  The numbers are those of an enum that grew in the middle: dies
 * came with 5.3, caches with 6.5, clusters with 6.9.
 *
 * Source: enum aggr_mode in tools/perf/util/stat.h; names: aggr_printout() in stat-display.c.
 */
#include "counters/stat_places.h"

#include <stdlib.h>

enum { MODES = 10 };

static const struct {
	unsigned since; /* 1,000 · major + minor */
	enum stat_aggr modes[MODES];
} numberings[] = {
	{ 6009,
	  { STAT_CPU, STAT_GLOBAL, STAT_SOCKET, STAT_DIE, STAT_CLUSTER, STAT_CACHE, STAT_CORE,
	    STAT_THREAD, STAT_UNKNOWN, STAT_NODE } },
	{ 6005,
	  { STAT_CPU, STAT_GLOBAL, STAT_SOCKET, STAT_DIE, STAT_CACHE, STAT_CORE, STAT_THREAD,
	    STAT_UNKNOWN, STAT_NODE, STAT_UNKNOWN } },
	{ 5003,
	  { STAT_CPU, STAT_GLOBAL, STAT_SOCKET, STAT_DIE, STAT_CORE, STAT_THREAD, STAT_UNKNOWN,
	    STAT_NODE, STAT_UNKNOWN, STAT_UNKNOWN } },
	{ 0,
	  { STAT_CPU, STAT_GLOBAL, STAT_SOCKET, STAT_CORE, STAT_THREAD, STAT_UNKNOWN, STAT_UNKNOWN,
	    STAT_UNKNOWN, STAT_UNKNOWN, STAT_UNKNOWN } },
};

enum { NUMBERINGS = sizeof(numberings) / sizeof(*numberings), WITH_LEVELS = 2 };

/* 0: there is none. */
static unsigned version_number(const char *version)
{
	char *end;
	unsigned long major, minor;

	if (!version)
		return 0;
	major = strtoul(version, &end, 10);
	if (end == version || *end != '.' || major > 1000)
		return 0;
	minor = strtoul(end + 1, NULL, 10);
	return (unsigned)(1000 * major + (minor < 999 ? minor : 999));
}

static bool has_place(enum stat_aggr aggr)
{
	return aggr != STAT_CPU && aggr != STAT_GLOBAL && aggr != STAT_THREAD;
}

/* Whether the numbering I may be the one of the file. */
static bool may_be(size_t i, bool levels, unsigned version)
{
	if (levels != (i < WITH_LEVELS))
		return false;
	if (!version || levels != (version >= numberings[WITH_LEVELS - 1].since))
		return true; /* a version that the tag belies says nothing */
	return version >= numberings[i].since && (!i || version < numberings[i - 1].since);
}

enum stat_aggr stat_aggr_of(uint64_t mode, bool levels, const char *version, bool any_cpu)
{
	unsigned number = version_number(version);
	enum stat_aggr found = STAT_UNKNOWN;

	for (size_t i = 0; i < NUMBERINGS && mode < MODES; i++) {
		enum stat_aggr aggr = numberings[i].modes[mode];

		if (!may_be(i, levels, number) || aggr == STAT_UNKNOWN ||
		    (any_cpu ? has_place(aggr) : aggr == STAT_THREAD))
			continue;
		if (found != STAT_UNKNOWN && found != aggr)
			return STAT_UNKNOWN;
		found = aggr;
	}
	return found;
}

bool stat_place(struct strbuf *sb, enum stat_aggr aggr, const struct features *f, uint32_t cpu,
		uint32_t level)
{
	const struct feature_cpu *at = cpu < f->nr_cpus ? &f->cpus[cpu] : NULL;
	uint32_t id = UINT32_MAX;

	if (aggr == STAT_CPU) {
		if (cpu != UINT32_MAX)
			strbuf_addf(sb, "CPU%u", cpu);
		return true;
	}
	if (aggr == STAT_NODE) {
		id = features_node(f, cpu);
		if (id != UINT32_MAX)
			strbuf_addf(sb, "N%u", id);
		return id != UINT32_MAX;
	}
	if (aggr == STAT_CACHE)
		id = features_cache(f, cpu, &level);
	else if (aggr == STAT_CORE && at)
		id = at->core;
	else if (aggr != STAT_CLUSTER)
		id = 0;
	if (!at || id == UINT32_MAX || at->socket == UINT32_MAX || at->die == UINT32_MAX)
		return false;
	strbuf_addf(sb, "S%u", at->socket);
	if (aggr != STAT_SOCKET)
		strbuf_addf(sb, "-D%u", at->die);
	if (aggr == STAT_CORE)
		strbuf_addf(sb, "-C%u", id);
	else if (aggr == STAT_CACHE)
		strbuf_addf(sb, "-L%u-ID%u", level, id);
	return true;
}
