/* SPDX-License-Identifier: MIT */
/*
 * The feature sections.  In a file each is a buffer that builder_finish() places behind the
 * table; in a pipe it is the body of a HEADER_FEATURE record.
 * Layouts: tools/perf/Documentation/perf.data-file-format.txt and tools/perf/util/header.c of
 * perf; simpleperf's from its record_file.proto and record_file_format.h.
 */
#include "perfdata_builder_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"

void builder_feature_begin(struct builder *b, unsigned id)
{
	assert(id < FEATURE_MAX);
	if (b->opts.container == BUILDER_PIPE) {
		builder_begin(b, RECORD_HEADER_FEATURE, 0);
		builder_u64(b, id);
		return;
	}
	b->features = xreallocarray(b->features, b->nr_features + 1, sizeof(*b->features));
	b->features[b->nr_features] = (struct builder_section){ .id = id };
	b->w = &b->features[b->nr_features++].buf;
}

void builder_feature_end(struct builder *b)
{
	if (b->opts.container == BUILDER_PIPE)
		builder_end(b);
	b->w = &b->out;
}

void builder_feature_blob(struct builder *b, unsigned id, const void *data, size_t len)
{
	builder_feature_begin(b, id);
	builder_bytes(b, data, len);
	builder_feature_end(b);
}

void builder_string(struct builder *b, const char *s)
{
	builder_len(b, 4, (strlen(s) + 1 + 63) & ~63ull, "string.len");
	builder_cstr(b, s, 64);
}

static void string_list(struct builder *b, const char *const *v, uint32_t nr)
{
	builder_len(b, 4, nr, "strings.nr");
	for (uint32_t i = 0; i < nr; i++)
		builder_string(b, v[i]);
}

void builder_feature_string(struct builder *b, unsigned id, const char *s)
{
	builder_feature_begin(b, id);
	builder_string(b, s);
	builder_feature_end(b);
}

void builder_feature_u64(struct builder *b, unsigned id, uint64_t v)
{
	builder_feature_begin(b, id);
	builder_u64(b, v);
	builder_feature_end(b);
}

void builder_feature_nrcpus(struct builder *b, uint32_t available, uint32_t online)
{
	builder_feature_begin(b, FEATURE_NRCPUS);
	builder_len(b, 4, available, "NRCPUS.available");
	builder_len(b, 4, online, "NRCPUS.online");
	builder_feature_end(b);
}

void builder_feature_cmdline(struct builder *b, const char *const *argv, uint32_t nr)
{
	builder_feature_begin(b, FEATURE_CMDLINE);
	string_list(b, argv, nr);
	builder_feature_end(b);
}

void builder_feature_event_desc(struct builder *b)
{
	builder_feature_begin(b, FEATURE_EVENT_DESC);
	builder_len(b, 4, b->nr_evsels, "EVENT_DESC.nr");
	builder_len(b, 4, b->opts.attr_size, "EVENT_DESC.attr_size");
	for (size_t i = 0; i < b->nr_evsels; i++) {
		const struct builder_evsel *e = &b->evsels[i];

		builder_write_attr(b, e, b->opts.attr_size);
		builder_len(b, 4, e->nr_ids, "EVENT_DESC.nr_ids");
		builder_string(b, e->name);
		for (uint32_t j = 0; j < e->nr_ids; j++)
			builder_u64(b, e->ids[j]);
	}
	builder_feature_end(b);
}

/* The header's type is 0 here, and its size not a multiple of 8. */
void builder_feature_build_ids(struct builder *b, const struct builder_feature_id *ids, size_t nr)
{
	builder_feature_begin(b, FEATURE_BUILD_ID);
	for (size_t i = 0; i < nr; i++) {
		size_t name = (strlen(ids[i].filename) + 1 + 63) & ~63ull;
		uint8_t size = ids[i].size ? ids[i].size : 20;

		builder_u32(b, 0);
		builder_u16(b, (uint16_t)(ids[i].mode | (ids[i].size ? MISC_BUILD_ID_SIZE : 0)));
		builder_len(b, 2, 36 + name, "BUILD_ID.header.size");
		builder_u32(b, (uint32_t)ids[i].pid);
		builder_bytes(b, ids[i].id, size);
		builder_bytes(b, NULL, 20u - size);
		builder_len(b, 1, ids[i].size, "BUILD_ID.size");
		builder_bytes(b, NULL, 3);
		builder_cstr(b, ids[i].filename, 64);
	}
	builder_feature_end(b);
}

