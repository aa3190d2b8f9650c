/* SPDX-License-Identifier: MIT */
/* From the lowest digit up; digits that all keys share are skipped. */
#include "base/radix.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

enum { BITS = 11, DIGITS = 1 << BITS };

static bool sorted(const struct radix_item *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (v[i].key < v[i - 1].key)
			return false;
	return true;
}

/* Move FROM to TO by the digit at SHIFT; false when all have the same one: nothing is moved. */
static bool pass(const struct radix_item *from, struct radix_item *to, size_t n, unsigned shift)
{
	size_t at[DIGITS] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[from[i].key >> shift & (DIGITS - 1)]++;
	if (at[from[0].key >> shift & (DIGITS - 1)] == n)
		return false;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

void radix_sort(struct radix_item *v, size_t n)
{
	struct radix_item *spare, *from = v, *to;

	if (sorted(v, n))
		return;
	to = spare = xreallocarray(NULL, n, sizeof(*spare));
	for (unsigned shift = 0; shift < 64; shift += BITS) {
		struct radix_item *swap = from;

		if (!pass(from, to, n, shift))
			continue;
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	free(spare);
}
