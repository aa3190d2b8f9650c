/* SPDX-License-Identifier: MIT */
/*
 * Kernel modules come as .ko.gz, .ko.xz or .ko.zst, .gnu_debugdata is an xz file, and debug
 * sections may be compressed with zstd, which elfutils reads only since 0.189.  The size of the
 * result is never believed: buffers grow with what really comes out, up to a cap.
 */
#include "objfile/inflate.h"

#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/xmalloc.h"

/* A decoder asks for room when its buffer is full. */
struct growing {
	uint8_t *p;
	size_t n, room, cap;
};

static bool grow(struct growing *g)
{
	size_t want = g->room ? g->room * 2 : 1 << 16;

	if (g->room >= g->cap)
		return false;
	g->room = want < g->cap ? want : g->cap;
	g->p = xreallocarray(g->p, g->room, 1);
	return true;
}

enum inflate_kind inflate_detect(const uint8_t *in, size_t n)
{
	if (n >= 6 && !memcmp(in, "\3757zXZ", 6))
		return INFLATE_XZ;
	if (n >= 4 && !memcmp(in, "\x28\xb5\x2f\xfd", 4))
		return INFLATE_ZSTD;
	if (n >= 3 && !memcmp(in, "\x1f\x8b\x08", 3))
		return INFLATE_GZIP;
	return INFLATE_NONE;
}

static bool gunzip(const uint8_t *in, size_t n, struct growing *g)
{
	z_stream z = { .next_in = (Bytef *)in, .avail_in = (uInt)n };
	int ret = Z_OK;

	if (n > UINT32_MAX || inflateInit2(&z, 15 + 16) != Z_OK)
		return false;
	while (ret == Z_OK && (g->n < g->room || grow(g))) {
		size_t space = g->room - g->n;

		z.next_out = g->p + g->n;
		z.avail_out = space > UINT32_MAX ? UINT32_MAX : (uInt)space;
		ret = inflate(&z, Z_NO_FLUSH);
		g->n = (size_t)(z.next_out - g->p);
	}
	inflateEnd(&z);
	return ret == Z_STREAM_END;
}

static bool unxz(const uint8_t *in, size_t n, struct growing *g)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret ret = LZMA_OK;

	if (lzma_stream_decoder(&z, 256 << 20, LZMA_CONCATENATED) != LZMA_OK)
		return false;
	z.next_in = in;
	z.avail_in = n;
	while (ret == LZMA_OK && (g->n < g->room || grow(g))) {
		z.next_out = g->p + g->n;
		z.avail_out = g->room - g->n;
		ret = lzma_code(&z, LZMA_FINISH);
		g->n = (size_t)(z.next_out - g->p);
	}
	lzma_end(&z);
	return ret == LZMA_STREAM_END;
}

static bool unzstd(const uint8_t *in, size_t n, struct growing *g)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer src = { in, n, 0 };
	size_t left = 1;

	while (z && left && !ZSTD_isError(left) && (g->n < g->room || grow(g))) {
		ZSTD_outBuffer dst = { g->p, g->room, g->n };

		left = ZSTD_decompressStream(z, &dst, &src);
		if (dst.pos == g->n && src.pos == n)
			break;
		g->n = dst.pos;
	}
	ZSTD_freeDStream(z);
	return left == 0;
}

uint8_t *inflate_file(enum inflate_kind kind, const uint8_t *in, size_t n, size_t cap,
		      size_t *out_size)
{
	struct growing g = { .cap = cap };
	bool ok = false;

	if (kind == INFLATE_GZIP)
		ok = gunzip(in, n, &g);
	else if (kind == INFLATE_XZ)
		ok = unxz(in, n, &g);
	else if (kind == INFLATE_ZSTD)
		ok = unzstd(in, n, &g);
	if (!ok) {
		free(g.p);
		return NULL;
	}
	*out_size = g.n;
	return g.p;
}

bool inflate_zstd(const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
	size_t got = ZSTD_decompress(out, size, in, n);

	return !ZSTD_isError(got) && got == size;
}

bool inflate_plausible(uint64_t n, uint64_t size)
{
	/* Debug data shrinks to a third or a tenth; runs of one byte to less than 1 in 10,000. */
	return size <= UINT64_C(8) << 30 && size / 20000 <= n;
}

uint32_t inflate_crc32(const uint8_t *p, size_t n)
{
	return (uint32_t)crc32_z(0, p, n);
}
