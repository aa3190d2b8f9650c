/* SPDX-License-Identifier: MIT */
/*
 * The timeline from recordings made in memory: order, images, kernels, damage; each answer and
 * how long it holds.
 */
#include <stdio.h>

#include "reader_test.h"

#include <perfrep/timeline.h>

#define NEVER UINT64_MAX
#define KBASE 0xffffffff81000000u

static struct builder b;
static struct reader *r;
static struct timeline *tl;

static void begin(const struct builder_opts *opts)
{
	builder_init(&b, opts);
	builder_event(&b, &(struct builder_attr){ .name = "cycles" });
}

static void finish(void)
{
	struct record rec;

	r = test_open(&b, 0);
	tl = timeline_new(&r->evlist);
	while (reader_next(r, &rec) == 0)
		timeline_add(tl, &rec);
	timeline_finish(tl);
}

static void end(void)
{
	timeline_free(tl);
	reader_free(r);
	builder_release(&b);
}

static void map_at(uint64_t time, uint32_t pid, uint64_t addr, uint64_t len, uint64_t pgoff,
		   const char *filename)
{
	builder_mmap2(&b, &(struct builder_mmap){ .time = time,
						  .pid = pid,
						  .tid = pid,
						  .addr = addr,
						  .len = len,
						  .pgoff = pgoff,
						  .filename = filename });
}

static void kernel_map(uint64_t addr, uint64_t len, uint64_t pgoff, const char *filename)
{
	builder_mmap(&b, &(struct builder_mmap){ .misc = CPUMODE_KERNEL,
						 .pid = UINT32_MAX,
						 .addr = addr,
						 .len = len,
						 .pgoff = pgoff,
						 .filename = filename });
}

/* What is at ADDR of PID: "path+offset", or "" for no map; *V: how long that is so. */
static const char *at(int32_t pid, uint64_t addr, uint64_t when, struct validity *v)
{
	static char text[256];
	struct validity image, found;
	const struct process *p = timeline_process(tl, pid, when, &image);
	const struct map *m = process_map(p, addr, when, &found);

	*v = validity_meet(image, found);
	ck_assert(validity_has(*v, when));
	text[0] = '\0';
	if (m)
		snprintf(text, sizeof(text), "%s+%llx",
			 m->dso->symbol ? m->dso->symbol : m->dso->path,
			 (unsigned long long)map_location(m, addr));
	return text;
}

static void expect(int32_t pid, uint64_t addr, uint64_t when, const char *want, uint64_t from,
		   uint64_t until)
{
	struct validity v;

	ck_assert_str_eq(at(pid, addr, when, &v), want);
	ck_assert_uint_eq(v.from, from);
	ck_assert_uint_eq(v.until, until);
}

static void expect_kernel(enum cpumode mode, uint64_t addr, uint64_t when, const char *want)
{
	struct validity v;
	const struct map *m = process_map(timeline_kernel(tl, mode), addr, when, &v);

	ck_assert(validity_has(v, when));
	ck_assert_str_eq(m ? m->dso->name : "", want);
	if (m)
		ck_assert_uint_eq(map_location(m, addr), addr);
}

static void comm(int32_t tid, uint64_t when, const char *want)
{
	struct validity v;

	ck_assert_str_eq(timeline_comm_str(tl, timeline_comm(tl, tid, tid, when, &v)), want);
	ck_assert(validity_has(v, when));
}

/* ---- order -------------------------------------------------------------------------------- */

