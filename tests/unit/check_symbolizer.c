/* SPDX-License-Identifier: MIT */
/*
 * Locations to lines: which names, files, flags and reasons come out, for each kind of dso and
 * each option; and that the result is the same for any number of threads.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "toolchain.h"

#include <perfrep/symbolizer.h>

#define MAX_DSOS 32

static struct dso dsos[MAX_DSOS];
static struct dso *dso_list[MAX_DSOS];
static struct dso_table table = { .v = dso_list };
static struct symbolizer_options opts;
static struct symbolizer_result result;
static struct features features;
static struct profile *p;

/* --- the program --- */

/*
 * Labels in the code say where to look; the symbol table has them, but as they lie inside sized
 * functions they name nothing.
 */
static const char program[] =
	"#define MARK(l) __asm__ volatile(#l \": nop\")\n"
	"volatile int sink;\n"
	"#line 100\n"
	"static inline __attribute__((always_inline)) void leaf(int x)\n"
	"{\n"
	"	MARK(in_leaf);\n" /* 102 */
	"	sink += x;\n"
	"}\n"
	"#line 200\n"
	"static inline __attribute__((always_inline)) void middle(int x)\n"
	"{\n"
	"	sink++;\n"
	"	leaf(x);\n" /* 203 */
	"	MARK(in_middle);\n" /* 204 */
	"}\n"
	"#line 300\n"
	"__attribute__((noinline)) void outer(int x) __asm__(\"_ZN2ns5Outer3runEi.part.0\");\n"
	"void outer(int x)\n"
	"{\n"
	"	middle(x);\n" /* 303 */
	"	MARK(in_outer);\n" /* 304 */
	"}\n"
	"#line 400\n"
	"__attribute__((noinline)) static void helper(void)\n"
	"{\n"
	"	MARK(in_helper);\n" /* 402 */
	"}\n"
	"int main(void)\n"
	"{\n"
	"	outer(1);\n"
	"	helper();\n"
	"	return 0;\n"
	"}\n"
	"__asm__(\".text\\nbefore: ret\\n.type before, @function\\n.size before, 1\\n"
	".skip 128, 0xcc\\n"
	"after: ret\\n.type after, @function\\n.size after, 1\\n"
	".skip 8, 0xcc\\n"
	"__restore_rt: ret\\n.type __restore_rt, @function\\n.size __restore_rt, 1\\n"
	".skip 8, 0xcc\\n"
	"other: ret\\n.type other, @function\\n.size other, 1\");\n";

static uint64_t offset_of(const char *file, const char *label)
{
	struct objfile *o;
	uint64_t vaddr = 0, offset = 0;
	struct err err;

	ck_assert_int_eq(objfile_open_path(file, &o, &err), 0);
	ck_assert(objfile_address_of(o, label, &vaddr));
	for (size_t i = 0; i < o->nr_segments; i++)
		if (vaddr - o->segments[i].vaddr < o->segments[i].filesz)
			offset = vaddr - o->segments[i].vaddr + o->segments[i].offset;
	objfile_free(o);
	return offset;
}

static bool has_dwz;

static void make_files(void)
{
	toolchain_begin();
	toolchain_source("prog.c", program);
	toolchain_run("gcc -O1 -g -fno-ipa-icf -Wl,--build-id=0x0123456789abcdef -o prog prog.c");
	toolchain_run("strip -g -o prog-symbols prog");
	toolchain_run("strip -s -o prog-stripped prog");
	toolchain_run("gcc -O1 -g -gsplit-dwarf -fno-ipa-icf -o split prog.c && mkdir was copy && "
		      "mv *.dwo was && mv split copy");
	has_dwz = !toolchain_try("command -v dwz >/dev/null");
	if (has_dwz)
		toolchain_run("gcc -O1 -g -fno-ipa-icf -o moved prog.c && cp moved moved2 && "
			      "dwz -m was/common -r moved moved2 && mv moved copy");
}

