/* SPDX-License-Identifier: MIT */
/*
 * The reader over each container: all records in order, once, also by chunks; attrs of any size;
 * which event a record belongs to; compression; directories; simpleperf's headers; groups.
 */
#include "base/cursor.h"
#include "every_record.h"
#include "reader_test.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned parts_for(const struct builder_opts *o)
{
	/* an attr of 64 bytes can't say what branches and registers a sample has */
	return EVERY_KERNEL | EVERY_USER | EVERY_PAYLOAD | EVERY_FEATURE |
	       (o->attr_size == 64 ? 0 : EVERY_FIELD);
}

START_TEST(every_record_once)
{
	const struct builder_opts *o = &test_variants[_i];
	static const uint64_t sizes[] = { 1, 64, 500, 1 << 20 };
	struct builder b;
	struct reader *r;
	size_t n;

	builder_init(&b, o);
	every_record(&b, parts_for(o));
	r = test_open(&b, 0);
	n = test_walk(r, &b, SIZE_MAX);
	ck_assert_uint_eq(n, b.nr_marks);
	ck_assert_int_eq(r->mode, o->container == BUILDER_PIPE ? READER_PIPE : READER_FILE);
	ck_assert_int_eq(r->be, o->be);
	ck_assert_int_eq(r->unfinalised, o->unfinalised);
	ck_assert_int_eq(r->complete, !o->unfinalised);
	ck_assert_uint_eq(r->bytes_lost, 0);
	ck_assert(!r->simpleperf);
	ck_assert_uint_eq(r->nr_by_type[RECORD_MMAP2], 2);
	ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], o->attr_size == 64 ? 3 : 4);
	ck_assert_uint_eq(reader_progress(r), r->file_size);
	ck_assert_uint_eq(r->decompressed_bytes > 0, o->compress != BUILDER_PLAIN);
	for (unsigned i = 0; i < 4; i++)
		test_chunks(r, &b, n, sizes[i]);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* All of them decode, with the event that they belong to. */
