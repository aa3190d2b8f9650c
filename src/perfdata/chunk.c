/* SPDX-License-Identifier: MIT */
/*
 * Pieces of a recording for several threads.  The pass noted where records begin, in cells of
 * about the 16,000th part of the file, and a new piece wherever memory or order is not
 * continuous; chunks are neighbours of these put together.  How much a compressed recording will
 * hold is not known beforehand: when there are many pieces, neighbours become one, and those to
 * come larger.  Walking a chunk is the program's innermost loop: the pass has found its records
 * sound, so only their end is compared here.
 */
#include "perfdata/reader_priv.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "base/xmalloc.h"
#include "perfdata/record_layout.h"

enum { WORTH_DROPPING = 64 << 20 };

static bool continues(const struct chunk *a, const struct chunk *b)
{
	return a->data + a->size == b->data && a->pos + a->size == b->pos &&
	       a->decompressed == b->decompressed;
}

void pieces_coarsen(struct reader_priv *p)
{
	struct chunk *v = p->pieces.v;
	size_t n = 0;

	p->grain *= 2;
	for (size_t i = 0; i < p->pieces.n; i++) {
		if (n && v[n - 1].size + v[i].size <= p->grain && continues(&v[n - 1], &v[i]))
			v[n - 1].size += v[i].size;
		else
			v[n++] = v[i];
	}
	p->pieces.n = n;
	/* pieces that are no neighbours stay: the next time must not come at once */
	p->coarsen_at = n * 2 > MAX_PIECES ? n * 2 : MAX_PIECES;
}

size_t reader_chunks(const struct reader *r, uint64_t bytes, struct chunk **out)
{
	const struct chunk *pieces = r->priv->pieces.v;
	size_t n = 0, nr_pieces = r->priv->pieces.n;
	struct chunk *chunks = xcalloc(nr_pieces, sizeof(*chunks));

	for (size_t i = 0; i < nr_pieces; i++) {
		struct chunk *last = n ? &chunks[n - 1] : NULL;

		if (last && last->size + pieces[i].size <= bytes && continues(last, &pieces[i]))
			last->size += pieces[i].size;
		else
			chunks[n++] = pieces[i];
	}
	*out = chunks;
	return n;
}

/*
 * A walk through a stack dump reads here and there in its first thousands of bytes.  Those of the
 * next record, likely as long as this one, come while this one is worked on, and so do the last
 * fields, which are behind the dump.  (May pass the end: nothing is read.)  GCC drops calls of
 * functions that do nothing but this.
 */
static inline __attribute__((always_inline)) void prefetch_next(const struct chunk *c,
								const struct record *rec)
{
	enum { LINE = 64, LINES = 64, LONG = 1024 };

	if (rec->size < LONG)
		return;
	for (unsigned at = 0; at < LINES * LINE && at < rec->size; at += LINE)
		__builtin_prefetch(c->data + at);
	__builtin_prefetch(c->data + rec->size - 8);
}

int chunk_next(struct chunk *c, struct record *rec)
{
	uint64_t step;

	if (c->size < 8)
		return 1;
	record_header(rec, c->data, c->be);
	if (rec->size < 8 || rec->size > c->size)
		return 1;
	rec->pos = c->pos;
	rec->file_offset = c->file_offset;
	rec->payload = NULL;
	rec->payload_size = 0;
	if (__builtin_expect(
		    rec->type == RECORD_AUXTRACE || rec->type == RECORD_HEADER_TRACING_DATA, 0)) {
		uint64_t left = c->size - rec->size;
		uint64_t payload = record_payload(rec, left);

		rec->payload = rec->data + rec->size;
		rec->payload_size = payload < left ? payload : left;
	}
	step = rec->size + rec->payload_size;
	c->data += step;
	c->size -= step;
	c->pos += step;
	if (!c->decompressed)
		c->file_offset += step;
	prefetch_next(c, rec);
	return 0;
}

void reader_drop(const struct reader *r, const struct chunk *c)
{
	if (c->decompressed)
		segments_drop(&r->priv->segments, c->data, c->size);
	if (c->decompressed || r->file_size < WORTH_DROPPING)
		return;
	for (size_t i = 0; i < r->priv->nr_sources; i++) {
		const struct source *src = &r->priv->sources[i];
		uint64_t from = (uint64_t)((uintptr_t)c->data - (uintptr_t)src->data);

		if (from < src->size)
			source_drop(src, from, from + c->size);
	}
}
