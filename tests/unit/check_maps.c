/* SPDX-License-Identifier: MIT */
/*
 * Rectangles of address and time: the cases by hand, a model that goes through all events for
 * each question, and a JIT with 100,000 maps.
 */
#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "machine/maps.h"
#include "must.h"

#define NEVER UINT64_MAX

static const struct dso dso_a = { .id = 0, .kind = DSO_FILE, .path = "/a" };
static const struct dso dso_b = { .id = 1, .kind = DSO_FILE, .path = "/b" };
static const struct dso dso_c = { .id = 2, .kind = DSO_FILE, .path = "/c" };

static struct map ev(uint64_t from, uint64_t start, uint64_t end, const struct dso *dso,
		     uint64_t pgoff)
{
	return (struct map){
		.start = start, .end = end, .pgoff = pgoff, .dso = dso, .valid = { from, 0 }
	};
}

static void expect(const struct map *m, uint64_t start, uint64_t end, uint64_t pgoff,
		   const struct dso *dso, uint64_t from, uint64_t until)
{
	ck_assert_uint_eq(m->start, start);
	ck_assert_uint_eq(m->end, end);
	ck_assert_uint_eq(m->pgoff, pgoff);
	ck_assert_ptr_eq(m->dso, dso);
	ck_assert_uint_eq(m->valid.from, from);
	ck_assert_uint_eq(m->valid.until, until);
}

/* The map at (addr, when) must be this one, the answer valid in [from, until). */
static void find(const struct maps *m, uint64_t addr, uint64_t when, const struct dso *dso,
		 uint64_t location, uint64_t from, uint64_t until)
{
	struct validity v;
	const struct map *map = maps_find(m, addr, when, &v);

	ck_assert_ptr_eq(map ? map->dso : NULL, dso);
	if (map)
		ck_assert_uint_eq(addr - map->start + map->pgoff, location);
	ck_assert_uint_eq(v.from, from);
	ck_assert_uint_eq(v.until, until);
}

START_TEST(nothing)
{
	struct maps m;
	struct map none[] = { ev(1, 0x2000, 0x2000, &dso_a, 0), ev(1, 0x3000, 0x1000, &dso_a, 0) };

	maps_build(&m, NULL, 0);
	find(&m, 0x1000, 5, NULL, 0, 0, NEVER);
	maps_release(&m);
	maps_build(&m, none, 2);
	ck_assert_uint_eq(m.n, 0);
	find(&m, 0x2000, 5, NULL, 0, 0, NEVER);
	maps_release(&m);
}
END_TEST

START_TEST(one)
{
	struct maps m;
	struct map e = ev(10, 0x1000, 0x2000, &dso_a, 0x40);

	maps_build(&m, &e, 1);
	find(&m, 0x1000, 10, &dso_a, 0x40, 10, NEVER);
	find(&m, 0x1fff, 99, &dso_a, 0x103f, 10, NEVER);
	find(&m, 0x1000, 9, NULL, 0, 0, 10);
	find(&m, 0x0fff, 10, NULL, 0, 0, NEVER);
	find(&m, 0x2000, 10, NULL, 0, 0, NEVER);
	maps_release(&m);
}
END_TEST

static int by_start_time(const void *pa, const void *pb)
{
	const struct map *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->valid.from < b->valid.from ? -1 : a->valid.from > b->valid.from;
}

static size_t cut(const struct map *e, size_t n, struct map **out)
{
	size_t k = maps_cut(e, n, out);

	qsort(*out, k, sizeof(**out), by_start_time);
	return k;
}

