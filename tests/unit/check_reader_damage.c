/* SPDX-License-Identifier: MIT */
/*
 * Damaged recordings.  A recording with every record type, in each container, byte order and
 * compression, is cut at every byte; then one length field after the other is set to 0, 1, the
 * sign bit and all ones.  Each time: no crash, no hang, memory within a fixed measure, what is
 * whole before the damage delivered exactly and in order, and what is lost told in a sentence
 * that has the offset.
 *
 * Memory is measured by this program's own malloc(), which counts what is allocated at once;
 * under a sanitizer, which has its own, there is a limit for each allocation instead.
 */
#include "every_record.h"
#include "reader_test.h"

#include <malloc.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a recording of a few KB may take: decompression has a window and segments of its own. */
#define MEMORY_PLAIN ((size_t)1 << 20)
#define MEMORY_ZSTD  ((size_t)12 << 20)

#if defined(__SANITIZE_ADDRESS__)
#define COUNTED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define COUNTED 0
#endif
#endif
#ifndef COUNTED
#define COUNTED 1
#endif

static size_t memory_now, memory_peak;

#if COUNTED
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void __libc_free(void *p);

static void *count_in(void *p)
{
	if (p)
		memory_now += malloc_usable_size(p);
	if (memory_now > memory_peak)
		memory_peak = memory_now;
	return p;
}

static void count_out(void *p)
{
	if (p)
		memory_now -= malloc_usable_size(p);
}

void *malloc(size_t size)
{
	return count_in(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
	return count_in(__libc_calloc(count, size));
}

void *realloc(void *p, size_t size)
{
	size_t before = p ? malloc_usable_size(p) : 0;
	void *q = __libc_realloc(p, size);

	if (q || !size)
		memory_now -= before;
	return count_in(q);
}

void free(void *p)
{
	count_out(p);
	__libc_free(p);
}
#else
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "max_allocation_size_mb=64:allocator_may_return_null=0";
}
#endif

static size_t memory_limit(const struct builder_opts *o)
{
	return o->compress == BUILDER_PLAIN ? MEMORY_PLAIN : MEMORY_ZSTD;
}

static unsigned parts_for(const struct builder_opts *o)
{
	return EVERY_KERNEL | EVERY_USER | EVERY_PAYLOAD | (o->attr_size == 64 ? 0 : EVERY_FIELD) |
	       (o->compress == BUILDER_PLAIN ? EVERY_FEATURE : 0);
}

/* Read a whole recording, decode all, walk its chunks. */
static void
use_all(struct reader *r,
	void (*each)(void *ctx, const struct record *rec, int rc, const struct err *err), void *ctx)
{
	struct chunk *chunks = NULL;
	struct record rec;
	size_t n;

	while (reader_next(r, &rec) == 0) {
		struct err err = { 0 };
		int rc = test_decode(r, &rec, &err);

		test_must((rc < 0) == (err.text[0] != 0), "rc %d, \"%s\"", rc, err.text);
		test_must(rc >= 0 || strstr(err.text, "0x"), "%s", err.text);
		each(ctx, &rec, rc, &err);
	}
	n = reader_chunks(r, 256, &chunks);
	for (size_t i = 0; i < n; i++)
		while (chunk_next(&chunks[i], &rec) == 0)
			test_decode(r, &rec, NULL);
	free(chunks);
}

static bool offset_told(const struct reader *r)
{
	for (size_t i = 0; i < r->nr_damages && i < 100; i++)
		if (strstr(r->damages[i].text, "0x"))
			return true;
	return false;
}

static void assert_told(const struct reader *r)
{
	test_must(!r->complete, "it is said to be complete");
	test_must(r->nr_damages, "no damage is told");
	test_must(offset_told(r), "no offset is told, only: %s", r->damages[0].text);
	for (size_t i = 0; i < r->nr_damages && i < 100; i++) {
		test_must(strlen(r->damages[i].text) > 20 &&
				  strstr(r->damages[i].text, "test.data"),
			  "%s", r->damages[i].text);
	}
}

/* ---- cut at every byte ------------------------------------------------------------------- */

struct cut {
	const struct builder *b;
	size_t size;
	size_t n;
};

