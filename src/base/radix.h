/* SPDX-License-Identifier: MIT */
/* Sorting many numbers that something hangs on: by digits, in time proportional to their number. */
#ifndef PERFREP_BASE_RADIX_H
#define PERFREP_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_item {
	uint64_t key;
	uint32_t first, n; /* the caller's */
};

/* Ascending; equal keys stay in order. */
void radix_sort(struct radix_item *v, size_t n);

#endif
