/* SPDX-License-Identifier: MIT */
/*
 * What a recording takes: decompressed records beyond a limit lie in a temporary file, whose pages
 * leave the address space behind each walk, as a large file's do; the list of pieces doesn't grow
 * with what comes out; and when the temporary file cannot grow, that is said.
 */
#include "reader_test.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cursor.h"
#include "perfdata/reader_priv.h"

#define SAMPLES 8000
#define DUMP    8000
#define RECORD  (8 + 16 + 8 + DUMP + 8)
#define LIMIT   ((uint64_t)8 << 20)

static void write_samples(struct builder *b, size_t nr)
{
	builder_init(b, &(struct builder_opts){ .compress = BUILDER_COMPRESSED, .chunk = 1 << 20 });
	builder_event(b, &(struct builder_attr){ .sample_type = SAMPLE_IP | SAMPLE_TIME |
								SAMPLE_STACK_USER,
						 .sample_stack_user = DUMP });
	for (uint64_t i = 0; i < nr; i++)
		builder_sample(b, 0,
			       &(struct builder_sample){ .time = i + 1,
							 .ip = i * i * 977,
							 .stack_size = DUMP,
							 .dyn_size = DUMP });
}

/* How many of SIZE bytes are in this process's memory: bit 63 of each page's entry. */
static uint64_t present(const void *map, uint64_t size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = 0, entry;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	ck_assert_int_ge(fd, 0);
	for (uint64_t at = 0; at < size; at += page) {
		off_t offset = (off_t)(((uintptr_t)map + at) / page * sizeof(entry));

		if (pread(fd, &entry, sizeof(entry), offset) == sizeof(entry) && entry >> 63)
			bytes += page;
	}
	close(fd);
	return bytes;
}

static uint64_t present_of_file(const struct reader *r)
{
	const struct segments *s = &r->priv->segments;
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].in_file)
			bytes += present(s->v[i].map, s->v[i].size);
	return bytes;
}

/* The samples of C, of which the first has the time AT; the time behind the last. */
static uint64_t walk_chunk(struct chunk c, uint64_t at)
{
	struct record rec;

	for (; chunk_next(&c, &rec) == 0; at++) {
		test_must(rec.type == RECORD_SAMPLE && rec.size == RECORD, "record %llu is another",
			  (unsigned long long)at);
		test_must(get_u64(rec.data + 16, false) == at + 1, "sample %llu is another",
			  (unsigned long long)at);
	}
	return at;
}

static void walk_chunks(const struct reader *r, uint64_t most)
{
	struct chunk *chunks;
	size_t nr = reader_chunks(r, 1 << 20, &chunks);
	uint64_t at = 0;

	for (size_t i = 0; i < nr; i++) {
		at = walk_chunk(chunks[i], at);
		reader_drop(r, &chunks[i]);
		ck_assert_uint_le(present_of_file(r), most);
	}
	ck_assert_uint_eq(at, SAMPLES);
	free(chunks);
}

/* 64 MB within a limit of 8: the same records, twice, and no more than a segment in memory. */
START_TEST(limit)
{
	static const uint64_t segment = 4 << 20;
	const struct segments *s;
	struct builder b;
	struct reader *r;

	write_samples(&b, SAMPLES);
	r = test_open(&b, 0);
	reader_limit_memory(r, LIMIT);
	ck_assert_uint_eq(test_walk(r, &b, SIZE_MAX), b.nr_marks);
	ck_assert(r->complete);
	s = &r->priv->segments;
	ck_assert_uint_ge(s->total, (uint64_t)SAMPLES * DUMP);
	ck_assert_uint_eq(s->total - s->fd_size, LIMIT);
	/* the last segment is still written to */
	ck_assert_uint_gt(present_of_file(r), 0);
	ck_assert_uint_le(present_of_file(r), segment);
	segments_drop(s, s->v[s->n - 1].map, segment);
	ck_assert_uint_eq(present_of_file(r), 0);
	walk_chunks(r, segment);
	walk_chunks(r, segment);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* Without need for a file there is none. */
START_TEST(within_limit)
{
	struct builder b;
	struct reader *r;

	write_samples(&b, SAMPLES);
	r = test_open(&b, 0);
	test_drain(r);
	ck_assert_int_eq(r->priv->segments.fd, -1);
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* How large a file of this process may be; RLIM_INFINITY: as before. */
static void limit_files(rlim_t bytes)
{
	struct rlimit most;

	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &most), 0);
	most.rlim_cur = bytes < most.rlim_max ? bytes : most.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &most), 0);
}

