/* SPDX-License-Identifier: MIT */
/*
 * The walk with several threads.  Whatever the recording looks like, where its parts are cut and
 * how far each thread gets: what the reader tells, the records that are no samples and the chunks
 * are those of the walk by one thread.  Parts are made small, and the walk waits for the threads,
 * so that how many parts it takes over is known.
 */
#include "perfdata/reader_priv.h"
#include "reader_test.h"

#include <stdio.h>
#include <unistd.h>

#include "base/cursor.h"

enum { GRAIN = 200, CHUNK = 700 };

struct seen {
	uint32_t type, size;
	uint64_t pos, file_offset;
};

struct walked {
	VEC(struct seen) others; /* records that are no samples */
	struct chunk *chunks;
	size_t nr_chunks;
	size_t samples; /* that were delivered */
};

struct setting {
	uint64_t part_size;
	unsigned threads;
	bool skip, settle;
	size_t coarsen_at; /* 0: as it is */
};

static void set_up(struct reader *r, const struct setting *set)
{
	struct reader_priv *p = r->priv;

	p->grain = GRAIN;
	p->part_size = set->part_size;
	p->parts_worth = 0;
	p->settle = set->settle;
	if (set->coarsen_at)
		p->coarsen_at = set->coarsen_at;
	reader_threads(r, set->threads);
	reader_skip_samples(r, set->skip);
}

static struct walked walk(struct reader *r)
{
	struct walked w = { 0 };
	struct record rec;

	while (reader_next(r, &rec) == 0) {
		if (rec.type == RECORD_SAMPLE)
			w.samples++;
		else
			vec_push(&w.others,
				 (struct seen){ rec.type, rec.size, rec.pos, rec.file_offset });
	}
	w.nr_chunks = reader_chunks(r, CHUNK, &w.chunks);
	return w;
}

static void walked_release(struct walked *w)
{
	vec_release(&w->others);
	free(w->chunks);
}

static void assert_same_walk(const struct walked *a, const struct walked *b)
{
	ck_assert_uint_eq(a->others.n, b->others.n);
	for (size_t i = 0; i < a->others.n; i++) {
		const struct seen *x = &a->others.v[i], *y = &b->others.v[i];

		test_must(x->type == y->type && x->size == y->size && x->pos == y->pos &&
				  x->file_offset == y->file_offset,
			  "record %zu: %s at 0x%llx, pos %llu, instead of %s at 0x%llx, pos %llu",
			  i, record_type_name(y->type), (unsigned long long)y->file_offset,
			  (unsigned long long)y->pos, record_type_name(x->type),
			  (unsigned long long)x->file_offset, (unsigned long long)x->pos);
	}
	ck_assert_uint_eq(a->nr_chunks, b->nr_chunks);
	for (size_t i = 0; i < a->nr_chunks; i++) {
		const struct chunk *x = &a->chunks[i], *y = &b->chunks[i];

		test_must(x->size == y->size && x->pos == y->pos && x->be == y->be &&
				  x->file_offset == y->file_offset &&
				  x->decompressed == y->decompressed &&
				  (x->decompressed || x->data == y->data),
			  "chunk %zu", i);
	}
}

static void assert_same_reader(const struct reader *a, const struct reader *b)
{
	ck_assert_uint_eq(a->nr_records, b->nr_records);
	for (unsigned i = 0; i <= RECORD_SCHEDSTAT_DOMAIN; i++)
		ck_assert_uint_eq(a->nr_by_type[i], b->nr_by_type[i]);
	ck_assert_uint_eq(a->nr_other_types, b->nr_other_types);
	ck_assert_uint_eq(a->aux_bytes, b->aux_bytes);
	ck_assert_uint_eq(a->bytes_lost, b->bytes_lost);
	ck_assert_int_eq(a->complete, b->complete);
	ck_assert_uint_eq(a->evlist.n, b->evlist.n);
	ck_assert_uint_eq(a->nr_damages, b->nr_damages);
	for (size_t i = 0; i < a->nr_damages && i < 100; i++)
		ck_assert_str_eq(a->damages[i].text, b->damages[i].text);
	ck_assert_uint_eq(reader_progress(a), reader_progress(b));
}