void builder_feature_pmus(struct builder *b, const struct feature_pmu *pmus, uint32_t nr)
{
	builder_feature_begin(b, FEATURE_PMU_MAPPINGS);
	builder_len(b, 4, nr, "PMU_MAPPINGS.nr");
	for (uint32_t i = 0; i < nr; i++) {
		builder_u32(b, pmus[i].type);
		builder_string(b, pmus[i].name);
	}
	builder_feature_end(b);
}

void builder_feature_groups(struct builder *b, const struct feature_group *groups, uint32_t nr)
{
	builder_feature_begin(b, FEATURE_GROUP_DESC);
	builder_len(b, 4, nr, "GROUP_DESC.nr");
	for (uint32_t i = 0; i < nr; i++) {
		builder_string(b, groups[i].name);
		builder_len(b, 4, groups[i].leader, "GROUP_DESC.leader");
		builder_len(b, 4, groups[i].nr_members, "GROUP_DESC.nr_members");
	}
	builder_feature_end(b);
}

void builder_feature_sample_time(struct builder *b, uint64_t first, uint64_t last)
{
	builder_feature_begin(b, FEATURE_SAMPLE_TIME);
	builder_u64(b, first);
	builder_u64(b, last);
	builder_feature_end(b);
}

void builder_feature_compressed(struct builder *b, uint32_t type, uint32_t level, uint32_t ratio,
				uint32_t mmap_len)
{
	builder_feature_begin(b, FEATURE_COMPRESSED);
	builder_u32(b, 1);
	builder_u32(b, type);
	builder_u32(b, level);
	builder_u32(b, ratio);
	builder_len(b, 4, mmap_len, "COMPRESSED.mmap_len");
	builder_feature_end(b);
}

void builder_feature_clock_data(struct builder *b, uint32_t clockid, uint64_t wall, uint64_t mono)
{
	builder_feature_begin(b, FEATURE_CLOCK_DATA);
	builder_u32(b, 1);
	builder_u32(b, clockid);
	builder_u64(b, wall);
	builder_u64(b, mono);
	builder_feature_end(b);
}

void builder_feature_e_machine(struct builder *b, uint32_t machine, uint32_t flags)
{
	builder_feature_begin(b, FEATURE_E_MACHINE);
	builder_u32(b, machine);
	builder_u32(b, flags);
	builder_feature_end(b);
}

void builder_feature_meta_info(struct builder *b, const struct feature_pair *pairs, size_t nr)
{
	builder_feature_begin(b, FEATURE_SP_META_INFO);
	for (size_t i = 0; i < nr; i++) {
		builder_cstr(b, pairs[i].key, 1);
		builder_cstr(b, pairs[i].value, 1);
	}
	builder_feature_end(b);
}

/* ---- protobuf, for simpleperf's FILE2 ---------------------------------------------------- */

static void pb_varint(struct builder_buf *buf, uint64_t v)
{
	while (v >= 128) {
		vec_push(buf, (uint8_t)(v | 128));
		v >>= 7;
	}
	vec_push(buf, (uint8_t)v);
}

static void pb_number(struct builder_buf *buf, unsigned field, uint64_t v)
{
	pb_varint(buf, field << 3);
	pb_varint(buf, v);
}

static void pb_bytes(struct builder_buf *buf, unsigned field, const void *data, size_t len)
{
	pb_varint(buf, field << 3 | 2);
	pb_varint(buf, len);
	vec_reserve(buf, len);
	if (len)
		memcpy(buf->v + buf->n, data, len);
	buf->n += len;
}

