/* SPDX-License-Identifier: MIT */
/*
 * Writes the seeds of the fuzz targets: make_corpus fuzz/corpus.  They are small, and are kept in
 * the tree, so that make check can run them; run this again when the builder learns something.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "any_cfi.h"
#include "any_elf.h"
#include "every_record.h"
#include "symbol/cache_table.h"

static void save(const char *dir, const char *target, const char *name, const void *data,
		 size_t size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, target);
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/%s/%s", dir, target, name);
	f = fopen(path, "wb");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
}

static void save_text(const char *dir, const char *target, const char *name, const char *text)
{
	save(dir, target, name, text, strlen(text));
}

/* ---- recordings -------------------------------------------------------------------------- */

struct seed {
	const char *name;
	struct builder_opts opts;
	unsigned parts;
};

static const struct seed seeds[] = {
	{ "file", { 0 }, EVERY_KERNEL | EVERY_FIELD },
	{ "file-be", { .be = true, .attr_size = 144 }, EVERY_KERNEL | EVERY_FIELD },
	{ "file-features", { 0 }, EVERY_FEATURE },
	{ "file-features-be32", { .be = true, .bitmap32 = true }, EVERY_FEATURE },
	{ "file-user", { .attr_size = 200 }, EVERY_USER | EVERY_PAYLOAD },
	{ "file-attrs-last", { .attrs_last = true, .gap = 3 }, EVERY_FIELD },
	{ "file-killed", { .unfinalised = true }, EVERY_KERNEL },
	{ "file-old", { .short_header = true, .attr_size = 64 }, EVERY_KERNEL },
	{ "file-v1", { .v1 = true, .attr_size = 96 }, EVERY_KERNEL },
	{ "file-zstd",
	  { .compress = BUILDER_COMPRESSED, .chunk = 90 },
	  EVERY_KERNEL | EVERY_FIELD },
	{ "file-zstd2",
	  { .compress = BUILDER_COMPRESSED2, .chunk = 300, .hold_tail = true },
	  EVERY_KERNEL | EVERY_USER },
	{ "pipe", { .container = BUILDER_PIPE }, EVERY_KERNEL | EVERY_USER | EVERY_PAYLOAD },
	{ "pipe-be", { .container = BUILDER_PIPE, .be = true }, EVERY_FIELD | EVERY_PAYLOAD },
	{ "pipe-zstd",
	  { .container = BUILDER_PIPE,
	    .compress = BUILDER_COMPRESSED,
	    .chunk = 150,
	    .end_frames = true },
	  EVERY_KERNEL },
	{ "pipe-v1", { .container = BUILDER_PIPE, .v1 = true, .be = true }, EVERY_FIELD },
};

static void recordings(const char *dir)
{
	for (size_t i = 0; i < sizeof(seeds) / sizeof(*seeds); i++) {
		struct builder b;
		struct builder_file f;

		builder_init(&b, &seeds[i].opts);
		every_record(&b, seeds[i].parts);
		f = builder_finish(&b);
		save(dir, "reader", seeds[i].name, f.bytes, f.size);
		builder_release(&b);
	}
}

static void simpleperf(const char *dir)
{
	struct sp_symbol symbols[] = { { 0x2000, 16, (char *)"second" },
				       { 0x1000, 32, (char *)"first" } };
	struct sp_file files[] = {
		{ (char *)"/system/lib64/libc.so", 2, 0x1000, 0x800, symbols, 2 },
		{ (char *)"[kernel.kallsyms]", 0, 0, UINT64_MAX, NULL, 0 },
	};
	struct feature_pair pairs[] = {
		{ (char *)"simpleperf_version", (char *)"1.2" },
		{ (char *)"event_type_info", (char *)"cpu-cycles:u,0,0\nother,1,2" },
	};
	const uint64_t ids[] = { 1, 0, 77 };
	struct builder b;
	struct builder_file f;

	builder_init(&b, NULL);
	builder_event(&b, &(struct builder_attr){ .no_ids = true });
	builder_feature_meta_info(&b, pairs, 2);
	builder_feature_sp_files(&b, files, 2);
	builder_record(&b, 32774, 0, ids, sizeof(ids));
	builder_record(&b, 32769, 0, "kernel symbols..", 16);
	builder_sample(&b, 0, &(struct builder_sample){ .id = 77, .ip = 0x1234 });
	f = builder_finish(&b);
	save(dir, "reader", "simpleperf", f.bytes, f.size);
	builder_release(&b);
}

