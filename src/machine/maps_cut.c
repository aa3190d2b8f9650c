/* SPDX-License-Identifier: MIT */
/*
 * From map events to rectangles.
 *
 * There is no record for munmap(), so a map ends where and when a later one lies on it: the
 * later one cuts a piece out of what was there, and what is left on either side lives on.
 *
 *	address ^   old, lives on
 *	        |  +---------------------------------------
 *	        |  |   old, until t     +------------------
 *	        |  |                    | new, from t on
 *	        |  |                    +------------------
 *	        |  +---------------------------------------
 *	        |      old, lives on
 *	        +-----------------------t-----------------> time
 *
 * So one event adds at most three rectangles.  All events are known beforehand, hence every
 * address at which a piece can ever begin: the pieces in force are kept in an array with one
 * place for each such address, and a tree of bits (64 to a word) over the array finds the
 * neighbour of a place in a few steps, however many there are.
 */
#include "machine/maps.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define LEVELS 6 /* 64^6 places */

struct bits {
	uint64_t
		*level[LEVELS]; /* [0]: one bit for each place; [i + 1]: one for each word of [i] */
	unsigned n;
};

struct cutter {
	uint64_t *at; /* the addresses, ascending, distinct */
	size_t nr_at;
	uint32_t *piece; /* of each: the piece in force that begins there, index in out */
	struct bits used;
	VEC(struct map) out;
};

static void bits_init(struct bits *b, size_t n)
{
	b->n = 0;
	do {
		n = (n + 63) / 64;
		b->level[b->n++] = xcalloc(n, sizeof(uint64_t));
	} while (n > 1);
}

static void bits_release(struct bits *b)
{
	for (unsigned i = 0; i < b->n; i++)
		free(b->level[i]);
}

static void bits_set(struct bits *b, size_t i)
{
	for (unsigned l = 0; l < b->n; l++, i /= 64)
		b->level[l][i / 64] |= (uint64_t)1 << i % 64;
}

static void bits_clear(struct bits *b, size_t i)
{
	for (unsigned l = 0; l < b->n; l++, i /= 64) {
		b->level[l][i / 64] &= ~((uint64_t)1 << i % 64);
		if (b->level[l][i / 64])
			break;
	}
}

/* The last one that is set and at most I; SIZE_MAX without one. */
static size_t bits_last(const struct bits *b, size_t i)
{
	for (unsigned l = 0; l < b->n; l++, i /= 64) {
		uint64_t word = b->level[l][i / 64] & ~(uint64_t)0 >> (63 - i % 64);

		if (word) {
			i = i / 64 * 64 + 63 - (unsigned)__builtin_clzll(word);
			while (l--)
				i = i * 64 + 63 - (unsigned)__builtin_clzll(b->level[l][i]);
			return i;
		}
		if (i / 64 == 0)
			break;
		i -= 64; /* the words before this one */
	}
	return SIZE_MAX;
}

static int by_value(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

static void cutter_init(struct cutter *c, const struct map *events, size_t n)
{
	size_t k = 0;

	*c = (struct cutter){ 0 };
	c->at = xreallocarray(NULL, n, 2 * sizeof(*c->at));
	for (size_t i = 0; i < n; i++) {
		if (events[i].start >= events[i].end)
			continue;
		c->at[k++] = events[i].start;
		c->at[k++] = events[i].end;
	}
	qsort(c->at, k, sizeof(*c->at), by_value);
	for (size_t i = 0; i < k; i++)
		if (!i || c->at[i] != c->at[c->nr_at - 1])
			c->at[c->nr_at++] = c->at[i];
	c->piece = xreallocarray(NULL, c->nr_at ? c->nr_at : 1, sizeof(*c->piece));
	bits_init(&c->used, c->nr_at ? c->nr_at : 1);
}

/* The place of an address that is one of them. */
static size_t place(const struct cutter *c, uint64_t addr)
{
	size_t lo = 0, hi = c->nr_at;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->at[mid] <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

static void begin_piece(struct cutter *c, const struct map *m)
{
	size_t i = place(c, m->start);

	c->piece[i] = (uint32_t)c->out.n;
	bits_set(&c->used, i);
	vec_push(&c->out, *m);
	c->out.v[c->out.n - 1].valid.until = UINT64_MAX;
}

/* OLD as it is from START on. */
static struct map tail_of(const struct map *old, uint64_t start)
{
	struct map m = *old;

	m.pgoff += start - m.start;
	m.start = start;
	return m;
}

/* Take what [start, end) of NEW covers away from the piece at PLACE_OLD. */
static void cut_piece(struct cutter *c, size_t place_old, const struct map *new)
{
	struct map old = c->out.v[c->piece[place_old]];
	struct map gone = old.start < new->start ? tail_of(&old, new->start) : old;
	struct map *kept = &c->out.v[c->piece[place_old]];

	gone.end = old.end < new->end ? old.end : new->end;
	gone.valid.until = new->valid.from;
	if (old.start < new->start) {
		kept->end = new->start;
		if (gone.valid.from < gone.valid.until)
			vec_push(&c->out, gone);
	} else {
		*kept = gone; /* when it lasted no time at all, maps_cut() drops it */
		bits_clear(&c->used, place_old);
	}
	if (old.end > new->end) {
		struct map rest = tail_of(&old, new->end);

		begin_piece(c, &rest);
	}
}

/* Whether M only repeats what is there: then the old answer may live on. */
static bool repeats(const struct map *old, const struct map *m)
{
	return m->dso && old->dso == m->dso && old->prot == m->prot && old->start <= m->start &&
	       old->end >= m->end && old->pgoff + (m->start - old->start) == m->pgoff;
}

static void apply(struct cutter *c, const struct map *m)
{
	size_t first = place(c, m->start), last = place(c, m->end), i;

	i = bits_last(&c->used, first);
	if (i != SIZE_MAX && repeats(&c->out.v[c->piece[i]], m))
		return;
	/* from the top down: those that begin before M ends, until one ends before M begins */
	while (last-- && (i = bits_last(&c->used, last)) != SIZE_MAX) {
		if (c->out.v[c->piece[i]].end <= m->start)
			break;
		cut_piece(c, i, m);
		last = i;
		if (i < first)
			break;
	}
	if (m->dso)
		begin_piece(c, m);
}

size_t maps_cut(const struct map *events, size_t n, struct map **out)
{
	struct cutter c;
	size_t kept = 0;

	cutter_init(&c, events, n);
	for (size_t i = 0; i < n; i++) {
		assert(!i || events[i - 1].valid.from <= events[i].valid.from);
		if (events[i].start < events[i].end)
			apply(&c, &events[i]);
	}
	for (size_t i = 0; i < c.out.n; i++)
		if (c.out.v[i].valid.from < c.out.v[i].valid.until)
			c.out.v[kept++] = c.out.v[i];
	free(c.at);
	free(c.piece);
	bits_release(&c.used);
	*out = c.out.v;
	return kept;
}
