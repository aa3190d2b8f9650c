/* SPDX-License-Identifier: MIT */
/*
 * Records decoded from bytes written by hand, with the numbers that the format's description
 * gives them; trailers that are there and that are not; bodies cut at every length.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/record.h>

#include "perfdata/record_layout.h"

static struct record record_of(const uint8_t *raw, bool be)
{
	struct record rec = { .file_offset = 0x1234 };

	record_header(&rec, raw, be);
	return rec;
}

/* An event with the usual trailer TID, TIME, CPU, IDENTIFIER: 32 bytes. */
static const struct evsel *usual(struct evlist *list)
{
	struct attr a = { .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU |
					 SAMPLE_IDENTIFIER,
			  .flags = 1 << ATTR_SAMPLE_ID_ALL };

	evlist_init(list, false);
	evlist_add(list, &a, NULL, 0);
	evlist_index(list);
	return &list->v[0];
}

#define TRAILER                                                                                \
	0x2a, 0, 0, 0, 0x2b, 0, 0, 0, 0x40, 0x42, 0x0f, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, \
		0x65, 0, 0, 0, 0, 0, 0, 0

static const uint8_t comm[] = {
	3,    0,   0, 0, 0,    0x20, 56, 0, /* COMM, exec */
	0x2a, 0,   0, 0, 0x2b, 0,    0,  0, /* pid, tid */
	'l',  's', 0, 0, 0,    0,    0,  0, TRAILER,
};

START_TEST(comm_with_trailer)
{
	struct record rec = record_of(comm, false);
	struct record_body body;
	struct evlist list;
	struct err err;

	ck_assert_int_eq(record_decode(&rec, usual(&list), &body, &err), 0);
	ck_assert_int_eq(body.comm.pid, 42);
	ck_assert_int_eq(body.comm.tid, 43);
	ck_assert_str_eq(body.comm.comm, "ls");
	ck_assert(body.comm.exec);
	ck_assert_int_eq(body.id.pid, 42);
	ck_assert_int_eq(body.id.tid, 43);
	ck_assert(body.id.has_time && body.id.has_cpu);
	ck_assert_uint_eq(body.id.time, 1000000);
	ck_assert_uint_eq(body.id.cpu, 3);
	ck_assert_uint_eq(body.id.id, 101);
	evlist_release(&list);
}
END_TEST

/* The writer left the trailer out, though the event has sample_id_all. */
START_TEST(comm_without_trailer)
{
	uint8_t raw[24];
	struct record_body body;
	struct evlist list;
	struct record rec;
	struct err err;

	memcpy(raw, comm, 24);
	raw[6] = 24;
	rec = record_of(raw, false);
	ck_assert_int_eq(record_decode(&rec, usual(&list), &body, &err), 0);
	ck_assert_str_eq(body.comm.comm, "ls");
	ck_assert(!body.id.has_time);
	ck_assert_int_eq(body.id.pid, -1);
	ck_assert_uint_eq(body.id.id, 0);
	evlist_release(&list);
}
END_TEST

/* A comm of 40 bytes could hold the trailer by its size, but the string says that it has none. */
START_TEST(a_long_string_without_trailer)
{
	uint8_t raw[56] = { 3, 0, 0, 0, 0, 0, 56 };
	struct record_body body;
	struct evlist list;
	struct record rec;
	struct err err;

	memset(raw + 16, 'a', 39);
	rec = record_of(raw, false);
	ck_assert_int_eq(record_decode(&rec, usual(&list), &body, &err), 0);
	ck_assert_uint_eq(strlen(body.comm.comm), 39);
	ck_assert(!body.id.has_time);
	evlist_release(&list);
}
END_TEST

START_TEST(a_string_without_its_end)
{
	uint8_t raw[24];
	struct record_body body;
	struct record rec;
	struct err err = { 0 };

	memcpy(raw, comm, 24);
	raw[6] = 24;
	memset(raw + 16, 'x', 8);
	rec = record_of(raw, false);
	ck_assert_int_eq(record_decode(&rec, NULL, &body, &err), -ERR_FORMAT);
	ck_assert_str_eq(err.text,
			 "the COMM record at offset 0x1234 is malformed: its 24 bytes end "
			 "before its last field does");
}
END_TEST

/* The two forms of MMAP2: misc bit 14 says that the inode's place holds a build id. */
START_TEST(mmap2_forms)
{
	uint8_t raw[80] = {
		10, 0, 0, 0, 2, 0, 80,   0, 7, 0, 0,    0, 8, 0, 0,    0,   0,   0x10, 0,
		0,  0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0,    0, 0, 0, 0x30, 0,   0,   0,    0,
		0,  0, 8, 0, 0, 0, 1,    0, 0, 0, 0x99, 0, 0, 0, 0,    0,   0,   0,    5,
		0,  0, 0, 0, 0, 0, 0,    5, 0, 0, 0,    2, 0, 0, 0,    '/', 'a', 0,
	};
	struct record rec = record_of(raw, false);
	struct record_body body;
	struct err err;

	ck_assert_int_eq(record_cpumode(&rec), CPUMODE_USER);
	ck_assert_int_eq(record_decode(&rec, NULL, &body, &err), 0);
	ck_assert(body.mmap.is_mmap2);
	ck_assert_uint_eq(body.mmap.addr, 0x1000);
	ck_assert_uint_eq(body.mmap.len, 0x2000);
	ck_assert_uint_eq(body.mmap.pgoff, 0x3000);
	ck_assert_uint_eq(body.mmap.maj, 8);
	ck_assert_uint_eq(body.mmap.min, 1);
	ck_assert_uint_eq(body.mmap.ino, 0x99);
	ck_assert_uint_eq(body.mmap.ino_generation, 5);
	ck_assert_uint_eq(body.mmap.build_id.size, 0);
	ck_assert_uint_eq(body.mmap.prot, 5);
	ck_assert_uint_eq(body.mmap.flags, 2);
	ck_assert_str_eq(body.mmap.filename, "/a");

	raw[5] = 0x40;
	raw[40] = 20;
	rec = record_of(raw, false);
	ck_assert_int_eq(record_decode(&rec, NULL, &body, &err), 0);
	ck_assert_uint_eq(body.mmap.ino, 0);
	ck_assert_uint_eq(body.mmap.build_id.size, 20);
	ck_assert_mem_eq(body.mmap.build_id.bytes, "\x01\0\0\0\x99", 5);
	raw[40] = 200; /* a length that cannot be */
	ck_assert_int_eq(record_decode(&rec, NULL, &body, &err), 0);
	ck_assert_uint_eq(body.mmap.build_id.size, 20);
}
END_TEST

