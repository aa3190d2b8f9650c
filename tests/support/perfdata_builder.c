/* SPDX-License-Identifier: MIT */
/*
 * The builder's frame: bytes in the file's order, records, and their compression.
 *
 * Everything is written to the buffer that builder.w points to: the scratch record between
 * builder_begin() and builder_end(), a feature's section, or the finished file.  A record that is
 * complete goes to its stream, directly or by way of `pending`, whose bytes are compressed in
 * pieces of a fixed size without regard to where records begin, as perf does it:
 *
 *	pending   | rec | rec | re            c | rec |
 *	stream    [81: ............] [68] [81: ..............]
 *
 * Each record leaves a mark that says how many bytes of the file it needs, so that a test can cut
 * anywhere and know what must still be delivered.
 */
#include "perfdata_builder_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/cursor.h"
#include "base/vec.h"
#include "base/xmalloc.h"

#define NO_PLACE UINT64_MAX

/* ---- bytes ------------------------------------------------------------------------------ */

static void put(struct builder_buf *buf, const void *data, size_t len)
{
	if (!len)
		return;
	vec_reserve(buf, len);
	if (data)
		memcpy(buf->v + buf->n, data, len);
	else
		memset(buf->v + buf->n, 0, len);
	buf->n += len;
}

static void encode(uint8_t *p, uint64_t v, int width, bool be)
{
	for (int i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * (be ? width - 1 - i : i));
}

static void put_number(struct builder *b, uint64_t v, int width)
{
	uint8_t bytes[8];

	encode(bytes, v, width, b->opts.be);
	put(b->w, bytes, (size_t)width);
}

void builder_encode(const struct builder *b, uint8_t *p, uint64_t v, int width)
{
	encode(p, v, width, b->opts.be);
}

void builder_u8(struct builder *b, uint8_t v)
{
	put_number(b, v, 1);
}

void builder_u16(struct builder *b, uint16_t v)
{
	put_number(b, v, 2);
}

void builder_u32(struct builder *b, uint32_t v)
{
	put_number(b, v, 4);
}

void builder_u64(struct builder *b, uint64_t v)
{
	put_number(b, v, 8);
}

void builder_bytes(struct builder *b, const void *data, size_t len)
{
	put(b->w, data, len);
}

void builder_cstr(struct builder *b, const char *s, unsigned align)
{
	size_t len = strlen(s) + 1;

	put(b->w, s, len);
	if (align)
		put(b->w, NULL, (align - len % align) % align);
}

/* Count a length field; the value that it is to have. */
static uint64_t maybe_lie(struct builder *b, int width, uint64_t v, const char *what)
{
	if (++b->nr_fields != b->opts.lie)
		return v;
	b->lie_what = what;
	b->lie_width = width;
	b->lie_in_record = b->w == &b->rec;
	b->lie_stream = b->stream;
	b->lie_mark = b->streams ? b->streams[b->stream].nr_marks : 0;
	return width == 8 ? b->opts.lie_value : b->opts.lie_value & ((1ull << 8 * width) - 1);
}

void builder_len(struct builder *b, int width, uint64_t v, const char *what)
{
	put_number(b, maybe_lie(b, width, v, what), width);
}

/* ---- life ------------------------------------------------------------------------------- */

void builder_init(struct builder *b, const struct builder_opts *opts)
{
	*b = (struct builder){ 0 };
	if (opts)
		b->opts = *opts;
	if (!b->opts.attr_size)
		b->opts.attr_size = 136;
	if (!b->opts.chunk)
		b->opts.chunk = 200;
	b->w = &b->out;
	builder_stream(b, 0);
}

static void stream_release(struct builder_stream *s)
{
	free(s->buf.v);
	free(s->plain.v);
	free(s->pending.v);
	free(s->marks);
	free(s->kernel_at);
	ZSTD_freeCCtx(s->zstd);
}

void builder_release(struct builder *b)
{
	for (size_t i = 0; i < b->nr_streams; i++)
		stream_release(&b->streams[i]);
	for (size_t i = 0; i < b->nr_evsels; i++) {
		free(b->evsels[i].ids);
		free(b->evsels[i].name);
	}
	for (size_t i = 0; i < b->nr_features; i++)
		free(b->features[i].buf.v);
	free(b->streams);
	free(b->evsels);
	free(b->features);
	free(b->out.v);
	free(b->rec.v);
	*b = (struct builder){ 0 };
}