static struct reader *open_bytes(const uint8_t *bytes, size_t size, const struct setting *set)
{
	struct err err = { 0 };
	struct reader *r;

	if (reader_open_memory(&r, bytes, size, "test.data", &err) < 0)
		return NULL;
	set_up(r, set);
	return r;
}

/* Walk SIZE bytes by one thread and as SET says; how many parts were taken over. */
static size_t compare_with(const uint8_t *bytes, size_t size, const struct setting *set)
{
	const struct setting plain = { .part_size = set->part_size, .coarsen_at = set->coarsen_at };
	struct reader *one = open_bytes(bytes, size, &plain), *many = open_bytes(bytes, size, set);
	struct walked a, b;
	size_t adopted;

	if (!one) {
		ck_assert_ptr_null(many);
		return 0;
	}
	a = walk(one);
	b = walk(many);
	assert_same_walk(&a, &b);
	assert_same_reader(one, many);
	ck_assert_uint_eq(one->priv->nr_adopted, 0);
	if (!set->skip)
		ck_assert_uint_eq(a.samples, b.samples);
	adopted = many->priv->nr_adopted;
	walked_release(&a);
	walked_release(&b);
	reader_free(one);
	reader_free(many);
	return adopted;
}

/* With many settings; how many parts were taken over with parts of 2,048 bytes. */
static size_t compare(const uint8_t *bytes, size_t size)
{
	static const struct setting settings[] = {
		{ .part_size = 2048, .threads = 2, .skip = true, .settle = true },
		{ .part_size = 2048, .threads = 1, .skip = true },
		{ .part_size = 2048, .threads = 2, .settle = true },
		{ .part_size = 8, .threads = 4, .skip = true, .settle = true },
		{ .part_size = 512, .threads = 3, .skip = true },
		{ .part_size = 1 << 16, .threads = 5, .skip = true, .settle = true },
		{ .part_size = 1024, .threads = 2, .skip = true, .settle = true, .coarsen_at = 8 },
	};
	size_t adopted = 0;

	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		size_t n = compare_with(bytes, size, &settings[i]);

		if (!i)
			adopted = n;
		test_must(n == 0 || (settings[i].skip && settings[i].threads > 1),
			  "setting %zu: %zu parts were taken over", i, n);
	}
	return adopted;
}

/* Samples of 64 to 176 bytes: the I-th has (I * 7) % 15 frames. */
static void add_samples(struct builder *b, uint32_t ev, uint64_t first, uint64_t n)
{
	uint64_t chain[15];

	for (unsigned i = 0; i < 15; i++)
		chain[i] = 0x400000 + i;
	for (uint64_t i = first; i < first + n; i++)
		builder_sample(b, ev,
			       &(struct builder_sample){ .time = i,
							 .pid = 42,
							 .ip = 0x400000 + i,
							 .period = 1,
							 .chain = chain,
							 .nr_chain = i * 7 % 15 });
}

static uint32_t begin(struct builder *b, const struct builder_opts *o)
{
	uint32_t ev;

	builder_init(b, o);
	ev = builder_event(b, &(struct builder_attr){ 0 });
	builder_comm(b, 0, 42, 42, "prog");
	return ev;
}

static const struct builder_opts orders[] = { { .be = false }, { .be = true } };

