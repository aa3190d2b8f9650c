/* SPDX-License-Identifier: MIT */
#include "stack/repair.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "base/radix.h"

enum { MAX_REPAIRED = 1 << 12 }; /* frames: a memory of a memory must end some time */

static uint64_t hash_of(int32_t tid, uint64_t slot)
{
	return hash_mix(slot, (uint32_t)tid);
}

static bool same_word(const struct slot_seen *a, const struct slot_seen *b)
{
	return a->ra == b->ra && a->is_return == b->is_return && a->func == b->func &&
	       a->next_slot == b->next_slot && a->next_func == b->next_func && a->whole == b->whole;
}

/* The word was there at S's time as well. */
static void extend(struct slot_seen *known, const struct slot_seen *s)
{
	if (s->first < known->first)
		known->first = s->first;
	if (s->last > known->last)
		known->last = s->last;
}

/* The index of what is known of the word. */
static uint32_t remember(struct repair *r, const struct slot_seen *s)
{
	uint64_t hash = hash_of(s->tid, s->slot);
	struct hashidx_iter it = hashidx_first(&r->latest, hash);
	struct slot_seen *known;
	uint32_t i;

	while ((i = hashidx_next(&r->latest, &it)) != HASHIDX_NONE) {
		known = &r->seen.v[i];
		if (known->slot != s->slot || known->tid != s->tid || !same_word(known, s))
			continue;
		extend(known, s);
		return i;
	}
	i = (uint32_t)r->seen.n;
	hashidx_add(&r->latest, hash, i);
	vec_push(&r->seen, *s);
	return i;
}

/*
 * Most of a stack is as it was in the sample before: from the outermost frame on, what is equal
 * to the entries of the last stack needs no look into the table.
 */
void repair_observe(struct repair *r, int32_t tid, uint64_t when, const struct stack *st,
		    size_t first_user, const struct unwind_info *info, uint64_t lowest)
{
	size_t n = info->n, outer = 0;
	bool same = true;

	if (first_user + n > st->n)
		n = st->n - first_user;
	for (size_t i = n > 1 ? n - 1 : 0; i-- > 0; outer++) {
		struct slot_seen s = { .slot = info->frames[i].slot,
				       .tid = tid,
				       .first = when,
				       .last = when,
				       .ra = st->frames[first_user + i + 1].addr,
				       .is_return = st->frames[first_user + i + 1].is_return,
				       .func = info->frames[i].func,
				       .next_slot = info->frames[i + 1].slot,
				       .next_func = info->frames[i + 1].func };
		struct slot_seen *last;
		uint32_t at;

		s.whole = i + 2 == info->n && info->end == UNWIND_WHOLE;
		if (!s.slot || s.slot < lowest || !s.func) {
			at = HASHIDX_NONE;
			same = false;
		} else {
			last = same && outer < r->last.n && r->last.v[outer] != HASHIDX_NONE
				       ? &r->seen.v[r->last.v[outer]]
				       : NULL;
			same = last && last->slot == s.slot && last->tid == tid &&
			       same_word(last, &s);
			if (same) {
				extend(last, &s);
				continue;
			}
			at = remember(r, &s);
		}
		if (outer >= r->last.n)
			vec_push(&r->last, at);
		else
			r->last.v[outer] = at;
	}
	r->last.n = outer;
}

void repair_cut(struct repair *r)
{
	hashidx_release(&r->latest);
	r->last.n = 0;
}

void repair_merge(struct repair *dst, struct repair *src)
{
	vec_reserve(&dst->seen, src->seen.n);
	for (size_t i = 0; i < src->seen.n; i++)
		dst->seen.v[dst->seen.n++] = src->seen.v[i];
	repair_release(src);
}

#define ORDER(a, b)                                \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

static int by_slot_and_time(const void *pa, const void *pb)
{
	const struct slot_seen *a = pa, *b = pb;

	ORDER(a->tid, b->tid);
	ORDER(a->slot, b->slot);
	ORDER(a->func, b->func);
	ORDER(a->first, b->first);
	ORDER(a->last, b->last);
	ORDER(a->ra, b->ra);
	ORDER(a->next_slot, b->next_slot);
	ORDER(a->next_func, b->next_func);
	ORDER(a->is_return, b->is_return);
	return 0;
}

/* By thread, then by slot: the order in which they were, of equal ones. */
static struct radix_item *by_thread_and_slot(const struct repair *r)
{
	struct radix_item *items = xreallocarray(NULL, r->seen.n, sizeof(*items));

