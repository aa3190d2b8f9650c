/* SPDX-License-Identifier: MIT */
/*
 * From the lowest digit to the highest, each pass keeping the order of the one before.  A digit in
 * which all keys are alike needs no pass: addresses of a program differ in two or three.
 */
#include "base/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

enum {
	DIGIT_BITS = 11,
	DIGITS = 1 << DIGIT_BITS,
	FEW = 64, /* for which counting digits takes longer */
};

static void sort_few(struct keyed *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct keyed it = v[i];
		size_t j = i;

		for (; j && v[j - 1].key > it.key; j--)
			v[j] = v[j - 1];
		v[j] = it;
	}
}

static void pass(struct keyed *to, const struct keyed *from, size_t n, unsigned shift)
{
	size_t begin[DIGITS] = { 0 }, at = 0;

	for (size_t i = 0; i < n; i++)
		begin[from[i].key >> shift & (DIGITS - 1)]++;
	for (size_t i = 0; i < DIGITS; i++) {
		size_t count = begin[i];

		begin[i] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		to[begin[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

void keyed_sort(struct keyed *v, size_t n)
{
	struct keyed *spare, *from = v, *to;
	uint64_t differ = 0;

	if (n < FEW) {
		sort_few(v, n);
		return;
	}
	for (size_t i = 1; i < n; i++)
		differ |= v[i].key ^ v[0].key;
	spare = to = xreallocarray(NULL, n, sizeof(*spare));
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		struct keyed *swap = from;

		if (!(differ >> shift & (DIGITS - 1)))
			continue;
		pass(to, from, n, shift);
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	free(spare);
}
