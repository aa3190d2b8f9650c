/* SPDX-License-Identifier: MIT */
/*
 * DWARF written by hand: what no compiler here makes (either byte order, 64-bit offsets, odd
 * forms, references in a circle, functions that a linker dropped), exact at every address; and
 * the same bytes damaged: cut at each length, and changed at random with a fixed seed.
 */
#include <check.h>
#include <elf.h>
#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbol/dwarf.h"

/* --- bytes --- */

struct buf {
	uint8_t b[8192];
	size_t n;
	bool be;
};

static void put_at(struct buf *o, size_t at, uint64_t v, unsigned size)
{
	ck_assert_uint_le(at + size, sizeof(o->b));
	for (unsigned i = 0; i < size; i++)
		o->b[at + (o->be ? size - 1 - i : i)] = (uint8_t)(i < 8 ? v >> 8 * i : 0);
}

static void put(struct buf *o, uint64_t v, unsigned size)
{
	put_at(o, o->n, v, size);
	o->n += size;
}

static void uleb(struct buf *o, uint64_t v)
{
	do {
		put(o, (v & 0x7f) | (v > 0x7f ? 0x80 : 0), 1);
		v >>= 7;
	} while (v);
}

static void sleb(struct buf *o, int64_t v)
{
	bool more = true;

	while (more) {
		uint8_t b = v & 0x7f;

		v >>= 7;
		more = !((v == 0 && !(b & 0x40)) || (v == -1 && (b & 0x40)));
		put(o, b | (more ? 0x80 : 0), 1);
	}
}

static void str(struct buf *o, const char *s)
{
	size_t n = strlen(s) + 1;

	ck_assert_uint_le(o->n + n, sizeof(o->b));
	memcpy(o->b + o->n, s, n);
	o->n += n;
}

static void bytes(struct buf *o, const struct buf *in)
{
	ck_assert_uint_le(o->n + in->n, sizeof(o->b));
	memcpy(o->b + o->n, in->b, in->n);
	o->n += in->n;
}

/* --- DWARF --- */

struct form {
	bool be, wide; /* byte order, 64-bit DWARF */
	unsigned version;
};

struct sections {
	struct buf abbrev, info, types, line;
};

static unsigned off_size(const struct form *fm)
{
	return fm->wide ? 8 : 4;
}

/* A length field, to be filled in by end_length(). */
static size_t begin_length(struct buf *o, const struct form *fm)
{
	if (fm->wide)
		put(o, 0xffffffff, 4);
	put(o, 0, off_size(fm));
	return o->n;
}

static void end_length(struct buf *o, const struct form *fm, size_t start)
{
	put_at(o, start - off_size(fm), o->n - start, off_size(fm));
}

enum {
	A_UNIT = 1,
	A_ABSTRACT,
	A_ORIGIN, /* a function that only has an abstract origin */
	A_NAMESPACE,
	A_DECLARATION,
	A_FUNCTION,
	A_BLOCK,
	A_CALL,
	A_MEMBER, /* a function with specification */
	A_TYPE_UNIT,
	A_STRUCT,
	A_SIGNED, /* a type whose definition is in a type unit */
};

static void abbrev(struct buf *o, unsigned code, unsigned tag, bool children)
{
	uleb(o, code);
	uleb(o, tag);
	put(o, children, 1);
}

static void attr(struct buf *o, unsigned name, unsigned form)
{
	uleb(o, name);
	uleb(o, form);
}

static void end_abbrev(struct buf *o)
{
	put(o, 0, 2);
}

