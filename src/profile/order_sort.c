/* SPDX-License-Identifier: MIT */
/*
 * A multikey sort with cached keys (Bentley and Sedgewick, "Fast algorithms for sorting and
 * searching strings"; Ng and Kakehi, "Cache efficient radix sort for string sorting").
 *
 * A stack is a string of frames.  As many of its next frames as fit are packed into one 128-bit
 * number, and stacks are sorted by it; only those with the same number are asked for their next
 * frames.  So memory is touched once for each ten frames or so, and not for each comparison.
 */
#include "profile/order_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"

enum {
	SMALL = 12, /* sorted by insertion */
	BATCH = 1 << 15, /* entries that a thread takes at a time */
};

/* Entries whose frames up to here are the same. */
struct group {
	size_t first, n;
};

static bool ended(const struct stack_order *o, key_bits key)
{
	return !((uint64_t)key & order_low_bits(UINT64_MAX, o->priv->bits));
}

static void swap(struct entry *a, struct entry *b)
{
	struct entry t = *a;

	*a = *b;
	*b = t;
}

static key_bits median(key_bits a, key_bits b, key_bits c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

static key_bits pivot_of(const struct entry *e, size_t n)
{
	size_t s = n / 8;

	if (n < 64)
		return median(e[0].key, e[n / 2].key, e[n - 1].key);
	return median(median(e[0].key, e[s].key, e[2 * s].key),
		      median(e[3 * s].key, e[4 * s].key, e[5 * s].key),
		      median(e[6 * s].key, e[7 * s].key, e[n - 1].key));
}

static void insertion_sort(struct entry *e, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct entry t = e[i];
		size_t k = i;

		for (; k && e[k - 1].key > t.key; k--)
			e[k] = e[k - 1];
		e[k] = t;
	}
}

struct parts {
	size_t equal, above; /* where those begin that are not below the pivot, and not equal */
};

/* Three ways, since many are equal. */
static struct parts partition(struct entry *e, size_t n)
{
	key_bits pivot = pivot_of(e, n);
	size_t below = 0, at = 0, above = n;

	while (at < above) {
		if (e[at].key < pivot)
			swap(&e[below++], &e[at++]);
		else if (e[at].key > pivot)
			swap(&e[at], &e[--above]);
		else
			at++;
	}
	return (struct parts){ below, above };
}

/* The larger side in this loop: calls nest by the logarithm of N. */
static void sort_keys(struct entry *e, size_t n)
{
	while (n > SMALL) {
		struct parts p = partition(e, n);

		if (p.equal < n - p.above) {
			sort_keys(e, p.equal);
			e += p.above;
			n -= p.above;
		} else {
			sort_keys(e + p.above, n - p.above);
			n = p.equal;
		}
	}
	insertion_sort(e, n);
}

/*
 * Stacks lie anywhere in memory: each is asked for some time before it is looked at.  (In a
 * function of its own gcc 12 would take the prefetch for nothing, and drop the call.)
 */
static void fetch_groups(const struct stack_order *o, struct entry *e, const struct group *g,
			 size_t n)
{
	size_t ahead = 0, ahead_at = 0, lead = 0; /* group, place in it, how far in front */

	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < g[i].n; k++) {
			for (; lead < ORDER_AHEAD && ahead < n; lead++) {
				const struct entry *next = &e[g[ahead].first + ahead_at];

				__builtin_prefetch(words_at(next));
				if (++ahead_at == g[ahead].n) {
					ahead++;
					ahead_at = 0;
				}
			}
			lead--;
			order_fetch(o, &e[g[i].first + k]);
		}
	}
}

/* What one thread works on: some groups, and those that they are cut into. */
struct batch {
	size_t first, n; /* in sorting.groups */
	VEC(struct group) next;
};

struct sorting {
	const struct stack_order *o;
	struct entry *e;
	unsigned threads;
	VEC(struct group) groups;
	VEC(struct batch) batches;
};

static void fetch_batch(void *ctx, unsigned worker, size_t index)
{
	struct sorting *s = ctx;
	const struct batch *b = &s->batches.v[index];

	(void)worker;
	fetch_groups(s->o, s->e, s->groups.v + b->first, b->n);
}

