/* SPDX-License-Identifier: MIT */
/* Functions of the recorded kernel by address: where they begin and end, whose they are, and moved. */
#include <check.h>
#include <unistd.h>

#include "collect/kernel_names.h"
#include "perfdata_builder.h"
#include "toolchain.h"

#define BASE UINT64_C(0xffffffff81000000)

/* A kernel at AT; its kallsyms has it at BASE.  Names of functions as text: "vfs_read+0x10/0x100". */
static void ask(uint64_t at, const uint64_t *addrs, const char *const *texts, size_t n)
{
	const struct objfile_search where = { .kallsyms = "kallsyms", .no_system = true };
	struct kernel_names *names;
	struct builder b;
	struct err err;

	builder_init(&b, &(struct builder_opts){ 0 });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_mmap(&b, &(struct builder_mmap){ .misc = CPUMODE_KERNEL,
						 .pid = (uint32_t)-1,
						 .addr = at,
						 .len = 0x1000000,
						 .pgoff = at,
						 .filename = "[kernel.kallsyms]_text" });
	builder_finish(&b);
	ck_assert_int_eq(builder_write(&b, "kernel.data"), 0);
	builder_release(&b);
	names = kernel_names_new("kernel.data", &where, &err);
	ck_assert_msg(names != NULL, "%s", err.text);
	for (size_t i = 0; i < 2 * n; i++) { /* the second time it is remembered */
		struct tp_name name;
		char text[100] = "none";

		if (kernel_names_find(names, addrs[i % n], &name))
			snprintf(text, sizeof(text), "%.*s+0x%llx/0x%llx%s%.*s", (int)name.len,
				 name.name, (unsigned long long)name.offset,
				 (unsigned long long)name.size, name.module_len ? " " : "",
				 (int)name.module_len, name.module ? name.module : "");
		ck_assert_str_eq(text, texts[i % n]);
	}
	kernel_names_free(names);
}

static void make_files(void)
{
	toolchain_begin();
	toolchain_source("kallsyms", "ffffffff81000000 T _text\nffffffff81000000 T _stext\n"
				     "ffffffff81000100 T vfs_read\nffffffff81000200 T ksys_read\n"
				     "ffffffff81000201 T one_byte\nffffffff81000202 T after\n"
				     "ffffffff81000300 D data\n"
				     "ffffffffc0000100 t mod_read\t[some_mod]\n"
				     "ffffffffc0000200 t mod_write\t[some_mod]\n");
}

START_TEST(where_it_was)
{
	static const uint64_t addrs[] = { BASE + 0x100,
					  BASE + 0x110,
					  BASE + 0x1ff,
					  BASE + 0x200,
					  BASE + 0x201,
					  BASE + 0x2ff,
					  BASE + 0x300,
					  0xffffffffc0000180,
					  0xffffffffc0000200,
					  0x1000,
					  0 };
	static const char *const texts[] = {
		"vfs_read+0x0/0x100",
		"vfs_read+0x10/0x100",
		"vfs_read+0xff/0x100",
		"ksys_read+0x0/0x1",
		"one_byte+0x0/0x1",
		"after+0xfd/0xfe",
		"none",
		"mod_read+0x80/0x100 some_mod",
		"mod_write+0x0/0x100000 some_mod",
		"none",
		"none",
	};

	ask(BASE, addrs, texts, sizeof(addrs) / sizeof(*addrs));
}
END_TEST

/* The image moved as a whole; where modules are now is not known. */
START_TEST(where_it_moved)
{
	static const uint64_t addrs[] = { BASE + 0x5000110, BASE + 0x110, 0xffffffffc0000180 };
	static const char *const texts[] = { "vfs_read+0x10/0x100", "none", "none" };

	ask(BASE + 0x5000000, addrs, texts, 3);
}
END_TEST

START_TEST(no_recording)
{
	const struct objfile_search where = { .no_system = true };
	struct err err;

	ck_assert_ptr_null(kernel_names_new("/no/such/file", &where, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/no/such/file"));
	kernel_names_free(NULL);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("kernel_names");
	TCase *tc = tcase_create("kernel_names");
	SRunner *sr;
	int failed;

	tcase_add_unchecked_fixture(tc, make_files, toolchain_end);
	tcase_add_test(tc, where_it_was);
	tcase_add_test(tc, where_it_moved);
	tcase_add_test(tc, no_recording);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