static void setup(void)
{
	p = profile_new();
	table.n = 0;
	opts = (struct symbolizer_options){ .where = { .no_system = true },
					    .threads = 2,
					    .perf_map_dir = toolchain_dir };
	memset(&features, 0, sizeof(features));
}

static void teardown(void)
{
	symbolizer_result_release(&result);
	profile_free(p);
}

/* --- making and asking --- */

static struct dso *add_dso(enum dso_kind kind, const char *path)
{
	struct dso *d = &dsos[table.n];
	const char *slash = strrchr(path, '/');

	ck_assert_uint_lt(table.n, MAX_DSOS);
	*d = (struct dso){ .id = (uint32_t)table.n,
			   .kind = kind,
			   .path = path,
			   .name = slash && path[1] != '/' ? slash + 1 : path,
			   .pid = -1 };
	dso_list[table.n++] = d;
	return d;
}

static struct dso *add_file(const char *name)
{
	return add_dso(DSO_FILE, toolchain_path(name));
}

static uint32_t add_loc(const struct dso *d, uint64_t addr)
{
	return profile_loc(p, LOC_DSO, d->id, addr, 0);
}

static void run(void)
{
	symbolize(p, &table, &features, &opts, &result, NULL, NULL);
}

/* "name[!flags] file:line < name ... (module)" of a location, innermost first. */
static const char *lines_of(uint32_t loc)
{
	static struct strbuf sb;
	const struct location *l = &p->locs[loc];
	const char *module = "";

	strbuf_clear(&sb);
	ck_assert_uint_ge(l->nr_lines, 1);
	for (uint32_t i = 0; i < l->nr_lines; i++) {
		const struct line *line = &p->lines[l->first_line + i];
		const char *file = profile_str(p, line->file), *slash = strrchr(file, '/');
		const struct func *f = &p->funcs[line->func];

		strbuf_addf(&sb, "%s%s", i ? " < " : "", profile_str(p, f->name));
		ck_assert_uint_eq(f->flags, line->flags & ~(unsigned)LINE_INLINED);
		if (line->flags & LINE_INLINED)
			strbuf_adds(&sb, "!i");
		if (line->flags & LINE_KERNEL)
			strbuf_adds(&sb, "!k");
		if (line->flags & LINE_JIT)
			strbuf_adds(&sb, "!j");
		if (line->flags & LINE_GUEST)
			strbuf_adds(&sb, "!g");
		if (line->flags & LINE_UNKNOWN)
			strbuf_adds(&sb, "!u");
		if (*file || line->line)
			strbuf_addf(&sb, " %s:%u", slash ? slash + 1 : file, line->line);
		module = profile_str(p, f->module);
	}
	strbuf_addf(&sb, " (%s)", module);
	return strbuf_str(&sb);
}

#define is(loc, text)     ck_assert_str_eq(lines_of(loc), text)
#define because(loc, why) ck_assert_int_eq(p->locs[loc].reason, why)

/* --- tests --- */

/* The same with what dwz moved to another file, which is named relative to the program. */
START_TEST(moved_debug_data)
{
	const char *dirs[] = { toolchain_path("copy") };
	struct dso *d;
	uint32_t leaf;

	if (!has_dwz) {
		fputs("skipped: dwz is not there\n", stderr);
		return;
	}
	d = add_dso(DSO_FILE, "/moved");
	leaf = add_loc(d, offset_of("copy/moved", "in_leaf"));
	opts.where.search_dirs = dirs;
	opts.where.nr_search_dirs = 1;
	opts.where.symfs = toolchain_dir;
	run();
	is(leaf,
	   "leaf!i prog.c:102 < middle!i prog.c:203 < ns::Outer::run.part.0 prog.c:303 (moved)");
}
END_TEST

