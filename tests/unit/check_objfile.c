/* SPDX-License-Identifier: MIT */
/*
 * Object files: which one is found, what is refused and why, symbols, addresses.
 *
 * The programs are made here, from assembly whose layout is written down in it, and with build-ids
 * that the linker is told: so every address and sentence is known beforehand.
 */
#include <check.h>
#include <elf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "toolchain.h"

#include <perfrep/objfile.h>

#define ID_A     "0123456789abcdef0123456789abcdef01234567"
#define ID_B     "fedcba9876543210fedcba9876543210fedcba98"
#define ID_SHORT "0123456789abcdef"

/* --- making files --- */

static const char layout[] =
	".text\n"
	".globl _start, global_alias, in_the_middle\n"
	".weak weak_alias\n"
	"_start: weak_alias: global_alias: local_alias:\n" /* 0x00 */
	".type _start, @function\n.type weak_alias, @function\n"
	".type global_alias, @function\n.type local_alias, @function\n"
	".skip 0x40, 0x90\n"
	".size _start, 0x40\n.size weak_alias, 0x40\n"
	".size global_alias, 0x40\n.size local_alias, 0x40\n"
	"outer:\n.type outer, @function\n" /* 0x40 */
	".skip 0x10, 0x90\n"
	"label:\n" /* 0x50: in a function */
	".skip 0x10, 0x90\n"
	"inner:\n.type inner, @function\n" /* 0x60 */
	".skip 0x20, 0x90\n.size inner, 0x20\n"
	".skip 0x20, 0x90\n" /* 0x80 */
	"inner2:\n.type inner2, @function\n" /* 0xa0 */
	".skip 0x10, 0x90\n.size inner2, 0x10\n"
	".skip 0x10, 0x90\n" /* 0xb0 */
	".size outer, 0x80\n"
	".skip 0x40, 0x90\n" /* 0xc0: of nobody */
	"unsized:\n" /* 0x100 */
	".skip 0x20, 0x90\n"
	"sized_twice:\n.type sized_twice, @function\n.size sized_twice, 8\n" /* 0x120 */
	"no_size_here:\n"
	".skip 0x20, 0x90\n"
	"to_the_end:\n.type to_the_end, @function\n" /* 0x140 */
	".skip 0x20, 0x90\n"
	".data\n.globl datum\ndatum: .quad 1\n.type datum, @object\n.size datum, 8\n";

#define TEXT 0x401000 /* where it goes */

/* Once for all tests. */
static void make_files(void)
{
	toolchain_begin();
	toolchain_source("layout.s", layout);
	toolchain_source(
		"debug.s",
		".text\n.globl _start\n_start:\n.type _start, @function\n"
		"nop\n.skip 0x1f, 0x90\n.size _start, 0x20\n"
		"hidden:\n.type hidden, @function\n.skip 0x20, 0x90\n.size hidden, 0x20\n");
	toolchain_source("other.s",
			 ".text\n.globl _start\n_start:\n.type _start, @function\n"
			 ".skip 0x20, 0x90\n.size _start, 0x20\n"
			 "WRONG:\n.type WRONG, @function\n.skip 0x20, 0x90\n.size WRONG, 0x20\n");
#define LINK "gcc -Wa,--gdwarf-4 -nostdlib -static -Wl,-Ttext=0x401000 -Wl,--build-id="
	toolchain_run(LINK "0x" ID_A " -o layout layout.s");
	toolchain_run(LINK "0x" ID_A " -o full-a debug.s");
	toolchain_run(LINK "0x" ID_B " -o full-b other.s");
	toolchain_run(LINK "none -o full-none debug.s");
	toolchain_run(LINK "none -o other-none other.s");
	toolchain_run(LINK "0x" ID_SHORT " -o full-short debug.s");
#undef LINK
	toolchain_run("objcopy --only-keep-debug full-a a.debug && strip -s -o a full-a");
	toolchain_run("objcopy --only-keep-debug full-b b.debug && strip -s -o b full-b");
	toolchain_run("objcopy --only-keep-debug full-none none.debug");
	toolchain_run("strip -s -o none full-none");
}

/* --- asking --- */

static const char *name_at(const struct objfile *o, uint64_t vaddr)
{
	const struct objfile_symbol *s = objfile_symbol(o, vaddr);

	return s ? s->name : "-";
}

static struct build_id id_of(const char *hex)
{
	struct build_id id = { .size = (uint8_t)(strlen(hex) / 2) };

	for (unsigned i = 0; i < id.size; i++) {
		unsigned byte;

		ck_assert_int_eq(sscanf(hex + 2 * i, "%2x", &byte), 1);
		id.bytes[i] = (uint8_t)byte;
	}
	return id;
}

static struct err err;
static enum unknown_reason reason;

/* Open PATH with build-id HEX (NULL: none); NULL when it was refused, with `err` and `reason`. */
static struct objfile *open_as(const char *path, const char *hex, struct objfile_search where)
{
	struct dso dso = { .kind = DSO_FILE, .path = path, .name = path };
	struct objfile *o;

	where.no_system = true;
	if (hex)
		dso.build_id = id_of(hex);
	err.text[0] = 0;
	ck_assert_int_eq(objfile_open(&dso, &where, &o, &reason, &err) == 0, o != NULL);
	ck_assert_int_eq(reason == UNKNOWN_NOT, o != NULL);
	return o;
}

static const struct objfile_search nowhere = { 0 };

/* --- symbols --- */