START_TEST(every_record_decodes)
{
	struct builder b;
	struct reader *r;
	struct record rec;

	builder_init(&b, &test_variants[_i]);
	every_record(&b, parts_for(&test_variants[_i]));
	r = test_open(&b, 0);
	while (reader_next(r, &rec) == 0) {
		struct err err = { 0 };
		int rc = test_decode(r, &rec, &err);

		ck_assert_msg(rc >= 0, "%s: %s", record_type_name(rec.type), err.text);
	}
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* ---- attrs ------------------------------------------------------------------------------ */

static const struct builder_attr rich_attr = {
	.type = PERF_TYPE_RAW,
	.config = 0x123456789abcdef0,
	.sample_period = 4000,
	.sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_IDENTIFIER,
	.read_format = READ_ID | READ_LOST,
	.flags = 1ull << ATTR_SAMPLE_ID_ALL | 1ull << ATTR_FREQ | 1ull << ATTR_INHERIT |
		 2ull << ATTR_PRECISE_IP | 1ull << ATTR_COMM_EXEC | 1ull << ATTR_BUILD_ID |
		 1ull << ATTR_DEFER_CALLCHAIN,
	.wakeup_events = 11,
	.bp_type = 3,
	.config1 = 0x1111,
	.config2 = 0x2222,
	.branch_sample_type = 0x3333,
	.sample_regs_user = 0x4444,
	.sample_stack_user = 8192,
	.clockid = -1,
	.sample_regs_intr = 0x5555,
	.aux_watermark = 66,
	.sample_max_stack = 127,
	.aux_sample_size = 77,
};

static void assert_attr(const struct attr *a, uint32_t size)
{
	ck_assert_uint_eq(a->size, size);
	ck_assert_uint_eq(a->type, PERF_TYPE_RAW);
	ck_assert_uint_eq(a->config, 0x123456789abcdef0);
	ck_assert_uint_eq(a->sample_period, 4000);
	ck_assert_uint_eq(a->sample_type, rich_attr.sample_type);
	ck_assert_uint_eq(a->read_format, READ_ID | READ_LOST);
	ck_assert_uint_eq(a->flags, rich_attr.flags);
	ck_assert_uint_eq(a->wakeup_events, 11);
	ck_assert_uint_eq(a->bp_type, 3);
	ck_assert_uint_eq(a->config1, 0x1111);
	ck_assert_uint_eq(a->config2, size >= 72 ? 0x2222 : 0);
	ck_assert_uint_eq(a->branch_sample_type, size >= 80 ? 0x3333 : 0);
	ck_assert_uint_eq(a->sample_regs_user, size >= 96 ? 0x4444 : 0);
	ck_assert_uint_eq(a->sample_stack_user, size >= 96 ? 8192 : 0);
	ck_assert_int_eq(a->clockid, size >= 96 ? -1 : 0);
	ck_assert_uint_eq(a->sample_regs_intr, size >= 104 ? 0x5555 : 0);
	ck_assert_uint_eq(a->aux_watermark, size >= 112 ? 66 : 0);
	ck_assert_uint_eq(a->sample_max_stack, size >= 112 ? 127 : 0);
	ck_assert_uint_eq(a->aux_sample_size, size >= 120 ? 77 : 0);
}

/* Two events of this size, with three and no ids. */
static void check_attr_size(struct builder_opts o, uint32_t size, uint8_t tail)
{
	const uint64_t ids[] = { 501, 502, 0xfffffffffffffff0 };
	struct builder_attr a = rich_attr;
	struct builder b;
	struct reader *r;

	o.attr_size = size;
	builder_init(&b, &o);
	a.tail = tail;
	a.ids = ids;
	a.nr_ids = 3;
	builder_event(&b, &a);
	a.ids = NULL;
	a.no_ids = true;
	builder_event(&b, &a);
	builder_comm(&b, 5, 42, 42, "prog");
	r = test_open(&b, 0);
	test_walk(r, &b, SIZE_MAX);
	ck_assert_uint_eq(r->evlist.n, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_attr(&r->evlist.v[i].attr, size);
		ck_assert_int_eq(r->evlist.v[i].attr.unknown_tail, tail && size > 144);
		ck_assert_uint_eq(r->evlist.v[i].index, i);
	}
	ck_assert_uint_eq(r->evlist.v[0].nr_ids, 3);
	ck_assert_mem_eq(r->evlist.v[0].ids, ids, sizeof(ids));
	ck_assert_uint_eq(r->evlist.v[1].nr_ids, 0);
	ck_assert_uint_eq(r->nr_warnings > 0, tail && size > 144);
	ck_assert_uint_eq(r->nr_by_type[RECORD_COMM], 1);
	reader_free(r);
	builder_release(&b);
}

START_TEST(attr_of_each_size)
{
	static const uint32_t sizes[] = { 64,  72,  80,  96,  104, 112, 120,
					  128, 136, 144, 152, 168, 200 };

	if (test_variants[_i].attr_size)
		return; /* it has one already */
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		check_attr_size(test_variants[_i], sizes[i], 0);
		check_attr_size(test_variants[_i], sizes[i], 0x80);
	}
}
END_TEST

/* attr.size smaller than the stride: the ids are still at the stride's end. */
START_TEST(attr_smaller_than_stride)
{
	struct builder_attr a = rich_attr;
	struct builder b;
	struct reader *r;

	builder_init(&b, &(struct builder_opts){ .be = _i, .attr_size = 128 });
	a.size = 72;
	builder_event(&b, &a);
	builder_event(&b, &rich_attr);
	builder_comm(&b, 5, 42, 42, "prog");
	r = test_open(&b, 0);
	test_walk(r, &b, SIZE_MAX);
	ck_assert_uint_eq(r->evlist.n, 2);
	assert_attr(&r->evlist.v[0].attr, 72);
	assert_attr(&r->evlist.v[1].attr, 128);
	ck_assert_uint_eq(r->evlist.v[0].nr_ids, 1);
	ck_assert_uint_eq(r->evlist.v[0].ids[0], 1000);
	ck_assert_uint_eq(r->evlist.v[1].ids[0], 1001);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* An attr that says 0 has 64 bytes. */
START_TEST(attr_size_zero)
{
	uint8_t bytes[64] = { 0 };
	struct attr a;

	ck_assert_int_eq(attr_decode(bytes, sizeof(bytes), false, &a, NULL), 0);
	ck_assert_uint_eq(a.size, 64);
	for (size_t n = 0; n < 64; n++) {
		struct err err = { 0 };

		ck_assert_int_lt(attr_decode(bytes, n, false, &a, &err), 0);
		ck_assert_int_ne(err.text[0], 0);
	}
}
END_TEST

/* Each flag bit, in either order; precise_ip straddles two bytes. */
START_TEST(attr_flags)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		struct builder b;
		struct reader *r;

		builder_init(&b, &(struct builder_opts){ .be = _i });
		builder_event(&b, &(struct builder_attr){ .bare = true, .flags = 1ull << bit });
		r = test_open(&b, 0);
		ck_assert_uint_eq(r->evlist.v[0].attr.flags, 1ull << bit);
		reader_free(r);
		builder_release(&b);
	}
}
END_TEST

