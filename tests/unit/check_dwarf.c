/* SPDX-License-Identifier: MIT */
/*
 * Frames of programs that the compilers of this machine make now.
 *
 * The programs say themselves what is right.  MARK puts a label in the code and its address and
 * line in a section of its own.  Each function starts at a line of its own hundred (#line), so
 * that a line number tells which function it is in, and each call that is inlined stands on one
 * line that is known.  So for every address of a function, not only the marked ones, the frames
 * can be judged: which function may be in which, called from which line.
 */
#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "symbol/dwarf.h"

#define MARKS_MAX 256

static char dir[] = "/tmp/check_dwarf.XXXXXX";

/* --- the programs --- */

#define PREAMBLE                                                                    \
	"#define MARK __asm__ volatile(\"1: nop\\n.pushsection .marks,\\\"a\\\"\\n" \
	".balign 8\\n.quad 1b-.\\n.quad %c0\\n.popsection\" :: \"i\"(__LINE__))\n"  \
	"#define AI static inline __attribute__((always_inline))\n"                 \
	"#define NI __attribute__((noinline))\n"                                    \
	"#ifdef SECOND\nextern volatile int sink;\n#else\nvolatile int sink;\n#endif\n"

static const char c_source[] = PREAMBLE
	"#line 100\n"
	"AI void leaf(int x)\n" /* 100 */
	"{\n"
	"	sink += x;\n"
	"	if (x & 1) {\n"
	"		int q = sink;\n"
	"		MARK;\n" /* 105 */
	"		{ int r = q + x; sink = r; }\n"
	"	}\n"
	"}\n"
	"#line 200\n"
	"AI void middle(int x)\n" /* 200 */
	"{\n"
	"	for (int i = 0; i < 2; i++) {\n"
	"		leaf(x + sink);\n" /* 203 */
	"	}\n"
	"	MARK;\n" /* 205 */
	"}\n"
	"#line 300\n"
	"NI void worker(int x)\n" /* 300 */
	"{\n"
	"	middle(x);\n" /* 302 */
	"	MARK;\n" /* 303 */
	"}\n"
	"#line 500\n"
	"NI __attribute__((cold)) void rare(int x) { sink = x * 3; }\n"
	"#line 400\n"
	"NI void other(int x)\n" /* 400 */
	"{\n"
	"	if (sink == 12345) {\n"
	"		rare(x);\n" /* 403 */
	"		leaf(x * 2 + 1);\n" /* 404, in other.cold */
	"		MARK;\n" /* 405, in other.cold */
	"		rare(x + 1);\n"
	"	}\n"
	"	sink ^= x;\n"
	"	MARK;\n" /* 409 */
	"}\n"
	"#line 600\n"
	"NI void unused(int x) { leaf(x); middle(x); }\n"
	"#line 700\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	(void)argv;\n"
	"	worker(argc);\n"
	"	other(argc);\n"
	"	return 0;\n"
	"}\n";

static const char cpp_source[] = PREAMBLE
	"#line 900\n"
	"inline NI void shared(int x)\n" /* in two units */
	"{\n"
	"	sink += x * 7;\n"
	"}\n"
	"#ifndef SECOND\n"
	"namespace a {\n"
	"struct B { int n; int method(int); struct C { int n; void get(int x); }; };\n"
	"namespace {\n"
	"struct Op {\n"
	"#line 100\n"
	"	__attribute__((always_inline)) inline void operator()(int x) const\n"
	"	{\n"
	"		sink += x;\n"
	"		MARK;\n" /* 103 */
	"	}\n"
	"};\n"
	"#line 200\n"
	"AI void hidden(int x)\n"
	"{\n"
	"	Op op;\n"
	"	op(x);\n" /* 203 */
	"	MARK;\n" /* 204 */
	"}\n"
	"}\n"
	"#line 300\n"
	"NI int B::method(int x)\n"
	"{\n"
	"	hidden(x);\n" /* 302 */
	"	MARK;\n" /* 303 */
	"	return n;\n"
	"}\n"
	"#line 400\n"
	"NI void B::C::get(int x)\n"
	"{\n"
	"	auto l = [this](int y) __attribute__((always_inline)) {\n"
	"		sink = n + y;\n"
	"		MARK;\n" /* 404 */
	"	};\n"
	"	l(x);\n" /* 406 */
	"	MARK;\n" /* 407 */
	"}\n"
	"}\n"
	"void second(int x);\n"
	"#line 500\n"
	"int main(int argc, char **)\n"
	"{\n"
	"	a::B b = { argc };\n"
	"	a::B::C c = { argc };\n"
	"	shared(b.method(argc));\n"
	"	c.get(argc);\n"
	"	second(argc);\n"
	"	return 0;\n"
	"}\n"
	"#else\n"
	"#line 800\n"
	"NI void second(int x)\n"
	"{\n"
	"	shared(x);\n"
	"}\n"
	"#endif\n";

