/* SPDX-License-Identifier: MIT */
/*
 * Stacks as a recording's samples bring them: stored, iterated, summed up by row and slice of
 * time, sorted.  Random profiles are compared with sums made the slow way.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/moments.h>
#include <perfrep/order.h>
#include <perfrep/profile.h>
#include <perfrep/sums.h>

enum { EVENTS = 2 };

static struct profile *new_profile(uint32_t nr_locs, uint32_t lines_of_each)
{
	struct profile *p = profile_new();

	profile_event_add(p, "cycles", "");
	profile_event_add(p, "faults", "");
	for (uint32_t i = 0; i < nr_locs; i++) {
		uint32_t loc = profile_loc(p, LOC_DSO, 0, i, 0);
		struct line lines[4] = { 0 };

		for (uint32_t k = 0; k < lines_of_each; k++) {
			char name[32];
			int len = snprintf(name, sizeof(name), "f%u", (i + k) % 97);

			lines[k].func = profile_func(p, profile_string(p, name, (size_t)len), 0, 0);
			lines[k].flags = k + 1 < lines_of_each ? LINE_INLINED : 0;
		}
		profile_set_lines(p, loc, lines, lines_of_each);
	}
	return p;
}

static uint32_t new_key(struct profile *p, const char *comm)
{
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };

	key.comm = profile_string(p, comm, strlen(comm));
	return profile_key(p, &key);
}

static void add(struct profile *p, uint32_t key, const uint32_t *locs, size_t n, uint32_t event,
		uint64_t weight, uint8_t block)
{
	struct stack_weight w = { .weight = weight, .event = event, .block = block };

	profile_add_stack(p, locs, n, key, &w, 1);
}

static void check(const struct profile *p)
{
	struct err err = { 0 };

	ck_assert_msg(profile_check(p, &err) == 0, "%s", err.text);
}

START_TEST(equal_stacks_are_one)
{
	struct profile *p = new_profile(4, 1);
	uint32_t key = new_key(p, "a"), other = new_key(p, "b");
	const uint32_t x[] = { 0, 1, 2 }, y[] = { 0, 1 };
	struct stack_iter it;

	add(p, key, x, 3, 0, 10, 0);
	add(p, key, y, 2, 0, 1, 0);
	add(p, key, x, 3, 0, 20, 5);
	add(p, other, x, 3, 0, 100, 0);
	add(p, key, x, 3, 1, 7, 0);
	profile_end_stacks(p);
	check(p);
	ck_assert_uint_eq(p->events[0].weight, 131);
	ck_assert_uint_eq(p->events[0].samples, 4);
	ck_assert_uint_eq(p->events[1].weight, 7);

	stack_iter_init(&it, p, 0);
	ck_assert(stack_iter_next(&it)); /* as they were first met */
	ck_assert_uint_eq(it.n, 3);
	ck_assert_uint_eq(it.locs[0], 0);
	ck_assert_uint_eq(it.locs[2], 2);
	ck_assert_uint_eq(it.weight, 30);
	ck_assert_uint_eq(it.count, 2);
	ck_assert_uint_eq(it.key, key);
	ck_assert(stack_iter_next(&it));
	ck_assert_uint_eq(it.n, 2);
	ck_assert_uint_eq(it.weight, 1);
	ck_assert(stack_iter_next(&it));
	ck_assert_uint_eq(it.key, other);
	ck_assert_uint_eq(it.weight, 100);
	ck_assert(!stack_iter_next(&it));
	stack_iter_release(&it);

	stack_iter_init(&it, p, PROFILE_NONE);
	it.by_block = true;
	ck_assert(stack_iter_next(&it)); /* the latest is found first */
	ck_assert_uint_eq(it.event, 1);
	ck_assert_uint_eq(it.weight, 7);
	ck_assert(stack_iter_next(&it));
	ck_assert_uint_eq(it.event, 0);
	ck_assert_uint_eq(it.weight, 20);
	ck_assert_uint_eq(it.block, 5);
	ck_assert(stack_iter_next(&it));
	ck_assert_uint_eq(it.weight, 10);
	ck_assert_uint_eq(it.block, 0);
	ck_assert(stack_iter_next(&it));
	ck_assert_uint_eq(it.weight, 1);
	ck_assert(stack_iter_next(&it));
	ck_assert_uint_eq(it.weight, 100);
	ck_assert(!stack_iter_next(&it));
	stack_iter_release(&it);
	profile_free(p);
}
END_TEST

