/* SPDX-License-Identifier: MIT */
/*
 * Whose symbols a kernel's addresses get: the recorded kernel's or none.  The running kernel is
 * made up: files in a temporary directory.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/kernelsyms.h"
#include "toolchain.h"

#define BASE 0xffffffff81000000u
#define ID_A "0123456789abcdef0123456789abcdef01234567"
#define ID_B "fedcba9876543210fedcba9876543210fedcba98"

static struct dso kernel, module;
static struct features features;
static struct objfile_search where;
static struct kernelsyms_live live;
static struct kernelsyms k;

static struct build_id id_of(const char *hex)
{
	struct build_id id = { .size = 20 };

	for (unsigned i = 0; i < 20; i++) {
		unsigned byte;

		ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
		id.bytes[i] = (uint8_t)byte;
	}
	return id;
}

static void write_notes(const char *path, const char *hex)
{
	struct build_id id = id_of(hex);
	uint8_t notes[] = { 4, 0, 0, 0, 4, 0,  0, 0, 1, 1, 0, 0, 'L', 'i', 'n', 0,   9, 9, 9,
			    9, 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0,   'G', 'N', 'U', 0, 0, 0,
			    0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0, 0,   0,   0,   0,   0, 0 };

	memcpy(notes + 36, id.bytes, 20);
	toolchain_write(path, notes, sizeof(notes));
}

static void make_files(void)
{
	toolchain_begin();
	toolchain_source("kallsyms", "ffffffff81000000 T _text\nffffffff81000000 T _stext\n"
				     "ffffffff81000100 T vfs_read\nffffffff81000200 T ksys_read\n"
				     "ffffffff81000300 D data\n"
				     "ffffffffc0000100 t mod_read\t[some_mod]\n"
				     "ffffffffc0000200 t mod_write\t[some_mod]\n"
				     "ffffffffc0008000 t other\t[other_mod]\n");
	toolchain_source("kallsyms.zero",
			 "0000000000000000 T _stext\n0000000000000000 T vfs_read\n");
	toolchain_source("kallsyms.noref", "ffffffff81000100 T vfs_read\n");
	write_notes("notes-a", ID_A);
	write_notes("notes-b", ID_B);
	/* a kernel image that was linked for another place than it runs at */
	toolchain_source("vmlinux.s", ".text\n.globl _stext, vfs_read\n_stext:\n.skip 0x100, 0x90\n"
				      "vfs_read:\n.type vfs_read, @function\n.skip 0x80, 0x90\n"
				      ".size vfs_read, 0x80\n");
	toolchain_run("gcc -nostdlib -static -Wl,-e,0 -Wl,-Ttext=0x801000 -Wl,--build-id=0x" ID_A
		      " -o vmlinux vmlinux.s");
}

/* The recording of this very kernel, with nothing else to go by. */
static void setup(void)
{
	kernel = (struct dso){ .kind = DSO_KERNEL,
			       .path = "[kernel.kallsyms]",
			       .name = "[kernel.kallsyms]",
			       .build_id = id_of(ID_A),
			       .start = BASE,
			       .ref_name = "_stext",
			       .ref_addr = BASE };
	module = (struct dso){ .kind = DSO_MODULE,
			       .path = "/lib/modules/r/some-mod.ko",
			       .name = "[some_mod]",
			       .start = 0xffffffffc0000000,
			       .end = 0xffffffffc0004000 };
	features = (struct features){ .osrelease = (char *)"6.1.0", .arch = (char *)"x86_64" };
	where = (struct objfile_search){ .no_system = true };
	live = (struct kernelsyms_live){ "kallsyms", "notes-a", "6.1.0", "x86_64" };
}

static void teardown(void)
{
	kernelsyms_release(&k);
}

static void open_kernel(void)
{
	kernelsyms_open(&k, &kernel, &features, &where, &live);
}

/* What kernelsyms has found, which has no NUL. */
static const char *text_of(const char *name, size_t len)
{
	static char copy[80];

	snprintf(copy, sizeof(copy), "%.*s", name ? (int)len : 1, name ? name : "-");
	return copy;
}

static const char *at(uint64_t addr)
{
	size_t len;
	const char *name = kernelsyms_find(&k, addr, &len);

	return text_of(name, len);
}

static const char *in_module(const struct dso *dso, uint64_t addr)
{
	size_t len;
	const char *name = kernelsyms_find_module(&k, dso, addr, &len);

	return text_of(name, len);
}

#define told(text) ck_assert_msg(strstr(strbuf_str(&k.note), text), "%s", strbuf_str(&k.note))

static void nothing_used(void)
{
	ck_assert(!k.have_kallsyms && !k.vmlinux && !k.path);
	ck_assert_str_eq(at(BASE + 0x100), "-");
	ck_assert_str_eq(at(0x801100), "-");
	ck_assert(!kernelsyms_has_module(&k, &module));
}