static void write_source(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	ck_assert_int_eq(fclose(f), 0);
}

static void write_sources(void)
{
	write_source("w.c", c_source);
	write_source("w.cc", cpp_source);
}

/* Run COMMAND in the folder of the programs; false when it fails. */
static bool run(const char *command)
{
	char line[2048];

	snprintf(line, sizeof(line), "cd %s && exec >>log 2>&1 && %s", dir, command);
	return system(line) == 0;
}

/* --- what is in the program --- */

struct mark {
	uint64_t addr;
	unsigned line;
};

struct program {
	char path[256];
	struct dwarf_index *di;
	VEC(struct mark) marks;
	struct symbol {
		uint64_t addr, size;
		char name[64]; /* without what follows a dot */
	} symbols[64];
	size_t nr_symbols;
	uint64_t stub; /* of a section .plt or the like */
};

static void read_symbols(struct program *p, Elf_Scn *scn, const GElf_Shdr *sh, Elf *elf)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	GElf_Sym sym;

	for (int i = 0; d && gelf_getsym(d, i, &sym); i++) {
		struct symbol *s = &p->symbols[p->nr_symbols];
		const char *name = elf_strptr(elf, sh->sh_link, sym.st_name);

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !sym.st_size || !name ||
		    name[0] == '_' || p->nr_symbols == 64)
			continue;
		s->addr = sym.st_value;
		s->size = sym.st_size;
		snprintf(s->name, sizeof(s->name), "%.*s", (int)strcspn(name, "."), name);
		p->nr_symbols++;
	}
}

static void read_marks(struct program *p, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *d = elf_getdata(scn, NULL);

	ck_assert_ptr_nonnull(d);
	for (size_t i = 0; i + 16 <= d->d_size; i += 16) {
		uint64_t v[2];

		memcpy(v, (char *)d->d_buf + i, 16);
		vec_push(&p->marks, (struct mark){ sh->sh_addr + i + v[0], (unsigned)v[1] });
	}
}

/* Symbols and marks of the program of that name, without its debug data. */
static void program_read(struct program *p, const char *name)
{
	Elf_Scn *scn = NULL;
	size_t names;
	Elf *elf;
	int fd;

	*p = (struct program){ 0 };
	snprintf(p->path, sizeof(p->path), "%s/%s", dir, name);
	fd = open(p->path, O_RDONLY);
	ck_assert_msg(fd >= 0, "%s", p->path);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	ck_assert_int_eq(elf_getshdrstrndx(elf, &names), 0);
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		ck_assert_ptr_nonnull(gelf_getshdr(scn, &sh));
		if (sh.sh_type == SHT_SYMTAB)
			read_symbols(p, scn, &sh, elf);
		if (!strcmp(elf_strptr(elf, names, sh.sh_name), ".marks"))
			read_marks(p, scn, &sh);
		if (!strncmp(elf_strptr(elf, names, sh.sh_name), ".plt", 4))
			p->stub = sh.sh_addr;
	}
	elf_end(elf);
	close(fd);
}

static void program_open(struct program *p, const char *name)
{
	struct err err = { 0 };
	char full[64];
	int fd;

	snprintf(full, sizeof(full), "%.50s%s", name, strcmp(name, "debug") ? "" : ".full");
	program_read(p, full);
	snprintf(p->path, sizeof(p->path), "%s/%s", dir, name);
	fd = open(p->path, O_RDONLY);
	ck_assert_msg(dwarf_index_new(fd, p->path, &p->di, &err) == 0, "%s", err.text);
}

