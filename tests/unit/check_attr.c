/* SPDX-License-Identifier: MIT */
/*
 * attr_decode() on bytes as a recorder on x86-64 and one on a big-endian machine write them; the
 * names of events; the decode plan and the lookup of a record's event.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/attr.h>
#include <perfrep/record.h>

#include "perfdata/evlist.h"

/*
 * perf record -e cycles:pp -g on x86-64 (128 bytes): type 0, config 0, freq 4000, sample_type
 * IP|TID|TIME|CALLCHAIN|ID|CPU|PERIOD, read_format ID|LOST; flags disabled, inherit, mmap, comm,
 * freq, enable_on_exec, task, precise_ip 2, sample_id_all, exclude_guest, mmap2, comm_exec,
 * ksymbol, bpf_event.
 */
static const uint8_t little[128] = {
	0,
	0,
	0,
	0,
	128,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0xa0,
	0x0f,
	0,
	0,
	0,
	0,
	0,
	0,
	0xe7,
	0x01,
	0,
	0,
	0,
	0,
	0,
	0,
	0x14,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0x03,
	0x37,
	0x95,
	0x61,
	0,
	0,
	0,
	0,
	[76] = 0x02,
	[88] = 0x00,
	[89] = 0x20,
	[92] = 1,
	[108] = 0x7f,
	[112] = 9,
};

START_TEST(little_endian)
{
	struct attr a;
	struct err err;

	ck_assert_int_eq(attr_decode(little, 128, false, &a, &err), 0);
	ck_assert_uint_eq(a.type, PERF_TYPE_HARDWARE);
	ck_assert_uint_eq(a.size, 128);
	ck_assert_uint_eq(a.sample_period, 4000);
	ck_assert_uint_eq(a.sample_type, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CALLCHAIN |
						 SAMPLE_ID | SAMPLE_CPU | SAMPLE_PERIOD);
	ck_assert_uint_eq(a.read_format, READ_ID | READ_LOST);
	ck_assert(attr_has(&a, ATTR_FREQ));
	ck_assert(attr_has(&a, ATTR_SAMPLE_ID_ALL));
	ck_assert(attr_has(&a, ATTR_COMM_EXEC));
	ck_assert(!attr_has(&a, ATTR_EXCLUDE_USER));
	ck_assert_uint_eq(a.flags >> ATTR_PRECISE_IP & 3, 2);
	ck_assert_uint_eq(a.branch_sample_type, (uint64_t)2 << 32);
	ck_assert_uint_eq(a.sample_stack_user, 8192);
	ck_assert_int_eq(a.clockid, 1);
	ck_assert_uint_eq(a.sample_max_stack, 127);
	ck_assert_uint_eq(a.aux_sample_size, 9);
	ck_assert(!a.unknown_tail);
}
END_TEST