static void write_abbrevs(struct buf *o, const struct form *fm)
{
	abbrev(o, A_UNIT, DW_TAG_compile_unit, true);
	attr(o, DW_AT_name, DW_FORM_string);
	attr(o, DW_AT_comp_dir, DW_FORM_string);
	attr(o, DW_AT_language, DW_FORM_data2);
	attr(o, DW_AT_low_pc, DW_FORM_addr);
	attr(o, DW_AT_high_pc, DW_FORM_udata);
	attr(o, DW_AT_stmt_list, DW_FORM_sec_offset);
	end_abbrev(o);
	abbrev(o, A_ABSTRACT, DW_TAG_subprogram, false);
	attr(o, DW_AT_inline, DW_FORM_data1);
	attr(o, DW_AT_linkage_name, DW_FORM_indirect);
	end_abbrev(o);
	abbrev(o, A_ORIGIN, DW_TAG_subprogram, false);
	attr(o, DW_AT_abstract_origin, DW_FORM_ref4);
	end_abbrev(o);
	abbrev(o, A_NAMESPACE, DW_TAG_namespace, true);
	attr(o, DW_AT_name, DW_FORM_string);
	end_abbrev(o);
	abbrev(o, A_DECLARATION, DW_TAG_subprogram, false);
	attr(o, DW_AT_name, DW_FORM_string);
	attr(o, DW_AT_declaration, DW_FORM_flag_present);
	end_abbrev(o);
	abbrev(o, A_FUNCTION, DW_TAG_subprogram, true);
	attr(o, DW_AT_name, DW_FORM_string);
	attr(o, DW_AT_low_pc, DW_FORM_addr);
	attr(o, DW_AT_high_pc, DW_FORM_data2);
	end_abbrev(o);
	abbrev(o, A_BLOCK, DW_TAG_lexical_block, true);
	attr(o, DW_AT_low_pc, DW_FORM_addr);
	attr(o, DW_AT_high_pc, DW_FORM_data1);
	end_abbrev(o);
	abbrev(o, A_CALL, DW_TAG_inlined_subroutine, true);
	attr(o, DW_AT_abstract_origin, DW_FORM_ref_udata);
	attr(o, DW_AT_low_pc, DW_FORM_addr);
	attr(o, DW_AT_high_pc, DW_FORM_addr);
	attr(o, DW_AT_call_file, fm->version == 5 ? DW_FORM_implicit_const : DW_FORM_sdata);
	if (fm->version == 5)
		sleb(o, 1);
	attr(o, DW_AT_call_line, DW_FORM_udata);
	end_abbrev(o);
	abbrev(o, A_MEMBER, DW_TAG_subprogram, false);
	attr(o, DW_AT_specification, DW_FORM_ref_addr);
	attr(o, DW_AT_low_pc, DW_FORM_addr);
	attr(o, DW_AT_high_pc, DW_FORM_data8);
	end_abbrev(o);
	abbrev(o, A_TYPE_UNIT, DW_TAG_type_unit, true);
	attr(o, DW_AT_language, DW_FORM_data2);
	end_abbrev(o);
	abbrev(o, A_STRUCT, DW_TAG_structure_type, false);
	attr(o, DW_AT_name, DW_FORM_string);
	end_abbrev(o);
	abbrev(o, A_SIGNED, DW_TAG_structure_type, true);
	attr(o, DW_AT_declaration, DW_FORM_flag_present);
	attr(o, DW_AT_signature, DW_FORM_ref_sig8);
	end_abbrev(o);
	put(o, 0, 1);
}

#define SIGNATURE 0x1122334455667788

static void unit_header(struct buf *o, const struct form *fm, unsigned type)
{
	put(o, fm->version, 2);
	if (fm->version == 5) {
		put(o, type, 1);
		put(o, 8, 1);
	}
	put(o, 0, off_size(fm));
	if (fm->version < 5)
		put(o, 8, 1);
}

static void write_type_unit(struct buf *o, const struct form *fm)
{
	size_t unit = o->n, start = begin_length(o, fm), type_off;

	unit_header(o, fm, DW_UT_type);
	put(o, SIGNATURE, 8);
	type_off = o->n;
	put(o, 0, off_size(fm));
	uleb(o, A_TYPE_UNIT);
	put(o, DW_LANG_C_plus_plus, 2);
	uleb(o, A_NAMESPACE);
	str(o, "N");
	put_at(o, type_off, o->n - unit, off_size(fm));
	uleb(o, A_STRUCT);
	str(o, "T");
	put(o, 0, 2);
	end_length(o, fm, start);
}

static void function(struct buf *o, const char *name, uint64_t low, unsigned size)
{
	uleb(o, A_FUNCTION);
	str(o, name);
	put(o, low, 8);
	put(o, size, 2);
}

static void call(struct buf *o, const struct form *fm, uint64_t origin, uint64_t low, uint64_t high,
		 unsigned line)
{
	uleb(o, A_CALL);
	uleb(o, origin);
	put(o, low, 8);
	put(o, high, 8);
	if (fm->version < 5)
		sleb(o, 1);
	uleb(o, line);
}

