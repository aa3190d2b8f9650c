/* SPDX-License-Identifier: MIT */
/* What mapping records name: kinds, names, and which of them are the same. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/dso.h>

#include "collect/longnames.h"

static struct dso_table t;

static void setup(void)
{
	dso_table_init(&t);
}

static void teardown(void)
{
	dso_table_release(&t);
}

static struct record_mmap mmap2(const char *filename, uint64_t ino, uint64_t gen)
{
	return (struct record_mmap){ .pid = 42,
				     .tid = 42,
				     .addr = 0x1000,
				     .len = 0x1000,
				     .filename = filename,
				     .is_mmap2 = true,
				     .prot = 5,
				     .maj = 8,
				     .min = 1,
				     .ino = ino,
				     .ino_generation = gen };
}

static struct record_mmap with_id(const char *filename, uint8_t id)
{
	struct record_mmap m = mmap2(filename, 0, 0);

	m.maj = m.min = 0;
	m.build_id = (struct build_id){ .size = 20, .bytes = { id } };
	return m;
}

static const struct dso *user(const struct record_mmap *m)
{
	return dso_table_add(&t, m, CPUMODE_USER);
}

static const struct dso *kernel(const char *filename, uint64_t addr, uint64_t len, uint64_t pgoff)
{
	struct record_mmap m = {
		.pid = -1, .addr = addr, .len = len, .pgoff = pgoff, .filename = filename
	};

	return dso_table_add(&t, &m, CPUMODE_KERNEL);
}

static void give(const char *filename, uint8_t first)
{
	struct build_id id = { .size = 16, .bytes = { first } };

	dso_table_build_id(&t, filename, &id);
}

START_TEST(user_kinds)
{
	static const struct {
		const char *filename;
		uint32_t prot, flags;
		enum dso_kind kind;
		const char *path, *name;
		bool deleted, perf_map;
	} rows[] = {
		{ "/usr/bin/cat", 5, 2, DSO_FILE, "/usr/bin/cat", "cat", false, false },
		{ "/tmp/a (deleted)", 5, 2, DSO_FILE, "/tmp/a", "a", true, false },
		{ "prog", 5, 2, DSO_FILE, "prog", "prog", false, false },
		{ "/tmp/", 5, 2, DSO_FILE, "/tmp/", "/tmp/", false, false },
		{ "//anon", 7, 2, DSO_JIT, "//anon", "//anon", false, true },
		{ "//anon", 3, 2, DSO_SPECIAL, "//anon", "//anon", false, false },
		{ "/dev/zero (deleted)", 5, 2, DSO_JIT, "/dev/zero", "zero", true, true },
		{ "/anon_hugepage (deleted)", 5, 2, DSO_JIT, "/anon_hugepage", "anon_hugepage",
		  true, true },
		{ "/mnt/huge/x", 5, 0x40002, DSO_JIT, "/mnt/huge/x", "x", false, true },
		{ "[heap]", 7, 2, DSO_JIT, "[heap]", "[heap]", false, true },
		{ "[heap]", 3, 2, DSO_SPECIAL, "[heap]", "[heap]", false, false },
		{ "[stack]", 7, 2, DSO_JIT, "[stack]", "[stack]", false, true },
		{ "[stack:77]", 7, 2, DSO_JIT, "[stack:77]", "[stack:77]", false, true },
		{ "/SYSV00000001 (deleted)", 5, 1, DSO_JIT, "/SYSV00000001", "SYSV00000001", true,
		  true },
		{ "/memfd:jit (deleted)", 5, 1, DSO_JIT, "/memfd:jit", "memfd:jit", true, false },
		{ "[anon:dalvik-jit]", 5, 2, DSO_JIT, "[anon:dalvik-jit]", "[anon:dalvik-jit]",
		  false, false },
		{ "[vdso]", 5, 2, DSO_VDSO, "[vdso]", "[vdso]", false, false },
		{ "[vdso32]", 5, 2, DSO_VDSO, "[vdso32]", "[vdso32]", false, false },
		{ "[vsyscall]", 4, 2, DSO_SPECIAL, "[vsyscall]", "[vsyscall]", false, false },
		{ "[uprobes]", 4, 2, DSO_SPECIAL, "[uprobes]", "[uprobes]", false, false },
		{ "//toolong", 5, 2, DSO_SPECIAL, "//toolong", "//toolong", false, false },
		{ "anon_inode:[perf_event]", 3, 1, DSO_SPECIAL, "anon_inode:[perf_event]",
		  "anon_inode:[perf_event]", false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct record_mmap m = mmap2(rows[i].filename, 0, 0);
		const struct dso *d;

		m.addr = 0x7f0000001000;
		m.prot = rows[i].prot;
		m.flags = rows[i].flags;
		d = user(&m);
		ck_assert_msg(d->kind == rows[i].kind, "%s", rows[i].filename);
		ck_assert_str_eq(d->path, rows[i].path);
		ck_assert_str_eq(d->name, rows[i].name);
		ck_assert_msg(d->deleted == rows[i].deleted, "%s", rows[i].filename);
		ck_assert_int_eq(d->pid, rows[i].kind == DSO_JIT ? 42 : -1);
		ck_assert_msg(dso_is_perf_map(d) == rows[i].perf_map, "%s", rows[i].filename);
		ck_assert_ptr_null(d->symbol);
	}
}
END_TEST

/* As perf script has them: "PID.map" only for what perf itself looks for there. */
START_TEST(long_names)
{
	static const struct {
		const char *filename, *name;
	} rows[] = {
		{ "/usr/bin/cat", "/usr/bin/cat" },
		{ "/tmp/a (deleted)", "/tmp/a (deleted)" },
		{ "//anon", "/tmp/perf-42.map" },
		{ "/dev/zero (deleted)", "/tmp/perf-42.map" },
		{ "/memfd:jit (deleted)", "/memfd:jit (deleted)" },
		{ "[anon:dalvik-jit]", "[anon:dalvik-jit]" },
		{ "[vsyscall]", "[vsyscall]" },
		{ "[kernel.kallsyms]_text", "[kernel.kallsyms]" },
	};
	enum { N = sizeof(rows) / sizeof(rows[0]) };
	char **names;

	for (size_t i = 0; i < N - 1; i++) {
		struct record_mmap m = mmap2(rows[i].filename, 0, 0);

		ck_assert_uint_eq(user(&m)->id, i);
	}
	ck_assert_uint_eq(kernel(rows[N - 1].filename, 0xffffffff81000000, 0x1000, 0)->id, N - 1);
	names = longnames_new(&t);
	for (size_t i = 0; i < N; i++)
		ck_assert_str_eq(names[i], rows[i].name);
	longnames_free(names, N);
}
END_TEST