static void cut_record(void *ctx, const struct record *rec, int rc, const struct err *err)
{
	struct cut *c = ctx;

	test_must(c->n < c->b->nr_marks && c->b->marks[c->n].end <= c->size,
		  "cut at 0x%zx: %s at 0x%llx is not whole, and was delivered", c->size,
		  record_type_name(rec->type), (unsigned long long)rec->file_offset);
	test_same_record(&c->b->marks[c->n], rec);
	test_place(&c->b->marks[c->n], rec);
	test_must(rc >= 0, "cut at 0x%zx: %s", c->size, err->text);
	c->n++;
}

/* Whether a cut after SIZE bytes can be seen: a pipe that ends behind a record may be whole. */
static bool cut_is_visible(const struct builder *b, size_t size)
{
	if (b->opts.container != BUILDER_PIPE)
		return true;
	for (size_t i = 0; i < b->nr_marks; i++)
		if (b->marks[i].payload_end == size && !b->marks[i].compressed)
			return false;
	return size > 16;
}

static void assert_cut(const struct builder *b, struct reader *r, size_t size, size_t full)
{
	struct cut c = { .b = b, .size = size };

	use_all(r, cut_record, &c);
	test_must(c.n == b->nr_marks || b->marks[c.n].end > size,
		  "cut at 0x%zx: %s, whole at 0x%llx, was not delivered", size,
		  record_type_name(b->marks[c.n].type), (unsigned long long)b->marks[c.n].end);
	if (size < full && cut_is_visible(b, size)) {
		assert_told(r);
		if (c.n < b->nr_marks && b->marks[c.n].file_offset < size &&
		    !b->marks[c.n].compressed)
			test_must(r->bytes_lost, "no bytes are said to be lost");
	}
}

/* Without the header, or the events, there is nothing to read. */
static bool may_refuse(const struct builder *b, size_t size)
{
	if (b->opts.container == BUILDER_PIPE)
		return size < 16;
	return size < b->data_offset || b->opts.attrs_last;
}

static void cut_at(const struct builder *b, const struct builder_file *f, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);
	struct err err = { 0 };
	struct reader *r = NULL;

	/* a copy of just that size, for the sanitizer to see a read behind it */
	memcpy(copy, f->bytes, size);
	memory_peak = memory_now;
	if (reader_open_memory(&r, copy, size, "test.data", &err) < 0) {
		test_must(may_refuse(b, size), "cut at 0x%zx: %s", size, err.text);
		test_must(strlen(err.text) > 20 && strstr(err.text, "test.data"), "\"%s\"",
			  err.text);
		test_must(!r, "there is a reader");
	} else {
		assert_cut(b, r, size, f->size);
		reader_free(r);
	}
	free(copy);
}

START_TEST(cut_at_every_byte)
{
	const struct builder_opts *o = &test_variants[_i];
	struct builder b;
	struct builder_file f;
	size_t before;

	builder_init(&b, o);
	every_record(&b, parts_for(o));
	f = builder_finish(&b);
	ck_assert_uint_gt(f.size, 3000);
	before = memory_now;
	for (size_t size = 0; size <= f.size; size++) {
		cut_at(&b, &f, size);
		test_must(memory_peak - before < size + memory_limit(o),
			  "cut at 0x%zx: %zu bytes of memory", size, memory_peak - before);
		test_must(memory_now == before, "cut at 0x%zx: %zu bytes leak", size,
			  memory_now - before);
	}
	builder_release(&b);
}
END_TEST

/* ---- a folder -------------------------------------------------------------------------------- */

#define DIR_SAMPLES 5

struct folder {
	struct builder b;
	char base[32], path[64], file[2][80];
	size_t size[2]; /* of data and data.0 */
};

static size_t file_size(const char *path)
{
	struct stat st;

	test_must(stat(path, &st) == 0, "%s is not there", path);
	return (size_t)st.st_size;
}

