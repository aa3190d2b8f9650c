/* SPDX-License-Identifier: MIT */
/*
 * A multikey sort with cached keys (Bentley and Sedgewick, "Fast algorithms for sorting and
 * searching strings"; Ng and Kakehi, "Cache efficient radix sort for string sorting").
 *
 * A stack is a string of frames.  As many of its next frames as fit are packed into one 128-bit
 * number, and stacks are sorted by it; only those with the same number are asked for their next
 * frames.  So memory is touched once for each ten frames or so, and not for each comparison.
 */
#include <perfrep/order.h>

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "profile/priv.h"

enum {
	SMALL = 12, /* sorted by insertion */
	AHEAD = 12, /* stacks that are asked for before they are looked at */
	BATCH = 1 << 15, /* entries that a thread takes at a time */
};

#define IN_KEY UINT32_C(0x80000000)

typedef unsigned __int128 key_bits;

struct entry {
	key_bits key;	    /* ranks + 1 of the next frames, the first one highest; 0: no more */
	uint64_t at : 48;   /* address of the word whose location's frames come next … */
	uint64_t set : 16;
	uint32_t off;	/* … and how many of them were taken; with IN_KEY: of the root's */
	uint32_t stack; /* a number of the order */
};

static const uint16_t *words_at(const struct entry *e)
{
	return (const uint16_t *)(uintptr_t)e->at;
}

/* Where a stack is. */
struct ref {
	uint32_t set, rec;
};

/*
 * The ranks + 1 of the frames of each root or location, as they stand in keys: numbers of
 * PER_NUMBER frames each, highest first, the last one not filled up.
 */
struct packed {
	uint32_t first; /* in `numbers` */
	uint32_t n;	/* frames */
	uint32_t last;	/* the rank + 1 of the last frame when it ends the stack */
};

struct stack_order_priv {
	struct stack_set own; /* of a profile that is a trie */
	struct ref *refs;     /* NULL: stack numbers are records of the first set */
	uint64_t *weight, *samples; /* by record of `own` */
	unsigned bits, per_key, per_number; /* of a rank; ranks in a key, in one of `numbers` */
	bool has_empty; /* some location has no frame */
	struct packed *keys, *locs[2];
	VEC(uint64_t) numbers;
};

static const struct stack_set *set_of(const struct stack_order *o, uint32_t set)
{
	return o->profile->priv->sets.n ? &o->profile->priv->sets.v[set] : &o->priv->own;
}

static const struct stack_rec *rec_of(const struct stack_order *o, uint32_t stack,
				      const struct stack_set **set)
{
	struct ref r = o->priv->refs ? o->priv->refs[stack] : (struct ref){ 0, stack };

	*set = set_of(o, r.set);
	return stack_set_rec(*set, r.rec);
}

/* ---- the frames of a stack ---- */

static uint32_t key_of(const struct stack_set *set, const struct stack_rec *rec)
{
	return set->keys ? set->keys[rec->key] : rec->key;
}

/* Leave out the outermost locations, so that MAX are left. */
static void skip_outer(struct stack_cursor *c, uint32_t max)
{
	struct stack_cursor count = *c;
	uint32_t loc;
	size_t n = 0;

	while (stack_cursor_next(&count, &loc))
		n++;
	for (; n > max; n--)
		stack_cursor_next(c, &loc);
}

/* From the first location on that is looked at. */
static struct stack_cursor cursor_of(const struct stack_order *o, const struct stack_set *set,
				     const struct stack_rec *rec)
{
	struct stack_cursor c = stack_set_cursor(set, rec->words);

	if (o->frames->max_locs)
		skip_outer(&c, o->frames->max_locs);
	return c;
}

static unsigned variant(const struct stack_order *o, uint32_t key)
{
	return o->frames->other && o->frames->other[key];
}

/* Whether no frame follows. */
static bool is_last(const struct stack_order *o, struct stack_cursor c, const struct packed *locs)
{
	uint32_t loc;

	if (!o->priv->has_empty)
		return stack_cursor_end(&c);
	while (stack_cursor_next(&c, &loc))
		if (locs[loc].n)
			return false;
	return true;
}