static void program_close(struct program *p)
{
	dwarf_index_free(p->di);
	vec_release(&p->marks);
}

static const struct symbol *symbol_at(const struct program *p, uint64_t addr)
{
	for (size_t i = 0; i < p->nr_symbols; i++)
		if (addr - p->symbols[i].addr < p->symbols[i].size)
			return &p->symbols[i];
	ck_abort_msg("%s: no symbol at 0x%" PRIx64, p->path, addr);
	return NULL;
}

/* "name:line name:line", innermost first; as clang and GCC name things alike. */
static const char *chain(struct program *p, uint64_t addr, char *out, size_t size)
{
	const struct dwarf_frame *f;
	size_t n = dwarf_index_lookup(p->di, addr, &f), at = 0;

	out[0] = 0;
	for (size_t i = 0; i < n && at < size; i++) {
		at += (size_t)snprintf(out + at, size - at, "%s%s:%" PRIu32, i ? " " : "",
				       f[i].name ? f[i].name : "?", f[i].line);
		ck_assert_int_eq(f[i].inlined, i + 1 < n);
		if (f[i].line) {
			ck_assert_ptr_nonnull(f[i].file);
			ck_assert_int_eq(f[i].file[0], '/');
		}
	}
	return out;
}

/* --- C --- */

struct fact {
	unsigned line;
	const char *symbol, *chain;
};

static const struct fact c_facts[] = {
	{ 105, "worker", "leaf:105 middle:203 worker:302" },
	{ 205, "worker", "middle:205 worker:302" },
	{ 303, "worker", "worker:303" },
	{ 105, "other", "leaf:105 other:404" },
	{ 405, "other", "other:405" },
	{ 409, "other", "other:409" },
};

static void check_facts(struct program *p, const struct fact *facts, size_t n)
{
	char text[512];

	for (size_t k = 0; k < n; k++) {
		size_t seen = 0;

		for (size_t i = 0; i < p->marks.n; i++) {
			const struct mark *m = &p->marks.v[i];

			if (m->line != facts[k].line ||
			    strcmp(symbol_at(p, m->addr)->name, facts[k].symbol) != 0)
				continue;
			seen++;
			ck_assert_msg(!strcmp(chain(p, m->addr, text, sizeof(text)),
					      facts[k].chain),
				      "%s: 0x%" PRIx64 ": %s instead of %s", p->path, m->addr, text,
				      facts[k].chain);
		}
		ck_assert_msg(seen, "%s: no mark of line %u in %s", p->path, facts[k].line,
			      facts[k].symbol);
	}
}

/* Where in which function what may be inlined, and the lines of the functions. */
struct call {
	const char *inner, *outer;
	uint32_t line;
};

static const struct call c_calls[] = {
	{ "leaf", "middle", 203 }, { "middle", "worker", 302 }, { "leaf", "other", 404 },
	{ "leaf", "unused", 600 }, { "middle", "unused", 600 },
};

static const struct {
	const char *name;
	uint32_t from, to;
} c_lines[] = {
	{ "leaf", 100, 108 }, { "middle", 200, 206 }, { "worker", 300, 304 }, { "other", 400, 410 },
	{ "rare", 500, 500 }, { "unused", 600, 600 }, { "main", 700, 706 },
};

static bool call_exists(const char *inner, const char *outer, uint32_t line)
{
	for (size_t i = 0; i < sizeof(c_calls) / sizeof(c_calls[0]); i++)
		if (!strcmp(c_calls[i].inner, inner) && !strcmp(c_calls[i].outer, outer) &&
		    c_calls[i].line == line)
			return true;
	return false;
}

static bool line_fits(const char *name, uint32_t line)
{
	for (size_t i = 0; i < sizeof(c_lines) / sizeof(c_lines[0]); i++)
		if (!strcmp(c_lines[i].name, name))
			return line == 0 || (line >= c_lines[i].from && line <= c_lines[i].to);
	return false;
}

