/* SPDX-License-Identifier: MIT */
/* jitdump: loads and moves, either byte order, cut and damaged files. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "symbol/jitdump.h"

static struct strbuf out;
static bool be;

static void u32(uint32_t v)
{
	v = be ? __builtin_bswap32(v) : v;
	strbuf_add(&out, &v, 4);
}

static void u64(uint64_t v)
{
	v = be ? __builtin_bswap64(v) : v;
	strbuf_add(&out, &v, 8);
}

static void begin(uint64_t flags)
{
	strbuf_clear(&out);
	u32(0x4A695444);
	u32(1);
	u32(40);
	u32(62);
	u32(0);
	u32(4711);
	u64(1);
	u64(flags);
}

static void load(uint64_t when, uint64_t addr, uint64_t index, const char *name)
{
	size_t len = strlen(name) + 1;

	u32(0);
	u32((uint32_t)(16 + 40 + len + 16));
	u64(when);
	u32(4711);
	u32(4712);
	u64(addr + 0x100000); /* where the pages are, not where it runs */
	u64(addr);
	u64(16);
	u64(index);
	strbuf_add(&out, name, len);
	strbuf_add(&out, "0123456789abcdef", 16);
}

static void move(uint64_t when, uint64_t from, uint64_t to, uint64_t index)
{
	u32(1);
	u32(16 + 48);
	u64(when);
	u32(4711);
	u32(4712);
	u64(to);
	u64(from);
	u64(to);
	u64(24);
	u64(index);
}

static void other(uint32_t id, uint32_t payload)
{
	u32(id);
	u32(16 + payload);
	u64(99);
	for (uint32_t i = 0; i < payload; i++)
		strbuf_addc(&out, (char)0xab);
}

static void example(void)
{
	begin(0);
	load(100, 0x7000, 1, "Foo.first(int; long)");
	other(2, 40); /* line numbers */
	load(200, 0x7000, 2, "Bar.second()");
	other(4, 8); /* unwinding */
	move(300, 0x7000, 0x9000, 2);
	other(77, 0);
	other(3, 0); /* close */
}

START_TEST(loads_and_moves)
{
	struct jitdump jd;

	be = _i;
	example();
	ck_assert_int_eq(jitdump_parse((uint8_t *)out.s, out.n, &jd, NULL), 0);
	ck_assert_uint_eq(jd.n, 3);
	ck_assert_uint_eq(jd.records, 7);
	ck_assert_uint_eq(jd.malformed, 0);
	ck_assert_uint_eq(jd.undecoded, 0);
	ck_assert_uint_eq(jd.pid, 4711);
	ck_assert_uint_eq(jd.e_machine, 62);
	ck_assert(!jd.arch_timestamp);
	ck_assert_uint_eq(jd.loads[0].when, 100);
	ck_assert_uint_eq(jd.loads[0].addr, 0x7000);
	ck_assert_uint_eq(jd.loads[0].size, 16);
	ck_assert_str_eq(jd.loads[0].name, "Foo.first(int; long)");
	ck_assert_uint_eq(jd.loads[1].when, 200);
	ck_assert_str_eq(jd.loads[1].name, "Bar.second()");
	ck_assert_uint_eq(jd.loads[2].when, 300);
	ck_assert_uint_eq(jd.loads[2].addr, 0x9000);
	ck_assert_uint_eq(jd.loads[2].size, 24);
	ck_assert_str_eq(jd.loads[2].name, "Bar.second()");
	jitdump_release(&jd);
}
END_TEST

