/* SPDX-License-Identifier: MIT */
/*
 * zlib's inflate(), stopped when enough is there.  The size of the result is known before, so it
 * has its place in memory as a whole; pages that are never reached cost nothing.
 *
 * zlib is given the stream without its header, so that it makes no check sum of what comes out:
 * that tells nothing before the end, which is seldom reached.
 */
#include "objfile/deflate.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/cursor.h"
#include "base/xmalloc.h"

struct deflate {
	z_stream z;
	const uint8_t *in_end;
	uint8_t *start;
	size_t size;
	bool ended, whole; /* no more comes; the stream came to its end, as long as it should be */
};

enum {
	RATIO_MAX = 1032, /* deflate's: 258 bytes of two bits */
	HEADER = 2,
	CHECK_SUM = 4, /* bytes before and behind it */
};

/* Deflate, no larger window than there is, no dictionary: RFC 1950. */
static bool header_sound(const uint8_t *in, size_t n)
{
	return n >= 6 && (in[0] & 15) == 8 && in[0] >> 4 <= 7 && (in[0] << 8 | in[1]) % 31 == 0 &&
	       !(in[1] & 32);
}

struct deflate *deflate_begin(const uint8_t *in, size_t n, size_t size)
{
	struct deflate *d;

	if (!header_sound(in, n) || size / RATIO_MAX > n)
		return NULL;
	d = xcalloc(1, sizeof(*d));
	d->start = calloc(size ? size : 1, 1);
	d->size = size;
	d->in_end = in + n;
	d->z.next_in = (Bytef *)in + HEADER;
	d->z.next_out = d->start;
	if (!d->start || inflateInit2(&d->z, -MAX_WBITS) != Z_OK) {
		free(d->start);
		free(d);
		return NULL;
	}
	return d;
}

const uint8_t *deflate_bytes(const struct deflate *d)
{
	return d->start;
}

static uInt at_most(size_t n)
{
	return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

/* It came to its end: whether that is where it should be, and its check sum is right. */
static bool is_whole(const struct deflate *d, size_t have)
{
	return have == d->size && d->in_end - d->z.next_in >= CHECK_SUM &&
	       get_u32(d->z.next_in, true) == adler32_z(1, d->start, have);
}

size_t deflate_upto(struct deflate *d, size_t want)
{
	bool all = want >= d->size; /* then the check sum behind it is wanted too */
	size_t to = all ? d->size : want, have = (size_t)(d->z.next_out - d->start);

	while (!d->ended && (have < to || all)) {
		int ret;

		d->z.avail_in = at_most((size_t)(d->in_end - d->z.next_in));
		d->z.avail_out = at_most(to - have);
		ret = inflate(&d->z, Z_SYNC_FLUSH);
		have = (size_t)(d->z.next_out - d->start);
		d->ended = ret != Z_OK;
		d->whole = ret == Z_STREAM_END && is_whole(d, have);
	}
	if (d->ended && !d->whole && (all || have == d->size))
		return 0; /* it is not what it says: none of it is to be believed */
	return have;
}

void deflate_end(struct deflate *d)
{
	if (!d)
		return;
	inflateEnd(&d->z);
	free(d->start);
	free(d);
}