/* No file of this process may have more than 16 MB: what came before that is read. */
START_TEST(file_cannot_grow)
{
	struct builder b;
	struct reader *r;
	uint64_t first = LIMIT + (16 << 20);

	write_samples(&b, SAMPLES);
	r = test_open(&b, 0);
	reader_limit_memory(r, LIMIT);
	limit_files(16 << 20);
	test_drain(r);
	limit_files(RLIM_INFINITY);
	ck_assert(!r->complete);
	ck_assert_uint_eq(r->nr_damages, 1);
	ck_assert_msg(strstr(r->damages[0].text, "cannot be decompressed (the temporary file for "
						 "decompressed data cannot grow to 20971520 bytes: "
						 "File too large)"),
		      "%s", r->damages[0].text);
	ck_assert_uint_le(r->decompressed_bytes, first);
	ck_assert_uint_gt(r->decompressed_bytes, first - (1 << 20));
	reader_free(r);
	builder_release(&b);
}
END_TEST

/* The same for a pipe's bytes, that are no more than in a file: nothing can be read then. */
START_TEST(spool_cannot_grow)
{
	static uint8_t data[60000];
	struct spool *sp = spool_new(1000);
	struct err err = { 0 };

	limit_files(100000);
	ck_assert_int_eq(spool_add(sp, data, sizeof(data), &err), 0);
	ck_assert_int_eq(spool_add(sp, data, sizeof(data), &err), -ERR_IO);
	limit_files(RLIM_INFINITY);
	ck_assert_str_eq(err.text,
			 "the temporary file for input cannot be written: File too large");
	spool_free(sp);
}
END_TEST

/* A file of NR records of 64 KB, of which all but the headers is a hole. */
static void write_holes(char *path, unsigned nr)
{
	const struct {
		uint32_t type;
		uint16_t misc, size;
	} head = { RECORD_LOST_SAMPLES, 0, 65528 };
	struct builder b;
	off_t end;
	int fd;

	builder_init(&b, &(struct builder_opts){ .unfinalised = true });
	builder_event(&b, &(struct builder_attr){ 0 });
	ck_assert_int_eq(builder_write(&b, path), 0);
	builder_release(&b);
	fd = open(path, O_WRONLY);
	end = lseek(fd, 0, SEEK_END);
	for (unsigned i = 0; i < nr; i++, end += head.size)
		test_must(pwrite(fd, &head, sizeof(head), end) == sizeof(head), "no room on disk");
	ck_assert_int_eq(ftruncate(fd, end), 0);
	close(fd);
}

/* Of a large file the walk keeps 64 MB, and some that come unasked; of others all. */
START_TEST(mapped_file)
{
	static const uint64_t step = 64 << 20, margin = 8 << 20;
	char path[] = "/tmp/perfrep-test-XXXXXX";
	uint64_t most = 0, n = 0, now;
	struct reader *r;
	struct record rec;
	struct err err;

	close(mkstemp(path));
	write_holes(path, 3200);
	ck_assert_int_eq(reader_open(&r, path, &err), 0);
	r->priv->drop = _i;
	while (reader_next(r, &rec) == 0) {
		for (uint32_t at = 8; at < rec.size; at += 4096)
			test_must(!rec.data[at], "a hole has bytes");
		if (++n % 200)
			continue;
		now = present(r->priv->sources[0].data, r->priv->sources[0].size);
		most = now > most ? now : most;
	}
	ck_assert_uint_eq(n, 3200);
	if (_i)
		ck_assert_uint_le(most, step + margin);
	else
		ck_assert_uint_gt(most, step + margin);
	reader_free(r);
	unlink(path);
}
END_TEST

/* Many small records out of a small file: pieces are put together, and hold all of them. */
START_TEST(pieces)
{
	enum { NR = 200 };
	struct builder b;
	struct reader *r;
	struct chunk *chunks;
	uint64_t records = 0, pos = 0;
	struct record rec;
	size_t nr;

	write_samples(&b, NR);
	r = test_open(&b, 0);
	r->priv->coarsen_at = 10;
	r->priv->grain = RECORD; /* a piece each */
	test_drain(r);
	ck_assert_uint_eq(r->nr_by_type[RECORD_SAMPLE], NR);
	ck_assert_uint_eq(r->priv->grain, 2 * RECORD);
	ck_assert_uint_eq(r->priv->coarsen_at, MAX_PIECES);
	nr = reader_chunks(r, 1, &chunks);
	ck_assert_uint_eq(nr, NR / 2);
	for (size_t i = 0; i < nr; i++) {
		while (chunk_next(&chunks[i], &rec) == 0) {
			test_must(rec.pos > pos, "pos does not grow");
			pos = rec.pos;
			records += rec.type == RECORD_SAMPLE;
		}
	}
	ck_assert_uint_eq(records, NR);
	free(chunks);
	reader_free(r);
	builder_release(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, limit);
	tcase_add_test(tc, within_limit);
	tcase_add_test(tc, file_cannot_grow);
	tcase_add_test(tc, spool_cannot_grow);
	tcase_add_loop_test(tc, mapped_file, 0, 2);
	tcase_add_test(tc, pieces);
}

int main(void)
{
	return test_run("reader: bounds", add, 60);
}