void builder_stream(struct builder *b, size_t n)
{
	assert(!n || b->opts.container == BUILDER_DIR);
	if (n >= b->nr_streams) {
		b->streams = xreallocarray(b->streams, n + 1, sizeof(*b->streams));
		memset(b->streams + b->nr_streams, 0,
		       (n + 1 - b->nr_streams) * sizeof(*b->streams));
		b->nr_streams = n + 1;
	}
	b->stream = n;
}

/* ---- compression ------------------------------------------------------------------------ */

static void add_mark(struct builder_stream *s, const struct builder_mark *m, uint64_t kernel_at)
{
	if (s->nr_marks == s->cap_marks) {
		s->cap_marks = s->cap_marks ? 2 * s->cap_marks : 64;
		s->marks = xreallocarray(s->marks, s->cap_marks, sizeof(*s->marks));
		s->kernel_at = xreallocarray(s->kernel_at, s->cap_marks, sizeof(*s->kernel_at));
	}
	s->kernel_at[s->nr_marks] = kernel_at;
	s->marks[s->nr_marks++] = *m;
}

/* The bytes up to KERNEL_UPTO are now in the compressed record at FROM … TO of the stream. */
static void resolve_marks(struct builder_stream *s, uint64_t kernel_upto, uint64_t from,
			  uint64_t to)
{
	while (s->unresolved < s->nr_marks &&
	       (!s->marks[s->unresolved].compressed || s->marks[s->unresolved].end))
		s->unresolved++;
	for (size_t i = s->unresolved; i < s->nr_marks; i++) {
		struct builder_mark *m = &s->marks[i];

		if (!m->compressed || m->end)
			continue;
		if (s->kernel_at[i] >= kernel_upto)
			return;
		if (m->file_offset == NO_PLACE)
			m->file_offset = from;
		m->last_offset = from;
		if (s->kernel_at[i] + m->size > kernel_upto)
			return;
		m->end = m->payload_end = to;
	}
}

static void write_compressed(struct builder *b, const struct builder_buf *zbytes)
{
	struct builder_buf *before = b->w;

	b->rec.n = 0;
	b->w = &b->rec;
	builder_u32(b, b->opts.compress == BUILDER_COMPRESSED2 ? RECORD_COMPRESSED2
							       : RECORD_COMPRESSED);
	builder_u16(b, 0);
	builder_u16(b, 0);
	if (b->opts.compress == BUILDER_COMPRESSED2)
		builder_len(b, 8, zbytes->n, "COMPRESSED2.data_size");
	put(b->w, zbytes->v, zbytes->n);
	if (b->opts.compress == BUILDER_COMPRESSED2)
		put(b->w, NULL, (8 - zbytes->n % 8) % 8);
	builder_append_record(b, NULL, 0);
	b->w = before;
}

static void compress(struct builder *b, struct builder_stream *s, size_t len)
{
	ZSTD_inBuffer in = { s->pending.v, len, 0 };
	ZSTD_EndDirective how = b->opts.end_frames ? ZSTD_e_end : ZSTD_e_flush;
	struct builder_buf zbytes = { 0 };
	size_t from = s->buf.n;
	size_t left;

	if (!s->zstd) {
		s->zstd = ZSTD_createCCtx();
		ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, 1);
	}
	do {
		ZSTD_outBuffer out;

		vec_reserve(&zbytes, 4096);
		out = (ZSTD_outBuffer){ zbytes.v, zbytes.cap, zbytes.n };
		left = ZSTD_compressStream2(s->zstd, &out, &in, how);
		assert(!ZSTD_isError(left));
		zbytes.n = out.pos;
	} while (left);
	write_compressed(b, &zbytes);
	free(zbytes.v);
	memmove(s->pending.v, s->pending.v + len, s->pending.n - len);
	s->pending.n -= len;
	s->pending_from += len;
	resolve_marks(s, s->pending_from, from, s->buf.n);
}

