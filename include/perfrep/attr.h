/* SPDX-License-Identifier: MIT */
/*
 * perf_event_attr as the file has it, the events of a recording (evsel, evlist), and for each
 * the decode plan: where the id and the time of its records are.
 * Source of the layout: include/uapi/linux/perf_event.h.
 */
#ifndef PERFREP_ATTR_H
#define PERFREP_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

enum perf_type {
	PERF_TYPE_HARDWARE = 0,
	PERF_TYPE_SOFTWARE = 1,
	PERF_TYPE_TRACEPOINT = 2,
	PERF_TYPE_HW_CACHE = 3,
	PERF_TYPE_RAW = 4,
	PERF_TYPE_BREAKPOINT = 5,
};

enum sample_type {
	SAMPLE_IP = 1 << 0,
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_ADDR = 1 << 3,
	SAMPLE_READ = 1 << 4,
	SAMPLE_CALLCHAIN = 1 << 5,
	SAMPLE_ID = 1 << 6,
	SAMPLE_CPU = 1 << 7,
	SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM_ID = 1 << 9,
	SAMPLE_RAW = 1 << 10,
	SAMPLE_BRANCH_STACK = 1 << 11,
	SAMPLE_REGS_USER = 1 << 12,
	SAMPLE_STACK_USER = 1 << 13,
	SAMPLE_WEIGHT = 1 << 14,
	SAMPLE_DATA_SRC = 1 << 15,
	SAMPLE_IDENTIFIER = 1 << 16,
	SAMPLE_TRANSACTION = 1 << 17,
	SAMPLE_REGS_INTR = 1 << 18,
	SAMPLE_PHYS_ADDR = 1 << 19,
	SAMPLE_AUX = 1 << 20,
	SAMPLE_CGROUP = 1 << 21,
	SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	SAMPLE_CODE_PAGE_SIZE = 1 << 23,
	SAMPLE_WEIGHT_STRUCT = 1 << 24,
	SAMPLE_KNOWN = (1 << 25) - 1,
};

enum read_format {
	READ_TOTAL_TIME_ENABLED = 1 << 0,
	READ_TOTAL_TIME_RUNNING = 1 << 1,
	READ_ID = 1 << 2,
	READ_GROUP = 1 << 3,
	READ_LOST = 1 << 4,
};

enum branch_sample_type {
	BRANCH_CALL_STACK = 1 << 11,
	BRANCH_HW_INDEX = 1 << 17,
	BRANCH_COUNTERS = 1 << 19,
};

/* Bit numbers of struct attr's flags: those of a little-endian u64, whatever the file's order. */
enum attr_flag {
	ATTR_DISABLED = 0,
	ATTR_INHERIT = 1,
	ATTR_EXCLUDE_USER = 4,
	ATTR_EXCLUDE_KERNEL = 5,
	ATTR_EXCLUDE_HV = 6,
	ATTR_MMAP = 8,
	ATTR_COMM = 9,
	ATTR_FREQ = 10,
	ATTR_ENABLE_ON_EXEC = 12,
	ATTR_TASK = 13,
	ATTR_PRECISE_IP = 15, /* two bits */
	ATTR_MMAP_DATA = 17,
	ATTR_SAMPLE_ID_ALL = 18,
	ATTR_EXCLUDE_GUEST = 20,
	ATTR_EXCLUDE_CALLCHAIN_KERNEL = 21,
	ATTR_EXCLUDE_CALLCHAIN_USER = 22,
	ATTR_MMAP2 = 23,
	ATTR_COMM_EXEC = 24,
	ATTR_USE_CLOCKID = 25,
	ATTR_CONTEXT_SWITCH = 26,
	ATTR_WRITE_BACKWARD = 27,
	ATTR_BUILD_ID = 34,
	ATTR_DEFER_CALLCHAIN = 38,
};

struct attr {
	uint32_t type;
	uint32_t size; /* as written; 0 was read as 64 */
	uint64_t config;
	uint64_t sample_period; /* the frequency when ATTR_FREQ is set */
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t flags; /* see attr_flag */
	uint32_t wakeup_events;
	uint32_t bp_type;
	uint64_t config1;
	uint64_t config2;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
	uint64_t sample_regs_intr;
	uint32_t aux_watermark;
	uint16_t sample_max_stack;
	uint32_t aux_sample_size;
	bool unknown_tail; /* non-zero bytes beyond what this program knows */
};

static inline bool attr_has(const struct attr *a, enum attr_flag bit)
{
	return a->flags >> bit & 1;
}

/* Decode the SIZE bytes at DATA (64 … any); fields beyond them are 0. */
int attr_decode(const uint8_t *data, size_t size, bool be, struct attr *out, struct err *err);

/* An event that was opened: attr, name, ids. */
struct evsel {
	struct attr attr;
	uint32_t index; /* in the evlist */
	char *name; /* never NULL; in a pipe it may get better during the pass */
	int name_trust; /* private: where the name came from */
	char *unit; /* EVENT_UPDATE, NULL if none */
	double scale; /* EVENT_UPDATE, 1 if none */
	uint64_t *ids;
	size_t nr_ids;
	uint32_t leader; /* index of the group's leader; its own when in no group */
	uint32_t nr_members; /* of the group that it leads, itself included; else 1 */
	/* decode plan */
	int id_offset; /* of the id in a SAMPLE record; -1 when samples carry none */
	int id_back; /* of the id in other records, from the record's end; -1: none */
	int time_offset; /* of the time in a SAMPLE; -1: none */
	int time_back; /* of the time in other records, from the end; -1: none */
	uint32_t trailer; /* bytes of the sample_id trailer, 0 without sample_id_all */
};

/* Whether it is what perf record --off-cpu makes: nanoseconds that threads were off the CPU. */
bool evsel_is_offcpu_time(const struct evsel *e);
/* Whether its samples have chains of return addresses, wherever they have them. */
bool evsel_has_chains(const struct evsel *e);

struct evlist {
	struct evsel *v;
	size_t n;
	bool be;
	bool timed; /* every event has TIME and sample_id_all: records can be put in order of
			* time; else their place in the file is the only order */
	bool same_plan; /* id is at one place for all events, so it can be read before the event
			 * is known */
	struct evsel_ids *ids; /* private: id -> index */
};

struct record;

/*
 * The event that RECORD belongs to (any kernel record type); NULL when its id is not known.
 * Id 0, a single event, or no id at all mean the first event.
 */
const struct evsel *evlist_evsel(const struct evlist *list, const struct record *rec);
/* The event with this id, NULL if there is none. */
const struct evsel *evlist_by_id(const struct evlist *list, uint64_t id);

/* For the reader and for tests: build an evlist. */
void evlist_init(struct evlist *list, bool be);
struct evsel *evlist_add(struct evlist *list, const struct attr *attr, const uint64_t *ids,
			 size_t nr_ids); /* valid until the next evlist_add() */
void evlist_index(struct evlist *list); /* after adding: plans and the id table */
void evlist_release(struct evlist *list);

#endif