/* Records are applied by time, wherever they are; those of time 0 first. */
START_TEST(order)
{
	struct timeline_stats stats;

	begin(&test_variants[_i]);
	map_at(300, 10, 0x1000, 0x1000, 0, "/c");
	map_at(200, 10, 0x1000, 0x1000, 0, "/b");
	builder_comm(&b, 250, 10, 10, "late");
	builder_comm(&b, 150, 10, 10, "early");
	builder_comm(&b, 0, 10, 10, "first");
	map_at(0, 10, 0x1000, 0x1000, 0x500, "/a");
	finish();
	expect(10, 0x1010, 0, "/a+510", 0, 200);
	expect(10, 0x1010, 199, "/a+510", 0, 200);
	expect(10, 0x1010, 200, "/b+10", 200, 300);
	expect(10, 0x1010, 300, "/c+10", 300, NEVER);
	expect(10, 0x2000, 300, "", 0, NEVER);
	expect(11, 0x1010, 300, "", 0, NEVER);
	comm(10, 149, "first");
	comm(10, 150, "early");
	comm(10, 249, "early");
	comm(10, 250, "late");
	stats = timeline_stats(tl);
	ck_assert_uint_eq(stats.maps, 3);
	ck_assert_uint_eq(stats.comms, 3);
	ck_assert_uint_eq(stats.malformed, 0);
	end();
}
END_TEST

/* Without times in the records their place in the file is their time. */
START_TEST(untimed)
{
	struct record rec;
	uint64_t pos[4], n = 0;

	builder_init(&b, NULL);
	builder_event(&b, &(struct builder_attr){ .sample_type = SAMPLE_IP | SAMPLE_TID,
						  .flags = 1ull << ATTR_MMAP,
						  .bare = true });
	map_at(900, 10, 0x1000, 0x1000, 0, "/a");
	builder_exec(&b, 800, 10, 10, "new");
	map_at(700, 10, 0x1000, 0x1000, 0, "/b");
	builder_fork(&b, 600, 11, 10, 11, 10);
	r = test_open(&b, 0);
	tl = timeline_new(&r->evlist);
	while (reader_next(r, &rec) == 0) {
		if (rec.type < RECORD_USER_FIRST)
			pos[n++] = rec.pos;
		timeline_add(tl, &rec);
	}
	timeline_finish(tl);
	ck_assert_uint_eq(n, 4);
	ck_assert(!r->evlist.timed);
	ck_assert_uint_eq(timeline_when(false, 123, 456), 456);
	ck_assert_uint_eq(timeline_when(true, 123, 456), 123);
	expect(10, 0x1000, pos[0], "/a+0", pos[0], pos[1]);
	expect(10, 0x1000, pos[1], "/a+0", pos[1], pos[2]); /* still in execve() */
	expect(10, 0x1000, pos[2], "/b+0", pos[2], NEVER);
	expect(11, 0x1000, pos[3], "/b+0", pos[3], NEVER);
	comm(11, pos[3], "new");
	comm(11, pos[3] - 1, ":11");
	end();
}
END_TEST

/* ---- images ------------------------------------------------------------------------------- */

START_TEST(fork_copies)
{
	begin(NULL);
	map_at(0, 10, 0x1000, 0x2000, 0, "/a");
	builder_fork(&b, 100, 20, 10, 20, 10);
	map_at(200, 10, 0x1000, 0x1000, 0, "/parent");
	map_at(300, 20, 0x2000, 0x1000, 0, "/child");
	builder_fork(&b, 400, 30, 20, 30, 20);
	finish();
	expect(20, 0x1000, 99, "", 0, 100);
	expect(20, 0x1000, 250, "/a+0", 100, NEVER); /* not the parent's later one */
	expect(20, 0x2000, 299, "/a+1000", 100, 300);
	expect(20, 0x2000, 300, "/child+0", 300, NEVER);
	expect(10, 0x1000, 199, "/a+0", 0, 200);
	expect(10, 0x1000, 200, "/parent+0", 200, NEVER);
	expect(10, 0x2000, 500, "/a+1000", 0, NEVER);
	expect(30, 0x1000, 400, "/a+0", 400, NEVER);
	expect(30, 0x2000, 400, "/child+0", 400, NEVER);
	expect(30, 0x9000, 400, "", 400, NEVER);
	end();
}
END_TEST

