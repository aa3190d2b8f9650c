/* SPDX-License-Identifier: MIT */
/*
 * The reader: opening a recording, and the one walk over all its records.
 *
 * The walk is a loop over headers that has to keep up with the memory, so whatever a record may
 * need beyond being counted is kept out of it.  A record is believed when its type is known and
 * its size is possible; one of an unknown type, or of an odd size, only when a sound record
 * follows it.  Anything else is damage: a pipe ends there, in a file the walk goes on at the
 * next place where records follow each other.
 *
 * `pos` counts the bytes of the records in the order of delivery, so that a piece of the
 * recording needs only its first record's.  COMPRESSED records are not in pieces: they get the
 * number before the next record's, which nobody has, because records are 8 bytes or longer.
 */
#include "perfdata/reader_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xmalloc.h"
#include "perfdata/record_layout.h"
#include "perfdata/source_kind.h"

/* Decompressed records beyond this are in a temporary file. */
#define MEMORY_LIMIT ((uint64_t)256 << 20)
#define FIRST_POS    8
#define DROP_STEP    ((uint64_t)64 << 20)

#define U(x) ((unsigned long long)(x))

/* --- opening --- */

static struct reader *new_reader(const char *name)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->name = xstrdup(name);
	r->complete = true;
	r->priv = xcalloc(1, sizeof(*r->priv));
	r->priv->pos = FIRST_POS;
	r->priv->coarsen_at = MAX_PIECES;
	segments_init(&r->priv->segments, MEMORY_LIMIT);
	return r;
}

void reader_limit_memory(struct reader *r, uint64_t bytes)
{
	r->priv->segments.limit = bytes;
}

/*
 * Pages of large files are given back behind the walk: the second walk will have to map them
 * again, which costs a smaller file more than it gains.
 */
static bool fills_memory(uint64_t file_size)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 && file_size > (uint64_t)pages * (uint64_t)page / 4;
}

static int begin(struct reader *r, struct err *err)
{
	int rc = header_read(r, &r->priv->sources[0], err);

	if (rc)
		return rc;
	for (size_t i = 0; i < r->priv->nr_sources; i++)
		r->file_size += r->priv->sources[i].size;
	r->priv->drop = fills_memory(r->file_size);
	r->priv->grain = r->file_size >> 14;
	if (r->priv->grain < 4096)
		r->priv->grain = 4096;
	return 0;
}

static int open_one(struct reader *r, const char *path, struct err *err)
{
	int rc;

	r->priv->sources = xcalloc(1, sizeof(*r->priv->sources));
	rc = source_open(&r->priv->sources[0], path, err);
	if (rc)
		return rc;
	r->priv->nr_sources = 1;
	return begin(r, err);
}

int reader_open(struct reader **out, const char *path, struct err *err)
{
	struct reader *r = new_reader(path);
	struct stat st;
	int rc;

	if (strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode)) {
		rc = directory_open(r, path, err);
		if (!rc)
			rc = begin(r, err);
		if (!rc) {
			r->mode = READER_DIRECTORY;
			for (size_t i = 1; i < r->priv->nr_sources; i++)
				reader_add_stream(r, &r->priv->sources[i], 0,
						  r->priv->sources[i].size);
		}
	} else {
		rc = open_one(r, path, err);
	}
	if (rc)
		reader_free(r);
	else
		*out = r;
	return rc;
}

int reader_open_memory(struct reader **out, const void *data, size_t size, const char *name,
		       struct err *err)
{
	struct source src = { .data = data, .size = size, .kind = SOURCE_BORROWED };

	return reader_open_source(out, &src, name, err);
}

int reader_open_source(struct reader **out, const struct source *src, const char *name,
		       struct err *err)
{
	struct reader *r = new_reader(name);
	int rc;

	r->priv->sources = xcalloc(1, sizeof(*r->priv->sources));
	source_lend(&r->priv->sources[0], src, name);
	r->priv->nr_sources = 1;
	rc = begin(r, err);
	if (rc)
		reader_free(r);
	else
		*out = r;
	return rc;
}

/* --- delivering --- */