/* Processes of 32 bits have another vdso, whose build-id is given under a name of its own. */
START_TEST(two_vdsos)
{
	struct record_mmap wide = mmap2("[vdso]", 0, 0), low = wide, last = wide;
	const struct dso *w, *l;

	wide.addr = UINT64_C(1) << 32;
	low.addr = 0xf7f60000;
	last.addr = UINT32_MAX - 0xfff;
	w = user(&wide);
	l = user(&low);
	ck_assert_ptr_ne(w, l);
	ck_assert_ptr_eq(user(&last), l);
	ck_assert_int_eq(l->kind, DSO_VDSO);
	ck_assert_str_eq(l->name, "[vdso]");
	give("[vdso32]", 1);
	give("[vdso]", 2);
	ck_assert_uint_eq(l->build_id.bytes[0], 1);
	ck_assert_uint_eq(w->build_id.bytes[0], 2);
}
END_TEST

/* A machine of 32 bits has one vdso. */
START_TEST(only_a_low_vdso)
{
	struct record_mmap low = mmap2("[vdso]", 0, 0);
	const struct dso *l = user(&low);

	give("[vdso]", 3);
	ck_assert_uint_eq(l->build_id.bytes[0], 3);
}
END_TEST

/* MMAP has no protection: it is of code, else it would not be there. */
START_TEST(mmap_without_prot)
{
	struct record_mmap m = { .pid = 7, .filename = "//anon" };

	ck_assert_int_eq(user(&m)->kind, DSO_JIT);
}
END_TEST