static void member(struct buf *o, const struct form *fm, uint64_t decl, uint64_t low)
{
	uleb(o, A_MEMBER);
	put(o, decl, off_size(fm));
	put(o, low, 8);
	put(o, 0x10, 8);
}

static void write_unit(struct buf *o, const struct form *fm)
{
	size_t unit = o->n, start = begin_length(o, fm), g, circle, h, m;

	unit_header(o, fm, DW_UT_compile);
	uleb(o, A_UNIT);
	str(o, "unit.cc");
	str(o, "/src");
	put(o, DW_LANG_C_plus_plus, 2);
	put(o, 0x1000, 8);
	uleb(o, 0x800);
	put(o, 0, off_size(fm));

	g = o->n;
	uleb(o, A_ABSTRACT);
	put(o, DW_INL_inlined, 1);
	uleb(o, DW_FORM_string);
	str(o, "_Z1gv");
	circle = o->n;
	uleb(o, A_ORIGIN);
	put(o, circle - unit + 5, 4);
	uleb(o, A_ORIGIN);
	put(o, circle - unit, 4);
	uleb(o, A_NAMESPACE);
	str(o, "N");
	h = o->n;
	uleb(o, A_DECLARATION);
	str(o, "h");
	uleb(o, A_SIGNED);
	put(o, SIGNATURE, 8);
	m = o->n;
	uleb(o, A_DECLARATION);
	str(o, "m");
	put(o, 0, 2); /* of the type and the namespace */

	function(o, "f", 0x1000, 0x100);
	uleb(o, A_BLOCK);
	put(o, 0x1010, 8);
	put(o, 0x20, 1);
	uleb(o, A_BLOCK);
	put(o, 0x1010, 8);
	put(o, 0x20, 1);
	call(o, fm, g - unit, 0x1010, 0x1020, 300);
	call(o, fm, circle - unit, 0x1014, 0x1018, 7);
	put(o, 0, 5); /* the two calls, the blocks and f */
	member(o, fm, h, 0x1100);
	member(o, fm, m, 0x1110);
	function(o, "dead", 0, 0x30);
	put(o, 0, 1);
	function(o, "dead", UINT64_MAX, 0x30);
	put(o, 0, 1);
	function(o, "dead", UINT64_MAX - 1, 0x30);
	put(o, 0, 1);
	function(o, "dead", 1, 0x3000);
	put(o, 0, 1);
	put(o, 0, 1);
	end_length(o, fm, start);
}

static void line_files(struct buf *o, const struct form *fm)
{
	if (fm->version < 5) {
		str(o, "inc");
		put(o, 0, 1);
		str(o, "unit.cc");
		uleb(o, 1);
		uleb(o, 0);
		uleb(o, 0);
		put(o, 0, 1);
		return;
	}
	put(o, 1, 1);
	uleb(o, DW_LNCT_path);
	uleb(o, DW_FORM_string);
	uleb(o, 2);
	str(o, "/src");
	str(o, "inc");
	put(o, 3, 1);
	uleb(o, DW_LNCT_directory_index);
	uleb(o, DW_FORM_udata);
	uleb(o, DW_LNCT_path);
	uleb(o, DW_FORM_string);
	uleb(o, DW_LNCT_MD5);
	uleb(o, DW_FORM_data16);
	uleb(o, 2);
	for (unsigned i = 0; i < 2; i++) {
		uleb(o, i);
		str(o, "unit.cc");
		put(o, 0, 8);
		put(o, 0, 8);
	}
}

static void set_address(struct buf *o, uint64_t addr)
{
	put(o, 0, 1);
	uleb(o, 9);
	put(o, DW_LNE_set_address, 1);
	put(o, addr, 8);
}

/* A row LINES further down at an address PC bytes on. */
static void row(struct buf *o, unsigned pc, int lines)
{
	put(o, DW_LNS_advance_pc, 1);
	uleb(o, pc);
	put(o, DW_LNS_advance_line, 1);
	sleb(o, lines);
	put(o, DW_LNS_copy, 1);
}

static void end_sequence(struct buf *o, unsigned pc)
{
	put(o, DW_LNS_advance_pc, 1);
	uleb(o, pc);
	put(o, 0, 1);
	uleb(o, 1);
	put(o, DW_LNE_end_sequence, 1);
}

