/* SPDX-License-Identifier: MIT */
/*
 * The events, the sections of the finished file, and the marks' places in it:
 *
 *	header  ids  attrs  data  feature table  features
 *
 * or, as perf inject writes a pipe into a file: header, data, table, features, ids, attrs.
 */
#include "perfdata_builder_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xmalloc.h"

/* ---- events ----------------------------------------------------------------------------- */

static struct builder_attr attr_defaults(const struct builder_attr *attr)
{
	struct builder_attr a = *attr;

	if (!a.bare && !a.sample_type)
		a.sample_type = BUILDER_SAMPLE_TYPE;
	if (!a.bare && !a.flags)
		a.flags = BUILDER_FLAGS;
	return a;
}

uint32_t builder_event(struct builder *b, const struct builder_attr *attr)
{
	uint32_t index = (uint32_t)b->nr_evsels;
	struct builder_evsel *e;

	b->evsels = xreallocarray(b->evsels, b->nr_evsels + 1, sizeof(*b->evsels));
	e = &b->evsels[b->nr_evsels++];
	*e = (struct builder_evsel){ .attr = attr_defaults(attr) };
	if (attr->ids) {
		e->nr_ids = attr->nr_ids;
		e->ids = xmemdup(attr->ids, attr->nr_ids * sizeof(*attr->ids));
	} else if (!attr->no_ids) {
		e->nr_ids = 1;
		e->ids = xmemdup(&(uint64_t){ 1000 + index }, sizeof(uint64_t));
	}
	if (attr->name) {
		e->name = xstrdup(attr->name);
	} else {
		e->name = xmalloc(20);
		snprintf(e->name, 20, "event%u", index);
	}
	e->attr.name = e->name;
	if (b->opts.container == BUILDER_PIPE)
		builder_header_attr(b, index);
	return index;
}

uint32_t builder_attr_size(const struct builder *b, const struct builder_evsel *e)
{
	return e->attr.size ? e->attr.size : b->opts.attr_size;
}

/*
 * Bit-fields are allocated from the other end of each byte by big-endian compilers.  precise_ip,
 * the one of two bits, then has its high bit in the lower byte.
 */
static void put_flags(struct builder *b, uint64_t flags)
{
	uint64_t precise = flags >> ATTR_PRECISE_IP & 3;
	uint8_t bytes[8] = { 0 };

	if (b->opts.be) {
		flags &= ~(3ull << ATTR_PRECISE_IP);
		flags |= ((precise & 1) << 1 | precise >> 1) << ATTR_PRECISE_IP;
	}
	for (unsigned bit = 0; bit < 64; bit++)
		if (flags >> bit & 1)
			bytes[bit / 8] |= (uint8_t)(1 << (b->opts.be ? 7 - bit % 8 : bit % 8));
	builder_bytes(b, bytes, 8);
}

/* The attr as one of SIZE bytes: cut, or with a tail. */
void builder_write_attr(struct builder *b, const struct builder_evsel *e, uint32_t size)
{
	const struct builder_attr *a = &e->attr;
	size_t start = b->w->n;

	builder_u32(b, a->type);
	builder_len(b, 4, size, "attr.size");
	builder_u64(b, a->config);
	builder_u64(b, a->sample_period);
	builder_u64(b, a->sample_type);
	builder_u64(b, a->read_format);
	put_flags(b, a->flags);
	builder_u32(b, a->wakeup_events);
	builder_u32(b, a->bp_type);
	builder_u64(b, a->config1);
	builder_u64(b, a->config2);
	builder_u64(b, a->branch_sample_type);
	builder_u64(b, a->sample_regs_user);
	builder_u32(b, a->sample_stack_user);
	builder_u32(b, (uint32_t)a->clockid);
	builder_u64(b, a->sample_regs_intr);
	builder_u32(b, a->aux_watermark);
	builder_u16(b, a->sample_max_stack);
	builder_u16(b, 0);
	builder_u32(b, a->aux_sample_size);
	builder_bytes(b, NULL, 4 + 3 * 8); /* aux_action, sig_data, config3, config4 */
	while (b->w->n - start < size)
		builder_u8(b, a->tail);
	b->w->n = start + size;
}

/* ---- the file --------------------------------------------------------------------------- */

