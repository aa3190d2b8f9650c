/* SPDX-License-Identifier: MIT */
/*
 * perf compresses each writer's records as one zstd frame that it never ends, flushed at every
 * COMPRESSED record.  So the state lives as long as the file, and a record's end may be in
 * another payload than its beginning.  The output is decompressed right into the segment where
 * it stays; when a segment is full, the beginning of the record that did not fit is copied to
 * the next.
 *
 * A small input can claim an enormous output: it is capped for each payload, and in proportion
 * to the input as a whole.
 */
#include "perfdata/compressed.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/xmalloc.h"

#define SEGMENT_SIZE      ((size_t)4 << 20)
#define LEAST_ROOM        ((size_t)64 << 10)
#define MAX_PER_PAYLOAD   ((uint64_t)64 << 20)
#define MAX_RATIO         2000
#define FREE_ALLOWANCE    ((uint64_t)64 << 20)
#define BLOCK_HEADER_SIZE 3 /* RFC 8878, 3.1.1.2 */

struct inflater *inflater_new(struct segments *segments)
{
	struct inflater *z = xcalloc(1, sizeof(*z));

	z->segments = segments;
	z->zs = ZSTD_createDStream();
	return z;
}

void inflater_feed(struct inflater *z, const uint8_t *data, size_t size)
{
	z->in = data;
	z->in_end = data + size;
	z->in_total += size;
	z->out_record = 0;
}

/* Room to write to, with what was not read yet in front of it. */
static int make_room(struct inflater *z, struct err *err)
{
	size_t tail = (size_t)(z->write - z->read);
	size_t size = SEGMENT_SIZE;
	uint8_t *map;

	if (z->write && (size_t)(z->end - z->write) >= LEAST_ROOM)
		return 0;
	while (size < tail + LEAST_ROOM)
		size *= 2;
	map = segments_add(z->segments, size, err);
	if (!map)
		return -ERR_IO;
	if (tail)
		memcpy(map, z->read, tail);
	if (z->segment)
		segments_drop(z->segments, z->segment, (uint64_t)(z->end - z->segment));
	z->segment = map;
	z->read = map;
	z->write = map + tail;
	z->end = map + size;
	return 0;
}

static int check_caps(const struct inflater *z, struct err *err)
{
	if (z->out_record > MAX_PER_PAYLOAD)
		return err_set(err, ERR_FORMAT, "a payload expands to more than %llu bytes",
			       (unsigned long long)MAX_PER_PAYLOAD);
	if (z->out_total > FREE_ALLOWANCE + z->in_total * MAX_RATIO)
		return err_set(err, ERR_FORMAT, "%llu bytes expand to more than %llu",
			       (unsigned long long)z->in_total, (unsigned long long)z->out_total);
	return 0;
}

int inflater_more(struct inflater *z, struct err *err)
{
	ZSTD_outBuffer out;
	ZSTD_inBuffer in;
	size_t ret;
	int rc;

	if (!z->zs)
		return err_set(err, ERR_UNSUPPORTED, "no zstd decompressor can be had");
	do {
		rc = make_room(z, err);
		if (rc)
			return rc;
		out = (ZSTD_outBuffer){ z->write, (size_t)(z->end - z->write), 0 };
		in = (ZSTD_inBuffer){ z->in, (size_t)(z->in_end - z->in), 0 };
		ret = ZSTD_decompressStream(z->zs, &out, &in);
		if (ZSTD_isError(ret))
			return err_set(err, ERR_FORMAT, "zstd says: %s", ZSTD_getErrorName(ret));
		if (in.pos || out.pos)
			z->wants = ret;
		z->in += in.pos;
		z->write += out.pos;
		z->out_total += out.pos;
		z->out_record += out.pos;
		rc = check_caps(z, err);
		if (rc)
			return rc;
	} while (!out.pos && in.pos); /* a header may be taken without giving anything */
	return out.pos ? 0 : 1;
}

bool inflater_between_blocks(const struct inflater *z)
{
	return z->wants == 0 || z->wants == BLOCK_HEADER_SIZE;
}

void inflater_reset(struct inflater *z)
{
	if (z->zs)
		ZSTD_DCtx_reset(z->zs, ZSTD_reset_session_only);
	z->read = z->write;
	z->wants = 0;
	z->in = z->in_end = NULL;
}

void inflater_free(struct inflater *z)
{
	if (!z)
		return;
	ZSTD_freeDStream(z->zs);
	free(z);
}
