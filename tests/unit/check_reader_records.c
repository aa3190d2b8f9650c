/* SPDX-License-Identifier: MIT */
/*
 * Every record type that is decoded, written and read back: in each container, byte order and
 * compression, with a trailer of all six fields, and with none.
 */
#include "reader_test.h"

#include "base/cursor.h"

#define ALL_TRAILER \
	(SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | SAMPLE_IDENTIFIER)

struct trip {
	struct builder b;
	struct reader *r;
	struct record rec;
	struct record_body body;
};

static void trip_start(struct trip *t, int variant)
{
	*t = (struct trip){ 0 };
	builder_init(&t->b, &test_variants[variant]);
	builder_event(&t->b, &(struct builder_attr){ .sample_type = SAMPLE_IP | ALL_TRAILER });
	t->b.trailer.cpu = 5;
	t->b.trailer.stream_id = 888;
}

/* Read all, and decode the first record of TYPE. */
static int trip_decode(struct trip *t, uint32_t type, struct err *err)
{
	struct record rec;
	bool found = false;

	t->r = test_open(&t->b, 0);
	while (reader_next(t->r, &rec) == 0) {
		if (rec.type == type && !found) {
			t->rec = rec;
			found = true;
		}
	}
	ck_assert_msg(found, "no %s was delivered", record_type_name(type));
	/* a killed recorder's file is known for one, and has no other damage */
	ck_assert_uint_eq(t->r->nr_damages, t->b.opts.unfinalised);
	return record_decode(&t->rec, evlist_evsel(&t->r->evlist, &t->rec), &t->body, err);
}

static void trip_read(struct trip *t, uint32_t type)
{
	struct err err = { 0 };
	int rc = trip_decode(t, type, &err);

	ck_assert_msg(rc == 0, "%d: %s", rc, err.text);
}

static void trip_end(struct trip *t)
{
	reader_free(t->r);
	builder_release(&t->b);
}

static void assert_trailer(const struct trip *t, uint64_t time, int32_t pid, int32_t tid)
{
	const struct sample_id *id = &t->body.id;

	ck_assert(id->has_time);
	ck_assert(id->has_cpu);
	ck_assert_uint_eq(id->time, time);
	ck_assert_int_eq(id->pid, pid);
	ck_assert_int_eq(id->tid, tid);
	ck_assert_uint_eq(id->id, 1000);
	ck_assert_uint_eq(id->stream_id, 888);
	ck_assert_uint_eq(id->cpu, 5);
}

static const struct builder_mmap some_map = {
	.time = 77,
	.pid = 42,
	.tid = 43,
	.addr = 0x7f1234567000,
	.len = 0x5000,
	.pgoff = 0x3000,
	.filename = "/usr/lib/libfoo.so.1",
	.prot = 7,
	.flags = 0x2002,
	.maj = 8,
	.min = 3,
	.ino = 0x123456789a,
	.ino_generation = 0xfedcba98,
};

static void assert_map(const struct record_mmap *m)
{
	ck_assert_int_eq(m->pid, 42);
	ck_assert_int_eq(m->tid, 43);
	ck_assert_uint_eq(m->addr, 0x7f1234567000);
	ck_assert_uint_eq(m->len, 0x5000);
	ck_assert_uint_eq(m->pgoff, 0x3000);
	ck_assert_str_eq(m->filename, "/usr/lib/libfoo.so.1");
}

START_TEST(mmap)
{
	struct trip t;

	trip_start(&t, _i);
	builder_mmap(&t.b, &some_map);
	trip_read(&t, RECORD_MMAP);
	assert_map(&t.body.mmap);
	ck_assert(!t.body.mmap.is_mmap2);
	ck_assert_uint_eq(t.body.mmap.prot, 0);
	ck_assert_uint_eq(t.body.mmap.build_id.size, 0);
	ck_assert_int_eq(record_cpumode(&t.rec), CPUMODE_USER);
	assert_trailer(&t, 77, 42, 43);
	trip_end(&t);
}
END_TEST

START_TEST(mmap2_inode)
{
	struct trip t;

	trip_start(&t, _i);
	builder_mmap2(&t.b, &some_map);
	trip_read(&t, RECORD_MMAP2);
	assert_map(&t.body.mmap);
	ck_assert(t.body.mmap.is_mmap2);
	ck_assert_uint_eq(t.body.mmap.maj, 8);
	ck_assert_uint_eq(t.body.mmap.min, 3);
	ck_assert_uint_eq(t.body.mmap.ino, 0x123456789a);
	ck_assert_uint_eq(t.body.mmap.ino_generation, 0xfedcba98);
	ck_assert_uint_eq(t.body.mmap.prot, 7);
	ck_assert_uint_eq(t.body.mmap.flags, 0x2002);
	ck_assert_uint_eq(t.body.mmap.build_id.size, 0);
	assert_trailer(&t, 77, 42, 43);
	trip_end(&t);
}
END_TEST

