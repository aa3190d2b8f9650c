/* SPDX-License-Identifier: MIT */
/*
 * What is known of a record without decoding its body: the name and the least size of its type,
 * and the sample_id that sample_id_all puts at the end of every record of the kernel.
 *
 * The trailer is read from the end, because what is before it has no fixed length.  Some writers
 * leave it out of the records that they make up themselves; a record with a string in it tells:
 * when it ends where the padded string does, there is no trailer.
 */
#include <perfrep/record.h>

#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "perfdata/record_layout.h"

struct type_info {
	const char *name;
	uint16_t min_size;
	uint16_t string; /* offset of the string that ends the body, 0: none */
	bool fixed; /* a record of the kernel whose body always has the least size */
};

static const struct type_info types[] = {
	[RECORD_MMAP] = { "MMAP", 41, 40, false },
	[RECORD_LOST] = { "LOST", 24, 0, true },
	[RECORD_COMM] = { "COMM", 17, 16, false },
	[RECORD_EXIT] = { "EXIT", 32, 0, true },
	[RECORD_THROTTLE] = { "THROTTLE", 32, 0, true },
	[RECORD_UNTHROTTLE] = { "UNTHROTTLE", 32, 0, true },
	[RECORD_FORK] = { "FORK", 32, 0, true },
	[RECORD_READ] = { "READ", 24, 0, false },
	[RECORD_SAMPLE] = { "SAMPLE", 8, 0, false },
	[RECORD_MMAP2] = { "MMAP2", 73, 72, false },
	[RECORD_AUX] = { "AUX", 32, 0, true },
	[RECORD_ITRACE_START] = { "ITRACE_START", 16, 0, true },
	[RECORD_LOST_SAMPLES] = { "LOST_SAMPLES", 16, 0, true },
	[RECORD_SWITCH] = { "SWITCH", 8, 0, true },
	[RECORD_SWITCH_CPU_WIDE] = { "SWITCH_CPU_WIDE", 16, 0, true },
	[RECORD_NAMESPACES] = { "NAMESPACES", 24, 0, false },
	[RECORD_KSYMBOL] = { "KSYMBOL", 25, 24, false },
	[RECORD_BPF_EVENT] = { "BPF_EVENT", 24, 0, true },
	[RECORD_CGROUP] = { "CGROUP", 17, 16, false },
	[RECORD_TEXT_POKE] = { "TEXT_POKE", 24, 0, false },
	[RECORD_AUX_OUTPUT_HW_ID] = { "AUX_OUTPUT_HW_ID", 16, 0, true },
	[RECORD_CALLCHAIN_DEFERRED] = { "CALLCHAIN_DEFERRED", 24, 0, false },
	[RECORD_HEADER_ATTR] = { "HEADER_ATTR", 72, 0, false },
	[RECORD_HEADER_EVENT_TYPE] = { "HEADER_EVENT_TYPE", 17, 0, false },
	[RECORD_HEADER_TRACING_DATA] = { "HEADER_TRACING_DATA", 12, 0, false },
	[RECORD_HEADER_BUILD_ID] = { "HEADER_BUILD_ID", 36, 0, false },
	[RECORD_FINISHED_ROUND] = { "FINISHED_ROUND", 8, 0, true },
	[RECORD_ID_INDEX] = { "ID_INDEX", 16, 0, false },
	[RECORD_AUXTRACE_INFO] = { "AUXTRACE_INFO", 16, 0, false },
	[RECORD_AUXTRACE] = { "AUXTRACE", 48, 0, false },
	[RECORD_AUXTRACE_ERROR] = { "AUXTRACE_ERROR", 41, 0, false },
	[RECORD_THREAD_MAP] = { "THREAD_MAP", 16, 0, false },
	[RECORD_CPU_MAP] = { "CPU_MAP", 16, 0, false },
	[RECORD_STAT_CONFIG] = { "STAT_CONFIG", 16, 0, false },
	[RECORD_STAT] = { "STAT", 48, 0, false },
	[RECORD_STAT_ROUND] = { "STAT_ROUND", 24, 0, false },
	[RECORD_EVENT_UPDATE] = { "EVENT_UPDATE", 24, 0, false },
	[RECORD_TIME_CONV] = { "TIME_CONV", 32, 0, false },
	[RECORD_HEADER_FEATURE] = { "HEADER_FEATURE", 16, 0, false },
	[RECORD_COMPRESSED] = { "COMPRESSED", 8, 0, false },
	[RECORD_FINISHED_INIT] = { "FINISHED_INIT", 8, 0, true },
	[RECORD_COMPRESSED2] = { "COMPRESSED2", 16, 0, false },
	[RECORD_BPF_METADATA] = { "BPF_METADATA", 528, 0, false },
	[RECORD_SCHEDSTAT_CPU] = { "SCHEDSTAT_CPU", 24, 0, false },
	[RECORD_SCHEDSTAT_DOMAIN] = { "SCHEDSTAT_DOMAIN", 24, 0, false },
};

