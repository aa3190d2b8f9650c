/* SPDX-License-Identifier: MIT */
/* System calls: pairs of beginning and return, names by number of each machine, what filters take. */
#include <check.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/syscall_names.h"
#include "perfdata_builder.h"
#include "profile/filter.h"

#include <perfrep/syscalls.h>

enum { ENTER_ID = 400, EXIT_ID = 401, PROGRAM = 50 };

#define VDSO_32 UINT64_C(0xf7fdf000)
#define VDSO_64 UINT64_C(0x7ffe3c1fe000)

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"                   \
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"

static const char *const formats[] = {
	"name: sys_enter\nID: 400\n" COMMON
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
	"print fmt: \"NR %ld\", REC->id\n",
	"name: sys_exit\nID: 401\n" COMMON "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
	"print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n",
};

struct recorder {
	struct builder b;
	uint32_t enters, exits;
	uint32_t cpu;
};

static void event(struct recorder *r, uint64_t time, uint32_t tid, uint32_t ev, int64_t nr,
		  int64_t ret)
{
	bool exits = ev == r->exits;
	uint8_t raw[64] = { 0 };

	builder_encode(&r->b, raw, exits ? EXIT_ID : ENTER_ID, 2);
	builder_encode(&r->b, raw + 8, (uint64_t)nr, 8);
	builder_encode(&r->b, raw + 16, (uint64_t)ret, 8);
	builder_sample(&r->b, ev,
		       &(struct builder_sample){ .time = time,
						 .pid = tid,
						 .tid = tid,
						 .cpu = r->cpu,
						 .period = 1,
						 .raw = raw,
						 .raw_size = exits ? 24 : 64 });
}

static void enter(struct recorder *r, uint64_t time, uint32_t tid, int64_t nr)
{
	event(r, time, tid, r->enters, nr, 0);
}

static void leave(struct recorder *r, uint64_t time, uint32_t tid, int64_t nr, int64_t ret)
{
	event(r, time, tid, r->exits, nr, ret);
}

static void vdso(struct recorder *r, uint64_t time, uint32_t pid, uint64_t addr)
{
	builder_mmap2(&r->b, &(struct builder_mmap){ .time = time,
						     .pid = pid,
						     .tid = pid,
						     .addr = addr,
						     .len = 0x2000,
						     .filename = "[vdso]" });
}

static void begin(struct recorder *r, bool be, const char *arch)
{
	struct builder_attr attr = { .name = "raw_syscalls:sys_enter",
				     .type = PERF_TYPE_TRACEPOINT,
				     .config = ENTER_ID,
				     .sample_period = 1,
				     .sample_type = BUILDER_SAMPLE_TYPE | SAMPLE_RAW };
	size_t size;
	uint8_t *blob;

	*r = (struct recorder){ 0 };
	builder_init(&r->b, &(struct builder_opts){ .be = be });
	r->enters = builder_event(&r->b, &attr);
	attr.name = "raw_syscalls:sys_exit";
	attr.config = EXIT_ID;
	r->exits = builder_event(&r->b, &attr);
	blob = builder_tracing(be, "raw_syscalls", formats, 2, &size);
	builder_feature_blob(&r->b, FEATURE_TRACING_DATA, blob, size);
	free(blob);
	builder_feature_string(&r->b, FEATURE_ARCH, arch);
	builder_comm(&r->b, 0, PROGRAM, PROGRAM, "program");
}

static void build(struct recorder *r, struct syscall_table *t, struct session *s,
		  const struct syscall_options *o)
{
	char path[] = "/tmp/check_syscalls.XXXXXX";
	struct session_options so = { .path = path };
	struct err err;
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	builder_finish(&r->b);
	ck_assert_int_eq(builder_write(&r->b, path), 0);
	so.symbols.where.no_system = true;
	ck_assert_msg(syscall_table_build(t, s, &so, o, &err) == 0, "%s", err.text);
	unlink(path);
	builder_release(&r->b);
}

static const struct syscall_row *row(const struct syscall_table *t, int32_t tid, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].tid == tid && !strcmp(t->rows[i].name, name))
			return &t->rows[i];
	ck_abort_msg("%d makes no call %s", tid, name);
	return NULL;
}