START_TEST(mmap2_build_id)
{
	static const uint8_t id[20] = "0123456789abcdefghij";
	struct builder_mmap m = some_map;
	struct trip t;

	trip_start(&t, _i);
	m.build_id = id;
	m.build_id_size = 16;
	m.misc = CPUMODE_KERNEL | MISC_MMAP_DATA;
	builder_mmap2(&t.b, &m);
	trip_read(&t, RECORD_MMAP2);
	assert_map(&t.body.mmap);
	ck_assert_uint_eq(t.body.mmap.build_id.size, 16);
	ck_assert_mem_eq(t.body.mmap.build_id.bytes, "0123456789abcdef", 16);
	ck_assert_uint_eq(t.body.mmap.ino, 0);
	ck_assert_uint_eq(t.body.mmap.prot, 7);
	ck_assert_int_eq(record_cpumode(&t.rec), CPUMODE_KERNEL);
	ck_assert_uint_eq(t.rec.misc, CPUMODE_KERNEL | MISC_MMAP_DATA | MISC_MMAP_BUILD_ID);
	trip_end(&t);
}
END_TEST

/* A build-id size above 20 is 20. */
START_TEST(mmap2_long_build_id)
{
	static const uint8_t id[20] = "0123456789abcdefghij";
	struct builder_mmap m = some_map;
	struct trip t;

	trip_start(&t, _i);
	m.build_id = id;
	m.build_id_size = 200;
	builder_mmap2(&t.b, &m);
	trip_read(&t, RECORD_MMAP2);
	ck_assert_uint_eq(t.body.mmap.build_id.size, 20);
	ck_assert_mem_eq(t.body.mmap.build_id.bytes, id, 20);
	assert_map(&t.body.mmap);
	trip_end(&t);
}
END_TEST

START_TEST(kernel_map)
{
	struct trip t;

	trip_start(&t, _i);
	builder_mmap(&t.b, &(struct builder_mmap){ .misc = CPUMODE_KERNEL,
						   .pid = UINT32_MAX,
						   .addr = 0xffffffff81000000,
						   .len = 0xe00000,
						   .pgoff = 0xffffffff81000000,
						   .filename = "[kernel.kallsyms]_text" });
	trip_read(&t, RECORD_MMAP);
	ck_assert_int_eq(t.body.mmap.pid, -1);
	ck_assert_int_eq(t.body.mmap.tid, 0);
	ck_assert_uint_eq(t.body.mmap.addr, 0xffffffff81000000);
	ck_assert_str_eq(t.body.mmap.filename, "[kernel.kallsyms]_text");
	/* perf wrote it: the trailer is there, and zero */
	ck_assert(t.body.id.has_time);
	ck_assert_uint_eq(t.body.id.time, 0);
	ck_assert_uint_eq(t.body.id.id, 0);
	trip_end(&t);
}
END_TEST

START_TEST(comm)
{
	struct trip t;

	trip_start(&t, _i);
	builder_comm(&t.b, 78, 42, 43, "a comm of 15 ch");
	trip_read(&t, RECORD_COMM);
	ck_assert_int_eq(t.body.comm.pid, 42);
	ck_assert_int_eq(t.body.comm.tid, 43);
	ck_assert_str_eq(t.body.comm.comm, "a comm of 15 ch");
	ck_assert(!t.body.comm.exec);
	assert_trailer(&t, 78, 42, 43);
	trip_end(&t);
}
END_TEST

START_TEST(comm_exec)
{
	struct trip t;

	trip_start(&t, _i);
	builder_exec(&t.b, 79, 42, 42, "");
	trip_read(&t, RECORD_COMM);
	ck_assert_str_eq(t.body.comm.comm, "");
	ck_assert(t.body.comm.exec);
	assert_trailer(&t, 79, 42, 42);
	trip_end(&t);
}
END_TEST

static void assert_task(const struct record_task *k, int32_t pid, int32_t ppid, int32_t tid,
			int32_t ptid, uint64_t time)
{
	ck_assert_int_eq(k->pid, pid);
	ck_assert_int_eq(k->ppid, ppid);
	ck_assert_int_eq(k->tid, tid);
	ck_assert_int_eq(k->ptid, ptid);
	ck_assert_uint_eq(k->time, time);
}

START_TEST(fork_and_exit)
{
	struct trip t;

	trip_start(&t, _i);
	builder_fork(&t.b, 80, 50, 51, 52, 53);
	trip_read(&t, RECORD_FORK);
	assert_task(&t.body.task, 50, 51, 52, 53, 80);
	assert_trailer(&t, 80, 50, 52);
	ck_assert_uint_eq(t.rec.misc, 0);
	trip_end(&t);

	trip_start(&t, _i);
	builder_exit(&t.b, 81, 50, 51, 52, 53);
	trip_read(&t, RECORD_EXIT);
	assert_task(&t.body.task, 50, 51, 52, 53, 81);
	assert_trailer(&t, 81, 50, 52);
	trip_end(&t);

	trip_start(&t, _i);
	builder_fork_synthesized(&t.b, 50, 51, 52, 53);
	trip_read(&t, RECORD_FORK);
	assert_task(&t.body.task, 50, 51, 52, 53, 0);
	ck_assert_uint_eq(t.rec.misc, MISC_FORK_EXEC);
	trip_end(&t);
}
END_TEST