/* ---- which event -------------------------------------------------------------------------- */

static const struct evsel *event_of(struct reader *r, uint32_t type)
{
	struct record rec;

	while (reader_next(r, &rec) == 0)
		if (rec.type == type)
			return evlist_evsel(&r->evlist, &rec);
	ck_abort_msg("no %s", record_type_name(type));
	return NULL;
}

/* Two events of SAMPLE_TYPE (the second also of MORE), a sample and a comm with ID of event 1. */
struct pair {
	struct builder b;
	struct reader *r;
};

static void pair_open(struct pair *p, const struct builder_opts *o, uint64_t type, uint64_t more,
		      uint64_t id, bool id_zero)
{
	builder_init(&p->b, o);
	builder_event(&p->b, &(struct builder_attr){ .sample_type = type });
	builder_event(&p->b, &(struct builder_attr){ .sample_type = type | more });
	p->b.trailer.ev = 1;
	p->b.trailer.id = id;
	builder_comm(&p->b, id_zero ? 0 : 9, 42, 42, "prog");
	builder_sample(&p->b, 1,
		       &(struct builder_sample){
			       .id = id, .id_zero = id_zero, .pid = 7, .time = 9, .ip = 1000 });
	p->r = test_open(&p->b, 0);
}

static void pair_close(struct pair *p)
{
	reader_free(p->r);
	builder_release(&p->b);
}

static void assert_pair(const struct builder_opts *o, uint64_t type, uint64_t more, uint64_t id,
			bool id_zero, int expected)
{
	static const uint32_t types[] = { RECORD_COMM, RECORD_SAMPLE };
	struct pair p;

	pair_open(&p, o, type, more, id, id_zero);
	for (unsigned i = 0; i < 2; i++) {
		const struct evsel *e = event_of(p.r, types[i]);

		if (expected < 0)
			ck_assert_msg(!e, "%s has an event", record_type_name(types[i]));
		else
			ck_assert_msg(e == &p.r->evlist.v[expected], "%s: event %d, not %d",
				      record_type_name(types[i]), e ? (int)e->index : -1, expected);
	}
	pair_close(&p);
}

#define TRAILER_REST (SAMPLE_TID | SAMPLE_TIME | SAMPLE_STREAM_ID | SAMPLE_CPU)

START_TEST(event_by_identifier)
{
	const struct builder_opts *o = &test_variants[_i];

	assert_pair(o, SAMPLE_IDENTIFIER | SAMPLE_IP | TRAILER_REST, 0, 0, false, 1);
	assert_pair(o, SAMPLE_IDENTIFIER, 0, 0, false, 1);
	/* the position is the same even if the sample_types differ */
	assert_pair(o, SAMPLE_IDENTIFIER, SAMPLE_ADDR | SAMPLE_PERIOD | TRAILER_REST, 0, false, 1);
	/* id 0 is the first event's, an unknown one nobody's */
	assert_pair(o, SAMPLE_IDENTIFIER | SAMPLE_IP | TRAILER_REST, 0, 0, true, 0);
	assert_pair(o, SAMPLE_IDENTIFIER | SAMPLE_IP | TRAILER_REST, 0, 4711, false, -1);
}
END_TEST

