/* SPDX-License-Identifier: MIT */
/* What the walkers of src/perfdata share about the layout of records. */
#ifndef PERFREP_PERFDATA_RECORD_LAYOUT_H
#define PERFREP_PERFDATA_RECORD_LAYOUT_H

#include <string.h>

#include "base/cursor.h"
#include <perfrep/record.h>

/* Bytes of the sample_id at the end of REC, 0 when there is none. */
uint32_t record_trailer(const struct record *rec, const struct evsel *evsel);
/* Where the string that ends the body of TYPE's records begins, 0 when there is none. */
uint32_t record_string(uint32_t type);
/* The size of the records of TYPE without a trailer, if all have the same; else 0. */
uint32_t record_fixed_size(uint32_t type);
/* Whether this program has a name for TYPE. */
bool record_type_known(uint32_t type);

/*
 * Fill REC's header fields from the 8 bytes or more at DATA.  The sizes are the file's word and
 * not checked.  simpleperf's own records use misc as the high half of the size.
 */
static inline void record_header(struct record *rec, const uint8_t *data, bool be)
{
	rec->data = data;
	rec->type = get_u32(data, be);
	rec->misc = get_u16(data + 4, be);
	rec->size = get_u16(data + 6, be);
	rec->be = be;
	if (__builtin_expect(rec->type >= RECORD_SIMPLEPERF_FIRST, 0) &&
	    record_type_known(rec->type)) {
		rec->size |= (uint32_t)rec->misc << 16;
		rec->misc = 0;
	}
}

/*
 * The bytes that follow REC and that its size doesn't count: AUX data, tracing data.  LEFT bytes
 * are there; more than LEFT is returned when the record asks for more.
 */
uint64_t record_payload(const struct record *rec, uint64_t left);

#endif