START_TEST(interned)
{
	struct record_mmap a = mmap2("/a", 1, 0), b = mmap2("/b", 2, 0),
			   jit = mmap2("//anon", 0, 0);
	const struct dso *d = user(&a), *j = user(&jit);

	ck_assert_uint_eq(d->id, 0);
	ck_assert_ptr_eq(user(&a), d);
	ck_assert_uint_eq(user(&b)->id, 2);
	ck_assert_uint_eq(t.n, 3);
	ck_assert_ptr_eq(t.v[0], d);
	jit.pid = 43; /* the code of another process */
	ck_assert_ptr_ne(user(&jit), j);
	ck_assert_uint_eq(t.n, 4);
}
END_TEST

/* What only one record knows makes no difference, and is kept. */
START_TEST(same_identity)
{
	struct record_mmap bare = { .pid = 1, .filename = "/a" }, ino = mmap2("/a", 5, 0),
			   gen = mmap2("/a", 5, 77), id = with_id("/a", 0xaa);
	const struct dso *d = user(&bare);

	ck_assert_ptr_eq(user(&ino), d);
	ck_assert_uint_eq(d->ino, 5);
	ck_assert_ptr_eq(user(&gen), d);
	ck_assert_uint_eq(d->ino_generation, 77);
	ck_assert_ptr_eq(user(&id), d);
	ck_assert_uint_eq(d->build_id.size, 20);
	ck_assert_uint_eq(d->build_id.bytes[0], 0xaa);
	ck_assert_ptr_eq(user(&bare), d);
	ck_assert_uint_eq(t.n, 1);
	/* the inode of the build-id's file is known now: /proc/PID/maps of an overlay may name
	 * another one */
	gen.build_id = id.build_id;
	gen.ino = 6;
	ck_assert_ptr_eq(user(&gen), d);
}
END_TEST

START_TEST(different_identity)
{
	struct record_mmap old = mmap2("/a", 5, 1), new = mmap2("/a", 6, 1), dev, gen, bare;
	struct record_mmap id1 = with_id("/b", 1), id2 = with_id("/b", 2);
	const struct dso *d = user(&old), *e = user(&new), *f;

	ck_assert_ptr_ne(d, e);
	gen = old;
	gen.ino_generation = 2; /* the inode was used again */
	f = user(&gen);
	ck_assert(f != d && f != e);
	dev = old;
	dev.min = 9;
	ck_assert_uint_eq(user(&dev)->id, 3);
	/* each is found again, and a record that knows nothing means the last */
	ck_assert_ptr_eq(user(&old), d);
	ck_assert_ptr_eq(user(&new), e);
	bare = (struct record_mmap){ .pid = 1, .filename = "/a" };
	ck_assert_ptr_eq(user(&bare), e);
	ck_assert_ptr_ne(user(&id1), user(&id2));
	ck_assert_ptr_eq(user(&id1), user(&id1));
	ck_assert_uint_eq(t.n, 6);
}
END_TEST

/* The file that was deleted is not the one that is at its path now, unless the inode says so. */
START_TEST(deleted)
{
	struct record_mmap here = { .pid = 1, .filename = "/a" },
			   gone = { .pid = 1, .filename = "/a (deleted)" };
	struct record_mmap b = mmap2("/b", 3, 0), b_gone = mmap2("/b (deleted)", 3, 0);
	const struct dso *d = user(&here), *e = user(&gone), *f;

	ck_assert_ptr_ne(d, e);
	ck_assert(!d->deleted && e->deleted);
	ck_assert_str_eq(e->path, "/a");
	f = user(&b);
	ck_assert_ptr_eq(user(&b_gone), f);
	ck_assert(f->deleted);
}
END_TEST