/* ID is behind IP, TID, TIME and ADDR in a sample, before STREAM_ID and CPU in a trailer. */
START_TEST(event_by_id)
{
	static const uint64_t before[] = { SAMPLE_IP,   SAMPLE_TID,       SAMPLE_TIME,
					   SAMPLE_ADDR, SAMPLE_STREAM_ID, SAMPLE_CPU };

	for (unsigned set = 0; set < 64; set++) {
		uint64_t type = SAMPLE_ID;

		for (unsigned i = 0; i < 6; i++)
			type |= set >> i & 1 ? before[i] : 0;
		assert_pair(&test_variants[_i], type, 0, 0, false, 1);
		assert_pair(&test_variants[_i], type, 0, 0, true, 0);
		assert_pair(&test_variants[_i], type, 0, 4711, false, -1);
	}
}
END_TEST

/* The id is at another place in each event: the place whose id leads back is right. */
START_TEST(event_by_different_places)
{
	const struct builder_opts *o = &test_variants[_i];
	struct pair p;

	assert_pair(o, SAMPLE_ID | SAMPLE_TID, SAMPLE_ADDR | SAMPLE_CPU, 0, false, 1);
	pair_open(&p, o, SAMPLE_ID | SAMPLE_TID, SAMPLE_ADDR, 0, false);
	test_drain(p.r);
	ck_assert(!p.r->evlist.same_plan);
	pair_close(&p);
	pair_open(&p, o, SAMPLE_ID | SAMPLE_TID, SAMPLE_PERIOD, 0, false);
	test_drain(p.r);
	ck_assert(p.r->evlist.same_plan);
	pair_close(&p);
}
END_TEST

/* No id in the records: the first event. */
START_TEST(event_without_id)
{
	assert_pair(&test_variants[_i], SAMPLE_IP | SAMPLE_TIME, 0, 0, false, 0);
}
END_TEST

/* One event: every record is its own, whatever the id. */
START_TEST(event_alone)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &test_variants[_i]);
	builder_event(&b, &(struct builder_attr){ 0 });
	b.trailer.id = 4711;
	builder_comm(&b, 3, 42, 42, "prog");
	builder_sample(&b, 0, &(struct builder_sample){ .id = 4712 });
	r = test_open(&b, 0);
	ck_assert_ptr_eq(event_of(r, RECORD_COMM), &r->evlist.v[0]);
	ck_assert_ptr_eq(event_of(r, RECORD_SAMPLE), &r->evlist.v[0]);
	reader_free(r);
	builder_release(&b);
}
END_TEST

START_TEST(event_by_id_and_name)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &test_variants[_i]);
	builder_event(&b, &(struct builder_attr){ .name = "first",
						  .ids = (uint64_t[]){ 3, 5, 1ull << 63 },
						  .nr_ids = 3 });
	builder_event(&b, &(struct builder_attr){
				  .name = "second", .ids = (uint64_t[]){ 4 }, .nr_ids = 1 });
	builder_features(&b);
	r = test_open(&b, 0);
	test_drain(r);
	ck_assert_ptr_eq(evlist_by_id(&r->evlist, 3), &r->evlist.v[0]);
	ck_assert_ptr_eq(evlist_by_id(&r->evlist, 5), &r->evlist.v[0]);
	ck_assert_ptr_eq(evlist_by_id(&r->evlist, 1ull << 63), &r->evlist.v[0]);
	ck_assert_ptr_eq(evlist_by_id(&r->evlist, 4), &r->evlist.v[1]);
	ck_assert_ptr_null(evlist_by_id(&r->evlist, 6));
	if (test_has_features(&test_variants[_i])) {
		ck_assert_str_eq(r->evlist.v[0].name, "first");
		ck_assert_str_eq(r->evlist.v[1].name, "second");
	}
	ck_assert_uint_eq(r->evlist.n, 2);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* A pipe may bring an event late. */
