/* SPDX-License-Identifier: MIT */
/*
 * Hash functions for tables in memory (not for files, not against a determined attacker: every
 * table compares the key after the hash).  The mixing step is the 128-bit multiply of wyhash
 * and similar functions: xor of the two halves of a product.
 */
#ifndef PERFREP_BASE_HASH_H
#define PERFREP_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	unsigned __int128 m =
		(unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t hash_u64(uint64_t v)
{
	return hash_mix(v, 0x2545f4914f6cdd1du);
}

/*
 * Of two ids, one to one: each step (xor with a shift, product with an odd number) can be undone.
 * Equal hashes are equal pairs, so that a table need not compare the keys.
 */
static inline uint64_t hash_pair(uint32_t a, uint32_t b)
{
	uint64_t h = (uint64_t)a << 32 | b;

	h ^= h >> 32;
	h *= 0x9e3779b97f4a7c15u;
	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9u;
	return h ^ h >> 32;
}

static inline uint64_t hash_bytes(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t h = len, a, b;

	for (; len >= 16; p += 16, len -= 16) {
		memcpy(&a, p, 8);
		memcpy(&b, p + 8, 8);
		h = hash_mix(h ^ a, b);
	}
	a = b = 0;
	memcpy(&a, p, len < 8 ? len : 8);
	if (len > 8)
		memcpy(&b, p + 8, len - 8);
	return hash_mix(h ^ a, b);
}

#endif