START_TEST(pairs)
{
	const struct syscall_options o = { .no_stacks = true };
	const struct syscall_row *r;
	struct recorder rec;
	struct syscall_table t;
	struct session s;

	begin(&rec, _i, "x86_64");
	leave(&rec, 90, 50, 1, 5); /* began before the recording */
	enter(&rec, 100, 50, 0);
	leave(&rec, 107, 50, 0, 512);
	enter(&rec, 110, 50, 0);
	leave(&rec, 121, 50, 0, -11);
	enter(&rec, 130, 50, 0);
	enter(&rec, 140, 50, 202); /* the return of the read before is missing */
	leave(&rec, 150, 50, 202, 0);
	enter(&rec, 155, 51, 232); /* not over */
	enter(&rec, 160, 50, 74);
	leave(&rec, 200, 50, 74, 0);
	build(&rec, &t, &s, &o);
	r = row(&t, 50, "read");
	ck_assert_uint_eq(r->calls, 3);
	ck_assert_uint_eq(r->errors, 1);
	ck_assert_uint_eq(r->broken, 1);
	ck_assert_uint_eq(r->total, 7 + 11);
	ck_assert_uint_eq(r->p50, 7);
	ck_assert_uint_eq(r->p99, 11);
	ck_assert_uint_eq(r->max, 11);
	ck_assert_uint_eq(r->max_at, 110);
	ck_assert_uint_eq(row(&t, 50, "futex")->total, 10);
	ck_assert_uint_eq(row(&t, 50, "fsync")->total, 40);
	r = row(&t, 51, "epoll_wait");
	ck_assert_uint_eq(r->open, 1);
	ck_assert_uint_eq(r->total, 45);
	ck_assert_uint_eq(t.unmatched, 1);
	ck_assert_uint_eq(t.calls, 6);
	ck_assert_uint_eq(t.nr_threads, 2);
	syscall_table_release(&t);
	session_release(&s);
}
END_TEST

START_TEST(names)
{
	static const struct {
		uint16_t machine;
		uint64_t nr;
		const char *name;
	} known[] = {
		{ EM_X86_64, 0, "read" },
		{ EM_X86_64, 1, "write" },
		{ EM_X86_64, 74, "fsync" },
		{ EM_X86_64, 202, "futex" },
		{ EM_X86_64, 232, "epoll_wait" },
		{ EM_X86_64, 281, "epoll_pwait" },
		{ EM_X86_64, 334, "rseq" },
		{ EM_X86_64, 335, NULL },
		{ EM_AARCH64, 63, "read" },
		{ EM_AARCH64, 64, "write" },
		{ EM_AARCH64, 82, "fsync" },
		{ EM_AARCH64, 98, "futex" },
		{ EM_AARCH64, 22, "epoll_pwait" },
		{ EM_AARCH64, 244, NULL },
		{ EM_386, 3, "read" },
		{ EM_386, 4, "write" },
		{ EM_386, 118, "fsync" },
		{ EM_386, 240, "futex" },
		{ EM_386, 256, "epoll_wait" },
		{ EM_386, 422, "futex_time64" },
		{ EM_ARM, 3, "read" },
		{ EM_ARM, 4, "write" },
		{ EM_ARM, 118, "fsync" },
		{ EM_ARM, 240, "futex" },
		{ EM_ARM, 252, "epoll_wait" },
		{ EM_ARM, 0xf0005, "set_tls" },
		{ EM_X86_64, 435, "clone3" },
		{ EM_AARCH64, 435, "clone3" },
		{ EM_386, 441, "epoll_pwait2" },
		{ EM_ARM, 449, "futex_waitv" },
		{ EM_X86_64, 100000, NULL },
		{ EM_NONE, 435, NULL },
		{ EM_PPC64, 3, NULL },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const char *name = syscall_name(known[i].machine, known[i].nr);

		ck_assert_msg(known[i].name ? name && !strcmp(name, known[i].name) : !name,
			      "%u of %u is %s", (unsigned)known[i].nr, known[i].machine,
			      name ? name : "nothing");
	}
}
END_TEST