static void pb_symbol(struct builder_buf *out, const struct sp_symbol *sym)
{
	struct builder_buf buf = { 0 };

	pb_number(&buf, 1, sym->vaddr);
	pb_number(&buf, 2, sym->len);
	pb_bytes(&buf, 3, sym->name, strlen(sym->name));
	pb_bytes(out, 4, buf.v, buf.n);
	vec_release(&buf);
}

static void pb_file(struct builder_buf *out, const struct sp_file *file)
{
	struct builder_buf elf = { 0 };

	pb_bytes(out, 1, file->path, strlen(file->path));
	pb_number(out, 2, file->type);
	pb_number(out, 3, file->min_vaddr);
	for (size_t i = 0; i < file->nr_symbols; i++)
		pb_symbol(out, &file->symbols[i]);
	if (file->file_offset_of_min_vaddr != UINT64_MAX) {
		pb_number(&elf, 1, file->file_offset_of_min_vaddr);
		pb_bytes(out, file->type == 1 ? 7 : 6, elf.v, elf.n);
	}
	vec_release(&elf);
}

void builder_feature_sp_files(struct builder *b, const struct sp_file *files, size_t nr)
{
	builder_feature_begin(b, FEATURE_SP_FILE2);
	for (size_t i = 0; i < nr; i++) {
		struct builder_buf buf = { 0 };

		pb_file(&buf, &files[i]);
		builder_len(b, 4, buf.n, "FILE2.len");
		builder_bytes(b, buf.v, buf.n);
		vec_release(&buf);
	}
	builder_feature_end(b);
}

void builder_feature_cpu_topology(struct builder *b, const struct feature_cpu *cpus, uint32_t nr)
{
	builder_feature_begin(b, FEATURE_CPU_TOPOLOGY);
	string_list(b, (const char *const[]){ "0-7" }, 1);
	string_list(b, (const char *const[]){ "0", "1" }, 2);
	for (uint32_t cpu = 0; cpu < nr; cpu++) {
		builder_u32(b, cpus[cpu].core);
		builder_u32(b, cpus[cpu].socket);
	}
	string_list(b, (const char *const[]){ "0-7" }, 1);
	for (uint32_t cpu = 0; cpu < nr; cpu++)
		builder_u32(b, cpus[cpu].die);
	builder_feature_end(b);
}

void builder_feature_nodes(struct builder *b, const struct feature_node *nodes, uint32_t nr)
{
	builder_feature_begin(b, FEATURE_NUMA_TOPOLOGY);
	builder_len(b, 4, nr, "NUMA.nr");
	for (uint32_t i = 0; i < nr; i++) {
		builder_u32(b, nodes[i].node);
		builder_u64(b, 8000000);
		builder_u64(b, 4000000);
		builder_string(b, nodes[i].cpus);
	}
	builder_feature_end(b);
}

void builder_feature_caches(struct builder *b, const struct feature_cache *caches, uint32_t nr,
			    const char *type)
{
	builder_feature_begin(b, FEATURE_CACHE);
	builder_u32(b, 1);
	builder_len(b, 4, nr, "CACHE.nr");
	for (uint32_t i = 0; i < nr; i++) {
		builder_u32(b, caches[i].level);
		builder_u32(b, 64);
		builder_u32(b, 64);
		builder_u32(b, 8);
		builder_string(b, type);
		builder_string(b, "32K");
		builder_string(b, caches[i].cpus);
	}
	builder_feature_end(b);
}

/* ---- sets ------------------------------------------------------------------------------- */

void builder_features(struct builder *b)
{
	static const char *const argv[] = { "perf", "record", "./prog" };

	builder_feature_string(b, FEATURE_HOSTNAME, BUILDER_HOSTNAME);
	builder_feature_string(b, FEATURE_OSRELEASE, BUILDER_OSRELEASE);
	builder_feature_string(b, FEATURE_VERSION, BUILDER_VERSION);
	builder_feature_string(b, FEATURE_ARCH, BUILDER_ARCH);
	builder_feature_nrcpus(b, 8, 4);
	builder_feature_cmdline(b, argv, 3);
	builder_feature_event_desc(b);
}