static void write_lines(struct buf *o, const struct form *fm)
{
	static const uint8_t lengths[] = { 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2 };
	size_t start = begin_length(o, fm), header;

	put(o, fm->version, 2);
	if (fm->version == 5) {
		put(o, 8, 1);
		put(o, 0, 1);
	}
	put(o, 0, off_size(fm));
	header = o->n;
	put(o, 1, 1); /* minimum instruction */
	if (fm->version >= 4)
		put(o, 1, 1);
	put(o, 1, 1);
	put(o, (uint8_t)-3, 1);
	put(o, 12, 1);
	put(o, 14, 1); /* opcode_base: one more than we know */
	for (size_t i = 0; i < sizeof(lengths); i++)
		put(o, lengths[i], 1);
	line_files(o, fm);
	put_at(o, header - off_size(fm), o->n - header, off_size(fm));
	set_address(o, 0x1000);
	row(o, 0, 9); /* 0x1000: 10 */
	put(o, 13, 1); /* an opcode with two operands that nobody knows */
	uleb(o, 1000);
	uleb(o, 1);
	row(o, 0x10, 10); /* 0x1010: 20 */
	put(o, 14 + 4 * 12 + 5, 1); /* special: 0x1014: 22 */
	row(o, 0, 8); /* the same address: 30 is what counts */
	row(o, 4, -10); /* 0x1018: 20 */
	row(o, 8, -9); /* 0x1020: 11 */
	row(o, 0xe0, 29); /* 0x1100: 40 */
	end_sequence(o, 0x100);
	set_address(o, 0); /* a dropped function's */
	row(o, 0, 98);
	end_sequence(o, 0x3000);
	end_length(o, fm, start);
}

static void write_sections(struct sections *s, const struct form *fm)
{
	*s = (struct sections){ 0 };
	s->abbrev.be = s->info.be = s->types.be = s->line.be = fm->be;
	write_abbrevs(&s->abbrev, fm);
	write_unit(&s->info, fm);
	write_type_unit(fm->version == 5 ? &s->info : &s->types, fm);
	write_lines(&s->line, fm);
}

/* --- ELF --- */

static void section_header(struct buf *o, unsigned name, unsigned type, unsigned flags,
			   uint64_t addr, uint64_t offset, uint64_t size)
{
	put(o, name, 4);
	put(o, type, 4);
	put(o, flags, 8);
	put(o, addr, 8);
	put(o, offset, 8);
	put(o, size, 8);
	put(o, 0, 8);
	put(o, 1, 8);
	put(o, 0, 8);
}

static void write_elf(struct buf *o, const struct sections *s)
{
	static const char names[] = "\0.text\0.debug_abbrev\0.debug_info\0.debug_types\0.debug_line"
				    "\0.shstrtab";
	static const unsigned name_at[] = { 7, 21, 33, 46 };
	const struct buf *in[] = { &s->abbrev, &s->info, &s->types, &s->line };
	size_t at[4], strings;

	*o = (struct buf){ .be = s->info.be };
	put(o, 0, EI_NIDENT);
	memcpy(o->b, ELFMAG, SELFMAG);
	o->b[EI_CLASS] = ELFCLASS64;
	o->b[EI_DATA] = o->be ? ELFDATA2MSB : ELFDATA2LSB;
	o->b[EI_VERSION] = EV_CURRENT;
	put(o, ET_EXEC, 2);
	put(o, o->be ? EM_PPC64 : EM_X86_64, 2);
	put(o, EV_CURRENT, 4);
	put(o, 0, 8 + 8 + 8 + 4);
	put(o, 64, 2);
	put(o, 0, 4);
	put(o, 64, 2);
	put(o, 7, 2);
	put(o, 6, 2);
	for (size_t i = 0; i < 4; i++) {
		at[i] = o->n;
		bytes(o, in[i]);
	}
	strings = o->n;
	for (size_t i = 0; i < sizeof(names); i++)
		put(o, (uint8_t)names[i], 1);
	o->n = (o->n + 7) & ~(size_t)7;
	put_at(o, 40, o->n, 8);
	section_header(o, 0, SHT_NULL, 0, 0, 0, 0);
	section_header(o, 1, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, 64, 0x800);
	for (size_t i = 0; i < 4; i++)
		section_header(o, name_at[i], SHT_PROGBITS, 0, 0, at[i], in[i]->n);
	section_header(o, 58, SHT_STRTAB, 0, 0, strings, sizeof(names));
}