/* Where the sections will be. */
struct layout {
	uint64_t ids, attrs, attrs_size, stride, data, data_size, table, payload;
	uint64_t ids_size;
};

static uint64_t header_size(const struct builder *b)
{
	return b->opts.short_header ? 72 : 104;
}

static uint32_t attr_stride(const struct builder *b)
{
	uint32_t stride = b->opts.attr_size;

	for (size_t i = 0; i < b->nr_evsels; i++)
		if (b->evsels[i].attr.size > stride)
			stride = b->evsels[i].attr.size;
	return stride + 16;
}

static struct layout plan(const struct builder *b)
{
	uint64_t at = header_size(b) + b->opts.gap;
	struct layout l = { .stride = attr_stride(b), .data_size = b->streams[0].buf.n };
	uint64_t features = 0;

	for (size_t i = 0; i < b->nr_evsels; i++)
		l.ids_size += 8 * b->evsels[i].nr_ids;
	l.attrs_size = l.stride * b->nr_evsels;
	for (size_t i = 0; i < b->nr_features; i++)
		features += b->features[i].buf.n;
	if (!b->opts.attrs_last) {
		l.ids = at;
		l.attrs = l.ids + l.ids_size;
		at = l.attrs + l.attrs_size;
	}
	l.data = at;
	l.table = l.data + l.data_size;
	l.payload = l.table + 16 * b->nr_features;
	if (b->opts.attrs_last) {
		l.ids = l.payload + features;
		l.attrs = l.ids + l.ids_size;
	}
	return l;
}

static void put_bitmap(struct builder *b)
{
	uint8_t bytes[32] = { 0 };

	for (size_t i = 0; i < b->nr_features; i++) {
		unsigned f = b->features[i].id;
		unsigned word = !b->opts.be ? 1 : b->opts.bitmap32 ? 4 : 8;

		bytes[f / 8 / word * word + (word - 1 - f / 8 % word)] |= (uint8_t)(1 << f % 8);
	}
	builder_bytes(b, bytes, sizeof(bytes));
}

static void put_magic(struct builder *b)
{
	builder_bytes(b, b->opts.v1 ? "PERFFILE" : b->opts.be ? "2ELIFREP" : "PERFILE2", 8);
}

static void put_header(struct builder *b, const struct layout *l)
{
	bool killed = b->opts.unfinalised;

	put_magic(b);
	builder_len(b, 8, header_size(b), "header.size");
	builder_len(b, 8, l->stride, "header.attr_size");
	builder_len(b, 8, l->attrs, "attrs.offset");
	builder_len(b, 8, l->attrs_size, "attrs.size");
	builder_len(b, 8, l->data, "data.offset");
	builder_len(b, 8, killed ? 0 : l->data_size, "data.size");
	builder_len(b, 8, 0, "event_types.offset");
	builder_len(b, 8, 0, "event_types.size");
	if (!b->opts.short_header)
		put_bitmap(b);
}

static void put_attrs(struct builder *b, const struct layout *l)
{
	uint64_t ids = l->ids;

	for (size_t i = 0; i < b->nr_evsels; i++)
		for (uint32_t j = 0; j < b->evsels[i].nr_ids; j++)
			builder_u64(b, b->evsels[i].ids[j]);
	for (size_t i = 0; i < b->nr_evsels; i++) {
		uint32_t size = builder_attr_size(b, &b->evsels[i]);

		builder_write_attr(b, &b->evsels[i], size);
		builder_bytes(b, NULL, l->stride - 16 - size);
		builder_len(b, 8, ids, "ids.offset");
		builder_len(b, 8, 8 * b->evsels[i].nr_ids, "ids.size");
		ids += 8 * b->evsels[i].nr_ids;
	}
}