/* All parts but the first are the threads'. */
START_TEST(all_parts)
{
	struct builder b;
	struct builder_file f;
	uint32_t ev = begin(&b, &orders[_i]);

	for (uint64_t i = 0; i < 40; i++) {
		add_samples(&b, ev, i * 25, 25);
		builder_comm(&b, i + 1, 42, 42, i % 3 ? "prog" : "a longer name");
		if (i % 4 == 0)
			builder_finished_round(&b);
	}
	f = builder_finish(&b);
	ck_assert_uint_gt(b.data_size, 100000);
	ck_assert_uint_eq(compare(f.bytes, f.size), (b.data_size + 2047) / 2048 - 1);
	builder_release(&b);
}
END_TEST

/* More records that are no samples than a part remembers: one in 256 bytes, here 8. */
START_TEST(many_others)
{
	struct builder b;
	struct builder_file f;

	begin(&b, &orders[_i]);
	for (uint64_t i = 0; i < 2000; i++)
		builder_comm(&b, i + 1, 42, 42, "prog");
	f = builder_finish(&b);
	/* each part begins with eight that are taken over */
	ck_assert_uint_eq(compare(f.bytes, f.size), (b.data_size + 2047) / 2048 - 1);
	builder_release(&b);
}
END_TEST

/* --- things that end a part --- */

enum { PLACES = 12 };

static void add_stray(struct builder *b)
{
	builder_stray(b, "24 bytes, but no record.", 24);
}

/* Behind these no record is where one is looked for. */
static void add_uneven(struct builder *b)
{
	builder_stray(b, "25 bytes and no record...", 25);
}

static void add_special(struct builder *b)
{
	builder_update_unit(b, 1000, "things");
}

static void add_attr(struct builder *b)
{
	builder_header_attr(b, 0);
}

static void add_payload(struct builder *b)
{
	static const uint8_t aux[3001];

	builder_auxtrace(b, 0, 1, 0, 42, 0, aux, sizeof(aux));
}

static void add_unknown(struct builder *b)
{
	builder_record(b, 120, 0, "12345678", 8);
}

static void add_odd(struct builder *b)
{
	builder_record(b, RECORD_BPF_METADATA, 0, NULL, 0);
}

static void (*const disturb[])(struct builder *b) = {
	add_uneven, add_stray, add_special, add_attr, add_payload, add_unknown, add_odd,
};
#define NR_DISTURB ((int)(sizeof(disturb) / sizeof(*disturb)))

/* One such thing at one of PLACES places of the recording, or at all of them. */
START_TEST(disturbed)
{
	for (int at = 0; at <= PLACES; at++) {
		struct builder b;
		struct builder_file f;
		uint32_t ev = begin(&b, &orders[at & 1]);
		size_t parts, few;

		for (int i = 0; i < PLACES; i++) {
			add_samples(&b, ev, (uint64_t)i * 40, 33 + (unsigned)at);
			if (i == at || at == PLACES)
				disturb[_i](&b);
			builder_finished_round(&b);
		}
		f = builder_finish(&b);
		parts = (b.data_size + 2047) / 2048;
		few = at == PLACES || _i == 0 ? (size_t)at % PLACES * parts / PLACES : parts;
		test_must(compare(f.bytes, f.size) + 4 >= few,
			  "fewer than %zu of %zu parts are taken over with the thing at %d",
			  few - 4, parts, at);
		builder_release(&b);
	}
}
END_TEST

/* Cut anywhere, and with some bytes overwritten. */
START_TEST(damaged)
{
	struct builder b;
	struct builder_file f;
	uint32_t ev = begin(&b, &orders[_i]), x = 1;

	for (uint64_t i = 0; i < 6; i++) {
		add_samples(&b, ev, i * 20, 20);
		builder_comm(&b, i + 1, 42, 42, "prog");
	}
	f = builder_finish(&b);
	for (size_t size = b.data_offset; size < f.size; size += 97)
		compare(f.bytes, size);
	for (int i = 0; i < 100; i++) {
		uint8_t *copy = xmemdup(f.bytes, f.size);

		for (int k = 0; k < 3; k++) {
			x = x * 1103515245 + 12345;
			copy[b.data_offset + (x >> 8) % b.data_size] = (uint8_t)(x >> 24);
		}
		compare(copy, f.size);
		free(copy);
	}
	builder_release(&b);
}
END_TEST