static void take_one(const struct profile *p, uint64_t weight, uint64_t count)
{
	struct stack_iter it;

	for (int by_block = 0; by_block < 2; by_block++) {
		stack_iter_init(&it, p, 0);
		it.by_block = by_block;
		ck_assert(stack_iter_next(&it));
		ck_assert_uint_eq(it.weight, weight);
		ck_assert_uint_eq(it.count, count);
		ck_assert(!stack_iter_next(&it));
		stack_iter_release(&it);
	}
}

/* More than the record of a stack itself has room for. */
START_TEST(heavy_stacks)
{
	static const uint64_t weights[][2] = { { UINT32_MAX, 0 },
					       { UINT32_MAX, 1 },
					       { UINT64_C(1) << 32, 1 },
					       { 1, UINT64_C(1) << 40 },
					       { 0, UINT64_MAX } };
	const uint32_t x[] = { 2, 1 };

	for (size_t i = 0; i < sizeof(weights) / sizeof(*weights); i++) {
		struct profile *p = new_profile(4, 1);
		uint32_t key = new_key(p, "a");

		add(p, key, x, 2, 0, weights[i][0], 3);
		add(p, key, x, 2, 0, weights[i][1], 3);
		profile_end_stacks(p);
		check(p);
		take_one(p, weights[i][0] + weights[i][1], 2);
		profile_free(p);
	}
}
END_TEST

START_TEST(stacks_that_come_often)
{
	static const uint32_t counts[] = { 1, 253, 254, 255, 256, 700 };
	const uint32_t x[] = { 2, 1 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct profile *p = new_profile(4, 1);
		uint32_t key = new_key(p, "a");

		for (uint32_t k = 0; k < counts[i]; k++)
			add(p, key, x, 2, 0, 3, 0);
		profile_end_stacks(p);
		check(p);
		take_one(p, 3 * counts[i], counts[i]);
		profile_free(p);
	}
}
END_TEST

/* Location numbers that don't fit a word, and the ones around the border. */
START_TEST(wide_locations)
{
	enum { LOCS = 70000 };
	struct profile *p = new_profile(LOCS, 1);
	uint32_t key = new_key(p, "a");
	const uint32_t x[] = { 0xfffd, 0xfffe, 0xffff, 0x10000, 69999, 3 };
	const uint32_t y[] = { 0xfffd, 0xfffe, 0xffff, 0x10000, 69998, 3 };
	struct stack_iter it;

	for (int i = 0; i < 3; i++) {
		add(p, key, x, 6, 0, 1, 0);
		add(p, key, y, 6, 0, 1, 0);
	}
	profile_end_stacks(p);
	check(p);
	stack_iter_init(&it, p, 0);
	ck_assert(stack_iter_next(&it));
	ck_assert_uint_eq(it.n, 6);
	ck_assert_mem_eq(it.locs, x, sizeof(x));
	ck_assert_uint_eq(it.count, 3);
	ck_assert(stack_iter_next(&it));
	ck_assert_mem_eq(it.locs, y, sizeof(y));
	ck_assert_uint_eq(it.count, 3);
	ck_assert(!stack_iter_next(&it));
	stack_iter_release(&it);
	profile_free(p);
}
END_TEST