/* A copy of the program was found, its .dwo file is still beside where it was recorded. */
START_TEST(split_debug_data)
{
	const char *dirs[] = { toolchain_path("copy") };
	struct dso *d = add_dso(DSO_FILE, "/was/split");
	uint32_t leaf = add_loc(d, offset_of("copy/split", "in_leaf"));

	opts.where.search_dirs = dirs;
	opts.where.nr_search_dirs = 1;
	opts.where.symfs = toolchain_dir;
	run();
	is(leaf,
	   "leaf!i prog.c:102 < middle!i prog.c:203 < ns::Outer::run.part.0 prog.c:303 (split)");
	ck_assert_ptr_null(result.dsos[0].note);
	teardown();

	setup();
	d = add_dso(DSO_FILE, "/gone/split");
	leaf = add_loc(d, offset_of("copy/split", "in_leaf"));
	opts.where.search_dirs = dirs;
	opts.where.nr_search_dirs = 1;
	opts.where.symfs = toolchain_dir;
	run();
	is(leaf, "ns::Outer::run.part.0 prog.c:102 (split)");
	ck_assert_str_eq(
		result.dsos[0].note,
		"a .dwo file, a .dwp beside the program, or what dwz moved, was not found: "
		"inlined functions are missing");
}
END_TEST

/* No call returns to where a signal's trampoline begins, though a chain of frame pointers says so. */
START_TEST(trampoline)
{
	struct dso *d = add_file("prog-symbols");
	uint64_t begins = offset_of("prog-symbols", "__restore_rt");
	uint32_t before = add_loc(d, begins - 1), there = add_loc(d, begins);
	uint32_t other = add_loc(d, offset_of("prog-symbols", "other") - 1);

	run();
	is(before, "__restore_rt (prog-symbols)");
	is(there, "__restore_rt (prog-symbols)");
	is(other, "[prog-symbols]!u (prog-symbols)");
}
END_TEST

START_TEST(inlined)
{
	struct dso *d = add_file("prog");
	uint32_t leaf = add_loc(d, offset_of("prog", "in_leaf"));
	uint32_t middle = add_loc(d, offset_of("prog", "in_middle"));
	uint32_t outer = add_loc(d, offset_of("prog", "in_outer"));
	uint32_t helper = add_loc(d, offset_of("prog", "in_helper"));

	run();
	is(leaf,
	   "leaf!i prog.c:102 < middle!i prog.c:203 < ns::Outer::run.part.0 prog.c:303 (prog)");
	is(middle, "middle!i prog.c:204 < ns::Outer::run.part.0 prog.c:303 (prog)");
	is(outer, "ns::Outer::run.part.0 prog.c:304 (prog)");
	is(helper, "helper prog.c:402 (prog)");
	because(leaf, UNKNOWN_NOT);
	ck_assert_uint_eq(result.n, 1);
	ck_assert_uint_eq(result.dsos[0].dso, d->id);
	ck_assert_uint_eq(result.dsos[0].locations, 4);
	ck_assert_uint_eq(result.dsos[0].unknown, 0);
	ck_assert_int_eq(result.dsos[0].reason, UNKNOWN_NOT);
	ck_assert_str_eq(result.dsos[0].path, toolchain_path("prog"));
	ck_assert_ptr_null(result.dsos[0].note);
}
END_TEST

START_TEST(options)
{
	static const char *const want[2][2][2] = {
		/* no_inline, no_lines, no_demangle */
		{ { "leaf!i prog.c:102 < middle!i prog.c:203 < "
		    "ns::Outer::run.part.0 prog.c:303 (prog)",
		    "leaf!i prog.c:102 < middle!i prog.c:203 < _ZN2ns5Outer3runEi.part.0 prog.c:303 "
		    "(prog)" },
		  { "leaf!i < middle!i < ns::Outer::run.part.0 (prog)",
		    "leaf!i < middle!i < _ZN2ns5Outer3runEi.part.0 (prog)" } },
		{ { "ns::Outer::run.part.0 prog.c:102 (prog)",
		    "_ZN2ns5Outer3runEi.part.0 prog.c:102 (prog)" },
		  { "ns::Outer::run.part.0 (prog)", "_ZN2ns5Outer3runEi.part.0 (prog)" } },
	};
	uint32_t leaf = add_loc(add_file("prog"), offset_of("prog", "in_leaf"));

	opts.no_inline = _i & 4;
	opts.no_lines = _i & 2;
	opts.no_demangle = _i & 1;
	run();
	is(leaf, want[_i >> 2][_i >> 1 & 1][_i & 1]);
}
END_TEST

