/* SPDX-License-Identifier: MIT */
/*
 * What the one sequential pass learns from the records it walks over: a pipe's events, their
 * names and features come as records, simpleperf tells ids in one, and compressed records hold
 * the rest of the recording.
 */
#include "perfdata/reader_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/xmalloc.h"
#include "perfdata/evlist.h"
#include "perfdata/record_layout.h"

#define MAX_EVENTS      65536
#define MAX_EVENT_TYPES 1024
#define SP_EVENT_ID     (RECORD_SIMPLEPERF_FIRST + 6)
#define SP_TRACING_DATA (RECORD_SIMPLEPERF_FIRST + 9)

#define U(x) ((unsigned long long)(x))

/* --- records that describe the recording --- */

/* An event in a pipe: its attr, then ids to the end of the record. */
static void take_attr(struct reader *r, const struct record *rec)
{
	uint64_t said = rec->size >= 16 ? get_u32(rec->data + 12, rec->be) : 0;
	uint64_t *ids = NULL;
	struct attr attr;
	struct err err;
	size_t nr;

	if (said == 0)
		said = 64;
	if (rec->size < 16 || said > rec->size - 8 ||
	    attr_decode(rec->data + 8, said, rec->be, &attr, &err)) {
		reader_damage(
			r, rec->file_offset, rec->size,
			"%s: the HEADER_ATTR record at offset 0x%llx has %u bytes and an attr "
			"of %llu, which is not possible",
			r->name, U(rec->file_offset), rec->size, U(said));
		return;
	}
	if (attr.unknown_tail)
		reader_warn(r,
			    "%s: the HEADER_ATTR record at offset 0x%llx uses fields that this "
			    "program does not know (%u bytes)",
			    r->name, U(rec->file_offset), attr.size);
	nr = (rec->size - 8 - said) / 8;
	/* files made from pipes repeat what their header has */
	if (nr ? evlist_by_id(&r->evlist, get_u64(rec->data + 8 + said, rec->be)) != NULL
	       : r->mode != READER_PIPE && r->evlist.n)
		return;
	if (r->evlist.n >= MAX_EVENTS)
		return;
	if (nr)
		ids = xmalloc(nr * sizeof(*ids));
	for (size_t i = 0; i < nr; i++)
		ids[i] = get_u64(rec->data + 8 + said + i * 8, rec->be);
	evlist_add(&r->evlist, &attr, ids, nr);
	evlist_index_last(&r->evlist);
	free(ids);
}

static void take_event_type(struct reader *r, const struct record *rec)
{
	struct record_body body;

	if (r->priv->nr_event_types >= MAX_EVENT_TYPES || record_decode(rec, NULL, &body, NULL))
		return;
	r->priv->nr_event_types++;
	evlist_name_event_type(&r->evlist, body.event_type.id, body.event_type.name,
			       body.event_type.name_len);
}

static void take_feature(struct reader *r, uint64_t offset, unsigned id, const uint8_t *data,
			 uint64_t size)
{
	struct err err;

	if (feature_decode(&r->features, id, data, size, r->be, &r->evlist, &err))
		reader_damage_feature(r, reader_damage(r, offset, size, "%s: at offset 0x%llx %s",
						       r->name, U(offset), err.text));
}

static void take_header_feature(struct reader *r, const struct record *rec)
{
	struct record_body body;

	if (record_decode(rec, NULL, &body, NULL))
		return;
	/* ids are 64 bits wide here, and each feature comes once */
	if (body.feature.id >= FEATURE_MAX ||
	    feature_present(&r->features, (unsigned)body.feature.id))
		return;
	/* the last record is an empty mark with the id behind the writer's last; flags are empty */
	if (!body.feature.size && body.feature.id != FEATURE_BRANCH_STACK &&
	    body.feature.id != FEATURE_STAT)
		return;
	take_feature(r, rec->file_offset, (unsigned)body.feature.id, body.feature.data,
		     body.feature.size);
}

