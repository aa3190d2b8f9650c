/* SPDX-License-Identifier: MIT */
#include "collect/watch.h"

#include "base/hash.h"

/*
 * How much lower than now a later cut may be, without having to look again.  To remember a frame
 * costs half as much as to unwind it.
 */
enum { MARGIN = 65536 };

void watch_begin(struct watch *w, size_t index, struct repair *r)
{
	vec_push(&w->chunks, (struct watched_chunk){ .index = index, .from = repair_cut(r) });
}

static struct watched_thread *thread_of(const struct watch *w, int32_t tid)
{
	struct hashidx_iter it = hashidx_first(&w->threads_index, hash_u64((uint32_t)tid));
	uint32_t i;

	while ((i = hashidx_next(&w->threads_index, &it)) != HASHIDX_NONE)
		if (w->threads.v[i].tid == tid)
			return &w->threads.v[i];
	return NULL;
}

/* A stack of TID was cut where its word at SLOT would be asked for.  T is NULL for its first. */
static struct watched_thread *lower(struct watch *w, struct watched_thread *t, int32_t tid,
				    uint64_t slot)
{
	if (!t) {
		hashidx_add(&w->threads_index, hash_u64((uint32_t)tid), (uint32_t)w->threads.n);
		vec_push(&w->threads, (struct watched_thread){ .tid = tid });
		t = &w->threads.v[w->threads.n - 1];
	}
	t->lowest = slot > MARGIN ? slot - MARGIN : 0;
	t->since = (uint32_t)w->chunks.n;
	return t;
}

void watch_stack(struct watch *w, struct repair *r, int32_t tid, uint64_t when,
		 const struct stack *st, size_t first_user, const struct unwind_info *info)
{
	struct watched_chunk *chunk = &w->chunks.v[w->chunks.n - 1];
	struct watched_thread *t = thread_of(w, tid);
	uint64_t slot = info->n && info->end != UNWIND_WHOLE ? info->frames[info->n - 1].slot : 0;

	chunk->threads |= watch_bit(tid);
	if (slot && (!t || slot < t->lowest)) {
		t = lower(w, t, tid, slot);
		chunk->late = true;
	}
	if (t)
		repair_observe(r, tid, when, st, first_user, info, t->lowest);
}

void watch_miss(struct watch *w, int32_t tid)
{
	w->chunks.v[w->chunks.n - 1].missed |= watch_bit(tid);
}

void watch_end(struct watch *w, struct repair *r)
{
	w->chunks.v[w->chunks.n - 1].to = repair_cut(r);
}

bool watch_suffices(const struct watch *w)
{
	const struct watched_chunk *chunk = &w->chunks.v[w->chunks.n - 1];

	return !chunk->late && !chunk->missed;
}

uint32_t watch_since(const struct watch *w, int32_t tid, uint64_t lowest)
{
	const struct watched_thread *t = thread_of(w, tid);

	return t && t->lowest <= lowest ? t->since : UINT32_MAX;
}

void watch_release(struct watch *w)
{
	vec_release(&w->threads);
	hashidx_release(&w->threads_index);
	vec_release(&w->chunks);
}