/* --- guesses --- */

/*
 * Samples hold what looks like samples of 24 bytes, and are so long that parts of 2,048 bytes
 * begin within them.  The walk never comes to where such a part begins, or does so by chance.
 */
START_TEST(wrong_guesses)
{
	enum { RAW = 6004 };
	uint8_t raw[RAW];
	struct builder b;
	struct builder_file f;
	uint32_t ev;

	builder_init(&b, &orders[_i]);
	ev = builder_event(&b, &(struct builder_attr){ .sample_type = SAMPLE_IP | SAMPLE_RAW });
	memset(raw, 0, RAW);
	for (size_t at = 4; at < RAW; at += 24) {
		builder_encode(&b, raw + at, RECORD_SAMPLE, 4);
		builder_encode(&b, raw + at + 6, 24, 2);
	}
	for (uint64_t i = 0; i < 9; i++)
		builder_sample(&b, ev,
			       &(struct builder_sample){ .ip = i, .raw = raw, .raw_size = RAW });
	f = builder_finish(&b);
	ck_assert_uint_eq(b.marks[1].file_offset - b.marks[0].file_offset, 6024);
	ck_assert_uint_eq(compare(f.bytes, f.size), 0);
	builder_release(&b);
}
END_TEST

/* A record that holds many parts, none of which has a record's beginning. */
START_TEST(long_records)
{
	struct builder b;
	struct builder_file f;
	uint32_t ev;

	builder_init(&b, &orders[_i]);
	ev = builder_event(&b, &(struct builder_attr){ .sample_type = SAMPLE_IP | SAMPLE_STACK_USER,
						       .sample_stack_user = 16384 });
	for (uint64_t i = 0; i < 20; i++)
		builder_sample(&b, ev, &(struct builder_sample){ .ip = i, .stack_size = 16384 });
	f = builder_finish(&b);
	/* a part for each record but the first: that in which it begins */
	ck_assert_uint_eq(compare(f.bytes, f.size), 19);
	builder_release(&b);
}
END_TEST

/* --- the caller changes its mind --- */

START_TEST(samples_wanted_later)
{
	const struct setting set = {
		.part_size = 2048, .threads = 3, .skip = true, .settle = true
	};
	struct builder b;
	struct reader *r;
	struct record rec;
	uint32_t ev = begin(&b, &orders[_i]);
	size_t samples = 0, n = 0;

	add_samples(&b, ev, 0, 200);
	builder_header_attr(&b, ev);
	add_samples(&b, ev, 200, 100);
	r = test_open(&b, 0);
	set_up(r, &set);
	while (reader_next(r, &rec) == 0) {
		if (rec.type == RECORD_SAMPLE)
			samples++;
		else if (rec.type == RECORD_HEADER_ATTR)
			reader_skip_samples(r, false);
		n++;
	}
	ck_assert_uint_eq(samples, 100);
	ck_assert_uint_eq(n, 102);
	ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], 300);
	ck_assert_uint_gt(r->priv->nr_adopted, 5);
	test_chunks(r, &b, b.nr_marks, CHUNK);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* --- files --- */

