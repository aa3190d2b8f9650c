/* SPDX-License-Identifier: MIT */
/* Inflating in parts: the same bytes as zlib's, however often it stops; damage is found. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/xmalloc.h"
#include "objfile/deflate.h"

enum { SIZE = 300000 };

static uint8_t plain[SIZE], packed[2 * SIZE];

static uint64_t seed;

static uint32_t number(uint32_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

/* Bytes of an alphabet of N, with repetitions from near and far. */
static void make_plain(uint32_t n)
{
	for (size_t i = 0; i < SIZE;) {
		uint32_t len = 1 + number(400), back = 1 + number(number(2) ? 10 : 32768);

		if (number(2) || back > i) {
			for (; len && i < SIZE; len--)
				plain[i++] = (uint8_t)(number(4) ? number(n) * number(n) / n
								 : number(n));
		} else {
			for (; len && i < SIZE; len--, i++)
				plain[i] = plain[i - back];
		}
	}
}

static size_t pack(size_t n, int level, int strategy)
{
	z_stream z = { .next_in = plain,
		       .avail_in = (uInt)n,
		       .next_out = packed,
		       .avail_out = sizeof(packed) };

	ck_assert_int_eq(deflateInit2(&z, level, Z_DEFLATED, 15, 8, strategy), Z_OK);
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return (size_t)(z.next_out - packed);
}

/* In steps of at most STEP bytes; 0: all at once. */
static void unpack(size_t size, size_t n, uint32_t step)
{
	uint8_t *in = xmalloc(n); /* of its own, so that a read behind it is seen */
	struct deflate *d;
	size_t have = 0;

	memcpy(in, packed, n);
	d = deflate_begin(in, n, size);
	ck_assert_ptr_nonnull(d);
	for (size_t want = 0; have < size; want += step ? 1 + number(step) : size) {
		have = deflate_upto(d, want);
		ck_assert_uint_ge(have, want < size ? want : size);
		ck_assert_uint_le(have, size);
	}
	ck_assert_uint_eq(deflate_upto(d, size), size);
	ck_assert_mem_eq(deflate_bytes(d), plain, size);
	deflate_end(d);
	free(in);
}

START_TEST(same_as_zlib)
{
	static const uint32_t alphabets[] = { 1, 2, 5, 30, 256 };
	static const size_t sizes[] = { 0, 1, 10, 300, 70000, SIZE };

	seed = 7;
	for (size_t a = 0; a < sizeof(alphabets) / sizeof(alphabets[0]); a++) {
		make_plain(alphabets[a]);
		for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
			for (int level = 0; level <= 9; level += 3) {
				size_t n = pack(sizes[s], level, Z_DEFAULT_STRATEGY);

				unpack(sizes[s], n, 0);
				unpack(sizes[s], n, 5000);
			}
			unpack(sizes[s], pack(sizes[s], 6, Z_FIXED), 700);
			unpack(sizes[s], pack(sizes[s], 6, Z_HUFFMAN_ONLY), 90000);
			unpack(sizes[s], pack(sizes[s], 6, Z_RLE), 0);
		}
	}
}
END_TEST

START_TEST(stops_early)
{
	struct deflate *d;
	size_t n, have;

	seed = 3;
	make_plain(30);
	n = pack(SIZE, 6, Z_DEFAULT_STRATEGY);
	d = deflate_begin(packed, n, SIZE);
	have = deflate_upto(d, 1000);
	ck_assert_uint_ge(have, 1000);
	ck_assert_uint_lt(have, 1000 + 300);
	ck_assert_mem_eq(deflate_bytes(d), plain, have);
	ck_assert_uint_eq(deflate_upto(d, 500), have);
	deflate_end(d);
}
END_TEST

START_TEST(headers)
{
	size_t n;

	seed = 3;
	make_plain(30);
	n = pack(1000, 6, Z_DEFAULT_STRATEGY);
	ck_assert_ptr_null(deflate_begin(packed, 5, 1000));
	for (unsigned bit = 0; bit < 16; bit++) {
		struct deflate *d;

		packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
		d = deflate_begin(packed, n, 1000);
		ck_assert_ptr_null(d);
		packed[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}
END_TEST

/* A size that is not the stream's, a wrong check sum, a stream that is cut: never the whole. */
START_TEST(not_the_whole)
{
	static const size_t sizes[] = { 0, 999, 1001, 5000 };
	struct deflate *d;
	size_t n;

	seed = 3;
	make_plain(30);
	n = pack(1000, 6, Z_DEFAULT_STRATEGY);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		d = deflate_begin(packed, n, sizes[i]);
		ck_assert(!sizes[i] || deflate_upto(d, sizes[i]) < sizes[i]);
		deflate_end(d);
	}
	for (size_t cut = 6; cut < n; cut++) {
		uint8_t *in = xmalloc(cut);

		memcpy(in, packed, cut);
		d = deflate_begin(in, cut, 1000);
		ck_assert_uint_lt(deflate_upto(d, 1000), 1000);
		deflate_end(d);
		free(in);
	}
	packed[n - 1] ^= 1;
	d = deflate_begin(packed, n, 1000);
	ck_assert_uint_eq(deflate_upto(d, 1000), 0);
	deflate_end(d);
}
END_TEST

/* Damaged bytes: what comes out whole is what zlib makes of them too. */
START_TEST(mutations)
{
	static uint8_t other[20000];
	int whole = 0;

	for (int round = 0; round < 4000; round++) {
		size_t size = round % 2 ? 200 : sizeof(other), n;
		uLongf out = size;
		struct deflate *d;
		bool ours, theirs;

		seed = (uint64_t)round;
		if (round % 50 == 0)
			make_plain(1 + number(200));
		n = pack(size, 6, round % 3 ? Z_DEFAULT_STRATEGY : Z_FIXED);
		for (uint32_t k = number(3); k < 3; k++)
			packed[2 + number(round % 4 ? 60 : (uint32_t)n - 2)] ^=
				(uint8_t)(1u << number(8));
		d = deflate_begin(packed, n, size);
		while (number(4) && deflate_upto(d, number((uint32_t)size)))
			;
		ours = deflate_upto(d, size) == size;
		theirs = uncompress(other, &out, packed, n) == Z_OK && out == size;
		ck_assert_int_eq(ours, theirs);
		ck_assert(!ours || !memcmp(other, deflate_bytes(d), size));
		whole += ours;
		deflate_end(d);
	}
	ck_assert_int_gt(whole, 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("deflate");
	TCase *tc = tcase_create("deflate");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, same_as_zlib);
	tcase_add_test(tc, stops_early);
	tcase_add_test(tc, headers);
	tcase_add_test(tc, not_the_whole);
	tcase_add_test(tc, mutations);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
