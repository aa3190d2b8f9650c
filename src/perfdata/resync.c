/* SPDX-License-Identifier: MIT */
/*
 * Finding records again behind damage.  Records carry no mark, so a place is believed only when
 * several records follow each other from it: known types, sizes that fit, bodies that decode to
 * their end, ids that belong to events of this recording.  Fewer are enough where the section
 * ends exactly behind them, unless it may have been cut within a record: what that holds can look
 * like a record or two.  The search looks at every byte, because compressed records leave
 * no alignment behind.
 */
#include "perfdata/reader_priv.h"

#include <perfrep/sample.h>

#include "perfdata/record_layout.h"

#define RUN 4 /* records that make a place believable */

bool header_sound(const uint8_t *p, uint64_t left, bool be)
{
	struct record rec;

	if (left < 8)
		return false;
	record_header(&rec, p, be);
	if (!record_type_known(rec.type) || rec.size > left)
		return false;
	if (rec.size < record_min_size(rec.type))
		return false;
	/* the kernel's records are multiples of 8, and most of perf's own */
	return rec.type >= RECORD_USER_FIRST || rec.size % 8 == 0;
}

static bool sample_believable(const struct record *rec, const struct evsel *evsel)
{
	bool known = !(evsel->attr.sample_type & ~(uint64_t)SAMPLE_KNOWN);
	struct sample s;

	return !sample_decode(rec, evsel, &s, NULL) && (!known || s.left < 8);
}

/* Whether the record's id is one of this recording's, where its place is known. */
static bool id_believable(const struct evlist *list, const struct record *rec,
			  const struct evsel *evsel)
{
	struct sample_id id;

	if (!evsel->nr_ids || evsel->id_back < 0)
		return true;
	id = record_sample_id(rec, evsel);
	return !id.id || evlist_by_id(list, id.id);
}

/* Whether a record of this recording begins at P, with END behind the last byte. */
static bool believable(const struct reader *r, const uint8_t *p, const uint8_t *end,
		       struct record *rec)
{
	struct record_body body;
	const struct evsel *evsel;
	uint32_t fixed;

	if (!header_sound(p, (uint64_t)(end - p), r->be))
		return false;
	*rec = (struct record){ 0 };
	record_header(rec, p, r->be);
	if (rec->type >= RECORD_USER_FIRST)
		return record_decode(rec, NULL, &body, NULL) >= 0;
	evsel = evlist_evsel(&r->evlist, rec);
	if (!evsel)
		return false;
	if (rec->type == RECORD_SAMPLE)
		return sample_believable(rec, evsel);
	fixed = record_fixed_size(rec->type);
	if (fixed && rec->size != fixed + evsel->trailer)
		return false;
	if (evsel->trailer && !record_trailer(rec, evsel) && record_string(rec->type) == 0)
		return false; /* only records with a string may lack the trailer */
	return id_believable(&r->evlist, rec, evsel) && record_decode(rec, evsel, &body, NULL) >= 0;
}

/* STRICT: the end of the section doesn't stand in for records that are missing. */
static bool run_begins(const struct reader *r, const uint8_t *p, const uint8_t *end, bool strict)
{
	struct record rec;

	for (int i = 0; i < RUN; i++) {
		uint64_t left, payload;

		if (i && p == end)
			return !strict;
		if (!believable(r, p, end, &rec))
			return false;
		p += rec.size;
		left = (uint64_t)(end - p);
		payload = record_payload(&rec, left);
		if (payload > left)
			return false;
		p += payload;
	}
	return true;
}

const uint8_t *resync(const struct reader *r, const struct stream *s, const uint8_t *p, bool strict)
{
	for (; s->end - p >= 8; p++)
		if (run_begins(r, p, s->end, strict))
			return p;
	return s->end;
}