START_TEST(without_debug_data)
{
	uint64_t at = offset_of("prog", "in_leaf"), nobody = offset_of("prog", "after") - 32;
	struct dso *symbols = add_file("prog-symbols"), *stripped = add_file("prog-stripped");
	uint32_t a = add_loc(symbols, at), b = add_loc(stripped, at), c = add_loc(symbols, nobody);
	uint32_t outside = add_loc(symbols, 0x12345678);

	run();
	is(a, "ns::Outer::run.part.0 (prog-symbols)");
	is(b, "[prog-stripped]!u (prog-stripped)");
	because(b, UNKNOWN_NO_SYMBOL); /* .dynsym has some: stubs */
	is(c, "[prog-symbols]!u (prog-symbols)");
	because(c, UNKNOWN_NO_SYMBOL);
	because(outside, UNKNOWN_NO_SYMBOL);
	ck_assert_uint_eq(result.n, 2);
	ck_assert_uint_eq(result.dsos[0].locations, 3);
	ck_assert_uint_eq(result.dsos[0].unknown, 2);
}
END_TEST

START_TEST(reasons)
{
	struct dso *gone = add_file("gone.so"), *other = add_file("prog"),
		   *bad = add_file("prog.c");
	struct dso *special = add_dso(DSO_SPECIAL, "[vsyscall]");
	struct dso *guest = add_dso(DSO_GUEST_KERNEL, "[guest.kernel.kallsyms]");
	struct dso *jit = add_dso(DSO_JIT, "//anon"),
		   *kernel = add_dso(DSO_KERNEL, "[kernel.kallsyms]");
	struct dso *mod = add_dso(DSO_MODULE, "[some_mod]"), *vdso = add_dso(DSO_VDSO, "[vdso]");
	uint32_t l[9];

	other->build_id = (struct build_id){ 8, { 9, 9, 9, 9, 9, 9, 9, 9 } };
	jit->pid = 77;
	for (size_t i = 0; i < 9; i++)
		l[i] = add_loc(&dsos[i], 0x1234);
	run();
	is(l[gone->id], "[gone.so]!u (gone.so)");
	because(l[gone->id], UNKNOWN_NO_FILE);
	is(l[other->id], "[prog]!u (prog)");
	because(l[other->id], UNKNOWN_BUILD_ID);
	because(l[bad->id], UNKNOWN_BAD_FILE);
	is(l[special->id], "[vsyscall]!u ([vsyscall])");
	because(l[special->id], UNKNOWN_SPECIAL);
	is(l[guest->id], "[guest.kernel]!k!g!u ([guest.kernel.kallsyms])");
	because(l[guest->id], UNKNOWN_KERNEL);
	is(l[jit->id], "[anon]!j!u (//anon)");
	because(l[jit->id], UNKNOWN_JIT);
	is(l[kernel->id], "[kernel]!k!u ([kernel.kallsyms])");
	because(l[kernel->id], UNKNOWN_KERNEL);
	is(l[mod->id], "[some_mod]!k!u ([some_mod])");
	because(l[mod->id], UNKNOWN_NO_FILE);
	is(l[vdso->id], "[vdso]!u ([vdso])");
	because(l[vdso->id], UNKNOWN_NO_FILE);
	ck_assert_uint_eq(result.n, 9);
	ck_assert(strstr(result.dsos[gone->id].note, "/gone.so was not found"));
	ck_assert(
		strstr(result.dsos[other->id].note,
		       "/prog has build-id 0123456789abcdef, the recording has 0909090909090909"));
	ck_assert(strstr(result.dsos[jit->id].note, "/perf-77.map: No such file"));
	ck_assert_int_eq(result.dsos[other->id].reason, UNKNOWN_BUILD_ID);
	ck_assert_ptr_null(result.dsos[other->id].path);
}
END_TEST

