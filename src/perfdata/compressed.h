/* SPDX-License-Identifier: MIT */
/*
 * The zstd stream of one file.  Give it the payload of each COMPRESSED record in the file's
 * order with inflater_feed(), then take bytes from [read, write) and call inflater_more() until
 * it returns 1.  What is left in [read, write) then is the beginning of a record whose rest the
 * next payload brings.
 */
#ifndef PERFREP_PERFDATA_COMPRESSED_H
#define PERFREP_PERFDATA_COMPRESSED_H

#include <stdbool.h>

#include "perfdata/segments.h"

struct inflater {
	const uint8_t *read; /* moved on by the caller */
	uint8_t *write;
	/* private */
	uint8_t *segment, *end; /* what is written to */
	const uint8_t *in, *in_end;
	struct segments *segments;
	void *zs;
	uint64_t in_total, out_total, out_record;
	size_t wants; /* zstd's word on how many bytes it needs next; 0 at the end of a frame */
};

/* Output goes to SEGMENTS, which must outlive the inflater. */
struct inflater *inflater_new(struct segments *segments);
void inflater_feed(struct inflater *z, const uint8_t *data, size_t size);
/* 0: there is more in [read, write); 1: not without more input; negative: the stream is broken. */
int inflater_more(struct inflater *z, struct err *err);
/* Whether what was fed so far ends with a block, as a flush leaves it. */
bool inflater_between_blocks(const struct inflater *z);
/* Forget the broken stream; the next input must begin a new one. */
void inflater_reset(struct inflater *z);
void inflater_free(struct inflater *z);

#endif
