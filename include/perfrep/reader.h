/* SPDX-License-Identifier: MIT */
/*
 * A recording as a sequence of records: a file, a pipe or a directory, compressed or not, of
 * either byte order, whole or damaged.
 *
 * Use: reader_open(); then reader_next() until it returns 1 (the one sequential pass: it
 * decompresses, picks up events and features of a pipe, notes damage and places to cut); after
 * that the recording is immutable, and chunks of it may be walked by any number of threads
 * (reader_chunks(), chunk_next()).  Records are borrowed until reader_free().
 *
 * Damage never ends the program: what is whole is delivered, `complete` becomes false, and each
 * place is described in `damages`.
 */
#ifndef PERFREP_READER_H
#define PERFREP_READER_H

#include <perfrep/feature.h>
#include <perfrep/record.h>
#include <perfrep/source.h>

enum reader_mode {
	READER_FILE,
	READER_PIPE,
	READER_DIRECTORY,
};

/* A place where bytes could not be read as records. */
struct reader_damage {
	uint64_t file_offset;
	uint64_t bytes; /* lost there; 0 when not known */
	char *text; /* a sentence with file and offset */
	bool feature; /* it is a header feature that was there */
};

struct reader {
	char *name; /* path as given */
	enum reader_mode mode;
	bool be;
	bool complete; /* false: cut, damaged or never finalised */
	bool simpleperf;
	bool unfinalised; /* the recorder was killed before it wrote the header's sizes */
	uint64_t file_size;
	uint64_t data_size; /* of the data section(s), as found */
	struct evlist evlist;
	struct features features;
	/* of the pass: */
	uint64_t nr_records;
	uint64_t nr_by_type[RECORD_SCHEDSTAT_DOMAIN + 1];
	struct reader_type_count { /* types that are not in the array above */
		uint32_t type;
		uint64_t count;
	} * other_types;
	size_t nr_other_types;
	uint64_t aux_bytes; /* AUX area data, which is not decoded */
	uint64_t compressed_bytes; /* in COMPRESSED and COMPRESSED2 records */
	uint64_t decompressed_bytes;
	struct reader_damage *damages; /* at most 100 are kept, nr_damages counts all */
	size_t nr_damages;
	size_t nr_feature_damages; /* of them */
	uint64_t bytes_lost;
	char **warnings; /* sentences: odd things that cost nothing (attr larger than known …) */
	size_t nr_warnings;
	struct reader_priv *priv;
};

/* Whether SRC begins as a recording does, in either byte order; all else of it may be damaged. */
bool reader_recognises(const struct source *src);

/* PATH may be "-".  Fails only when nothing at all can be read. */
int reader_open(struct reader **out, const char *path, struct err *err);
/* The same from memory, which must outlive the reader. */
int reader_open_memory(struct reader **out, const void *data, size_t size, const char *name,
		       struct err *err);
/* The same from a source that is open, which must outlive the reader. */
int reader_open_source(struct reader **out, const struct source *src, const char *name,
		       struct err *err);
/*
 * Before the pass: it may use THREADS threads, the caller's among them.  What it gives does not
 * depend on their number.
 */
void reader_threads(struct reader *r, unsigned threads);
/*
 * Before and during the pass: from now on SAMPLE records are counted and put into chunks, but
 * reader_next() need not give them.  Then other threads can walk through parts of the recording.
 */
void reader_skip_samples(struct reader *r, bool skip);
/* 0 and the next record, or 1 at the end.  Every record is delivered, COMPRESSED ones too
 * (before what they hold). */
int reader_next(struct reader *r, struct record *rec);
/*
 * Of a directory, the name in it of the file that has the record that reader_next() gave last:
 * "data", "data.0"; its file_offset is in that file.  NULL for other recordings.
 */
const char *reader_member(const struct reader *r);
/* Bytes walked so far, of file_size: for progress. */
uint64_t reader_progress(const struct reader *r);
void reader_free(struct reader *r);

/* A run of whole records. */
struct chunk {
	const uint8_t *data;
	uint64_t size;
	uint64_t pos; /* of its first record */
	uint64_t file_offset; /* of its first byte */
	bool decompressed; /* then all its records have that file_offset */
	bool be;
};

/*
 * After the pass: the recording in chunks of about BYTES bytes, in order of pos; *out is an
 * array for the caller to free.  COMPRESSED records are not in them, what they held is.
 */
size_t reader_chunks(const struct reader *r, uint64_t bytes, struct chunk **out);
/* 0 and the next record of the chunk, which is shortened by it; 1 at its end. */
int chunk_next(struct chunk *c, struct record *rec);
/*
 * The chunk's pages are not needed any more.  They would be unmapped at the end anyway, by one
 * thread; of a small file that is no work.
 */
void reader_drop(const struct reader *r, const struct chunk *c);

#endif