/* A new map in the middle of an old one: what is left of the old one keeps its age. */
START_TEST(cut_in_two)
{
	struct map e[] = { ev(0, 0x1000, 0x5000, &dso_a, 0x100), ev(7, 0x2000, 0x3000, &dso_b, 0) };
	struct map *v;

	ck_assert_uint_eq(cut(e, 2, &v), 4);
	expect(&v[0], 0x1000, 0x2000, 0x100, &dso_a, 0, NEVER);
	expect(&v[1], 0x2000, 0x3000, 0x1100, &dso_a, 0, 7);
	expect(&v[2], 0x2000, 0x3000, 0, &dso_b, 7, NEVER);
	expect(&v[3], 0x3000, 0x5000, 0x2100, &dso_a, 0, NEVER);
	free(v);
}
END_TEST

/* Its end on one, its start on another, a third wholly beneath it. */
START_TEST(cut_many)
{
	struct map e[] = {
		ev(1, 0x1000, 0x2000, &dso_a, 0),
		ev(2, 0x2000, 0x3000, &dso_a, 0x7000),
		ev(3, 0x4000, 0x6000, &dso_a, 0x10),
		ev(9, 0x1800, 0x5000, &dso_b, 0x80),
	};
	struct map *v;

	ck_assert_uint_eq(cut(e, 4, &v), 6);
	expect(&v[0], 0x1000, 0x1800, 0, &dso_a, 1, NEVER);
	expect(&v[1], 0x1800, 0x2000, 0x800, &dso_a, 1, 9);
	expect(&v[2], 0x1800, 0x5000, 0x80, &dso_b, 9, NEVER);
	expect(&v[3], 0x2000, 0x3000, 0x7000, &dso_a, 2, 9);
	expect(&v[4], 0x4000, 0x5000, 0x10, &dso_a, 3, 9);
	expect(&v[5], 0x5000, 0x6000, 0x1010, &dso_a, 3, NEVER);
	free(v);
}
END_TEST

/* In one tick the later event wins, and the earlier one was never there. */
START_TEST(same_tick)
{
	struct map e[] = { ev(4, 0x1000, 0x3000, &dso_a, 0), ev(4, 0x1000, 0x2000, &dso_b, 0) };
	struct map *v;

	ck_assert_uint_eq(cut(e, 2, &v), 2);
	expect(&v[0], 0x1000, 0x2000, 0, &dso_b, 4, NEVER);
	expect(&v[1], 0x2000, 0x3000, 0x1000, &dso_a, 4, NEVER);
	free(v);
}
END_TEST

/* The same map again, or a part of it, says nothing new; another offset or protection does. */
START_TEST(repeated)
{
	struct map e[] = { ev(0, 0x1000, 0x3000, &dso_a, 0), ev(5, 0x1000, 0x3000, &dso_a, 0),
			   ev(6, 0x2000, 0x2800, &dso_a, 0x1000),
			   ev(7, 0x2000, 0x2800, &dso_a, 0) };
	struct map *v;

	ck_assert_uint_eq(cut(e, 3, &v), 1);
	expect(&v[0], 0x1000, 0x3000, 0, &dso_a, 0, NEVER);
	free(v);
	ck_assert_uint_eq(cut(e, 4, &v), 4);
	free(v);
	e[1].prot = 5;
	ck_assert_uint_eq(cut(e, 2, &v), 2);
	free(v);
}
END_TEST

START_TEST(taken_away)
{
	struct map e[] = { ev(1, 0x1000, 0x2000, &dso_a, 0), ev(5, 0x1000, 0x2000, NULL, 0),
			   ev(8, 0x1000, 0x2000, &dso_b, 0) };
	struct maps m;

	maps_build(&m, e, 3);
	find(&m, 0x1500, 4, &dso_a, 0x500, 1, 5);
	find(&m, 0x1500, 5, NULL, 0, 5, 8);
	find(&m, 0x1500, 7, NULL, 0, 5, 8);
	find(&m, 0x1500, 8, &dso_b, 0x500, 8, NEVER);
	maps_release(&m);
}
END_TEST

