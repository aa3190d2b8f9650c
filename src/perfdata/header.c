/* SPDX-License-Identifier: MIT */
/*
 * The header of perf.data: the magic tells the byte order, the header's size whether a file with
 * sections or a pipe's stream follows.  A file's sections may lie in any order and are addressed
 * by absolute offsets, which are all checked against the file's size.
 *
 * A recorder that was killed leaves a header without the data's size.  Then all to the end of
 * the file is data, and there are no features, whatever the header's bitmap says.
 * Source: tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.h.
 */
#include "perfdata/reader_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/xmalloc.h"
#include "perfdata/evlist.h"

#define PIPE_HEADER_SIZE 16
#define OLD_HEADER_SIZE  72 /* without the bitmap of features */
#define HEADER_SIZE      104
#define MIN_ATTR_SIZE    (64 + 16)
#define MAX_ATTR_SIZE    4096
#define MAX_EVENTS       65536

#define U(x) ((unsigned long long)(x))

struct section {
	uint64_t offset, size;
};

struct header {
	uint64_t size, attr_size;
	struct section attrs, data, event_types;
	bool clipped; /* data's size is not what the header says */
	size_t clip_damage;
};

static bool inside(const struct source *src, struct section s)
{
	return s.offset <= src->size && s.size <= src->size - s.offset;
}

static const struct compressor {
	const char *magic, *name;
} compressors[] = {
	{ "\x1f\x8b", "gzip" },
	{ "\x28\xb5\x2f\xfd", "zstd" },
	{ "\xfd\x37zXZ", "xz" },
};