START_TEST(live_kernel)
{
	open_kernel();
	ck_assert_str_eq(k.path, "kallsyms");
	ck_assert_str_eq(strbuf_str(&k.note), "");
	ck_assert_str_eq(at(BASE + 0x100), "vfs_read");
	ck_assert_str_eq(at(BASE + 0x1ff), "vfs_read");
	ck_assert_str_eq(at(BASE + 0x200), "ksys_read");
	ck_assert_str_eq(at(BASE + 0x300), "-");
	ck_assert_str_eq(at(0xffffffffc0000100), "-"); /* not the image's */
	ck_assert(kernelsyms_has_module(&k, &module));
	ck_assert_str_eq(in_module(&module, 0xffffffffc0000100), "mod_read");
	ck_assert_str_eq(in_module(&module, 0xffffffffc0000234), "mod_write");
	ck_assert_str_eq(in_module(&module, 0xffffffffc0008000), "-");
	ck_assert_str_eq(in_module(&module, 0xffffffffc0000000), "-");
	/* a module of that name that lies elsewhere is not the one that was recorded */
	module.start += 0x10000;
	module.end += 0x10000;
	ck_assert(!kernelsyms_has_module(&k, &module));
}
END_TEST

/* The same kernel after a reboot: the image has moved, modules are anywhere. */
START_TEST(live_kernel_has_moved)
{
	kernel.start = kernel.ref_addr = BASE + 0x4000000;
	open_kernel();
	ck_assert_str_eq(at(BASE + 0x4000100), "vfs_read");
	ck_assert_str_eq(at(BASE + 0x100), "-");
	ck_assert(!kernelsyms_has_module(&k, &module));
}
END_TEST

START_TEST(live_kernel_is_another)
{
	live.notes = "notes-b";
	open_kernel();
	nothing_used();
	told("the running kernel has build-id " ID_B ", the recorded one " ID_A);
	kernelsyms_release(&k);

	live.notes = "nothing";
	open_kernel();
	nothing_used();
	kernelsyms_release(&k);

	live.notes = "notes-a";
	live.release = "6.2.0";
	open_kernel();
	nothing_used();
	told("the recorded kernel is 6.1.0, x86_64, the running one 6.2.0, x86_64");
	kernelsyms_release(&k);

	live.release = "6.1.0";
	live.machine = "aarch64";
	open_kernel();
	nothing_used();
	kernelsyms_release(&k);

	live.machine = "x86_64";
	features.osrelease = NULL; /* a pipe may not tell */
	open_kernel();
	nothing_used();
}
END_TEST

/* Without a build-id the reference symbol must be where it was. */
START_TEST(no_build_id)
{
	kernel.build_id.size = 0;
	open_kernel();
	ck_assert_str_eq(at(BASE + 0x100), "vfs_read");
	kernelsyms_release(&k);
	kernel.ref_addr += 0x200000;
	open_kernel();
	nothing_used();
	told("there is no build-id to know the kernel by");
}
END_TEST

START_TEST(hidden_addresses)
{
	live.kallsyms = "kallsyms.zero";
	open_kernel();
	nothing_used();
	told("kernel.kptr_restrict");
	kernelsyms_release(&k);
	/* the recorder could not see them */
	live.kallsyms = "kallsyms";
	kernel.start = kernel.ref_addr = 0;
	open_kernel();
	nothing_used();
	told("kernel.kptr_restrict hid it");
	kernelsyms_release(&k);
	/* a given file is no better, and no other is taken instead */
	setup();
	where.kallsyms = "kallsyms.zero";
	open_kernel();
	nothing_used();
	told("kallsyms.zero: all addresses are zero");
}
END_TEST

START_TEST(given_kallsyms)
{
	live.release = "other";
	where.kallsyms = "kallsyms";
	kernel.start = kernel.ref_addr = BASE + 0x200000;
	open_kernel();
	ck_assert_str_eq(at(BASE + 0x200100), "vfs_read");
	ck_assert_str_eq(at(BASE + 0x100), "-");
	kernelsyms_release(&k);
	/* not whole pages away: of another kernel */
	kernel.start = kernel.ref_addr = BASE + 0x200010;
	open_kernel();
	nothing_used();
	told("no whole pages away");
	kernelsyms_release(&k);
	where.kallsyms = "kallsyms.noref";
	open_kernel();
	nothing_used();
	told("kallsyms.noref: has no symbol _stext");
	kernelsyms_release(&k);
	where.kallsyms = "nothing";
	open_kernel();
	nothing_used();
	told("nothing: No such file");
	kernelsyms_release(&k);
	/* no kernel in the recording that it could be compared with: the user's word is taken */
	where.kallsyms = "kallsyms";
	kernelsyms_open(&k, NULL, NULL, &where, &live);
	ck_assert_str_eq(at(BASE + 0x100), "vfs_read");
	ck_assert(kernelsyms_has_module(&k, &module));
}
END_TEST

