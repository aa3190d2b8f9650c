/* SPDX-License-Identifier: MIT */
/*
 * The features of a recording's header.  A table says for each id its name and who decodes it;
 * an id without a decoder is one of which nothing is needed, or that nobody knows yet: it counts
 * as present.  All counts are compared with the bytes left before memory is asked for.
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt, with the corrections that
 * tools/perf/util/header.c makes to it (CMDLINE is a list, TOTAL_MEM is in kB, NRCPUS has the
 * available ones first).
 */
#include "perfdata/feature_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "perfdata/evlist.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

char *feature_string(struct cursor *c)
{
	uint32_t len = cursor_u32(c);
	const uint8_t *p = cursor_bytes(c, len);

	return p ? xstrndup((const char *)p, strnlen((const char *)p, len)) : NULL;
}

static void set_string(char **to, struct cursor *c)
{
	char *s = feature_string(c);

	if (!s)
		return;
	free(*to);
	*to = s;
}

#define DECODER(name)                                          \
	static void name(struct features *f, struct cursor *c, \
			 __attribute__((unused)) struct evlist *evlist)

DECODER(decode_hostname)
{
	set_string(&f->hostname, c);
}

DECODER(decode_osrelease)
{
	set_string(&f->osrelease, c);
}

DECODER(decode_version)
{
	set_string(&f->version, c);
}

DECODER(decode_arch)
{
	set_string(&f->arch, c);
}

DECODER(decode_cpudesc)
{
	set_string(&f->cpudesc, c);
}

DECODER(decode_cpuid)
{
	set_string(&f->cpuid, c);
}

DECODER(decode_nrcpus)
{
	uint32_t a = cursor_u32(c), b = cursor_u32(c);

	if (c->bad)
		return;
	/* some writers had them the other way round; there can't be more online than available */
	f->cpus_available = a > b ? a : b;
	f->cpus_online = a > b ? b : a;
}

DECODER(decode_total_mem)
{
	f->total_mem_kb = cursor_u64(c);
}

static void free_cmdline(struct features *f)
{
	for (size_t i = 0; i < f->nr_cmdline; i++)
		free(f->cmdline[i]);
	free(f->cmdline);
	f->cmdline = NULL;
	f->nr_cmdline = 0;
}

DECODER(decode_cmdline)
{
	uint32_t nr = cursor_u32(c);

	if (!cursor_has(c, nr, 4)) {
		c->bad = true;
		return;
	}
	free_cmdline(f);
	f->cmdline = xcalloc(nr, sizeof(*f->cmdline));
	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		f->cmdline[i] = feature_string(c);
		if (f->cmdline[i])
			f->nr_cmdline++;
	}
	if (c->bad)
		free_cmdline(f);
}

DECODER(decode_tracing_data)
{
	size_t size = cursor_left(c);
	const uint8_t *p = cursor_bytes(c, size);

	free(f->tracing_data);
	f->tracing_data = xmemdup(p, size);
	f->tracing_size = size;
	if (evlist && !evlist_name_tracepoints(evlist, p, size))
		c->bad = true; /* the formats before the break are used */
}

DECODER(decode_stat)
{
	(void)c;
	f->stat = true;
}

DECODER(decode_sample_time)
{
	uint64_t first = cursor_u64(c), last = cursor_u64(c);

	if (c->bad)
		return;
	f->first_sample_ns = first;
	f->last_sample_ns = last;
}

DECODER(decode_compressed)
{
	uint32_t type, level, ratio;

	cursor_u32(c); /* version */
	type = cursor_u32(c);
	level = cursor_u32(c);
	ratio = cursor_u32(c);
	cursor_u32(c); /* mmap_len: the writer's buffer, of no use to a reader */
	if (c->bad)
		return;
	f->compressed_type = type;
	f->compressed_level = level;
	f->compressed_ratio = ratio;
}

DECODER(decode_clock_data)
{
	uint32_t id;
	uint64_t wall, mono;

	cursor_u32(c); /* version */
	id = cursor_u32(c);
	wall = cursor_u64(c);
	mono = cursor_u64(c);
	if (c->bad)
		return;
	f->clock_id = id;
	f->clock_wall_ns = wall;
	f->clock_mono_ns = mono;
}

DECODER(decode_e_machine)
{
	uint32_t machine = cursor_u32(c), flags = cursor_u32(c);

	if (c->bad)
		return;
	f->e_machine = machine;
	f->e_flags = flags;
}