/* The numbers of a program of 32 bits are others; its children inherit that, exec ends it. */
START_TEST(programs_of_32_bits)
{
	const struct syscall_options o = { .no_stacks = true };
	const bool arm = _i >= 2;
	struct recorder r;
	struct syscall_table t;
	struct session s;

	begin(&r, _i % 2, arm ? "aarch64" : "x86_64");
	vdso(&r, 0, 60, VDSO_64);
	vdso(&r, 0, 61, VDSO_32);
	enter(&r, 100, 60, arm ? 63 : 0);
	leave(&r, 101, 60, arm ? 63 : 0, 0);
	enter(&r, 110, 61, 3);
	leave(&r, 112, 61, 3, 0);
	builder_fork(&r.b, 120, 62, 61, 62, 61);
	enter(&r, 130, 62, 4);
	leave(&r, 133, 62, 4, 0);
	/* 62 becomes a program of 64 bits, 60 one of 32 */
	enter(&r, 140, 62, 11);
	builder_exec(&r.b, 141, 62, 62, "wide");
	vdso(&r, 142, 62, VDSO_64);
	leave(&r, 144, 62, arm ? 221 : 59, 0);
	enter(&r, 150, 62, arm ? 82 : 74);
	leave(&r, 155, 62, arm ? 82 : 74, 0);
	enter(&r, 160, 60, arm ? 221 : 59);
	builder_exec(&r.b, 161, 60, 60, "narrow");
	vdso(&r, 162, 60, VDSO_32 + 0x4000);
	leave(&r, 166, 60, 11, 0);
	enter(&r, 170, 60, 118);
	leave(&r, 177, 60, 118, 0);
	build(&r, &t, &s, &o);
	ck_assert_uint_eq(row(&t, 60, "read")->total, 1);
	ck_assert_uint_eq(row(&t, 61, "read (32-bit)")->total, 2);
	ck_assert_uint_eq(row(&t, 62, "write (32-bit)")->total, 3);
	ck_assert_uint_eq(row(&t, 62, "execve (32-bit)")->total, 4);
	ck_assert_uint_eq(row(&t, 62, "fsync")->total, 5);
	ck_assert_uint_eq(row(&t, 60, "execve")->total, 6);
	ck_assert_uint_eq(row(&t, 60, "fsync (32-bit)")->total, 7);
	ck_assert_uint_eq(t.unmatched + t.broken + t.open, 0);
	syscall_table_release(&t);
	session_release(&s);
}
END_TEST

START_TEST(x32)
{
	const struct syscall_options o = { .no_stacks = true };
	struct recorder r;
	struct syscall_table t;
	struct session s;

	begin(&r, _i, "x86_64");
	enter(&r, 100, 50, 0x40000001);
	leave(&r, 101, 50, 0x40000001, 0);
	enter(&r, 102, 50, 1);
	leave(&r, 104, 50, 1, 0);
	build(&r, &t, &s, &o);
	ck_assert_uint_eq(row(&t, 50, "write (x32)")->total, 1);
	ck_assert_uint_eq(row(&t, 50, "write")->total, 2);
	syscall_table_release(&t);
	session_release(&s);
}
END_TEST

START_TEST(time_and_cpu)
{
	struct filter *f = filter_new();
	const struct syscall_options o = { .no_stacks = true, .filter = f };
	struct recorder r;
	struct syscall_table t;
	struct session s;
	struct err err;

	ck_assert_int_eq(filter_add(f, FILTER_TIME, "0.000001,0.000002", &err), 0);
	ck_assert_int_eq(filter_add(f, FILTER_CPU, "3", &err), 0);
	begin(&r, _i, "x86_64");
	r.cpu = 3;
	enter(&r, 999, 50, 0);
	leave(&r, 1010, 50, 0, 0);
	enter(&r, 1020, 50, 1);
	r.cpu = 1; /* returns elsewhere */
	leave(&r, 2500, 50, 1, 0);
	enter(&r, 1500, 51, 74);
	leave(&r, 1600, 51, 74, 0);
	build(&r, &t, &s, &o);
	ck_assert_uint_eq(t.calls, 1);
	ck_assert_uint_eq(row(&t, 50, "write")->total, 1480);
	syscall_table_release(&t);
	session_release(&s);
	filter_free(f);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("syscalls");
	TCase *tc = tcase_create("syscalls");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, pairs, 0, 2);
	tcase_add_test(tc, names);
	tcase_add_loop_test(tc, programs_of_32_bits, 0, 4);
	tcase_add_loop_test(tc, x32, 0, 2);
	tcase_add_loop_test(tc, time_and_cpu, 0, 2);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