START_TEST(lost)
{
	struct trip t;

	trip_start(&t, _i);
	builder_lost(&t.b, 82, 1000, 17);
	trip_read(&t, RECORD_LOST);
	ck_assert_uint_eq(t.body.lost.id, 1000);
	ck_assert_uint_eq(t.body.lost.lost, 17);
	trip_end(&t);

	trip_start(&t, _i);
	builder_lost_samples(&t.b, 83, MISC_LOST_SAMPLES_BPF, 18);
	trip_read(&t, RECORD_LOST_SAMPLES);
	ck_assert_uint_eq(t.body.lost.id, 0);
	ck_assert_uint_eq(t.body.lost.lost, 0);
	ck_assert_uint_eq(t.body.lost.filtered, 18);
	ck_assert_uint_eq(t.rec.misc, MISC_LOST_SAMPLES_BPF);
	trip_end(&t);

	trip_start(&t, _i);
	builder_lost_samples(&t.b, 84, 0, 19);
	trip_read(&t, RECORD_LOST_SAMPLES);
	ck_assert_uint_eq(t.body.lost.lost, 19);
	ck_assert_uint_eq(t.body.lost.filtered, 0);
	trip_end(&t);
}
END_TEST

START_TEST(throttle)
{
	struct trip t;

	trip_start(&t, _i);
	builder_throttle(&t.b, 84, _i % 2, 1000, 1001);
	trip_read(&t, _i % 2 ? RECORD_UNTHROTTLE : RECORD_THROTTLE);
	ck_assert_uint_eq(t.body.throttle.time, 84);
	ck_assert_uint_eq(t.body.throttle.id, 1000);
	ck_assert_uint_eq(t.body.throttle.stream_id, 1001);
	trip_end(&t);
}
END_TEST

START_TEST(aux)
{
	struct trip t;

	trip_start(&t, _i);
	builder_aux(&t.b, 85, 4096, 8192, 0x101);
	trip_read(&t, RECORD_AUX);
	ck_assert_uint_eq(t.body.aux.offset, 4096);
	ck_assert_uint_eq(t.body.aux.size, 8192);
	ck_assert_uint_eq(t.body.aux.flags, 0x101);
	ck_assert_uint_eq(t.body.id.time, 85);
	trip_end(&t);
}
END_TEST

START_TEST(switches)
{
	struct trip t;

	trip_start(&t, _i);
	builder_switch(&t.b, 86, MISC_SWITCH_OUT | MISC_SWITCH_OUT_PREEMPT, 42, 43);
	trip_read(&t, RECORD_SWITCH);
	ck_assert(t.body.sw.out);
	ck_assert(t.body.sw.preempt);
	ck_assert(!t.body.sw.cpu_wide);
	assert_trailer(&t, 86, 42, 43);
	trip_end(&t);

	trip_start(&t, _i);
	builder_switch_cpu_wide(&t.b, 87, 0, 44, 45);
	trip_read(&t, RECORD_SWITCH_CPU_WIDE);
	ck_assert(!t.body.sw.out);
	ck_assert(!t.body.sw.preempt);
	ck_assert(t.body.sw.cpu_wide);
	ck_assert_int_eq(t.body.sw.next_prev_pid, 44);
	ck_assert_int_eq(t.body.sw.next_prev_tid, 45);
	trip_end(&t);
}
END_TEST

START_TEST(namespaces)
{
	const uint64_t ns[] = { 3, 4026531840, 3, 4026531841, 3, 4026531842 };
	struct trip t;

	trip_start(&t, _i);
	builder_namespaces(&t.b, 88, 42, 43, ns, 3);
	trip_read(&t, RECORD_NAMESPACES);
	ck_assert_int_eq(t.body.namespaces.pid, 42);
	ck_assert_int_eq(t.body.namespaces.tid, 43);
	ck_assert_uint_eq(t.body.namespaces.nr, 3);
	for (int i = 0; i < 6; i++)
		ck_assert_uint_eq(get_u64(t.body.namespaces.entries + 8 * i, t.rec.be), ns[i]);
	assert_trailer(&t, 88, 42, 43);
	trip_end(&t);
}
END_TEST

START_TEST(ksymbol)
{
	struct trip t;

	trip_start(&t, _i);
	builder_ksymbol(&t.b, 89, 0xffffffffc0001000, 321, 1, 1, "bpf_prog_abc_main");
	trip_read(&t, RECORD_KSYMBOL);
	ck_assert_uint_eq(t.body.ksymbol.addr, 0xffffffffc0001000);
	ck_assert_uint_eq(t.body.ksymbol.len, 321);
	ck_assert_uint_eq(t.body.ksymbol.ksym_type, 1);
	ck_assert_uint_eq(t.body.ksymbol.flags, 1);
	ck_assert_str_eq(t.body.ksymbol.name, "bpf_prog_abc_main");
	trip_end(&t);
}
END_TEST