/* FORK in big-endian order: pid, ppid, tid, ptid, time. */
START_TEST(fork_big_endian)
{
	static const uint8_t raw[] = {
		0, 0, 0, 7, 0x20, 0,    0,    32,   0, 0, 0, 1, 0, 0, 0, 2,
		0, 0, 0, 3, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 1, 0,
	};
	struct record rec = record_of(raw, true);
	struct record_body body;

	ck_assert_uint_eq(rec.type, RECORD_FORK);
	ck_assert_uint_eq(rec.size, 32);
	ck_assert_uint_eq(rec.misc, MISC_FORK_EXEC);
	ck_assert_int_eq(record_decode(&rec, NULL, &body, NULL), 0);
	ck_assert_int_eq(body.task.pid, 1);
	ck_assert_int_eq(body.task.ppid, 2);
	ck_assert_int_eq(body.task.tid, 3);
	ck_assert_int_eq(body.task.ptid, -1);
	ck_assert_uint_eq(body.task.time, 256);
}
END_TEST

/* A count that is larger than what is there, up to one whose product would overflow. */
START_TEST(counts)
{
	uint8_t raw[40] = { 16, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
	struct record rec = record_of(raw, false);
	struct record_body body;

	ck_assert_int_eq(record_decode(&rec, NULL, &body, NULL), 0);
	ck_assert_uint_eq(body.namespaces.nr, 1);
	ck_assert_ptr_eq(body.namespaces.entries, raw + 24);
	raw[16] = 2;
	ck_assert_int_eq(record_decode(&rec, NULL, &body, NULL), -ERR_FORMAT);
	memset(raw + 16, 0, 8);
	raw[23] = 0x10; /* 2^60 entries of 16 bytes */
	ck_assert_int_eq(record_decode(&rec, NULL, &body, NULL), -ERR_FORMAT);
}
END_TEST

/* Each type with a body cut at every length: it decodes or says why not, and never reads on. */
START_TEST(cut_bodies)
{
	for (uint32_t type = 1; type <= RECORD_SCHEDSTAT_DOMAIN; type++) {
		for (uint16_t size = 8; size <= 120; size++) {
			uint8_t *raw = calloc(1, size);
			struct record_body body;
			struct err err = { 0 };
			struct record rec;
			int rc;

			raw[0] = (uint8_t)type;
			raw[6] = (uint8_t)size;
			rec = record_of(raw, false);
			rc = record_decode(&rec, NULL, &body, &err);
			ck_assert_int_le(rc, 1);
			ck_assert((rc < 0) == (err.text[0] != 0));
			if (rc == 0)
				ck_assert_uint_ge(size, record_min_size(type));
			free(raw);
		}
	}
}
END_TEST

START_TEST(type_names)
{
	char first[32];

	ck_assert_str_eq(record_type_name(RECORD_MMAP2), "MMAP2");
	ck_assert_str_eq(record_type_name(RECORD_COMPRESSED2), "COMPRESSED2");
	ck_assert_str_eq(record_type_name(32774), "SP_EVENT_ID");
	strcpy(first, record_type_name(93));
	ck_assert_str_eq(first, "type 93");
	ck_assert_uint_eq(record_min_size(RECORD_MMAP), 41);
	ck_assert_uint_eq(record_min_size(93), 8);
}
END_TEST

/* simpleperf's own records have the high half of their size in misc. */
START_TEST(simpleperf_header)
{
	static const uint8_t raw[] = { 1, 0x80, 0, 0, 2, 0, 8, 0 };
	struct record rec = record_of(raw, false);

	ck_assert_uint_eq(rec.type, 32769);
	ck_assert_uint_eq(rec.size, 0x20008);
	ck_assert_uint_eq(rec.misc, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("record");
	TCase *tc = tcase_create("record");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, comm_with_trailer);
	tcase_add_test(tc, comm_without_trailer);
	tcase_add_test(tc, a_long_string_without_trailer);
	tcase_add_test(tc, a_string_without_its_end);
	tcase_add_test(tc, mmap2_forms);
	tcase_add_test(tc, fork_big_endian);
	tcase_add_test(tc, counts);
	tcase_add_test(tc, cut_bodies);
	tcase_add_test(tc, type_names);
	tcase_add_test(tc, simpleperf_header);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
