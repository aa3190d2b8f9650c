/* SPDX-License-Identifier: MIT */
/*
 * The records that perf itself writes, from type 64.  They have no trailer.
 * Layouts: tools/lib/perf/include/perf/event.h of perf.
 */
#include "perfdata_builder_private.h"

#include <string.h>

static void empty_record(struct builder *b, uint32_t type)
{
	builder_begin(b, type, 0);
	builder_end(b);
}

/* The first LEN bytes of S, or S and zeros. */
static void put_fixed(struct builder *b, const char *s, size_t len)
{
	size_t n = strnlen(s, len);

	builder_bytes(b, s, n);
	builder_bytes(b, NULL, len - n);
}

void builder_header_attr(struct builder *b, uint32_t ev)
{
	const struct builder_evsel *e = &b->evsels[ev];

	builder_begin(b, RECORD_HEADER_ATTR, 0);
	builder_write_attr(b, e, builder_attr_size(b, e));
	for (uint32_t i = 0; i < e->nr_ids; i++)
		builder_u64(b, e->ids[i]);
	builder_end(b);
}

void builder_header_event_type(struct builder *b, uint64_t id, const char *name)
{
	builder_begin(b, RECORD_HEADER_EVENT_TYPE, 0);
	builder_u64(b, id);
	put_fixed(b, name, 64);
	builder_end(b);
}

void builder_tracing_data(struct builder *b, const void *data, uint32_t size)
{
	builder_begin(b, RECORD_HEADER_TRACING_DATA, 0);
	builder_len(b, 4, (size + 7u) & ~7u, "TRACING_DATA.size");
	if (!b->opts.old_tracing_record)
		builder_u32(b, 0);
	builder_end_payload(b, data, size);
}

void builder_build_id(struct builder *b, int32_t pid, enum cpumode mode, const uint8_t *id,
		      uint8_t id_size, const char *filename)
{
	builder_begin(b, RECORD_HEADER_BUILD_ID, (uint16_t)(mode | MISC_BUILD_ID_SIZE));
	builder_u32(b, (uint32_t)pid);
	builder_bytes(b, id, id_size);
	builder_bytes(b, NULL, 20u - id_size);
	builder_len(b, 1, id_size, "BUILD_ID.size");
	builder_bytes(b, NULL, 3);
	builder_cstr(b, filename, 64);
	builder_end(b);
}

void builder_finished_round(struct builder *b)
{
	empty_record(b, RECORD_FINISHED_ROUND);
}

void builder_finished_init(struct builder *b)
{
	empty_record(b, RECORD_FINISHED_INIT);
}

void builder_id_index(struct builder *b, bool machine)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < b->nr_evsels; i++)
		nr += b->evsels[i].nr_ids;
	builder_begin(b, RECORD_ID_INDEX, 0);
	builder_len(b, 8, nr, "ID_INDEX.nr");
	for (size_t i = 0; i < b->nr_evsels; i++)
		for (uint32_t j = 0; j < b->evsels[i].nr_ids; j++) {
			builder_u64(b, b->evsels[i].ids[j]);
			builder_u64(b, i);
			builder_u64(b, UINT64_MAX);
			builder_u64(b, UINT64_MAX);
		}
	builder_bytes(b, NULL, machine ? 16 * nr : 0);
	builder_end(b);
}

void builder_auxtrace_info(struct builder *b, uint32_t type, const uint64_t *priv, size_t nr)
{
	builder_begin(b, RECORD_AUXTRACE_INFO, 0);
	builder_u32(b, type);
	builder_u32(b, 0);
	for (size_t i = 0; i < nr; i++)
		builder_u64(b, priv[i]);
	builder_end(b);
}

