/* SPDX-License-Identifier: MIT */
/*
 * What was looked up goes into the cache, file by file, merged with what was there.  Only
 * when all threads are done, since their buffers move while they grow.
 *
 * When a table has become large, it begins anew with what this run needed: programs are sampled
 * all over the years, and a table should not hold every address that ever was.
 */
#include "symbol/symbolizer_priv.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_LIMIT ((uint64_t)256 << 20)
#define LINES_MANY  2000000

static void add_new(const struct symbolizer *s, struct cache_table *out, const struct entry *e)
{
	const struct linebuf *lb = &s->readers[e->worker].lines;

	cache_table_add(out, e->addr, e->reason);
	for (uint32_t i = e->first; i < e->first + e->n; i++) {
		const struct line *l = &lb->lines.v[i];
		bool named = !(l->flags & LINE_UNKNOWN);

		cache_table_add_line(out, named ? intern_str(&lb->strings, l->func) : NULL,
				     intern_len(&lb->strings, l->func),
				     l->file ? intern_str(&lb->strings, l->file) : NULL,
				     intern_len(&lb->strings, l->file), l->line, l->flags);
	}
}

static void add_old(const struct cache_table *old, struct cache_table *out,
		    const struct cache_entry *e)
{
	cache_table_add(out, e->addr, e->reason);
	for (uint32_t i = e->first; i < e->first + e->n; i++) {
		const struct cache_line *l = &old->lines.v[i];
		size_t name_len = 0, file_len = 0;
		const char *name = l->name ? cache_table_string(old, l->name - 1, &name_len) : NULL;
		const char *file = l->file ? cache_table_string(old, l->file - 1, &file_len) : NULL;

		cache_table_add_line(out, name, name_len, file, file_len, l->line, l->flags);
	}
}

/* Both are sorted by address; what this run knows is the same as what was there. */
static void merge(const struct symbolizer *s, const struct target *t, struct cache_table *out)
{
	const struct cache_table *old = &t->cache.table;
	size_t k = 0, n = old->lines.n < LINES_MANY ? old->entries.n : 0;

	for (size_t i = t->first; i < t->first + t->n; i++) {
		const struct entry *e = &s->entries[i];

		if (i > t->first && e[-1].addr == e->addr)
			continue;
		for (; k < n && old->entries.v[k].addr < e->addr; k++)
			add_old(old, out, &old->entries.v[k]);
		if (k < n && old->entries.v[k].addr == e->addr)
			k++;
		add_new(s, out, e);
	}
	for (; k < n; k++)
		add_old(old, out, &old->entries.v[k]);
}

static bool has_news(const struct symbolizer *s, const struct target *t)
{
	if (!t->cache.key || atomic_load(&t->cache.unsound))
		return false;
	for (size_t i = t->first; i < t->first + t->n; i++)
		if (!s->entries[i].cached)
			return true;
	return false;
}

static bool save(struct symbolizer *s, const struct target *t)
{
	struct cache_table out = { .reason = t->reason };
	struct strbuf bytes = STRBUF_INIT;
	bool ok;

	merge(s, t, &out);
	cache_table_write(&out, t->cache.key, &bytes);
	ok = cache_dir_write(s->ctx.cache, t->cache.name, bytes.s, bytes.n);
	strbuf_release(&bytes);
	cache_table_release(&out);
	return ok;
}

void symbolizer_save(struct symbolizer *s)
{
	uint64_t limit = s->ctx.opts->cache_limit ? s->ctx.opts->cache_limit : CACHE_LIMIT;

	qsort(s->entries, s->n, sizeof(*s->entries), symbolizer_by_address);
	for (size_t i = 0; i < s->nr_targets; i++)
		if (has_news(s, &s->targets[i]))
			s->counts.cache_written += save(s, &s->targets[i]);
	if (s->counts.cache_written)
		cache_dir_prune(s->ctx.cache, limit);
}