/* One address: its frames could be so by the program's text, and end in the symbol. */
static void check_address(struct program *p, const struct symbol *s, uint64_t addr)
{
	const struct dwarf_frame *f;
	size_t n = dwarf_index_lookup(p->di, addr, &f);

	ck_assert_msg(n >= 1, "%s: 0x%" PRIx64 ": no frame", p->path, addr);
	if (n == 1 && !f[0].name && strstr(p->path, "clang")) {
		/* with lines only, clang has DIEs for functions with inlined calls, no others */
		ck_assert(strstr(p->path, "g1") || strstr(p->path, "lt"));
		ck_assert(line_fits(s->name, f[0].line));
		return;
	}
	ck_assert_str_eq(f[n - 1].name, s->name);
	/* with -g1 GCC's calls and lines differ by an instruction here and there: marks only */
	ck_assert_msg(line_fits(f[0].name, f[0].line) || strstr(p->path, "gccg1"),
		      "%s: 0x%" PRIx64 ": %s:%" PRIu32, p->path, addr, f[0].name, f[0].line);
	for (size_t i = 1; i < n; i++)
		ck_assert_msg(call_exists(f[i - 1].name, f[i].name, f[i].line),
			      "%s: 0x%" PRIx64 ": %s in %s:%" PRIu32, p->path, addr, f[i - 1].name,
			      f[i].name, f[i].line);
}

static bool is_known(const char *name)
{
	for (size_t i = 0; i < sizeof(c_lines) / sizeof(c_lines[0]); i++)
		if (!strcmp(c_lines[i].name, name))
			return true;
	return false;
}

static void check_c(const char *name)
{
	struct program p;
	size_t functions = 0;

	program_open(&p, name);
	/* --gc-sections drops the marks as well: only the program's text is left to judge by */
	if (p.marks.n || !strstr(name, "gc_"))
		check_facts(&p, c_facts, sizeof(c_facts) / sizeof(c_facts[0]));
	for (size_t i = 0; i < p.nr_symbols; i++) {
		const struct symbol *s = &p.symbols[i];

		if (!is_known(s->name))
			continue;
		functions++;
		for (uint64_t k = 0; k < s->size; k++)
			check_address(&p, s, s->addr + k);
	}
	ck_assert_uint_ge(functions, 4);
	program_close(&p);
}