static void count_other(struct reader *r, uint32_t type)
{
	struct reader_priv *p = r->priv;

	for (size_t i = 0; i < r->nr_other_types; i++) {
		if (r->other_types[i].type != type)
			continue;
		r->other_types[i].count++;
		return;
	}
	/* a damaged file could have any number of them */
	if (r->nr_other_types >= 256)
		return;
	if (!p->cap_other_types) {
		p->cap_other_types = 256;
		r->other_types = xcalloc(p->cap_other_types, sizeof(*r->other_types));
	}
	r->other_types[r->nr_other_types++] = (struct reader_type_count){ type, 1 };
}

/* Tell the kernel what was walked, so that a large file doesn't fill the memory. */
static void drop_walked(struct reader *r)
{
	struct stream *s = &r->priv->streams.v[r->priv->at];
	uint64_t at = (uint64_t)(s->p - s->src->data);

	if (!r->priv->drop || at - s->dropped < DROP_STEP)
		return;
	source_drop(s->src, s->dropped, at);
	s->dropped = at;
}

static void open_piece(struct reader *r, const struct record *rec)
{
	struct chunk c = {
		.data = rec->data,
		.pos = rec->pos,
		.file_offset = rec->file_offset,
		.decompressed = r->priv->inflating,
		.be = r->be,
	};

	if (r->priv->pieces.n >= r->priv->coarsen_at)
		pieces_coarsen(r->priv);
	vec_push(&r->priv->pieces, c);
	ahead_walked(r->priv->ahead, rec->file_offset);
	drop_walked(r);
}

/* Give REC its place in the order, count it and put it into a piece. */
static inline void deliver(struct reader *r, struct record *rec)
{
	struct reader_priv *p = r->priv;
	struct chunk *last = p->pieces.n ? &p->pieces.v[p->pieces.n - 1] : NULL;
	uint64_t step = rec->size + rec->payload_size;

	rec->pos = p->pos;
	if (!last || rec->data != last->data + last->size || last->size >= p->grain ||
	    rec->pos != last->pos + last->size || last->decompressed != p->inflating) {
		open_piece(r, rec);
		last = &p->pieces.v[p->pieces.n - 1];
	}
	last->size += step;
	p->pos += step;
	if (p->split) /* a gap in the order: the next record begins a piece */
		p->pos++;
	p->split = false;
	p->last_compressed = false;
	r->nr_records++;
	if (rec->type <= RECORD_SCHEDSTAT_DOMAIN)
		r->nr_by_type[rec->type]++;
	else
		count_other(r, rec->type);
}

static void deliver_compressed(struct reader *r, struct record *rec)
{
	struct reader_priv *p = r->priv;

	/* two in a row: the first one held no end of a record */
	rec->pos = p->last_compressed ? p->pos++ : p->pos - 1;
	p->last_compressed = true;
	r->nr_records++;
	r->nr_by_type[rec->type]++;
}

/* --- the walk --- */

static bool next_inflated(struct reader *r, struct stream *s, struct record *rec)
{
	if (!pass_inflated(r, s, rec))
		return false;
	deliver(r, rec);
	if (pass_wants(rec->type))
		pass_record(r, s, rec);
	return true;
}

static uint64_t offset_of(const struct stream *s, const uint8_t *p)
{
	return (uint64_t)(p - s->src->data);
}

/* Finish the stream; LEFT bytes of it are no whole record. */
static void end_stream(struct reader *r, struct stream *s)
{
	uint64_t left = (uint64_t)(s->end - s->p);

	if (left && s->clipped) {
		reader_damage_more(
			r, s->clip_damage, left,
			"; of the last record, at offset 0x%llx, only %llu bytes are there",
			U(offset_of(s, s->p)), U(left));
	} else if (left) {
		s->clipped = true;
		s->clip_damage = reader_damage(
			r, offset_of(s, s->p), left,
			"%s: the record at offset 0x%llx is cut: only %llu bytes of it are there",
			s->src->name, U(offset_of(s, s->p)), U(left));
	}
	r->priv->done += (uint64_t)(s->end - s->src->data);
	pass_end(r, s);
	s->p = s->end;
	r->priv->at++;
}

static bool second_magic(const uint8_t *p, uint64_t left)
{
	return left >= 8 && (!memcmp(p, "PERFILE2", 8) || !memcmp(p, "2ELIFREP", 8));
}

