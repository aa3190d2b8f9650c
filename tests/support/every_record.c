/* SPDX-License-Identifier: MIT */
/* The values are small and all different, so that a field read at a wrong place shows. */
#include "every_record.h"

#include <stdlib.h>

static const uint8_t some_id[20] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17 };

static void kernel_maps(struct builder *b)
{
	builder_mmap(b, &(struct builder_mmap){ .misc = CPUMODE_KERNEL,
						.pid = UINT32_MAX,
						.addr = 0xffffffff81000000,
						.len = 0x1000000,
						.pgoff = 0xffffffff81000000,
						.filename = "[kernel.kallsyms]_text" });
	builder_mmap2(b, &(struct builder_mmap){ .time = 10,
						 .pid = 42,
						 .addr = 0x400000,
						 .len = 0x2000,
						 .maj = 8,
						 .min = 1,
						 .ino = 77,
						 .filename = "/bin/prog" });
	builder_mmap2(b, &(struct builder_mmap){ .time = 11,
						 .pid = 42,
						 .addr = 0x7f0000000000,
						 .len = 0x3000,
						 .pgoff = 0x1000,
						 .build_id = some_id,
						 .filename = "/lib/libc.so.6" });
}

static void kernel_records(struct builder *b, uint32_t ev)
{
	const uint64_t ns[] = { 3, 4026531840, 3, 4026531841 };
	const struct record_read_value value = { .value = 5, .id = 1000, .lost = 0 };

	builder_comm(b, 0, 42, 42, "prog");
	builder_fork_synthesized(b, 42, 1, 42, 1);
	kernel_maps(b);
	builder_exec(b, 12, 42, 42, "prog2");
	builder_fork(b, 13, 43, 42, 43, 42);
	builder_namespaces(b, 14, 42, 42, ns, 2);
	builder_cgroup(b, 15, 9, "/user.slice");
	builder_ksymbol(b, 16, 0xffffffffc0000000, 200, 1, 0, "bpf_prog_0a_f");
	builder_bpf_event(b, 17, 1, 0, 7, some_id);
	builder_switch(b, 18, MISC_SWITCH_OUT, 42, 42);
	builder_switch_cpu_wide(b, 19, 0, 42, 42);
	builder_throttle(b, 20, false, 1000, 1000);
	builder_throttle(b, 21, true, 1000, 1000);
	builder_lost(b, 22, 1000, 3);
	builder_lost_samples(b, 23, 0, 4);
	builder_read(b, ev, 42, 42,
		     &(struct builder_sample){ .time = 24, .values = &value, .nr_values = 1 });
	builder_aux(b, 25, 0, 16, 1);
	builder_itrace_start(b, 26, 42, 42);
	builder_text_poke(b, 27, 0xffffffff81000100, "\x0f\x1f", 2, "\xe8\x01\x02", 3);
	builder_hw_id(b, 28, 99);
	builder_deferred(b, 29, 42, 42, 0x1234, (uint64_t[]){ 0x400100, 0x400200 }, 2);
	builder_exit(b, 30, 43, 42, 43, 42);
}

static void user_records(struct builder *b)
{
	static const char *const comms[] = { "prog", "other" };

	builder_id_index(b, false);
	builder_id_index(b, true);
	builder_thread_map(b, (uint64_t[]){ 42, 43 }, comms, 2);
	builder_cpu_map(b, BUILDER_CPUS_LIST, 0, 2);
	builder_cpu_map(b, BUILDER_CPUS_MASK4, 0, 40);
	builder_cpu_map(b, BUILDER_CPUS_MASK8, 3, 65);
	builder_cpu_map(b, BUILDER_CPUS_RANGE, 0, 7);
	builder_update_unit(b, 1000, "msec");
	builder_update_scale(b, 1000, 1e-6);
	builder_update_name(b, 1000, "updated");
	builder_update_cpus(b, 1000, 0, 1);
	builder_build_id(b, -1, CPUMODE_USER, some_id, 16, "/bin/prog");
	builder_header_event_type(b, 0, "cycles");
	builder_time_conv(b, &(struct record_time_conv){ 1, 2, 3, 4, 5, true, true }, false);
	builder_time_conv(b, &(struct record_time_conv){ 1, 2, 3, 4, 5, true, true }, true);
	builder_stat_config(b, (uint64_t[]){ 0, 1, 1, 0 }, 2);
	builder_stat(b, 1000, 0, 0, 100, 10, 10);
	builder_stat_round(b, 1, 1000000);
	builder_auxtrace_info(b, 1, (uint64_t[]){ 1, 2, 3 }, 3);
	builder_auxtrace_error(b, 0, 0x400000, "no data");
	builder_auxtrace_error(b, 2, 0x400000, "no data");
	builder_bpf_metadata(b, "prog", "key", "value");
	builder_schedstat_cpu(b, 31, 0, 15);
	builder_schedstat_domain(b, 32, 0, 17, 1);
	builder_finished_init(b);
	builder_record(b, EVERY_UNKNOWN_TYPE, 0, "a type unknown.", 16);
}