START_TEST(bpf_event)
{
	struct trip t;

	trip_start(&t, _i);
	builder_bpf_event(&t.b, 90, 2, 1, 77, (const uint8_t *)"tag-tag-");
	trip_read(&t, RECORD_BPF_EVENT);
	ck_assert_uint_eq(t.body.bpf_event.type, 2);
	ck_assert_uint_eq(t.body.bpf_event.flags, 1);
	ck_assert_uint_eq(t.body.bpf_event.id, 77);
	ck_assert_mem_eq(t.body.bpf_event.tag, "tag-tag-", 8);
	trip_end(&t);
}
END_TEST

START_TEST(cgroup)
{
	struct trip t;

	trip_start(&t, _i);
	builder_cgroup(&t.b, 91, 0x100000002, "/system.slice/x.service");
	trip_read(&t, RECORD_CGROUP);
	ck_assert_uint_eq(t.body.cgroup.id, 0x100000002);
	ck_assert_str_eq(t.body.cgroup.path, "/system.slice/x.service");
	ck_assert_uint_eq(t.body.id.time, 91);
	trip_end(&t);
}
END_TEST

START_TEST(text_poke)
{
	struct trip t;

	trip_start(&t, _i);
	builder_text_poke(&t.b, 92, 0xffffffff81000123, "\x0f\x1f\x44\x00\x00", 5,
			  "\xe8\x01\x02\x03\x04\x90", 6);
	trip_read(&t, RECORD_TEXT_POKE);
	ck_assert_uint_eq(t.body.text_poke.addr, 0xffffffff81000123);
	ck_assert_uint_eq(t.body.text_poke.old_len, 5);
	ck_assert_uint_eq(t.body.text_poke.new_len, 6);
	ck_assert_mem_eq(t.body.text_poke.bytes, "\x0f\x1f\x44\x00\x00\xe8\x01\x02\x03\x04\x90",
			 11);
	ck_assert_uint_eq(t.body.id.time, 92);
	trip_end(&t);
}
END_TEST

START_TEST(hw_id)
{
	struct trip t;

	trip_start(&t, _i);
	builder_hw_id(&t.b, 93, 0x1122334455667788);
	trip_read(&t, RECORD_AUX_OUTPUT_HW_ID);
	ck_assert_uint_eq(t.body.hw_id, 0x1122334455667788);
	trip_end(&t);
}
END_TEST

START_TEST(deferred)
{
	struct trip t;

	trip_start(&t, _i);
	builder_deferred(&t.b, 94, 42, 43, 0xabcdef0123, (uint64_t[]){ 0x401000, 0x402000 }, 2);
	trip_read(&t, RECORD_CALLCHAIN_DEFERRED);
	ck_assert_uint_eq(t.body.deferred.cookie, 0xabcdef0123);
	ck_assert_uint_eq(t.body.deferred.nr, 2);
	ck_assert_uint_eq(get_u64(t.body.deferred.ips, t.rec.be), 0x401000);
	ck_assert_uint_eq(get_u64(t.body.deferred.ips + 8, t.rec.be), 0x402000);
	assert_trailer(&t, 94, 42, 43);
	trip_end(&t);
}
END_TEST

START_TEST(itrace_start)
{
	struct err err = { 0 };
	struct trip t;

	trip_start(&t, _i);
	builder_itrace_start(&t.b, 95, 42, 43);
	ck_assert_int_eq(trip_decode(&t, RECORD_ITRACE_START, &err), 0);
	ck_assert_int_eq(t.body.pids.pid, 42);
	ck_assert_int_eq(t.body.pids.tid, 43);
	assert_trailer(&t, 95, 42, 43);
	trip_end(&t);
}
END_TEST

START_TEST(stat)
{
	struct trip t;

	trip_start(&t, _i);
	builder_stat(&t.b, 1000, UINT32_MAX, 3, 100, 20, 10);
	trip_read(&t, RECORD_STAT);
	ck_assert_uint_eq(t.body.stat.id, 1000);
	ck_assert_uint_eq(t.body.stat.cpu, UINT32_MAX);
	ck_assert_uint_eq(t.body.stat.thread, 3);
	ck_assert_uint_eq(t.body.stat.val, 100);
	ck_assert_uint_eq(t.body.stat.ena, 20);
	ck_assert_uint_eq(t.body.stat.run, 10);
	trip_end(&t);

	trip_start(&t, _i);
	builder_stat_round(&t.b, 1, 103603719);
	trip_read(&t, RECORD_STAT_ROUND);
	ck_assert_uint_eq(t.body.stat_round.type, 1);
	ck_assert_uint_eq(t.body.stat_round.time, 103603719);
	trip_end(&t);
}
END_TEST

