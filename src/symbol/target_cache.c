/* SPDX-License-Identifier: MIT */
/*
 * Names of earlier runs.
 *
 * A cache file holds the lines of those addresses of one file that were asked for so far, as they
 * are shown.  What they depend on is its key: this build of the program, the options that shape
 * them, the file and its debug file (build-id, size and time: a debug file that is installed
 * later, or a stripped copy, make another key).  Files without a build-id are not cached, nor what
 * was found while some .dwo or dwz file was missing, nor small files without DWARF, whose symbols
 * are read faster than a cache.
 */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "symbol/target.h"

#define SMALL ((uint64_t)1 << 18)

/* The build-id in the notes of the program that runs. */
static int find_program_id(struct dl_phdr_info *info, size_t size, void *text)
{
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		struct cursor c = cursor_init((const char *)info->dlpi_addr + ph->p_vaddr,
					      ph->p_type == PT_NOTE ? ph->p_memsz : 0,
					      __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

		while (cursor_left(&c) >= 12) {
			uint32_t namesz = cursor_u32(&c), descsz = cursor_u32(&c);
			uint32_t type = cursor_u32(&c);
			const uint8_t *desc;

			cursor_bytes(&c, ((uint64_t)namesz + 3) & ~UINT64_C(3));
			desc = cursor_bytes(&c, ((uint64_t)descsz + 3) & ~UINT64_C(3));
			for (uint32_t k = 0; desc && type == NT_GNU_BUILD_ID && k < descsz; k++)
				strbuf_addf(text, "%02x", desc[k]);
		}
	}
	return 1; /* the first object is the program */
}

static bool worth_it(const struct objfile *o)
{
	uint64_t size = 0;

	for (size_t i = 0; i < o->nr_segments; i++)
		size += o->segments[i].filesz;
	return o->has_dwarf || size >= SMALL;
}

static char *make_key(const struct target *t, const struct symbolizer_options *opts)
{
	struct strbuf key = STRBUF_INIT;
	char identity[400];

	if (!objfile_identity(t->obj, identity, sizeof(identity)))
		return NULL;
	strbuf_adds(&key, "perfrep " PACKAGE_VERSION " ");
	dl_iterate_phdr(find_program_id, &key);
	strbuf_addf(&key, " lines %d inline %d demangle %d %s", !opts->no_lines, !opts->no_inline,
		    !opts->no_demangle, identity);
	return strbuf_detach(&key);
}

void target_cache_open(struct target *t, const struct target_context *ctx)
{
	struct target_cache *c = &t->cache;
	size_t size;

	if (!ctx->cache || t->dso->kind != DSO_FILE || t->obj->e_type == ET_REL ||
	    !worth_it(t->obj))
		return;
	c->key = make_key(t, ctx->opts);
	if (!c->key)
		return;
	cache_dir_name(c->name, c->key);
	c->data = cache_dir_read(ctx->cache, c->name, &size);
	c->used = c->data && cache_table_read(&c->table, c->data, size, c->key) &&
		  (c->table.reason == UNKNOWN_NOT || c->table.reason == UNKNOWN_NO_SYMBOLS);
	if (c->used)
		t->reason = (enum unknown_reason)c->table.reason;
	else
		cache_table_release(&c->table);
}

void target_cache_close(struct target *t)
{
	cache_table_release(&t->cache.table);
	free(t->cache.data);
	free(t->cache.key);
	t->cache = (struct target_cache){ 0 };
}

/* The id in R's buffer of a string of the cache; NR as in struct cache_line. */
static uint32_t string_id(const struct target *t, struct target_reader *r, uint32_t nr)
{
	uint32_t *id = &r->cache_ids.v[nr - 1];
	const char *s;
	size_t len;

	if (!*id) {
		s = cache_table_string(&t->cache.table, nr - 1, &len);
		*id = intern_add(&r->lines.strings, s, len) + 1;
	}
	return *id - 1;
}

static uint32_t unknown_id(const struct target *t, struct target_reader *r)
{
	struct strbuf sb = STRBUF_INIT;
	uint32_t id;

	target_unknown_name(t->dso, &sb);
	id = intern_add(&r->lines.strings, sb.s, sb.n);
	strbuf_release(&sb);
	return id;
}

bool target_lookup_cached(struct target *t, struct target_reader *r, uint64_t addr,
			  enum unknown_reason *reason)
{
	const struct cache_table *table = &t->cache.table;
	const struct cache_entry *e;

	if (!t->cache.used || !cache_table_find(table, addr, &e))
		return false;
	if (r->cache_of != t) {
		r->cache_of = t;
		r->cache_ids.n = 0;
		vec_resize(&r->cache_ids, table->nr_strings);
	}
	for (uint32_t i = e->first; i < e->first + e->n; i++) {
		const struct cache_line *l = &table->lines.v[i];

		linebuf_add(&r->lines, l->name ? string_id(t, r, l->name) : unknown_id(t, r),
			    l->file ? string_id(t, r, l->file) : 0, l->line,
			    (uint16_t)(l->flags | target_flags(t->dso)));
	}
	*reason = (enum unknown_reason)e->reason;
	return true;
}

void target_reader_release(struct target_reader *r)
{
	vec_release(&r->cache_ids);
	linebuf_release(&r->lines);
}