START_TEST(cached_kallsyms)
{
	live.kallsyms = NULL;
	where.buildid_dir = toolchain_path("cache");
	toolchain_run("mkdir -p 'cache/[kernel.kallsyms]/%s' && cp kallsyms "
		      "'cache/[kernel.kallsyms]/%s'",
		      ID_A, ID_A);
	open_kernel();
	ck_assert_str_eq(at(BASE + 0x100), "vfs_read");
	ck_assert(strstr(k.path, "/cache/[kernel.kallsyms]/" ID_A "/kallsyms"));
	kernelsyms_release(&k);
	kernel.build_id = id_of(ID_B);
	open_kernel();
	nothing_used();
	kernelsyms_release(&k);
	kernel.build_id.size = 0;
	open_kernel();
	nothing_used();
}
END_TEST

START_TEST(vmlinux)
{
	live.kallsyms = NULL;
	where.vmlinux = "vmlinux";
	open_kernel();
	ck_assert_ptr_nonnull(k.vmlinux);
	ck_assert_str_eq(k.path, "vmlinux");
	ck_assert_str_eq(at(BASE + 0x100), "vfs_read");
	ck_assert_str_eq(at(BASE + 0x17f), "vfs_read");
	ck_assert_str_eq(at(BASE + 0x180), "-");
	ck_assert_uint_eq(k.vmlinux_delta, BASE - 0x801000);
	kernelsyms_release(&k);
	/* what it lacks, kallsyms may have */
	where.kallsyms = "kallsyms";
	open_kernel();
	ck_assert_str_eq(at(BASE + 0x180), "vfs_read");
	ck_assert_str_eq(at(BASE + 0x200), "ksys_read");
	kernelsyms_release(&k);
	where.kallsyms = NULL;
	kernel.build_id = id_of(ID_B);
	open_kernel();
	nothing_used();
	told("vmlinux has build-id " ID_A ", the recorded kernel has " ID_B);
}
END_TEST

START_TEST(vmlinux_by_build_id)
{
	const char *dirs[] = { toolchain_path("dbg") };

	live.kallsyms = NULL;
	where.debug_dirs = dirs;
	where.nr_debug_dirs = 1;
	toolchain_run("mkdir -p dbg/.build-id/01 && cp vmlinux dbg/.build-id/01/%s.debug",
		      &ID_A[2]);
	open_kernel();
	ck_assert_str_eq(at(BASE + 0x100), "vfs_read");
	ck_assert(strstr(k.path, "/dbg/.build-id/01/"));
	kernelsyms_release(&k);
	kernel.build_id.size = 0;
	open_kernel();
	nothing_used();
}
END_TEST

/* In each of the places that distributions have, if it is the same build. */
START_TEST(vmlinux_of_the_distribution)
{
	static const char *const places[] = { "usr/lib/debug/boot/vmlinux-6.1.0",
					      "usr/lib/debug/lib/modules/6.1.0/vmlinux",
					      "lib/modules/6.1.0/build/vmlinux",
					      "boot/vmlinux-6.1.0" };

	setenv("PERF_BUILDID_DIR", "/nonexistent", 1);
	live.kallsyms = NULL;
	where.no_system = false;
	where.symfs = toolchain_path("root");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		toolchain_run("rm -rf root && mkdir -p root/%s && rmdir root/%s && "
			      "cp vmlinux root/%s",
			      places[i], places[i], places[i]);
		open_kernel();
		ck_assert_str_eq(at(BASE + 0x100), "vfs_read");
		ck_assert(strstr(k.path, places[i]));
		kernelsyms_release(&k);
		kernel.build_id = id_of(ID_B);
		open_kernel();
		nothing_used();
		kernelsyms_release(&k);
		kernel.build_id = id_of(ID_A);
	}
	features.osrelease = (char *)"../../etc";
	open_kernel();
	nothing_used();
}
END_TEST

int main(void)
{
	Suite *s = suite_create("kernelsyms");
	TCase *tc = tcase_create("kernelsyms");
	SRunner *sr;
	int failed;

	tcase_add_unchecked_fixture(tc, make_files, toolchain_end);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, live_kernel);
	tcase_add_test(tc, live_kernel_has_moved);
	tcase_add_test(tc, live_kernel_is_another);
	tcase_add_test(tc, no_build_id);
	tcase_add_test(tc, hidden_addresses);
	tcase_add_test(tc, given_kallsyms);
	tcase_add_test(tc, cached_kallsyms);
	tcase_add_test(tc, vmlinux);
	tcase_add_test(tc, vmlinux_by_build_id);
	tcase_add_test(tc, vmlinux_of_the_distribution);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