static void groups(const char *dir)
{
	const struct builder_attr group = { .sample_type = SAMPLE_IDENTIFIER | SAMPLE_READ,
					    .read_format = READ_GROUP | READ_ID };
	const struct record_read_value values[] = { { 100, 1000, 0 }, { 50, 1001, 0 } };
	size_t size;
	uint8_t *blob = builder_tracing_blob(false, 372, &size);
	struct builder b;
	struct builder_file f;

	builder_init(&b, NULL);
	builder_event(&b, &group);
	builder_event(&b, &group);
	builder_event(&b, &(struct builder_attr){ .type = PERF_TYPE_TRACEPOINT, .config = 372 });
	builder_features(&b);
	builder_feature_blob(&b, FEATURE_TRACING_DATA, blob, size);
	builder_feature_groups(&b, (struct feature_group[]){ { (char *)"{anon_group}", 0, 2 } }, 1);
	for (uint64_t i = 0; i < 3; i++)
		builder_sample(&b, 0, &(struct builder_sample){ .values = values, .nr_values = 2 });
	f = builder_finish(&b);
	save(dir, "reader", "group-tracepoint", f.bytes, f.size);
	builder_release(&b);
	free(blob);
}

/* ---- single records ---------------------------------------------------------------------- */

/* The head of fuzz_sample's input for every_record()'s event with all fields. */
static size_t put_head(uint8_t *p, bool be)
{
	const uint64_t words[] = { SAMPLE_KNOWN & ~SAMPLE_WEIGHT_STRUCT, 31,
				   BRANCH_HW_INDEX | BRANCH_COUNTERS, 0x181, 0x100 };

	*p++ = (uint8_t)(2 | be);
	for (size_t i = 0; i < 5; i++)
		for (unsigned k = 0; k < 8; k++)
			*p++ = (uint8_t)(words[i] >> 8 * k);
	return 41;
}

static void single_records(const char *dir, bool be)
{
	struct builder b;

	builder_init(&b, &(struct builder_opts){ .be = be });
	every_record(&b, EVERY_KERNEL | EVERY_USER | EVERY_FIELD);
	builder_finish(&b);
	for (size_t i = 0; i < b.nr_marks; i++) {
		const struct builder_mark *m = &b.marks[i];
		uint8_t *buf = malloc(41 + m->size);
		size_t n = put_head(buf, be);
		char name[64];

		memcpy(buf + n, m->bytes, m->size);
		snprintf(name, sizeof(name), "%02u-%s%s", m->type,
			 m->type == EVERY_UNKNOWN_TYPE ? "UNKNOWN" : record_type_name(m->type),
			 be ? "-be" : "");
		save(dir, "sample", name, buf, n + m->size);
		free(buf);
	}
	builder_release(&b);
}

/* ---- texts ------------------------------------------------------------------------------- */

static void texts(const char *dir)
{
	static const char nul[] = "ffffffff62000000 T _text\0\0\0\0 data\n"
				  "ffffffff81000100 t do_one\n";

	save_text(dir, "folded", "plain", "main;a;b 3\nmain;a 2\nmain;c;a;c 5\n\nmain 1\n");
	save_text(dir, "folded", "odd",
		  "main;operator new(unsigned long) 7\n  x;y 2 \r\nno count\nx;;y 3\n; 1\n 5\n"
		  "a;b -1\na;b 18446744073709551615\na 18446744073709551616\na;b 1e3\nlast 4");
	save_text(dir, "kallsyms", "plain",
		  "ffffffff81000000 T _text\nffffffff81000100 t do_one\n"
		  "ffffffff81000200 D data\nffffffffc0000000 t mod_init\t[some_mod]\n"
		  "ffffffffc0000080 t mod_exit\t[some-mod]\n");
	save_text(dir, "kallsyms", "odd",
		  "0000000000000000 T hidden\nxyz T no\nffffffff81000000 T\n"
		  "fffffffffffffffff T long\nffffffffffffffff A last\n80 t a [\n90 t b []\n");
	save(dir, "kallsyms", "nul-in-name", nul, sizeof(nul) - 1);
	save_text(dir, "perfmap", "plain",
		  "7f0000001000 40 int add(int, int)\n7f0000001040 40 LazyCompile:~f\n"
		  "7f0000001020 40 overwrites both\n");
	save_text(dir, "perfmap", "odd",
		  "0x10 0x10 prefixed\nffffffffffffffff 10 wraps\n20 0 empty\n30 10\nz z z\n"
		  "40 8 \n48 ffffffffffffffff all\nlast 1");
}