/* Sort each group and cut it where keys differ; what has no more frames is done. */
static void sort_batch(void *ctx, unsigned worker, size_t index)
{
	struct sorting *s = ctx;
	struct batch *b = &s->batches.v[index];
	const struct entry *e = s->e;

	(void)worker;
	for (size_t i = b->first; i < b->first + b->n; i++) {
		struct group g = s->groups.v[i];

		sort_keys(s->e + g.first, g.n);
		for (size_t from = g.first, to; from < g.first + g.n; from = to) {
			for (to = from + 1; to < g.first + g.n && e[to].key == e[from].key;)
				to++;
			if (to - from > 1 && !ended(s->o, e[from].key))
				vec_push(&b->next, (struct group){ from, to - from });
		}
	}
}

/* Neighbouring groups of together so many entries are a batch. */
static void make_batches(struct sorting *s)
{
	size_t entries = 0;

	s->batches.n = 0;
	for (size_t i = 0; i < s->groups.n; i++) {
		if (!s->batches.n || entries >= BATCH) {
			vec_push(&s->batches, (struct batch){ .first = i });
			entries = 0;
		}
		s->batches.v[s->batches.n - 1].n++;
		entries += s->groups.v[i].n;
	}
}

/* Cut what is too large for one thread into pieces of BATCH, in any order. */
static void cut_evenly(struct sorting *s)
{
	for (size_t i = 0; i < s->groups.n; i++) {
		struct group *g = &s->groups.v[i];

		while (g->n > 2 * BATCH) {
			struct group rest = { g->first + BATCH, g->n - BATCH };

			g->n = BATCH;
			vec_push(&s->groups, rest);
			g = &s->groups.v[s->groups.n - 1];
		}
	}
}

/* The same by key: what is in one piece is below all that is in the next. */
static void cut_by_key(struct sorting *s)
{
	for (size_t i = 0; i < s->groups.n; i++) {
		while (s->groups.v[i].n > 2 * BATCH) {
			struct group g = s->groups.v[i];
			struct parts p = partition(s->e + g.first, g.n);

			if (p.above - p.equal == g.n)
				break; /* all the same */
			s->groups.v[i] = (struct group){ g.first, p.equal };
			if (p.equal < 1)
				s->groups.v[i] = (struct group){ g.first, p.above };
			else
				vec_push(&s->groups,
					 (struct group){ g.first + p.equal, p.above - p.equal });
			if (p.above < g.n)
				vec_push(&s->groups,
					 (struct group){ g.first + p.above, g.n - p.above });
		}
	}
}

static void next_round(struct sorting *s)
{
	s->groups.n = 0;
	for (size_t i = 0; i < s->batches.n; i++) {
		struct batch *b = &s->batches.v[i];

		vec_reserve(&s->groups, b->next.n);
		for (size_t k = 0; k < b->next.n; k++)
			s->groups.v[s->groups.n++] = b->next.v[k];
		vec_release(&b->next);
	}
}

/*
 * Round by round: all entries that are not told apart yet get their next frames, in one go, so
 * that memory can be asked for ahead; then each group of them is sorted and cut into smaller ones.
 * Several threads share the work of a round; the result is the same.
 */
void order_sort(const struct stack_order *o, struct entry *e, size_t n)
{
	struct sorting s = { .o = o, .e = e };

	s.threads = o->profile->threads > 1 ? o->profile->threads : 1;
	if (n)
		vec_push(&s.groups, (struct group){ 0, n });
	while (s.groups.n) {
		struct group *whole = xmemdup(s.groups.v, s.groups.n * sizeof(*whole));
		size_t nr_whole = s.groups.n;

		cut_evenly(&s);
		make_batches(&s);
		pool_run(s.threads, s.batches.n, fetch_batch, &s);
		memcpy(s.groups.v, whole, nr_whole * sizeof(*whole));
		s.groups.n = nr_whole;
		free(whole);
		cut_by_key(&s);
		make_batches(&s);
		pool_run(s.threads, s.batches.n, sort_batch, &s);
		next_round(&s);
	}
	vec_release(&s.groups);
	vec_release(&s.batches);
}