START_TEST(late_event)
{
	struct builder b;
	struct reader *r;
	uint32_t ev;

	builder_init(&b, &(struct builder_opts){ .container = BUILDER_PIPE, .be = _i });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_comm(&b, 3, 42, 42, "prog");
	ev = builder_event(&b, &(struct builder_attr){ .config = 1 });
	builder_sample(&b, ev, &(struct builder_sample){ .ip = 1 });
	r = test_open(&b, 0);
	ck_assert_ptr_eq(event_of(r, RECORD_COMM), &r->evlist.v[0]);
	ck_assert_ptr_eq(event_of(r, RECORD_SAMPLE), &r->evlist.v[1]);
	ck_assert_uint_eq(r->evlist.n, 2);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* ---- compression ------------------------------------------------------------------------ */

/* 500 samples through every size of piece: each is read back, whole, once. */
START_TEST(straddling)
{
	static const uint32_t chunks[] = { 1, 7, 8, 9, 63, 64, 65, 100, 1000, 100000 };

	for (unsigned i = 0; i < sizeof(chunks) / sizeof(*chunks); i++) {
		struct builder b;
		struct reader *r;
		size_t n;

		builder_init(&b,
			     &(struct builder_opts){
				     .container = _i & 1 ? BUILDER_PIPE : BUILDER_FILE,
				     .be = _i & 2,
				     .compress = _i & 4 ? BUILDER_COMPRESSED2 : BUILDER_COMPRESSED,
				     .end_frames = _i & 8,
				     .hold_tail = _i & 16,
				     .chunk = chunks[i] });
		builder_event(&b, &(struct builder_attr){ 0 });
		for (uint64_t k = 0; k < 500; k++) {
			builder_sample(&b, 0,
				       &(struct builder_sample){ .time = k + 1,
								 .ip = k * k * 977,
								 .pid = 42,
								 .chain = &k,
								 .nr_chain = k % 2 });
			if (k % 100 == 50)
				builder_finished_round(&b);
		}
		r = test_open(&b, 0);
		n = test_walk(r, &b, SIZE_MAX);
		ck_assert(r->complete);
		ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], 500);
		ck_assert_uint_eq(r->decompressed_bytes, 500 * 64 + 250 * 8);
		ck_assert_uint_gt(r->compressed_bytes, 0);
		test_chunks(r, &b, n, 1000);
		reader_free(r);
		builder_release(&b);
	}
}
END_TEST

/* A compressed record in a compressed record is damage, and no recursion. */
START_TEST(nested_compression)
{
	struct builder b;
	struct reader *r;
	size_t samples;

	builder_init(&b, &(struct builder_opts){ .compress = BUILDER_COMPRESSED, .chunk = 24 });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_sample(&b, 0, &(struct builder_sample){ .ip = 1 });
	b.compress_all = true;
	builder_record(&b, RECORD_COMPRESSED, 0, "sixteen bytes...", 16);
	r = test_open(&b, 0);
	test_drain(r);
	samples = r->nr_by_type[RECORD_SAMPLE];
	ck_assert_uint_eq(samples, 1);
	ck_assert_uint_ge(r->nr_damages, 1);
	ck_assert_msg(test_is_sentence(r->damages[0].text), "%s", r->damages[0].text);
	ck_assert(!r->complete);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* One compressed record is missing: what follows in its stream can't be read, the rest can. */
START_TEST(broken_stream)
{
	struct builder b;
	struct builder_file f;
	struct reader *r;
	struct record rec;
	struct err err = { 0 };
	size_t victim = 0, whole = 0, plain_behind = 0, lost = 0;
	char text[128];

	builder_init(&b, &(struct builder_opts){ .container = _i & 1 ? BUILDER_PIPE : BUILDER_FILE,
						 .compress = BUILDER_COMPRESSED,
						 .chunk = 64 });
	builder_event(&b, &(struct builder_attr){ 0 });
	for (uint64_t k = 0; k < 100; k++) {
		builder_sample(&b, 0, &(struct builder_sample){ .time = k + 1, .ip = k * k * 977 });
		if (k % 10 == 9)
			builder_finished_round(&b);
	}
	f = builder_finish(&b);
	for (size_t i = 0; i < b.nr_marks; i++) {
		if (victim && b.marks[i].type == RECORD_COMPRESSED)
			lost += b.marks[i].size;
		if (!victim && b.marks[i].type == RECORD_COMPRESSED &&
		    b.marks[i].file_offset > f.size / 2) {
			victim = i;
			memset(f.bytes + b.marks[i].file_offset + 8, 0xff, b.marks[i].size - 8);
		}
		if (b.marks[i].type == RECORD_SAMPLE && !victim)
			whole++;
		plain_behind += b.marks[i].type == RECORD_FINISHED_ROUND && victim;
	}
	ck_assert_uint_gt(plain_behind, 0);
	ck_assert_int_eq(reader_open_memory(&r, f.bytes, f.size, "test.data", &err), 0);
	for (size_t i = 0; i <= victim; i++) {
		ck_assert_int_eq(reader_next(r, &rec), 0);
		ck_assert_uint_eq(rec.type, b.marks[i].type);
		ck_assert_uint_eq(rec.size, b.marks[i].size);
	}
	test_drain(r);
	ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], whole);
	ck_assert_uint_eq(r->nr_by_type[RECORD_FINISHED_ROUND], 10);
	ck_assert(!r->complete);
	ck_assert_uint_eq(r->nr_damages, 1);
	snprintf(text, sizeof(text),
		 "; the compressed records behind it, which need it, are lost too (%zu bytes)",
		 lost);
	ck_assert_msg(test_is_sentence(r->damages[0].text) && strstr(r->damages[0].text, text),
		      "%s; expected %s", r->damages[0].text, text);
	ck_assert_uint_eq(r->damages[0].file_offset, b.marks[victim].file_offset);
	ck_assert_uint_eq(r->damages[0].bytes, b.marks[victim].size + lost);
	ck_assert_uint_eq(r->bytes_lost, r->damages[0].bytes);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* A little zstd that becomes a lot: the reader stops within its cap. */