/* Stacks that hardly ever come again are not looked for; their sums are the same. */
START_TEST(many_different_stacks)
{
	enum { LOCS = 100000, DIFFERENT = 200000, AGAIN = 300000 };
	struct profile *p = new_profile(LOCS, 1);
	uint32_t key = new_key(p, "a");
	uint64_t weight = 0, count = 0;
	struct stack_iter it;

	for (uint32_t i = 0; i < DIFFERENT + AGAIN; i++) {
		uint32_t n = i < DIFFERENT ? i : i % 7;
		const uint32_t x[] = { n % 1000, n / 1000 };

		add(p, key, x, 2, 0, i, 0);
	}
	profile_end_stacks(p);
	check(p);
	stack_iter_init(&it, p, 0);
	while (stack_iter_next(&it)) {
		ck_assert_uint_eq(it.n, 2);
		if (it.locs[0] == 3 && it.locs[1] == 0) {
			weight += it.weight;
			count += it.count;
		}
	}
	stack_iter_release(&it);
	for (uint32_t i = DIFFERENT; i < DIFFERENT + AGAIN; i++) {
		weight -= i % 7 == 3 ? i : 0;
		count -= i % 7 == 3;
	}
	ck_assert_uint_eq(weight, 3);
	ck_assert_uint_eq(count, 1);
	profile_free(p);
}
END_TEST

static uint32_t rnd(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*state >> 33);
}

struct sample {
	uint32_t locs[12], n, event;
	uint64_t weight;
	uint8_t block;
};

/* N samples over two workers' profiles, put together. */
static struct profile *random_profile(struct sample *samples, size_t n, uint32_t nr_locs,
				      uint64_t seed)
{
	struct profile *w[2] = { new_profile(nr_locs, 2), new_profile(nr_locs, 2) };
	uint32_t key[2] = { new_key(w[0], "a"), new_key(w[1], "a") };

	for (size_t i = 0; i < n; i++) {
		struct sample *s = &samples[i];
		int worker = i % 3 == 0;

		s->n = 1 + rnd(&seed) % 12;
		for (uint32_t k = 0; k < s->n; k++)
			s->locs[k] = rnd(&seed) % (k < 8 ? 3 : nr_locs);
		s->event = rnd(&seed) % EVENTS;
		s->weight = rnd(&seed) % 1000;
		s->block = (uint8_t)(i * PROFILE_BLOCKS / n);
		add(w[worker], key[worker], s->locs, s->n, s->event, s->weight, s->block);
	}
	profile_end_stacks(w[0]);
	profile_end_stacks(w[1]);
	profile_adopt(w[0], w[1]);
	w[0]->timed = true;
	return w[0];
}

static bool has_func(const struct profile *p, const struct sample *s, uint32_t func)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct location *l = &p->locs[s->locs[i]];

		for (uint32_t k = 0; k < l->nr_lines; k++)
			if (p->lines[l->first_line + k].func == func)
				return true;
	}
	return false;
}

static void compare_func(const struct profile *p, const struct row_blocks *b, uint32_t event,
			 uint32_t func, const struct sample *samples, size_t n)
{
	uint64_t self[PROFILE_BLOCKS] = { 0 }, total[PROFILE_BLOCKS] = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct sample *s = &samples[i];
		const struct location *leaf = &p->locs[s->locs[s->n - 1]];

		if (s->event != event)
			continue;
		if (p->lines[leaf->first_line].func == func)
			self[s->block] += s->weight;
		if (has_func(p, s, func))
			total[s->block] += s->weight;
	}
	ck_assert_mem_eq(&b->self[func * b->n], self, sizeof(self));
	ck_assert_mem_eq(&b->total[func * b->n], total, sizeof(total));
}

START_TEST(sums_are_those_of_the_samples)
{
	enum { N = 3000, LOCS = 40 };
	static struct sample samples[N];
	struct profile *p = random_profile(samples, N, LOCS, 17);
	uint32_t *func_of = calloc(p->nr_lines, sizeof(*func_of));

	check(p);
	for (size_t i = 0; i < p->nr_lines; i++)
		func_of[i] = p->lines[i].func;
	for (p->threads = 1; p->threads < 4; p->threads++) {
		for (uint32_t event = 0; event < EVENTS; event++) {
			struct row_sums sums;

			row_sums(&sums, p, event, func_of, p->nr_funcs, true);
			ck_assert_uint_eq(sums.blocks.n, PROFILE_BLOCKS);
			for (uint32_t f = 0; f < p->nr_funcs; f++)
				compare_func(p, &sums.blocks, event, f, samples, N);
			row_sums_release(&sums);
		}
	}
	free(func_of);
	profile_free(p);
}
END_TEST

