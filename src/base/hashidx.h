/* SPDX-License-Identifier: MIT */
/*
 * An index from hash to u32 id, open addressing: the keys live elsewhere (an array that the id
 * indexes), so one table serves every interned kind.  Usage:
 *
 *	struct hashidx_iter it = hashidx_first(&idx, hash);
 *	uint32_t id;
 *	while ((id = hashidx_next(&idx, &it)) != HASHIDX_NONE)
 *		if (keys[id] == key)
 *			return id;
 *	hashidx_add(&idx, hash, new_id);
 *
 * Zero-initialised is empty.  Ids are below UINT32_MAX.  The hash must be well
 * mixed in its low bits.
 */
#ifndef PERFREP_BASE_HASHIDX_H
#define PERFREP_BASE_HASHIDX_H

#include <stddef.h>
#include <stdint.h>

#define HASHIDX_NONE UINT32_MAX

struct hashidx_slot {
	uint64_t hash; /* kept whole, so that the table can grow */
	uint32_t id; /* id + 1; 0 is a free slot */
};

struct hashidx {
	struct hashidx_slot *slots;
	size_t mask; /* number of slots - 1; 0 when there are none */
	size_t n;
};

struct hashidx_iter {
	size_t at;
	uint64_t hash;
};

static inline struct hashidx_iter hashidx_first(const struct hashidx *idx, uint64_t hash)
{
	return (struct hashidx_iter){ (size_t)hash & idx->mask, hash };
}

/* Where many are looked for: the memory of all is asked for before the first one is. */
static inline __attribute__((always_inline)) void hashidx_prefetch(const struct hashidx *idx,
								   uint64_t hash)
{
	if (idx->slots) /* there is no place at an offset from nothing */
		__builtin_prefetch(idx->slots + (hash & idx->mask));
}

/* The next id of that hash, or HASHIDX_NONE. */
static inline uint32_t hashidx_next(const struct hashidx *idx, struct hashidx_iter *it)
{
	if (!idx->slots)
		return HASHIDX_NONE;
	for (;;) {
		struct hashidx_slot s = idx->slots[it->at];

		if (!s.id)
			return HASHIDX_NONE;
		it->at = (it->at + 1) & idx->mask;
		if (s.hash == it->hash)
			return s.id - 1;
	}
}

void hashidx_add(struct hashidx *idx, uint64_t hash, uint32_t id);
void hashidx_release(struct hashidx *idx);

#endif