/* A record that is sound but for its end, which is not among the LEFT bytes that are there. */
static bool cut_at_end(const struct record *rec, uint64_t left)
{
	return left < 8 || (record_type_known(rec->type) && rec->size > left &&
			    rec->size >= record_min_size(rec->type));
}

static void describe_damage(struct reader *r, const struct stream *s, const struct record *rec,
			    const uint8_t *next)
{
	uint64_t at = offset_of(s, s->p), lost = (uint64_t)(next - s->p);

	if (second_magic(s->p, (uint64_t)(s->end - s->p)))
		reader_damage(r, at, lost,
			      "%s: another recording begins at offset 0x%llx; it is not read "
			      "(%llu bytes)",
			      s->src->name, U(at), U(lost));
	else if (next == s->end)
		reader_damage(
			r, at, lost,
			"%s: at offset 0x%llx a record header was expected, found type %u with "
			"size %u; the %llu bytes from there to the end are not read",
			s->src->name, U(at), rec->type, rec->size, U(lost));
	else
		reader_damage(
			r, at, lost,
			"%s: at offset 0x%llx a record header was expected, found type %u with "
			"size %u; %llu bytes are skipped, records go on at offset 0x%llx",
			s->src->name, U(at), rec->type, rec->size, U(lost), U(offset_of(s, next)));
}

/* There is no record at the stream's place: go to where there is one. */
static void skip_damage(struct reader *r, struct stream *s, const struct record *rec)
{
	bool cut = cut_at_end(rec, (uint64_t)(s->end - s->p));
	const uint8_t *next = s->end;

	if (!s->stop_at_damage)
		next = resync(r, s, s->p + 1, cut);
	if (next == s->end && cut) {
		end_stream(r, s);
		return;
	}
	describe_damage(r, s, rec, next);
	/* a compressed record may be among what was lost, and the others need it */
	if (s->zstd_started && !s->zstd_broken && next != s->end) {
		s->zstd_broken = true;
		s->zstd_damage = r->nr_damages - 1;
		inflater_reset(s->zstd);
	}
	s->p = next;
}

/* An odd record is believed when a sound one, if only its beginning, or the end is behind it. */
static bool odd_but_whole(const struct reader *r, const struct stream *s, const struct record *rec)
{
	uint64_t left = (uint64_t)(s->end - s->p);
	struct record next;

	if (rec->type == 0 || rec->size < 8 || rec->size > left)
		return false;
	left -= rec->size;
	if (left < 8 || header_sound(s->p + rec->size, left, r->be))
		return true;
	record_header(&next, s->p + rec->size, r->be);
	return cut_at_end(&next, left);
}

/* The payload behind the record; what isn't there is damage. */
static void find_payload(struct reader *r, struct stream *s, struct record *rec)
{
	const uint8_t *p = rec->data + rec->size;
	uint64_t left = (uint64_t)(s->end - p);
	uint64_t size = record_payload(rec, left);

	if (!size)
		return;
	rec->payload = p;
	if (size <= left) {
		rec->payload_size = size;
		return;
	}
	/* in a file the size may be what's wrong, and records follow */
	if (!s->stop_at_damage && resync(r, s, p, true) != s->end) {
		rec->payload = NULL;
		r->priv->split = true;
		reader_damage(r, rec->file_offset, 0,
			      "%s: the %s record at offset 0x%llx claims %llu bytes of data behind "
			      "it, which is more than there are; it is taken as none",
			      s->src->name, record_type_name(rec->type), U(rec->file_offset),
			      U(size));
		return;
	}
	rec->payload_size = left;
	if (s->clipped)
		reader_damage_more(
			r, s->clip_damage, 0,
			"; of the data of the %s record at offset 0x%llx, %llu of %llu bytes are there",
			record_type_name(rec->type), U(rec->file_offset), U(left), U(size));
	else
		reader_damage(
			r, offset_of(s, s->end), size - left,
			"%s is cut: the data of the %s record at offset 0x%llx should be %llu bytes, "
			"%llu are there",
			s->src->name, record_type_name(rec->type), U(rec->file_offset), U(size),
			U(left));
}