START_TEST(event_update)
{
	struct trip t;

	trip_start(&t, _i);
	builder_update_unit(&t.b, 1000, "msec");
	trip_read(&t, RECORD_EVENT_UPDATE);
	ck_assert_uint_eq(t.body.event_update.type, 0);
	ck_assert_uint_eq(t.body.event_update.id, 1000);
	ck_assert_str_eq(t.body.event_update.text, "msec");
	ck_assert_str_eq(t.r->evlist.v[0].unit, "msec");
	trip_end(&t);

	trip_start(&t, _i);
	builder_update_scale(&t.b, 1000, 1e-6);
	trip_read(&t, RECORD_EVENT_UPDATE);
	ck_assert_uint_eq(t.body.event_update.type, 1);
	ck_assert_double_eq(t.body.event_update.scale, 1e-6);
	ck_assert_double_eq(t.r->evlist.v[0].scale, 1e-6);
	trip_end(&t);

	trip_start(&t, _i);
	builder_update_name(&t.b, 1000, "a new name");
	trip_read(&t, RECORD_EVENT_UPDATE);
	ck_assert_uint_eq(t.body.event_update.type, 2);
	ck_assert_str_eq(t.body.event_update.text, "a new name");
	ck_assert_str_eq(t.r->evlist.v[0].name, "a new name");
	trip_end(&t);

	trip_start(&t, _i);
	builder_update_cpus(&t.b, 1000, 0, 3);
	trip_read(&t, RECORD_EVENT_UPDATE);
	ck_assert_uint_eq(t.body.event_update.type, 3);
	trip_end(&t);
}
END_TEST

START_TEST(build_id)
{
	struct trip t;

	trip_start(&t, _i);
	builder_build_id(&t.b, -1, CPUMODE_USER, (const uint8_t *)"0123456789abcdef", 16, "/bin/p");
	trip_read(&t, RECORD_HEADER_BUILD_ID);
	ck_assert_int_eq(t.body.build_id.pid, -1);
	ck_assert_uint_eq(t.body.build_id.build_id.size, 16);
	ck_assert_mem_eq(t.body.build_id.build_id.bytes, "0123456789abcdef", 16);
	ck_assert_str_eq(t.body.build_id.filename, "/bin/p");
	ck_assert_int_eq(record_cpumode(&t.rec), CPUMODE_USER);
	trip_end(&t);
}
END_TEST

START_TEST(time_conv)
{
	const struct record_time_conv tc = { 31, 0x87654321, 5000, 77, 0xffffff, true, true };
	struct trip t;

	trip_start(&t, _i);
	builder_time_conv(&t.b, &tc, true);
	trip_read(&t, RECORD_TIME_CONV);
	ck_assert_uint_eq(t.body.time_conv.shift, 31);
	ck_assert_uint_eq(t.body.time_conv.mult, 0x87654321);
	ck_assert_uint_eq(t.body.time_conv.zero, 5000);
	ck_assert_uint_eq(t.body.time_conv.cycles, 77);
	ck_assert_uint_eq(t.body.time_conv.mask, 0xffffff);
	ck_assert(t.body.time_conv.cap_zero);
	ck_assert(t.body.time_conv.cap_short);
	trip_end(&t);

	trip_start(&t, _i);
	builder_time_conv(&t.b, &tc, false);
	trip_read(&t, RECORD_TIME_CONV);
	ck_assert_uint_eq(t.body.time_conv.zero, 5000);
	ck_assert_uint_eq(t.body.time_conv.cycles, 0);
	ck_assert(!t.body.time_conv.cap_short);
	trip_end(&t);
}
END_TEST

START_TEST(auxtrace)
{
	static const char data[] = "AUX bytes, padded to 32 by the writer";
	struct trip t;

	trip_start(&t, _i);
	builder_auxtrace(&t.b, 4096, 7, 1, 42, 3, data, 29);
	builder_comm(&t.b, 96, 42, 42, "behind");
	trip_read(&t, RECORD_AUXTRACE);
	ck_assert_uint_eq(t.body.auxtrace.size, 32);
	ck_assert_uint_eq(t.body.auxtrace.offset, 4096);
	ck_assert_uint_eq(t.body.auxtrace.reference, 7);
	ck_assert_uint_eq(t.body.auxtrace.idx, 1);
	ck_assert_uint_eq(t.body.auxtrace.tid, 42);
	ck_assert_uint_eq(t.body.auxtrace.cpu, 3);
	ck_assert_uint_eq(t.rec.payload_size, 32);
	ck_assert_mem_eq(t.rec.payload, data, 29);
	ck_assert_uint_eq(t.r->aux_bytes, 32);
	ck_assert_uint_eq(t.r->nr_by_type[RECORD_COMM], 1);
	trip_end(&t);
}
END_TEST