START_TEST(kernel_image)
{
	const struct dso *d = kernel("[kernel.kallsyms]_text", 0x1000, 0x500, 0x1010);

	ck_assert_int_eq(d->kind, DSO_KERNEL);
	ck_assert_str_eq(d->name, "[kernel.kallsyms]");
	ck_assert_str_eq(d->path, "[kernel.kallsyms]");
	ck_assert_uint_eq(d->start, 0x1000);
	ck_assert_uint_eq(d->end, 0x1500);
	ck_assert_str_eq(d->ref_name, "_text");
	ck_assert_uint_eq(d->ref_addr, 0x1010);
	ck_assert_int_eq(d->pid, -1);
	ck_assert_ptr_eq(kernel("[kernel.kallsyms]_stext", 0x1000, 0x500, 0x1020), d);
	ck_assert_str_eq(d->ref_name, "_text");
}
END_TEST

/* kptr_restrict: zeros.  A later record may know more. */
START_TEST(kernel_hidden)
{
	const struct dso *d = kernel("[kernel.kallsyms]_text", 0, 0, 0);

	ck_assert_uint_eq(d->start, 0);
	ck_assert_uint_eq(d->end, 0);
	ck_assert_ptr_null(d->ref_name);
	ck_assert_ptr_eq(kernel("[kernel.kallsyms]_text", 0x1000, 0x500, 0x1000), d);
	ck_assert_uint_eq(d->start, 0x1000);
	ck_assert_uint_eq(d->end, 0x1500);
	ck_assert_str_eq(d->ref_name, "_text");
}
END_TEST

START_TEST(guests)
{
	struct record_mmap m = { .addr = 0x1000,
				 .len = 0x1000,
				 .filename = "[guest.kernel.kallsyms.123]_text",
				 .pgoff = 0x1000 };
	const struct dso *d = dso_table_add(&t, &m, CPUMODE_GUEST_KERNEL);

	ck_assert_int_eq(d->kind, DSO_GUEST_KERNEL);
	ck_assert_str_eq(d->name, "[guest.kernel.kallsyms.123]");
	ck_assert_str_eq(d->ref_name, "_text");
}
END_TEST

START_TEST(modules)
{
	static const char *const paths[] = {
		"[nf-conntrack]",
		"[nf_conntrack]",
		"/lib/modules/6.1/kernel/net/nf_conntrack.ko",
		"/lib/modules/6.1/kernel/net/nf-conntrack.ko.xz",
		"/lib/modules/6.1/kernel/net/nf_conntrack.ko.zst",
	};
	const struct dso *d = NULL;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct dso *e = kernel(paths[i], 0xc000, 0x1000, 0);

		ck_assert_int_eq(e->kind, DSO_MODULE);
		ck_assert_str_eq(e->name, "[nf_conntrack]");
		ck_assert(!d || d == e);
		d = e;
	}
	ck_assert_str_eq(d->path, paths[2]); /* the first that says where it is */
	ck_assert_uint_eq(d->start, 0xc000);
	ck_assert_uint_eq(d->end, 0xd000);
	ck_assert_str_eq(kernel("[a.konsole]", 1, 1, 0)->name, "[a.konsole]");
	ck_assert_str_eq(kernel("/x/.ko", 1, 1, 0)->name, "[.ko]");
	ck_assert_str_eq(kernel("/x/", 1, 1, 0)->name, "[]");
}
END_TEST

