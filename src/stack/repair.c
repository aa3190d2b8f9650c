/* SPDX-License-Identifier: MIT */
/*
 * What is remembered.  There are many times more spans than words, as each piece of the recording
 * has its own.
 */
#include "stack/repair_priv.h"

#include "base/hash.h"

static bool same_word(const struct repair_word *a, const struct repair_word *b)
{
	return a->slot == b->slot && a->ra == b->ra && a->func == b->func &&
	       a->next_slot == b->next_slot && a->next_func == b->next_func && a->tid == b->tid &&
	       a->is_return == b->is_return && a->whole == b->whole;
}

static uint64_t hash_of(const struct repair_word *w)
{
	uint64_t h = hash_mix(w->slot, w->ra);

	h = hash_mix(h ^ w->next_slot, w->func ^ (uint32_t)w->tid);
	return hash_mix(h, w->next_func ^ (uint64_t)w->whole << 1 ^ w->is_return);
}

static uint32_t word_id(struct repair *r, const struct repair_word *w, uint64_t hash)
{
	struct hashidx_iter it = hashidx_first(&r->words_index, hash);
	uint32_t i;

	while ((i = hashidx_next(&r->words_index, &it)) != HASHIDX_NONE)
		if (same_word(&r->words.v[i], w))
			return i;
	i = (uint32_t)r->words.n;
	hashidx_add(&r->words_index, hash, i);
	vec_push(&r->words, *w);
	r->words.v[i].span = r->words.v[i].group = r->words.v[i].next = REPAIR_NONE;
	return i;
}

static void seen_at(struct repair *r, uint32_t word, uint64_t when)
{
	uint32_t newest = r->words.v[word].span;
	struct repair_span *span;

	if (newest == REPAIR_NONE || newest < r->begun) {
		r->words.v[word].span = (uint32_t)r->spans.n;
		vec_push(&r->spans, (struct repair_span){ when, when, word });
		return;
	}
	span = &r->spans.v[newest];
	if (when < span->first)
		span->first = when;
	if (when > span->last)
		span->last = when;
}

/* What there is to remember of a stack, outermost first. */
static void take_words(struct repair *r, int32_t tid, const struct stack *st, size_t first_user,
		       const struct unwind_info *info, uint64_t lowest)
{
	size_t n = info->n;

	if (first_user + n > st->n)
		n = st->n - first_user;
	r->at_hand.n = 0;
	vec_reserve(&r->at_hand, n);
	for (size_t i = n > 1 ? n - 1 : 0; i-- > 0;) {
		const struct frame_addr *caller = &st->frames[first_user + i + 1];

		if (!info->frames[i].slot || info->frames[i].slot < lowest || !info->frames[i].func)
			continue;
		r->at_hand.v[r->at_hand.n++] = (struct repair_word){
			.slot = info->frames[i].slot,
			.ra = caller->addr,
			.func = info->frames[i].func,
			.next_slot = info->frames[i + 1].slot,
			.next_func = info->frames[i + 1].func,
			.tid = tid,
			.whole = i + 2 == info->n && info->end == UNWIND_WHOLE,
			.is_return = caller->is_return,
		};
	}
}

/*
 * The table is larger than the nearest caches: all of its slots are asked for before the first one
 * is looked at.
 */
void repair_observe(struct repair *r, int32_t tid, uint64_t when, const struct stack *st,
		    size_t first_user, const struct unwind_info *info, uint64_t lowest)
{
	take_words(r, tid, st, first_user, info, lowest);
	r->hashes.n = 0;
	for (size_t i = 0; i < r->at_hand.n; i++) {
		vec_push(&r->hashes, hash_of(&r->at_hand.v[i]));
		hashidx_prefetch(&r->words_index, r->hashes.v[i]);
	}
	for (size_t i = 0; i < r->at_hand.n; i++)
		seen_at(r, word_id(r, &r->at_hand.v[i], r->hashes.v[i]), when);
}

size_t repair_cut(struct repair *r)
{
	r->begun = r->spans.n;
	return r->begun;
}

void repair_forget(struct repair *r, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		r->spans.v[i].word = REPAIR_NONE;
}

void repair_merge(struct repair *dst, struct repair *src)
{
	uint32_t *ids;

	if (!dst->words.n) {
		repair_release(dst);
		*dst = *src;
		*src = (struct repair){ 0 };
		return;
	}
	ids = xcalloc(src->words.n + 1, sizeof(*ids));
	for (size_t i = 0; i < src->words.n; i++)
		ids[i] = word_id(dst, &src->words.v[i], hash_of(&src->words.v[i]));
	for (size_t i = 0; i < src->spans.n; i++) {
		struct repair_span s = src->spans.v[i];

		if (s.word != REPAIR_NONE)
			s.word = ids[s.word];
		vec_push(&dst->spans, s);
	}
	free(ids);
	repair_release(src);
}

void repair_release(struct repair *r)
{
	vec_release(&r->words);
	hashidx_release(&r->words_index);
	vec_release(&r->spans);
	vec_release(&r->at_hand);
	vec_release(&r->hashes);
	vec_release(&r->groups);
	hashidx_release(&r->groups_index);
	free(r->seen);
	vec_release(&r->tops);
	hashidx_release(&r->tops_index);
	*r = (struct repair){ 0 };
}