static struct dwarf_index *open_bytes(const struct buf *o, struct err *err)
{
	int fd = memfd_create("dwarf", MFD_CLOEXEC);
	struct dwarf_index *di = NULL;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, o->b, o->n), (ssize_t)o->n);
	dwarf_index_new(fd, "/dwarf", &di, err);
	return di;
}

/* --- tests --- */

static const struct form forms[] = {
	{ false, false, 4 }, { true, false, 4 }, { false, true, 4 }, { true, true, 4 },
	{ false, false, 5 }, { true, false, 5 }, { false, true, 5 }, { true, true, 5 },
};
#define NR_FORMS ((int)(sizeof(forms) / sizeof(forms[0])))

/* "linkage|scope|name:line file" of each frame. */
static void frames_text(struct dwarf_index *di, uint64_t addr, char *out, size_t size)
{
	const struct dwarf_frame *f;
	size_t n = dwarf_index_lookup(di, addr, &f), at = 0;

	out[0] = 0;
	for (size_t i = 0; i < n && at < size; i++)
		at += (size_t)snprintf(out + at, size - at, "%s%s|%s|%s:%" PRIu32 " %s",
				       i ? "; " : "", f[i].linkage_name ? f[i].linkage_name : "",
				       f[i].scope ? f[i].scope : "", f[i].name ? f[i].name : "",
				       f[i].line, f[i].file ? f[i].file : "-");
}

#define FILE1 "/src/inc/unit.cc"

static const struct {
	uint64_t from, to;
	const char *frames;
} expected[] = {
	{ 0, 0x40, "" },
	{ 0xff0, 0x1000, "" },
	{ 0x1000, 0x1010, "||f:10 " FILE1 },
	{ 0x1010, 0x1014, "_Z1gv||:20 " FILE1 "; ||f:300 " FILE1 },
	{ 0x1014, 0x1018, "||:30 " FILE1 "; _Z1gv||:7 " FILE1 "; ||f:300 " FILE1 },
	{ 0x1018, 0x1020, "_Z1gv||:20 " FILE1 "; ||f:300 " FILE1 },
	{ 0x1020, 0x1100, "||f:11 " FILE1 },
	{ 0x1100, 0x1110, "|N|h:40 " FILE1 },
	{ 0x1110, 0x1120, "|N::T|m:40 " FILE1 },
	{ 0x1120, 0x1200, "||:40 " FILE1 },
	{ 0x1200, 0x1810, "" },
	{ UINT64_MAX - 3, UINT64_MAX, "" },
};

START_TEST(every_address)
{
	struct sections s;
	struct buf elf;
	struct err err = { 0 };
	struct dwarf_index *di;
	char text[512];

	write_sections(&s, &forms[_i]);
	write_elf(&elf, &s);
	di = open_bytes(&elf, &err);
	ck_assert_msg(di != NULL, "%s", err.text);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		for (uint64_t a = expected[i].from; a < expected[i].to; a++) {
			frames_text(di, a, text, sizeof(text));
			ck_assert_msg(!strcmp(text, expected[i].frames),
				      "0x%" PRIx64 ": \"%s\" instead of \"%s\"", a, text,
				      expected[i].frames);
		}
	/* the unit, and the type unit for the scope of m */
	ck_assert_uint_eq(dwarf_index_stats(di).units, 2);
	ck_assert_uint_eq(dwarf_index_stats(di).units_walked, 2);
	dwarf_index_free(di);
}
END_TEST

/* Whatever comes out must be usable: strings are read, the last frame is not inlined. */
static uint64_t use(const struct buf *elf)
{
	struct err err = { 0 };
	struct dwarf_index *di = open_bytes(elf, &err);
	const struct dwarf_frame *f;
	uint64_t sum = 0;

	if (!di) {
		ck_assert_int_ne(err.text[0], 0);
		return 0;
	}
	for (uint64_t a = 0xffc; a < 0x1210; a += 4) {
		size_t n = dwarf_index_lookup(di, a, &f);

		for (size_t i = 0; i < n; i++) {
			sum += f[i].name ? strlen(f[i].name) : 0;
			sum += f[i].linkage_name ? strlen(f[i].linkage_name) : 0;
			sum += f[i].scope ? strlen(f[i].scope) : 0;
			sum += f[i].file ? strlen(f[i].file) : 0;
			ck_assert_int_eq(f[i].inlined, i + 1 < n);
		}
	}
	dwarf_index_free(di);
	return sum;
}

