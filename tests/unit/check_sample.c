/* SPDX-License-Identifier: MIT */
/*
 * Samples from words written by hand, in the order in which the kernel writes the fields; the
 * branch stack's ambiguity; lengths that don't fit into the record.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/sample.h>

#include "base/cursor.h"

/* A sample of WORDS, each a u64 in little-endian order, or big-endian if BE. */
struct made {
	uint8_t raw[1024];
	struct record rec;
	struct evsel evsel;
	struct sample s;
	int rc;
	struct err err;
};

static void put(uint8_t *p, uint64_t v, bool be)
{
	for (int i = 0; i < 8; i++)
		p[be ? 7 - i : i] = (uint8_t)(v >> (8 * i));
}

static void decode(struct made *m, const struct attr *attr, const uint64_t *words, size_t n,
		   bool be)
{
	static char name[] = "cycles";

	memset(m, 0, sizeof(*m));
	for (size_t i = 0; i < n; i++)
		put(m->raw + 8 + 8 * i, words[i], be);
	m->evsel.attr = *attr;
	m->evsel.name = name;
	m->rec = (struct record){ .data = m->raw,
				  .type = RECORD_SAMPLE,
				  .size = (uint32_t)(8 + 8 * n),
				  .misc = CPUMODE_USER | MISC_EXACT_IP,
				  .be = be,
				  .file_offset = 0x40 };
	m->rc = sample_decode(&m->rec, &m->evsel, &m->s, &m->err);
}

