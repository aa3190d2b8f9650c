/* SPDX-License-Identifier: MIT */
/*
 * Records of the data section.  struct record is a borrowed view; record_decode() turns the body
 * of any record type that is not a SAMPLE into a struct.  Layouts: PERF_RECORD_* in
 * include/uapi/linux/perf_event.h and tools/lib/perf/include/perf/event.h.
 */
#ifndef PERFREP_RECORD_H
#define PERFREP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/attr.h>
#include <perfrep/err.h>

enum record_type {
	RECORD_MMAP = 1,
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_THROTTLE = 5,
	RECORD_UNTHROTTLE = 6,
	RECORD_FORK = 7,
	RECORD_READ = 8,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_AUX = 11,
	RECORD_ITRACE_START = 12,
	RECORD_LOST_SAMPLES = 13,
	RECORD_SWITCH = 14,
	RECORD_SWITCH_CPU_WIDE = 15,
	RECORD_NAMESPACES = 16,
	RECORD_KSYMBOL = 17,
	RECORD_BPF_EVENT = 18,
	RECORD_CGROUP = 19,
	RECORD_TEXT_POKE = 20,
	RECORD_AUX_OUTPUT_HW_ID = 21,
	RECORD_CALLCHAIN_DEFERRED = 22,
	RECORD_USER_FIRST = 64, /* from here on records have no sample_id trailer */
	RECORD_HEADER_ATTR = 64,
	RECORD_HEADER_EVENT_TYPE = 65,
	RECORD_HEADER_TRACING_DATA = 66,
	RECORD_HEADER_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_AUXTRACE_ERROR = 72,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_STAT_CONFIG = 75,
	RECORD_STAT = 76,
	RECORD_STAT_ROUND = 77,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_HEADER_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_FINISHED_INIT = 82,
	RECORD_COMPRESSED2 = 83,
	RECORD_BPF_METADATA = 84,
	RECORD_SCHEDSTAT_CPU = 85,
	RECORD_SCHEDSTAT_DOMAIN = 86,
	RECORD_SIMPLEPERF_FIRST = 32768, /* simpleperf: misc is the high half of the size */
};

enum cpumode {
	CPUMODE_UNKNOWN = 0,
	CPUMODE_KERNEL = 1,
	CPUMODE_USER = 2,
	CPUMODE_HYPERVISOR = 3,
	CPUMODE_GUEST_KERNEL = 4,
	CPUMODE_GUEST_USER = 5,
};

enum record_misc {
	MISC_CPUMODE_MASK = 7,
	MISC_PROC_MAP_PARSE_TIMEOUT = 1 << 12,
	MISC_MMAP_DATA = 1 << 13,
	MISC_COMM_EXEC = 1 << 13,
	MISC_FORK_EXEC = 1 << 13, /* synthesized by perf: do not clone maps */
	MISC_SWITCH_OUT = 1 << 13,
	MISC_EXACT_IP = 1 << 14,
	MISC_SWITCH_OUT_PREEMPT = 1 << 14,
	MISC_MMAP_BUILD_ID = 1 << 14,
	MISC_BUILD_ID_SIZE = 1 << 15,
	MISC_LOST_SAMPLES_BPF = 1 << 15,
};

/* Borrowed: the bytes live as long as the reader. */
struct record {
	const uint8_t *data; /* the whole record, header included */
	uint32_t type;
	uint32_t size; /* header included; above 65535 only in simpleperf's records */
	uint16_t misc;
	bool be;
	uint64_t pos; /* order of delivery: strictly increasing over the recording */
	uint64_t file_offset; /* for messages; of the compressed record for what was in one */
	const uint8_t *payload; /* what follows records 66 and 71 and their size doesn't cover */
	uint64_t payload_size;
};

static inline enum cpumode record_cpumode(const struct record *rec)
{
	return (enum cpumode)(rec->misc & MISC_CPUMODE_MASK);
}

/* "MMAP2", "SAMPLE" …; "type 93" for others (from a static buffer per thread). */
const char *record_type_name(uint32_t type);
/* The smallest valid size of the type, 8 when it is not known. */
uint32_t record_min_size(uint32_t type);

/* What the trailer of a kernel record says; fields that are not there are 0 (pid, tid: -1). */
struct sample_id {
	int32_t pid, tid;
	uint64_t time;
	uint64_t id;
	uint64_t stream_id;
	uint32_t cpu;
	bool has_time, has_cpu;
};

/* EVSEL may be NULL (then everything is absent). */
struct sample_id record_sample_id(const struct record *rec, const struct evsel *evsel);

struct build_id {
	uint8_t size; /* 0: none; at most 20 */
	uint8_t bytes[20];
};

struct record_mmap { /* MMAP and MMAP2 */
	int32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	struct build_id build_id;
	uint32_t prot, flags; /* 0 for MMAP */
	const char *filename; /* borrowed, NUL-terminated inside the record */
	bool is_mmap2;
};

struct record_comm {
	int32_t pid, tid;
	const char *comm;
	bool exec;
};