START_TEST(symbols)
{
	static const struct {
		uint64_t at;
		const char *name;
	} want[] = {
		{ 0x00, "global_alias" },
		{ 0x3f, "global_alias" },
		{ 0x40, "outer" },
		{ 0x55, "outer" },
		{ 0x60, "inner" },
		{ 0x7f, "inner" },
		{ 0x80, "outer" },
		{ 0x9f, "outer" },
		{ 0xa0, "inner2" },
		{ 0xaf, "inner2" },
		{ 0xb0, "outer" },
		{ 0xbf, "outer" },
		{ 0xc0, "-" },
		{ 0xff, "-" },
		{ 0x100, "unsized" },
		{ 0x11f, "unsized" },
		{ 0x120, "sized_twice" },
		{ 0x127, "sized_twice" },
		{ 0x128, "-" },
		{ 0x140, "to_the_end" },
		{ 0x15f, "to_the_end" },
		{ 0x160, "-" },
	};
	struct objfile *o;
	uint64_t addr;

	ck_assert_int_eq(objfile_open_path("layout", &o, &err), 0);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		ck_assert_msg(!strcmp(name_at(o, TEXT + want[i].at), want[i].name),
			      "+0x%lx is %s, not %s", (unsigned long)want[i].at,
			      name_at(o, TEXT + want[i].at), want[i].name);
	ck_assert_str_eq(name_at(o, TEXT - 1), "-");
	ck_assert_str_eq(name_at(o, 0), "-");
	ck_assert_str_eq(name_at(o, UINT64_MAX), "-");
	ck_assert_uint_eq(o->nr_symbols, 7);
	for (size_t i = 1; i < o->nr_symbols; i++)
		ck_assert_uint_lt(o->symbols[i - 1].addr, o->symbols[i].addr);
	ck_assert(objfile_address_of(o, "local_alias", &addr));
	ck_assert_uint_eq(addr, TEXT);
	ck_assert(objfile_address_of(o, "label", &addr));
	ck_assert_uint_eq(addr, TEXT + 0x50);
	ck_assert(!objfile_address_of(o, "nothing", &addr));
	ck_assert_uint_eq(o->e_machine, EM_X86_64);
	ck_assert_uint_eq(o->e_type, ET_EXEC);
	ck_assert_uint_eq(o->build_id.size, 20);
	objfile_free(o);
}
END_TEST

/* A stub has the name of what it calls, wherever the linker puts it. */
START_TEST(plt_stubs)
{
	static const char *const ways[] = { "-fcf-protection=none -Wl,-z,lazy",
					    "-fcf-protection=full -Wl,-z,ibtplt -Wl,-z,lazy" };
	static const char *const sections[] = { ".plt", ".plt.sec" };

	toolchain_source("calls.c",
			 "#include <stdio.h>\n#include <stdlib.h>\n"
			 "void *volatile p = (void *)puts;\n"
			 "int main(int c, char **v) { puts(v[0]); return !getenv(v[c - 1]); }");
	for (int i = 0; i < 2; i++) {
		const uint8_t *data;
		uint64_t size, start;
		struct objfile *o;
		int found = 0;

		toolchain_run("gcc -O1 %s -o calls calls.c", ways[i]);
		ck_assert_int_eq(objfile_open_path("calls", &o, &err), 0);
		ck_assert(objfile_section(o, sections[i], &data, &size, &start));
		for (size_t s = 0; s < o->nr_symbols; s++) {
			const struct objfile_symbol *sym = &o->symbols[s];

			if (strcmp(sym->name, "getenv@plt") || sym->addr < start ||
			    sym->addr >= start + size)
				continue;
			ck_assert_uint_eq(sym->size, 16);
			ck_assert_uint_eq((sym->addr - start) % 16, 0);
			found++;
		}
		ck_assert_int_eq(found, 1);
		objfile_free(o);
	}
	/* the stubs of the other architecture, if there is a compiler for it */
	toolchain_source("stub.c",
			 "int puts(const char *); int f(void) { return puts(\"\") + 1; }");
	if (toolchain_try("clang --target=aarch64-linux-gnu -O1 -fPIC -shared -nostdlib "
			  "-fuse-ld=lld -o stub.so stub.c 2>stub.log") == 0) {
		const uint8_t *data;
		uint64_t size, start;
		struct objfile *o;

		ck_assert_int_eq(objfile_open_path("stub.so", &o, &err), 0);
		ck_assert(objfile_section(o, ".plt", &data, &size, &start));
		ck_assert_uint_eq(size, 48);
		ck_assert_str_eq(name_at(o, start + 31), "-");
		ck_assert_str_eq(name_at(o, start + 32), "puts@plt");
		ck_assert_str_eq(name_at(o, start + 47), "puts@plt");
		objfile_free(o);
	}
}
END_TEST

/* --- addresses --- */

struct phdr {
	uint64_t offset, vaddr, filesz, memsz;
	uint32_t flags;
};

/* An ELF file of program headers only. */
static struct objfile *with_segments(const struct phdr *p, size_t n)
{
	unsigned char file[0x6000] = { 0 };
	Elf64_Ehdr eh = { .e_type = ET_DYN,
			  .e_machine = EM_X86_64,
			  .e_version = 1,
			  .e_phoff = 64,
			  .e_ehsize = 64,
			  .e_phentsize = 56,
			  .e_phnum = (Elf64_Half)n,
			  .e_shentsize = 64 };
	struct objfile *o;

