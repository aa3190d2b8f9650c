/* SPDX-License-Identifier: MIT */
/* The innermost loop of the walk over headers, for whichever thread does it. */
#ifndef PERFREP_PERFDATA_STEP_H
#define PERFREP_PERFDATA_STEP_H

#include "perfdata/record_layout.h"
#include <perfrep/source.h>

/*
 * Ask for the memory AHEAD of a record, as much as the record is long.  Headers are a few lines
 * apart and not evenly, so that the processor does not see a stream.  Long records have stack
 * dumps, and are nearly all of one size: the header of the one after the next is asked for.  (May
 * pass the end: nothing is read.)  GCC drops calls of functions that do nothing but this.
 */
static inline __attribute__((always_inline)) void prefetch_ahead(const uint8_t *p, uint32_t size)
{
	enum { LINE = 64, AHEAD = 2048, LONG = 1024 };

	if (size >= LONG) {
		__builtin_prefetch(p + 2 * (size_t)size);
		return;
	}
	for (uint32_t at = 0; at < size; at += LINE)
		__builtin_prefetch(p + AHEAD + at);
}

/*
 * Step over the sound samples from P on, counting them in *N, until one ends at STOP or behind
 * it, or there is none.  No bytes beyond END are there.  Where it came to.
 */
static inline const uint8_t *step_samples(const uint8_t *p, const uint8_t *stop, const uint8_t *end,
					  bool be, uint64_t *n)
{
	while (p < stop && end - p >= 8) {
		uint32_t size = get_u16(p + 6, be);

		if (get_u32(p, be) != RECORD_SAMPLE || size < 8 || size % 8 || size > end - p)
			break;
		prefetch_ahead(p, size);
		p += size;
		++*n;
	}
	return p;
}

/*
 * The end of the cell that P is in: cells are GRAIN bytes of the source, and a piece has the
 * records that begin in one.  So pieces are the same wherever a walk began.
 */
static inline const uint8_t *cell_end(const struct source *src, const uint8_t *p, uint64_t grain)
{
	uint64_t at = (uint64_t)(p - src->data);

	return src->data + (at / grain + 1) * grain;
}

#endif