static void folder_make(struct folder *d, enum builder_compress compress)
{
	strcpy(d->base, "/tmp/perfrep-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(d->base));
	snprintf(d->path, sizeof(d->path), "%s/rec", d->base);
	builder_init(&d->b, &(struct builder_opts){
				    .container = BUILDER_DIR, .compress = compress, .chunk = 70 });
	builder_event(&d->b, &(struct builder_attr){ 0 });
	builder_feature_u64(&d->b, FEATURE_DIR_FORMAT, 1);
	for (uint32_t i = 0; i < 2; i++) {
		builder_stream(&d->b, i);
		for (uint64_t k = 0; k < DIR_SAMPLES; k++)
			builder_sample(&d->b, 0,
				       &(struct builder_sample){
					       .time = 1 + k, .pid = 1 + i, .ip = k * k * 977 });
		snprintf(d->file[i], sizeof(d->file[i]), "%s/data%s", d->path, i ? ".0" : "");
	}
	ck_assert_int_eq(builder_write(&d->b, d->path), 0);
	for (int i = 0; i < 2; i++)
		d->size[i] = file_size(d->file[i]);
}

static void folder_remove(struct folder *d)
{
	builder_unlink(&d->b, d->path);
	rmdir(d->base);
	builder_release(&d->b);
}

/* The samples of each of the two streams; false when the folder is refused. */
static bool folder_count(const struct folder *d, size_t seen[2], bool *told)
{
	struct reader *r = NULL;
	struct err err = { 0 };
	struct record rec;

	seen[0] = seen[1] = 0;
	if (reader_open(&r, d->path, &err) < 0) {
		test_must(strstr(err.text, d->path), "\"%s\"", err.text);
		return false;
	}
	while (reader_next(r, &rec) == 0) {
		struct sample s;

		if (rec.type != RECORD_SAMPLE)
			continue;
		test_must(sample_decode(&rec, &r->evlist.v[0], &s, &err) == 0, "%s", err.text);
		test_must(s.pid == 1 || s.pid == 2, "pid %d", s.pid);
		test_must(s.ip == seen[s.pid - 1] * seen[s.pid - 1] * 977, "the order is wrong");
		seen[s.pid - 1]++;
	}
	*told = !r->complete && r->nr_damages && offset_told(r);
	reader_free(r);
	return true;
}

/* Either file cut at every byte, from its end: the other one's samples are all there. */
START_TEST(folder_cut)
{
	int which = _i & 1;
	enum builder_compress compress = _i & 2 ? BUILDER_COMPRESSED : BUILDER_PLAIN;
	struct folder d;
	size_t seen[2], whole, before = DIR_SAMPLES;
	bool told;

	folder_make(&d, compress);
	ck_assert(folder_count(&d, seen, &told));
	ck_assert(!told);
	ck_assert_uint_eq(seen[0] + seen[1], 2 * DIR_SAMPLES);
	whole = d.size[1] / DIR_SAMPLES;
	for (size_t size = d.size[which]; size-- > 0;) {
		test_must(truncate(d.file[which], (off_t)size) == 0, "truncate");
		if (!folder_count(&d, seen, &told)) {
			test_must(which == 0 && size < d.b.data_offset, "refused at %zu", size);
			continue;
		}
		test_must(seen[!which] == DIR_SAMPLES, "%zu of the other file", seen[!which]);
		test_must(seen[which] <= before, "%zu, and %zu with less", before, seen[which]);
		before = seen[which];
		if (compress == BUILDER_PLAIN && which == 1) {
			test_must(seen[1] == size / whole, "%zu samples in %zu bytes", seen[1],
				  size);
			test_must(told || size % whole == 0, "nothing told at %zu", size);
		}
		test_must(told || which == 1, "nothing told of data at %zu", size);
	}
	ck_assert_uint_eq(before, 0);
	folder_remove(&d);
}
END_TEST

/* ---- lengths that lie --------------------------------------------------------------------- */

struct lie {
	const struct builder *b; /* the honest recording */
	const struct builder *liar;
	size_t n; /* records delivered */
	size_t as_good; /* of the honest ones, from the start */
	bool odd; /* a record did not decode */
};

static void lie_record(void *ctx, const struct record *rec, int rc, const struct err *err)
{
	struct lie *l = ctx;
	const struct builder_mark *m = l->n < l->b->nr_marks ? &l->b->marks[l->n] : NULL;
	bool zstd = rec->type == RECORD_COMPRESSED || rec->type == RECORD_COMPRESSED2;

	(void)err;
	/* the compressed bytes are others when a lie is among what they hold */
	if (m && l->n == l->as_good && rec->type == m->type &&
	    (zstd || (rec->size == m->size && !memcmp(rec->data, m->bytes, m->size))))
		l->as_good++;
	l->odd = l->odd || rc < 0;
	l->n++;
}

/*
 * A record's size that ends where a later record does: the ones between have become its body,
 * and no header says otherwise.
 */
static bool swallows_records(const struct lie *l, uint64_t value)
{
	uint64_t covered = 0;

	if (strcmp(l->liar->lie_what, "record.size"))
		return false;
	for (size_t i = l->liar->lie_mark; i < l->b->nr_marks && covered < value; i++)
		if (l->b->marks[i].compressed == l->b->marks[l->liar->lie_mark].compressed)
			covered += l->b->marks[i].size + l->b->marks[i].payload_end -
				   l->b->marks[i].end;
	return covered == value;
}

/*
 * The first record that need not be delivered as in the honest recording: the compressed ones that
 * the liar's record is spread over may now come after it, and a type nobody knows is not believed
 * right before damage.
 */
static size_t first_in_doubt(const struct lie *l)
{
	const struct builder_mark *marks = l->b->marks;
	size_t i = l->liar->lie_mark;

	while (i && marks[i - 1].file_offset > marks[l->liar->lie_mark].file_offset)
		i--;
	return i && marks[i - 1].type == EVERY_UNKNOWN_TYPE ? i - 1 : i;
}

static void assert_lie(struct lie *l, struct reader *r, const char *what, uint64_t value)
{
	if (l->liar->lie_in_record)
		test_must(l->as_good >= first_in_doubt(l),
			  "%s = 0x%llx in record %zu (%s): only %zu records before it are right",
			  what, (unsigned long long)value, l->liar->lie_mark,
			  record_type_name(l->b->marks[l->liar->lie_mark].type), l->as_good);
	/* records that are missing are told, one way or the other */
	if (l->n < l->b->nr_marks && !swallows_records(l, value)) {
		test_must(!r->complete, "%s = 0x%llx: %zu of %zu records, nothing told", what,
			  (unsigned long long)value, l->n, l->b->nr_marks);
		assert_told(r);
	}
	if (!r->complete)
		assert_told(r);
}

/* Read with one lie; returns the number of length fields that there are. */
static uint32_t tell_lie(const struct builder *honest, struct builder_opts o, unsigned parts)
{
	struct builder liar;
	struct builder_file f;
	struct err err = { 0 };
	struct reader *r = NULL;
	struct lie l = { .b = honest, .liar = &liar };
	size_t before, peak;
	uint32_t nr_fields;

	builder_init(&liar, &o);
	every_record(&liar, parts);
	f = builder_finish(&liar);
	nr_fields = liar.nr_fields;
	before = memory_peak = memory_now;
	if (reader_open_memory(&r, f.bytes, f.size, "test.data", &err) < 0) {
		test_must(!liar.lie_in_record, "%s", err.text);
		test_must(strlen(err.text) > 20 && strstr(err.text, "test.data"), "\"%s\"",
			  err.text);
	} else {
		use_all(r, lie_record, &l);
		peak = memory_peak;
		if (liar.lie_what)
			assert_lie(&l, r, liar.lie_what, o.lie_value);
		test_must(peak - before < f.size + memory_limit(&o),
			  "%s = 0x%llx: %zu bytes of memory", liar.lie_what,
			  (unsigned long long)o.lie_value, peak - before);
		reader_free(r);
	}
	test_must(memory_now == before, "%s = 0x%llx: %zu bytes leak", liar.lie_what,
		  (unsigned long long)o.lie_value, memory_now - before);
	builder_release(&liar);
	return nr_fields;
}

START_TEST(every_length_lies)
{
	/* of each width the values 0, 1, the sign bit, all ones; cut to the field's width */
	static const uint64_t values[] = { 0,          1,          0x80,           0x8000,
					   1ull << 31, 1ull << 63, UINT64_MAX - 7, UINT64_MAX };
	const struct builder_opts *o = &test_variants[_i];
	struct builder honest;
	uint32_t nr_fields;

	builder_init(&honest, o);
	every_record(&honest, parts_for(o));
	builder_finish(&honest);
	nr_fields = tell_lie(&honest, *o, parts_for(o));
	ck_assert_uint_eq(nr_fields, honest.nr_fields);
	ck_assert_uint_gt(nr_fields, 120);
	for (uint32_t field = 1; field <= nr_fields; field++)
		for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
			struct builder_opts lying = *o;

			lying.lie = field;
			lying.lie_value = values[i];
			tell_lie(&honest, lying, parts_for(o));
		}
	builder_release(&honest);
}
END_TEST

