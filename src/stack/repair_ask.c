/* SPDX-License-Identifier: MIT */
/*
 * What is answered.  Nearly always one word was seen in one place, whatever the time: the walk goes
 * from group to group.  Only where a place has had several words their times are looked at.
 */
#include "stack/repair_priv.h"

#include "base/hash.h"

enum { MAX_REPAIRED = 1 << 12 }; /* frames: a memory of a memory must end some time */

static uint64_t hash_of(int32_t tid, uint64_t slot, uint64_t func)
{
	return hash_mix(slot ^ (uint64_t)(uint32_t)tid << 32, func);
}

static uint32_t group_of(const struct repair *r, int32_t tid, uint64_t slot, uint64_t func)
{
	struct hashidx_iter it = hashidx_first(&r->groups_index, hash_of(tid, slot, func));
	uint32_t i;

	while ((i = hashidx_next(&r->groups_index, &it)) != HASHIDX_NONE) {
		const struct repair_word *w = &r->words.v[r->groups.v[i].word];

		if (w->slot == slot && w->func == func && w->tid == tid)
			return i;
	}
	return REPAIR_NONE;
}

static void find_group(struct repair *r, uint32_t word)
{
	struct repair_word *w = &r->words.v[word];

	w->group = group_of(r, w->tid, w->slot, w->func);
	if (w->group != REPAIR_NONE) {
		r->groups.v[w->group].mixed = true;
		return;
	}
	w->group = (uint32_t)r->groups.n;
	hashidx_add(&r->groups_index, hash_of(w->tid, w->slot, w->func), w->group);
	vec_push(&r->groups, (struct repair_group){ .word = word });
}

static void raise_top(struct repair *r, const struct repair_word *w)
{
	uint64_t hash = hash_u64((uint32_t)w->tid);
	struct hashidx_iter it = hashidx_first(&r->tops_index, hash);
	uint32_t i;

	while ((i = hashidx_next(&r->tops_index, &it)) != HASHIDX_NONE) {
		if (r->tops.v[i].tid != w->tid)
			continue;
		if (r->tops.v[i].slot < w->slot)
			r->tops.v[i].slot = w->slot;
		return;
	}
	hashidx_add(&r->tops_index, hash, (uint32_t)r->tops.n);
	vec_push(&r->tops, (struct repair_top){ w->tid, w->slot });
}

#define ORDER(a, b)                                \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int by_time(const void *pa, const void *pb)
{
	const struct repair_seen *a = pa, *b = pb;

	ORDER(a->first, b->first);
	ORDER(a->last, b->last);
	ORDER(a->word->ra, b->word->ra);
	ORDER(a->word->next_slot, b->word->next_slot);
	ORDER(a->word->next_func, b->word->next_func);
	ORDER(a->word->is_return, b->word->is_return);
	ORDER(a->word->whole, b->word->whole);
	return 0;
}

/* The spans of all groups that have several words. */
static void sort_seen(struct repair *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->groups.n; i++) {
		struct repair_group *g = &r->groups.v[i];

		g->first = (uint32_t)n;
		n += g->mixed ? g->n : 0;
		g->n = 0;
	}
	r->seen = xreallocarray(NULL, n + 1, sizeof(*r->seen));
	for (size_t i = 0; i < r->spans.n; i++) {
		const struct repair_span *s = &r->spans.v[i];
		const struct repair_word *w = s->word == REPAIR_NONE ? NULL : &r->words.v[s->word];
		struct repair_group *g = w ? &r->groups.v[w->group] : NULL;

		if (w && g->mixed)
			r->seen[g->first + g->n++] = (struct repair_seen){ s->first, s->last, w };
	}
	for (size_t i = 0; i < r->groups.n; i++)
		if (r->groups.v[i].n > 1)
			qsort(r->seen + r->groups.v[i].first, r->groups.v[i].n, sizeof(*r->seen),
			      by_time);
}

void repair_finish(struct repair *r)
{
	for (size_t i = 0; i < r->spans.n; i++) {
		uint32_t word = r->spans.v[i].word;

		if (word == REPAIR_NONE)
			continue;
		if (r->words.v[word].group == REPAIR_NONE) {
			find_group(r, word);
			raise_top(r, &r->words.v[word]);
		}
		r->groups.v[r->words.v[word].group].n++;
	}
	sort_seen(r);
	for (size_t i = 0; i < r->words.n; i++) {
		struct repair_word *w = &r->words.v[i];

		w->next = group_of(r, w->tid, w->next_slot, w->next_func);
	}
}

static bool agree(const struct repair_word *a, const struct repair_word *b)
{
	return a->ra == b->ra && a->is_return == b->is_return && a->next_func == b->next_func;
}

/*
 * What lay in a place with several words at WHEN: the nearest memory before and the nearest after it
 * must tell the same; so must all whose spans include it.  NULL when more than one thing is known.
 */
static const struct repair_word *at_time(const struct repair *r, const struct repair_group *g,
					 uint64_t when)
{
	const struct repair_seen *before = NULL, *after = NULL;
	const struct repair_word *during = NULL;

	for (uint32_t i = 0; i < g->n; i++) {
		const struct repair_seen *s = &r->seen[g->first + i];

		if (s->first <= when && when <= s->last) {
			if (during && !agree(during, s->word))
				return NULL;
			if (!during || (!during->next_slot && s->word->next_slot))
				during = s->word;
		} else if (s->last < when) {
			if (!before || s->last > before->last)
				before = s;
		} else if (!after || s->first < after->first) {
			after = s;
		}
	}
	if (during)
		return during;
	if (before && after && !agree(before->word, after->word))
		return NULL;
	/* of two that agree, the one that knows more */
	if (before && (!after || before->word->next_slot || !after->word->next_slot))
		return before->word;
	return after ? after->word : NULL;
}

size_t repair_complete(const struct repair *r, int32_t tid, uint64_t when, uint64_t slot,
		       uint64_t func, struct stack *st, bool *whole)
{
	uint32_t at = slot && func ? group_of(r, tid, slot, func) : REPAIR_NONE;
	size_t added = 0;

	*whole = false;
	while (at != REPAIR_NONE && added < MAX_REPAIRED) {
		const struct repair_group *g = &r->groups.v[at];
		const struct repair_word *w = g->mixed ? at_time(r, g, when) : &r->words.v[g->word];

		if (!w)
			break;
		stack_push_repaired(st, w->ra, w->is_return);
		added++;
		if (w->whole) {
			*whole = true;
			break;
		}
		if (w->next_slot <= w->slot)
			break; /* stacks grow downwards: anything else would go in circles */
		at = w->next;
	}
	return added;
}

uint64_t repair_top(const struct repair *r, int32_t tid)
{
	struct hashidx_iter it = hashidx_first(&r->tops_index, hash_u64((uint32_t)tid));
	uint32_t i;

	while ((i = hashidx_next(&r->tops_index, &it)) != HASHIDX_NONE)
		if (r->tops.v[i].tid == tid)
			return r->tops.v[i].slot;
	return 0;
}