	for (size_t i = 0; i < r->seen.n; i++)
		items[i] = (struct radix_item){ r->seen.v[i].slot, (uint32_t)i, 0 };
	radix_sort(items, r->seen.n);
	for (size_t i = 0; i < r->seen.n; i++)
		items[i].key = (uint32_t)r->seen.v[items[i].first].tid ^ (uint32_t)INT32_MIN;
	radix_sort(items, r->seen.n);
	return items;
}

/* There are hundreds of thousands, and few for each slot. */
static void sort_seen(struct repair *r)
{
	struct radix_item *items = by_thread_and_slot(r);
	struct slot_seen *v = xreallocarray(NULL, r->seen.n, sizeof(*v));
	size_t n = r->seen.n;

	for (size_t i = 0; i < n; i++)
		v[i] = r->seen.v[items[i].first];
	free(items);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && v[end].slot == v[i].slot && v[end].tid == v[i].tid;)
			end++;
		if (end - i > 1)
			qsort(v + i, end - i, sizeof(*v), by_slot_and_time);
	}
	memcpy(r->seen.v, v, n * sizeof(*v));
	free(v);
}

void repair_finish(struct repair *r)
{
	hashidx_release(&r->latest);
	if (r->seen.n)
		sort_seen(r);
	r->sorted = true;
}

/* The entries of one (tid, slot, func): [*lo, *hi). */
static void range_of(const struct repair *r, int32_t tid, uint64_t slot, uint64_t func, size_t *lo,
		     size_t *hi)
{
	struct slot_seen key = { .tid = tid, .slot = slot, .func = func };
	size_t b = bisect(i, r->seen.n, by_slot_and_time(&r->seen.v[i], &key) < 0);

	*lo = b;
	while (b < r->seen.n && r->seen.v[b].tid == tid && r->seen.v[b].slot == slot &&
	       r->seen.v[b].func == func)
		b++;
	*hi = b;
}

static bool agree(const struct slot_seen *a, const struct slot_seen *b)
{
	return a->ra == b->ra && a->is_return == b->is_return && a->next_func == b->next_func;
}

/*
 * What the slot held at WHEN: the nearest memory before and the nearest after it must tell the
 * same; so must all whose spans include it.  NULL when nothing or more than one thing is known.
 */
static const struct slot_seen *candidate(const struct repair *r, size_t lo, size_t hi,
					 uint64_t when)
{
	const struct slot_seen *before = NULL, *after = NULL, *during = NULL;

	for (size_t i = lo; i < hi; i++) {
		const struct slot_seen *s = &r->seen.v[i];

		if (s->first <= when && when <= s->last) {
			if (during && !agree(during, s))
				return NULL;
			if (!during || (!during->next_slot && s->next_slot))
				during = s;
		} else if (s->last < when) {
			if (!before || s->last > before->last)
				before = s;
		} else if (!after || s->first < after->first) {
			after = s;
		}
	}
	if (during)
		return during;
	if (before && after && !agree(before, after))
		return NULL;
	/* of two that agree, the one that knows more */
	if (before && (!after || before->next_slot || !after->next_slot))
		return before;
	return after;
}

size_t repair_complete(const struct repair *r, int32_t tid, uint64_t when, uint64_t slot,
		       uint64_t func, struct stack *st, bool *whole)
{
	size_t added = 0;

	*whole = false;
	while (slot && func && added < MAX_REPAIRED) {
		const struct slot_seen *s;
		size_t lo, hi;

		range_of(r, tid, slot, func, &lo, &hi);
		s = candidate(r, lo, hi, when);
		if (!s)
			break;
		stack_push_repaired(st, s->ra, s->is_return);
		added++;
		if (s->whole) {
			*whole = true;
			break;
		}
		if (s->next_slot <= slot)
			break; /* stacks grow downwards: anything else would go in circles */
		slot = s->next_slot;
		func = s->next_func;
	}
	return added;
}

uint64_t repair_top(const struct repair *r, int32_t tid)
{
	size_t at = bisect(i, r->seen.n, r->seen.v[i].tid <= tid); /* by tid, then by slot */

	return at && r->seen.v[at - 1].tid == tid ? r->seen.v[at - 1].slot : 0;
}

void repair_release(struct repair *r)
{
	vec_release(&r->seen);
	vec_release(&r->last);
	hashidx_release(&r->latest);
	*r = (struct repair){ 0 };
}