/* ---- bytes that change ---------------------------------------------------------------------- */

static void ignore_record(void *ctx, const struct record *rec, int rc, const struct err *err)
{
	(void)ctx;
	(void)rec;
	(void)rc;
	(void)err;
}

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Each byte of the file in turn is set to 0xff, and to a random value, with a fixed seed. */
START_TEST(every_byte_changed)
{
	const struct builder_opts *o = &test_variants[_i];
	uint64_t seed = 0x9e3779b97f4a7c15 + (uint64_t)_i;
	struct builder b;
	struct builder_file f;

	builder_init(&b, o);
	every_record(&b, parts_for(o));
	f = builder_finish(&b);
	for (size_t i = 0; i < 2 * f.size; i++) {
		uint8_t *p = &f.bytes[i / 2], was = *p;
		struct reader *r = NULL;
		struct err err = { 0 };
		size_t before = memory_peak = memory_now;

		*p = i % 2 ? (uint8_t)random_next(&seed) : 0xff;
		if (reader_open_memory(&r, f.bytes, f.size, "test.data", &err) == 0) {
			use_all(r, ignore_record, NULL);
			if (!r->complete)
				assert_told(r);
			reader_free(r);
		} else {
			test_must(strstr(err.text, "test.data"), "\"%s\"", err.text);
		}
		*p = was;
		/* a changed window size of zstd may ask for up to 128 MB, which is never touched */
		test_must(memory_peak - before <
				  f.size + memory_limit(o) + (o->compress ? 140u << 20 : 0),
			  "byte 0x%zx: %zu bytes of memory", i / 2, memory_peak - before);
		test_must(memory_now == before, "byte 0x%zx: a leak", i / 2);
	}
	builder_release(&b);
}
END_TEST