/* A thread has its process's maps; a task that perf found there has those that perf found. */
START_TEST(no_copy)
{
	begin(NULL);
	map_at(0, 10, 0x1000, 0x1000, 0, "/a");
	map_at(0, 20, 0x5000, 0x1000, 0, "/own");
	builder_fork_synthesized(&b, 20, 10, 20, 10);
	builder_fork(&b, 0, 21, 10, 21, 10); /* of perf's that had no flag for it */
	builder_fork(&b, 50, 10, 10, 15, 10);
	finish();
	expect(20, 0x1000, 60, "", 0, NEVER);
	expect(20, 0x5000, 60, "/own+0", 0, NEVER);
	expect(21, 0x1000, 60, "", 0, NEVER);
	expect(10, 0x1000, 60, "/a+0", 0, NEVER);
	end();
}
END_TEST

/*
 * After an exec the old maps show through until the kernel has made the last of the new ones, the
 * vdso, and the program its first; a process without new ones has none.
 */
START_TEST(exec_drops)
{
	uint32_t id;
	struct validity v;

	begin(NULL);
	map_at(0, 10, 0x1000, 0x1000, 0, "/old");
	map_at(0, 10, 0x7000, 0x1000, 0, "[vdso]");
	builder_exec(&b, 100, 10, 10, "new");
	map_at(110, 10, 0x4000, 0x1000, 0, "/new");
	map_at(120, 10, 0x8000, 0x1000, 0, "[vdso]");
	map_at(0, 13, 0x1000, 0x1000, 0, "/old");
	builder_exec(&b, 100, 13, 13, "new");
	map_at(110, 13, 0x4000, 0x1000, 0, "/new");
	map_at(120, 13, 0x8000, 0x1000, 0, "[vdso]");
	map_at(130, 13, 0x9000, 0x1000, 0, "/lib");
	map_at(140, 13, 0xa000, 0x1000, 0, "/lib2");
	map_at(0, 11, 0x1000, 0x1000, 0, "/old");
	builder_exec(&b, 100, 11, 11, "new");
	map_at(110, 11, 0x4000, 0x1000, 0, "/new");
	map_at(0, 12, 0x1000, 0x1000, 0, "/old");
	builder_exec(&b, 100, 12, 12, "new");
	builder_comm(&b, 110, 12, 12, "newer"); /* a name is no exec */
	finish();
	expect(10, 0x1000, 99, "/old+0", 0, 100);
	expect(10, 0x1000, 100, "/old+0", 100, 120);
	expect(10, 0x1000, 120, "", 120, NEVER);
	expect(10, 0x4000, 110, "/new+0", 110, NEVER);
	expect(10, 0x7000, 115, "[vdso32]+0", 100, 120);
	expect(10, 0x7000, 120, "", 120, NEVER);
	expect(13, 0x1000, 125, "/old+0", 100, 130);
	expect(13, 0x1000, 130, "", 130, NEVER);
	expect(11, 0x1000, 109, "/old+0", 100, 110);
	expect(11, 0x1000, 110, "", 110, NEVER);
	expect(12, 0x1000, 100, "", 100, NEVER);
	comm(12, 100, "new");
	comm(12, 110, "newer");
	/* the same process before and after */
	id = process_id(timeline_process(tl, 10, 0, &v));
	ck_assert_uint_eq(v.until, 100);
	ck_assert_uint_eq(process_id(timeline_process(tl, 10, 100, &v)), id);
	ck_assert_uint_eq(v.from, 100);
	ck_assert_uint_ne(process_id(timeline_process(tl, 11, 0, &v)), id);
	ck_assert_uint_eq(process_id(timeline_process(tl, 99, 0, &v)), 0);
	end();
}
END_TEST

/* What a program forks after its exec has nothing of the image before. */
START_TEST(fork_after_exec)
{
	begin(NULL);
	map_at(0, 10, 0x1000, 0x1000, 0, "/shell");
	builder_fork(&b, 10, 20, 10, 20, 10);
	builder_exec(&b, 20, 20, 20, "make");
	map_at(30, 20, 0x4000, 0x1000, 0, "/make");
	builder_fork(&b, 40, 30, 20, 30, 20);
	finish();
	expect(20, 0x1000, 15, "/shell+0", 10, 20);
	expect(20, 0x1000, 25, "/shell+0", 20, 30);
	expect(30, 0x1000, 40, "", 40, NEVER);
	expect(30, 0x4000, 40, "/make+0", 40, NEVER);
	end();
}
END_TEST

