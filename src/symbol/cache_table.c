/* SPDX-License-Identifier: MIT */
/*
 * Numbers are in the byte order of the machine that wrote them; a file from another one does not
 * have the magic number, and is none.  The checksum finds accidents.  Whoever wants to cheat
 * can make it fit, so nothing that is read is trusted because of it.
 */
#include "symbol/cache_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/xmalloc.h"

#define MAGIC          UINT64_C(0x31736d7970727250) /* "Prrpyms1" on a little-endian machine */
#define LAYOUT_VERSION 1
#define ENTRY_SIZE     20
#define LINE_SIZE      16
#define LINES_MAX      1000 /* of an address: more inlined calls than any compiler nests */
#define FLAGS          (LINE_INLINED | LINE_UNKNOWN)
#define NATIVE_BE      (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* --- reading --- */

static bool read_entries(struct cache_table *t, struct cursor *c, uint32_t n, uint32_t nr_lines)
{
	if (!cursor_has(c, n, ENTRY_SIZE))
		return false;
	vec_resize(&t->entries, n);
	for (uint32_t i = 0; i < n; i++) {
		struct cache_entry *e = &t->entries.v[i];

		e->addr = cursor_u64(c);
		e->first = cursor_u32(c);
		e->n = cursor_u32(c);
		e->reason = cursor_u32(c);
		if (e->n > LINES_MAX || e->n > nr_lines || e->first > nr_lines - e->n ||
		    e->reason >= UNKNOWN_MAX || (i && e->addr <= e[-1].addr))
			return false;
	}
	return true;
}

static bool read_lines(struct cache_table *t, struct cursor *c, uint32_t n, uint32_t nr_strings)
{
	if (!cursor_has(c, n, LINE_SIZE))
		return false;
	vec_resize(&t->lines, n);
	for (uint32_t i = 0; i < n; i++) {
		struct cache_line *l = &t->lines.v[i];

		l->name = cursor_u32(c);
		l->file = cursor_u32(c);
		l->line = cursor_u32(c);
		l->flags = cursor_u32(c);
		if (l->name > nr_strings || l->file > nr_strings || (l->flags & ~(uint32_t)FLAGS) ||
		    !l->name != !!(l->flags & LINE_UNKNOWN))
			return false;
	}
	return true;
}

static bool read_strings(struct cache_table *t, struct cursor *c, uint32_t n)
{
	uint32_t end = 0;

	if (!cursor_has(c, n, sizeof(*t->ends)))
		return false;
	t->ends = xreallocarray(NULL, n ? n : 1, sizeof(*t->ends));
	t->nr_strings = n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t before = end;

		t->ends[i] = end = cursor_u32(c);
		if (end < before)
			return false;
	}
	t->bytes = (const char *)cursor_bytes(c, end);
	return t->bytes && !cursor_left(c) && !memchr(t->bytes, 0, end);
}

/* The key's bytes have no length of their own limit: what is not equal is not read further. */
static bool same_key(struct cursor *c, const char *key)
{
	uint32_t len = cursor_u32(c);
	const uint8_t *p = cursor_bytes(c, len);

	return p && len == strlen(key) && !memcmp(p, key, len);
}

static bool read_table(struct cache_table *t, struct cursor *c, const char *key)
{
	uint32_t nr_entries, nr_lines, nr_strings;
	uint64_t sum;

	if (cursor_u64(c) != MAGIC || cursor_u32(c) != LAYOUT_VERSION)
		return false;
	sum = cursor_u64(c);
	if (c->bad || sum != hash_bytes(c->p, cursor_left(c)) || !same_key(c, key))
		return false;
	t->reason = cursor_u32(c);
	nr_entries = cursor_u32(c);
	nr_lines = cursor_u32(c);
	nr_strings = cursor_u32(c);
	return !c->bad && t->reason < UNKNOWN_MAX && read_entries(t, c, nr_entries, nr_lines) &&
	       read_lines(t, c, nr_lines, nr_strings) && read_strings(t, c, nr_strings);
}

