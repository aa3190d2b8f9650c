/* SPDX-License-Identifier: MIT */
/*
 * Frames as numbers that compare as they do: the ranks of a location's frames are packed once, and
 * a key is put together from those of the locations that follow one another.
 */
#include "profile/order_priv.h"

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
struct stack_cursor order_cursor(const struct stack_order *o, const struct stack_set *set,
				 const struct stack_rec *rec)
{
	struct stack_cursor c = stack_set_cursor(set, rec->words);

	if (o->frames->max_locs)
		skip_outer(&c, o->frames->max_locs);
	return c;
}

bool order_none_follow(struct stack_cursor c, const struct packed *locs)
{
	uint32_t loc;

	while (stack_cursor_next(&c, &loc))
		if (locs[loc].n)
			return false;
	return true;
}

struct packing {
	const struct stack_order *o;
	key_bits key;
	unsigned room; /* frames that still fit */
};

static void append(struct packing *pk, uint64_t value, unsigned frames)
{
	unsigned bits = frames * pk->o->priv->bits;

	pk->key = pk->key << bits | order_low_bits(value, bits);
	pk->room -= frames;
}

/* Take what fits of P's frames from OFF on; returns the new OFF. */
static uint32_t pack(struct packing *pk, const struct packed *p, uint32_t off)
{
	const struct stack_order_priv *priv = pk->o->priv;

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
	pk->key = (pk->key & ~(key_bits)order_low_bits(UINT64_MAX, pk->o->priv->bits)) | p->last;
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
	*c = order_cursor(pk->o, set, rec);
	e->off = off < p->n ? off | IN_KEY : 0;
	if (off == p->n && p->differs && order_is_last(pk->o, c, *locs))
		end_with(pk, p);
	return off == p->n;
}

/* Put the next frames into the entry's key. */
void order_fetch(const struct stack_order *o, struct entry *e)
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

		if (!e->off && p->bits && p->n <= pk.room) { /* nearly always */
			pk.key = pk.key << p->bits | p->number;
			pk.room -= p->n;
		} else {
			e->off = pack(&pk, p, e->off);
			if (e->off < p->n)
				break;
			e->off = 0;
		}
		if (p->differs && order_is_last(o, &c, locs))
			end_with(&pk, p);
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
			packed[i].differs = ranks[0] != ranks[1];
			append(&pk, ranks[1] + 1, 1);
			if (pk.room && k + 1 < r[i].n)
				continue;
			vec_push(&priv->numbers, (uint64_t)pk.key);
			pk = (struct packing){ .o = o, .room = priv->per_number };
		}
		if (r[i].n && r[i].n <= priv->per_number) {
			packed[i].number = priv->numbers.v[packed[i].first];
			packed[i].bits = (uint8_t)(r[i].n * priv->bits);
		}
		priv->has_empty |= !r[i].n;
	}
	return packed;
}

void order_pack_frames(struct stack_order *o)
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