	memcpy(eh.e_ident, "\177ELF\2\1\1", 7);
	memcpy(file, &eh, sizeof(eh));
	for (size_t i = 0; i < n; i++) {
		Elf64_Phdr ph = { .p_type = PT_LOAD,
				  .p_flags = p[i].flags,
				  .p_offset = p[i].offset,
				  .p_vaddr = p[i].vaddr,
				  .p_filesz = p[i].filesz,
				  .p_memsz = p[i].memsz,
				  .p_align = 0x1000 };

		memcpy(file + 64 + i * 56, &ph, sizeof(ph));
	}
	toolchain_write("segments", file, sizeof(file));
	ck_assert_int_eq(objfile_open_path("segments", &o, &err), 0);
	return o;
}

static uint64_t vaddr_of(const struct objfile *o, uint64_t offset)
{
	uint64_t vaddr;

	return objfile_vaddr(o, offset, &vaddr) ? vaddr : UINT64_MAX;
}

START_TEST(addresses)
{
	/* lld: segments share pages of the file, each is a page further on in memory */
	static const struct phdr lld[] = {
		{ 0, 0, 0x5a8, 0x5a8, PF_R },
		{ 0x5b0, 0x15b0, 0x300, 0x300, PF_R | PF_X },
		{ 0x8b0, 0x28b0, 0x200, 0x1000, PF_R | PF_W },
	};
	/* a huge-page layout: what is at 2 MB in memory is at 4 KB in the file */
	static const struct phdr far[] = {
		{ 0x1000, 0x200000, 0x1234, 0x1234, PF_R | PF_X },
		{ 0x1000, 0x900000, 0x2000, 0x2000, PF_R },
	};
	struct objfile *o = with_segments(lld, 3);

	ck_assert_uint_eq(o->nr_segments, 3);
	ck_assert_uint_eq(vaddr_of(o, 0x5b0), 0x15b0);
	ck_assert_uint_eq(vaddr_of(o, 0x8af), 0x18af);
	ck_assert_uint_eq(vaddr_of(o, 0x100), 0x100);
	ck_assert_uint_eq(vaddr_of(o, 0x8b0), 0x28b0);
	/* mapped only because a page is: the code's */
	ck_assert_uint_eq(vaddr_of(o, 0x5ac), 0x15ac);
	ck_assert_uint_eq(vaddr_of(o, 0x1000), UINT64_MAX);
	ck_assert_uint_eq(vaddr_of(o, UINT64_MAX), UINT64_MAX);
	objfile_free(o);

	o = with_segments(far, 2);
	ck_assert_uint_eq(vaddr_of(o, 0x1000), 0x200000);
	ck_assert_uint_eq(vaddr_of(o, 0x2233), 0x201233);
	ck_assert_uint_eq(vaddr_of(o, 0x2234), 0x901234);
	ck_assert_uint_eq(vaddr_of(o, 0xfff), UINT64_MAX);
	objfile_free(o);
}
END_TEST

START_TEST(addresses_of_programs)
{
	static const char *const ways[] = {
		"gcc",
		"gcc -no-pie",
		"gcc -Wl,-z,noseparate-code",
		"gcc -static",
		"gcc -no-pie -Wl,-Ttext-segment=0x10000000",
		"gcc -Wl,-z,max-page-size=0x200000",
		"clang -fuse-ld=lld",
		"clang -fuse-ld=lld -no-pie",
		"clang -fuse-ld=lld -Wl,-z,separate-code",
		"clang -fuse-ld=lld -Wl,--no-rosegment",
		"gcc -fuse-ld=gold",
	};
	struct objfile *o;

	ck_assert_int_eq(objfile_open_path("layout", &o, &err), 0);
	ck_assert_uint_eq(vaddr_of(o, 0x1000), TEXT);
	ck_assert_uint_eq(vaddr_of(o, 0x1123), TEXT + 0x123);
	objfile_free(o);
	/* a debug file alone says the same */
	ck_assert_int_eq(objfile_open_path("a.debug", &o, &err), 0);
	ck_assert_uint_eq(vaddr_of(o, 0x1025), TEXT + 0x25);
	ck_assert_str_eq(name_at(o, TEXT + 0x25), "hidden");
	objfile_free(o);
	/* also of the layouts of other linkers and options */
	toolchain_source("hello.c", "#include <stdio.h>\nint main(void) { return puts(\"\"); }");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct objfile *debug;

		if (toolchain_try("%s -g -o hello hello.c 2>/dev/null", ways[i]) != 0)
			continue; /* no such linker */
		toolchain_run("objcopy --only-keep-debug hello hello.debug");
		ck_assert_int_eq(objfile_open_path("hello", &o, &err), 0);
		ck_assert_int_eq(objfile_open_path("hello.debug", &debug, &err), 0);
		ck_assert_uint_ge(o->nr_segments, 2);
		for (size_t seg = 0; seg < o->nr_segments; seg++)
			ck_assert_uint_eq(vaddr_of(debug, o->segments[seg].offset),
					  vaddr_of(o, o->segments[seg].offset));
		objfile_free(o);
		objfile_free(debug);
	}
}
END_TEST

/* --- which file --- */

