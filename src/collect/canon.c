/* SPDX-License-Identifier: MIT */
#include "collect/canon.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/xmalloc.h"

static bool same_line(const struct line *a, const struct line *b, bool by_line)
{
	return a->func == b->func && a->flags == b->flags &&
	       (!by_line || (a->file == b->file && a->line == b->line));
}

static uint64_t line_hash(uint64_t h, const struct line *l, bool by_line)
{
	h = hash_mix(h ^ l->func, l->flags);
	return by_line ? hash_mix(h ^ l->file, l->line) : h;
}

static bool same(const struct profile *p, const struct location *a, const struct location *b,
		 bool by_line)
{
	if (a->nr_lines != b->nr_lines || a->reason != b->reason)
		return false;
	for (uint32_t i = 0; i < a->nr_lines; i++)
		if (!same_line(&p->lines[a->first_line + i], &p->lines[b->first_line + i],
			       by_line))
			return false;
	return true;
}

uint32_t *canon_new(const struct profile *p, bool by_line)
{
	uint32_t *canon = xcalloc(p->nr_locs, sizeof(*canon));
	struct hashidx index = { 0 };

	for (uint32_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];
		uint64_t hash = l->reason;
		struct hashidx_iter it;
		uint32_t known;

		for (uint32_t k = 0; k < l->nr_lines; k++)
			hash = line_hash(hash, &p->lines[l->first_line + k], by_line);
		it = hashidx_first(&index, hash);
		while ((known = hashidx_next(&index, &it)) != HASHIDX_NONE)
			if (same(p, &p->locs[known], l, by_line))
				break;
		if (known == HASHIDX_NONE) {
			known = i;
			hashidx_add(&index, hash, i);
		}
		canon[i] = known;
	}
	hashidx_release(&index);
	return canon;
}