START_TEST(headers)
{
	struct jitdump jd;
	struct err err;

	be = false;
	begin(1);
	ck_assert_int_eq(jitdump_parse((uint8_t *)out.s, out.n, &jd, NULL), 0);
	ck_assert(jd.arch_timestamp);
	ck_assert_uint_eq(jd.n, 0);
	jitdump_release(&jd);
	ck_assert_int_eq(jitdump_parse((uint8_t *)out.s, 39, &jd, &err), -ERR_FORMAT);
	ck_assert_str_eq(err.text, "jitdump: 39 bytes, the header alone has 40");
	out.s[8] = 41;
	ck_assert_int_eq(jitdump_parse((uint8_t *)out.s, out.n, &jd, &err), -ERR_FORMAT);
	ck_assert_str_eq(err.text, "jitdump: the header claims 41 bytes of 40");
	out.s[8] = 39;
	ck_assert_int_eq(jitdump_parse((uint8_t *)out.s, out.n, &jd, &err), -ERR_FORMAT);
	out.s[4] = 2;
	ck_assert_int_eq(jitdump_parse((uint8_t *)out.s, out.n, &jd, &err), -ERR_UNSUPPORTED);
	ck_assert_str_eq(err.text, "jitdump: version 2, expected 1");
	out.s[0] = 0;
	ck_assert_int_eq(jitdump_parse((uint8_t *)out.s, out.n, &jd, &err), -ERR_FORMAT);
	ck_assert_str_eq(err.text, "jitdump: the magic number is 0x4a695400, expected 0x4a695444");
}
END_TEST

/* A longer header is passed over; a move of what was never loaded is left out. */
START_TEST(odd_records)
{
	struct jitdump jd;

	be = false;
	begin(0);
	out.s[8] = 48;
	u64(0);
	move(1, 1, 2, 3);
	load(2, UINT64_MAX - 8, 4, "wraps");
	load(3, 0x1000, 5, "");
	load(4, 0x1000, 6, "good");
	ck_assert_int_eq(jitdump_parse((uint8_t *)out.s, out.n, &jd, NULL), 0);
	ck_assert_uint_eq(jd.records, 4);
	ck_assert_uint_eq(jd.malformed, 3);
	ck_assert_uint_eq(jd.n, 1);
	ck_assert_str_eq(jd.loads[0].name, "good");
	jitdump_release(&jd);
}
END_TEST

/* Cut anywhere: the records that are whole, and the rest counted. */
START_TEST(cuts)
{
	static const struct {
		size_t end;
		size_t loads;
	} whole[] = {
		{ 40 + 93, 1 },
		{ 40 + 93 + 56 + 85, 2 },
		{ 40 + 93 + 56 + 85 + 24 + 64, 3 },
	};

	be = false;
	example();
	for (size_t n = 40; n <= out.n; n++) {
		uint8_t *copy = malloc(n);
		struct jitdump jd;
		size_t loads = 0;

		memcpy(copy, out.s, n);
		ck_assert_int_eq(jitdump_parse(copy, n, &jd, NULL), 0);
		for (size_t i = 0; i < 3; i++)
			loads += n >= whole[i].end;
		ck_assert_uint_eq(jd.n, loads);
		ck_assert_uint_eq(jd.malformed, 0);
		jitdump_release(&jd);
		free(copy);
	}
}
END_TEST

START_TEST(mutations)
{
	static const uint8_t bytes[] = { 0, 1, 15, 16, 17, 0x7f, 0x80, 0xff };
	uint64_t seed = 99;

	be = false;
	example();
	for (int round = 0; round < 20000; round++) {
		uint8_t *copy = malloc(out.n);
		struct jitdump jd;

		memcpy(copy, out.s, out.n);
		for (int i = 0; i < 3; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			copy[(seed >> 33) % out.n] = bytes[(seed >> 20) % sizeof(bytes)];
		}
		if (jitdump_parse(copy, out.n, &jd, NULL) == 0) {
			for (size_t i = 0; i < jd.n; i++)
				ck_assert(jd.loads[i].size && strlen(jd.loads[i].name) < out.n);
			jitdump_release(&jd);
		}
		free(copy);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("jitdump");
	TCase *tc = tcase_create("jitdump");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, loads_and_moves, 0, 2);
	tcase_add_test(tc, headers);
	tcase_add_test(tc, odd_records);
	tcase_add_test(tc, cuts);
	tcase_add_test(tc, mutations);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	strbuf_release(&out);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