START_TEST(build_ids)
{
	struct objfile *o = open_as(toolchain_path("full-a"), ID_A, nowhere);

	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	objfile_free(o);
	o = open_as(toolchain_path("full-a"), NULL, nowhere);
	ck_assert_ptr_nonnull(o);
	objfile_free(o);

	ck_assert_ptr_null(open_as(toolchain_path("full-a"), ID_B, nowhere));
	ck_assert_int_eq(reason, UNKNOWN_BUILD_ID);
	ck_assert(strstr(err.text, "/full-a has build-id " ID_A ", the recording has " ID_B));
	ck_assert_ptr_null(open_as(toolchain_path("full-none"), ID_B, nowhere));
	ck_assert_int_eq(reason, UNKNOWN_BUILD_ID);
	ck_assert(strstr(err.text, "/full-none has no build-id, the recording has " ID_B));
	/* older recordings pad with zeros */
	o = open_as(toolchain_path("full-short"), ID_SHORT "000000000000000000000000", nowhere);
	ck_assert_ptr_nonnull(o);
	objfile_free(o);
	ck_assert_ptr_null(open_as(toolchain_path("full-short"),
				   ID_SHORT "000000000000000000000001", nowhere));
}
END_TEST

START_TEST(no_file)
{
	ck_assert_ptr_null(open_as(toolchain_path("gone"), ID_A, nowhere));
	ck_assert_int_eq(reason, UNKNOWN_NO_FILE);
	ck_assert(strstr(err.text, "/gone was not found"));
	ck_assert_ptr_null(open_as("full-a", ID_A, nowhere)); /* no absolute path */
	ck_assert_int_eq(reason, UNKNOWN_NO_FILE);
	toolchain_source("text", "#!/bin/sh\n");
	ck_assert_ptr_null(open_as(toolchain_path("text"), NULL, nowhere));
	ck_assert_int_eq(reason, UNKNOWN_BAD_FILE);
	ck_assert(strstr(err.text, "/text: is no ELF file"));
	toolchain_source("empty", "");
	ck_assert_ptr_null(open_as(toolchain_path("empty"), NULL, nowhere));
	ck_assert_int_eq(reason, UNKNOWN_BAD_FILE);
	toolchain_write("cut", "\177ELF\2\1\1", 7);
	ck_assert_ptr_null(open_as(toolchain_path("cut"), NULL, nowhere));
	ck_assert_int_eq(reason, UNKNOWN_BAD_FILE);
	/* these would block, or do something, if they were opened */
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_ptr_null(open_as(toolchain_path("fifo"), NULL, nowhere));
	ck_assert(strstr(err.text, "/fifo: is no regular file"));
	ck_assert_ptr_null(open_as("/dev/zero", NULL, nowhere));
	ck_assert_ptr_null(open_as(toolchain_dir, NULL, nowhere));
	ck_assert_int_eq(objfile_open_path("gone", &(struct objfile *){ NULL }, &err),
			 -ERR_NOT_FOUND);
}
END_TEST

START_TEST(deleted)
{
	struct dso dso = { .kind = DSO_FILE, .path = toolchain_path("full-a"), .deleted = true };
	struct objfile_search where = { .no_system = true };
	const char *dirs[] = { toolchain_dir };
	struct objfile *o;

	/* the file that is there now may be any */
	ck_assert_int_lt(objfile_open(&dso, &where, &o, &reason, &err), 0);
	ck_assert_int_eq(reason, UNKNOWN_NO_FILE);
	ck_assert(strstr(err.text, "was deleted, and the recording has no build-id"));
	dso.build_id = id_of(ID_A);
	ck_assert_int_eq(objfile_open(&dso, &where, &o, &reason, &err), 0);
	objfile_free(o);
	/* unless the user says where to look */
	dso.build_id.size = 0;
	where.search_dirs = dirs;
	where.nr_search_dirs = 1;
	ck_assert_int_eq(objfile_open(&dso, &where, &o, &reason, &err), 0);
	objfile_free(o);
}
END_TEST

START_TEST(search_dirs)
{
	const char *dirs[] = { toolchain_path("nothing"), toolchain_path("offer") };
	struct objfile_search where = { .search_dirs = dirs, .nr_search_dirs = 2 };
	struct objfile *o;

	toolchain_run("mkdir offer && cp full-a offer/another_name && cp full-b offer/prog");
	o = open_as("/usr/bin/prog", ID_B, where);
	ck_assert_ptr_nonnull(o);
	ck_assert_str_eq(o->path, toolchain_path("offer/prog"));
	objfile_free(o);
	o = open_as("/usr/bin/prog", NULL, where); /* by its name */
	ck_assert_str_eq(o->path, toolchain_path("offer/prog"));
	objfile_free(o);
	o = open_as("/usr/bin/prog", ID_A, where); /* by its build-id */
	ck_assert_str_eq(o->path, toolchain_path("offer/another_name"));
	objfile_free(o);
	ck_assert_ptr_null(open_as("/usr/bin/prog", ID_SHORT, where));
	ck_assert_int_eq(reason, UNKNOWN_BUILD_ID);
	/* a file instead of a directory */
	dirs[1] = toolchain_path("offer/another_name");
	o = open_as("/usr/bin/prog", ID_A, where);
	ck_assert_str_eq(o->path, toolchain_path("offer/another_name"));
	objfile_free(o);
	ck_assert_ptr_null(open_as("/usr/bin/prog", NULL, where));
	ck_assert_int_eq(reason, UNKNOWN_NO_FILE);
}
END_TEST

