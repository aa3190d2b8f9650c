/* SPDX-License-Identifier: MIT */
/*
 * Android's simpleperf adds features of its own: META_INFO, pairs of NUL-terminated strings, and
 * FILE2, the symbols of the binaries that were hit, as a protobuf message per binary, so that a
 * recording can be read without the device.  FILE is an older, hand-packed form of that.
 * Source of the layouts: simpleperf's record_file.proto, record_file_reader.cpp and dso.cpp.
 */
#include "perfdata/feature_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "perfdata/evlist.h"

#define NO_OFFSET (~(uint64_t)0)

static void free_file(struct sp_file *file)
{
	for (size_t i = 0; i < file->nr_symbols; i++)
		free(file->symbols[i].name);
	free(file->symbols);
	free(file->path);
}

void feature_free_sp(struct features *f)
{
	for (size_t i = 0; i < f->nr_meta_info; i++) {
		free(f->meta_info[i].key);
		free(f->meta_info[i].value);
	}
	free(f->meta_info);
	for (size_t i = 0; i < f->nr_sp_files; i++)
		free_file(&f->sp_files[i]);
	free(f->sp_files);
	f->meta_info = NULL;
	f->sp_files = NULL;
	f->nr_meta_info = f->nr_sp_files = 0;
}

void feature_sp_meta_info(struct features *f, struct cursor *c, struct evlist *list)
{
	VEC(struct feature_pair) pairs = { 0 };

	pairs.v = f->meta_info;
	pairs.n = pairs.cap = f->nr_meta_info;
	while (cursor_left(c) && !c->bad) {
		const char *key = cursor_cstr(c);
		const char *value = cursor_cstr(c);

		if (c->bad)
			break;
		vec_push(&pairs, (struct feature_pair){ xstrdup(key), xstrdup(value) });
		if (list && !strcmp(key, "event_type_info"))
			evlist_name_meta_info(list, value);
	}
	f->meta_info = pairs.v;
	f->nr_meta_info = pairs.n;
}

/* --- protobuf: a field is a varint (number << 3 | wire type) and its value --- */

struct field {
	uint32_t number;
	uint64_t value; /* of a varint or a fixed one */
	struct cursor message; /* of a length-delimited one */
};

static uint64_t varint(struct cursor *c)
{
	uint64_t v = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t b = cursor_u8(c);

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	c->bad = true;
	return 0;
}

/* The next field of C; false at its end or when it is bad. */
static bool next_field(struct cursor *c, struct field *out)
{
	uint64_t key, len;

	if (c->bad || !cursor_left(c))
		return false;
	memset(out, 0, sizeof(*out));
	key = varint(c);
	out->number = (uint32_t)(key >> 3);
	switch (key & 7) {
	case 0:
		out->value = varint(c);
		break;
	case 1:
		out->value = cursor_u64(c);
		break;
	case 2:
		len = varint(c);
		out->message.p = cursor_bytes(c, len);
		out->message.end = out->message.p ? out->message.p + len : NULL;
		break;
	case 5:
		out->value = cursor_u32(c);
		break;
	default:
		c->bad = true;
	}
	return !c->bad;
}

static char *field_string(const struct field *f)
{
	size_t len = cursor_left(&f->message);

	return len ? xstrndup((const char *)f->message.p, strnlen((const char *)f->message.p, len))
		   : xstrdup("");
}

static bool parse_symbol(struct cursor m, struct sp_symbol *out)
{
	struct field f;

	memset(out, 0, sizeof(*out));
	while (next_field(&m, &f)) {
		if (f.number == 1)
			out->vaddr = f.value;
		else if (f.number == 2)
			out->len = f.value;
		else if (f.number == 3 && !out->name)
			out->name = field_string(&f);
	}
	if (m.bad || !out->name) {
		free(out->name);
		return false;
	}
	return true;
}