/* Bit 0 of the flags is the top bit of byte 40; precise_ip lies across bytes 41 and 42. */
START_TEST(big_endian_flags)
{
	static const struct {
		uint8_t bytes[3];
		uint64_t flags;
	} cases[] = {
		{ { 0x80, 0, 0 }, 1 << ATTR_DISABLED },
		{ { 0x08, 0, 0 }, 1 << ATTR_EXCLUDE_USER },
		{ { 0, 0x80, 0 }, 1 << ATTR_MMAP },
		{ { 0, 0x20, 0 }, 1 << ATTR_FREQ },
		{ { 0, 0x01, 0 }, 2 << ATTR_PRECISE_IP },
		{ { 0, 0, 0x80 }, 1 << ATTR_PRECISE_IP },
		{ { 0, 0x01, 0x80 }, 3 << ATTR_PRECISE_IP },
		{ { 0, 0, 0x20 }, 1 << ATTR_SAMPLE_ID_ALL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t raw[64] = { [7] = 64 };
		struct attr a;

		memcpy(raw + 40, cases[i].bytes, 3);
		ck_assert_int_eq(attr_decode(raw, 64, true, &a, NULL), 0);
		ck_assert_uint_eq(a.flags, cases[i].flags);
	}
}
END_TEST

START_TEST(sizes)
{
	uint8_t raw[200];
	struct attr a;
	struct err err = { 0 };

	memset(raw, 0xff, sizeof(raw));
	memset(raw + 4, 0, 4); /* size 0 is 64: the fields behind are not read */
	ck_assert_int_eq(attr_decode(raw, sizeof(raw), false, &a, &err), 0);
	ck_assert_uint_eq(a.size, 64);
	ck_assert_uint_eq(a.config1, UINT64_MAX);
	ck_assert_uint_eq(a.config2, 0);
	ck_assert(!a.unknown_tail);

	raw[4] = 200; /* beyond what is known */
	ck_assert_int_eq(attr_decode(raw, sizeof(raw), false, &a, &err), 0);
	ck_assert_uint_eq(a.size, 200);
	ck_assert(a.unknown_tail);
	memset(raw + 144, 0, 56);
	ck_assert_int_eq(attr_decode(raw, sizeof(raw), false, &a, &err), 0);
	ck_assert(!a.unknown_tail);
	/* it says 200, but only 80 are there */
	ck_assert_int_eq(attr_decode(raw, 80, false, &a, &err), 0);
	ck_assert_uint_eq(a.branch_sample_type, UINT64_MAX);
	ck_assert_uint_eq(a.sample_regs_user, 0);

	raw[4] = 63;
	ck_assert_int_eq(attr_decode(raw, sizeof(raw), false, &a, &err), -ERR_FORMAT);
	ck_assert_str_eq(err.text,
			 "an event's attr says that its size is 63, expected at least 64");
	ck_assert_int_eq(attr_decode(raw, 63, false, &a, &err), -ERR_FORMAT);
	ck_assert_str_eq(err.text, "an event's attr has 63 bytes, expected at least 64");
}
END_TEST

START_TEST(names)
{
	static const struct {
		struct attr attr;
		const char *name;
	} cases[] = {
		{ { .type = 0, .config = 0 }, "cycles" },
		{ { .type = 0, .config = 5 }, "branch-misses" },
		{ { .type = 0, .config = 10 }, "type0/0xa" },
		{ { .type = 1, .config = 0 }, "cpu-clock" },
		{ { .type = 1, .config = 2 }, "page-faults" },
		{ { .type = 2, .config = 372 }, "tracepoint:372" },
		{ { .type = 3, .config = 0x10000 }, "L1-dcache-load-misses" },
		{ { .type = 3, .config = 0x00102 }, "LLC-stores" },
		{ { .type = 3, .config = 0x20000 }, "type3/0x20000" },
		{ { .type = 4, .config = 0x1a8 }, "raw 0x1a8" },
		{ { .type = 5, .config1 = 0x1000, .bp_type = 3 }, "mem:0x1000:rw" },
		{ { .type = 9, .config = 1 }, "type9/0x1" },
		{ { .flags = 1 << ATTR_EXCLUDE_KERNEL | 1 << ATTR_EXCLUDE_HV }, "cycles:u" },
		{ { .flags = 1 << ATTR_EXCLUDE_USER | 1 << ATTR_EXCLUDE_HV }, "cycles:k" },
		{ { .flags = 2 << ATTR_PRECISE_IP }, "cycles:pp" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int trust;
		char *name = event_name(&cases[i].attr, NULL, &trust);

		ck_assert_str_eq(name, cases[i].name);
		free(name);
	}
}
END_TEST

static struct evsel *add(struct evlist *list, uint64_t sample_type, uint64_t id)
{
	struct attr a = { .sample_type = sample_type, .flags = 1 << ATTR_SAMPLE_ID_ALL };

	return evlist_add(list, &a, &id, 1);
}

START_TEST(plan)
{
	struct evlist list;
	struct evsel *e;

	evlist_init(&list, false);
	e = add(&list, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_CPU, 1);
	ck_assert_int_eq(e->id_offset, 32);
	ck_assert_int_eq(e->time_offset, 24);
	ck_assert_int_eq(e->id_back, 16); /* ID, CPU */
	ck_assert_int_eq(e->time_back, 24); /* TIME, ID, CPU */
	ck_assert_uint_eq(e->trailer, 32);
	e = add(&list, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TIME | SAMPLE_STREAM_ID, 2);
	ck_assert_int_eq(e->id_offset, 8);
	ck_assert_int_eq(e->time_offset, 24);
	ck_assert_int_eq(e->id_back, 8);
	ck_assert_int_eq(e->time_back, 24); /* TIME, STREAM_ID, IDENTIFIER */
	ck_assert_uint_eq(e->trailer, 24);
	evlist_index(&list);
	ck_assert(!list.same_plan);
	ck_assert(list.timed);
	add(&list, SAMPLE_IP, 3);
	evlist_index(&list);
	ck_assert(!list.timed);
	evlist_release(&list);
}
END_TEST

/* A LOST record, whose trailer is IDENTIFIER only, by its last u64. */
START_TEST(event_of_a_record)
{
	uint8_t raw[32] = { 2, 0, 0, 0, 0, 0, 32, 0 };
	struct record rec = { .data = raw, .type = RECORD_LOST, .size = 32 };
	struct evlist list;

	evlist_init(&list, false);
	ck_assert_ptr_null(evlist_evsel(&list, &rec));
	add(&list, SAMPLE_IDENTIFIER, 0x0102);
	evlist_index(&list);
	ck_assert_ptr_eq(evlist_evsel(&list, &rec), &list.v[0]);
	add(&list, SAMPLE_IDENTIFIER, 0x0304);
	evlist_index(&list);
	ck_assert_ptr_eq(evlist_evsel(&list, &rec), &list.v[0]); /* id 0 */
	raw[24] = 0x04;
	raw[25] = 0x03;
	ck_assert_ptr_eq(evlist_evsel(&list, &rec), &list.v[1]);
	raw[25] = 0x04;
	ck_assert_ptr_null(evlist_evsel(&list, &rec));
	ck_assert_ptr_eq(evlist_by_id(&list, 0x0102), &list.v[0]);
	ck_assert_ptr_null(evlist_by_id(&list, 0));
	/* as a sample, the id is the first u64 */
	rec.type = RECORD_SAMPLE;
	memcpy(raw + 8, "\x02\x01\0\0\0\0\0\0", 8);
	ck_assert_ptr_eq(evlist_evsel(&list, &rec), &list.v[0]);
	rec.size = 12; /* too short for its id */
	ck_assert_ptr_null(evlist_evsel(&list, &rec));
	evlist_release(&list);
}
END_TEST

START_TEST(many_ids)
{
	struct evlist list;

	evlist_init(&list, false);
	for (uint64_t i = 0; i < 1000; i++)
		add(&list, SAMPLE_IDENTIFIER, i * i + 7);
	evlist_index(&list);
	for (uint64_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(evlist_by_id(&list, i * i + 7)->index, i);
	ck_assert_ptr_null(evlist_by_id(&list, 9));
	ck_assert_str_eq(list.v[0].name, "cycles");
	evlist_release(&list);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("attr");
	TCase *tc = tcase_create("attr");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, little_endian);
	tcase_add_test(tc, big_endian_flags);
	tcase_add_test(tc, sizes);
	tcase_add_test(tc, names);
	tcase_add_test(tc, plan);
	tcase_add_test(tc, event_of_a_record);
	tcase_add_test(tc, many_ids);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
