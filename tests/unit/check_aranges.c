/* SPDX-License-Identifier: MIT */
/*
 * .debug_aranges written by hand: sets of either width and byte order, what is passed over, what
 * makes the table useless, and each length of it.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/dwarf_private.h"

#define CODE_LO 0x1000u
#define CODE_HI 0x9000u

static struct bytes {
	uint8_t b[512];
	size_t n;
	bool be;
} out;

static void put(uint64_t v, unsigned size)
{
	ck_assert_uint_le(out.n + size, sizeof(out.b));
	for (unsigned i = 0; i < size; i++) {
		unsigned byte = out.be ? size - 1 - i : i;

		out.b[out.n++] = byte < 8 ? (uint8_t)(v >> 8 * byte) : 0;
	}
}

struct set {
	bool wide; /* 64-bit DWARF */
	unsigned version, addr_size, seg_size; /* 0: 2, 8, 0 */
	uint64_t unit;
	uint64_t pairs[8]; /* address, size; then the end */
	unsigned nr; /* of pairs */
};

/* The header is padded, so that pairs begin at a multiple of their size from the set's start. */
static void add_set(const struct set *s)
{
	unsigned off = s->wide ? 8 : 4, addr = s->addr_size ? s->addr_size : 8;
	unsigned head = (s->wide ? 12 : 4) + 2 + off + 2, pad = -head % (2 * addr);

	if (s->wide)
		put(0xffffffff, 4);
	put(head - (s->wide ? 12 : 4) + pad + 2 * addr * (s->nr + 1), off);
	put(s->version ? s->version : 2, 2);
	put(s->unit, off);
	put(addr, 1);
	put(s->seg_size, 1);
	put(0, pad);
	for (unsigned i = 0; i < 2 * s->nr; i++)
		put(s->pairs[i], addr);
	put(0, addr);
	put(0, addr);
}

/* A file with code from CODE_LO to CODE_HI, and units at 0x00, 0x40 and 0x80. */
static struct dw_unit units[3];
static struct dw_file file;
static struct dw_aranges table;

static void setup(void)
{
	out = (struct bytes){ .be = false };
	memset(&file, 0, sizeof(file));
	memset(&table, 0, sizeof(table));
	vec_push(&file.code, (struct dw_span){ CODE_LO, CODE_HI });
	for (unsigned i = 0; i < 3; i++) {
		units[i] = (struct dw_unit){
			.file = &file, .id = i, .offset = 0x40 * i, .size = 0x40
		};
		vec_push(&file.units, &units[i]);
	}
	file.nr_info_units = 3;
	file.info_listed = file.units_listed = true;
}

static void teardown(void)
{
	vec_release(&table.list);
	vec_release(&file.code);
	vec_release(&file.units);
}

/* Read the first N bytes of what was written, from memory that ends there. */
static void read_table(size_t n)
{
	uint8_t *copy = malloc(n + 1);

	memcpy(copy, out.b, n);
	vec_release(&table.list);
	table = (struct dw_aranges){ 0 };
	file.be = out.be;
	file.sec[DW_SEC_ARANGES].opened = true;
	file.sec[DW_SEC_ARANGES].bytes = (struct dw_bytes){ copy, n };
	dw_aranges_read(&table, &file);
	free(copy);
}

static void is_at(uint64_t addr, const struct dw_unit *u)
{
	ck_assert_msg(dw_aranges_find(&table, &file, addr) == u, "address 0x%llx",
		      (unsigned long long)addr);
}

/* The edges of each range, in any order of sets. */
START_TEST(each_width)
{
	out.be = _i & 1;
	add_set(&(struct set){ .wide = _i & 2,
			       .addr_size = _i & 4 ? 4 : 8,
			       .unit = 0x40,
			       .pairs = { 0x3000, 0x10, 0x2000, 1 },
			       .nr = 2 });
	add_set(&(struct set){ .wide = _i & 2,
			       .addr_size = _i & 4 ? 4 : 8,
			       .unit = 0,
			       .pairs = { 0x2001, 0xff },
			       .nr = 1 });
	read_table(out.n);
	ck_assert_uint_eq(table.list.n, 3);
	is_at(0x1fff, NULL);
	is_at(0x2000, &units[1]);
	is_at(0x2001, &units[0]);
	is_at(0x20ff, &units[0]);
	is_at(0x2100, NULL);
	is_at(0x2fff, NULL);
	is_at(0x3000, &units[1]);
	is_at(0x300f, &units[1]);
	is_at(0x3010, NULL);
	is_at(UINT64_MAX, NULL);
}
END_TEST