/* The experiment log by either form, whose first byte says which; two folded texts. */
static void tables(const char *dir)
{
	static const char both[] = "main;f 10\nmain;g 5.5\n\0main;f 7\nmain;0xabc 3\n[unknown] 1\n";
	static const char nearly[] = "a 0.99999999999999999\nb 0\n\0a 991\nb 7\n";

	save_text(dir, "log", "csv",
		  "0date,commit,change,mine,IPC\n2024-01-02,abc,\"one, \"\"two\"\"\",x,1.5\n"
		  "2024-01-03,abd,again and again,,\n");
	save_text(dir, "log", "markdown",
		  "1# Log\n\ntext\n\n| date | change | hottest |\n|---|:-:|---|\n"
		  "| 2024-01-02 | a \\| b | f\\<int\\> |\n\nbelow\n");
	save_text(dir, "log", "none", "1text without a table\n");
	save(dir, "diff_folded", "plain", both, sizeof(both) - 1);
	save(dir, "diff_folded", "nearly-whole", nearly, sizeof(nearly) - 1);
	save_text(dir, "diff_folded", "odd",
		  "a 99999999999999999999999\na 0.0000001\n 5\nno count\nb 1 \nb .5\nb 3\r\n");
}

/* What follows the checksum, which fuzz_cache makes itself. */
static void cache(const char *dir)
{
	struct cache_table t = { .reason = UNKNOWN_NOT };
	struct strbuf bytes = STRBUF_INIT;

	cache_table_add(&t, 0x1000, UNKNOWN_NOT);
	cache_table_add_line(&t, "inlined", 7, "a.c", 3, 10, LINE_INLINED);
	cache_table_add_line(&t, "outer", 5, "a.c", 3, 20, 0);
	cache_table_add(&t, 0x2000, UNKNOWN_NO_SYMBOL);
	cache_table_add_line(&t, NULL, 0, NULL, 0, 0, LINE_UNKNOWN);
	cache_table_write(&t, "key", &bytes);
	save(dir, "cache", "plain", bytes.s + CACHE_TABLE_HEADER, bytes.n - CACHE_TABLE_HEADER);
	strbuf_release(&bytes);
	cache_table_release(&t);
}

static void jitdump(const char *dir, bool be)
{
	static const char code[16] = "0123456789abcdef";
	struct builder_buf buf = { 0 };
	struct builder b = { .opts.be = be, .w = &buf };
	const uint32_t head[] = { 0x4A695444, 1, 40, 62, 0, 4711 };

	for (unsigned i = 0; i < 6; i++)
		builder_u32(&b, head[i]);
	builder_u64(&b, 1);
	builder_u64(&b, 0);
	for (uint32_t id = 0; id < 4; id++) { /* load, move, debug info, close */
		static const uint32_t sizes[] = { 16 + 40 + 5 + 16, 16 + 48, 16 + 16, 16 };

		builder_u32(&b, id);
		builder_u32(&b, sizes[id]);
		builder_u64(&b, 100 + id);
		if (id < 2) {
			builder_u32(&b, 4711);
			builder_u32(&b, 4712);
		}
		for (uint64_t i = 0; id < 3 && i < (id == 0 ? 4 : id == 1 ? 5 : 2); i++)
			builder_u64(&b, id == 2 ? 0 : 0x1000 + i);
		if (id == 0) {
			builder_bytes(&b, "func", 5);
			builder_bytes(&b, code, 16);
		}
	}
	save(dir, "jitdump", be ? "big-endian" : "plain", buf.v, buf.n);
	free(buf.v);
}

/* ---- call frame information ------------------------------------------------------------- */

/* An input of fuzz_cfi: WORDS are the registers by perf's numbers and then the stack. */
static void save_cfi(const char *dir, const char *name, uint8_t machine, const struct any_cfi *c,
		     const uint8_t *code, size_t code_size, const uint64_t *words, size_t n)
{
	struct builder_buf buf = { 0 };
	struct builder b = { .w = &buf };

	builder_u8(&b, (uint8_t)(machine | c->debug_frame << 2));
	builder_u16(&b, (uint16_t)c->n);
	builder_u16(&b, (uint16_t)code_size);
	builder_bytes(&b, c->v, c->n);
	builder_bytes(&b, code, code_size);
	for (size_t i = 0; i < n; i++)
		builder_u64(&b, words[i]);
	save(dir, "cfi", name, buf.v, buf.n);
	free(buf.v);
}