static int compare_symbols(const void *va, const void *vb)
{
	const struct sp_symbol *a = va, *b = vb;

	if (a->vaddr != b->vaddr)
		return a->vaddr < b->vaddr ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* ElfFile { 1: file_offset_of_min_vaddr }, KernelModule { 1: memory_offset_of_min_vaddr } */
static bool parse_offset(struct cursor m, uint64_t *out)
{
	struct field f;

	while (next_field(&m, &f))
		if (f.number == 1)
			*out = f.value;
	return !m.bad;
}

static void parse_file_field(struct field *f, struct sp_file *out, struct cursor *whole)
{
	VEC(struct sp_symbol) symbols = { 0 };
	struct sp_symbol symbol;

	switch (f->number) {
	case 1:
		free(out->path);
		out->path = field_string(f);
		break;
	case 2:
		out->type = (uint32_t)f->value;
		break;
	case 3:
		out->min_vaddr = f->value;
		break;
	case 4:
		if (!parse_symbol(f->message, &symbol)) {
			whole->bad = true;
			break;
		}
		/* grows at powers of two */
		symbols.v = out->symbols;
		symbols.n = out->nr_symbols;
		symbols.cap = symbols.n & (symbols.n - 1) ? SIZE_MAX : symbols.n;
		vec_push(&symbols, symbol);
		out->symbols = symbols.v;
		out->nr_symbols = symbols.n;
		break;
	case 6:
	case 7:
		if (!parse_offset(f->message, &out->file_offset_of_min_vaddr))
			whole->bad = true;
		break;
	default:
		break;
	}
}

static bool parse_file(struct cursor m, struct sp_file *out)
{
	struct field f;

	memset(out, 0, sizeof(*out));
	out->file_offset_of_min_vaddr = NO_OFFSET;
	while (next_field(&m, &f))
		parse_file_field(&f, out, &m);
	if (m.bad || !out->path) {
		free_file(out);
		return false;
	}
	if (out->nr_symbols)
		qsort(out->symbols, out->nr_symbols, sizeof(*out->symbols), compare_symbols);
	return true;
}

static void add_file(struct features *f, const struct sp_file *file)
{
	f->sp_files = xreallocarray(f->sp_files, f->nr_sp_files + 1, sizeof(*f->sp_files));
	f->sp_files[f->nr_sp_files++] = *file;
}

typedef bool parse_file_fn(struct cursor c, struct sp_file *out);

/* Files one after the other, a length in front of each; BE: of what the files hold. */
static void parse_files(struct features *f, struct cursor *c, bool be, parse_file_fn *parse)
{
	while (cursor_left(c) && !c->bad) {
		uint32_t len = cursor_u32(c);
		const uint8_t *p = cursor_bytes(c, len);
		struct sp_file file;

		if (!p)
			break;
		if (parse(cursor_init(p, len, be), &file))
			add_file(f, &file);
		else
			c->bad = true;
	}
}

void feature_sp_file2(struct features *f, struct cursor *c, struct evlist *list)
{
	(void)list;
	parse_files(f, c, false, parse_file);
}

/*
 * FILE's form of one binary: path NUL, u32 type, u64 min_vaddr, u32 nr, nr times { u64 vaddr,
 * u32 len, name NUL }; a dex file has offsets behind that, and an ELF file or a kernel module,
 * where bytes remain, u64 file_offset_of_min_vaddr.
 */
static bool unpack_file(struct cursor m, struct sp_file *out)
{
	const char *path = cursor_cstr(&m);
	uint32_t nr;

	memset(out, 0, sizeof(*out));
	out->file_offset_of_min_vaddr = NO_OFFSET;
	out->type = cursor_u32(&m);
	out->min_vaddr = cursor_u64(&m);
	nr = cursor_u32(&m);
	if (!cursor_has(&m, nr, 13))
		return false;
	out->path = xstrdup(path);
	out->symbols = xcalloc(nr, sizeof(*out->symbols));
	for (uint32_t i = 0; i < nr; i++) {
		struct sp_symbol *s = &out->symbols[i];
		const char *name;

		s->vaddr = cursor_u64(&m);
		s->len = cursor_u32(&m);
		name = cursor_cstr(&m);
		if (!name)
			break;
		s->name = xstrdup(name);
		out->nr_symbols++;
	}
	if (!m.bad && (out->type == 1 || out->type == 2) && cursor_has(&m, 1, 8))
		out->file_offset_of_min_vaddr = cursor_u64(&m);
	if (m.bad)
		free_file(out);
	else if (out->nr_symbols)
		qsort(out->symbols, out->nr_symbols, sizeof(*out->symbols), compare_symbols);
	return !m.bad;
}

void feature_sp_file(struct features *f, struct cursor *c, struct evlist *list)
{
	(void)list;
	parse_files(f, c, c->be, unpack_file);
}
