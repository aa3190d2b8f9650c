/* SPDX-License-Identifier: MIT */
/*
 * The feature sections of the header (or the HEADER_FEATURE records of a pipe): who recorded
 * what, where, with which events.  A damaged feature is named in `damaged` and left out; the
 * others are used.
 */
#ifndef PERFREP_FEATURE_H
#define PERFREP_FEATURE_H

#include <perfrep/attr.h>
#include <perfrep/record.h>

enum feature_id {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_VERSION = 5,
	FEATURE_ARCH = 6,
	FEATURE_NRCPUS = 7,
	FEATURE_CPUDESC = 8,
	FEATURE_CPUID = 9,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_CMDLINE = 11,
	FEATURE_EVENT_DESC = 12,
	FEATURE_CPU_TOPOLOGY = 13,
	FEATURE_NUMA_TOPOLOGY = 14,
	FEATURE_BRANCH_STACK = 15,
	FEATURE_PMU_MAPPINGS = 16,
	FEATURE_GROUP_DESC = 17,
	FEATURE_AUXTRACE = 18,
	FEATURE_STAT = 19,
	FEATURE_CACHE = 20,
	FEATURE_SAMPLE_TIME = 21,
	FEATURE_MEM_TOPOLOGY = 22,
	FEATURE_CLOCKID = 23,
	FEATURE_DIR_FORMAT = 24,
	FEATURE_BPF_PROG_INFO = 25,
	FEATURE_BPF_BTF = 26,
	FEATURE_COMPRESSED = 27,
	FEATURE_CPU_PMU_CAPS = 28,
	FEATURE_CLOCK_DATA = 29,
	FEATURE_HYBRID_TOPOLOGY = 30,
	FEATURE_PMU_CAPS = 31,
	FEATURE_CPU_DOMAIN_INFO = 32,
	FEATURE_E_MACHINE = 33,
	FEATURE_CLN_SIZE = 34,
	FEATURE_SP_FILE = 128,
	FEATURE_SP_META_INFO = 129,
	FEATURE_SP_DEBUG_UNWIND = 130,
	FEATURE_SP_DEBUG_UNWIND_FILE = 131,
	FEATURE_SP_FILE2 = 132,
	FEATURE_SP_ETM_BRANCH_LIST = 133,
	FEATURE_SP_INIT_MAP = 134,
	FEATURE_MAX = 256,
};

/* "HOSTNAME", "SP_META_INFO" …, "feature 99". */
const char *feature_name(unsigned id);
/* Whether ID has a name, and its section a known purpose. */
bool feature_known(unsigned id);

struct feature_build_id {
	int32_t pid;
	enum cpumode cpumode;
	struct build_id id;
	char *filename;
};

struct feature_pmu {
	uint32_t type;
	char *name;
};

struct feature_group {
	char *name;
	uint32_t leader, nr_members;
};

struct feature_cpu { /* where a CPU is; UINT32_MAX: not told */
	uint32_t core, socket, die;
};

struct feature_node { /* of memory */
	uint32_t node;
	char *cpus; /* "0-3,8" */
};

struct feature_cache { /* that holds data */
	uint32_t level;
	char *cpus; /* that share it */
};

struct feature_pair { /* simpleperf's META_INFO */
	char *key, *value;
};

struct sp_symbol {
	uint64_t vaddr;
	uint64_t len;
	char *name;
};

struct sp_file { /* simpleperf's FILE and FILE2: symbols that travel with the recording */
	char *path;
	uint32_t type; /* 0 kernel 1 module 2 elf 3 dex 4 symbol map 5 unknown */
	uint64_t min_vaddr;
	uint64_t file_offset_of_min_vaddr; /* ~0: not known */
	struct sp_symbol *symbols; /* by vaddr */
	size_t nr_symbols;
};

/* All owned; strings NULL and numbers 0 when the feature is not there. */
struct features {
	uint8_t present[FEATURE_MAX / 8]; /* those that were decoded, or skipped as not known */
	uint8_t damaged[FEATURE_MAX / 8];
	char *hostname, *osrelease, *version, *arch, *cpudesc, *cpuid;
	uint32_t cpus_available, cpus_online;
	uint64_t total_mem_kb;
	char **cmdline;
	size_t nr_cmdline;
	struct feature_build_id *build_ids;
	size_t nr_build_ids;
	struct feature_pmu *pmus;
	size_t nr_pmus;
	struct feature_group *groups;
	size_t nr_groups;
	struct feature_cpu *cpus; /* by number */
	size_t nr_cpus;
	struct feature_node *nodes;
	size_t nr_nodes;
	struct feature_cache *caches;
	size_t nr_caches;
	uint64_t first_sample_ns, last_sample_ns;
	uint64_t clock_wall_ns, clock_mono_ns; /* CLOCK_DATA */
	uint32_t clock_id;
	uint32_t compressed_type, compressed_level, compressed_ratio;
	uint32_t e_machine, e_flags;
	uint8_t *tracing_data; /* whole blob */
	size_t tracing_size;
	struct feature_pair *meta_info;
	size_t nr_meta_info;
	struct sp_file *sp_files;
	size_t nr_sp_files;
	bool stat; /* the file is perf stat record's */
};

static inline bool feature_present(const struct features *f, unsigned id)
{
	return id < FEATURE_MAX && f->present[id / 8] >> (id % 8) & 1;
}

/*
 * Decode one section into F; EVLIST gets names and groups (EVENT_DESC, GROUP_DESC).  Returns
 * negative with a sentence when it is damaged; F then says so in `damaged`.
 */
int feature_decode(struct features *f, unsigned id, const uint8_t *data, uint64_t size, bool be,
		   struct evlist *evlist, struct err *err);
void features_release(struct features *f);

/* The memory node of a CPU; UINT32_MAX when that is not told. */
uint32_t features_node(const struct features *f, uint32_t cpu);
/*
 * The first of the CPUs that share CPU's cache of level *LEVEL, 0 or more than there are: the last
 * one, which *LEVEL becomes.  UINT32_MAX when that is not told.
 */
uint32_t features_cache(const struct features *f, uint32_t cpu, uint32_t *level);

#endif