START_TEST(pid_reuse)
{
	struct timeline_thread *v;
	struct validity a, c;

	begin(NULL);
	builder_comm(&b, 0, 1, 1, "init");
	map_at(0, 1, 0x1000, 0x1000, 0, "/init");
	builder_comm(&b, 0, 20, 20, "old");
	map_at(0, 20, 0x5000, 0x1000, 0, "/old");
	builder_exit(&b, 100, 20, 1, 20, 1);
	builder_fork(&b, 200, 20, 1, 20, 1);
	builder_fork(&b, 210, 20, 20, 21, 20);
	builder_fork(&b, 300, 20, 1, 20, 1); /* its EXIT was lost */
	builder_exit(&b, 400, 20, 1, 20, 1);
	finish();
	expect(20, 0x5000, 150, "/old+0", 0, 200); /* late samples */
	expect(20, 0x5000, 200, "", 200, 300);
	expect(20, 0x1000, 200, "/init+0", 200, 300);
	comm(20, 150, "old");
	comm(20, 200, "init");
	comm(20, 500, "init");
	ck_assert_uint_ne(process_id(timeline_process(tl, 20, 150, &a)),
			  process_id(timeline_process(tl, 20, 200, &c)));

	ck_assert_uint_eq(timeline_threads(tl, &v), 5);
	ck_assert(v[0].pid == 1 && v[0].tid == 1 && v[0].ppid == -1 && v[0].from == 0);
	ck_assert(v[1].tid == 20 && v[1].from == 0 && v[1].until == 100 && v[1].ppid == -1);
	ck_assert_str_eq(timeline_comm_str(tl, v[1].comm), "old");
	ck_assert(v[2].tid == 20 && v[2].from == 200 && v[2].until == 300 && v[2].ppid == 1);
	ck_assert_str_eq(timeline_comm_str(tl, v[2].comm), "init");
	ck_assert(v[3].tid == 20 && v[3].from == 300 && v[3].until == 400);
	ck_assert(v[4].pid == 20 && v[4].tid == 21 && v[4].from == 210 && v[4].until == NEVER);
	free(v);
	ck_assert_uint_eq(timeline_stats(tl).tasks, 5);
	end();
}
END_TEST