START_TEST(buildid_cache)
{
	struct objfile_search where = { .buildid_dir = toolchain_path("cache") };
	struct objfile *o;

	/* today's: a link to a directory with the file in it */
	toolchain_run("mkdir -p cache/.build-id/01 cache/usr/bin/prog/" ID_A);
	toolchain_run("cp a cache/usr/bin/prog/" ID_A "/elf");
	toolchain_run("ln -s ../../usr/bin/prog/" ID_A " cache/.build-id/01/%s", &ID_A[2]);
	o = open_as(toolchain_path("full-b"), ID_A, where);
	ck_assert_ptr_nonnull(o);
	ck_assert(strstr(o->path, "/cache/.build-id/01/"));
	ck_assert_uint_eq(o->nr_symbols, 0);
	objfile_free(o);
	/* its debug file beside it */
	toolchain_run("cp a.debug cache/usr/bin/prog/" ID_A "/debug");
	o = open_as("/gone", ID_A, where);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	ck_assert(o->has_dwarf && strstr(o->debug_path, "/debug"));
	objfile_free(o);
	/* the old one: a link to the file */
	toolchain_run("rm -r cache && mkdir -p cache/.build-id/01 cache/usr/bin/prog");
	toolchain_run("cp full-a cache/usr/bin/prog/" ID_A);
	toolchain_run("ln -s ../../usr/bin/prog/" ID_A " cache/.build-id/01/%s", &ID_A[2]);
	o = open_as("/gone", ID_A, where);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	objfile_free(o);
	/* a file under a wrong name in the cache is no better than another */
	toolchain_run("cp full-b cache/usr/bin/prog/" ID_A);
	ck_assert_ptr_null(open_as("/gone", ID_A, where));
	ck_assert_int_eq(reason, UNKNOWN_BUILD_ID);
}
END_TEST

START_TEST(symfs)
{
	struct objfile_search where = { .symfs = toolchain_path("root") };
	struct objfile *o;

	toolchain_run("mkdir -p root/opt root/usr && cp full-a root/opt/prog");
	toolchain_run("ln -s /opt root/usr/bin && ln -s %s/full-b root/opt/outside", toolchain_dir);
	o = open_as("/opt/prog", ID_A, where);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	ck_assert_str_eq(o->path, toolchain_path("root/opt/prog"));
	ck_assert_int_ge(objfile_dwarf_fd(o), 0);
	objfile_free(o);
	/* links lead to where they would in the root */
	o = open_as("/usr/bin/prog", ID_A, where);
	ck_assert_ptr_nonnull(o);
	ck_assert_int_ge(objfile_dwarf_fd(o), 0);
	objfile_free(o);
	ck_assert_ptr_null(open_as("/opt/outside", ID_B, where));
	ck_assert_ptr_null(open_as("/../full-b", ID_B, where));
	ck_assert_ptr_null(open_as("/opt/../../full-b", ID_B, where));
	ck_assert_ptr_null(open_as(toolchain_path("full-b"), ID_B, where));
}
END_TEST

/* --- debug files --- */

START_TEST(debug_by_build_id)
{
	const char *dirs[] = { toolchain_path("dbg") };
	struct objfile_search where = { .debug_dirs = dirs, .nr_debug_dirs = 1 };
	struct objfile *o = open_as(toolchain_path("a"), ID_A, where);

	ck_assert_uint_eq(o->nr_symbols, 0);
	ck_assert(!o->has_dwarf && !o->debug_path && !o->note);
	ck_assert_int_eq(objfile_dwarf_fd(o), -1);
	ck_assert_ptr_null(objfile_dwarf_error(o));
	objfile_free(o);
	toolchain_run("mkdir -p dbg/.build-id/01 && cp a.debug dbg/.build-id/01/%s.debug",
		      &ID_A[2]);
	o = open_as(toolchain_path("a"), ID_A, where);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	ck_assert_uint_eq(objfile_dwarf_bias(o), 0);
	ck_assert_str_eq(o->path, toolchain_path("a"));
	objfile_free(o);
	/* the program is gone: its debug file is enough */
	o = open_as("/gone", ID_A, where);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	ck_assert_uint_eq(vaddr_of(o, 0x1020), TEXT + 0x20);
	objfile_free(o);
	/* the program was moved after the debug file was split off, as prelink does */
	toolchain_run("objcopy --change-addresses=0x100000 a.debug dbg/.build-id/01/%s.debug",
		      &ID_A[2]);
	o = open_as(toolchain_path("a"), ID_A, where);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	ck_assert_str_eq(name_at(o, TEXT + 0x40), "-");
	ck_assert_uint_eq(objfile_dwarf_bias(o), 0x100000);
	objfile_free(o);
	/* one of another build lies there */
	toolchain_run("cp b.debug dbg/.build-id/01/%s.debug", &ID_A[2]);
	o = open_as(toolchain_path("a"), ID_A, where);
	ck_assert_uint_eq(o->nr_symbols, 0);
	ck_assert(strstr(o->note, ID_B));
	objfile_free(o);
}
END_TEST

