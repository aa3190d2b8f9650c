/* SPDX-License-Identifier: MIT */
/*
 * The tracing data of a recording (feature 1, record 66): the formats of its tracepoints.
 *
 * Layout: trace-cmd's file format, version 0.5 and 0.6 (trace-cmd.dat.v6(5)).
 */
#ifndef PERFREP_PERFDATA_TRACING_BLOB_H
#define PERFREP_PERFDATA_TRACING_BLOB_H

#include "base/cursor.h"

struct tracing_blob {
	struct cursor c; /* in the byte order of the data; `bad`: it breaks off */
	unsigned long_size; /* as it is written, like `page_size`: 4 and 4096, or anything */
	uint32_t page_size;
	const char *system; /* of the format that tracing_blob_next() gave last; borrowed */
	uint32_t systems, formats; /* private: that are still to come */
};

/* To before the first format; false: DATA, which must outlive B, does not begin as tracing data. */
bool tracing_blob_open(struct tracing_blob *b, const uint8_t *data, size_t size);
/* The text of the next format, borrowed, not NUL-terminated; false: B->c is behind the last one. */
bool tracing_blob_next(struct tracing_blob *b, const char **text, size_t *len);

#endif