enum {
	PC = ANY_ELF_BASE + ANY_ELF_CODE, /* two functions of 32 bytes */
	SP = 0x7000,
};

static void cfi_x86(const char *dir, const uint64_t *words, size_t n, const uint8_t *code)
{
	for (int debug = 0; debug < 2; debug++) {
		struct any_cfi c = { .machine = EM_X86_64, .debug_frame = debug };

		any_cfi_cie(&c, debug ? "" : "zR",
			    ANY_CFI(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1));
		any_cfi_fde(&c, PC, 32,
			    ANY_CFI(DW_CFA_advance_loc | 4, DW_CFA_def_cfa_offset, 24,
				    DW_CFA_offset | 6, 2, DW_CFA_offset | 3, 3,
				    DW_CFA_remember_state, DW_CFA_def_cfa, 6, 16,
				    DW_CFA_advance_loc | 12, DW_CFA_restore_state));
		any_cfi_fde(&c, PC + 32, 32,
			    ANY_CFI(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0,
				    DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
				    DW_OP_shl, DW_OP_plus, DW_CFA_val_offset, 12, 2,
				    DW_CFA_register, 13, 3, DW_CFA_val_expression, 14, 6, DW_OP_dup,
				    DW_OP_bra, 1, 0, DW_OP_nop, DW_OP_not));
		save_cfi(dir, debug ? "debug-frame" : "eh-frame", 0, &c, code, 64, words, n);
	}
}

static void cfi_others(const char *dir, uint64_t *words, size_t n, const uint8_t *code)
{
	struct any_cfi none = { .machine = EM_X86_64 };
	struct any_cfi s = { .machine = EM_X86_64 }, i = { .machine = EM_386 },
		       a = { .machine = EM_AARCH64 };

	save_cfi(dir, "code-alone", 0, &none, code, 64, words, n);
	any_cfi_cie(&s, "zRS",
		    ANY_CFI(DW_CFA_def_cfa_expression, 3, DW_OP_breg7, 8, DW_OP_deref,
			    DW_CFA_expression, 16, 2, DW_OP_breg7, 16, DW_CFA_expression, 3, 2,
			    DW_OP_breg7, 24));
	any_cfi_fde(&s, PC, 64, ANY_CFI_NONE);
	save_cfi(dir, "signal", 0, &s, code, 64, words, n);
	any_cfi_cie(&i, "zR", ANY_CFI(DW_CFA_def_cfa, 4, 4, DW_CFA_offset | 8, 1));
	any_cfi_fde(&i, PC, 64, ANY_CFI(DW_CFA_def_cfa_offset, 8, DW_CFA_offset | 5, 2));
	save_cfi(dir, "i386", 1, &i, code, 64, words, n);
	any_cfi_cie(&a, "zR", ANY_CFI(DW_CFA_def_cfa, 31, 0));
	any_cfi_fde(&a, PC, 64,
		    ANY_CFI(DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 29, 2, DW_CFA_offset | 30,
			    1));
	words[30] = PC + 40;
	words[31] = SP;
	words[32] = PC + 8;
	save_cfi(dir, "aarch64", 2, &a, code, 64, words, n);
}

static void cfi(const char *dir)
{
	/* push %rbp; mov %rsp, %rbp … ret */
	static const uint8_t code[64] = { 0x55, 0x48, 0x89, 0xe5, 0x90, 0xc3 };
	uint64_t words[33 + 24] = { 0 };

	for (unsigned i = 0; i < 24; i++)
		words[33 + i] = i % 3 == 2 ? PC + 5 + i : SP + 8 * i;
	words[6] = SP + 16;
	words[7] = SP;
	words[8] = PC + 6;
	cfi_x86(dir, words, 33 + 24, code);
	cfi_others(dir, words, 33 + 24, code);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 64;
	}
	recordings(argv[1]);
	simpleperf(argv[1]);
	groups(argv[1]);
	single_records(argv[1], false);
	single_records(argv[1], true);
	texts(argv[1]);
	tables(argv[1]);
	cache(argv[1]);
	jitdump(argv[1], false);
	jitdump(argv[1], true);
	cfi(argv[1]);
	return 0;
}