START_TEST(cut)
{
	struct sections whole, s;
	struct buf elf;
	struct buf *cuts[] = { &s.abbrev, &s.info, &s.types, &s.line };

	write_sections(&whole, &forms[_i]);
	for (size_t k = 0; k < 4; k++) {
		s = whole;
		while (cuts[k]->n) {
			cuts[k]->n--;
			write_elf(&elf, &s);
			use(&elf);
		}
	}
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Change some bytes, or put a value in that lengths and counts are afraid of. */
static void damage(struct buf *o, uint64_t *state)
{
	static const uint64_t values[] = { 0,          1,          0x7f,          0x80,
					   0xff,       0x7fffffff, 0x80000000,    0xfffffff0,
					   0xffffffff, UINT64_MAX, UINT64_MAX - 1 };
	unsigned times = 1 + (unsigned)(next_random(state) % 6);

	while (times-- && o->n > 8) {
		size_t at = next_random(state) % (o->n - 8);
		unsigned size = 1u << next_random(state) % 4;

		if (next_random(state) % 2)
			o->b[at] = (uint8_t)next_random(state);
		else
			put_at(o, at, values[next_random(state) % 11], size);
	}
}

START_TEST(changed)
{
	const char *rounds = getenv("DWARF_FUZZ_ROUNDS");
	long n = rounds ? atol(rounds) : 500;
	uint64_t state = 0x9e3779b97f4a7c15 + (uint64_t)_i;
	struct sections whole, s;
	struct buf elf;

	write_sections(&whole, &forms[_i]);
	for (long i = 0; i < n; i++) {
		struct buf *parts[] = { &s.abbrev, &s.info, &s.info, &s.line, &s.types };

		s = whole;
		damage(parts[next_random(&state) % 5], &state);
		write_elf(&elf, &s);
		use(&elf);
	}
}
END_TEST

/* Types in types in types: no recursion, and an end. */
START_TEST(deep)
{
	struct form fm = { false, false, 4 };
	struct sections s = { 0 };
	struct buf elf;
	struct err err = { 0 };
	struct dwarf_index *di;
	const struct dwarf_frame *f;
	size_t start;

	write_abbrevs(&s.abbrev, &fm);
	start = begin_length(&s.info, &fm);
	unit_header(&s.info, &fm, DW_UT_compile);
	uleb(&s.info, A_UNIT);
	str(&s.info, "u");
	str(&s.info, "/");
	put(&s.info, DW_LANG_C_plus_plus, 2);
	put(&s.info, 0x1000, 8);
	uleb(&s.info, 0x800);
	put(&s.info, 0, 4);
	function(&s.info, "f", 0x1000, 0x100);
	for (unsigned i = 0; i < 100; i++)
		call(&s.info, &fm, 1, 0x1000, 0x1010, i);
	for (unsigned i = 0; i < 500; i++) {
		uleb(&s.info, A_NAMESPACE);
		str(&s.info, "n");
	}
	end_length(&s.info, &fm, start); /* and none of them is closed */
	write_elf(&elf, &s);
	di = open_bytes(&elf, &err);
	ck_assert_ptr_nonnull(di);
	ck_assert_uint_eq(dwarf_index_lookup(di, 0x1000, &f), 101);
	ck_assert_uint_eq(f[100].line, 0);
	ck_assert_uint_eq(f[1].line, 99);
	ck_assert_str_eq(f[100].name, "f");
	dwarf_index_free(di);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("dwarf_forms");
	TCase *tc = tcase_create("by hand");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 300);
	tcase_add_loop_test(tc, every_address, 0, NR_FORMS);
	tcase_add_loop_test(tc, cut, 0, NR_FORMS);
	tcase_add_loop_test(tc, changed, 0, NR_FORMS);
	tcase_add_test(tc, deep);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