static void mem_topology(struct builder *b)
{
	builder_feature_begin(b, FEATURE_MEM_TOPOLOGY);
	builder_u64(b, 1);
	builder_u64(b, 0x8000000);
	builder_len(b, 8, 1, "MEM_TOPOLOGY.nr");
	builder_u64(b, 0);
	builder_u64(b, 70);
	builder_len(b, 8, 70, "MEM_TOPOLOGY.nbits");
	builder_u64(b, UINT64_MAX);
	builder_u64(b, 0x3f);
	builder_feature_end(b);
}

static void bpf(struct builder *b)
{
	builder_feature_begin(b, FEATURE_BPF_PROG_INFO);
	builder_len(b, 4, 1, "BPF_PROG_INFO.count");
	builder_len(b, 4, 16, "BPF_PROG_INFO.info_len");
	builder_len(b, 4, 8, "BPF_PROG_INFO.data_len");
	builder_u64(b, 0);
	builder_bytes(b, NULL, 24);
	builder_feature_end(b);
	builder_feature_begin(b, FEATURE_BPF_BTF);
	builder_len(b, 4, 1, "BPF_BTF.count");
	builder_u32(b, 5);
	builder_len(b, 4, 8, "BPF_BTF.size");
	builder_bytes(b, NULL, 8);
	builder_feature_end(b);
}

static void caps(struct builder *b)
{
	builder_feature_begin(b, FEATURE_CPU_PMU_CAPS);
	builder_len(b, 4, 1, "CPU_PMU_CAPS.nr");
	builder_string(b, "branches");
	builder_string(b, "32");
	builder_feature_end(b);
	builder_feature_begin(b, FEATURE_HYBRID_TOPOLOGY);
	builder_len(b, 4, 1, "HYBRID.nr");
	builder_string(b, "cpu_core");
	builder_string(b, "0-7");
	builder_feature_end(b);
	builder_feature_begin(b, FEATURE_PMU_CAPS);
	builder_len(b, 4, 1, "PMU_CAPS.nr_pmu");
	builder_len(b, 4, 1, "PMU_CAPS.nr");
	builder_string(b, "branch_counter_nr");
	builder_string(b, "4");
	builder_string(b, "cpu_core");
	builder_feature_end(b);
}

static void cpu_domains(struct builder *b)
{
	builder_feature_begin(b, FEATURE_CPU_DOMAIN_INFO);
	builder_u32(b, 17);
	builder_u32(b, 1);
	builder_u32(b, 0);
	builder_len(b, 4, 1, "CPU_DOMAIN.nr");
	builder_u32(b, 0);
	builder_string(b, "MC");
	builder_string(b, "ff");
	builder_string(b, "0-7");
	builder_feature_end(b);
}