static void payload_records(struct builder *b)
{
	size_t size;
	uint8_t *blob = builder_tracing_blob(b->opts.be, 372, &size);

	builder_tracing_data(b, blob, (uint32_t)size);
	builder_auxtrace(b, 0, 1, 2, 42, 3, "AUX area data, 23 byte", 23);
	free(blob);
}

static void full_sample(struct builder *b, uint32_t ev)
{
	const struct branch_entry branches[] = {
		{ .from = 0x400010, .to = 0x400100, .predicted = true, .cycles = 5 },
		{ .from = 0x400020, .to = 0x400200, .mispred = true, .type = 4 },
	};
	const struct record_read_value values[] = { { 10, 1001, 0 }, { 20, 1000, 0 } };

	builder_sample(b, ev,
		       &(struct builder_sample){
			       .time = 41,
			       .ip = 0x400010,
			       .pid = 42,
			       .cpu = 1,
			       .period = 3,
			       .values = values,
			       .nr_values = 2,
			       .chain = (uint64_t[]){ CONTEXT_USER, 0x400010, 0x400099 },
			       .nr_chain = 3,
			       .raw = "raw data",
			       .raw_size = 8,
			       .branches = branches,
			       .nr_branches = 2,
			       .hw_idx = 6,
			       .user_abi = 2,
			       .intr_abi = 2,
			       .stack_size = 32,
			       .dyn_size = 24,
			       .weight = 12,
			       .aux = "aux",
			       .aux_size = 3,
		       });
}

static void some_samples(struct builder *b, uint32_t ev)
{
	static const uint64_t chain[] = { CONTEXT_KERNEL, 0xffffffff81000010, CONTEXT_USER,
					  0x400010, 0x7f0000001234 };

	for (uint64_t i = 0; i < 3; i++) {
		builder_sample(b, ev,
			       &(struct builder_sample){ .time = 35 + i,
							 .ip = chain[1],
							 .misc = CPUMODE_KERNEL,
							 .pid = 42,
							 .period = 1000 + i,
							 .chain = chain,
							 .nr_chain = 5 - 2 * (i == 1) });
		if (i == 1)
			builder_finished_round(b);
	}
}

void every_record(struct builder *b, unsigned parts)
{
	uint32_t ev = builder_event(b, &(struct builder_attr){ .name = "cycles" });
	uint32_t full = 0;

	if (parts & EVERY_FIELD)
		full = builder_event(
			b,
			&(struct builder_attr){
				.name = "everything",
				.sample_type = SAMPLE_KNOWN & ~SAMPLE_WEIGHT_STRUCT,
				.read_format = READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING |
					       READ_ID | READ_GROUP | READ_LOST,
				.branch_sample_type = BRANCH_HW_INDEX | BRANCH_COUNTERS,
				.sample_regs_user = 0x181,
				.sample_regs_intr = 0x100,
				.sample_stack_user = 32 });
	if (parts & EVERY_FEATURE)
		builder_all_features(b);
	else
		builder_features(b);
	if (parts & EVERY_USER)
		user_records(b);
	if (parts & EVERY_PAYLOAD)
		payload_records(b);
	if (parts & EVERY_KERNEL)
		kernel_records(b, ev);
	some_samples(b, ev);
	if (parts & EVERY_FIELD)
		full_sample(b, full);
	builder_finished_round(b);
}