struct record_task { /* FORK and EXIT */
	int32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct record_lost {
	uint64_t id; /* 0 for LOST_SAMPLES */
	uint64_t lost;
	uint64_t filtered; /* samples that the filter of perf record left out in the kernel */
};

struct record_throttle {
	uint64_t time, id, stream_id;
};

struct record_read_value {
	uint64_t value, id, lost;
};

struct record_aux {
	uint64_t offset, size, flags;
};

struct record_switch {
	bool out, preempt, cpu_wide;
	int32_t next_prev_pid, next_prev_tid; /* cpu_wide only */
};

struct record_namespaces {
	int32_t pid, tid;
	uint64_t nr;
	const uint8_t *entries; /* nr times u64 dev, u64 ino, in file order */
};

struct record_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t ksym_type, flags; /* flags bit 0: unregister */
	const char *name;
};

struct record_bpf_event {
	uint16_t type, flags;
	uint32_t id;
	uint8_t tag[8];
};

struct record_cgroup {
	uint64_t id;
	const char *path;
};

struct record_text_poke {
	uint64_t addr;
	uint16_t old_len, new_len;
	const uint8_t *bytes;
};

struct record_deferred { /* CALLCHAIN_DEFERRED */
	uint64_t cookie, nr;
	const uint8_t *ips; /* nr u64 in file order */
};

struct record_stat {
	uint64_t id;
	uint32_t cpu, thread;
	uint64_t val, ena, run;
};

struct record_stat_round {
	uint64_t type, time; /* 0 interval, 1 final */
};

struct record_event_update {
	uint64_t type, id; /* 0 unit, 1 scale, 2 name, 3 cpus */
	const char *text; /* types 0 and 2 */
	double scale; /* type 1 */
};

struct record_build_id {
	int32_t pid;
	struct build_id build_id;
	const char *filename;
};

struct record_time_conv {
	uint64_t shift, mult, zero, cycles, mask;
	bool cap_zero, cap_short;
};

struct record_auxtrace {
	uint64_t size, offset, reference;
	uint32_t idx, tid, cpu;
};

struct record_read { /* READ: one counter's values, or a group's */
	int32_t pid, tid;
	uint64_t nr; /* 1 without READ_GROUP */
	uint64_t time_enabled, time_running;
	const uint8_t
		*values; /* nr entries in file order: value, id if READ_ID, lost if READ_LOST */
	uint64_t read_format;
};

struct record_pids { /* ITRACE_START */
	int32_t pid, tid;
};

/*
 * THREAD_MAP {u64 pid; char comm[16]}, ID_INDEX {u64 id, idx, cpu, tid},
 * STAT_CONFIG {u64 tag, value}
 */
struct record_list {
	uint64_t nr;
	uint32_t entry_size;
	const uint8_t *entries; /* in file order */
};

struct record_cpu_map {
	uint16_t type; /* 0 CPU numbers, 1 mask, 2 range */
	uint32_t size;
	const uint8_t *data; /* what follows the type, in file order */
};

struct record_feature { /* HEADER_FEATURE */
	uint64_t id;
	uint32_t size;
	const uint8_t *data;
};

struct record_event_type { /* HEADER_EVENT_TYPE */
	uint64_t id;
	uint32_t name_len; /* the name need not have a NUL */
	const char *name;
};

struct record_auxtrace_info {
	uint32_t
		type; /* 1 intel_pt 2 intel_bts 3 cs_etm 4 arm_spe 5 s390_cpumsf 6 hisi_ptt 7 vpa_dtl */
};

struct record_auxtrace_error {
	uint32_t type, code, cpu;
	int32_t pid, tid;
	uint64_t ip;
	const char *msg;
};

struct record_schedstat { /* SCHEDSTAT_CPU and _DOMAIN */
	uint64_t timestamp;
	uint32_t cpu;
	uint16_t version, domain;
};

struct record_body {
	struct sample_id id; /* of kernel records */
	union {
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_lost lost;
		struct record_throttle throttle;
		struct record_aux aux;
		struct record_switch sw;
		struct record_namespaces namespaces;
		struct record_ksymbol ksymbol;
		struct record_bpf_event bpf_event;
		struct record_cgroup cgroup;
		struct record_text_poke text_poke;
		struct record_deferred deferred;
		struct record_stat stat;
		struct record_stat_round stat_round;
		struct record_event_update event_update;
		struct record_build_id build_id;
		struct record_time_conv time_conv;
		struct record_auxtrace auxtrace;
		struct record_read read;
		struct record_pids pids;
		struct record_list list;
		struct record_cpu_map cpu_map;
		struct record_feature feature;
		struct record_event_type event_type;
		struct record_auxtrace_info auxtrace_info;
		struct record_auxtrace_error auxtrace_error;
		struct record_schedstat schedstat;
		uint64_t hw_id;
	};
};

/*
 * Decode any record but SAMPLE.  EVSEL says whether there is a trailer (NULL: none).  0 when the
 * body was decoded; 1 when the type has no struct above (nothing is decoded but the trailer);
 * negative and a sentence with the offset when the record is malformed.
 */
int record_decode(const struct record *rec, const struct evsel *evsel, struct record_body *out,
		  struct err *err);

#endif