bool cache_table_read(struct cache_table *t, const void *data, size_t size, const char *key)
{
	struct cursor c = cursor_init(data, size, NATIVE_BE);

	*t = (struct cache_table){ 0 };
	if (read_table(t, &c, key))
		return true;
	cache_table_release(t);
	return false;
}

bool cache_table_find(const struct cache_table *t, uint64_t addr, const struct cache_entry **e)
{
	size_t at = bisect(i, t->entries.n, t->entries.v[i].addr < addr);

	if (at == t->entries.n || t->entries.v[at].addr != addr)
		return false;
	*e = &t->entries.v[at];
	return true;
}

const char *cache_table_string(const struct cache_table *t, uint32_t nr, size_t *len)
{
	uint32_t start = nr ? t->ends[nr - 1] : 0;

	*len = t->ends[nr] - start;
	return t->bytes + start;
}

/* --- writing --- */

void cache_table_add(struct cache_table *t, uint64_t addr, uint32_t reason)
{
	vec_push(&t->entries, (struct cache_entry){ addr, (uint32_t)t->lines.n, 0, reason });
}

/* Ids of interned strings begin at 1, and 0 is the empty string: no name is empty. */
void cache_table_add_line(struct cache_table *t, const char *name, size_t name_len,
			  const char *file, size_t file_len, uint32_t line, uint32_t flags)
{
	struct cache_line l = { .line = line, .flags = flags & FLAGS };

	l.name = name ? intern_add(&t->strings, name, name_len) : 0;
	l.file = file ? intern_add(&t->strings, file, file_len) : 0;
	if (!l.name)
		l.flags |= LINE_UNKNOWN;
	vec_push(&t->lines, l);
	t->entries.v[t->entries.n - 1].n++;
}

static void put32(struct strbuf *sb, uint32_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

static void put64(struct strbuf *sb, uint64_t v)
{
	strbuf_add(sb, &v, sizeof(v));
}

static void write_strings(const struct cache_table *t, struct strbuf *out)
{
	uint32_t n = intern_count(&t->strings), end = 0;

	for (uint32_t id = 1; id < n; id++)
		put32(out, end += (uint32_t)intern_len(&t->strings, id));
	for (uint32_t id = 1; id < n; id++)
		strbuf_add(out, intern_str(&t->strings, id), intern_len(&t->strings, id));
}

static void write_body(const struct cache_table *t, const char *key, struct strbuf *out)
{
	put32(out, (uint32_t)strlen(key));
	strbuf_adds(out, key);
	put32(out, t->reason);
	put32(out, (uint32_t)t->entries.n);
	put32(out, (uint32_t)t->lines.n);
	put32(out, intern_count(&t->strings) - 1);
	for (size_t i = 0; i < t->entries.n; i++) {
		const struct cache_entry *e = &t->entries.v[i];

		put64(out, e->addr);
		put32(out, e->first);
		put32(out, e->n);
		put32(out, e->reason);
	}
	for (size_t i = 0; i < t->lines.n; i++) {
		const struct cache_line *l = &t->lines.v[i];

		put32(out, l->name);
		put32(out, l->file);
		put32(out, l->line);
		put32(out, l->flags);
	}
	write_strings(t, out);
}

void cache_table_write(const struct cache_table *t, const char *key, struct strbuf *out)
{
	uint64_t sum = 0;

	put64(out, MAGIC);
	put32(out, LAYOUT_VERSION);
	put64(out, sum);
	write_body(t, key, out);
	sum = hash_bytes(out->s + CACHE_TABLE_HEADER, out->n - CACHE_TABLE_HEADER);
	memcpy(out->s + CACHE_TABLE_HEADER - sizeof(sum), &sum, sizeof(sum));
}

void cache_table_release(struct cache_table *t)
{
	vec_release(&t->entries);
	vec_release(&t->lines);
	free(t->ends);
	intern_release(&t->strings);
	*t = (struct cache_table){ 0 };
}