/* Link-time optimisers need a second object only in name: one file is enough to go through it. */
static const struct variant {
	const char *name, *needs, *command;
} c_variants[] = {
	{ "gcc2", "gcc", "gcc -O2 -gdwarf-2 -c w.c -o gcc2.o && gcc gcc2.o -o gcc2" },
	{ "gcc3", "gcc", "gcc -O2 -gdwarf-3 -c w.c -o gcc3.o && gcc gcc3.o -o gcc3" },
	{ "gcc4", "gcc", "gcc -O2 -gdwarf-4 -c w.c -o gcc4.o && gcc gcc4.o -o gcc4" },
	{ "gcc5", "gcc", "gcc -O2 -gdwarf-5 -c w.c -o gcc5.o && gcc gcc5.o -o gcc5" },
	{ "gcc0", "gcc", "gcc -O0 -g -c w.c -o gcc0.o && gcc gcc0.o -o gcc0" },
	{ "gccg1", "gcc", "gcc -O2 -g1 -c w.c -o gccg1.o && gcc gccg1.o -o gccg1" },
	{ "gcc64", "gcc", "gcc -O2 -gdwarf-5 -gdwarf64 -c w.c -o gcc64.o && gcc gcc64.o -o gcc64" },
	{ "gccz", "gcc", "gcc -O2 -gdwarf-5 -gz=zlib w.c -o gccz" },
	{ "gcczg", "gcc",
	  "gcc -O2 -gdwarf-4 w.c -o t && objcopy --compress-debug-sections=zlib-gnu t gcczg" },
	{ "gcctypes", "gcc", "gcc -O2 -gdwarf-4 -fdebug-types-section w.c -o gcctypes" },
	{ "gc_gcc", "gcc", "gcc -O2 -g -ffunction-sections -Wl,--gc-sections w.c -o gc_gcc" },
	{ "gcclto", "gcc", "gcc -O2 -g -flto w.c -o gcclto" },
	{ "gccs4", "gcc",
	  "gcc -O2 -gdwarf-4 -gsplit-dwarf -c w.c -o gccs4.o && gcc gccs4.o -o gccs4" },
	{ "gccs5", "gcc",
	  "gcc -O2 -gdwarf-5 -gsplit-dwarf -c w.c -o gccs5.o && gcc gccs5.o -o gccs5" },
	{ "gccmoved", "gcc",
	  "mkdir gone && cd gone && gcc -O2 -gdwarf-5 -gsplit-dwarf -c ../w.c -o moved.o && "
	  "gcc moved.o -o ../gccmoved && mv moved.dwo .." },
	{ "gccp4", "dwp",
	  "gcc -O2 -gdwarf-4 -gsplit-dwarf -c w.c -o gccp4.o && gcc gccp4.o -o gccp4 && "
	  "dwp -e gccp4 -o gccp4.dwp && rm gccp4.dwo" },
	/* llvm-dwp 14 doesn't end on GCC's .dwo files of C */
	{ "clangp5", "llvm-dwp",
	  "clang -O2 -gdwarf-5 -gsplit-dwarf -c w.c -o clangp5.o && "
	  "clang clangp5.o -o clangp5 && "
	  "timeout 20 llvm-dwp -e clangp5 -o clangp5.dwp && rm clangp5.dwo" },
	{ "dwz4", "dwz",
	  "gcc -O2 -gdwarf-4 w.c -o dwz4 && cp dwz4 dwz4b && dwz -m dwz4.alt -r dwz4 dwz4b" },
	{ "dwz5", "dwz",
	  "gcc -O2 -gdwarf-5 w.c -o dwz5 && cp dwz5 dwz5b && "
	  "dwz --dwarf-5 -m dwz5.alt -r dwz5 dwz5b" },
	{ "debug", "objcopy",
	  "gcc -O2 -g w.c -o debug.full && objcopy --only-keep-debug debug.full debug" },
	{ "clang4", "clang", "clang -O2 -gdwarf-4 w.c -o clang4" },
	{ "clang5", "clang", "clang -O2 -gdwarf-5 w.c -o clang5" },
	{ "clangg1", "clang", "clang -O2 -g1 w.c -o clangg1" },
	{ "clanglt", "clang", "clang -O2 -gline-tables-only w.c -o clanglt" },
	{ "clang64", "clang", "clang -O2 -gdwarf-5 -gdwarf64 w.c -o clang64" },
	{ "clangs4", "clang",
	  "clang -O2 -gdwarf-4 -gsplit-dwarf -c w.c -o clangs4.o && "
	  "clang clangs4.o -o clangs4" },
	{ "clangs5", "clang",
	  "clang -O2 -gdwarf-5 -gsplit-dwarf -c w.c -o clangs5.o && "
	  "clang clangs5.o -o clangs5" },
	{ "clanglto", "ld.lld", "clang -O2 -g -flto -fuse-ld=lld w.c -o clanglto" },
	{ "gc_clang", "ld.lld",
	  "clang -O2 -g -ffunction-sections -fuse-ld=lld -Wl,--gc-sections w.c "
	  "-o gc_clang" },
};

static bool have(const char *program)
{
	char line[128];

	snprintf(line, sizeof(line), "command -v %s >/dev/null 2>&1", program);
	return system(line) == 0;
}

/* Build it; false, with a line that says so, when this machine can't. */
static bool build(const struct variant *v)
{
	bool clang = strstr(v->command, "clang ") != NULL;

	if (!have(v->needs) || (clang && !have("clang"))) {
		fprintf(stderr, "skipped: %s: there is no %s here\n", v->name, v->needs);
		return false;
	}
	if (run(v->command))
		return true;
	/* an old one doesn't know some option; GCC's plain forms must work */
	ck_assert_msg(strcmp(v->name, "gcc4") && strcmp(v->name, "gcc5"), "%s failed", v->command);
	fprintf(stderr, "skipped: %s: the command failed here\n", v->name);
	return false;
}

START_TEST(c_program)
{
	const struct variant *v = &c_variants[_i];

	if (build(v))
		check_c(v->name);
}
END_TEST