void builder_auxtrace(struct builder *b, uint64_t offset, uint64_t reference, uint32_t idx,
		      uint32_t tid, uint32_t cpu, const void *data, uint64_t size)
{
	builder_begin(b, RECORD_AUXTRACE, 0);
	builder_len(b, 8, (size + 7) & ~7ull, "AUXTRACE.size");
	builder_u64(b, offset);
	builder_u64(b, reference);
	builder_u32(b, idx);
	builder_u32(b, tid);
	builder_u32(b, cpu);
	builder_u32(b, 0);
	builder_end_payload(b, data, size);
}

void builder_auxtrace_error(struct builder *b, uint32_t fmt, uint64_t ip, const char *msg)
{
	builder_begin(b, RECORD_AUXTRACE_ERROR, 0);
	builder_u32(b, 1); /* instruction trace */
	builder_u32(b, 7);
	builder_u32(b, 0); /* cpu, pid, tid */
	builder_u32(b, 42);
	builder_u32(b, 42);
	builder_u32(b, fmt);
	builder_u64(b, ip);
	if (fmt)
		builder_u64(b, 1);
	put_fixed(b, msg, 64);
	if (fmt >= 2)
		builder_u64(b, 0); /* machine_pid, vcpu */
	builder_end(b);
}

void builder_thread_map(struct builder *b, const uint64_t *pids, const char *const *comms,
			uint64_t nr)
{
	builder_begin(b, RECORD_THREAD_MAP, 0);
	builder_len(b, 8, nr, "THREAD_MAP.nr");
	for (uint64_t i = 0; i < nr; i++) {
		builder_u64(b, pids[i]);
		put_fixed(b, comms[i], 16);
	}
	builder_end(b);
}

static uint64_t mask_word(unsigned word, unsigned bits, uint16_t first, uint16_t last)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < bits; i++)
		if (word * bits + i >= first && word * bits + i <= last)
			mask |= 1ull << i;
	return mask;
}

/* Offsets are from the type: the words of an 8-byte mask are at 10, unaligned. */
static void put_cpu_map(struct builder *b, enum builder_cpu_map form, uint16_t first, uint16_t last)
{
	unsigned bits = form == BUILDER_CPUS_MASK8 ? 64 : 32;
	unsigned words = last / bits + 1;
	static const uint16_t type[] = { 0, 1, 1, 2 };

	builder_u16(b, type[form]);
	if (form == BUILDER_CPUS_RANGE) {
		builder_u8(b, 0);
		builder_u8(b, 0);
		builder_u16(b, first);
		builder_u16(b, last);
		return;
	}
	if (form == BUILDER_CPUS_LIST) {
		builder_len(b, 2, last - first + 1u, "CPU_MAP.nr");
		for (unsigned cpu = first; cpu <= last; cpu++)
			builder_u16(b, (uint16_t)cpu);
		return;
	}
	builder_len(b, 2, words, "CPU_MAP.nr");
	builder_len(b, 2, bits / 8, "CPU_MAP.long_size");
	if (bits == 64)
		builder_u32(b, 0);
	for (unsigned i = 0; i < words; i++)
		if (bits == 64)
			builder_u64(b, mask_word(i, bits, first, last));
		else
			builder_u32(b, (uint32_t)mask_word(i, bits, first, last));
}

/* Zeros up to a size that is a multiple of 8. */
static void pad8(struct builder *b)
{
	builder_bytes(b, NULL, (8 - b->w->n % 8) % 8);
}

void builder_cpu_map(struct builder *b, enum builder_cpu_map form, uint16_t first, uint16_t last)
{
	builder_begin(b, RECORD_CPU_MAP, 0);
	put_cpu_map(b, form, first, last);
	pad8(b);
	builder_end(b);
}

void builder_stat_config(struct builder *b, const uint64_t *tags_and_values, uint64_t nr)
{
	builder_begin(b, RECORD_STAT_CONFIG, 0);
	builder_len(b, 8, nr, "STAT_CONFIG.nr");
	for (uint64_t i = 0; i < 2 * nr; i++)
		builder_u64(b, tags_and_values[i]);
	builder_end(b);
}

