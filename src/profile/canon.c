/* SPDX-License-Identifier: MIT */
#include "profile/canon.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/xmalloc.h"

static bool same(const struct profile *p, const struct location *a, const struct location *b)
{
	if (a->nr_lines != b->nr_lines || a->reason != b->reason || a->repaired != b->repaired)
		return false;
	for (uint32_t i = 0; i < a->nr_lines; i++) {
		const struct line *la = &p->lines[a->first_line + i];
		const struct line *lb = &p->lines[b->first_line + i];

		if (la->func != lb->func || la->flags != lb->flags)
			return false;
	}
	return true;
}

static uint64_t lines_hash(const struct profile *p, const struct location *l)
{
	uint64_t hash = (uint64_t)l->repaired << 8 | l->reason;

	for (uint32_t i = 0; i < l->nr_lines; i++) {
		const struct line *line = &p->lines[l->first_line + i];

		hash = hash_mix(hash ^ line->func, line->flags);
	}
	return hash;
}

uint32_t *canon_new(const struct profile *p)
{
	uint32_t *canon = xcalloc(p->nr_locs, sizeof(*canon));
	struct hashidx index = { 0 };

	for (uint32_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];
		uint64_t hash = lines_hash(p, l);
		struct hashidx_iter it = hashidx_first(&index, hash);
		uint32_t known;

		while ((known = hashidx_next(&index, &it)) != HASHIDX_NONE)
			if (same(p, &p->locs[known], l))
				break;
		if (known == HASHIDX_NONE) {
			known = i;
			hashidx_add(&index, hash, i);
		}
		canon[i] = l->nr_lines ? known : i;
	}
	hashidx_release(&index);
	return canon;
}