/* A package or common file that belongs to something else is not used, and nothing is invented. */
START_TEST(foreign_halves)
{
	struct program p;
	const struct dwarf_frame *f;

	if (!run("gcc -O2 -gdwarf-5 -gsplit-dwarf -c w.c -o f1.o && gcc f1.o -o f1 && "
		 "gcc -O1 -gdwarf-5 -gsplit-dwarf -c w.c -o f2.o && mv f2.dwo f1.dwo"))
		return;
	program_open(&p, "f1");
	for (size_t i = 0; i < p.marks.n; i++) {
		ck_assert_uint_eq(dwarf_index_lookup(p.di, p.marks.v[i].addr, &f), 1);
		ck_assert_ptr_null(f[0].name);
		ck_assert_uint_eq(f[0].line, p.marks.v[i].line);
	}
	program_close(&p);
}
END_TEST

START_TEST(no_debug_data)
{
	struct dwarf_index *di;
	struct err err = { 0 };
	char path[256];

	ck_assert(run("gcc -O2 w.c -s -o bare"));
	snprintf(path, sizeof(path), "%s/bare", dir);
	ck_assert_int_eq(dwarf_index_new(open(path, O_RDONLY), path, &di, &err), -ERR_NOT_FOUND);
	ck_assert_ptr_null(di);
	ck_assert_ptr_nonnull(strstr(err.text, "expected debug data in .debug_info, found none"));
	ck_assert(run("gcc -O2 -g -c w.c -o bare.o"));
	snprintf(path, sizeof(path), "%s/bare.o", dir);
	ck_assert_int_eq(dwarf_index_new(open(path, O_RDONLY), path, &di, &err), -ERR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.text, "expected a linked file"));
	snprintf(path, sizeof(path), "%s/w.c", dir);
	ck_assert_int_eq(dwarf_index_new(open(path, O_RDONLY), path, &di, &err), -ERR_FORMAT);
	ck_assert_ptr_nonnull(strstr(err.text, "expected an ELF file"));
}
END_TEST

/* Only the unit that an address is in is walked, and all are listed for one that is in none. */
START_TEST(lazy)
{
	struct program p;
	struct dwarf_index_stats s;
	const struct dwarf_frame *f;

	if (!have("g++")) {
		fprintf(stderr, "skipped: lazy: there is no g++ here\n");
		return;
	}
	ck_assert(run("g++ -g -c w.cc -o l1.o && g++ -g -DSECOND -c w.cc -o l2.o && "
		      "g++ l1.o l2.o -o lazy"));
	program_open(&p, "lazy");
	ck_assert_uint_ne(p.stub, 0); /* of the linker, and in no unit */
	ck_assert_uint_eq(dwarf_index_lookup(p.di, p.stub, &f), 0);
	s = dwarf_index_stats(p.di);
	ck_assert_uint_eq(s.units, 0);
	ck_assert_uint_eq(s.units_walked, 0);
	ck_assert_uint_gt(dwarf_index_lookup(p.di, p.marks.v[0].addr, &f), 0);
	s = dwarf_index_stats(p.di);
	ck_assert_uint_eq(s.units_walked, 1);
	ck_assert_uint_eq(dwarf_index_lookup(p.di, 1, &f), 0);
	ck_assert_ptr_null(f);
	s = dwarf_index_stats(p.di);
	ck_assert_uint_eq(s.units, 2);
	ck_assert_uint_eq(s.units_walked, 1);
	program_close(&p);
}
END_TEST

/* An address near the first mark in a function that is called NAME. */
static uint64_t address_of(const char *program, const char *name)
{
	const struct dwarf_frame *f;
	struct program p;
	uint64_t found = 0;

	program_open(&p, program);
	ck_assert_uint_gt(p.marks.n, 0);
	for (uint64_t a = p.marks.v[0].addr - 4096; !found && a < p.marks.v[0].addr + 4096; a++) {
		size_t n = dwarf_index_lookup(p.di, a, &f);

		if (n && f[n - 1].name && !strcmp(f[n - 1].name, name))
			found = a;
	}
	program_close(&p);
	ck_assert_uint_ne(found, 0);
	return found;
}