/* ---- damage in the middle ------------------------------------------------------------------- */

/* 100 samples, one of which is overwritten: in a file the walk goes on behind it. */
START_TEST(hole)
{
	struct builder b;
	struct builder_file f;
	struct reader *r;
	const struct builder_mark *victim;

	builder_init(&b, &(struct builder_opts){ .be = _i });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_features(&b);
	for (uint64_t k = 0; k < 100; k++)
		builder_sample(&b, 0,
			       &(struct builder_sample){ .time = k + 1, .ip = k, .pid = 42 });
	f = builder_finish(&b);
	victim = &b.marks[40];
	memset(f.bytes + victim->file_offset, 0, victim->size);
	r = test_open(&b, 0);
	test_drain(r);
	ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], 99);
	ck_assert_uint_eq(r->nr_damages, 1);
	ck_assert_uint_eq(r->damages[0].file_offset, victim->file_offset);
	ck_assert_uint_eq(r->damages[0].bytes, victim->size);
	ck_assert_uint_eq(r->bytes_lost, victim->size);
	ck_assert_msg(test_is_sentence(r->damages[0].text), "%s", r->damages[0].text);
	ck_assert(!r->complete);
	ck_assert_str_eq(r->features.hostname, BUILDER_HOSTNAME);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* Zero pages at the end, as a crashed machine leaves them. */
START_TEST(zeros_at_the_end)
{
	static const uint8_t zeros[8192];
	struct builder b;
	struct reader *r;

	builder_init(&b, &(struct builder_opts){ .container = _i ? BUILDER_PIPE : BUILDER_FILE,
						 .unfinalised = true });
	builder_event(&b, &(struct builder_attr){ 0 });
	for (uint64_t k = 0; k < 10; k++)
		builder_sample(&b, 0,
			       &(struct builder_sample){ .time = k + 1, .ip = k, .pid = 42 });
	builder_stray(&b, zeros, sizeof(zeros));
	r = test_open(&b, 0);
	test_drain(r);
	ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], 10);
	ck_assert_uint_eq(r->bytes_lost, sizeof(zeros));
	assert_told(r);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* cat a b: the second magic is no record. */