/* Compress what is pending, but for KEEP bytes; in full pieces only unless ALL. */
static void compress_pending(struct builder *b, size_t keep, bool all)
{
	for (;;) {
		struct builder_stream *s = &b->streams[b->stream];
		size_t n = s->pending.n > keep ? s->pending.n - keep : 0;

		if (n > b->opts.chunk)
			n = b->opts.chunk;
		if (!n || (!all && n < b->opts.chunk))
			return;
		compress(b, s, n);
	}
}

void builder_flush(struct builder *b)
{
	compress_pending(b, 0, true);
}

/* ---- records ---------------------------------------------------------------------------- */

static bool is_simpleperf(uint32_t type)
{
	return type >= RECORD_SIMPLEPERF_FIRST;
}

void builder_begin(struct builder *b, uint32_t type, uint16_t misc)
{
	b->rec.n = 0;
	b->w = &b->rec;
	builder_u32(b, type);
	builder_u16(b, misc);
	builder_u16(b, 0);
}

static uint32_t scratch_type(const struct builder *b)
{
	return get_u32(b->rec.v, b->opts.be);
}

static void patch_size(struct builder *b)
{
	bool wide = is_simpleperf(scratch_type(b));
	uint64_t size = maybe_lie(b, wide ? 4 : 2, b->rec.n, "record.size");

	if (wide)
		encode(b->rec.v + 4, size >> 16, 2, b->opts.be);
	else
		assert(b->rec.n <= UINT16_MAX);
	encode(b->rec.v + 6, size & UINT16_MAX, 2, b->opts.be);
}

/* The scratch record into the current stream as it is. */
void builder_append_record(struct builder *b, const uint8_t *payload, size_t len)
{
	struct builder_stream *s = &b->streams[b->stream];
	struct builder_mark m = {
		.type = scratch_type(b),
		.size = (uint32_t)b->rec.n,
		.file_offset = s->buf.n,
		.last_offset = s->buf.n,
		.plain = s->plain.n,
	};

	patch_size(b);
	put(&s->plain, b->rec.v, b->rec.n);
	put(&s->buf, b->rec.v, b->rec.n);
	m.end = s->buf.n;
	put(&s->buf, payload, len);
	put(&s->buf, NULL, (8 - len % 8) % 8);
	m.payload_end = s->buf.n;
	add_mark(s, &m, NO_PLACE);
}

/* The scratch record to what waits for compression. */
static void queue_record(struct builder *b)
{
	struct builder_stream *s = &b->streams[b->stream];
	struct builder_mark m = {
		.type = scratch_type(b),
		.size = (uint32_t)b->rec.n,
		.file_offset = NO_PLACE,
		.compressed = true,
		.plain = s->plain.n,
	};

	patch_size(b);
	put(&s->plain, b->rec.v, b->rec.n);
	add_mark(s, &m, s->pending_from + s->pending.n);
	put(&s->pending, b->rec.v, b->rec.n);
	compress_pending(b, 0, false);
}

/* A user record comes: what is pending goes first, except for a tail if that is wanted. */
static void make_way(struct builder *b)
{
	struct builder_buf keep = b->rec;

	b->rec = (struct builder_buf){ 0 };
	compress_pending(b, b->opts.hold_tail ? 4 : 0, true);
	free(b->rec.v);
	b->rec = keep;
}

void builder_end_payload(struct builder *b, const void *data, size_t len)
{
	uint32_t type = scratch_type(b);

	if (b->opts.compress != BUILDER_PLAIN && (type < RECORD_USER_FIRST || b->compress_all)) {
		assert(!len);
		queue_record(b);
	} else {
		make_way(b);
		builder_append_record(b, data, len);
	}
	b->w = &b->out;
}

void builder_end(struct builder *b)
{
	builder_end_payload(b, NULL, 0);
}

void builder_record(struct builder *b, uint32_t type, uint16_t misc, const void *body, size_t len)
{
	builder_begin(b, type, misc);
	put(b->w, body, len);
	builder_end(b);
}

void builder_stray(struct builder *b, const void *data, size_t len)
{
	builder_flush(b);
	put(&b->streams[b->stream].buf, data, len);
}