START_TEST(the_trie_has_the_same_stacks)
{
	enum { N = 2000, LOCS = 40 };
	static struct sample samples[N];
	struct profile *p = random_profile(samples, N, LOCS, 4);
	uint64_t weight = 0, count = 0;

	profile_need_trie(p);
	check(p);
	for (size_t i = 0; i < p->nr_nodes && i < p->events[1].node_cap; i++) {
		weight += p->events[1].node_weight[i];
		count += p->events[1].node_count[i];
	}
	ck_assert_uint_eq(weight, p->events[1].weight);
	ck_assert_uint_eq(count, p->events[1].samples);
	profile_free(p);
}
END_TEST

/* ---- order ---- */

struct texts {
	struct frames_range *keys, *locs;
	uint32_t *frames, *ranks;
};

/* Frames are functions; a frame that ends a stack is below the one that does not. */
static struct stack_frames frames_of(const struct profile *p, struct texts *t)
{
	uint32_t n = 0;

	t->keys = calloc(p->nr_keys, sizeof(*t->keys));
	t->locs = calloc(p->nr_locs, sizeof(*t->locs));
	t->frames = calloc(p->nr_lines + p->nr_keys, sizeof(*t->frames));
	t->ranks = calloc(2 * p->nr_funcs, sizeof(*t->ranks));
	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		t->locs[i] = (struct frames_range){ n, l->nr_lines };
		for (uint32_t k = l->nr_lines; k-- > 0;)
			t->frames[n++] = p->lines[l->first_line + k].func;
	}
	for (uint32_t i = 0; i < 2 * p->nr_funcs; i++)
		t->ranks[i] = i;
	return (struct stack_frames){ .frames = t->frames,
				      .keys = t->keys,
				      .locs = { t->locs, NULL },
				      .ranks = t->ranks,
				      .nr_ranks = 2 * (uint32_t)p->nr_funcs };
}

static void texts_release(struct texts *t)
{
	free(t->keys);
	free(t->locs);
	free(t->frames);
	free(t->ranks);
}

/* -1, 0, 1 as the ranks of two stacks say. */
static int compare(const uint32_t *a, size_t na, const uint32_t *b, size_t nb)
{
	for (size_t i = 0; i < na && i < nb; i++) {
		uint32_t ra = 2 * a[i] + (i + 1 < na), rb = 2 * b[i] + (i + 1 < nb);

		if (ra != rb)
			return ra < rb ? -1 : 1;
	}
	return na < nb ? -1 : na > nb;
}

static void check_order(const struct profile *p, uint32_t event)
{
	struct texts t;
	struct stack_frames f = frames_of(p, &t);
	uint32_t *at = NULL, *last = NULL, *swap;
	size_t at_cap = 0, last_cap = 0, n, last_n = 0, swap_cap;
	uint64_t weight = 0, samples = 0, count;
	struct stack_order o;

	stack_order_init(&o, p, event, &f);
	for (size_t i = 0; i < o.n; i++) {
		n = stack_order_frames(&o, i, &at, &at_cap);
		ck_assert_int_le(i ? compare(last, last_n, at, n) : -1, 0);
		weight += stack_order_weight(&o, i, &count);
		samples += count;
		swap = last, last = at, at = swap;
		swap_cap = last_cap, last_cap = at_cap, at_cap = swap_cap;
		last_n = n;
	}
	ck_assert_uint_eq(weight, p->events[event].weight);
	ck_assert_uint_eq(samples, p->events[event].samples);
	stack_order_release(&o);
	texts_release(&t);
	free(at);
	free(last);
}

START_TEST(order_is_by_frames)
{
	enum { N = 5000, LOCS = 300 };
	static struct sample samples[N];
	struct profile *p = random_profile(samples, N, LOCS, 99);

	check_order(p, 0);
	check_order(p, 1);
	profile_free(p);
}
END_TEST