START_TEST(two_pipes)
{
	struct builder b;
	struct builder_file f;
	struct reader *r;
	struct err err = { 0 };
	uint8_t *both;

	builder_init(&b, &(struct builder_opts){ .container = BUILDER_PIPE, .be = _i });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_sample(&b, 0, &(struct builder_sample){ .ip = 1 });
	f = builder_finish(&b);
	both = malloc(2 * f.size);
	memcpy(both, f.bytes, f.size);
	memcpy(both + f.size, f.bytes, f.size);
	ck_assert_int_eq(reader_open_memory(&r, both, 2 * f.size, "test.data", &err), 0);
	test_drain(r);
	ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], 1);
	ck_assert_uint_eq(r->nr_damages, 1);
	ck_assert_uint_eq(r->damages[0].file_offset, f.size);
	ck_assert_uint_eq(r->bytes_lost, f.size);
	ck_assert_msg(test_is_sentence(r->damages[0].text), "%s", r->damages[0].text);
	reader_free(r);
	free(both);
	builder_release(&b);
}
END_TEST

/* A payload that ends early: the record is there, what is missing is told. */
START_TEST(payload_cut)
{
	static const char data[64] = "AUX";
	struct builder b;
	struct builder_file f;

	builder_init(&b, &(struct builder_opts){ .container = BUILDER_PIPE, .be = _i });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_auxtrace(&b, 0, 0, 0, 0, 0, data, sizeof(data));
	f = builder_finish(&b);
	for (size_t missing = 1; missing < sizeof(data); missing++) {
		struct reader *r = test_open(&b, f.size - missing);

		test_drain(r);
		ck_assert_uint_eq(r->nr_by_type[RECORD_AUXTRACE], 1);
		ck_assert_uint_eq(r->aux_bytes, sizeof(data) - missing);
		ck_assert_uint_eq(r->bytes_lost, missing);
		assert_told(r);
		reader_free(r);
	}
	builder_release(&b);
}
END_TEST

/* Of the first SIZE bytes of B one damage is told: TEXT, with BYTES lost. */
static void one_damage(struct builder *b, size_t size, const char *text, uint64_t bytes)
{
	struct reader *r = test_open(b, size);

	test_drain(r);
	ck_assert_uint_eq(r->nr_damages, 1);
	ck_assert_str_eq(r->damages[0].text, text);
	ck_assert_uint_eq(r->damages[0].bytes, bytes);
	ck_assert_uint_eq(r->bytes_lost, bytes);
	ck_assert(!r->complete);
	reader_free(r);
}

/* A file that is cut is told in one sentence, with the record that it was cut in. */
START_TEST(cut_in_a_sentence)
{
	struct builder b;
	char text[256];
	size_t last, end;

	builder_init(&b, &(struct builder_opts){ .be = _i });
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_features(&b);
	for (uint64_t k = 0; k < 10; k++)
		builder_sample(&b, 0, &(struct builder_sample){ .time = k + 1, .pid = 42 });
	builder_finish(&b);
	last = b.marks[8].file_offset;
	end = b.marks[9].end;
	ck_assert_uint_eq(b.marks[8].size, 64);
	snprintf(
		text, sizeof(text),
		"test.data is cut at offset 0x%zx: 64 bytes of records are missing, and the features",
		end - 64);
	one_damage(&b, end - 64, text, 64);
	snprintf(
		text, sizeof(text),
		"test.data is cut at offset 0x%zx: 84 bytes of records are missing, and the features; "
		"of the last record, at offset 0x%zx, only 44 bytes are there",
		end - 84, last);
	one_damage(&b, end - 84, text, 128);
	builder_release(&b);
}
END_TEST