/* ---- keys ---- */

struct packing {
	const struct stack_order *o;
	key_bits key;
	unsigned room; /* frames that still fit */
};

static uint64_t low_bits(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static void append(struct packing *pk, uint64_t value, unsigned frames)
{
	unsigned bits = frames * pk->o->priv->bits;

	pk->key = pk->key << bits | low_bits(value, bits);
	pk->room -= frames;
}

/* Take what fits of P's frames from OFF on; returns the new OFF. */
static uint32_t pack(struct packing *pk, const struct packed *p, uint32_t off)
{
	const struct stack_order_priv *priv = pk->o->priv;

	if (!off && p->n <= pk->room && p->n && p->n <= priv->per_number) {
		/* nearly always: all of them, in one number */
		append(pk, priv->numbers.v[p->first], p->n);
		return p->n;
	}
	while (off < p->n && pk->room) {
		uint32_t at = off / priv->per_number, in = off % priv->per_number;
		uint32_t size = p->n - at * priv->per_number; /* frames of this number */
		uint32_t left, take;

		size = size < priv->per_number ? size : priv->per_number;
		left = size - in;
		take = left < pk->room ? left : pk->room;
		append(pk, priv->numbers.v[p->first + at] >> (left - take) * priv->bits, take);
		off += take;
	}
	return off;
}

/* The frame that was packed last ends the stack. */
static void end_with(struct packing *pk, const struct packed *p)
{
	pk->key = (pk->key & ~(key_bits)low_bits(UINT64_MAX, pk->o->priv->bits)) | p->last;
}

/* The root's frames; false when they fill the key. */
static bool pack_root(struct packing *pk, struct entry *e, struct stack_cursor *c,
		      const struct packed **locs)
{
	const struct stack_set *set;
	const struct stack_rec *rec = rec_of(pk->o, e->stack, &set);
	uint32_t key = key_of(set, rec);
	const struct packed *p = &pk->o->priv->keys[key];
	uint32_t off = pack(pk, p, e->off & ~IN_KEY);

	*locs = pk->o->priv->locs[variant(pk->o, key)];
	*c = cursor_of(pk->o, set, rec);
	e->off = off < p->n ? off | IN_KEY : 0;
	if (off == p->n && p->n && is_last(pk->o, *c, *locs))
		end_with(pk, p);
	return off == p->n;
}

/* Put the next frames into the entry's key. */
static void fetch(const struct stack_order *o, struct entry *e)
{
	const struct stack_order_priv *priv = o->priv;
	const struct stack_set *set = set_of(o, e->set);
	struct stack_cursor c = stack_set_cursor(set, words_at(e));
	const struct packed *locs = priv->locs[0];
	struct packing pk = { .o = o, .room = priv->per_key };
	const uint16_t *at;
	uint32_t loc;

	if (e->off & IN_KEY) {
		if (!pack_root(&pk, e, &c, &locs)) {
			e->key = pk.key;
			return;
		}
	} else if (o->frames->other) {
		locs = priv->locs[variant(o, key_of(set, rec_of(o, e->stack, &set)))];
	}
	for (at = c.at; pk.room && stack_cursor_next(&c, &loc); at = c.at) {
		const struct packed *p = &locs[loc];
		uint32_t off = pack(&pk, p, e->off);

		if (off == p->n && p->n && is_last(o, c, locs))
			end_with(&pk, p);
		e->off = off < p->n ? off : 0;
		if (e->off)
			break;
	}
	e->at = (uintptr_t)at;
	e->key = pk.room == priv->per_key ? 0 : pk.key << pk.room * priv->bits;
}

/* As keys have them. */
static struct packed *pack_ranges(struct stack_order *o, const struct frames_range *r, size_t n)
{
	struct packed *packed = xcalloc(n, sizeof(*packed));
	struct stack_order_priv *priv = o->priv;
	const struct stack_frames *f = o->frames;

	for (size_t i = 0; i < n; i++) {
		struct packing pk = { .o = o, .room = priv->per_number };

		packed[i].first = (uint32_t)priv->numbers.n;
		packed[i].n = r[i].n;
		for (uint32_t k = 0; k < r[i].n; k++) {
			const uint32_t *ranks = &f->ranks[2 * f->frames[r[i].first + k]];

			packed[i].last = ranks[0] + 1;
			append(&pk, ranks[1] + 1, 1);
			if (pk.room && k + 1 < r[i].n)
				continue;
			vec_push(&priv->numbers, (uint64_t)pk.key);
			pk = (struct packing){ .o = o, .room = priv->per_number };
		}
		priv->has_empty |= !r[i].n;
	}
	return packed;
}

static void pack_frames(struct stack_order *o)
{
	struct stack_order_priv *priv = o->priv;
	const struct stack_frames *f = o->frames;

	priv->bits = 64 - (unsigned)__builtin_clzll((uint64_t)f->nr_ranks + 1);
	priv->per_key = 128 / priv->bits;
	priv->per_number = 64 / priv->bits;
	priv->keys = pack_ranges(o, f->keys, o->profile->nr_keys);
	priv->has_empty = false; /* roots without frames don't matter */
	for (int k = 0; k < 2; k++)
		if (f->locs[k])
			priv->locs[k] = pack_ranges(o, f->locs[k], o->profile->nr_locs);
}

/* ---- sorting ---- */

/* Entries whose frames up to here are the same. */
struct group {
	size_t first, n;
};

static bool ended(const struct stack_order *o, key_bits key)
{
	return !((uint64_t)key & low_bits(UINT64_MAX, o->priv->bits));
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
			for (; lead < AHEAD && ahead < n; lead++) {
				const struct entry *next = &e[g[ahead].first + ahead_at];

				__builtin_prefetch(words_at(next));
				if (++ahead_at == g[ahead].n) {
					ahead++;
					ahead_at = 0;
				}
			}
			lead--;
			fetch(o, &e[g[i].first + k]);
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
				vec_push(&s->groups, (struct group){ g.first + p.above,
								     g.n - p.above });
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
static void sort(const struct stack_order *o, struct entry *e, size_t n)
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

/* ---- which stacks ---- */

static bool wanted(const struct stack_order *o, const struct stack_set *set,
		   const struct stack_rec *rec)
{
	const struct stack_frames *f = o->frames;
	uint32_t key = key_of(set, rec);

	if (f->dropped && f->dropped[key])
		return false;
	if (f->rootless || !o->priv->has_empty)
		return true;
	return !is_last(o, cursor_of(o, set, rec), o->priv->locs[variant(o, key)]);
}

/* The stacks of a trie, as a set has them. */
static void expand_trie(struct stack_order *o)
{
	struct stack_order_priv *priv = o->priv;
	VEC(uint64_t) weight = { 0 }, samples = { 0 };
	struct stack_iter it;

	stack_iter_init(&it, o->profile, o->event);
	while (stack_iter_next(&it)) {
		stack_set_push(&priv->own, it.locs, it.n, it.key);
		vec_push(&weight, it.weight);
		vec_push(&samples, it.count);
	}
	stack_iter_release(&it);
	priv->weight = weight.v;
	priv->samples = samples.v;
}

static void choose(struct stack_order *o, struct entry **out)
{
	size_t nr_sets = o->profile->priv->sets.n ? o->profile->priv->sets.n : 1, total = 0, n = 0;
	struct stack_order_priv *priv = o->priv;
	uint64_t weight;

	for (uint32_t s = 0; s < nr_sets; s++)
		total += set_of(o, s)->nr_recs;
	*out = xmalloc_table(total, sizeof(**out));
	if (nr_sets > 1)
		priv->refs = xreallocarray(NULL, total, sizeof(*priv->refs));
	for (uint32_t s = 0; s < nr_sets; s++) {
		const struct stack_set *set = set_of(o, s);

		for (uint32_t i = 0; i < set->nr_recs; i++) {
			if (!priv->weight &&
			    !stack_set_samples(set, stack_set_rec(set, i), o->event, &weight))
				continue;
			if (!wanted(o, set, stack_set_rec(set, i)))
				continue;
			if (priv->refs)
				priv->refs[n] = (struct ref){ s, i };
			(*out)[n] = (struct entry){ .at = (uintptr_t)stack_set_rec(set, i)->words,
						    .set = s,
						    .off = IN_KEY,
						    .stack = priv->refs ? (uint32_t)n : i };
			n++;
		}
	}
	o->n = n;
}

void stack_order_init(struct stack_order *o, const struct profile *p, uint32_t event,
		      const struct stack_frames *frames)
{
	struct stack_order_priv *priv = xcalloc(1, sizeof(*priv));
	struct entry *e;

	*o = (struct stack_order){ .profile = p, .frames = frames, .event = event, .priv = priv };
	if (!p->priv->sets.n)
		expand_trie(o);
	pack_frames(o);
	choose(o, &e);
	sort(o, e, o->n);
	o->stacks = xreallocarray(NULL, o->n, sizeof(*o->stacks));
	for (size_t i = 0; i < o->n; i++)
		o->stacks[i] = e[i].stack;
	free(e);
}

void stack_order_release(struct stack_order *o)
{
	if (!o->priv)
		return;
	stack_set_release(&o->priv->own);
	free(o->priv->keys);
	free(o->priv->locs[0]);
	free(o->priv->locs[1]);
	vec_release(&o->priv->numbers);
	free(o->priv->weight);
	free(o->priv->samples);
	free(o->priv->refs);
	free(o->priv);
	free(o->stacks);
}

size_t stack_order_locs(const struct stack_order *o, size_t at, uint32_t *key, uint32_t **out,
			size_t *cap)
{
	const struct stack_set *set;
	const struct stack_rec *rec = rec_of(o, o->stacks[at], &set);
	struct stack_cursor c = cursor_of(o, set, rec);
	size_t n = 0;

	profile_reserve(out, 0, cap, rec->n + 1);
	while (stack_cursor_next(&c, &(*out)[n]))
		n++;
	*key = key_of(set, rec);
	return n;
}

static size_t add_frames(const struct stack_order *o, struct frames_range r, uint32_t **out,
			 size_t n, size_t *cap)
{
	profile_reserve(out, n, cap, r.n);
	for (uint32_t i = 0; i < r.n; i++)
		(*out)[n + i] = o->frames->frames[r.first + i];
	return n + r.n;
}

size_t stack_order_frames(const struct stack_order *o, size_t at, uint32_t **out, size_t *cap)
{
	const struct stack_set *set;
	const struct stack_rec *rec = rec_of(o, o->stacks[at], &set);
	struct stack_cursor c = cursor_of(o, set, rec);
	uint32_t key = key_of(set, rec), loc;
	const struct frames_range *locs = o->frames->locs[variant(o, key)];
	size_t n = add_frames(o, o->frames->keys[key], out, 0, cap);

	while (stack_cursor_next(&c, &loc))
		n = add_frames(o, locs[loc], out, n, cap);
	return n;
}

uint64_t stack_order_event_weight(const struct stack_order *o, size_t at, uint32_t event,
				  uint64_t *samples)
{
	const struct stack_set *set;
	const struct stack_rec *rec = rec_of(o, o->stacks[at], &set);
	uint64_t weight;

	*samples = stack_set_samples(set, rec, event, &weight);
	return weight;
}

uint64_t stack_order_weight(const struct stack_order *o, size_t at, uint64_t *samples)
{
	if (!o->priv->weight)
		return stack_order_event_weight(o, at, o->event, samples);
	*samples = o->priv->samples[o->stacks[at]];
	return o->priv->weight[o->stacks[at]];
}

void stack_order_prefetch(const struct stack_order *o, size_t at)
{
	const struct stack_set *set;
	const struct stack_rec *rec;

	if (at + AHEAD < o->n) /* the record is needed to ask for the rest */
		__builtin_prefetch(rec_of(o, o->stacks[at + AHEAD], &set));
	if (at >= o->n)
		return;
	rec = rec_of(o, o->stacks[at], &set);
	__builtin_prefetch(rec->words);
}