START_TEST(bomb)
{
	static uint8_t body[60000];
	struct builder b;
	struct reader *r;
	struct record rec;
	uint64_t most = 0;

	builder_init(&b,
		     &(struct builder_opts){ .compress = BUILDER_COMPRESSED, .chunk = 200u << 20 });
	builder_event(&b, &(struct builder_attr){ 0 });
	for (int i = 0; i < 3000; i++)
		builder_record(&b, RECORD_LOST_SAMPLES, 0, body, sizeof(body));
	r = test_open(&b, 0);
	while (reader_next(r, &rec) == 0)
		most = r->decompressed_bytes;
	ck_assert_uint_le(most, 64u << 20);
	ck_assert(!r->complete);
	ck_assert_uint_eq(r->nr_damages, 1);
	ck_assert_msg(test_is_sentence(r->damages[0].text), "%s", r->damages[0].text);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* ---- other containers ---------------------------------------------------------------------- */

START_TEST(from_a_path)
{
	char path[] = "/tmp/perfrep-test-XXXXXX";
	int fd = mkstemp(path);
	struct builder b;
	struct reader *r;
	struct err err = { 0 };
	size_t n;

	ck_assert_int_ge(fd, 0);
	close(fd);
	builder_init(&b, &test_variants[_i]);
	every_record(&b, EVERY_KERNEL | EVERY_USER | EVERY_PAYLOAD);
	ck_assert_int_eq(builder_write(&b, path), 0);
	ck_assert_msg(reader_open(&r, path, &err) == 0, "%s", err.text);
	ck_assert_str_eq(r->name, path);
	n = test_walk(r, &b, SIZE_MAX);
	test_chunks(r, &b, n, 300);
	reader_free(r);
	builder_unlink(&b, path);
	ck_assert_int_lt(reader_open(&r, path, &err), 0);
	ck_assert_msg(strstr(err.text, path) && strstr(err.text, "No such file"), "%s", err.text);
	builder_release(&b);
}
END_TEST

/* A folder: data, data.0 … data.11, each with its own stream of compression. */
START_TEST(directory)
{
	char base[] = "/tmp/perfrep-test-XXXXXX";
	char path[64];
	bool compressed = _i & 1;
	struct builder b;
	struct reader *r;
	struct record rec;
	struct err err = { 0 };
	uint64_t seen[13] = { 0 }, pos = 0;

	ck_assert_ptr_nonnull(mkdtemp(base));
	snprintf(path, sizeof(path), "%s/rec", base);
	builder_init(&b, &(struct builder_opts){ .container = BUILDER_DIR,
						 .be = _i & 2,
						 .compress = compressed ? BUILDER_COMPRESSED
									: BUILDER_PLAIN,
						 .chunk = 50 });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_features(&b);
	builder_feature_u64(&b, FEATURE_DIR_FORMAT, 1);
	for (uint32_t i = 0; i <= 12; i++) {
		builder_stream(&b, i);
		for (uint64_t k = 0; k < 10 + i; k++)
			builder_sample(&b, 0,
				       &(struct builder_sample){
					       .time = 1 + k * 100 + i, .pid = i + 1, .ip = k });
	}
	ck_assert_int_eq(builder_write(&b, path), 0);
	ck_assert_msg(reader_open(&r, path, &err) == 0, "%s", err.text);
	ck_assert_int_eq(r->mode, READER_DIRECTORY);
	while (reader_next(r, &rec) == 0) {
		struct sample s;

		ck_assert_msg(rec.pos > pos || pos == 0, "pos does not grow");
		pos = rec.pos;
		if (rec.type != RECORD_SAMPLE)
			continue;
		ck_assert_int_eq(sample_decode(&rec, &r->evlist.v[0], &s, &err), 0);
		/* in a stream the order is the file's */
		ck_assert_uint_eq(s.ip, seen[s.pid - 1]++);
	}
	for (uint32_t i = 0; i <= 12; i++)
		ck_assert_uint_eq(seen[i], 10 + i);
	ck_assert(r->complete);
	ck_assert_uint_eq(r->nr_damages, 0);
	reader_free(r);
	builder_unlink(&b, path);
	rmdir(base);
	builder_release(&b);
}
END_TEST

/* simpleperf: from type 32768 the size has 32 bits; misc is its high half. */
START_TEST(simpleperf_records)
{
	static uint8_t body[70000];
	struct builder b;
	struct reader *r;
	struct record rec;

	memset(body, 'x', sizeof(body));
	builder_init(&b, &(struct builder_opts){ .be = false });
	builder_event(&b, &(struct builder_attr){ .type = PERF_TYPE_RAW, .config = 0x11 });
	builder_feature_meta_info(
		&b,
		(struct feature_pair[]){
			{ (char *)"simpleperf_version", (char *)"1.2" },
			{ (char *)"event_type_info", (char *)"other,1,2\nraw-cpu-cycles:u,4,17" } },
		2);
	builder_record(&b, 32769, 0, body, sizeof(body));
	builder_comm(&b, 1, 42, 42, "behind");
	builder_record(&b, 32778, 0, body, 8);
	r = test_open(&b, 0);
	test_walk(r, &b, SIZE_MAX);
	ck_assert(r->simpleperf);
	ck_assert_str_eq(r->evlist.v[0].name, "raw-cpu-cycles:u");
	ck_assert_uint_eq(r->nr_by_type[RECORD_COMM], 1);
	ck_assert_uint_eq(r->nr_other_types, 2);
	ck_assert_uint_eq(r->features.nr_meta_info, 2);
	ck_assert_str_eq(r->features.meta_info[0].key, "simpleperf_version");
	ck_assert_str_eq(r->features.meta_info[0].value, "1.2");
	reader_free(r);
	/* and by chunks, with the 70,008 bytes in one piece */
	r = test_open(&b, 0);
	ck_assert_int_eq(reader_next(r, &rec), 0);
	ck_assert_uint_eq(rec.size, 70008);
	ck_assert_uint_eq(rec.misc, 0);
	test_drain(r);
	test_chunks(r, &b, 3, 64);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* simpleperf can bring the ids in a record: u64 n, n times {u64 attr index, u64 id}. */
START_TEST(simpleperf_event_ids)
{
	static const uint64_t ids[] = { 2, 0, 77, 1, 78 };
	struct builder b;
	struct reader *r;
	uint8_t body[40];

	memcpy(body, ids, sizeof(body));
	builder_init(&b, &(struct builder_opts){ .be = false });
	builder_event(&b, &(struct builder_attr){ .no_ids = true });
	builder_event(&b, &(struct builder_attr){ .no_ids = true });
	builder_feature_meta_info(
		&b, (struct feature_pair[]){ { (char *)"simpleperf_version", (char *)"1.2" } }, 1);
	builder_record(&b, 32774, 0, body, sizeof(body));
	builder_sample(&b, 1, &(struct builder_sample){ .id = 78 });
	r = test_open(&b, 0);
	ck_assert_ptr_eq(event_of(r, RECORD_SAMPLE), &r->evlist.v[1]);
	ck_assert_ptr_eq(evlist_by_id(&r->evlist, 77), &r->evlist.v[0]);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* Version 1: the magic tells no byte order, the size of an attr does. */
START_TEST(version_1)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104 };

	for (unsigned i = 0; i < 5; i++) {
		struct builder b;
		struct reader *r;

		builder_init(&b, &(struct builder_opts){ .v1 = true,
							 .be = _i & 1,
							 .container = _i & 2 ? BUILDER_PIPE
									     : BUILDER_FILE,
							 .attr_size = sizes[i] });
		every_record(&b, EVERY_KERNEL);
		r = test_open(&b, 0);
		test_walk(r, &b, SIZE_MAX);
		reader_free(r);
		builder_release(&b);
	}
}
END_TEST

/* The members of a group: leader and number, from GROUP_DESC; the values of its samples. */
START_TEST(groups)
{
	const struct builder_attr group = {
		.sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_READ,
		.read_format = READ_GROUP | READ_ID,
	};
	const struct record_read_value values[] = { { 100, 1001, 0 }, { 50, 1002, 0 } };
	struct builder b;
	struct reader *r;
	struct record rec;
	struct sample s;
	struct err err = { 0 };

	builder_init(&b, &(struct builder_opts){
				 .be = _i & 1, .container = _i & 2 ? BUILDER_PIPE : BUILDER_FILE });
	builder_event(&b, &(struct builder_attr){ .sample_type = group.sample_type });
	for (int i = 0; i < 2; i++)
		builder_event(&b, &group);
	builder_features(&b);
	builder_feature_groups(&b, (struct feature_group[]){ { (char *)"{anon_group}", 1, 2 } }, 1);
	builder_sample(&b, 1, &(struct builder_sample){ .values = values, .nr_values = 2 });
	r = test_open(&b, 0);
	do
		ck_assert_int_eq(reader_next(r, &rec), 0);
	while (rec.type != RECORD_SAMPLE);
	ck_assert_int_eq(sample_decode(&rec, evlist_evsel(&r->evlist, &rec), &s, &err), 0);
	ck_assert_uint_eq(s.read_nr, 2);
	for (unsigned i = 0; i < 2; i++) {
		struct record_read_value v = sample_read_value(&s, i);

		ck_assert_uint_eq(v.value, values[i].value);
		ck_assert_ptr_eq(evlist_by_id(&r->evlist, v.id), &r->evlist.v[1 + i]);
	}
	test_drain(r);
	ck_assert_uint_eq(r->evlist.v[0].leader, 0);
	ck_assert_uint_eq(r->evlist.v[0].nr_members, 1);
	ck_assert_uint_eq(r->evlist.v[1].leader, 1);
	ck_assert_uint_eq(r->evlist.v[1].nr_members, 2);
	ck_assert_uint_eq(r->evlist.v[2].leader, 1);
	ck_assert_uint_eq(r->features.nr_groups, 1);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* No records at all is a recording too. */
START_TEST(empty)
{
	struct builder b;
	struct reader *r;

	builder_init(&b, &test_variants[_i]);
	builder_event(&b, &(struct builder_attr){ 0 });
	r = test_open(&b, 0);
	ck_assert_uint_eq(test_walk(r, &b, SIZE_MAX), b.nr_marks);
	test_chunks(r, &b, b.nr_marks, 100);
	ck_assert_uint_eq(r->evlist.n, 1);
	reader_free(r);
	builder_release(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_loop_test(tc, every_record_once, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, every_record_decodes, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, attr_of_each_size, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, attr_smaller_than_stride, 0, 2);
	tcase_add_test(tc, attr_size_zero);
	tcase_add_loop_test(tc, attr_flags, 0, 2);
	tcase_add_loop_test(tc, event_by_identifier, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, event_by_id, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, event_by_different_places, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, event_without_id, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, event_alone, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, event_by_id_and_name, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, late_event, 0, 2);
	tcase_add_loop_test(tc, straddling, 0, 32);
	tcase_add_test(tc, nested_compression);
	tcase_add_loop_test(tc, broken_stream, 0, 2);
	tcase_add_test(tc, bomb);
	tcase_add_loop_test(tc, from_a_path, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, directory, 0, 4);
	tcase_add_test(tc, simpleperf_records);
	tcase_add_test(tc, simpleperf_event_ids);
	tcase_add_loop_test(tc, version_1, 0, 4);
	tcase_add_loop_test(tc, groups, 0, 4);
	tcase_add_loop_test(tc, empty, 0, TEST_NR_VARIANTS);
}

int main(void)
{
	return test_run("reader: containers", add, 60);
}