/* A file of 58 MB as it is read by default; walks that are given up on the way. */
START_TEST(large_file)
{
	enum { SAMPLES = 900, CHAIN = 8000 };
	static uint64_t chain[CHAIN];
	char path[] = "/tmp/perfrep-test-XXXXXX";
	struct builder b;
	uint32_t ev;

	for (uint64_t i = 0; i < CHAIN; i++)
		chain[i] = 0x1000 + i;
	close(mkstemp(path));
	builder_init(&b, NULL);
	ev = builder_event(&b,
			   &(struct builder_attr){ .sample_type = SAMPLE_IP | SAMPLE_CALLCHAIN });
	for (uint64_t i = 0; i < SAMPLES; i++) {
		builder_sample(
			&b, ev,
			&(struct builder_sample){ .ip = i, .chain = chain, .nr_chain = CHAIN });
		if (i % 90 == 89)
			builder_finished_round(&b);
	}
	ck_assert_int_eq(builder_write(&b, path), 0);
	for (int i = 0; i < 20; i++) {
		uint64_t until = i % 4 ? UINT64_MAX : 5, n = 0, samples = 0;
		struct reader *r;
		struct record rec;
		struct err err;

		ck_assert_int_eq(reader_open(&r, path, &err), 0);
		ck_assert_uint_gt(r->file_size, PARTS_WORTH);
		reader_threads(r, 1 + (unsigned)i % 3);
		reader_skip_samples(r, i & 8);
		while (n < until && reader_next(r, &rec) == 0) {
			if (rec.type == RECORD_SAMPLE)
				test_must(get_u64(rec.data + 8, false) == samples++, "sample %d",
					  (int)n);
			n++;
		}
		if (until == UINT64_MAX) {
			ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], SAMPLES);
			ck_assert_uint_eq(samples, i & 8 ? 0 : SAMPLES);
			ck_assert_uint_eq(n, samples + 10);
			test_chunks(r, &b, b.nr_marks, 4 << 20);
		}
		reader_free(r);
	}
	unlink(path);
	builder_release(&b);
}
END_TEST

/* Each file of a folder has parts of its own. */
START_TEST(directory)
{
	const struct setting one = { .part_size = 2048 };
	const struct setting many = {
		.part_size = 2048, .threads = 2, .skip = true, .settle = true
	};
	char path[] = "/tmp/perfrep-test-XXXXXX";
	struct reader *a, *b;
	struct walked wa, wb;
	struct builder bd;
	struct err err;
	uint32_t ev;

	ck_assert_ptr_nonnull(mkdtemp(path));
	rmdir(path);
	ev = begin(&bd, &(struct builder_opts){ .container = BUILDER_DIR });
	for (size_t i = 0; i < 3; i++) {
		builder_stream(&bd, i);
		add_samples(&bd, ev, i * 100, 100);
		builder_comm(&bd, 7, 42, 42, "prog");
	}
	ck_assert_int_eq(builder_write(&bd, path), 0);
	ck_assert_int_eq(reader_open(&a, path, &err), 0);
	ck_assert_int_eq(reader_open(&b, path, &err), 0);
	set_up(a, &one);
	set_up(b, &many);
	wa = walk(a);
	wb = walk(b);
	ck_assert_uint_eq(wa.samples, 300);
	ck_assert_uint_eq(wa.nr_chunks, wb.nr_chunks);
	for (size_t i = 0; i < wa.nr_chunks; i++)
		ck_assert(wa.chunks[i].pos == wb.chunks[i].pos &&
			  wa.chunks[i].size == wb.chunks[i].size);
	ck_assert_uint_eq(wa.others.n, wb.others.n);
	assert_same_reader(a, b);
	ck_assert_uint_ge(b->priv->nr_adopted, 3 * 3);
	walked_release(&wa);
	walked_release(&wb);
	reader_free(a);
	reader_free(b);
	builder_unlink(&bd, path);
	builder_release(&bd);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_loop_test(tc, all_parts, 0, 2);
	tcase_add_loop_test(tc, many_others, 0, 2);
	tcase_add_loop_test(tc, disturbed, 0, NR_DISTURB);
	tcase_add_loop_test(tc, damaged, 0, 2);
	tcase_add_loop_test(tc, wrong_guesses, 0, 2);
	tcase_add_loop_test(tc, long_records, 0, 2);
	tcase_add_loop_test(tc, samples_wanted_later, 0, 2);
	tcase_add_test(tc, large_file);
	tcase_add_test(tc, directory);
}

int main(void)
{
	return test_run("reader: parts", add, 60);
}
