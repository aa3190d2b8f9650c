/* SPDX-License-Identifier: MIT */
/*
 * Memory for decompressed records: segments that never move, so that records in them can be
 * borrowed, and that lie in a temporary file beyond a limit, so that the kernel can take their
 * pages when memory is short.
 */
#ifndef PERFREP_PERFDATA_SEGMENTS_H
#define PERFREP_PERFDATA_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

struct segments {
	struct segment {
		uint8_t *map;
		size_t size;
		bool in_file;
	} * v;
	size_t n, cap;
	uint64_t total;
	uint64_t limit; /* bytes in memory; what is beyond goes to the file */
	int fd; /* -1: no file yet */
	uint64_t fd_size;
};

void segments_init(struct segments *s, uint64_t limit);
/* A new segment of SIZE bytes, a multiple of the page size; NULL and a sentence on failure. */
uint8_t *segments_add(struct segments *s, size_t size, struct err *err);
/* [from, from + size) is not needed soon: what of it is in the file leaves the address space. */
void segments_drop(const struct segments *s, const uint8_t *from, uint64_t size);
void segments_release(struct segments *s);

#endif