/* Of two units .debug_aranges knows the second: both are found, whichever comes first. */
START_TEST(one_in_aranges)
{
	static const char *const names[] = { "method", "second", "method" };
	const struct dwarf_frame *f;
	struct program p;

	if (!have("g++") || !have("objcopy")) {
		fprintf(stderr, "skipped: one_in_aranges: there is no g++ or no objcopy here\n");
		return;
	}
	ck_assert(run("g++ -g -O1 -c w.cc -o k1.o && g++ -g -O1 -DSECOND -c w.cc -o k2.o && "
		      "objcopy -R .debug_aranges -R .rela.debug_aranges k1.o && "
		      "g++ k1.o k2.o -o known"));
	for (int first = 0; first < 2; first++) {
		program_open(&p, "known");
		for (int i = first; i < first + 2; i++) {
			uint64_t addr = address_of("known", names[i]);
			size_t n = dwarf_index_lookup(p.di, addr, &f);

			ck_assert_uint_gt(n, 0);
			ck_assert_str_eq(f[n - 1].name, names[i]);
			ck_assert_uint_eq(dwarf_index_lookup(p.di, 1, &f), 0);
		}
		ck_assert_uint_eq(dwarf_index_stats(p.di).units_walked, 2);
		program_close(&p);
	}
}
END_TEST

/* --- C++ --- */

struct cpp_fact {
	unsigned line;
	struct {
		const char *linkage, *scope, *name;
		uint32_t line;
	} frames[4];
};

/* GCC gives no linkage name to what other units can't see. */
static const struct cpp_fact gcc_facts[] = {
	{ 103,
	  { { NULL, "a::(anonymous namespace)::Op", "operator()", 103 },
	    { NULL, "a::(anonymous namespace)", "hidden", 203 },
	    { "_ZN1a1B6methodEi", NULL, "method", 302 } } },
	{ 204,
	  { { NULL, "a::(anonymous namespace)", "hidden", 204 },
	    { "_ZN1a1B6methodEi", NULL, "method", 302 } } },
	{ 303, { { "_ZN1a1B6methodEi", NULL, "method", 303 } } },
	{ 404,
	  { { NULL, "a::B::C::get::{lambda}", "operator()", 404 },
	    { "_ZN1a1B1C3getEi", NULL, "get", 406 } } },
	{ 407, { { "_ZN1a1B1C3getEi", NULL, "get", 407 } } },
};

static const struct cpp_fact clang_facts[] = {
	{ 103,
	  { { "_ZNK1a12_GLOBAL__N_12OpclEi", NULL, "operator()", 103 },
	    { "_ZN1a12_GLOBAL__N_16hiddenEi", NULL, "hidden", 203 },
	    { "_ZN1a1B6methodEi", NULL, "method", 302 } } },
	{ 303, { { "_ZN1a1B6methodEi", NULL, "method", 303 } } },
	{ 404,
	  { { "_ZZN1a1B1C3getEiENK*", NULL, "operator()", 404 },
	    { "_ZN1a1B1C3getEi", NULL, "get", 406 } } },
};

static void same(const char *a, const char *b)
{
	if (!a || !b)
		ck_assert_ptr_eq(a, b);
	else
		ck_assert_str_eq(a, b);
}

static void check_cpp_mark(struct program *p, const struct mark *m, const struct cpp_fact *fact)
{
	const struct dwarf_frame *f;
	size_t n = dwarf_index_lookup(p->di, m->addr, &f), want = 0;

	while (want < 4 && fact->frames[want].name)
		want++;
	ck_assert_uint_eq(n, want);
	for (size_t i = 0; i < n; i++) {
		/* versions of clang number lambdas differently */
		if (fact->frames[i].linkage && strchr(fact->frames[i].linkage, '*'))
			ck_assert_int_eq(strncmp(f[i].linkage_name, fact->frames[i].linkage,
						 strcspn(fact->frames[i].linkage, "*")),
					 0);
		else
			same(f[i].linkage_name, fact->frames[i].linkage);
		same(f[i].scope, fact->frames[i].scope);
		same(f[i].name, fact->frames[i].name);
		ck_assert_uint_eq(f[i].line, fact->frames[i].line);
	}
}

