/* SPDX-License-Identifier: MIT */
#include "base/intern.h"

#include <string.h>

#include "base/hash.h"

uint32_t intern_add(struct intern *in, const char *s, size_t len)
{
	uint64_t hash;
	struct hashidx_iter it;
	uint32_t i;

	if (!len)
		return 0;
	hash = hash_bytes(s, len);
	it = hashidx_first(&in->index, hash);
	while ((i = hashidx_next(&in->index, &it)) != HASHIDX_NONE)
		if (in->strings.v[i].len == len && !memcmp(in->strings.v[i].s, s, len))
			return i + 1;
	i = (uint32_t)in->strings.n;
	vec_push(&in->strings,
		 (struct intern_entry){ arena_strndup(&in->arena, s, len), (uint32_t)len });
	hashidx_add(&in->index, hash, i);
	return i + 1;
}

uint32_t intern_adds(struct intern *in, const char *s)
{
	return intern_add(in, s, strlen(s));
}

void intern_release(struct intern *in)
{
	arena_release(&in->arena);
	hashidx_release(&in->index);
	vec_release(&in->strings);
}