/* Pid -1 is a task that is gone, 0 the idle one; neither is special. */
START_TEST(odd_pids)
{
	begin(NULL);
	map_at(0, UINT32_MAX, 0x1000, 0x1000, 0, "/gone");
	builder_fork(&b, 100, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	builder_exit(&b, 200, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX);
	finish();
	expect(-1, 0x1000, 300, "/gone+0", 0, NEVER);
	expect(0, 0x1000, 300, "", 0, NEVER);
	comm(-1, 300, ":-1");
	comm(0, 300, "swapper");
	comm(5, 300, ":5");
	end();
}
END_TEST

/* ---- maps that are none -------------------------------------------------------------------- */

START_TEST(odd_maps)
{
	struct timeline_stats stats;

	begin(NULL);
	map_at(0, 10, 0x1000, 0x1000, 0, "/a");
	map_at(1, 10, 0x1000, 0, 0, "/empty");
	map_at(2, 10, NEVER - 0xfff, 0x2000, 0, "/wraps");
	map_at(3, 10, 0x1000, NEVER, 0, "/wraps");
	map_at(4, 10, NEVER - 0xfff, 0x1000, 0x70, "/last");
	builder_mmap2(&b,
		      &(struct builder_mmap){ .time = 5,
					      .pid = 10,
					      .addr = 0x1000,
					      .len = 0x100,
					      .misc = CPUMODE_USER | MISC_PROC_MAP_PARSE_TIMEOUT,
					      .filename = "/cut" });
	builder_mmap2(&b, &(struct builder_mmap){ .time = 6,
						  .pid = 10,
						  .addr = 0x1800,
						  .len = 0x100,
						  .misc = CPUMODE_USER | MISC_MMAP_DATA,
						  .prot = 3,
						  .filename = "/data" });
	builder_mmap2(&b, &(struct builder_mmap){ .time = 7,
						  .pid = 10,
						  .addr = 0x1000,
						  .len = 0x100,
						  .misc = CPUMODE_GUEST_USER,
						  .filename = "/guest" });
	finish();
	expect(10, 0x1000, 9, "/a+0", 0, NEVER);
	expect(10, 0x1800, 5, "/a+800", 0, 6);
	expect(10, 0x1800, 6, "/data+0", 6, NEVER); /* it lies there, code or not */
	expect(10, 0x1900, 6, "/a+900", 0, NEVER);
	expect(10, NEVER - 0xfff, 9, "/last+70", 4, NEVER);
	stats = timeline_stats(tl);
	ck_assert_uint_eq(stats.maps_timed_out, 1);
	ck_assert_uint_eq(stats.malformed, 2);
	ck_assert_uint_eq(stats.maps, 3);
	end();
}
END_TEST

/* A record that is too short, or whose name has no end, is counted and left out. */
START_TEST(malformed)
{
	uint8_t body[64];

	begin(NULL);
	memset(body, 'x', sizeof(body));
	builder_record(&b, RECORD_COMM, 0, body, 4);
	builder_record(&b, RECORD_MMAP, CPUMODE_USER, body, sizeof(body));
	builder_record(&b, RECORD_FORK, 0, body, 8);
	builder_comm(&b, 5, 10, 10, "fine");
	finish();
	ck_assert_uint_eq(timeline_stats(tl).malformed, 3);
	comm(10, 5, "fine");
	end();
}
END_TEST

/* ---- kernels -------------------------------------------------------------------------------- */

START_TEST(kernel)
{
	struct dso_table *dsos;

	begin(&test_variants[_i]);
	map_at(100, 10, 0x1000, 0x1000, 0, "/a");
	kernel_map(KBASE + 0x5000000, 0x2000, 0, "[nf-x]");
	kernel_map(KBASE, 0x1000000, KBASE + 0x10, "[kernel.kallsyms]_text"); /* late */
	finish();
	expect_kernel(CPUMODE_KERNEL, KBASE + 5, 0, "[kernel.kallsyms]");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0xffffff, 500, "[kernel.kallsyms]");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x1000000, 500, "");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x5000010, 500, "[nf_x]");
	expect_kernel(CPUMODE_KERNEL, 0x1000, 500, "");
	expect_kernel(CPUMODE_GUEST_KERNEL, KBASE, 500, "");
	expect(10, KBASE, 500, "", 0, NEVER);
	dsos = timeline_dsos(tl);
	ck_assert_uint_eq(dsos->n, 3);
	for (size_t i = 0; i < dsos->n; i++)
		if (dsos->v[i]->kind == DSO_KERNEL)
			ck_assert_uint_eq(dsos->v[i]->ref_addr, KBASE + 0x10);
	end();
}
END_TEST

START_TEST(no_kernel)
{
	begin(NULL);
	map_at(100, 10, 0x1000, 0x1000, 0, "/a");
	finish();
	expect_kernel(CPUMODE_KERNEL, KBASE, 500, "");
	ck_assert_uint_eq(process_id(timeline_kernel(tl, CPUMODE_KERNEL)), 1);
	ck_assert_uint_eq(process_id(timeline_kernel(tl, CPUMODE_GUEST_KERNEL)), 2);
	end();
}
END_TEST