/* With build-ids these decide, without the checksum does. */
START_TEST(debug_link)
{
	const char *dirs[] = { toolchain_path("linkdbg") };
	struct objfile_search where = { .debug_dirs = dirs, .nr_debug_dirs = 1 };
	struct objfile *o;

	toolchain_run("mkdir -p link/.debug && cp none link/none && cp a link/a");
	toolchain_run("cp none.debug a.debug link && cd link && "
		      "objcopy --add-gnu-debuglink=none.debug none && "
		      "objcopy --add-gnu-debuglink=a.debug a");
	/* beside it */
	o = open_as(toolchain_path("link/none"), NULL, nowhere);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	ck_assert_str_eq(o->debug_path, toolchain_path("link/none.debug"));
	objfile_free(o);
	/* in .debug */
	toolchain_run("mv link/none.debug link/.debug");
	o = open_as(toolchain_path("link/none"), NULL, nowhere);
	ck_assert_str_eq(o->debug_path, toolchain_path("link/.debug/none.debug"));
	objfile_free(o);
	/* in the same place below a debug directory */
	toolchain_run("mkdir -p linkdbg%s/link && mv link/.debug/none.debug linkdbg%s/link",
		      toolchain_dir, toolchain_dir);
	o = open_as(toolchain_path("link/none"), NULL, nowhere);
	ck_assert_ptr_null(o->debug_path);
	objfile_free(o);
	o = open_as(toolchain_path("link/none"), NULL, where);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	objfile_free(o);
	/* another's: refused, and told */
	toolchain_run("objcopy --only-keep-debug other-none link/none.debug");
	o = open_as(toolchain_path("link/none"), NULL, nowhere);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "-");
	ck_assert_ptr_null(o->debug_path);
	ck_assert(strstr(o->note, "/link/none.debug has checksum "));
	ck_assert(strstr(o->note, ", the debug link says "));
	objfile_free(o);
	/* the same build, changed after the link was made: the build-id says that it fits */
	toolchain_run("objcopy --remove-section=.comment --add-section=.x=layout.s link/a.debug");
	o = open_as(toolchain_path("link/a"), ID_A, nowhere);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	objfile_free(o);
	/* another build */
	toolchain_run("cp b.debug link/a.debug");
	o = open_as(toolchain_path("link/a"), ID_A, nowhere);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "-");
	ck_assert(strstr(o->note, "/link/a.debug has build-id " ID_B ", not " ID_A));
	objfile_free(o);
}
END_TEST

/* .gnu_debugdata: a small ELF file with a symbol table, as xz. */
/* What the user names holds debug files as they come: by the link's name, or any. */
START_TEST(debug_files_in_a_folder)
{
	const char *dirs[] = { toolchain_path("folder") };
	const struct objfile_search debug = { .debug_dirs = dirs, .nr_debug_dirs = 1 };
	const struct objfile_search search = { .search_dirs = dirs, .nr_search_dirs = 1 };
	struct objfile *o;

	toolchain_run("mkdir -p alone folder && cp a none alone && "
		      "objcopy --add-gnu-debuglink=none.debug alone/none");
	/* without a build-id, by the link's name and its checksum */
	toolchain_run("cp none.debug folder");
	o = open_as(toolchain_path("alone/none"), NULL, debug);
	ck_assert_str_eq(o->debug_path, toolchain_path("folder/none.debug"));
	objfile_free(o);
	toolchain_run("mv folder/none.debug folder/other-name");
	o = open_as(toolchain_path("alone/none"), NULL, debug);
	ck_assert_ptr_null(o->debug_path);
	objfile_free(o);
	/* by the build-id: not the stripped file itself, nor another's */
	toolchain_run("cp a folder/0 && cp b.debug folder/1 && cp a.debug folder/2");
	for (int i = 0; i < 2; i++) {
		o = open_as(toolchain_path("alone/a"), ID_A, i ? search : debug);
		ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
		ck_assert_str_eq(o->debug_path, toolchain_path("folder/2"));
		ck_assert_ptr_null(o->note);
		objfile_free(o);
	}
	/* a file that is named stands for itself */
	dirs[0] = toolchain_path("folder/2");
	o = open_as(toolchain_path("alone/a"), ID_A, debug);
	ck_assert_str_eq(o->debug_path, toolchain_path("folder/2"));
	objfile_free(o);
	dirs[0] = toolchain_path("folder/1");
	o = open_as(toolchain_path("alone/a"), ID_A, debug);
	ck_assert_ptr_null(o->debug_path);
	objfile_free(o);
}
END_TEST

START_TEST(mini_debug_data)
{
	size_t size, room;
	unsigned char *plain, *packed;
	struct objfile *o;

	toolchain_run("objcopy -S --remove-section=.data --keep-symbol=hidden "
		      "--only-keep-debug full-a mini && strip -g --keep-symbol=hidden mini");
	plain = toolchain_read("mini", &size);
	room = lzma_stream_buffer_bound(size);
	packed = malloc(room);
	size_t n = 0;
	ck_assert_int_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, plain, size, packed, &n,
						 room),
			 LZMA_OK);
	toolchain_write("mini.xz", packed, n);
	toolchain_run("objcopy --add-section .gnu_debugdata=mini.xz a a-mini");
	o = open_as(toolchain_path("a-mini"), ID_A, nowhere);
	ck_assert_str_eq(name_at(o, TEXT + 0x20), "hidden");
	ck_assert_str_eq(name_at(o, TEXT + 0x40), "-");
	objfile_free(o);
	packed[n / 2] ^= 0xff;
	toolchain_write("mini.xz", packed, n);
	toolchain_run("objcopy --add-section .gnu_debugdata=mini.xz a a-mini");
	o = open_as(toolchain_path("a-mini"), ID_A, nowhere);
	ck_assert_uint_eq(o->nr_symbols, 0);
	objfile_free(o);
	free(plain);
	free(packed);
}
END_TEST

/* --- compression --- */