START_TEST(whole_address_space)
{
	struct map e[] = { ev(0, 0, NEVER, &dso_a, 0), ev(3, NEVER - 1, NEVER, &dso_b, 0),
			   ev(4, 0, 1, &dso_c, 9) };
	struct maps m;

	maps_build(&m, e, 3);
	find(&m, 0, 3, &dso_a, 0, 0, 4);
	find(&m, 0, 4, &dso_c, 9, 4, NEVER);
	find(&m, 1, 4, &dso_a, 1, 0, NEVER);
	find(&m, NEVER - 1, 3, &dso_b, 0, 3, NEVER);
	find(&m, NEVER, 3, NULL, 0, 0, NEVER);
	maps_release(&m);
}
END_TEST

/* ---- against a model --------------------------------------------------------------------- */

static uint64_t seed;

static uint64_t rnd(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* The last event at or before WHEN that covers ADDR. */
static const struct map *model(const struct map *e, size_t n, uint64_t addr, uint64_t when)
{
	const struct map *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (e[i].valid.from <= when && addr >= e[i].start && addr < e[i].end)
			found = &e[i];
	return found && found->dso ? found : NULL;
}

static void same_answer(const struct map *map, const struct map *want, uint64_t addr, uint64_t when)
{
	test_must(!map == !want, "0x%" PRIx64 " at %" PRIu64, addr, when);
	if (!map)
		return;
	test_must(map->dso == want->dso &&
			  addr - map->start + map->pgoff == addr - want->start + want->pgoff,
		  "0x%" PRIx64 " at %" PRIu64 ": %s", addr, when, map->dso->path);
}

static void ask(const struct maps *m, const struct map *e, size_t n, uint64_t addr, uint64_t when)
{
	struct validity v;
	const struct map *map = maps_find(m, addr, when, &v);
	uint64_t last = v.until - 1 < when + 40 ? v.until - 1 : when + 40;

	test_must(validity_has(v, when), "an answer for another time than %" PRIu64, when);
	test_must(!map || (addr >= map->start && addr < map->end && validity_has(map->valid, when)),
		  "0x%" PRIx64 " at %" PRIu64 " is not in the map that was found", addr, when);
	same_answer(map, model(e, n, addr, when), addr, when);
	same_answer(map, model(e, n, addr, v.from), addr, v.from);
	same_answer(map, model(e, n, addr, last), addr, last);
	same_answer(map, model(e, n, addr, v.from + (when - v.from) / 2), addr, when);
}

static void disjoint(const struct maps *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		for (uint32_t j = i + 1; j < m->n; j++) {
			const struct map *a = &m->v[i], *b = &m->v[j];

			test_must(a->end <= b->start || b->end <= a->start ||
					  a->valid.until <= b->valid.from ||
					  b->valid.until <= a->valid.from,
				  "rectangles %u and %u overlap", i, j);
		}
}

START_TEST(random_events)
{
	static const struct dso *const dsos[] = { &dso_a, &dso_b, &dso_c, NULL };
	struct map e[200];
	struct maps m;

	seed = 0x5eed0000 + (uint64_t)_i;
	for (int round = 0; round < 60; round++) {
		size_t n = 1 + rnd(200);
		uint64_t when = 0, span = 4 + rnd(400);

		for (size_t i = 0; i < n; i++) {
			uint64_t start = rnd(span), len = rnd(rnd(4) ? 8 : span);

			when += rnd(3);
			e[i] = ev(when, start, start + len, dsos[rnd(16) ? rnd(3) : 3], rnd(5));
		}
		maps_build(&m, e, n);
		disjoint(&m);
		for (int k = 0; k < 300; k++)
			ask(&m, e, n, rnd(span + 10), rnd(when + 3));
		maps_release(&m);
	}
	printf("random events: seed 0x%x\n", 0x5eed0000u + (unsigned)_i);
}
END_TEST

/* ---- size -------------------------------------------------------------------------------- */

static unsigned log2_up(uint64_t n)
{
	unsigned l = 0;

	while ((uint64_t)1 << l < n)
		l++;
	return l;
}

/* Comparisons that the longest search can take: one for each node, and a search in it. */
static unsigned longest(const struct maps *m, uint32_t node)
{
	unsigned left, right;

	if (node == MAPS_NONE)
		return 0;
	left = longest(m, m->nodes[node].left);
	right = longest(m, m->nodes[node].right);
	return 2 + log2_up(m->nodes[node].count + 1) + (left > right ? left : right);
}

#define JIT_MAPS 100000
#define JIT_BASE 0x7f0000000000u

/* Functions of a few hundred bytes over and over in one region of 1 MiB. */
START_TEST(jit)
{
	struct map *e = calloc(JIT_MAPS, sizeof(*e));
	struct maps m;
	struct timespec t0, t1;
	uint64_t found = 0, ns;

	seed = 0x717;
	for (size_t i = 0; i < JIT_MAPS; i++) {
		uint64_t start = JIT_BASE + rnd(1 << 20) / 64 * 64;

		e[i] = ev(i * 10, start, start + 64 + rnd(512), rnd(2) ? &dso_a : &dso_b, 0);
	}
	maps_build(&m, e, JIT_MAPS);
	ck_assert_uint_le(m.n, 3 * JIT_MAPS);
	ck_assert_uint_le(m.depth, log2_up(m.n) + 1);
	ck_assert_uint_le(longest(&m, 0), 250);
	clock_gettime(CLOCK_MONOTONIC, &t0);
	for (int k = 0; k < 1000000; k++) {
		struct validity v;

		found += maps_find(&m, JIT_BASE + rnd(1 << 20), rnd(JIT_MAPS * 10), &v) != NULL;
	}
	clock_gettime(CLOCK_MONOTONIC, &t1);
	ns = (uint64_t)(t1.tv_sec - t0.tv_sec) * 1000000000u + (uint64_t)t1.tv_nsec -
	     (uint64_t)t0.tv_nsec;
	printf("jit: %u rectangles, %u nodes, depth %u, at most %u comparisons, %.0f ns a lookup, "
	       "%.1f %% found\n",
	       m.n, m.nr_nodes, m.depth, longest(&m, 0), (double)ns / 1e6, (double)found / 1e4);
	for (int k = 0; k < 200; k++)
		ask(&m, e, JIT_MAPS, JIT_BASE + rnd(1 << 20), rnd(JIT_MAPS * 10));
	maps_release(&m);
	free(e);
}
END_TEST

/* Each map lies on the end of the one before: every event cuts. */
START_TEST(staircase)
{
	size_t n = 200000;
	struct map *e = calloc(n, sizeof(*e));
	struct maps m;

	for (size_t i = 0; i < n; i++)
		e[i] = ev(i, i * 16, i * 16 + 24, i % 2 ? &dso_a : &dso_b, 0);
	maps_build(&m, e, n);
	ck_assert_uint_eq(m.n, 2 * n - 1);
	ck_assert_uint_le(m.depth, log2_up(m.n) + 1);
	find(&m, 16 * 1000 + 4, 1000, &dso_b, 4, 1000, NEVER);
	find(&m, 16 * 1000 + 4, 999, &dso_a, 20, 999, 1000);
	maps_release(&m);
	free(e);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("maps");
	TCase *tc = tcase_create("maps");
	SRunner *sr;
	int failed;

	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, nothing);
	tcase_add_test(tc, one);
	tcase_add_test(tc, cut_in_two);
	tcase_add_test(tc, cut_many);
	tcase_add_test(tc, same_tick);
	tcase_add_test(tc, repeated);
	tcase_add_test(tc, taken_away);
	tcase_add_test(tc, whole_address_space);
	tcase_add_loop_test(tc, random_events, 0, 8);
	tcase_add_test(tc, jit);
	tcase_add_test(tc, staircase);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