/* A length of 0, or one that passes the end: up to the next map, or to the end. */
START_TEST(kernel_without_end)
{
	begin(NULL);
	kernel_map(KBASE, _i ? NEVER : 0, KBASE, "[kernel.kallsyms]_text");
	kernel_map(KBASE + 0x5000000, 0x1000, 0, "[a]");
	kernel_map(KBASE + 0x6000000, 0, 0, "[b]");
	finish();
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x4ffffff, 0, "[kernel.kallsyms]");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x5000000, 0, "[a]");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x5001000, 0, "");
	expect_kernel(CPUMODE_KERNEL, NEVER - 1, 0, "[b]");
	expect_kernel(CPUMODE_KERNEL, KBASE - 1, 0, "");
	ck_assert_uint_eq(timeline_dsos(tl)->v[0]->end, 0);
	end();
}
END_TEST

/* The whole address space, as Android's recorder writes it, or as hidden addresses look. */
START_TEST(kernel_everywhere)
{
	begin(NULL);
	kernel_map(0, _i ? NEVER : 0, 0, "[kernel.kallsyms]_text");
	kernel_map(KBASE, 0x1000, 0, "/vendor/lib/modules/a-b.ko");
	finish();
	expect_kernel(CPUMODE_KERNEL, 0x1000, 0, "[kernel.kallsyms]");
	expect_kernel(CPUMODE_KERNEL, KBASE + 5, 0, "[a_b]");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x1000, 0, "[kernel.kallsyms]");
	end();
}
END_TEST

START_TEST(guest_kernel)
{
	begin(NULL);
	builder_mmap(&b, &(struct builder_mmap){ .misc = CPUMODE_GUEST_KERNEL,
						 .addr = KBASE,
						 .len = 0x1000,
						 .pgoff = KBASE,
						 .filename = "[guest.kernel.kallsyms]_text" });
	finish();
	expect_kernel(CPUMODE_GUEST_KERNEL, KBASE, 0, "[guest.kernel.kallsyms]");
	expect_kernel(CPUMODE_KERNEL, KBASE, 0, "");
	expect(0, KBASE, 0, "", 0, NEVER);
	end();
}
END_TEST

/* Old x86-64 kernels: a trampoline for each CPU, whose code is in the image. */
START_TEST(trampoline)
{
	struct validity v;
	const struct map *m;

	begin(NULL);
	kernel_map(0xfffffe0000006000, 0x1000, KBASE + 0xa000, "__entry_SYSCALL_64_trampoline");
	kernel_map(KBASE, 0x1000000, KBASE, "[kernel.kallsyms]_text");
	finish();
	m = process_map(timeline_kernel(tl, CPUMODE_KERNEL), 0xfffffe0000006010, 0, &v);
	ck_assert_ptr_nonnull(m);
	ck_assert_str_eq(m->dso->name, "[kernel.kallsyms]");
	ck_assert_uint_eq(map_location(m, 0xfffffe0000006010), KBASE + 0xa010);
	end();
}
END_TEST

/* BPF programs come and go over whatever is there. */
START_TEST(ksymbols)
{
	begin(&test_variants[_i]);
	builder_ksymbol(&b, 200, KBASE + 0x2000, 0x100, 1, 1, "bpf_prog_a");
	builder_ksymbol(&b, 100, KBASE + 0x2000, 0x100, 1, 0, "bpf_prog_a");
	builder_ksymbol(&b, 0, 0xffffffffc0000000, 0x40, 1, 0, "bpf_prog_0");
	builder_ksymbol(&b, 300, 0xffffffffc0000000, 0, 1, 0, "bpf_prog_empty");
	builder_ksymbol(&b, 300, 0xfffffffffffffff0, 0x40, 1, 0, "bpf_prog_wraps");
	builder_ksymbol(&b, 300, 0xffffffffc0009000, 0x40, 1, 1, "bpf_prog_unheard_of");
	kernel_map(KBASE, 0x1000000, KBASE, "[kernel.kallsyms]_text");
	finish();
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x2000, 99, "[kernel.kallsyms]");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x2000, 100, "bpf_prog_a");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x20ff, 199, "bpf_prog_a");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x2100, 199, "[kernel.kallsyms]");
	expect_kernel(CPUMODE_KERNEL, KBASE + 0x2000, 200, "[kernel.kallsyms]");
	expect_kernel(CPUMODE_KERNEL, 0xffffffffc000003f, 0, "bpf_prog_0");
	expect_kernel(CPUMODE_KERNEL, 0xffffffffc0000040, 0, "");
	expect_kernel(CPUMODE_KERNEL, 0xffffffffc0009000, 400, "");
	end();
}
END_TEST

