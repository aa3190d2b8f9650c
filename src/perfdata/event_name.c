/* SPDX-License-Identifier: MIT */
/*
 * What an event is called.  A recording can name its events in up to six places, none of which
 * is always there, so each name carries how far it is trusted and gives way to a better one:
 * the writer's own string first, then what can be worked out from the tracing data or the PMU
 * table, then the kernel interface's name for type and config, and at last the bare numbers.
 */
#include "perfdata/evlist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

#define COUNT(a)       (sizeof(a) / sizeof((a)[0]))
#define MAX_META_LINES 4096 /* a recording has some ten */

static const char *const hardware_names[] = {
	"cycles",
	"instructions",
	"cache-references",
	"cache-misses",
	"branches",
	"branch-misses",
	"bus-cycles",
	"stalled-cycles-frontend",
	"stalled-cycles-backend",
	"ref-cycles",
};

static const char *const software_names[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

static const char *const cache_names[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node",
};

/* operation, then its accesses and its misses */
static const char *const cache_ops[][2] = {
	{ "loads", "load-misses" },
	{ "stores", "store-misses" },
	{ "prefetches", "prefetch-misses" },
};

static const char *pmu_name(const struct features *f, uint32_t type)
{
	for (size_t i = 0; f && i < f->nr_pmus; i++)
		if (f->pmus[i].type == type)
			return f->pmus[i].name;
	return NULL;
}

static bool cache_name(uint32_t config, struct strbuf *sb)
{
	uint32_t cache = config & 0xff, op = config >> 8 & 0xff, result = config >> 16;

	if (cache >= COUNT(cache_names) || op >= COUNT(cache_ops) || result > 1)
		return false;
	strbuf_addf(sb, "%s-%s", cache_names[cache], cache_ops[op][result]);
	return true;
}

/* The name of the kernel's interface for hardware, software and cache events. */
static bool generic_name(const struct attr *a, struct strbuf *sb)
{
	uint32_t low = (uint32_t)a->config;

	if (a->type == PERF_TYPE_HARDWARE && low < COUNT(hardware_names))
		strbuf_adds(sb, hardware_names[low]);
	else if (a->type == PERF_TYPE_SOFTWARE && a->config < COUNT(software_names))
		strbuf_adds(sb, software_names[a->config]);
	else if (a->type != PERF_TYPE_HW_CACHE || !cache_name(low, sb))
		return false;
	return true;
}

static void breakpoint_name(const struct attr *a, struct strbuf *sb)
{
	strbuf_addf(sb, "mem:0x%llx", (unsigned long long)a->config1);
	if (a->bp_type)
		strbuf_addf(sb, ":%s%s%s", a->bp_type & 1 ? "r" : "", a->bp_type & 2 ? "w" : "",
			    a->bp_type & 4 ? "x" : "");
}

static void number_name(const struct attr *a, struct strbuf *sb)
{
	unsigned long long config = a->config;

	switch (a->type) {
	case PERF_TYPE_TRACEPOINT:
		strbuf_addf(sb, "tracepoint:%llu", config);
		break;
	case PERF_TYPE_RAW:
		strbuf_addf(sb, "raw 0x%llx", config);
		break;
	case PERF_TYPE_BREAKPOINT:
		breakpoint_name(a, sb);
		break;
	default:
		strbuf_addf(sb, "type%u/0x%llx", a->type, config);
	}
}

static void pmu_event_name(const struct attr *a, const char *pmu, struct strbuf *sb)
{
	strbuf_addf(sb, "%s/config=0x%llx", pmu, (unsigned long long)a->config);
	if (a->config1)
		strbuf_addf(sb, ",config1=0x%llx", (unsigned long long)a->config1);
	if (a->config2)
		strbuf_addf(sb, ",config2=0x%llx", (unsigned long long)a->config2);
	strbuf_addc(sb, '/');
}

static void add_modifiers(const struct attr *a, struct strbuf *sb)
{
	bool user = attr_has(a, ATTR_EXCLUDE_USER), kernel = attr_has(a, ATTR_EXCLUDE_KERNEL);
	bool hv = attr_has(a, ATTR_EXCLUDE_HV);
	unsigned precise = a->flags >> ATTR_PRECISE_IP & 3;

	if (user || kernel || hv || precise)
		strbuf_addc(sb, ':');
	if (user || kernel || hv)
		strbuf_addf(sb, "%s%s%s", kernel ? "" : "k", user ? "" : "u", hv ? "" : "h");
	strbuf_addf(sb, "%.*s", (int)precise, "ppp");
}

char *event_name(const struct attr *a, const struct features *f, int *trust)
{
	const char *core = a->config >> 32 ? pmu_name(f, (uint32_t)(a->config >> 32)) : NULL;
	const char *pmu = a->type > PERF_TYPE_BREAKPOINT ? pmu_name(f, a->type) : NULL;
	struct strbuf sb = STRBUF_INIT;
	struct strbuf name = STRBUF_INIT;

	*trust = NAME_NUMBER;
	if (generic_name(a, &name)) {
		/* on a machine with several kinds of cores, the high half of config says which */
		*trust = core ? NAME_PMU : NAME_GENERIC;
		strbuf_addf(&sb, core ? "%s/%s/" : "%s%s", core ? core : "", strbuf_str(&name));
	} else if (pmu) {
		*trust = NAME_PMU;
		pmu_event_name(a, pmu, &sb);
	} else {
		number_name(a, &sb);
	}
	strbuf_release(&name);
	add_modifiers(a, &sb);
	return strbuf_detach(&sb);
}

void evsel_set_name(struct evsel *e, const char *name, size_t len, enum name_trust trust)
{
	len = strnlen(name, len);
	if (!len || (int)trust < e->name_trust)
		return;
	free(e->name);
	e->name = xstrndup(name, len);
	e->name_trust = (int)trust;
}

void evlist_name_generic(struct evlist *list, const struct features *f)
{
	for (size_t i = 0; i < list->n; i++) {
		struct evsel *e = &list->v[i];
		int trust;
		char *name = event_name(&e->attr, f, &trust);

		evsel_set_name(e, name, strlen(name), (enum name_trust)trust);
		free(name);
	}
}

void evlist_name_event_type(struct evlist *list, uint64_t config, const char *name, size_t len)
{
	for (size_t i = 0; i < list->n; i++) {
		struct evsel *e = &list->v[i];

		if (e->attr.config == config)
			evsel_set_name(e, name, len, NAME_EVENT_TYPE);
	}
}

/* One "name,type,config" line of LEN bytes. */
static void name_meta_line(struct evlist *list, const char *line, size_t len)
{
	const char *comma = memchr(line, ',', len);
	unsigned long long config;
	char numbers[64];
	unsigned type;

	if (!comma || len - (size_t)(comma - line) > sizeof(numbers))
		return;
	memcpy(numbers, comma + 1, len - (size_t)(comma - line) - 1);
	numbers[len - (size_t)(comma - line) - 1] = '\0';
	if (sscanf(numbers, "%u,%llu", &type, &config) != 2)
		return;
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].attr.type == type && list->v[i].attr.config == config)
			evsel_set_name(&list->v[i], line, (size_t)(comma - line), NAME_META_INFO);
}

void evlist_name_meta_info(struct evlist *list, const char *text)
{
	for (int lines = 0; *text && lines < MAX_META_LINES; lines++) {
		size_t len = strcspn(text, "\n");

		name_meta_line(list, text, len);
		text += len + (text[len] == '\n');
	}
}
