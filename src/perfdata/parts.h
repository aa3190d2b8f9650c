/* SPDX-License-Identifier: MIT */
/*
 * Threads that walk parts of a stream before the one walk over it comes there: see parts.c.
 */
#ifndef PERFREP_PERFDATA_PARTS_H
#define PERFREP_PERFDATA_PARTS_H

#include "base/vec.h"
#include <perfrep/reader.h>

struct parts;

enum {
	PARTS_SIZE = 4 << 20,
	PARTS_WORTH = 32 << 20, /* a stream that is shorter is walked by one thread */
};

/* What was found in a part. */
struct part {
	const uint8_t *from; /* its first record; NULL: there is nothing in it to be used */
	const uint8_t *to; /* behind the last one */
	uint64_t samples;
	VEC(struct chunk) pieces; /* data and size alone */
	VEC(uint32_t) others; /* the records that are no samples: offsets from FROM */
};

/* What the threads are to walk. */
struct parts_of {
	const struct source *src;
	const uint8_t *begin, *end;
	bool be;
	uint64_t grain; /* of pieces */
	uint64_t size; /* of a part: PARTS_SIZE */
	bool map_only; /* make the pages ready, find nothing */
};

/* Begin, with at most THREADS threads besides the caller's.  NULL when it would gain nothing. */
struct parts *parts_start(const struct parts_of *of, unsigned threads);
/*
 * The walk has come to P.  *PART: a part that begins there, which is the caller's until the next
 * call, else NULL.  The place from which on the walk should ask again; it is behind P.
 */
const uint8_t *parts_look(struct parts *ps, const uint8_t *p, struct part **part);
uint64_t parts_grain(const struct parts *ps);
/* Wait until the threads have done all that they can, which a walk should not: for tests. */
void parts_settle(struct parts *ps);
void parts_stop(struct parts *ps);

#endif