#define WORDS(...)                         \
	(const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

/* Two u32 as one word: what a little-endian machine writes for { a, b }. */
#define PAIR(a, b) ((uint64_t)(uint32_t)(b) << 32 | (uint32_t)(a))

START_TEST(every_plain_field)
{
	struct attr a = { .sample_type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME |
					 SAMPLE_ADDR | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU |
					 SAMPLE_PERIOD | SAMPLE_WEIGHT | SAMPLE_DATA_SRC |
					 SAMPLE_TRANSACTION | SAMPLE_PHYS_ADDR | SAMPLE_CGROUP |
					 SAMPLE_DATA_PAGE_SIZE | SAMPLE_CODE_PAGE_SIZE };
	struct made m;

	decode(&m, &a,
	       WORDS(1, 2, PAIR(3, 4), 5, 6, 1, 8, PAIR(9, 0), 10, 11, 12, 13, 14, 15, 16, 17),
	       false);
	ck_assert_msg(m.rc == 0, "%s", m.err.text);
	ck_assert_uint_eq(m.s.present, a.sample_type);
	ck_assert_uint_eq(m.s.id, 1);
	ck_assert_uint_eq(m.s.ip, 2);
	ck_assert_int_eq(m.s.pid, 3);
	ck_assert_int_eq(m.s.tid, 4);
	ck_assert_uint_eq(m.s.time, 5);
	ck_assert_uint_eq(m.s.addr, 6);
	ck_assert_uint_eq(m.s.stream_id, 8);
	ck_assert_uint_eq(m.s.cpu, 9);
	ck_assert_uint_eq(m.s.period, 10);
	ck_assert_uint_eq(m.s.weight, 11);
	ck_assert_uint_eq(m.s.data_src, 12);
	ck_assert_uint_eq(m.s.transaction, 13);
	ck_assert_uint_eq(m.s.phys_addr, 14);
	ck_assert_uint_eq(m.s.cgroup, 15);
	ck_assert_uint_eq(m.s.data_page_size, 16);
	ck_assert_uint_eq(m.s.code_page_size, 17);
	ck_assert_uint_eq(m.s.left, 0);
	ck_assert_int_eq(m.s.cpumode, CPUMODE_USER);
	ck_assert(m.s.exact_ip);
}
END_TEST

START_TEST(absent_fields)
{
	struct attr a = { .sample_type = SAMPLE_IP };
	struct made m;

	decode(&m, &a, WORDS(0x400000), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_int_eq(m.s.pid, -1);
	ck_assert_int_eq(m.s.tid, -1);
	ck_assert_uint_eq(m.s.chain_nr, 0);
	ck_assert_ptr_null(m.s.chain);
	ck_assert_ptr_null(m.s.stack);
}
END_TEST

START_TEST(chain)
{
	struct attr a = { .sample_type = SAMPLE_CALLCHAIN };
	struct made m;

	for (int be = 0; be < 2; be++) {
		decode(&m, &a, WORDS(3, CONTEXT_USER, 0x1111, 0x2222), be);
		ck_assert_int_eq(m.rc, 0);
		ck_assert_uint_eq(m.s.chain_nr, 3);
		ck_assert_uint_eq(sample_chain_ip(&m.s, 0), CONTEXT_USER);
		ck_assert_uint_eq(sample_chain_ip(&m.s, 2), 0x2222);
	}
	decode(&m, &a, WORDS(4, CONTEXT_USER, 0x1111, 0x2222), false);
	ck_assert_int_eq(m.rc, -ERR_FORMAT);
	ck_assert_str_eq(m.err.text,
			 "the SAMPLE record of cycles at offset 0x40 is malformed: its 40 "
			 "bytes end before its last field does");
	/* 2^61 entries of 8 bytes are 0 bytes, if one does not look */
	decode(&m, &a, WORDS((uint64_t)1 << 61), false);
	ck_assert_int_eq(m.rc, -ERR_FORMAT);
	decode(&m, &a, WORDS(0), false);
	ck_assert_int_eq(m.rc, 0);
}
END_TEST

/* A single value has the times before its id; a group has them before all. */
START_TEST(read_formats)
{
	struct attr a = { .sample_type = SAMPLE_READ };
	struct record_read_value v;
	struct made m;

	a.read_format = READ_TOTAL_TIME_ENABLED | READ_TOTAL_TIME_RUNNING | READ_ID | READ_LOST;
	decode(&m, &a, WORDS(100, 7, 8, 55, 2), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_uint_eq(m.s.read_nr, 1);
	ck_assert_uint_eq(m.s.time_enabled, 7);
	ck_assert_uint_eq(m.s.time_running, 8);
	v = sample_read_value(&m.s, 0);
	ck_assert_uint_eq(v.value, 100);
	ck_assert_uint_eq(v.id, 55);
	ck_assert_uint_eq(v.lost, 2);

	a.read_format |= READ_GROUP;
	decode(&m, &a, WORDS(2, 7, 8, 100, 55, 0, 200, 56, 1), true);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_uint_eq(m.s.read_nr, 2);
	v = sample_read_value(&m.s, 1);
	ck_assert_uint_eq(v.value, 200);
	ck_assert_uint_eq(v.id, 56);
	ck_assert_uint_eq(v.lost, 1);
	decode(&m, &a, WORDS(3, 7, 8, 100, 55, 0, 200, 56, 1), true);
	ck_assert_int_eq(m.rc, -ERR_FORMAT);
}
END_TEST

START_TEST(raw)
{
	struct attr a = { .sample_type = SAMPLE_RAW };
	struct made m;

	decode(&m, &a, WORDS(PAIR(12, 0x64636261), 0x6867666564636261), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_uint_eq(m.s.raw_size, 12);
	ck_assert_mem_eq(m.s.raw, "abcdabcdefgh", 12);
	ck_assert_uint_eq(m.s.left, 0);
	decode(&m, &a, WORDS(PAIR(13, 0), 0), false);
	ck_assert_int_eq(m.rc, -ERR_FORMAT);
}
END_TEST

START_TEST(branches)
{
	struct attr a = { .sample_type = SAMPLE_BRANCH_STACK };
	struct branch_entry b;
	struct made m;

	/* mispredicted, 1000 cycles, a call, privilege user */
	decode(&m, &a, WORDS(1, 0x10, 0x20, 1 | 1000 << 4 | 4 << 20 | 1 << 30), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_uint_eq(m.s.branch_nr, 1);
	ck_assert(!m.s.branch_has_hw_idx);
	b = sample_branch(&m.s, 0);
	ck_assert_uint_eq(b.from, 0x10);
	ck_assert_uint_eq(b.to, 0x20);
	ck_assert(b.mispred && !b.predicted && !b.in_tx && !b.abort);
	ck_assert_uint_eq(b.cycles, 1000);
	ck_assert_uint_eq(b.type, 4);
	ck_assert_uint_eq(b.priv, 1);

	/* the same by a big-endian compiler */
	decode(&m, &a,
	       WORDS(1, 0x10, 0x20,
		     (uint64_t)1 << 63 | (uint64_t)1000 << 44 | (uint64_t)4 << 40 |
			     (uint64_t)1 << 31),
	       true);
	b = sample_branch(&m.s, 0);
	ck_assert(b.mispred && !b.predicted && !b.in_tx && !b.abort);
	ck_assert_uint_eq(b.cycles, 1000);
	ck_assert_uint_eq(b.type, 4);
	ck_assert_uint_eq(b.priv, 1);

	a.branch_sample_type = BRANCH_HW_INDEX | BRANCH_COUNTERS;
	decode(&m, &a, WORDS(1, 77, 0x10, 0x20, 0, 0xc0), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert(m.s.branch_has_hw_idx);
	ck_assert_uint_eq(m.s.branch_hw_idx, 77);
	ck_assert_uint_eq(get_u64(m.s.branch_counters, false), 0xc0);
	ck_assert_uint_eq(m.s.left, 0);
}
END_TEST

/* No entries: with the index or without it, what uses the record up is right. */
START_TEST(no_branches_with_and_without_index)
{
	struct attr a = { .sample_type = SAMPLE_BRANCH_STACK | SAMPLE_WEIGHT,
			  .branch_sample_type = BRANCH_HW_INDEX };
	struct made m;

	decode(&m, &a, WORDS(0, UINT64_MAX, 5), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert(m.s.branch_has_hw_idx);
	ck_assert_uint_eq(m.s.branch_hw_idx, UINT64_MAX);
	ck_assert_uint_eq(m.s.weight, 5);
	decode(&m, &a, WORDS(0, 5), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert(!m.s.branch_has_hw_idx);
	ck_assert_uint_eq(m.s.weight, 5);
	ck_assert_uint_eq(m.s.left, 0);
	/* neither fits: the flag is believed */
	decode(&m, &a, WORDS(0, 1, 5, 6), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert(m.s.branch_has_hw_idx);
	ck_assert_uint_eq(m.s.weight, 5);
	ck_assert_uint_eq(m.s.left, 8);
	decode(&m, &a, WORDS(0), false);
	ck_assert_int_eq(m.rc, -ERR_FORMAT);
}
END_TEST

START_TEST(registers_and_stack)
{
	struct attr a = { .sample_type = SAMPLE_REGS_USER | SAMPLE_STACK_USER | SAMPLE_REGS_INTR,
			  .sample_regs_user = 1 << 6 | 1 << 7 | 1 << 8,
			  .sample_regs_intr = 1 << 0 };
	uint64_t v;
	struct made m;

	decode(&m, &a, WORDS(2, 0xb0, 0x50, 0x10, 16, 0x1122, 0x3344, 12, 2, 0xa0), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_uint_eq(m.s.user_abi, 2);
	ck_assert(sample_user_reg(&m.s, 7, &v));
	ck_assert_uint_eq(v, 0x50);
	ck_assert(sample_user_reg(&m.s, 8, &v));
	ck_assert_uint_eq(v, 0x10);
	ck_assert(!sample_user_reg(&m.s, 9, &v));
	ck_assert(!sample_user_reg(&m.s, 64, &v));
	ck_assert_uint_eq(m.s.stack_dumped, 16);
	ck_assert_uint_eq(m.s.stack_size, 12);
	ck_assert_mem_eq(m.s.stack, "\x22\x11", 2);
	ck_assert_uint_eq(m.s.intr_abi, 2);
	ck_assert_uint_eq(m.s.left, 0);
	/* a kernel thread: no registers, no stack, no size behind it */
	decode(&m, &a, WORDS(0, 0, 0), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert(!sample_user_reg(&m.s, 7, &v));
	ck_assert_uint_eq(m.s.stack_dumped, 0);
	/* an abi that nobody knows still has its registers */
	decode(&m, &a, WORDS(9, 1, 2, 3, 0, 0), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert(sample_user_reg(&m.s, 6, &v));
	ck_assert_uint_eq(v, 1);
	/* more valid bytes than were dumped */
	decode(&m, &a, WORDS(0, 8, 0x1122, 999, 0), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_uint_eq(m.s.stack_size, 8);
	decode(&m, &a, WORDS(0, UINT64_MAX - 7, 0), false);
	ck_assert_int_eq(m.rc, -ERR_FORMAT);
}
END_TEST

/* AUX is the last field, whatever its bit. */
START_TEST(aux_is_last)
{
	struct attr a = { .sample_type = SAMPLE_AUX | SAMPLE_CGROUP | SAMPLE_CODE_PAGE_SIZE };
	struct made m;

	decode(&m, &a, WORDS(1, 4096, 8, 0x6867666564636261), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_uint_eq(m.s.cgroup, 1);
	ck_assert_uint_eq(m.s.code_page_size, 4096);
	ck_assert_uint_eq(m.s.aux_size, 8);
	ck_assert_mem_eq(m.s.aux, "abcdefgh", 8);
}
END_TEST

/* A field that was added after this program was written: what is before it is decoded. */
START_TEST(unknown_bits)
{
	struct attr a = { .sample_type = SAMPLE_IP | (uint64_t)1 << 25 };
	struct made m;

	decode(&m, &a, WORDS(0x1234, 1, 2), false);
	ck_assert_int_eq(m.rc, 0);
	ck_assert_uint_eq(m.s.ip, 0x1234);
	ck_assert_uint_eq(m.s.present, SAMPLE_IP);
	ck_assert_uint_eq(m.s.left, 16);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("sample");
	TCase *tc = tcase_create("sample");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, every_plain_field);
	tcase_add_test(tc, absent_fields);
	tcase_add_test(tc, chain);
	tcase_add_test(tc, read_formats);
	tcase_add_test(tc, raw);
	tcase_add_test(tc, branches);
	tcase_add_test(tc, no_branches_with_and_without_index);
	tcase_add_test(tc, registers_and_stack);
	tcase_add_test(tc, aux_is_last);
	tcase_add_test(tc, unknown_bits);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