void builder_all_features(struct builder *b)
{
	static const struct feature_cpu cpus[8] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 },
						    { 3, 0, 0 }, { 4, 0, 0 }, { 5, 0, 0 },
						    { 6, 0, 0 }, { 7, 0, 0 } };
	static const uint8_t id[20] = { 0xde, 0xad, 0xbe, 0xef, 5,  6,  7,  8,  9,  10,
					11,   12,   13,   14,   15, 16, 17, 18, 19, 20 };

	builder_feature_build_ids(b,
				  (struct builder_feature_id[]){
					  { -1, CPUMODE_KERNEL, id, 0, "[kernel.kallsyms]" },
					  { -1, CPUMODE_USER, id, 16, "/bin/prog" },
				  },
				  2);
	builder_features(b);
	builder_feature_string(b, FEATURE_CPUDESC, BUILDER_CPUDESC);
	builder_feature_string(b, FEATURE_CPUID, BUILDER_CPUID);
	builder_feature_u64(b, FEATURE_TOTAL_MEM, 8000000);
	builder_feature_cpu_topology(b, cpus, 8);
	builder_feature_nodes(b, &(struct feature_node){ 0, (char *)"0-7" }, 1);
	builder_feature_blob(b, FEATURE_BRANCH_STACK, NULL, 0);
	builder_feature_pmus(
		b, (struct feature_pmu[]){ { 4, (char *)"cpu" }, { 9, (char *)"uncore" } }, 2);
	builder_feature_groups(b, (struct feature_group[]){ { (char *)"{anon_group}", 0, 1 } }, 1);
	builder_feature_caches(b, &(struct feature_cache){ 1, (char *)"0" }, 1, "Data");
	builder_feature_sample_time(b, 100, 900);
	mem_topology(b);
	builder_feature_u64(b, FEATURE_CLOCKID, 1);
	builder_feature_u64(b, FEATURE_DIR_FORMAT, b->opts.container == BUILDER_DIR);
	bpf(b);
	builder_feature_compressed(b, 1, 1, 3, 4096);
	builder_feature_clock_data(b, 1, 1700000000000000000ull, 5000);
	caps(b);
	cpu_domains(b);
	builder_feature_e_machine(b, 62, 0);
	builder_feature_begin(b, FEATURE_CLN_SIZE);
	builder_u32(b, 64);
	builder_feature_end(b);
}

/* ---- tracing data ----------------------------------------------------------------------- */

static void sized_text(struct builder *b, int width, const char *text)
{
	if (width == 8)
		builder_u64(b, strlen(text));
	else
		builder_u32(b, (uint32_t)strlen(text));
	builder_bytes(b, text, strlen(text));
}

static const char switch_format[] =
	"name: sched_switch\nID: %u\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"prev_pid=%%d ==> next_pid=%%d\", REC->prev_pid, REC->next_pid\n";

static const char waking_format[] =
	"name: sched_waking\nID: %u\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"comm=%%s pid=%%d prio=%%d target_cpu=%%03d\", REC->comm, REC->pid, "
	"REC->prio, REC->target_cpu\n";

static const char page_format[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

uint8_t *builder_tracing(bool be, const char *system, const char *const *formats, uint32_t n,
			 size_t *size)
{
	struct builder_buf buf = { 0 };
	struct builder b = { .opts.be = be, .w = &buf };

	builder_bytes(&b, "\x17\x08\x44tracing", 10);
	builder_cstr(&b, "0.6", 1);
	builder_u8(&b, be);
	builder_u8(&b, 8);
	builder_u32(&b, 4096);
	builder_cstr(&b, "header_page", 1);
	sized_text(&b, 8, page_format);
	builder_cstr(&b, "header_event", 1);
	sized_text(&b, 8, "# compressed entry header\n");
	builder_u32(&b, 0); /* ftrace's own formats */
	builder_u32(&b, 1); /* systems */
	builder_cstr(&b, system, 1);
	builder_u32(&b, n);
	for (uint32_t i = 0; i < n; i++)
		sized_text(&b, 8, formats[i]);
	builder_u32(&b, 0); /* kallsyms */
	sized_text(&b, 4, "0xffffffff81000000 : \"a format\\n\"\n");
	sized_text(&b, 8, "42 prog\n43 other\n");
	*size = buf.n;
	return buf.v;
}

uint8_t *builder_tracing_sched(bool be, uint32_t switch_id, uint32_t waking_id, size_t *size)
{
	char switches[sizeof(switch_format) + 16], wakings[sizeof(waking_format) + 16];
	const char *const formats[] = { switches, wakings };

	snprintf(switches, sizeof(switches), switch_format, switch_id);
	snprintf(wakings, sizeof(wakings), waking_format, waking_id);
	return builder_tracing(be, "sched", formats, waking_id ? 2 : 1, size);
}

uint8_t *builder_tracing_blob(bool be, uint32_t id, size_t *size)
{
	return builder_tracing_sched(be, id, 0, size);
}