START_TEST(code)
{
	const struct dso *d = dso_table_add_code(&t, "bpf_prog_1", NULL, -1, 0x1000, 0x40), *e;

	ck_assert_int_eq(d->kind, DSO_CODE);
	ck_assert_str_eq(d->symbol, "bpf_prog_1");
	ck_assert_str_eq(d->name, "bpf_prog_1");
	ck_assert_str_eq(d->path, "");
	ck_assert_uint_eq(d->start, 0x1000);
	ck_assert_uint_eq(d->end, 0x1040);
	ck_assert_ptr_eq(dso_table_add_code(&t, "bpf_prog_1", NULL, -1, 0x1000, 0x40), d);
	e = dso_table_add_code(&t, "f", "/tmp/jit-5.dump", 5, 0x1000, 0x40);
	ck_assert_str_eq(e->name, "jit-5.dump");
	ck_assert_int_eq(e->pid, 5);
	ck_assert_ptr_ne(dso_table_add_code(&t, "f", "/tmp/jit-5.dump", 6, 0x1000, 0x40), e);
	ck_assert_uint_eq(t.n, 3);
}
END_TEST

START_TEST(build_ids)
{
	struct record_mmap a = mmap2("/a", 1, 0), gone = { .filename = "/gone (deleted)" },
			   own = with_id("/own", 9), vdso = mmap2("[vdso]", 0, 0);
	const struct dso *d = user(&a), *g = user(&gone), *o = user(&own), *v = user(&vdso);
	const struct dso *k = kernel("[kernel.kallsyms]_text", 0x1000, 0x1000, 0x1000);
	const struct dso *m = kernel("/lib/modules/nf_x.ko.xz", 0x8000, 0x1000, 0);

	give("/a", 1);
	give("/gone (deleted)", 2);
	give("/own", 3); /* has one */
	give("[vdso]", 4);
	give("[kernel.kallsyms]", 5);
	give("[nf-x]", 6);
	give("/nobody", 7);
	give("/a", 8); /* the first one stays */
	ck_assert_uint_eq(d->build_id.bytes[0], 1);
	ck_assert_uint_eq(d->build_id.size, 16);
	ck_assert_uint_eq(g->build_id.bytes[0], 2);
	ck_assert_uint_eq(o->build_id.bytes[0], 9);
	ck_assert_uint_eq(o->build_id.size, 20);
	ck_assert_uint_eq(v->build_id.bytes[0], 4);
	ck_assert_uint_eq(k->build_id.bytes[0], 5);
	ck_assert_uint_eq(m->build_id.bytes[0], 6);
}
END_TEST

/* One path and one inode with ever new build-ids must not become slow. */
START_TEST(hostile)
{
	for (uint32_t i = 0; i < 200000; i++) {
		struct record_mmap m = mmap2("/a", 1, 0);

		m.build_id = (struct build_id){ .size = 20,
						.bytes = { i & 255, i >> 8 & 255, i >> 16 } };
		user(&m);
	}
	ck_assert_uint_eq(t.n, 200000);
	for (uint32_t i = 0; i < 200000; i++)
		give("/a", 1);
	for (uint32_t i = 0; i < 200000; i++) {
		struct record_mmap m = mmap2("/b", i + 1, i);

		user(&m);
	}
	ck_assert_uint_eq(t.n, 400000);
	for (uint32_t i = 0; i < 200000; i++)
		give("/b", 1);
	ck_assert_uint_eq(t.v[399999]->build_id.size, 16);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dso");
	TCase *tc = tcase_create("dso");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_test(tc, user_kinds);
	tcase_add_test(tc, long_names);
	tcase_add_test(tc, mmap_without_prot);
	tcase_add_test(tc, interned);
	tcase_add_test(tc, same_identity);
	tcase_add_test(tc, different_identity);
	tcase_add_test(tc, deleted);
	tcase_add_test(tc, kernel_image);
	tcase_add_test(tc, kernel_hidden);
	tcase_add_test(tc, guests);
	tcase_add_test(tc, modules);
	tcase_add_test(tc, code);
	tcase_add_test(tc, build_ids);
	tcase_add_test(tc, two_vdsos);
	tcase_add_test(tc, only_a_low_vdso);
	tcase_add_test(tc, hostile);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