static void take_tracing_data(struct reader *r, uint64_t offset, const uint8_t *data, uint64_t size)
{
	if (size && !r->features.tracing_data)
		take_feature(r, offset, FEATURE_TRACING_DATA, data, size);
}

static void take_sp_tracing_data(struct reader *r, const struct record *rec)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, rec->be);
	uint32_t size = cursor_u32(&c);
	const uint8_t *data = cursor_bytes(&c, size);

	if (data)
		take_tracing_data(r, rec->file_offset, data, size);
}

/* simpleperf's ids: { u64 n; n times { u64 index of the event, u64 id } } */
static void take_sp_event_id(struct reader *r, const struct record *rec)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, rec->be);
	uint64_t n = cursor_u64(&c);

	while (n-- && cursor_has(&c, 2, 8)) {
		uint64_t index = cursor_u64(&c), id = cursor_u64(&c);

		if (index < r->evlist.n && !evlist_by_id(&r->evlist, id))
			evlist_add_id(&r->evlist, &r->evlist.v[index], id);
	}
}

static void take_update(struct reader *r, const struct record *rec)
{
	struct record_body body;
	struct evsel *e;

	if (record_decode(rec, NULL, &body, NULL))
		return;
	e = evlist_find_id(&r->evlist, body.event_update.id);
	if (!e)
		return;
	switch (body.event_update.type) {
	case 0:
		free(e->unit);
		e->unit = xstrdup(body.event_update.text);
		break;
	case 1:
		e->scale = body.event_update.scale;
		break;
	case 2:
		evsel_set_name(e, body.event_update.text, strlen(body.event_update.text),
			       NAME_UPDATE);
		break;
	default:
		break;
	}
}

/* --- compressed records --- */

static const uint8_t *compressed_payload(const struct record *rec, uint64_t *size)
{
	if (rec->type == RECORD_COMPRESSED) {
		*size = rec->size - 8;
		return rec->data + 8;
	}
	*size = rec->size >= 16 ? get_u64(rec->data + 8, rec->be) : UINT64_MAX;
	if (rec->size < 16 || *size > rec->size - 16)
		return NULL;
	return rec->data + 16;
}

/* From here on the stream cannot be decompressed: each record depends on those before it. */
static void break_zstd(struct reader *r, struct stream *s, const char *why)
{
	s->zstd_broken = true;
	r->priv->inflating = false;
	s->zstd_damage = reader_damage(
		r, r->priv->inflating_offset, r->priv->inflating_size,
		"%s: the compressed record at offset 0x%llx (%llu bytes) cannot be decompressed (%s)",
		s->src->name, U(r->priv->inflating_offset), U(r->priv->inflating_size), why);
	inflater_reset(s->zstd);
}

static void tell_lost(struct reader *r, struct stream *s)
{
	if (s->zstd_lost)
		reader_damage_more(
			r, s->zstd_damage, s->zstd_lost,
			"; the compressed records behind it, which need it, are lost too (%llu bytes)",
			U(s->zstd_lost));
	s->zstd_lost = 0;
}

static bool begins_frame(const uint8_t *p, uint64_t size)
{
	return size >= 4 && get_u32(p, false) == 0xfd2fb528;
}

/* Begin to take records out of REC. */
static void take_compressed(struct reader *r, struct stream *s, const struct record *rec)
{
	uint64_t size;
	const uint8_t *data = compressed_payload(rec, &size);

	if (!s->zstd)
		s->zstd = inflater_new(&r->priv->segments);
	r->compressed_bytes += data ? size : 0;
	r->priv->inflating_offset = rec->file_offset;
	r->priv->inflating_size = rec->size;
	if (s->zstd_broken && !(data && begins_frame(data, size))) {
		s->zstd_lost += rec->size;
		return;
	}
	if (!data) {
		break_zstd(r, s, "it claims more data than it has");
		return;
	}
	tell_lost(r, s);
	s->zstd_broken = false;
	s->zstd_started = true;
	r->priv->inflating = true;
	inflater_feed(s->zstd, data, size);
}

