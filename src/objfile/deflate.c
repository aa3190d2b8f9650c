/* SPDX-License-Identifier: MIT */
/*
 * Inflating, stopped when enough is there: by ISA-L, or by zlib, which takes twice the time, where
 * there is no ISA-L.  The size of the result is known before, so it has its place in memory as a
 * whole; pages that are never reached cost nothing.
 *
 * Both are given the stream without its header, so that they make no check sum of what comes out:
 * that tells nothing before the end, which is seldom reached.
 */
#include "objfile/deflate.h"

#include <limits.h>
#include <stdlib.h>
#ifdef HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

#include "base/cursor.h"
#include "base/xmalloc.h"

enum {
	RATIO_MAX = 1032, /* deflate's: 258 bytes of two bits */
	HEADER = 2,
	CHECK_SUM = 4, /* bytes before and behind it */
};

struct engine {
#ifdef HAVE_ISAL
	struct inflate_state z;
#else
	z_stream z;
#endif
};

struct deflate {
	struct engine engine;
	const uint8_t *in_end;
	uint8_t *start;
	size_t size;
	bool ended, whole; /* no more comes; the stream came to its end, as long as it should be */
};

/* --- the two libraries --- */

enum step { STEP_STUCK, STEP_MORE, STEP_END };

static unsigned at_most(size_t n)
{
	return n < UINT_MAX ? (unsigned)n : UINT_MAX;
}

#ifdef HAVE_ISAL

static bool engine_begin(struct engine *e)
{
	isal_inflate_init(&e->z);
	return true;
}

static enum step engine_step(struct engine *e)
{
	const uint8_t *out = e->z.next_out;
	int ret = isal_inflate(&e->z);

	if (ret == ISAL_DECOMP_OK && e->z.block_state == ISAL_BLOCK_FINISH)
		return STEP_END;
	return ret == ISAL_DECOMP_OK && e->z.next_out > out ? STEP_MORE : STEP_STUCK;
}

/* Where the input ended: some bytes more than were needed may have been read. */
static const uint8_t *engine_in(const struct engine *e)
{
	return e->z.next_in - e->z.read_in_length / 8;
}

static uint32_t check_sum(const uint8_t *p, size_t n)
{
	return isal_adler32(1, p, n);
}

static void engine_end(struct engine *e)
{
	(void)e;
}

#else

static bool engine_begin(struct engine *e)
{
	e->z = (z_stream){ 0 };
	return inflateInit2(&e->z, -MAX_WBITS) == Z_OK;
}

static enum step engine_step(struct engine *e)
{
	int ret = inflate(&e->z, Z_SYNC_FLUSH);

	return ret == Z_STREAM_END ? STEP_END : ret == Z_OK ? STEP_MORE : STEP_STUCK;
}

static const uint8_t *engine_in(const struct engine *e)
{
	return e->z.next_in;
}

static uint32_t check_sum(const uint8_t *p, size_t n)
{
	return (uint32_t)adler32_z(1, p, n);
}

static void engine_end(struct engine *e)
{
	inflateEnd(&e->z);
}

#endif

/* --- the stream --- */

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
	d = xmalloc(sizeof(*d)); /* ISA-L's buffers are large, and must not be cleared */
	d->start = calloc(size ? size : 1, 1);
	d->size = size;
	d->in_end = in + n;
	d->ended = d->whole = false;
	if (!d->start || !engine_begin(&d->engine)) {
		free(d->start);
		free(d);
		return NULL;
	}
	d->engine.z.next_in = (uint8_t *)in + HEADER;
	d->engine.z.next_out = d->start;
	return d;
}

const uint8_t *deflate_bytes(const struct deflate *d)
{
	return d->start;
}

/* It came to its end: whether that is where it should be, and its check sum is right. */
static bool is_whole(const struct deflate *d, size_t have)
{
	const uint8_t *sum = engine_in(&d->engine);

	return have == d->size && d->in_end - sum >= CHECK_SUM &&
	       get_u32(sum, true) == check_sum(d->start, have);
}

size_t deflate_upto(struct deflate *d, size_t want)
{
	bool all = want >= d->size; /* then the check sum behind it is wanted too */
	size_t to = all ? d->size : want, have = (size_t)(d->engine.z.next_out - d->start);

	while (!d->ended && (have < to || all)) {
		enum step step;

		d->engine.z.avail_in = at_most((size_t)(d->in_end - d->engine.z.next_in));
		d->engine.z.avail_out = at_most(to - have);
		step = engine_step(&d->engine);
		have = (size_t)(d->engine.z.next_out - d->start);
		d->ended = step != STEP_MORE;
		d->whole = step == STEP_END && is_whole(d, have);
	}
	if (d->ended && !d->whole && (all || have == d->size))
		return 0; /* it is not what it says: none of it is to be believed */
	return have;
}

void deflate_end(struct deflate *d)
{
	if (!d)
		return;
	engine_end(&d->engine);
	free(d->start);
	free(d);
}