static int by_feature(const void *a, const void *b)
{
	const struct builder_section *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static void put_features(struct builder *b, const struct layout *l)
{
	uint64_t at = l->payload;

	for (size_t i = 0; i < b->nr_features; i++) {
		builder_len(b, 8, at, "feature.offset");
		builder_len(b, 8, b->features[i].buf.n, "feature.size");
		at += b->features[i].buf.n;
	}
	for (size_t i = 0; i < b->nr_features; i++)
		builder_bytes(b, b->features[i].buf.v, b->features[i].buf.n);
}

static void finish_file(struct builder *b)
{
	struct layout l;

	if (b->nr_features)
		qsort(b->features, b->nr_features, sizeof(*b->features), by_feature);
	l = plan(b);
	put_header(b, &l);
	for (uint32_t i = 0; i < b->opts.gap; i++)
		builder_u8(b, 0xee);
	if (!b->opts.attrs_last)
		put_attrs(b, &l);
	builder_bytes(b, b->streams[0].buf.v, b->streams[0].buf.n);
	if (!b->opts.unfinalised && !b->opts.short_header)
		put_features(b, &l);
	if (b->opts.attrs_last)
		put_attrs(b, &l);
	b->data_offset = l.data;
	b->table_offset = l.table;
}

static void finish_pipe(struct builder *b)
{
	put_magic(b);
	builder_len(b, 8, 16, "header.size");
	builder_bytes(b, b->streams[0].buf.v, b->streams[0].buf.n);
	b->data_offset = 16;
}

/* Delivery: by the byte of the file that completes a record, a compressed one before its own. */
static int by_delivery(const void *a, const void *b)
{
	const struct builder_mark *x = a, *y = b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->compressed != y->compressed)
		return x->compressed ? 1 : -1;
	return (x->plain > y->plain) - (x->plain < y->plain);
}

static void finish_marks(struct builder *b)
{
	struct builder_stream *s = &b->streams[0];
	uint64_t lied = UINT64_MAX;

	if (b->lie_what && b->lie_in_record && b->lie_stream == 0 && b->lie_mark < s->nr_marks)
		lied = s->marks[b->lie_mark].plain;
	if (s->nr_marks)
		qsort(s->marks, s->nr_marks, sizeof(*s->marks), by_delivery);
	for (size_t i = 0; i < s->nr_marks; i++) {
		struct builder_mark *m = &s->marks[i];

		if (m->plain == lied)
			b->lie_mark = i;
		m->bytes = s->plain.v + m->plain;
		m->file_offset += b->data_offset;
		m->last_offset += b->data_offset;
		m->end += b->data_offset;
		m->payload_end += b->data_offset;
	}
	b->marks = s->marks;
	b->nr_marks = s->nr_marks;
}

struct builder_file builder_finish(struct builder *b)
{
	if (b->marks || b->out.n)
		return (struct builder_file){ b->out.v, b->out.n };
	for (size_t i = 0; i < b->nr_streams; i++) {
		builder_stream(b, i);
		builder_flush(b);
	}
	b->w = &b->out;
	if (b->opts.container == BUILDER_PIPE)
		finish_pipe(b);
	else
		finish_file(b);
	b->data_size = b->streams[0].buf.n;
	finish_marks(b);
	return (struct builder_file){ b->out.v, b->out.n };
}

unsigned builder_feature_at(const struct builder *b, size_t i)
{
	return b->features[i].id;
}

/* ---- on disk ---------------------------------------------------------------------------- */

static int write_file(const char *path, const struct builder_buf *buf)
{
	FILE *f = fopen(path, "wb");
	int bad;

	if (!f)
		return -1;
	bad = buf->n && fwrite(buf->v, 1, buf->n, f) != buf->n;
	return fclose(f) || bad ? -1 : 0;
}

static void stream_path(char *out, size_t size, const char *path, size_t n)
{
	if (n)
		snprintf(out, size, "%s/data.%zu", path, n - 1);
	else
		snprintf(out, size, "%s/data", path);
}

int builder_write(struct builder *b, const char *path)
{
	char name[4096];

	builder_finish(b);
	if (b->opts.container != BUILDER_DIR)
		return write_file(path, &b->out);
	if (mkdir(path, 0777) && errno != EEXIST)
		return -1;
	for (size_t i = 0; i < b->nr_streams; i++) {
		stream_path(name, sizeof(name), path, i);
		if (write_file(name, i ? &b->streams[i].buf : &b->out))
			return -1;
	}
	return 0;
}

void builder_unlink(const struct builder *b, const char *path)
{
	char name[4096];

	if (b->opts.container != BUILDER_DIR) {
		unlink(path);
		return;
	}
	for (size_t i = 0; i < b->nr_streams; i++) {
		stream_path(name, sizeof(name), path, i);
		unlink(name);
	}
	rmdir(path);
}
