/* SPDX-License-Identifier: MIT */
/* What the files of the order of stacks share: order.c, order_key.c, order_sort.c. */
#ifndef PERFREP_PROFILE_ORDER_PRIV_H
#define PERFREP_PROFILE_ORDER_PRIV_H

#include <perfrep/order.h>

#include "profile/priv.h"

enum { ORDER_AHEAD = 12 }; /* stacks that are asked for before they are looked at */

#define IN_KEY UINT32_C(0x80000000)

typedef unsigned __int128 key_bits;

struct entry {
	key_bits key; /* ranks + 1 of the next frames, the first one highest; 0: no more */
	uint64_t at : 48; /* address of the word whose location's frames come next … */
	uint64_t set : 16;
	uint32_t off; /* … and how many of them were taken; with IN_KEY: of the root's */
	uint32_t stack; /* a number of the order */
};

static inline const uint16_t *words_at(const struct entry *e)
{
	return (const uint16_t *)(uintptr_t)e->at;
}

/* Where a stack is. */
struct ref {
	uint32_t set, stack;
};

/*
 * The ranks + 1 of the frames of each root or location, as they stand in keys: numbers of
 * PER_NUMBER frames each, highest first, the last one not filled up.
 */
struct packed {
	uint64_t number; /* the first one */
	uint32_t first; /* that one's place in `numbers` */
	uint32_t n; /* frames */
	uint32_t last; /* the rank + 1 of the last frame when it ends the stack */
	uint8_t bits; /* of all frames, when they are one number; else 0 */
	bool differs; /* `last` is not what the numbers have */
};

struct stack_order_priv {
	struct stack_set own; /* of a profile that is a trie */
	struct ref *refs; /* by stack number; NULL: those are stacks of the first set */
	uint64_t *weight, *samples; /* by stack number, of those in `own`; NULL: in the record */
	unsigned bits, per_key, per_number; /* of a rank; ranks in a key, in one of `numbers` */
	bool has_empty; /* some location has no frame */
	struct packed *keys, *locs[2];
	VEC(uint64_t) numbers;
};

static inline const struct stack_set *set_of(const struct stack_order *o, uint32_t set)
{
	return o->profile->priv->sets.n ? &o->profile->priv->sets.v[set] : &o->priv->own;
}

static inline const struct stack_rec *rec_of(const struct stack_order *o, uint32_t stack,
					     const struct stack_set **set)
{
	struct ref r = o->priv->refs ? o->priv->refs[stack] : (struct ref){ 0, stack };

	*set = set_of(o, r.set);
	return stack_set_rec(*set, r.stack);
}

static inline uint32_t key_of(const struct stack_set *set, const struct stack_rec *rec)
{
	return set->keys ? set->keys[rec->key] : rec->key;
}

static inline unsigned variant(const struct stack_order *o, uint32_t key)
{
	return o->frames->other && o->frames->other[key];
}

static inline uint64_t order_low_bits(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

/* A walk from the first location on that is looked at. */
struct stack_cursor order_cursor(const struct stack_order *o, const struct stack_set *set,
				 const struct stack_rec *rec);
/* Whether no frame follows, where some locations have none; LOCS are those of the stack's root. */
bool order_none_follow(struct stack_cursor c, const struct packed *locs);

static inline bool order_is_last(const struct stack_order *o, const struct stack_cursor *c,
				 const struct packed *locs)
{
	return o->priv->has_empty ? order_none_follow(*c, locs) : stack_cursor_end(c);
}

/* Before the first key: pack the frames of all roots and locations. */
void order_pack_frames(struct stack_order *o);
/* Put the next frames into the entry's key. */
void order_fetch(const struct stack_order *o, struct entry *e);

/* Sort the N entries at E by whole stacks; their keys need not be there. */
void order_sort(const struct stack_order *o, struct entry *e, size_t n);

#endif
