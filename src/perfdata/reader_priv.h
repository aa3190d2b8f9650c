/* SPDX-License-Identifier: MIT */
/*
 * The inside of the reader, shared by the files that make it up:
 *   header.c     the file's header: events, features, where the records are
 *   file_features.c  the feature sections of a file
 *   directory.c  the files of a directory
 *   open.c       opening, freeing
 *   reader.c     the walk
 *   parts.c      parts of the recording that other threads walk
 *   pass.c       what the walk learns from records: events, names, features, compressed data
 *   resync.c     finding the next records behind damage
 *   damage.c     damages and warnings
 *   chunk.c      pieces of the recording for the threads
 */
#ifndef PERFREP_PERFDATA_READER_PRIV_H
#define PERFREP_PERFDATA_READER_PRIV_H

#include "base/vec.h"
#include "perfdata/compressed.h"
#include "perfdata/parts.h"
#include <perfrep/reader.h>
#include <perfrep/source.h>

#define MAX_PIECES ((size_t)1 << 15)

/* A run of records in one source: a data section, a pipe, a data.N file, simpleperf's INIT_MAP. */
struct stream {
	const struct source *src;
	const uint8_t *p, *end;
	const uint8_t
		*look; /* from there on the walk looks for a part to take over; NULL at first */
	uint64_t dropped; /* offset up to which pages were given back */
	bool stop_at_damage; /* a pipe: payloads between records make a search unreliable */
	bool clipped; /* its end is not where the writer meant it to be */
	size_t clip_damage; /* which says so, in reader->damages */
	bool zstd_started;
	bool zstd_broken;
	size_t zstd_damage; /* where it broke, in reader->damages */
	uint64_t zstd_lost; /* bytes of records behind it that could not be decompressed */
	struct inflater *zstd;
};

struct reader_priv {
	struct source *sources; /* allocated once, so that pointers to them last */
	size_t nr_sources;
	VEC(struct stream) streams;
	size_t at; /* the stream that is walked */
	bool inflating; /* records come out of the stream's inflater */
	uint64_t inflating_offset; /* file offset of the COMPRESSED record */
	uint64_t inflating_size;
	uint64_t done; /* bytes of the streams that were walked to their end */
	uint64_t pos; /* of the next record */
	bool last_compressed; /* the record delivered last was a COMPRESSED one */
	bool split; /* the record being delivered must be the last of its piece */
	VEC(struct chunk) pieces;
	uint64_t grain; /* of pieces: see cell_end() */
	const uint8_t *piece_end; /* a record that begins here, or behind it, opens a piece */
	unsigned threads; /* that the walk may use */
	bool skip_samples; /* they are counted and in pieces, and need not be delivered */
	uint64_t part_size, parts_worth; /* PARTS_SIZE, PARTS_WORTH; smaller in tests */
	bool settle; /* in tests: the walk begins when the threads are done */
	size_t nr_adopted; /* parts that other threads walked */
	struct parts *parts; /* of the stream that is walked, or NULL */
	const struct part *part; /* its other records are being delivered */
	size_t next_other; /* of them */
	uint64_t part_pos; /* of the part's first record */
	bool drop; /* too large to be left in memory between walks */
	size_t coarsen_at; /* the number of pieces at which grain is doubled */
	struct segments segments;
	size_t cap_other_types;
	unsigned nr_event_types; /* HEADER_EVENT_TYPE records that were used */
};

/* --- open.c --- */
/* Before the walk: decompressed records beyond BYTES go to a temporary file. */
void reader_limit_memory(struct reader *r, uint64_t bytes);

/* --- chunk.c --- */
/* Make pieces that are neighbours one, and double the grain. */
void pieces_coarsen(struct reader_priv *p);

/* --- damage.c --- */
/* A place where BYTES bytes from OFFSET on were lost; makes the recording incomplete. */
size_t reader_damage(struct reader *r, uint64_t offset, uint64_t bytes, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* BYTES more were lost by a damage with that index; what follows is added to its text. */
void reader_damage_more(struct reader *r, size_t damage, uint64_t bytes, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The damage with the index that reader_damage() returned is that of a header feature. */
void reader_damage_feature(struct reader *r, size_t damage);
void reader_warn(struct reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* --- header.c, file_features.c, directory.c --- */
/* Read the header of SRC and add the streams of its records. */
int header_read(struct reader *r, const struct source *src, struct err *err);
/* The feature sections whose table is at TABLE; ADDS is the header's bitmap as it is written. */
void file_features_read(struct reader *r, const struct source *src, uint64_t table);
/* Whether the table at TABLE is one: what a killed recorder left there is records. */
bool file_features_plausible(const struct reader *r, const struct source *src, uint64_t table);
struct stream *reader_add_stream(struct reader *r, const struct source *src, uint64_t from,
				 uint64_t to);
/* Open PATH's `data`, then data.0, data.1, ... */
int directory_open(struct reader *r, const char *path, struct err *err);

/* --- pass.c --- */
/* Take in a record that tells the reader something; called once for each, in order. */
void pass_record(struct reader *r, struct stream *s, const struct record *rec);
/* Whether pass_record() wants records of TYPE. */
bool pass_wants(uint32_t type);
/* The next record out of the inflater: false when there is none before the next payload. */
bool pass_inflated(struct reader *r, struct stream *s, struct record *rec);
/* The stream ended: what was begun is lost. */
void pass_end(struct reader *r, struct stream *s);

/* --- resync.c --- */
/* Whether the LEFT bytes at P begin with a whole record of a known type and a possible size. */
bool header_sound(const uint8_t *p, uint64_t left, bool be);
/*
 * The next place from P on where records follow each other, or END.  STRICT: only a full run of
 * them is believed, because the bytes from P on may be the inside of a record that was cut.
 */
const uint8_t *resync(const struct reader *r, const struct stream *s, const uint8_t *p,
		      bool strict);

#endif
