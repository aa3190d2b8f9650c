/* SPDX-License-Identifier: MIT */
/*
 * For tests that read back what the builder wrote, with the check library.
 * Included by one .c of a test program only.
 */
#ifndef PERFREP_TESTS_READER_TEST_H
#define PERFREP_TESTS_READER_TEST_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/reader.h>

#include "must.h"
#include "perfdata_builder.h"

/* The containers, byte orders and compressions that every kind of record is tried in. */
static const struct builder_opts test_variants[] = {
	{ .container = BUILDER_FILE },
	{ .container = BUILDER_FILE, .be = true },
	{ .container = BUILDER_PIPE },
	{ .container = BUILDER_PIPE, .be = true },
	{ .container = BUILDER_FILE, .compress = BUILDER_COMPRESSED, .chunk = 37 },
	{ .container = BUILDER_FILE, .compress = BUILDER_COMPRESSED2, .chunk = 50, .be = true },
	{ .container = BUILDER_PIPE, .compress = BUILDER_COMPRESSED, .chunk = 61, .be = true },
	{ .container = BUILDER_PIPE, .compress = BUILDER_COMPRESSED2, .chunk = 41 },
	{ .container = BUILDER_FILE,
	  .compress = BUILDER_COMPRESSED,
	  .chunk = 90,
	  .hold_tail = true },
	{ .container = BUILDER_PIPE,
	  .compress = BUILDER_COMPRESSED2,
	  .chunk = 90,
	  .end_frames = true,
	  .hold_tail = true },
	{ .container = BUILDER_FILE, .attrs_last = true, .gap = 3 },
	{ .container = BUILDER_FILE, .be = true, .bitmap32 = true, .attr_size = 200 },
	{ .container = BUILDER_FILE, .unfinalised = true },
	{ .container = BUILDER_FILE, .short_header = true, .attr_size = 64 },
};
#define TEST_NR_VARIANTS ((int)(sizeof(test_variants) / sizeof(*test_variants)))

/* Whether the variant has a feature table or HEADER_FEATURE records. */
static inline bool test_has_features(const struct builder_opts *o)
{
	return !o->unfinalised && !o->short_header;
}

/* Finish B and open the first SIZE bytes (0: all) of it. */
static inline struct reader *test_open(struct builder *b, size_t size)
{
	struct builder_file f = builder_finish(b);
	struct err err = { 0 };
	struct reader *r = NULL;
	int rc = reader_open_memory(&r, f.bytes, size ? size : f.size, "test.data", &err);

	ck_assert_msg(rc == 0, "reader_open_memory: %s", err.text);
	ck_assert_ptr_nonnull(r);
	ck_assert_int_eq(err.code, ERR_NONE);
	return r;
}

static inline void test_drain(struct reader *r)
{
	struct record rec;

	while (reader_next(r, &rec) == 0)
		;
}

static inline void test_same_record(const struct builder_mark *m, const struct record *rec)
{
	test_must(rec->type == m->type, "%s instead of %u", record_type_name(rec->type), m->type);
	test_must(rec->size == m->size, "%s of %u bytes instead of %u", record_type_name(rec->type),
		  rec->size, m->size);
	test_must(!memcmp(rec->data, m->bytes, m->size), "%s at 0x%llx has other bytes",
		  record_type_name(rec->type), (unsigned long long)rec->file_offset);
}

static inline void test_place(const struct builder_mark *m, const struct record *rec)
{
	test_must(rec->file_offset >= m->file_offset && rec->file_offset <= m->last_offset,
		  "%s is said to be at 0x%llx, and is at 0x%llx", record_type_name(rec->type),
		  (unsigned long long)rec->file_offset, (unsigned long long)m->file_offset);
}

/* Walk R to its end: the records of B that fit in SIZE bytes, exactly; their number. */
static inline size_t test_walk(struct reader *r, const struct builder *b, size_t size)
{
	uint64_t pos = 0;
	size_t n = 0;
	struct record rec;

	while (reader_next(r, &rec) == 0) {
		test_must(n < b->nr_marks && b->marks[n].end <= size,
			  "record %zu (%s at 0x%llx) is not whole in %zu bytes", n,
			  record_type_name(rec.type), (unsigned long long)rec.file_offset, size);
		test_same_record(&b->marks[n], &rec);
		test_place(&b->marks[n], &rec);
		test_must(rec.be == b->opts.be, "the wrong byte order");
		test_must(n == 0 || rec.pos > pos, "pos does not grow at record %zu", n);
		pos = rec.pos;
		n++;
	}
	test_must(n == b->nr_marks || b->marks[n].end > size,
		  "record %zu (%s) ends at %llu, is whole in %zu bytes, and was not delivered", n,
		  record_type_name(b->marks[n].type), (unsigned long long)b->marks[n].end, size);
	ck_assert_uint_eq(r->nr_records, n);
	ck_assert_int_eq(reader_next(r, &rec), 1);
	return n;
}

/* After the walk: the chunks hold the first N records again, but for the compressed ones. */
static inline void test_chunks(const struct reader *r, const struct builder *b, size_t n,
			       uint64_t bytes)
{
	struct chunk *chunks = NULL;
	size_t nr = reader_chunks(r, bytes, &chunks);
	uint64_t pos = 0;
	size_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		struct record rec;

		test_must(chunks[i].size, "chunk %zu is empty", i);
		test_must(i == 0 || chunks[i].pos > pos, "chunk %zu starts too early", i);
		while (chunk_next(&chunks[i], &rec) == 0) {
			while (at < n && (b->marks[at].type == RECORD_COMPRESSED ||
					  b->marks[at].type == RECORD_COMPRESSED2))
				at++;
			test_must(at < n, "more than %zu records", n);
			if (!chunks[i].decompressed)
				test_place(&b->marks[at], &rec);
			test_same_record(&b->marks[at++], &rec);
			test_must(pos == 0 || rec.pos > pos, "pos does not grow in a chunk");
			pos = rec.pos;
		}
	}
	while (at < n &&
	       (b->marks[at].type == RECORD_COMPRESSED || b->marks[at].type == RECORD_COMPRESSED2))
		at++;
	ck_assert_uint_eq(at, n);
	free(chunks);
}

static inline bool test_is_sentence(const char *text)
{
	return text && strlen(text) > 20 && strstr(text, "test.data") && strstr(text, "0x");
}

/* Decode whatever the record holds. */
static inline int test_decode(const struct reader *r, const struct record *rec, struct err *err)
{
	const struct evsel *ev = evlist_evsel(&r->evlist, rec);
	struct record_body body;
	struct sample sample;

	if (rec->type != RECORD_SAMPLE)
		return record_decode(rec, ev, &body, err);
	return ev ? sample_decode(rec, ev, &sample, err) : 1;
}

/* Run the suite of one test case; the program's exit status. */
static inline int test_run(const char *name, void (*add)(TCase *), double timeout)
{
	Suite *suite = suite_create(name);
	TCase *tc = tcase_create(name);
	SRunner *runner;
	int failed;

	tcase_set_timeout(tc, timeout);
	add(tc);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