START_TEST(tracing_data)
{
	size_t size;
	struct record rec;
	struct trip t;
	uint8_t *blob;
	bool found = false;

	trip_start(&t, _i);
	t.b.opts.old_tracing_record = _i % 3 == 0;
	blob = builder_tracing_blob(t.b.opts.be, 372, &size);
	builder_tracing_data(&t.b, blob, (uint32_t)size);
	builder_comm(&t.b, 96, 42, 42, "behind");
	t.r = test_open(&t.b, 0);
	while (reader_next(t.r, &rec) == 0) {
		if (rec.type != RECORD_HEADER_TRACING_DATA)
			continue;
		found = true;
		ck_assert_uint_eq(rec.payload_size, (size + 7) / 8 * 8);
		ck_assert_mem_eq(rec.payload, blob, size);
	}
	ck_assert(found);
	ck_assert_uint_eq(t.r->features.tracing_size, (size + 7) / 8 * 8);
	ck_assert_mem_eq(t.r->features.tracing_data, blob, size);
	ck_assert_uint_eq(t.r->nr_by_type[RECORD_COMM], 1);
	free(blob);
	trip_end(&t);
}
END_TEST

START_TEST(read_one)
{
	const struct record_read_value values[] = { { 10, 1000, 1 }, { 20, 1001, 2 } };
	struct trip t;

	for (uint64_t format = 0; format < 32; format++) {
		uint64_t nr = format & READ_GROUP ? 2 : 1;
		unsigned words = 1 + !!(format & READ_ID) + !!(format & READ_LOST);

		t = (struct trip){ 0 };
		builder_init(&t.b, &test_variants[_i]);
		builder_event(&t.b, &(struct builder_attr){ .sample_type = SAMPLE_IP | ALL_TRAILER,
							    .read_format = format });
		builder_read(&t.b, 0, 42, 43,
			     &(struct builder_sample){ .time = 99,
						       .values = values,
						       .nr_values = 2,
						       .time_enabled = 500,
						       .time_running = 400 });
		trip_read(&t, RECORD_READ);
		ck_assert_int_eq(t.body.read.pid, 42);
		ck_assert_int_eq(t.body.read.tid, 43);
		ck_assert_uint_eq(t.body.read.nr, nr);
		ck_assert_uint_eq(t.body.read.read_format, format);
		ck_assert_uint_eq(t.body.read.time_enabled, format & 1 ? 500 : 0);
		ck_assert_uint_eq(t.body.read.time_running, format & 2 ? 400 : 0);
		for (uint64_t i = 0; i < nr && format & READ_GROUP; i++)
			ck_assert_uint_eq(get_u64(t.body.read.values + 8 * words * i, t.rec.be),
					  values[i].value);
		if (!(format & READ_GROUP))
			ck_assert_uint_eq(get_u64(t.body.read.values, t.rec.be), 10);
		ck_assert_uint_eq(t.body.id.time, 99);
		trip_end(&t);
	}
}
END_TEST

static uint64_t word(const struct trip *t, unsigned i)
{
	return get_u64(t->body.list.entries + 8 * i, t->rec.be);
}

START_TEST(lists)
{
	static const char *const comms[] = { "prog", "a comm of 15 ch" };
	struct trip t;

	trip_start(&t, _i);
	builder_thread_map(&t.b, (uint64_t[]){ 42, 43 }, comms, 2);
	trip_read(&t, RECORD_THREAD_MAP);
	ck_assert_uint_eq(t.body.list.nr, 2);
	ck_assert_uint_eq(t.body.list.entry_size, 24);
	ck_assert_uint_eq(word(&t, 3), 43);
	ck_assert_str_eq((const char *)t.body.list.entries + 32, "a comm of 15 ch");
	trip_end(&t);

	trip_start(&t, _i);
	builder_stat_config(&t.b, (uint64_t[]){ 0, 7, 1, 100 }, 2);
	trip_read(&t, RECORD_STAT_CONFIG);
	ck_assert_uint_eq(t.body.list.nr, 2);
	ck_assert_uint_eq(t.body.list.entry_size, 16);
	ck_assert_uint_eq(word(&t, 1), 7);
	ck_assert_uint_eq(word(&t, 3), 100);
	trip_end(&t);

	/* with and without the second array, of the machine and the virtual CPU */
	for (int machine = 0; machine < 2; machine++) {
		trip_start(&t, _i);
		builder_id_index(&t.b, machine);
		trip_read(&t, RECORD_ID_INDEX);
		ck_assert_uint_eq(t.body.list.nr, 1);
		ck_assert_uint_eq(t.body.list.entry_size, 32);
		ck_assert_uint_eq(word(&t, 0), 1000);
		ck_assert_uint_eq(word(&t, 1), 0);
		ck_assert_uint_eq(word(&t, 3), UINT64_MAX);
		trip_end(&t);
	}
}
END_TEST