/* Functions that the linker dropped, empty ranges, addresses that go round. */
START_TEST(passed_over)
{
	add_set(&(struct set){
		.unit = 0x80, .pairs = { 0, 0x10, UINT64_MAX, 8, 0x4000, 0, 0x5000, 4 }, .nr = 4 });
	read_table(out.n);
	ck_assert_uint_eq(table.list.n, 1);
	is_at(0, NULL);
	is_at(UINT64_MAX, NULL);
	is_at(0x4000, NULL);
	is_at(0x5003, &units[2]);
}
END_TEST

/* Ranges behind the end mark don't count; those of the set behind it do. */
START_TEST(the_end_mark)
{
	add_set(&(struct set){ .pairs = { 0x2000, 8, 0, 0, 0x3000, 8 }, .nr = 3 });
	add_set(&(struct set){ .unit = 0x40, .pairs = { 0x4000, 8 }, .nr = 1 });
	read_table(out.n);
	ck_assert_uint_eq(table.list.n, 2);
	is_at(0x2000, &units[0]);
	is_at(0x3000, NULL);
	is_at(0x4000, &units[1]);
}
END_TEST

/* A set of a kind that isn't known is passed over by its length. */
START_TEST(unknown_sets)
{
	static const struct set odd[] = {
		{ .version = 3, .pairs = { 0x2000, 8 }, .nr = 1 },
		{ .seg_size = 4, .pairs = { 0x2000, 8 }, .nr = 1 },
		{ .addr_size = 2, .pairs = { 0x2000, 8 }, .nr = 1 },
		{ .addr_size = 16, .pairs = { 0x2000, 8 }, .nr = 1 },
	};

	add_set(&odd[_i]);
	add_set(&(struct set){ .unit = 0x40, .pairs = { 0x4000, 8 }, .nr = 1 });
	read_table(out.n);
	ck_assert_uint_eq(table.list.n, 1);
	is_at(0x4007, &units[1]);
}
END_TEST

/* Two units that claim an address: what the others say is no more believed than they are. */
START_TEST(overlaps)
{
	add_set(&(struct set){ .unit = 0, .pairs = { 0x2000, 0x10, 0x6000, 4 }, .nr = 2 });
	add_set(&(struct set){ .unit = 0x40, .pairs = { _i ? 0x2010 : 0x200f, 8 }, .nr = 1 });
	read_table(out.n);
	ck_assert_uint_eq(table.list.n, _i ? 3 : 0);
	is_at(0x6000, _i ? &units[0] : NULL);
}
END_TEST

/* An offset that is in a unit, not at its start, or behind all. */
START_TEST(no_unit_there)
{
	add_set(&(struct set){ .unit = _i ? 0x1000 : 0x48, .pairs = { 0x2000, 8 }, .nr = 1 });
	read_table(out.n);
	ck_assert_uint_eq(table.list.n, 1);
	is_at(0x2000, NULL);
}
END_TEST

/* Cut anywhere, nothing is read behind the end, and only whole sets count. */
START_TEST(each_length)
{
	size_t first;

	add_set(&(struct set){ .wide = _i, .pairs = { 0x2000, 8 }, .nr = 1 });
	first = out.n;
	add_set(&(struct set){ .wide = _i, .unit = 0x40, .pairs = { 0x3000, 8 }, .nr = 1 });
	for (size_t n = 0; n <= out.n; n++) {
		read_table(n);
		ck_assert_uint_eq(table.list.n, (n >= first) + (n >= out.n));
	}
}
END_TEST

/* Lengths that lie: a set with more bytes than there are, or without room for a header. */
START_TEST(lying_lengths)
{
	static const uint64_t lengths[] = { 0, 1, 7, 8, 9, 0x1000, 0xfffffff0, 0xffffffff };

	add_set(&(struct set){ .pairs = { 0x2000, 8 }, .nr = 1 });
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		for (unsigned k = 0; k < 4; k++)
			out.b[k] = (uint8_t)(lengths[i] >> 8 * k);
		read_table(out.n);
		ck_assert_uint_eq(table.list.n, 0);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("aranges");
	TCase *tc = tcase_create("aranges");
	SRunner *sr;
	int failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, each_width, 0, 8);
	tcase_add_test(tc, passed_over);
	tcase_add_test(tc, the_end_mark);
	tcase_add_loop_test(tc, unknown_sets, 0, 4);
	tcase_add_loop_test(tc, overlaps, 0, 2);
	tcase_add_loop_test(tc, no_unit_there, 0, 2);
	tcase_add_loop_test(tc, each_length, 0, 2);
	tcase_add_test(tc, lying_lengths);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