START_TEST(compressed_sections)
{
	static const char *const kinds[] = { "zlib", "zlib-gnu", "zstd" };
	const uint8_t *want, *got;
	uint64_t want_size, size, addr;
	struct objfile *plain, *o;
	FILE *f = fopen("big.c", "w");

	/* small sections are left as they are, so it takes some text */
	for (int i = 0; i < 300; i++)
		fprintf(f, "int function_%d(int a) { return a * %d; }\n", i, i);
	fprintf(f, "int main(void) { return 0; }\n");
	fclose(f);
	toolchain_run("gcc -g -gz=none -O1 -o big big.c");
	ck_assert_int_eq(objfile_open_path("big", &plain, &err), 0);
	ck_assert(objfile_section(plain, ".debug_info", &want, &want_size, &addr));
	for (int i = 0; i < 3; i++) {
		const char *name = i == 1 ? ".zdebug_info" : ".debug_info";
		int fd;

		if (toolchain_try("objcopy --compress-debug-sections=%s big big-%s 2>/dev/null",
				  kinds[i], kinds[i])) {
			ck_assert_int_eq(i, 2); /* binutils before 2.40 */
			continue;
		}
		ck_assert_int_eq(objfile_open_path(i == 0   ? "big-zlib"
						   : i == 1 ? "big-zlib-gnu"
							    : "big-zstd",
						   &o, &err),
				 0);
		ck_assert(o->has_dwarf);
		if (i != 1) {
			ck_assert(objfile_section(o, name, &got, &size, &addr));
			ck_assert_uint_eq(size, want_size);
			ck_assert_int_eq(memcmp(got, want, size), 0);
		}
		fd = objfile_dwarf_fd(o);
		ck_assert_int_ge(fd, 3);
		toolchain_run(
			"readelf --debug-dump=decodedline big 2>/dev/null | tail -n +3 >want.txt");
		toolchain_run("readelf --debug-dump=decodedline /proc/%d/fd/%d 2>/dev/null | "
			      "tail -n +3 >got.txt",
			      (int)getpid(), fd);
		toolchain_run("test -s want.txt && cmp want.txt got.txt");
		close(fd);
		objfile_free(o);
	}
	objfile_free(plain);
}
END_TEST

/* A size that no compressed section of that length can have is not allocated. */
START_TEST(compression_bomb)
{
	size_t n;
	unsigned char *file;
	struct objfile *o;
	int patched = 0;

	if (toolchain_try("objcopy --compress-debug-sections=zstd big bomb 2>/dev/null"))
		return;
	file = toolchain_read("bomb", &n);
	/* Elf64_Chdr: type 2 and a reserved word, the size, the alignment of 1 */
	for (size_t i = 0; i + 28 < n; i += 1)
		if (!memcmp(file + i, "\2\0\0\0\0\0\0\0", 8) && file[i + 16] == 1 &&
		    !memcmp(file + i + 24, "\x28\xb5\x2f\xfd", 4)) {
			memset(file + i + 8, 0x3f, 8);
			patched++;
		}
	ck_assert_int_gt(patched, 3);
	toolchain_write("bomb", file, n);
	ck_assert_int_eq(objfile_open_path("bomb", &o, &err), 0);
	ck_assert_int_eq(objfile_dwarf_fd(o), -1);
	ck_assert(strstr(objfile_dwarf_error(o), "compressed debug sections cannot be inflated"));
	ck_assert_uint_gt(o->nr_symbols, 300);
	objfile_free(o);
	free(file);
}
END_TEST

static size_t pack_gzip(const unsigned char *in, size_t n, unsigned char *out, size_t room)
{
	z_stream z = { .next_in = (Bytef *)in,
		       .avail_in = (uInt)n,
		       .next_out = out,
		       .avail_out = (uInt)room };

	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return room - z.avail_out;
}

START_TEST(compressed_modules)
{
	struct dso dso = { .kind = DSO_MODULE, .name = "[mod]" };
	struct objfile_search where = { .no_system = true };
	unsigned char *plain, *packed;
	size_t n, room, size;
	struct objfile *o;

	toolchain_run("gcc -c -o mod.ko layout.s");
	plain = toolchain_read("mod.ko", &n);
	room = n + 4096;
	packed = malloc(room);
	for (int i = 0; i < 4; i++) {
		size = 0;
		if (i == 0)
			memcpy(packed, plain, size = n);
		else if (i == 1)
			size = pack_gzip(plain, n, packed, room);
		else if (i == 2)
			ck_assert_int_eq(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, plain,
								 n, packed, &size, room),
					 LZMA_OK);
		else
			size = ZSTD_compress(packed, room, plain, n, 3);
		toolchain_write("mod.ko.x", packed, size);
		dso.path = toolchain_path("mod.ko.x");
		ck_assert_int_eq(objfile_open(&dso, &where, &o, &reason, &err), 0);
		ck_assert_uint_eq(o->e_type, ET_REL);
		ck_assert_str_eq(name_at(o, 0x60), "inner");
		objfile_free(o);
		/* cut */
		toolchain_write("mod.ko.x", packed, size - size / 4);
		if (i && objfile_open(&dso, &where, &o, &reason, &err) == 0)
			ck_abort_msg("a cut file was accepted, kind %d", i);
		/* only modules come compressed */
		toolchain_write("mod.ko.x", packed, size);
		dso.kind = DSO_FILE;
		ck_assert_int_eq(objfile_open(&dso, &where, &o, &reason, &err) == 0, i == 0);
		objfile_free(o);
		dso.kind = DSO_MODULE;
	}
	free(plain);
	free(packed);
}
END_TEST