/* So is a recording whose writer was killed within a record. */
START_TEST(killed_within_a_record)
{
	struct builder b;
	char text[512];
	size_t begin, last;

	builder_init(&b, &(struct builder_opts){ .unfinalised = true });
	builder_event(&b, &(struct builder_attr){ 0 });
	for (uint64_t k = 0; k < 10; k++)
		builder_sample(&b, 0, &(struct builder_sample){ .time = k + 1, .pid = 42 });
	builder_finish(&b);
	begin = b.marks[0].file_offset;
	last = b.marks[9].file_offset;
	snprintf(
		text, sizeof(text),
		"test.data was never finalised: its header has no data size, so the recorder was "
		"killed; the 596 bytes from offset 0x%zx to the end are read as records, the "
		"features are missing; of the last record, at offset 0x%zx, only 20 bytes are there",
		begin, last);
	one_damage(&b, last + 20, text, 20);
	builder_release(&b);
}
END_TEST

/* So are bytes behind a record that a cut took, which the header counts among the records'. */
START_TEST(cut_in_a_payload)
{
	static const char data[64] = "AUX";
	struct builder b;
	struct builder_file f;
	char text[256];

	builder_init(&b, NULL);
	builder_event(&b, &(struct builder_attr){ 0 });
	builder_auxtrace(&b, 0, 0, 0, 0, 0, data, sizeof(data));
	builder_features(&b);
	f = builder_finish(&b);
	ck_assert_uint_lt(b.marks[0].payload_end, f.size);
	snprintf(
		text, sizeof(text),
		"test.data is cut at offset 0x%zx: 54 bytes of records are missing, and the features; "
		"of the data of the AUXTRACE record at offset 0x%zx, 10 of 64 bytes are there",
		(size_t)b.marks[0].payload_end - 54, (size_t)b.marks[0].file_offset);
	one_damage(&b, b.marks[0].payload_end - 54, text, 54);
	builder_release(&b);
}
END_TEST

/* So are the halves of records that a cut leaves in compressed ones. */
START_TEST(cut_behind_compressed)
{
	struct builder b;
	size_t cuts = 0;

	builder_init(&b, &(struct builder_opts){ .compress = BUILDER_COMPRESSED, .chunk = 70 });
	builder_event(&b, &(struct builder_attr){ 0 });
	for (uint64_t k = 0; k < 10; k++)
		builder_sample(&b, 0, &(struct builder_sample){ .time = k + 1, .pid = 42 });
	builder_finish(&b);
	for (size_t i = 0; i + 1 < b.nr_marks; i++) {
		struct reader *r;

		if (b.marks[i].type != RECORD_COMPRESSED)
			continue;
		r = test_open(&b, b.marks[i].end);
		test_drain(r);
		test_must(r->nr_damages == (b.marks[i].end < b.data_offset + b.data_size),
			  "%zu damages", r->nr_damages);
		cuts += r->nr_damages;
		reader_free(r);
	}
	ck_assert_uint_gt(cuts, 5);
	builder_release(&b);
}
END_TEST

/* What is no recording is refused with the bytes that were seen. */
START_TEST(no_recording)
{
	static const char *const texts[] = {
		"", "P", "PERFILE2", "hello, world, this is text", "\177ELF____________________",
	};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct err err = { 0 };
		struct reader *r = NULL;

		ck_assert_int_lt(
			reader_open_memory(&r, texts[i], strlen(texts[i]), "test.data", &err), 0);
		ck_assert_ptr_null(r);
		ck_assert_msg(strstr(err.text, "test.data"), "%s", err.text);
	}
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_loop_test(tc, cut_at_every_byte, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, folder_cut, 0, 4);
	tcase_add_loop_test(tc, every_length_lies, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, every_byte_changed, 0, TEST_NR_VARIANTS);
	tcase_add_loop_test(tc, hole, 0, 2);
	tcase_add_loop_test(tc, zeros_at_the_end, 0, 2);
	tcase_add_loop_test(tc, two_pipes, 0, 2);
	tcase_add_loop_test(tc, payload_cut, 0, 2);
	tcase_add_loop_test(tc, cut_in_a_sentence, 0, 2);
	tcase_add_test(tc, killed_within_a_record);
	tcase_add_test(tc, cut_in_a_payload);
	tcase_add_test(tc, cut_behind_compressed);
	tcase_add_test(tc, no_recording);
}

int main(void)
{
	if (COUNTED) {
		struct rlimit limit = { (rlim_t)3 << 30, (rlim_t)3 << 30 };

		setrlimit(RLIMIT_AS, &limit);
	}
	return test_run("reader: damage", add, 300);
}
