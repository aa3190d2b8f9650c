/* SPDX-License-Identifier: MIT */
/*
 * A cache file's bytes behind the checksum, which is made to fit: what a reader accepts must be
 * usable without further checks.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "symbol/cache_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is shown ends at a NUL, so there must be none. */
static void use_string(const struct cache_table *t, uint32_t nr)
{
	size_t len;
	const char *s = cache_table_string(t, nr, &len);

	if (memchr(s, 0, len))
		abort();
}

static void use(const struct cache_table *t)
{
	for (size_t i = 0; i < t->entries.n; i++) {
		const struct cache_entry *e = &t->entries.v[i], *found;

		if (!cache_table_find(t, e->addr, &found) || found != e)
			abort();
		for (uint32_t k = e->first; k < e->first + e->n; k++) {
			const struct cache_line *l = &t->lines.v[k];

			if (l->name)
				use_string(t, l->name - 1);
			if (l->file)
				use_string(t, l->file - 1);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cache_table empty = { 0 }, t;
	struct strbuf bytes = STRBUF_INIT;
	uint64_t sum = hash_bytes(data, size);

	cache_table_write(&empty, "", &bytes);
	bytes.n = CACHE_TABLE_HEADER;
	memcpy(bytes.s + bytes.n - sizeof(sum), &sum, sizeof(sum));
	strbuf_add(&bytes, data, size);
	if (cache_table_read(&t, bytes.s, bytes.n, "key"))
		use(&t);
	cache_table_release(&t);
	strbuf_release(&bytes);
	return 0;
}