/* The running kernel's own, only under its build-id. */
START_TEST(vdso)
{
	struct dso dso = { .kind = DSO_VDSO, .path = "[vdso]", .name = "[vdso]" };
	struct objfile_search where = { .buildid_dir = toolchain_path("nothing") };
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);
	const uint8_t *base = (const uint8_t *)eh;
	struct objfile *o;

	if (!eh)
		return; /* under valgrind */
	ck_assert_int_lt(objfile_open(&dso, &where, &o, &reason, &err), 0);
	ck_assert_int_eq(reason, UNKNOWN_NO_FILE);
	dso.build_id = id_of(ID_A);
	ck_assert_int_lt(objfile_open(&dso, &where, &o, &reason, &err), 0);
	ck_assert_int_eq(reason, UNKNOWN_BUILD_ID);
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		const Elf64_Phdr *ph = (const Elf64_Phdr *)(base + eh->e_phoff) + i;
		const uint8_t *note = base + ph->p_offset, *end = note + ph->p_filesz;

		while (ph->p_type == PT_NOTE && note + 16 <= end) {
			const Elf64_Nhdr *nh = (const Elf64_Nhdr *)note;

			if (nh->n_type == NT_GNU_BUILD_ID && !memcmp(note + 12, "GNU", 4)) {
				dso.build_id.size = (uint8_t)nh->n_descsz;
				memcpy(dso.build_id.bytes, note + 16, nh->n_descsz);
			}
			note += 12 + ((nh->n_namesz + 3) & ~3u) + ((nh->n_descsz + 3) & ~3u);
		}
	}
	ck_assert_int_eq(objfile_open(&dso, &where, &o, &reason, &err), 0);
	ck_assert(objfile_address_of(o, "__vdso_clock_gettime", &(uint64_t){ 0 }) ||
		  o->nr_symbols > 0);
	ck_assert_int_eq(objfile_dwarf_fd(o), -1);
	objfile_free(o);
	where.no_system = true;
	ck_assert_int_lt(objfile_open(&dso, &where, &o, &reason, &err), 0);
}
END_TEST

/* --- damage --- */

/* Everything that can be asked about a file that is not what it says. */
static void ask(const char *path)
{
	const uint8_t *data;
	uint64_t size, addr;
	struct objfile *o;
	volatile uint8_t sum = 0;
	int fd;

	if (objfile_open_path(path, &o, &err) < 0)
		return;
	for (uint64_t at = 0; at < 0x8000; at += 0x123)
		if (objfile_vaddr(o, at, &addr) && objfile_symbol(o, addr))
			sum += (uint8_t)objfile_symbol(o, addr)->name[0];
	for (size_t i = 0; i < o->nr_symbols; i++)
		sum += (uint8_t)strlen(o->symbols[i].name);
	objfile_address_of(o, "main", &addr);
	if (objfile_section(o, ".debug_info", &data, &size, &addr) && size)
		sum += data[0] + data[size - 1];
	if (objfile_section(o, ".eh_frame", &data, &size, &addr) && size)
		sum += data[0] + data[size - 1];
	fd = objfile_dwarf_fd(o);
	if (fd >= 0)
		close(fd);
	else
		objfile_dwarf_error(o);
	(void)sum;
	objfile_free(o);
}

START_TEST(mutations)
{
	static const char *const files[] = { "a-mini", "calls",  "bomb",
					     "layout", "mod.ko", "link/none" };
	static const uint8_t bytes[] = { 0, 1, 2, 0x7f, 0x80, 0xff, 0xfe, 8, 0x40 };
	uint64_t seed = 11;
	size_t n;
	unsigned char *file;

	if (access(files[_i], R_OK) != 0)
		return;
	file = toolchain_read(files[_i], &n);
	for (int round = 0; round < 600; round++) {
		unsigned char *copy = malloc(n);
		uint64_t shoff;
		size_t len = n;

		memcpy(copy, file, n);
		memcpy(&shoff, file + 40, 8);
		for (int i = 0; i < 4; i++) {
			size_t at;

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			/* mostly headers: they decide about everything else */
			at = round % 3 == 0   ? (seed >> 33) % n
			     : round % 3 == 1 ? (seed >> 33) % (64 + 56 * 12) % n
					      : shoff + (seed >> 33) % (n - shoff);
			copy[at % n] = bytes[(seed >> 20) % sizeof(bytes)];
		}
		if (round % 10 == 9)
			len = 1 + (seed >> 40) % n;
		memcpy(copy, file, len < 5 ? len : 5);
		toolchain_write("mutant", copy, len);
		ask("mutant");
		free(copy);
	}
	free(file);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("objfile");
	TCase *tc = tcase_create("objfile");
	SRunner *sr;
	int failed;

	tcase_add_unchecked_fixture(tc, make_files, toolchain_end);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, symbols);
	tcase_add_test(tc, plt_stubs);
	tcase_add_test(tc, addresses);
	tcase_add_test(tc, addresses_of_programs);
	tcase_add_test(tc, build_ids);
	tcase_add_test(tc, no_file);
	tcase_add_test(tc, deleted);
	tcase_add_test(tc, search_dirs);
	tcase_add_test(tc, buildid_cache);
	tcase_add_test(tc, symfs);
	tcase_add_test(tc, debug_by_build_id);
	tcase_add_test(tc, debug_link);
	tcase_add_test(tc, debug_files_in_a_folder);
	tcase_add_test(tc, mini_debug_data);
	tcase_add_test(tc, compressed_sections);
	tcase_add_test(tc, compression_bomb);
	tcase_add_test(tc, compressed_modules);
	tcase_add_test(tc, vdso);
	tcase_add_loop_test(tc, mutations, 0, 6);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