START_TEST(no_dso)
{
	uint32_t user, kernel, guest, name, mark;

	user = profile_loc(p, LOC_ADDR, CPUMODE_USER, 0x1234, 0);
	kernel = profile_loc(p, LOC_ADDR, CPUMODE_KERNEL, 0x1234, 0);
	guest = profile_loc(p, LOC_ADDR, CPUMODE_GUEST_KERNEL, 0x1234, 0);
	name = profile_loc(p, LOC_NAME, 0, profile_string(p, "a name", 6), 0);
	mark = profile_loc(p, LOC_MARK, 0, profile_string(p, "[truncated]", 11), 0);
	symbolize(p, NULL, NULL, &opts, &result, NULL, NULL);
	is(user, "[unknown]!u ()");
	because(user, UNKNOWN_NO_MAP);
	is(kernel, "[kernel]!k!u ()");
	because(kernel, UNKNOWN_KERNEL);
	is(guest, "[kernel]!k!g!u ()");
	is(name, "a name ()");
	is(mark, "[truncated] ()");
	because(name, UNKNOWN_NOT);
	ck_assert_uint_eq(result.n, 0);
}
END_TEST

START_TEST(jit)
{
	struct dso *anon = add_dso(DSO_JIT, "//anon"), *memfd = add_dso(DSO_JIT, "/memfd:jit");
	struct dso *code = add_dso(DSO_CODE, "jit-42.dump"), *bpf = add_dso(DSO_CODE, "bpf");
	struct dso *injected = add_file("jitted-42-0.so");
	uint32_t a, b, c, d, e, f;

	anon->pid = memfd->pid = code->pid = 42;
	code->symbol = "Foo.first(int; long)";
	bpf->symbol = "bpf_prog_1_x";
	toolchain_source("perf-42.map", "7000 100 LazyCompile:*f a b.js:1\n"
					"7100 10 _ZN2ns1S1fEi\n");
	toolchain_run("cp prog-symbols jitted-42-0.so");
	a = add_loc(anon, 0x7010);
	b = add_loc(memfd, 0x7100);
	c = add_loc(anon, 0x8000);
	d = add_loc(code, 0x9000);
	e = add_loc(bpf, 0x9000);
	f = add_loc(injected, offset_of("prog", "in_helper"));
	run();
	is(a, "LazyCompile:*f a b.js:1!j (//anon)");
	is(b, "ns::S::f!j (memfd:jit)");
	is(c, "[anon]!j!u (//anon)");
	because(c, UNKNOWN_JIT);
	is(d, "Foo.first(int; long)!j (jit-42.dump)");
	is(e, "bpf_prog_1_x!k (bpf)");
	is(f, "helper!j (jitted-42-0.so)");
	ck_assert_str_eq(result.dsos[0].path, toolchain_path("perf-42.map"));
}
END_TEST

START_TEST(kernel_and_modules)
{
	struct dso *kernel = add_dso(DSO_KERNEL, "[kernel.kallsyms]");
	struct dso *mod = add_dso(DSO_MODULE, "[some_mod]");
	uint32_t a, b, c, d;

	toolchain_source("kallsyms", "ffffffff81000000 T _stext\nffffffff81000100 T vfs_read\n"
				     "ffffffff81000200 D data\n"
				     "ffffffffc0000000 t mod_read\t[some_mod]\n");
	kernel->start = kernel->ref_addr = 0xffffffff81000000;
	kernel->ref_name = "_stext";
	mod->start = 0xffffffffc0000000;
	opts.where.kallsyms = toolchain_path("kallsyms");
	a = add_loc(kernel, 0xffffffff81000123);
	b = add_loc(kernel, 0xffffffff81000200);
	c = add_loc(mod, 0xffffffffc0000010);
	d = profile_loc(p, LOC_ADDR, CPUMODE_KERNEL, 0x1234, 0);
	run();
	is(a, "vfs_read!k ([kernel.kallsyms])");
	is(b, "[kernel]!k!u ([kernel.kallsyms])");
	because(b, UNKNOWN_NO_SYMBOL);
	is(c, "mod_read!k ([some_mod])");
	is(d, "[kernel]!k!u ()");
	because(d, UNKNOWN_NO_MAP);
}
END_TEST