/* Two equal stacks, and one that differs at the end only: no recursion, no quadratic time. */
START_TEST(order_of_deep_stacks)
{
	enum { DEPTH = 200000 };
	struct profile *p = new_profile(3, 1);
	uint32_t keys[2] = { new_key(p, "a"), new_key(p, "b") };
	uint32_t *locs = calloc(DEPTH, sizeof(*locs));

	for (size_t i = 0; i < DEPTH; i++)
		locs[i] = i % 3;
	add(p, keys[0], locs, DEPTH, 0, 1, 0);
	add(p, keys[1], locs, DEPTH, 0, 1, 0);
	locs[DEPTH - 1] ^= 1;
	add(p, keys[0], locs, DEPTH, 0, 1, 0);
	profile_end_stacks(p);
	check_order(p, 0);
	free(locs);
	profile_free(p);
}
END_TEST

/*
 * A trie's stacks are written out with room to spare: behind one that is longer than numbers of
 * stacks reach, others must not be put into what it left.
 */
START_TEST(behind_a_stack_of_a_million_frames)
{
	enum { LONG = 1000000, SHORT = 30000, SHORTS = 150 };
	struct profile *p = new_profile(4, 1);
	uint32_t node = profile_root(p, new_key(p, "a"));

	for (uint32_t i = 0; i < LONG; i++)
		node = profile_child(p, node, i % 3);
	profile_add(p, 0, node, 1, 1);
	node = profile_root(p, new_key(p, "b"));
	for (uint32_t i = 0; i < SHORT; i++) {
		node = profile_child(p, node, 3 - i % 2);
		if (i >= SHORT - SHORTS)
			profile_add(p, 0, node, 1, 1);
	}
	ck_assert_uint_eq(p->events[0].samples, SHORTS + 1);
	check_order(p, 0);
	profile_free(p);
}
END_TEST

/* Few stacks, which are looked up, or many, which soon are not: each sample keeps its own. */
static void check_moments(uint32_t nr_samples, uint32_t variety)
{
	struct profile *p = new_profile(300, 1), *other = new_profile(300, 1);
	uint32_t keys[] = { new_key(p, "a"), new_key(other, "b") }, *locs = NULL;
	struct moments m;
	size_t cap = 0;

	for (uint32_t i = 0; i < nr_samples; i++) {
		struct profile *to = i % 3 ? p : other;
		uint32_t v = i * 2654435761u % variety;
		const uint32_t stack[] = { v % 300, v / 300 % 300, v / 90000 % 300 };

		add(to, keys[to == other], stack, 3, i % 2, 5, 0);
		/* four at a time, told apart by their order */
		profile_add_moment(to, i / 4, i, i % 2);
	}
	profile_end_stacks(p);
	profile_end_stacks(other);
	profile_adopt(p, other);
	profile_moments(&m, p, 1);
	ck_assert_uint_eq(m.n, nr_samples / 2);
	for (uint32_t k = 0; k < m.n; k++) {
		uint32_t i = 2 * k + 1, v = i * 2654435761u % variety;

		ck_assert_uint_eq(m.v[k].when, i / 4);
		ck_assert_uint_eq(m.v[k].order, i);
		ck_assert_str_eq(profile_str(p, p->keys[m.v[k].key].comm), i % 3 ? "a" : "b");
		ck_assert_uint_eq(moment_stack(p, &m.v[k], &locs, &cap), 3);
		ck_assert_uint_eq(locs[0], v % 300);
		ck_assert_uint_eq(locs[1], v / 300 % 300);
		ck_assert_uint_eq(locs[2], v / 90000 % 300);
	}
	check(p);
	moments_release(&m);
	free(locs);
	profile_free(p);
}

START_TEST(moments_keep_their_stacks)
{
	check_moments(1000, 50);
	check_moments(300000, 27000000);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("stacks");
	TCase *t = tcase_create("stacks");
	SRunner *r;
	int failed;

	tcase_add_test(t, behind_a_stack_of_a_million_frames);
	tcase_add_test(t, moments_keep_their_stacks);
	tcase_add_test(t, equal_stacks_are_one);
	tcase_add_test(t, heavy_stacks);
	tcase_add_test(t, stacks_that_come_often);
	tcase_add_test(t, wide_locations);
	tcase_add_test(t, many_different_stacks);
	tcase_add_test(t, sums_are_those_of_the_samples);
	tcase_add_test(t, the_trie_has_the_same_stacks);
	tcase_add_test(t, order_is_by_frames);
	tcase_add_test(t, order_of_deep_stacks);
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
