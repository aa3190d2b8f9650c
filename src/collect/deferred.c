/* SPDX-License-Identifier: MIT */
#include "collect/deferred.h"

#include "base/hash.h"

static uint64_t hash_of(int32_t tid, uint64_t cookie)
{
	return hash_mix((uint32_t)tid, cookie);
}

void deferred_add(struct deferred *d, int32_t tid, uint64_t pos, const struct record_deferred *r,
		  bool be)
{
	struct deferred_entry e = { .tid = tid, .cookie = r->cookie, .pos = pos };

	e.chain = (struct deferred_chain){ .ips = r->ips, .nr = r->nr, .be = be };
	hashidx_add(&d->index, hash_of(tid, r->cookie), (uint32_t)d->entries.n);
	vec_push(&d->entries, e);
}

const struct deferred_chain *deferred_find(const struct deferred *d, int32_t tid, uint64_t cookie,
					   uint64_t pos)
{
	struct hashidx_iter it = hashidx_first(&d->index, hash_of(tid, cookie));
	const struct deferred_entry *best = NULL;
	uint32_t i;

	while ((i = hashidx_next(&d->index, &it)) != HASHIDX_NONE) {
		const struct deferred_entry *e = &d->entries.v[i];

		if (e->tid == tid && e->cookie == cookie && e->pos > pos &&
		    (!best || e->pos < best->pos))
			best = e;
	}
	return best ? &best->chain : NULL;
}

void deferred_release(struct deferred *d)
{
	vec_release(&d->entries);
	hashidx_release(&d->index);
}