static const struct feature_type {
	const char *name;
	feature_fn *decode; /* NULL: nothing of it is needed */
} perf_features[] = {
	[FEATURE_TRACING_DATA] = { "TRACING_DATA", decode_tracing_data },
	[FEATURE_BUILD_ID] = { "BUILD_ID", feature_build_ids },
	[FEATURE_HOSTNAME] = { "HOSTNAME", decode_hostname },
	[FEATURE_OSRELEASE] = { "OSRELEASE", decode_osrelease },
	[FEATURE_VERSION] = { "VERSION", decode_version },
	[FEATURE_ARCH] = { "ARCH", decode_arch },
	[FEATURE_NRCPUS] = { "NRCPUS", decode_nrcpus },
	[FEATURE_CPUDESC] = { "CPUDESC", decode_cpudesc },
	[FEATURE_CPUID] = { "CPUID", decode_cpuid },
	[FEATURE_TOTAL_MEM] = { "TOTAL_MEM", decode_total_mem },
	[FEATURE_CMDLINE] = { "CMDLINE", decode_cmdline },
	[FEATURE_EVENT_DESC] = { "EVENT_DESC", feature_event_desc },
	[FEATURE_CPU_TOPOLOGY] = { "CPU_TOPOLOGY", feature_cpu_topology },
	[FEATURE_NUMA_TOPOLOGY] = { "NUMA_TOPOLOGY", feature_numa_topology },
	[FEATURE_BRANCH_STACK] = { "BRANCH_STACK", NULL },
	[FEATURE_PMU_MAPPINGS] = { "PMU_MAPPINGS", feature_pmu_mappings },
	[FEATURE_GROUP_DESC] = { "GROUP_DESC", feature_group_desc },
	[FEATURE_AUXTRACE] = { "AUXTRACE", NULL },
	[FEATURE_STAT] = { "STAT", decode_stat },
	[FEATURE_CACHE] = { "CACHE", feature_cache },
	[FEATURE_SAMPLE_TIME] = { "SAMPLE_TIME", decode_sample_time },
	[FEATURE_MEM_TOPOLOGY] = { "MEM_TOPOLOGY", NULL },
	[FEATURE_CLOCKID] = { "CLOCKID", NULL },
	[FEATURE_DIR_FORMAT] = { "DIR_FORMAT", NULL },
	[FEATURE_BPF_PROG_INFO] = { "BPF_PROG_INFO", NULL },
	[FEATURE_BPF_BTF] = { "BPF_BTF", NULL },
	[FEATURE_COMPRESSED] = { "COMPRESSED", decode_compressed },
	[FEATURE_CPU_PMU_CAPS] = { "CPU_PMU_CAPS", NULL },
	[FEATURE_CLOCK_DATA] = { "CLOCK_DATA", decode_clock_data },
	[FEATURE_HYBRID_TOPOLOGY] = { "HYBRID_TOPOLOGY", NULL },
	[FEATURE_PMU_CAPS] = { "PMU_CAPS", NULL },
	[FEATURE_CPU_DOMAIN_INFO] = { "CPU_DOMAIN_INFO", NULL },
	[FEATURE_E_MACHINE] = { "E_MACHINE", decode_e_machine },
	[FEATURE_CLN_SIZE] = { "CLN_SIZE", NULL },
};

static const struct feature_type sp_features[] = {
	{ "SP_FILE", feature_sp_file },   { "SP_META_INFO", feature_sp_meta_info },
	{ "SP_DEBUG_UNWIND", NULL },      { "SP_DEBUG_UNWIND_FILE", NULL },
	{ "SP_FILE2", feature_sp_file2 }, { "SP_ETM_BRANCH_LIST", NULL },
	{ "SP_INIT_MAP", NULL }, /* records: the reader delivers them */
};

static const struct feature_type *find_type(unsigned id)
{
	if (id < COUNT(perf_features) && perf_features[id].name)
		return &perf_features[id];
	if (id >= FEATURE_SP_FILE && id - FEATURE_SP_FILE < COUNT(sp_features))
		return &sp_features[id - FEATURE_SP_FILE];
	return NULL;
}

const char *feature_name(unsigned id)
{
	static _Thread_local char other[24];
	const struct feature_type *type = find_type(id);

	if (type)
		return type->name;
	snprintf(other, sizeof(other), "feature %u", id);
	return other;
}

bool feature_known(unsigned id)
{
	return find_type(id) != NULL;
}

int feature_decode(struct features *f, unsigned id, const uint8_t *data, uint64_t size, bool be,
		   struct evlist *evlist, struct err *err)
{
	const struct feature_type *type = find_type(id);
	struct cursor c = cursor_init(data, size, be);

	if (id >= FEATURE_MAX)
		return err_set(err, ERR_UNSUPPORTED, "feature %u is not known, ids end at %d", id,
			       FEATURE_MAX - 1);
	if (type && type->decode)
		type->decode(f, &c, evlist);
	if (c.bad) {
		f->damaged[id / 8] |= (uint8_t)(1 << (id % 8));
		return err_set(
			err, ERR_FORMAT,
			"the feature %s is damaged: its %llu bytes end before its contents do",
			feature_name(id), (unsigned long long)size);
	}
	f->present[id / 8] |= (uint8_t)(1 << (id % 8));
	return 0;
}

void features_release(struct features *f)
{
	char *strings[] = { f->hostname, f->osrelease, f->version, f->arch, f->cpudesc, f->cpuid };

	for (size_t i = 0; i < COUNT(strings); i++)
		free(strings[i]);
	free_cmdline(f);
	free(f->tracing_data);
	feature_free_build_ids(f);
	feature_free_pmus(f);
	feature_free_groups(f);
	feature_free_sp(f);
	feature_free_topology(f);
	memset(f, 0, sizeof(*f));
}