static int not_perf_data(const struct source *src, struct err *err)
{
	const uint8_t *d = src->data;

	for (size_t i = 0; i < sizeof(compressors) / sizeof(compressors[0]); i++)
		if (!memcmp(d, compressors[i].magic, strlen(compressors[i].magic)))
			return err_set(err, ERR_FORMAT,
				       "%s is compressed with %s as a whole: decompress it first",
				       src->name, compressors[i].name);
	return err_set(err, ERR_FORMAT,
		       "%s is not a perf.data file: it begins with the bytes %02x %02x %02x %02x "
		       "%02x %02x %02x %02x, expected \"PERFILE2\"",
		       src->name, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
}

bool reader_recognises(const struct source *src)
{
	static const char *const magics[] = { "PERFILE2", "2ELIFREP", "PERFFILE" };

	for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
		if (src->size >= 8 && !memcmp(src->data, magics[i], 8))
			return true;
	return false;
}

static int read_magic(struct reader *r, const struct source *src, struct err *err)
{
	if (!src->size)
		return err_set(err, ERR_FORMAT, "%s is empty (0 bytes)", src->name);
	if (src->size < PIPE_HEADER_SIZE)
		return err_set(err, ERR_FORMAT,
			       "%s has only %llu bytes, a perf.data file has 16 or more", src->name,
			       U(src->size));
	if (!memcmp(src->data, "PERFILE2", 8))
		r->be = false;
	else if (!memcmp(src->data, "2ELIFREP", 8))
		r->be = true;
	else if (!memcmp(src->data, "PERFFILE", 8)) /* version 1: only the size can tell */
		r->be = get_u64(src->data + 8, false) > MAX_ATTR_SIZE;
	else
		return not_perf_data(src, err);
	return 0;
}

static struct section read_section(const uint8_t *p, bool be)
{
	return (struct section){ get_u64(p, be), get_u64(p + 8, be) };
}

static int read_fields(const struct reader *r, const struct source *src, struct header *h,
		       struct err *err)
{
	const uint8_t *d = src->data;

	h->size = get_u64(d + 8, r->be);
	if (h->size == PIPE_HEADER_SIZE)
		return 0;
	if (h->size != OLD_HEADER_SIZE && h->size < HEADER_SIZE)
		return err_set(err, ERR_FORMAT,
			       "%s has a header of %llu bytes, expected 16, 72 or 104", src->name,
			       U(h->size));
	if (h->size > src->size)
		return err_set(err, ERR_FORMAT,
			       "%s ends within its header: it has %llu bytes, the header %llu",
			       src->name, U(src->size), U(h->size));
	h->attr_size = get_u64(d + 16, r->be);
	h->attrs = read_section(d + 24, r->be);
	h->data = read_section(d + 40, r->be);
	h->event_types = read_section(d + 56, r->be);
	if (h->attr_size < MIN_ATTR_SIZE || h->attr_size > MAX_ATTR_SIZE)
		return err_set(err, ERR_FORMAT,
			       "%s has an attr size of %llu at offset 16, expected %d to %d",
			       src->name, U(h->attr_size), MIN_ATTR_SIZE, MAX_ATTR_SIZE);
	return 0;
}

/* The ids of the event whose entry ends with their section; LEFT is how many may still come. */
static uint64_t *read_ids(struct reader *r, const struct source *src, const uint8_t *section,
			  uint64_t *left, size_t *nr)
{
	struct section s = read_section(section, r->be);
	uint64_t *ids;

	*nr = 0;
	if (!s.size)
		return NULL;
	if (!inside(src, s) || s.size % 8 || s.size / 8 > *left) {
		reader_damage(r, s.offset, 0,
			      "%s: the ids of an event should be %llu bytes at offset 0x%llx, "
			      "which is not possible; the event goes on without ids",
			      src->name, U(s.size), U(s.offset));
		return NULL;
	}
	*nr = s.size / 8;
	*left -= *nr;
	ids = xmalloc(s.size);
	for (size_t i = 0; i < *nr; i++)
		ids[i] = get_u64(src->data + s.offset + i * 8, r->be);
	return ids;
}

static bool read_attr(struct reader *r, const struct source *src, const struct header *h,
		      uint64_t at, uint64_t *ids_left)
{
	const uint8_t *p = src->data + at;
	uint64_t room = h->attr_size - 16;
	struct attr attr;
	struct err err;
	uint64_t *ids;
	size_t nr;

	if (attr_decode(p, room, r->be, &attr, &err)) {
		reader_damage(r, at, h->attr_size, "%s: at offset 0x%llx %s", src->name, U(at),
			      err.text);
		return false;
	}
	if (attr.size != room)
		reader_warn(
			r, "%s: the attr at offset 0x%llx says it has %u bytes, its place has %llu",
			src->name, U(at), attr.size, U(room));
	if (attr.unknown_tail)
		reader_warn(r,
			    "%s: the attr at offset 0x%llx uses fields that this program does not "
			    "know (%u bytes)",
			    src->name, U(at), attr.size);
	ids = read_ids(r, src, p + room, ids_left, &nr);
	evlist_add(&r->evlist, &attr, ids, nr);
	free(ids);
	return true;
}

static int read_attrs(struct reader *r, const struct source *src, const struct header *h,
		      struct err *err)
{
	uint64_t there = h->attrs.offset < src->size ? src->size - h->attrs.offset : 0;
	uint64_t size = h->attrs.size < there ? h->attrs.size : there;
	uint64_t n = h->attrs.size / h->attr_size, whole = size / h->attr_size;
	uint64_t ids_left = src->size / 8; /* they are different bytes of the file */

	if (n > MAX_EVENTS)
		return err_set(err, ERR_FORMAT, "%s claims %llu events, at most %d are read",
			       src->name, U(n), MAX_EVENTS);
	for (uint64_t i = 0; i < whole; i++)
		read_attr(r, src, h, h->attrs.offset + i * h->attr_size, &ids_left);
	evlist_index(&r->evlist);
	if (n && !r->evlist.n)
		return err_set(err, ERR_FORMAT,
			       "%s describes no event: the attrs of its %llu should be at "
			       "offset 0x%llx, the file has %llu bytes",
			       src->name, U(n), U(h->attrs.offset), U(src->size));
	if (whole < n)
		reader_damage(r, src->size, (n - whole) * h->attr_size,
			      "%s: %llu of %llu events are not described, the file ends before "
			      "their attrs at offset 0x%llx",
			      src->name, U(n - whole), U(n),
			      U(h->attrs.offset + whole * h->attr_size));
	return 0;
}

/* Before EVENT_DESC, perf had a table of names by config: u64 id, char name[64]. */
static void read_event_types(struct reader *r, const struct source *src, const struct header *h)
{
	uint64_t n = h->event_types.size / 72;

	if (!inside(src, h->event_types) || n > 1024)
		return;
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t *p = src->data + h->event_types.offset + i * 72;

		evlist_name_event_type(&r->evlist, get_u64(p, r->be), (const char *)p + 8, 64);
	}
}