START_TEST(cpu_map)
{
	static const uint16_t types[] = { 0, 1, 1, 2 };

	for (int form = BUILDER_CPUS_LIST; form <= BUILDER_CPUS_RANGE; form++) {
		struct trip t;

		trip_start(&t, _i);
		builder_cpu_map(&t.b, (enum builder_cpu_map)form, 3, 65);
		trip_read(&t, RECORD_CPU_MAP);
		ck_assert_uint_eq(t.body.cpu_map.type, types[form]);
		ck_assert_uint_eq(t.body.cpu_map.size, t.rec.size - 10);
		ck_assert_ptr_eq(t.body.cpu_map.data, t.rec.data + 10);
		if (form == BUILDER_CPUS_MASK8) /* offset 10 from the type */
			ck_assert_uint_eq(get_u64(t.rec.data + 8 + 10, t.rec.be), UINT64_MAX << 3);
		trip_end(&t);
	}
}
END_TEST

START_TEST(small_user_records)
{
	struct trip t;

	trip_start(&t, _i);
	builder_header_event_type(&t.b, 5, "old name");
	trip_read(&t, RECORD_HEADER_EVENT_TYPE);
	ck_assert_uint_eq(t.body.event_type.id, 5);
	ck_assert_uint_eq(t.body.event_type.name_len, 8);
	ck_assert_mem_eq(t.body.event_type.name, "old name", 8);
	trip_end(&t);

	trip_start(&t, _i);
	builder_auxtrace_info(&t.b, 4, (uint64_t[]){ 1, 2 }, 2);
	trip_read(&t, RECORD_AUXTRACE_INFO);
	ck_assert_uint_eq(t.body.auxtrace_info.type, 4);
	trip_end(&t);

	for (uint32_t fmt = 0; fmt < 3; fmt++) {
		trip_start(&t, _i);
		builder_auxtrace_error(&t.b, fmt, 0x401234, "instruction trace lost");
		trip_read(&t, RECORD_AUXTRACE_ERROR);
		ck_assert_uint_eq(t.body.auxtrace_error.type, 1);
		ck_assert_uint_eq(t.body.auxtrace_error.code, 7);
		ck_assert_int_eq(t.body.auxtrace_error.tid, 42);
		ck_assert_uint_eq(t.body.auxtrace_error.ip, 0x401234);
		ck_assert_str_eq(t.body.auxtrace_error.msg, "instruction trace lost");
		trip_end(&t);
	}

	trip_start(&t, _i);
	builder_schedstat_cpu(&t.b, 71, 2, 15);
	trip_read(&t, RECORD_SCHEDSTAT_CPU);
	ck_assert_uint_eq(t.body.schedstat.timestamp, 71);
	ck_assert_uint_eq(t.body.schedstat.cpu, 2);
	ck_assert_uint_eq(t.body.schedstat.version, 15);
	trip_end(&t);

	trip_start(&t, _i);
	builder_schedstat_domain(&t.b, 72, 3, 17, 4);
	trip_read(&t, RECORD_SCHEDSTAT_DOMAIN);
	ck_assert_uint_eq(t.body.schedstat.timestamp, 72);
	ck_assert_uint_eq(t.body.schedstat.version, 17);
	ck_assert_uint_eq(t.body.schedstat.domain, 4);
	trip_end(&t);
}
END_TEST

/* Records that have no struct are delivered, counted by name, and decode to nothing. */
START_TEST(others_are_skipped_by_size)
{
	static const uint32_t plain[] = { RECORD_BPF_METADATA, RECORD_FINISHED_INIT,
					  RECORD_FINISHED_ROUND, 93 };
	struct trip t;
	struct record rec;
	size_t at = 0;

	trip_start(&t, _i);
	builder_bpf_metadata(&t.b, "prog", "key", "value");
	builder_finished_init(&t.b);
	builder_finished_round(&t.b);
	builder_record(&t.b, 93, 0, "unknown", 8);
	t.r = test_open(&t.b, 0);
	while (reader_next(t.r, &rec) == 0) {
		struct record_body body;

		if (rec.type == RECORD_HEADER_ATTR)
			continue;
		ck_assert_uint_eq(rec.type, plain[at++]);
		ck_assert_int_eq(record_decode(&rec, NULL, &body, NULL), 1);
	}
	ck_assert_uint_eq(at, sizeof(plain) / sizeof(*plain));
	ck_assert_uint_eq(t.r->nr_by_type[RECORD_BPF_METADATA], 1);
	ck_assert_uint_eq(t.r->nr_by_type[RECORD_FINISHED_ROUND], 1);
	ck_assert_uint_eq(t.r->nr_other_types, 1);
	ck_assert_uint_eq(t.r->other_types[0].type, 93);
	ck_assert_uint_eq(t.r->other_types[0].count, 1);
	ck_assert_str_eq(record_type_name(93), "type 93");
	ck_assert_uint_eq(t.r->nr_damages, t.b.opts.unfinalised);
	trip_end(&t);
}
END_TEST