static void check_cpp(const char *name, const struct cpp_fact *facts, size_t n)
{
	struct program p;
	size_t shared = 0;

	program_open(&p, name);
	for (size_t k = 0; k < n; k++) {
		size_t seen = 0;

		for (size_t i = 0; i < p.marks.n; i++)
			if (p.marks.v[i].line == facts[k].line) {
				check_cpp_mark(&p, &p.marks.v[i], &facts[k]);
				seen++;
			}
		ck_assert_uint_ge(seen, 1);
	}
	program_close(&p);
	/* the copy of shared() that the linker kept, in whichever unit */
	program_open(&p, name);
	for (size_t i = 0; i < p.marks.n; i++)
		ck_assert(p.marks.v[i].line != 902);
	for (uint64_t a = p.marks.v[0].addr - 4096; a < p.marks.v[0].addr + 4096; a++) {
		const struct dwarf_frame *f;
		size_t frames = dwarf_index_lookup(p.di, a, &f);

		if (!frames || !f[0].name || strcmp(f[0].name, "shared"))
			continue;
		ck_assert_uint_eq(frames, 1);
		ck_assert_str_eq(f[0].linkage_name, "_Z6sharedi");
		ck_assert_uint_ge(f[0].line, 900);
		ck_assert_uint_le(f[0].line, 904);
		shared++;
	}
	ck_assert_uint_ge(shared, 8);
	program_close(&p);
}

#define CPP(cc, name, flags)                                                                 \
	cc " " flags " -c w.cc -o " name "1.o && " cc " " flags " -DSECOND -c w.cc -o " name \
	   "2.o && " cc " " flags " " name "1.o " name "2.o -o " name

static const struct variant cpp_variants[] = {
	{ "gxx4", "g++", CPP("g++", "gxx4", "-O2 -gdwarf-4") },
	{ "gxx5", "g++", CPP("g++", "gxx5", "-O2 -gdwarf-5") },
	{ "gxxt4", "g++", CPP("g++", "gxxt4", "-O2 -gdwarf-4 -fdebug-types-section") },
	{ "gxxt5", "g++", CPP("g++", "gxxt5", "-O2 -gdwarf-5 -fdebug-types-section") },
	{ "gxxs5", "g++", CPP("g++", "gxxs5", "-O2 -gdwarf-5 -gsplit-dwarf") },
	{ "gxxlto", "g++", CPP("g++", "gxxlto", "-O2 -g -flto") },
	{ "clang4xx", "clang++", CPP("clang++", "clang4xx", "-O2 -gdwarf-4") },
	{ "clang5xx", "clang++", CPP("clang++", "clang5xx", "-O2 -gdwarf-5") },
	{ "clangt5xx", "clang++",
	  CPP("clang++", "clangt5xx", "-O2 -gdwarf-5 -fdebug-types-section") },
};

START_TEST(cpp_program)
{
	const struct variant *v = &cpp_variants[_i];

	if (!build(v))
		return;
	if (!strncmp(v->name, "clang", 5))
		check_cpp(v->name, clang_facts, sizeof(clang_facts) / sizeof(clang_facts[0]));
	else
		check_cpp(v->name, gcc_facts, sizeof(gcc_facts) / sizeof(gcc_facts[0]));
}
END_TEST

/* --- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

int main(void)
{
	Suite *s = suite_create("dwarf");
	TCase *tc = tcase_create("programs");
	SRunner *sr;
	int failed;

	if (!mkdtemp(dir))
		return 99;
	tcase_add_unchecked_fixture(tc, write_sources, NULL);
	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, c_program, 0, sizeof(c_variants) / sizeof(c_variants[0]));
	tcase_add_loop_test(tc, cpp_program, 0, sizeof(cpp_variants) / sizeof(cpp_variants[0]));
	tcase_add_test(tc, foreign_halves);
	tcase_add_test(tc, no_debug_data);
	tcase_add_test(tc, lazy);
	tcase_add_test(tc, one_in_aranges);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	if (!failed || !getenv("KEEP"))
		nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return failed != 0;
}