/* Types that can be inside of a compressed record: none that has a payload, or is compressed. */
static bool may_be_compressed(const struct record *rec)
{
	if (rec->size < 8 || rec->type == 0)
		return false;
	if (rec->type >= 128 && !record_type_known(rec->type))
		return false;
	return rec->type != RECORD_COMPRESSED && rec->type != RECORD_COMPRESSED2 &&
	       rec->type != RECORD_AUXTRACE && rec->type != RECORD_HEADER_TRACING_DATA;
}

bool pass_inflated(struct reader *r, struct stream *s, struct record *rec)
{
	struct inflater *z = s->zstd;
	struct err err;

	for (;;) {
		size_t left = (size_t)(z->write - z->read);
		int rc;

		if (left >= 8) {
			record_header(rec, z->read, r->be);
			if (!may_be_compressed(rec)) {
				break_zstd(r, s, "there is no record in it");
				return false;
			}
			if (rec->size <= left)
				break;
		}
		rc = inflater_more(z, &err);
		if (rc < 0)
			break_zstd(r, s, err.text);
		if (rc) {
			r->priv->inflating = false;
			return false;
		}
	}
	z->read += rec->size;
	rec->file_offset = r->priv->inflating_offset;
	rec->payload = NULL;
	rec->payload_size = 0;
	r->decompressed_bytes += rec->size;
	return true;
}

void pass_end(struct reader *r, struct stream *s)
{
	size_t left;

	tell_lost(r, s);
	if (s->zstd && !s->zstd_broken && !s->clipped) {
		left = (size_t)(s->zstd->write - s->zstd->read);
		if (left)
			reader_damage(
				r, r->priv->inflating_offset, left,
				"%s: the last %zu bytes out of the compressed record at offset "
				"0x%llx are the beginning of a record whose end is missing",
				s->src->name, left, U(r->priv->inflating_offset));
		else if (!inflater_between_blocks(s->zstd))
			reader_damage(
				r, r->priv->inflating_offset, 0,
				"%s: the compressed record at offset 0x%llx, the last one, ends "
				"too early: records are missing behind it",
				s->src->name, U(r->priv->inflating_offset));
	}
	inflater_free(s->zstd);
	s->zstd = NULL;
}

/* --- the pass --- */

bool pass_wants(uint32_t type)
{
	switch (type) {
	case RECORD_HEADER_ATTR:
	case RECORD_HEADER_EVENT_TYPE:
	case RECORD_HEADER_TRACING_DATA:
	case RECORD_HEADER_BUILD_ID:
	case RECORD_AUXTRACE:
	case RECORD_EVENT_UPDATE:
	case RECORD_HEADER_FEATURE:
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return true;
	default:
		return type >= RECORD_SIMPLEPERF_FIRST;
	}
}

void pass_record(struct reader *r, struct stream *s, const struct record *rec)
{
	switch (rec->type) {
	case RECORD_HEADER_ATTR:
		take_attr(r, rec);
		break;
	case RECORD_HEADER_EVENT_TYPE:
		take_event_type(r, rec);
		break;
	case RECORD_HEADER_TRACING_DATA:
		take_tracing_data(r, rec->file_offset, rec->payload, rec->payload_size);
		break;
	case RECORD_HEADER_BUILD_ID:
		take_feature(r, rec->file_offset, FEATURE_BUILD_ID, rec->data, rec->size);
		break;
	case RECORD_AUXTRACE:
		r->aux_bytes += rec->payload_size;
		break;
	case RECORD_EVENT_UPDATE:
		take_update(r, rec);
		break;
	case RECORD_HEADER_FEATURE:
		take_header_feature(r, rec);
		break;
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		take_compressed(r, s, rec);
		break;
	case SP_EVENT_ID:
		take_sp_event_id(r, rec);
		break;
	case SP_TRACING_DATA:
		take_sp_tracing_data(r, rec);
		break;
	default:
		break;
	}
	if (rec->type >= RECORD_SIMPLEPERF_FIRST && record_type_known(rec->type))
		r->simpleperf = true;
}