struct stream *reader_add_stream(struct reader *r, const struct source *src, uint64_t from,
				 uint64_t to)
{
	struct stream s = { .src = src, .p = src->data + from, .end = src->data + to };

	s.dropped = from;
	s.stop_at_damage = r->mode == READER_PIPE;
	vec_push(&r->priv->streams, s);
	r->data_size += to - from;
	return &r->priv->streams.v[r->priv->streams.n - 1];
}

static void unfinished_data(struct reader *r, const struct source *src, struct header *h)
{
	r->unfinalised = true;
	h->clipped = true;
	h->data.size = src->size - h->data.offset;
	h->clip_damage = reader_damage(
		r, 40, 0,
		"%s was never finalised: its header has no data size, so the recorder was "
		"killed; the %llu bytes from offset 0x%llx to the end are read as records, the "
		"features are missing",
		src->name, U(h->data.size), U(h->data.offset));
}

/* Where the records are; the features' table is behind them. */
static int find_data(struct reader *r, const struct source *src, struct header *h, bool *features,
		     struct err *err)
{
	uint64_t there;

	*features = h->size >= HEADER_SIZE;
	if (h->data.offset > src->size)
		return err_set(err, ERR_FORMAT,
			       "%s has its data at offset 0x%llx, but only %llu bytes", src->name,
			       U(h->data.offset), U(src->size));
	there = src->size - h->data.offset;
	if (h->data.size > there) {
		*features = false;
		h->clipped = true;
		h->clip_damage = reader_damage(
			r, src->size, h->data.size - there,
			"%s is cut at offset 0x%llx: %llu bytes of records are missing, and the "
			"features",
			src->name, U(src->size), U(h->data.size - there));
		h->data.size = there;
	}
	if (!h->data.size && !(*features && file_features_plausible(r, src, h->data.offset))) {
		*features = false;
		unfinished_data(r, src, h);
	}
	return 0;
}

static int read_file(struct reader *r, const struct source *src, struct header *h, struct err *err)
{
	struct stream *s;
	bool features;
	int rc = read_attrs(r, src, h, err);

	if (rc)
		return rc;
	read_event_types(r, src, h);
	rc = find_data(r, src, h, &features, err);
	if (rc)
		return rc;
	if (features) /* before the data: simpleperf's INIT_MAP is a stream of its own */
		file_features_read(r, src, h->data.offset + h->data.size);
	s = reader_add_stream(r, src, h->data.offset, h->data.offset + h->data.size);
	s->clipped = h->clipped;
	s->clip_damage = h->clip_damage;
	return 0;
}

int header_read(struct reader *r, const struct source *src, struct err *err)
{
	struct header h = { 0 };
	int rc = read_magic(r, src, err);

	if (!rc)
		rc = read_fields(r, src, &h, err);
	if (rc)
		return rc;
	evlist_init(&r->evlist, r->be);
	evlist_index(&r->evlist);
	if (h.size != PIPE_HEADER_SIZE)
		return read_file(r, src, &h, err);
	r->mode = READER_PIPE;
	reader_add_stream(r, src, PIPE_HEADER_SIZE, src->size);
	return 0;
}