/* Without kallsyms a module's file names what is in .text. */
START_TEST(module_file)
{
	struct dso *mod = add_file("some-mod.ko");
	uint32_t a, b;

	toolchain_source("mod.c",
			 "int init(void) { return 0; }\n"
			 "__attribute__((aligned(64))) int mod_read(int a) { return a * 3; }");
	toolchain_run("gcc -O1 -g -fno-pic -c -o some-mod.ko mod.c");
	mod->kind = DSO_MODULE;
	mod->name = "[some_mod]";
	mod->start = 0xffffffffc0000000;
	a = add_loc(mod, 0xffffffffc0000041);
	b = add_loc(mod, 0xffffffffc0001000);
	run();
	is(a, "mod_read!k ([some_mod])");
	is(b, "[some_mod]!k!u ([some_mod])");
}
END_TEST

/* simpleperf's symbols travel with the recording and go before files. */
START_TEST(simpleperf)
{
	struct sp_symbol elf[] = { { 0x2000, 0x10, (char *)"second" },
				   { 0x1000, 0x20, (char *)"_ZN2ns1S1fEi" } };
	struct sp_symbol kern[] = { { 0xffffffc000100000, 0x100, (char *)"do_idle" } };
	struct sp_file files[] = {
		{ .path = (char *)"[kernel.kallsyms]",
		  .type = 0,
		  .symbols = kern,
		  .nr_symbols = 1,
		  .file_offset_of_min_vaddr = UINT64_MAX },
		{ .path = (char *)toolchain_path("prog"),
		  .type = 2,
		  .min_vaddr = 0x1000,
		  .file_offset_of_min_vaddr = 0x400,
		  .symbols = elf,
		  .nr_symbols = 2 },
	};
	struct dso *prog = add_file("prog"), *kernel = add_dso(DSO_KERNEL, "[kernel.kallsyms]");
	uint32_t a = add_loc(prog, 0x410), b = add_loc(prog, 0x1408), c = add_loc(prog, 0x420);
	uint32_t k = add_loc(kernel, 0xffffffc000100010);

	features.sp_files = files;
	features.nr_sp_files = 2;
	run();
	is(a, "ns::S::f (prog)");
	is(b, "second (prog)");
	is(c, "[prog]!u (prog)");
	because(c, UNKNOWN_NO_SYMBOL);
	is(k, "do_idle!k ([kernel.kallsyms])");
}
END_TEST

/* Debug data that cannot be read: names from the symbol table, and a sentence. */
START_TEST(unreadable_debug_data)
{
	uint32_t leaf;
	size_t n;
	unsigned char *file;
	int patched = 0;

	if (toolchain_try("gcc -O1 -g -gz=none -fno-ipa-icf -o broken prog.c && objcopy "
			  "--compress-debug-sections=zstd broken 2>/dev/null"))
		return;
	file = toolchain_read("broken", &n);
	for (size_t i = 0; i + 4 < n; i++)
		if (!memcmp(file + i, "\x28\xb5\x2f\xfd", 4)) {
			file[i] ^= 1;
			patched++;
		}
	toolchain_write("broken", file, n);
	free(file);
	if (!patched)
		return; /* too small to be worth compressing */
	leaf = add_loc(add_file("broken"), offset_of("broken", "in_leaf"));
	run();
	is(leaf, "ns::Outer::run.part.0 (broken)");
	ck_assert(strstr(result.dsos[0].note, "compressed debug sections cannot be inflated"));
}
END_TEST