static const char *const simpleperf_names[] = {
	"SP_TYPE_START",   "SP_KERNEL_SYMBOL", "SP_DSO",
	"SP_SYMBOL",       "SP_SPLIT",         "SP_SPLIT_END",
	"SP_EVENT_ID",     "SP_CALLCHAIN",     "SP_UNWINDING_RESULT",
	"SP_TRACING_DATA", "SP_DEBUG",
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *record_type_name(uint32_t type)
{
	static _Thread_local char other[24];

	if (type < COUNT(types) && types[type].name)
		return types[type].name;
	if (type >= RECORD_SIMPLEPERF_FIRST &&
	    type - RECORD_SIMPLEPERF_FIRST < COUNT(simpleperf_names))
		return simpleperf_names[type - RECORD_SIMPLEPERF_FIRST];
	snprintf(other, sizeof(other), "type %u", type);
	return other;
}

uint32_t record_min_size(uint32_t type)
{
	if (type < COUNT(types) && types[type].name)
		return types[type].min_size;
	return 8;
}

uint32_t record_fixed_size(uint32_t type)
{
	return type < COUNT(types) && types[type].fixed ? types[type].min_size : 0;
}

bool record_type_known(uint32_t type)
{
	if (type < COUNT(types))
		return types[type].name != NULL;
	return type > RECORD_SIMPLEPERF_FIRST &&
	       type - RECORD_SIMPLEPERF_FIRST < COUNT(simpleperf_names);
}

uint32_t record_string(uint32_t type)
{
	return type < COUNT(types) ? types[type].string : 0;
}

/* Whether the string at OFFSET, padded to 8, ends where the record ends. */
static bool string_ends_record(const struct record *rec, uint32_t offset)
{
	const uint8_t *nul;
	uint32_t end;

	if (rec->size <= offset)
		return false;
	nul = memchr(rec->data + offset, 0, rec->size - offset);
	if (!nul)
		return false;
	end = (uint32_t)(nul + 1 - rec->data);
	return ((end + 7) & ~(uint32_t)7) == rec->size;
}

uint32_t record_trailer(const struct record *rec, const struct evsel *evsel)
{
	uint32_t want;

	if (!evsel || rec->type >= RECORD_USER_FIRST || rec->type == RECORD_SAMPLE)
		return 0;
	want = evsel->trailer;
	if (!want || rec->size < 8 + want)
		return 0;
	if (rec->type < COUNT(types) && types[rec->type].string &&
	    string_ends_record(rec, types[rec->type].string))
		return 0;
	return want;
}

struct sample_id record_sample_id(const struct record *rec, const struct evsel *evsel)
{
	struct sample_id out = { .pid = -1, .tid = -1 };
	uint32_t trailer = record_trailer(rec, evsel);
	struct cursor c;
	uint64_t st;

	if (!trailer)
		return out;
	c = cursor_init(rec->data + rec->size - trailer, trailer, rec->be);
	st = evsel->attr.sample_type;
	if (st & SAMPLE_TID) {
		out.pid = (int32_t)cursor_u32(&c);
		out.tid = (int32_t)cursor_u32(&c);
	}
	if (st & SAMPLE_TIME) {
		out.time = cursor_u64(&c);
		out.has_time = true;
	}
	if (st & SAMPLE_ID)
		out.id = cursor_u64(&c);
	if (st & SAMPLE_STREAM_ID)
		out.stream_id = cursor_u64(&c);
	if (st & SAMPLE_CPU) {
		out.cpu = cursor_u32(&c);
		cursor_u32(&c);
		out.has_cpu = true;
	}
	if (st & SAMPLE_IDENTIFIER)
		out.id = cursor_u64(&c);
	return out;
}

uint64_t record_payload(const struct record *rec, uint64_t left)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };
	uint64_t size;

	if (rec->type == RECORD_AUXTRACE)
		return rec->size >= 16 ? get_u64(rec->data + 8, rec->be) : 0;
	if (rec->type != RECORD_HEADER_TRACING_DATA || rec->size < 12)
		return 0;
	/* in a pipe the data follows; in a file that was made from one it may have moved away */
	if (memcmp(rec->data + rec->size, magic, left < sizeof(magic) ? left : sizeof(magic)))
		return 0;
	size = get_u32(rec->data + 8, rec->be);
	return (size + 7) & ~(uint64_t)7;
}