/* The attr promises a trailer and the writer left it out: strings tell. */
START_TEST(trailer_left_out)
{
	struct trip t;

	trip_start(&t, _i);
	t.b.trailer.none = true;
	builder_comm(&t.b, 97, 42, 43, "prog");
	trip_read(&t, RECORD_COMM);
	ck_assert_str_eq(t.body.comm.comm, "prog");
	ck_assert(!t.body.id.has_time);
	ck_assert_uint_eq(t.body.id.time, 0);
	ck_assert_int_eq(t.body.id.pid, -1);
	trip_end(&t);

	trip_start(&t, _i);
	t.b.trailer.none = true;
	builder_mmap2(&t.b, &some_map);
	trip_read(&t, RECORD_MMAP2);
	assert_map(&t.body.mmap);
	ck_assert(!t.body.id.has_time);
	trip_end(&t);
}
END_TEST

/* Without sample_id_all there is no trailer. */
START_TEST(no_sample_id_all)
{
	struct trip t;

	t = (struct trip){ 0 };
	builder_init(&t.b, &test_variants[_i]);
	builder_event(&t.b, &(struct builder_attr){ .bare = true,
						    .sample_type = SAMPLE_IP | ALL_TRAILER });
	builder_fork(&t.b, 98, 50, 51, 52, 53);
	trip_read(&t, RECORD_FORK);
	assert_task(&t.body.task, 50, 51, 52, 53, 98);
	ck_assert_uint_eq(t.rec.size, 32);
	ck_assert(!t.body.id.has_time);
	ck_assert_int_eq(t.body.id.tid, -1);
	ck_assert(!t.r->evlist.timed);
	trip_end(&t);
}
END_TEST

/* The trailer has the fields of its event, each combination of the six. */
START_TEST(each_trailer)
{
	static const uint64_t bits[] = { SAMPLE_TID,       SAMPLE_TIME, SAMPLE_ID,
					 SAMPLE_STREAM_ID, SAMPLE_CPU,  SAMPLE_IDENTIFIER };

	for (unsigned set = 0; set < 64; set++) {
		struct trip t = { 0 };
		uint64_t type = SAMPLE_IP;

		for (unsigned i = 0; i < 6; i++)
			type |= set >> i & 1 ? bits[i] : 0;
		builder_init(&t.b, &test_variants[_i]);
		builder_event(&t.b, &(struct builder_attr){ .sample_type = type });
		t.b.trailer.cpu = 6;
		t.b.trailer.stream_id = 889;
		builder_comm(&t.b, 99, 42, 43, "prog");
		trip_read(&t, RECORD_COMM);
		ck_assert_str_eq(t.body.comm.comm, "prog");
		ck_assert_int_eq(t.body.id.tid, type & SAMPLE_TID ? 43 : -1);
		ck_assert_int_eq(t.body.id.has_time, (type & SAMPLE_TIME) != 0);
		ck_assert_uint_eq(t.body.id.time, type & SAMPLE_TIME ? 99 : 0);
		ck_assert_uint_eq(t.body.id.stream_id, type & SAMPLE_STREAM_ID ? 889 : 0);
		ck_assert_uint_eq(t.body.id.cpu, type & SAMPLE_CPU ? 6 : 0);
		ck_assert_uint_eq(t.body.id.id, type & (SAMPLE_ID | SAMPLE_IDENTIFIER) ? 1000 : 0);
		ck_assert_int_eq(t.r->evlist.timed, (type & SAMPLE_TIME) != 0);
		trip_end(&t);
	}
}
END_TEST

/* A string without its NUL is an error with the offset, not a longer string. */
START_TEST(string_without_end)
{
	struct err err = { 0 };
	struct trip t = { 0 };

	builder_init(&t.b, &test_variants[_i]);
	builder_event(&t.b, &(struct builder_attr){ .bare = true, .sample_type = SAMPLE_IP });
	builder_begin(&t.b, RECORD_COMM, 0);
	builder_u32(&t.b, 42);
	builder_u32(&t.b, 42);
	builder_bytes(&t.b, "abcdefgh", 8);
	builder_end(&t.b);
	ck_assert_int_lt(trip_decode(&t, RECORD_COMM, &err), 0);
	ck_assert_msg(strstr(err.text, "0x") && strstr(err.text, "COMM"), "%s", err.text);
	trip_end(&t);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_loop_test(tc, mmap, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, mmap2_inode, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, mmap2_build_id, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, mmap2_long_build_id, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, kernel_map, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, comm, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, comm_exec, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, fork_and_exit, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, lost, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, throttle, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, aux, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, switches, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, namespaces, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, ksymbol, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, bpf_event, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, cgroup, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, text_poke, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, hw_id, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, deferred, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, itrace_start, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, stat, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, event_update, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, build_id, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, time_conv, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, auxtrace, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, tracing_data, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, read_one, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, lists, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, cpu_map, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, small_user_records, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, others_are_skipped_by_size, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, trailer_left_out, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, no_sample_id_all, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, each_trailer, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, string_without_end, 0, TEST_NR_VARIANTS);
}

int main(void)
{
	return test_run("reader: records", add, 60);
}