void builder_stat(struct builder *b, uint64_t id, uint32_t cpu, uint32_t thread, uint64_t val,
		  uint64_t ena, uint64_t run)
{
	builder_begin(b, RECORD_STAT, 0);
	builder_u64(b, id);
	builder_u32(b, cpu);
	builder_u32(b, thread);
	builder_u64(b, val);
	builder_u64(b, ena);
	builder_u64(b, run);
	builder_end(b);
}

void builder_stat_round(struct builder *b, uint64_t type, uint64_t time)
{
	builder_begin(b, RECORD_STAT_ROUND, 0);
	builder_u64(b, type);
	builder_u64(b, time);
	builder_end(b);
}

static void begin_update(struct builder *b, uint64_t type, uint64_t id)
{
	builder_begin(b, RECORD_EVENT_UPDATE, 0);
	builder_u64(b, type);
	builder_u64(b, id);
}

void builder_update_unit(struct builder *b, uint64_t id, const char *unit)
{
	begin_update(b, 0, id);
	builder_cstr(b, unit, 8);
	builder_end(b);
}

void builder_update_scale(struct builder *b, uint64_t id, double scale)
{
	uint64_t bits;

	memcpy(&bits, &scale, sizeof(bits));
	begin_update(b, 1, id);
	builder_u64(b, bits);
	builder_end(b);
}

void builder_update_name(struct builder *b, uint64_t id, const char *name)
{
	begin_update(b, 2, id);
	builder_cstr(b, name, 8);
	builder_end(b);
}

void builder_update_cpus(struct builder *b, uint64_t id, uint16_t first, uint16_t last)
{
	begin_update(b, 3, id);
	put_cpu_map(b, BUILDER_CPUS_LIST, first, last);
	pad8(b);
	builder_end(b);
}

void builder_time_conv(struct builder *b, const struct record_time_conv *tc, bool long_form)
{
	builder_begin(b, RECORD_TIME_CONV, 0);
	builder_u64(b, tc->shift);
	builder_u64(b, tc->mult);
	builder_u64(b, tc->zero);
	if (long_form) {
		builder_u64(b, tc->cycles);
		builder_u64(b, tc->mask);
		builder_u8(b, tc->cap_zero);
		builder_u8(b, tc->cap_short);
		builder_bytes(b, NULL, 6);
	}
	builder_end(b);
}

void builder_bpf_metadata(struct builder *b, const char *prog, const char *key, const char *value)
{
	builder_begin(b, RECORD_BPF_METADATA, 0);
	put_fixed(b, prog, 512);
	builder_len(b, 8, 1, "BPF_METADATA.nr");
	put_fixed(b, key, 64);
	put_fixed(b, value, 256);
	builder_end(b);
}

void builder_schedstat_cpu(struct builder *b, uint64_t time, uint32_t cpu, uint16_t version)
{
	builder_begin(b, RECORD_SCHEDSTAT_CPU, 0);
	builder_u64(b, time);
	builder_u32(b, cpu);
	builder_u16(b, version);
	builder_u16(b, 0);
	for (uint32_t i = 0; i < 6; i++)
		builder_u32(b, i);
	for (uint64_t i = 0; i < 3; i++)
		builder_u64(b, i);
	builder_end(b);
}

void builder_schedstat_domain(struct builder *b, uint64_t time, uint32_t cpu, uint16_t version,
			      uint16_t domain)
{
	uint32_t counters = (version >= 17 ? 33 : 24) + 12;

	builder_begin(b, RECORD_SCHEDSTAT_DOMAIN, 0);
	builder_u64(b, time);
	builder_u32(b, cpu);
	builder_u16(b, version);
	builder_u16(b, domain);
	for (uint32_t i = 0; i < counters; i++)
		builder_u32(b, i);
	pad8(b);
	builder_end(b);
}

void builder_feature_end_mark(struct builder *b)
{
	builder_begin(b, RECORD_HEADER_FEATURE, 0);
	builder_u64(b, 35);
	builder_end(b);
}
