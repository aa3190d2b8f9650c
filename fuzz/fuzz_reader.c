/* SPDX-License-Identifier: MIT */
/*
 * The whole reader: header, attrs, features, all records and samples decoded with everything
 * that they point to, decompression; then the same records by chunks, which have to be the same;
 * then a walk that other threads have prepared, which has to find the same too.
 */
#include <stdint.h>
#include <stdlib.h>

#include <perfrep/reader.h>

#include "perfdata/reader_priv.h"
#include "use_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_compressed(const struct record *rec)
{
	return rec->type == RECORD_COMPRESSED || rec->type == RECORD_COMPRESSED2;
}

/* A sum over the records that are in chunks. */
static uint64_t mix(uint64_t sum, const struct record *rec)
{
	return (sum ^ rec->pos ^ rec->type ^ (uint64_t)rec->size << 32 ^ rec->payload_size) *
	       0x9e3779b97f4a7c15;
}

static uint64_t walk(struct reader *r)
{
	uint64_t sum = 0, pos = 0, n = 0;
	struct record rec;

	while (reader_next(r, &rec) == 0) {
		if (rec.pos <= pos || rec.size < 8)
			abort();
		pos = rec.pos;
		n++;
		use_record(&r->evlist, &rec);
		if (!is_compressed(&rec))
			sum = mix(sum, &rec);
	}
	if (n != r->nr_records || reader_progress(r) != r->file_size)
		abort();
	return sum;
}

static uint64_t walk_chunks(const struct reader *r, uint64_t bytes)
{
	struct chunk *chunks = NULL;
	size_t n = reader_chunks(r, bytes, &chunks);
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		struct record rec;

		while (chunk_next(&chunks[i], &rec) == 0)
			sum = mix(sum, &rec);
	}
	free(chunks);
	return sum;
}

/* What ONE, which was walked by one thread, found is found by two; SUM is that of its chunks. */
static void walk_in_parts(const struct reader *one, uint64_t sum, const uint8_t *data, size_t size)
{
	struct reader *r = NULL;
	struct record rec;
	uint64_t pos = 0;

	if (reader_open_memory(&r, data, size, "fuzz", NULL) < 0)
		abort();
	r->priv->part_size = 256;
	r->priv->parts_worth = 0;
	r->priv->settle = true;
	reader_threads(r, 2);
	reader_skip_samples(r, true);
	while (reader_next(r, &rec) == 0) {
		if (rec.pos <= pos)
			abort();
		pos = rec.pos;
	}
	if (r->nr_records != one->nr_records || r->nr_damages != one->nr_damages ||
	    r->bytes_lost != one->bytes_lost || walk_chunks(r, 1 << 20) != sum)
		abort();
	reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct reader *r = NULL;
	uint64_t sum;

	if (reader_open_memory(&r, data, size, "fuzz", &err) < 0) {
		if (!err.text[0] || r)
			abort();
		return 0;
	}
	sum = walk(r);
	if (walk_chunks(r, 100) != sum || walk_chunks(r, 1 << 20) != sum)
		abort();
	if (r->complete != (r->nr_damages == 0))
		abort();
	walk_in_parts(r, sum, data, size);
	reader_free(r);
	return 0;
}