/* The uncommon part of a step: records that mean something to the reader. */
static void take_special(struct reader *r, struct stream *s, struct record *rec)
{
	find_payload(r, s, rec);
	s->p += rec->payload_size;
	if (rec->type == RECORD_COMPRESSED || rec->type == RECORD_COMPRESSED2)
		deliver_compressed(r, rec);
	else
		deliver(r, rec);
	pass_record(r, s, rec);
}

/*
 * Ask for the memory AHEAD of a record, as much as the record is long.  Headers are a few lines
 * apart and not evenly, so that the processor does not see a stream.  Long records have stack
 * dumps, and are nearly all of one size: the header of the one after the next is asked for.  (May
 * pass the end: nothing is read.)  GCC drops calls of functions that do nothing but this.
 */
static inline __attribute__((always_inline)) void prefetch_ahead(const struct record *rec)
{
	enum { LINE = 64, AHEAD = 2048, LONG = 1024 };
	const uint8_t *p = rec->data + AHEAD;

	if (rec->size >= LONG) {
		__builtin_prefetch(rec->data + 2 * (size_t)rec->size);
		return;
	}
	for (uint32_t at = 0; at < rec->size; at += LINE)
		__builtin_prefetch(p + at);
}

static inline bool walk_one(struct reader *r, struct stream *s, struct record *rec)
{
	uint64_t left = (uint64_t)(s->end - s->p);

	if (left < 8) {
		end_stream(r, s);
		return false;
	}
	record_header(rec, s->p, r->be);
	if (!header_sound(s->p, left, r->be) && !odd_but_whole(r, s, rec)) {
		skip_damage(r, s, rec);
		return false;
	}
	prefetch_ahead(rec);
	rec->file_offset = offset_of(s, s->p);
	rec->payload = NULL;
	rec->payload_size = 0;
	s->p += rec->size;
	if (rec->type >= RECORD_USER_FIRST && pass_wants(rec->type))
		take_special(r, s, rec);
	else
		deliver(r, rec);
	return true;
}

void reader_map_ahead(struct reader *r)
{
	if (r->priv->nr_sources == 1 && !r->priv->drop && !r->priv->ahead)
		r->priv->ahead = ahead_start(&r->priv->sources[0]);
}

int reader_next(struct reader *r, struct record *rec)
{
	struct reader_priv *p = r->priv;

	while (p->at < p->streams.n) {
		struct stream *s = &p->streams.v[p->at];

		if (p->inflating) {
			if (next_inflated(r, s, rec))
				return 0;
			continue;
		}
		if (walk_one(r, s, rec))
			return 0;
	}
	ahead_stop(p->ahead);
	p->ahead = NULL;
	return 1;
}

const char *reader_member(const struct reader *r)
{
	const struct reader_priv *p = r->priv;
	const char *name, *slash;

	if (r->mode != READER_DIRECTORY || p->at >= p->streams.n)
		return NULL;
	name = p->streams.v[p->at].src->name;
	slash = strrchr(name, '/');
	return slash ? slash + 1 : name;
}

uint64_t reader_progress(const struct reader *r)
{
	const struct reader_priv *p = r->priv;

	if (p->at >= p->streams.n)
		return r->file_size;
	return p->done + offset_of(&p->streams.v[p->at], p->streams.v[p->at].p);
}

static void free_texts(struct reader *r)
{
	for (size_t i = 0; r->damages && i < r->nr_damages && i < 100; i++)
		free(r->damages[i].text);
	for (size_t i = 0; i < r->nr_warnings; i++)
		free(r->warnings[i]);
	free(r->damages);
	free(r->warnings);
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	ahead_stop(r->priv->ahead);
	for (size_t i = 0; i < r->priv->streams.n; i++)
		inflater_free(r->priv->streams.v[i].zstd);
	for (size_t i = 0; i < r->priv->nr_sources; i++)
		source_release(&r->priv->sources[i]);
	free(r->priv->sources);
	segments_release(&r->priv->segments);
	vec_release(&r->priv->streams);
	vec_release(&r->priv->pieces);
	free_texts(r);
	evlist_release(&r->evlist);
	features_release(&r->features);
	free(r->other_types);
	free(r->priv);
	free(r->name);
	free(r);
}
