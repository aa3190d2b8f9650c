/* SPDX-License-Identifier: MIT */
/*
 * The one walk over all records of a recording.
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

#include <string.h>

#include "base/xmalloc.h"
#include "perfdata/step.h"

#define DROP_STEP ((uint64_t)64 << 20)

#define U(x) ((unsigned long long)(x))

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

static void open_piece(struct reader *r, const uint8_t *data, uint64_t file_offset)
{
	struct reader_priv *p = r->priv;
	struct chunk c = {
		.data = data,
		.pos = p->pos,
		.file_offset = file_offset,
		.decompressed = p->inflating,
		.be = r->be,
	};

	if (p->pieces.n >= p->coarsen_at)
		pieces_coarsen(p);
	vec_push(&p->pieces, c);
	if (p->inflating)
		p->piece_end = data + p->grain;
	else
		p->piece_end = cell_end(p->streams.v[p->at].src, data, p->grain);
	drop_walked(r);
}

/* Put SIZE bytes of records, which begin in the same cell, into a piece and into the order. */
static inline void into_piece(struct reader *r, const uint8_t *data, uint64_t file_offset,
			      uint64_t size)
{
	struct reader_priv *p = r->priv;
	struct chunk *last = p->pieces.n ? &p->pieces.v[p->pieces.n - 1] : NULL;

	if (!last || data != last->data + last->size || data >= p->piece_end ||
	    p->pos != last->pos + last->size || last->decompressed != p->inflating) {
		open_piece(r, data, file_offset);
		last = &p->pieces.v[p->pieces.n - 1];
	}
	last->size += size;
	p->pos += size;
}

static inline void count(struct reader *r, uint32_t type)
{
	r->nr_records++;
	if (type <= RECORD_SCHEDSTAT_DOMAIN)
		r->nr_by_type[type]++;
	else
		count_other(r, type);
}

/* Give REC its place in the order, count it and put it into a piece. */
static inline void deliver(struct reader *r, struct record *rec)
{
	struct reader_priv *p = r->priv;

	rec->pos = p->pos;
	into_piece(r, rec->data, rec->file_offset, rec->size + rec->payload_size);
	if (p->split) /* a gap in the order: the next record begins a piece */
		p->pos++;
	p->split = false;
	p->last_compressed = false;
	count(r, rec->type);
}

static void deliver_compressed(struct reader *r, struct record *rec)
{
	struct reader_priv *p = r->priv;

	/* two in a row: the first one held no end of a record */
	rec->pos = p->last_compressed ? p->pos++ : p->pos - 1;
	p->last_compressed = true;
	count(r, rec->type);
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
	parts_stop(r->priv->parts);
	r->priv->parts = NULL;
	r->priv->piece_end = NULL;
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

/* The next record of the stream itself; false when there is none, or not yet. */
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
	prefetch_ahead(rec->data, rec->size);
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

/* --- what need not be delivered, and what other threads have walked --- */

/* Step over samples, up to where the walk has to look for a part; false when there are none. */
static bool walk_samples(struct reader *r, struct stream *s)
{
	struct reader_priv *p = r->priv;
	uint64_t n = 0;

	while (s->p < s->look) {
		const uint8_t *from = s->p, *cell = cell_end(s->src, from, p->grain);

		s->p = step_samples(from, cell < s->look ? cell : s->look, s->end, r->be, &n);
		if (s->p == from)
			break;
		into_piece(r, from, offset_of(s, from), (uint64_t)(s->p - from));
	}
	if (!n)
		return false;
	p->last_compressed = false;
	r->nr_records += n;
	r->nr_by_type[RECORD_SAMPLE] += n;
	return true;
}

/* Let other threads walk parts of the stream that begins. */
static void begin_parts(struct reader *r, struct stream *s)
{
	struct reader_priv *p = r->priv;
	struct parts_of of = {
		.src = s->src,
		.begin = s->p,
		.end = s->end,
		.be = r->be,
		.grain = p->grain,
		.size = p->part_size,
		.map_only = !p->skip_samples,
	};

	if (p->threads > 1 && !p->drop && (uint64_t)(s->end - s->p) >= p->parts_worth)
		p->parts = parts_start(&of, p->threads - 1);
	if (p->parts && p->settle)
		parts_settle(p->parts);
}

/* Take over what was found in PART; its records that are no samples will come one by one. */
static void adopt(struct reader *r, struct stream *s, const struct part *part)
{
	struct reader_priv *p = r->priv;

	p->nr_adopted++;
	p->part = part;
	p->part_pos = p->pos;
	p->next_other = 0;
	for (size_t i = 0; i < part->pieces.n; i++) {
		const struct chunk *c = &part->pieces.v[i];

		into_piece(r, c->data, offset_of(s, c->data), c->size);
	}
	p->last_compressed = false;
	r->nr_records += part->samples;
	r->nr_by_type[RECORD_SAMPLE] += part->samples;
	s->p = part->to;
}

/* The stream's walk is where a part may begin that another thread has walked. */
static void look(struct reader *r, struct stream *s)
{
	struct reader_priv *p = r->priv;
	struct part *part = NULL;

	if (!s->look)
		begin_parts(r, s);
	s->look = p->parts ? parts_look(p->parts, s->p, &part) : s->end;
	/* pieces of another grain would not be those that the walk makes */
	if (part && p->skip_samples && parts_grain(p->parts) == p->grain &&
	    p->pieces.n + part->pieces.n <= p->coarsen_at)
		adopt(r, s, part);
}

/* The next record of the part that was adopted. */
static bool next_of_part(struct reader *r, struct stream *s, struct record *rec)
{
	struct reader_priv *p = r->priv;
	const struct part *part = p->part;
	uint32_t at;

	if (p->next_other == part->others.n) {
		p->part = NULL;
		return false;
	}
	at = part->others.v[p->next_other++];
	record_header(rec, part->from + at, r->be);
	rec->file_offset = offset_of(s, rec->data);
	rec->pos = p->part_pos + at;
	rec->payload = NULL;
	rec->payload_size = 0;
	count(r, rec->type);
	return true;
}

void reader_threads(struct reader *r, unsigned threads)
{
	r->priv->threads = threads;
}

void reader_skip_samples(struct reader *r, bool skip)
{
	r->priv->skip_samples = skip;
}

/* One step of the walk; false when it gives no record. */
static inline bool step(struct reader *r, struct stream *s, struct record *rec)
{
	struct reader_priv *p = r->priv;

	if (p->part)
		return next_of_part(r, s, rec);
	if (p->inflating)
		return next_inflated(r, s, rec);
	if (s->p >= s->look && s->p < s->end) {
		look(r, s);
		return false;
	}
	return !(p->skip_samples && walk_samples(r, s)) && walk_one(r, s, rec);
}

int reader_next(struct reader *r, struct record *rec)
{
	struct reader_priv *p = r->priv;

	while (p->at < p->streams.n)
		if (step(r, &p->streams.v[p->at], rec))
			return 0;
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