/* --- threads --- */

static uint64_t progress_last;

static void on_progress(void *ctx, uint64_t done, uint64_t total)
{
	ck_assert_uint_le(done, total);
	ck_assert_uint_eq(total, *(uint64_t *)ctx);
	progress_last = done;
}

static struct profile *many(unsigned threads, uint64_t *total)
{
	struct profile *many_p = profile_new();
	struct symbolizer_result r;

	opts.threads = threads;
	*total = 0;
	/* back to front, so that ids are in no order of the addresses */
	for (uint64_t at = 0x6000; at-- > 0x1000; (*total)++)
		profile_loc(many_p, LOC_DSO, (uint32_t)(at % 3), at, 0);
	symbolize(many_p, &table, NULL, &opts, &r, on_progress, total);
	symbolizer_result_release(&r);
	return many_p;
}

/* Member by member, as there are gaps between them. */
static void same_lines(const struct profile *a, const struct profile *b)
{
	for (size_t i = 0; i < a->nr_lines; i++) {
		ck_assert_uint_eq(a->lines[i].func, b->lines[i].func);
		ck_assert_uint_eq(a->lines[i].file, b->lines[i].file);
		ck_assert_uint_eq(a->lines[i].line, b->lines[i].line);
		ck_assert_uint_eq(a->lines[i].flags, b->lines[i].flags);
	}
	for (size_t i = 0; i < a->nr_funcs; i++) {
		ck_assert_uint_eq(a->funcs[i].name, b->funcs[i].name);
		ck_assert_uint_eq(a->funcs[i].module, b->funcs[i].module);
		ck_assert_uint_eq(a->funcs[i].flags, b->funcs[i].flags);
	}
	for (size_t i = 0; i < a->nr_locs; i++) {
		ck_assert_uint_eq(a->locs[i].first_line, b->locs[i].first_line);
		ck_assert_uint_eq(a->locs[i].nr_lines, b->locs[i].nr_lines);
		ck_assert_uint_eq(a->locs[i].reason, b->locs[i].reason);
	}
}

START_TEST(same_for_any_number_of_threads)
{
	struct profile *one, *other;
	uint64_t total;

	add_file("prog");
	add_file("prog-symbols");
	add_file("gone");
	one = many(1, &total);
	ck_assert_uint_eq(progress_last, total);
	for (unsigned threads = 2; threads < 9; threads += 3) {
		other = many(threads, &total);
		ck_assert_uint_eq(one->nr_lines, other->nr_lines);
		ck_assert_uint_eq(one->nr_funcs, other->nr_funcs);
		ck_assert_uint_eq(intern_count(one->strings), intern_count(other->strings));
		same_lines(one, other);
		for (uint32_t i = 0; i < intern_count(one->strings); i++)
			ck_assert_str_eq(profile_str(one, i), profile_str(other, i));
		profile_free(other);
	}
	profile_free(one);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("symbolizer");
	TCase *tc = tcase_create("symbolizer");
	SRunner *sr;
	int failed;

	tcase_add_unchecked_fixture(tc, make_files, toolchain_end);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, split_debug_data);
	tcase_add_test(tc, moved_debug_data);
	tcase_add_test(tc, trampoline);
	tcase_add_test(tc, inlined);
	tcase_add_loop_test(tc, options, 0, 8);
	tcase_add_test(tc, without_debug_data);
	tcase_add_test(tc, reasons);
	tcase_add_test(tc, no_dso);
	tcase_add_test(tc, jit);
	tcase_add_test(tc, kernel_and_modules);
	tcase_add_test(tc, module_file);
	tcase_add_test(tc, simpleperf);
	tcase_add_test(tc, unreadable_debug_data);
	tcase_add_test(tc, same_for_any_number_of_threads);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