/* ---- code that a JIT named ------------------------------------------------------------------ */

START_TEST(jit_code)
{
	struct record rec;

	begin(NULL);
	map_at(10, 10, 0x10000, 0x10000, 0x10000, "//anon");
	map_at(50, 10, 0x10000, 0x8000, 0x10000, "//anon"); /* mapped anew: what is in it stays */
	map_at(90, 10, 0x10000, 0x1000, 0, "/file");
	builder_fork(&b, 60, 20, 10, 20, 10);
	r = test_open(&b, 0);
	tl = timeline_new(&r->evlist);
	timeline_add_code(tl, 10, 30, 0x10100, 0x100, "g", "/tmp/jit-10.dump");
	timeline_add_code(tl, 10, 20, 0x10100, 0x200, "f", "/tmp/jit-10.dump");
	timeline_add_code(tl, 10, 20, NEVER, 0x200, "wraps", NULL);
	while (reader_next(r, &rec) == 0)
		timeline_add(tl, &rec);
	timeline_finish(tl);
	expect(10, 0x10100, 19, "//anon+10100", 10, 20);
	expect(10, 0x10100, 20, "f+10100", 20, 30);
	expect(10, 0x10100, 30, "g+10100", 30, 90);
	expect(10, 0x10200, 30, "f+10200", 20, 90);
	expect(10, 0x10100, 89, "g+10100", 30, 90);
	expect(10, 0x10100, 90, "/file+100", 90, NEVER);
	expect(20, 0x10200, 99, "f+10200", 60, NEVER);
	expect(20, 0x12000, 99, "//anon+12000", 60, NEVER);
	end();
}
END_TEST

static void count_map(void *ctx, int32_t pid, const struct map *map)
{
	uint64_t *sum = ctx;

	sum[0]++;
	sum[1] += (uint64_t)(pid + 1) * (map->end - map->start);
}

START_TEST(each_map)
{
	uint64_t sum[2] = { 0 };

	begin(NULL);
	kernel_map(KBASE, 0x1000, KBASE, "[kernel.kallsyms]_text"); /* pid -1: no weight */
	map_at(10, 1, 0x1000, 0x1000, 0, "/a");
	map_at(20, 3, 0x1000, 0x1000, 0, "/b");
	builder_fork(&b, 30, 4, 3, 4, 3); /* has nothing of its own */
	finish();
	timeline_each_map(tl, count_map, sum);
	ck_assert_uint_eq(sum[0], 3);
	ck_assert_uint_eq(sum[1], 2 * 0x1000 + 4 * 0x1000);
	end();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("timeline");
	TCase *tc = tcase_create("timeline");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, order, 0, TEST_NR_VARIANTS);
	tcase_add_test(tc, untimed);
	tcase_add_test(tc, fork_copies);
	tcase_add_test(tc, no_copy);
	tcase_add_test(tc, exec_drops);
	tcase_add_test(tc, fork_after_exec);
	tcase_add_test(tc, pid_reuse);
	tcase_add_test(tc, odd_pids);
	tcase_add_test(tc, odd_maps);
	tcase_add_test(tc, malformed);
	tcase_add_loop_test(tc, kernel, 0, TEST_NR_VARIANTS);
	tcase_add_test(tc, no_kernel);
	tcase_add_loop_test(tc, kernel_without_end, 0, 2);
	tcase_add_loop_test(tc, kernel_everywhere, 0, 2);
	tcase_add_test(tc, guest_kernel);
	tcase_add_test(tc, trampoline);
	tcase_add_loop_test(tc, ksymbols, 0, TEST_NR_VARIANTS);
	tcase_add_test(tc, jit_code);
	tcase_add_test(tc, each_map);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
