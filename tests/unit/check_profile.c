/* SPDX-License-Identifier: MIT */
/*
 * The profile: interning, adding, merging, rows and the invariants; random profiles against a
 * model that keeps every sample as it came and counts by brute force.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/folded.h>
#include <perfrep/profile.h>

#include "base/intern.h"

static uint32_t str(struct profile *p, const char *s)
{
	return profile_string(p, s, strlen(s));
}

static void assert_sound(const struct profile *p)
{
	struct err err = { 0 };
	int ret = profile_check(p, &err);

	ck_assert_msg(ret == 0, "%s", err.text);
}

static void assert_broken(const struct profile *p, const char *sentence)
{
	struct err err = { 0 };

	ck_assert_int_lt(profile_check(p, &err), 0);
	ck_assert_str_eq(err.text, sentence);
}

/* ---- interning --------------------------------------------------------------------------- */

START_TEST(equal_things_have_one_id)
{
	struct profile *p = profile_new();
	struct stack_key a = { .comm = str(p, "a"), .pid = 1, .tid = 2, .cpu = -1 }, b = a;
	uint32_t l = profile_loc(p, LOC_DSO, 3, 0x1000, 0), root, node;

	ck_assert_uint_eq(profile_loc(p, LOC_DSO, 3, 0x1000, 0), l);
	ck_assert_uint_ne(profile_loc(p, LOC_DSO, 4, 0x1000, 0), l);
	ck_assert_uint_ne(profile_loc(p, LOC_DSO, 3, 0x1001, 0), l);
	ck_assert_uint_ne(profile_loc(p, LOC_ADDR, 3, 0x1000, 0), l);
	ck_assert_uint_ne(profile_loc(p, LOC_DSO, 3, 0x1000, 7), l);
	ck_assert_uint_eq(p->nr_locs, 5);
	b.tid = 3;
	ck_assert_uint_eq(profile_key(p, &a), 0);
	ck_assert_uint_eq(profile_key(p, &b), 1);
	ck_assert_uint_eq(profile_key(p, &a), 0);
	root = profile_root(p, 0);
	ck_assert_uint_eq(profile_root(p, 0), root);
	ck_assert_uint_ne(profile_root(p, 1), root);
	ck_assert_uint_eq(profile_find_child(p, root, l), PROFILE_NONE);
	node = profile_child(p, root, l);
	ck_assert_uint_eq(profile_child(p, root, l), node);
	ck_assert_uint_eq(profile_find_child(p, root, l), node);
	ck_assert_uint_ne(profile_child(p, node, l), node);
	ck_assert_uint_eq(p->nodes[node].parent, root);
	ck_assert_uint_eq(profile_func(p, 1, 0, 0), 0);
	ck_assert_uint_eq(profile_func(p, 1, 0, LINE_KERNEL), 1);
	ck_assert_uint_eq(profile_func(p, 1, 0, 0), 0);
	ck_assert_uint_eq(profile_event(p, "cycles", "cycles"), 0);
	ck_assert_uint_eq(profile_event(p, "faults", NULL), 1);
	ck_assert_uint_eq(profile_event(p, "cycles", NULL), 0);
	ck_assert_str_eq(profile_str(p, p->events[0].unit), "cycles");
	ck_assert_uint_eq(profile_strlen(p, a.comm), 1);
	profile_free(p);
	profile_free(NULL);
}
END_TEST

START_TEST(lines_can_be_set_again)
{
	struct profile *p = profile_new();
	struct line three[3] = { { .line = 1 }, { .line = 2 }, { .line = 3 } };
	struct line one = { .line = 9 };
	uint32_t a = profile_loc(p, LOC_DSO, 0, 1, 0), b = profile_loc(p, LOC_DSO, 0, 2, 0);

	profile_func(p, 0, 0, 0);
	profile_set_lines(p, a, three, 3);
	profile_set_lines(p, b, three, 1);
	profile_set_lines(p, a, &one, 1);
	ck_assert_uint_eq(p->locs[a].nr_lines, 1);
	ck_assert_uint_eq(p->lines[p->locs[a].first_line].line, 9);
	ck_assert_uint_eq(p->lines[p->locs[b].first_line].line, 1);
	profile_set_lines(p, b, three, 3);
	ck_assert_uint_eq(p->lines[p->locs[b].first_line + 2].line, 3);
	ck_assert_uint_eq(p->lines[p->locs[a].first_line].line, 9);
	assert_sound(p);
	profile_free(p);
}
END_TEST

/* ---- adding ------------------------------------------------------------------------------ */

/* A profile with one stack, main;work, and event 0. */
static struct profile *small(uint32_t *node)
{
	struct profile *p = profile_new();
	struct stack_key key = { .comm = str(p, "prog"), .pid = -1, .tid = -1, .cpu = -1 };
	struct line line = { .func = profile_func(p, str(p, "main"), 0, 0) };
	uint32_t main_loc = profile_loc(p, LOC_DSO, 0, 0x10, 0);
	uint32_t work_loc = profile_loc(p, LOC_DSO, 0, 0x20, 0);

	profile_set_lines(p, main_loc, &line, 1);
	line.func = profile_func(p, str(p, "work"), 0, 0);
	profile_set_lines(p, work_loc, &line, 1);
	*node = profile_child(p, profile_root(p, profile_key(p, &key)), main_loc);
	*node = profile_child(p, *node, work_loc);
	profile_event(p, "cycles", "cycles");
	return p;
}

START_TEST(samples_add_up)
{
	uint32_t node;
	struct profile *p = small(&node);
	struct profile_event *e = &p->events[0];

	profile_add_sample(p, 0, node, 100);
	profile_add_sample(p, 0, node, 300);
	profile_add_sample(p, 0, node - 1, 5);
	ck_assert_uint_eq(e->weight, 405);
	ck_assert_uint_eq(e->samples, 3);
	ck_assert_uint_eq(e->node_weight[node], 400);
	ck_assert_uint_eq(e->node_count[node], 2);
	ck_assert_uint_eq(e->node_weight[node - 1], 5);
	ck_assert_uint_eq(e->sum_sq_hi, 0);
	ck_assert_uint_eq(e->sum_sq_lo, 100025);
	ck_assert_double_eq_tol(profile_effective_samples(e), 405.0 * 405 / 100025, 1e-12);
	assert_sound(p);
	profile_free(p);
}
END_TEST

START_TEST(squares_have_128_bits_and_sums_saturate)
{
	uint32_t node;
	struct profile *p = small(&node);
	struct profile_event *e = &p->events[0];

	profile_add_sample(p, 0, node, UINT64_C(1) << 40);
	ck_assert_uint_eq(e->sum_sq_hi, 1u << 16);
	ck_assert_uint_eq(e->sum_sq_lo, 0);
	ck_assert_double_eq(profile_effective_samples(e), 1.0);
	profile_add_sample(p, 0, node, UINT64_MAX);
	ck_assert_uint_eq(e->weight, UINT64_MAX);
	ck_assert_uint_eq(e->node_weight[node], UINT64_MAX);
	profile_add_sample(p, 0, node, UINT64_MAX);
	ck_assert_uint_eq(e->sum_sq_hi, UINT64_MAX);
	ck_assert_uint_eq(e->sum_sq_lo, UINT64_MAX);
	profile_add(p, 0, node - 1, UINT64_MAX, UINT64_MAX);
	ck_assert_uint_eq(e->samples, UINT64_MAX);
	assert_sound(p);
	profile_free(p);
}
END_TEST

START_TEST(equal_weights_are_worth_their_number)
{
	uint32_t node;
	struct profile *p = small(&node);

	ck_assert_double_eq(profile_effective_samples(&p->events[0]), 0.0);
	profile_add(p, 0, node, 700, 7);
	ck_assert_double_eq(profile_effective_samples(&p->events[0]), 7.0);
	profile_event(p, "x", NULL);
	for (int i = 0; i < 50; i++)
		profile_add_sample(p, 1, node, 123456789);
	ck_assert_double_eq_tol(profile_effective_samples(&p->events[1]), 50.0, 1e-9);
	profile_free(p);
}
END_TEST

/* ---- the invariants ---------------------------------------------------------------------- */

START_TEST(check_names_what_is_broken)
{
	uint32_t node;
	struct profile *p = small(&node);
	struct profile_event *e = &p->events[0];

	profile_add_sample(p, 0, node, 100);
	assert_sound(p);
	e->weight++;
	assert_broken(p, "event cycles: the stacks add up to 1 samples of weight 100, not to 1 of "
			 "101");
	e->weight--;
	e->samples++;
	assert_broken(p, "event cycles: the stacks add up to 1 samples of weight 100, not to 2 of "
			 "100");
	e->samples--;
	e->node_weight[p->nr_nodes] = 1;
	assert_broken(p, "event cycles has weight in node 3 of 3");
	e->node_weight[p->nr_nodes] = 0;
	e->node_count[0] = 1;
	assert_broken(p, "event cycles has a stack without a frame (node 0)");
	e->node_count[0] = 0;
	p->nodes[1].parent = 2;
	assert_broken(p, "node 1 comes before its parent 2");
	p->nodes[1].parent = 0;
	p->nodes[2].loc = 2;
	assert_broken(p, "node 2 has location 2 of 2");
	p->nodes[2].loc = 0;
	assert_broken(p, "node 2 is not the one that is found for its parent and location");
	p->nodes[2].loc = 1;
	p->nodes[0].loc = 1;
	assert_broken(p, "node 0 has key 1 of 1");
	p->nodes[0].loc = 0;
	p->locs[1].nr_lines = 2;
	assert_broken(p, "location 1 has lines 1 to 3 of 2");
	p->locs[1].nr_lines = UINT32_MAX;
	assert_broken(p, "location 1 has lines 1 to 4294967296 of 2");
	p->locs[1].nr_lines = 1;
	p->locs[0].kind = 9;
	assert_broken(p, "location 0 is of an unknown kind, 9");
	p->locs[0].kind = LOC_NAME;
	p->locs[0].addr = 77;
	assert_broken(p, "location 0 is named by string 77 of 5");
	p->locs[0].kind = LOC_DSO;
	p->locs[0].reason = UNKNOWN_MAX;
	assert_broken(p, "location 0 has the unknown reason 10");
	p->locs[0].reason = 0;
	p->lines[0].func = 2;
	assert_broken(p, "line 0 has function 2 of 2 and file 0 of 5 strings");
	p->lines[0].func = 0;
	p->funcs[1].module = 5;
	assert_broken(p, "function 1 has name 3 and module 5 of 5 strings");
	p->funcs[1].module = 0;
	p->keys[0].comm = 5;
	assert_broken(p, "key 0 has comm 5 of 5 strings");
	p->keys[0].comm = 1;
	assert_sound(p);
	profile_free(p);
}
END_TEST

START_TEST(every_reason_has_words)
{
	ck_assert_str_eq(unknown_reason_text(UNKNOWN_NOT), "known");
	ck_assert_str_eq(unknown_reason_text(UNKNOWN_BUILD_ID), "other build-id");
	ck_assert_str_eq(unknown_reason_text(UNKNOWN_MAX), "unknown reason");
	for (int i = 0; i < UNKNOWN_MAX; i++)
		ck_assert_uint_gt(strlen(unknown_reason_text(i)), 0);
}
END_TEST

/* ---- rows -------------------------------------------------------------------------------- */

START_TEST(inlined_lines_count_like_frames)
{
	struct profile *p = profile_new();
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	uint32_t outer = profile_func(p, str(p, "outer"), 0, 0);
	uint32_t inner = profile_func(p, str(p, "inner"), 0, 0);
	uint32_t a = profile_loc(p, LOC_DSO, 0, 1, 0), b = profile_loc(p, LOC_DSO, 0, 2, 0);
	struct line lines[3] = { { .func = inner, .flags = LINE_INLINED },
				 { .func = inner, .flags = LINE_INLINED },
				 { .func = outer } };
	struct profile_row *rows;
	uint32_t node = profile_root(p, profile_key(p, &key));

	profile_set_lines(p, a, lines, 3);
	profile_set_lines(p, b, lines + 2, 1);
	profile_event(p, "cycles", NULL);
	node = profile_child(p, node, b);
	profile_add_sample(p, 0, node, 10);
	node = profile_child(p, node, a);
	profile_add_sample(p, 0, node, 7);
	assert_sound(p);
	ck_assert_uint_eq(profile_rows(p, 0, &rows), 2);
	ck_assert_uint_eq(rows[0].func, outer);
	ck_assert_uint_eq(rows[0].self, 10);
	ck_assert_uint_eq(rows[0].self_count, 1);
	ck_assert_uint_eq(rows[0].total, 17);
	ck_assert_uint_eq(rows[0].total_count, 2);
	ck_assert_uint_eq(rows[1].func, inner);
	ck_assert_uint_eq(rows[1].self, 7);
	ck_assert_uint_eq(rows[1].total, 7);
	ck_assert_uint_eq(rows[1].total_count, 1);
	free(rows);
	profile_free(p);
}
END_TEST

START_TEST(rows_are_of_one_event_and_sorted)
{
	struct profile *p = profile_new();
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	const char *const mod[] = { "z.so", "a.so", "", "" };
	const char *const name[] = { "f", "f", "e", "only in the other event" };
	uint32_t root = profile_root(p, profile_key(p, &key));
	struct profile_row *rows;

	profile_event(p, "one", NULL);
	profile_event(p, "two", NULL);
	for (int i = 0; i < 4; i++) {
		struct line l = { .func = profile_func(p, str(p, name[i]), str(p, mod[i]), 0) };
		uint32_t loc = profile_loc(p, LOC_DSO, 0, (uint64_t)i, 0);

		profile_set_lines(p, loc, &l, 1);
		profile_add_sample(p, i == 3, profile_child(p, root, loc), 5);
	}
	assert_sound(p);
	ck_assert_uint_eq(profile_rows(p, 0, &rows), 3);
	ck_assert_uint_eq(rows[0].func, 2);
	ck_assert_uint_eq(rows[1].func, 1);
	ck_assert_uint_eq(rows[2].func, 0);
	free(rows);
	ck_assert_uint_eq(profile_rows(p, 1, &rows), 1);
	ck_assert_uint_eq(rows[0].func, 3);
	free(rows);
	profile_free(p);
}
END_TEST

/* ---- random profiles and the model ------------------------------------------------------- */

enum { FUNCS = 24, LOCS = 60, COMMS = 3, EVENTS = 2, DEPTH = 14, SAMPLES = 4000, PARTS = 4 };

struct model_sample {
	int comm, depth, locs[DEPTH], event;
	uint64_t weight;
};

struct model {
	int nr_lines[LOCS], lines[LOCS][3]; /* functions, innermost first */
	struct model_sample samples[SAMPLES];
};

static uint64_t random_next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

static struct model *model_new(uint64_t seed)
{
	struct model *m = calloc(1, sizeof(*m));

	for (int l = 0; l < LOCS; l++) {
		m->nr_lines[l] = 1 + (int)(random_next(&seed) % 3);
		for (int k = 0; k < m->nr_lines[l]; k++)
			m->lines[l][k] = (int)(random_next(&seed) % FUNCS);
	}
	for (int i = 0; i < SAMPLES; i++) {
		struct model_sample *s = &m->samples[i];

		s->comm = (int)(random_next(&seed) % COMMS);
		s->event = (int)(random_next(&seed) % EVENTS);
		s->depth = 1 + (int)(random_next(&seed) % DEPTH);
		s->weight = random_next(&seed) % 1000;
		for (int d = 0; d < s->depth; d++)
			s->locs[d] = (int)(random_next(&seed) % (d < 3 ? 4 : LOCS));
	}
	return m;
}

static const char *const event_names[EVENTS] = { "cycles", "faults" };

/* The samples whose index is PART modulo PARTS (or all, PARTS 1), interned in that order. */
static struct profile *model_profile(const struct model *m, int part, int parts)
{
	struct profile *p = profile_new();

	for (int i = 0; i < EVENTS; i++)
		profile_event(p, event_names[i], NULL);
	for (int i = part; i < SAMPLES; i += parts) {
		const struct model_sample *s = &m->samples[i];
		char comm[8] = { 'c', (char)('0' + s->comm), 0 };
		struct stack_key key = { .comm = str(p, comm), .pid = -1, .tid = -1, .cpu = -1 };
		uint32_t node = profile_root(p, profile_key(p, &key));

		for (int d = 0; d < s->depth; d++)
			node = profile_child(p, node,
					     profile_loc(p, LOC_DSO, 1, (uint64_t)s->locs[d], 0));
		profile_add_sample(p, (uint32_t)s->event, node, s->weight);
	}
	return p;
}

static void model_symbolise(const struct model *m, struct profile *p)
{
	for (uint32_t i = 0; i < p->nr_locs; i++) {
		int l = (int)p->locs[i].addr;
		struct line lines[3] = { { 0 } };

		for (int k = 0; k < m->nr_lines[l]; k++) {
			char name[8] = { 'f', (char)('A' + m->lines[l][k]), 0 };

			lines[k].func = profile_func(p, str(p, name), 0, 0);
		}
		profile_set_lines(p, i, lines, (size_t)m->nr_lines[l]);
	}
}

struct model_row {
	uint64_t self, self_count, total, total_count;
};

static void model_rows(const struct model *m, int event, struct model_row *rows)
{
	memset(rows, 0, FUNCS * sizeof(*rows));
	for (int i = 0; i < SAMPLES; i++) {
		const struct model_sample *s = &m->samples[i];
		int leaf = s->locs[s->depth - 1];
		bool seen[FUNCS] = { false };

		if (s->event != event)
			continue;
		rows[m->lines[leaf][0]].self += s->weight;
		rows[m->lines[leaf][0]].self_count++;
		for (int d = 0; d < s->depth; d++)
			for (int k = 0; k < m->nr_lines[s->locs[d]]; k++)
				seen[m->lines[s->locs[d]][k]] = true;
		for (int f = 0; f < FUNCS; f++) {
			rows[f].total += seen[f] ? s->weight : 0;
			rows[f].total_count += seen[f];
		}
	}
}

static void assert_model(const struct model *m, struct profile *p)
{
	model_symbolise(m, p);
	assert_sound(p);
	for (int event = 0; event < EVENTS; event++) {
		struct model_row want[FUNCS];
		struct profile_row *rows;
		size_t n = profile_rows(p, (uint32_t)event, &rows), k = 0;

		model_rows(m, event, want);
		for (int f = 0; f < FUNCS; f++)
			k += want[f].total_count != 0;
		ck_assert_uint_eq(n, k);
		for (size_t i = 0; i < n; i++) {
			int f = profile_str(p, p->funcs[rows[i].func].name)[1] - 'A';

			ck_assert_uint_eq(rows[i].self, want[f].self);
			ck_assert_uint_eq(rows[i].self_count, want[f].self_count);
			ck_assert_uint_eq(rows[i].total, want[f].total);
			ck_assert_uint_eq(rows[i].total_count, want[f].total_count);
			ck_assert(!i || rows[i - 1].self >= rows[i].self);
		}
		free(rows);
	}
}

START_TEST(rows_agree_with_brute_force)
{
	struct model *m = model_new(1000 + (uint64_t)_i);
	struct profile *p = model_profile(m, 0, 1);

	assert_model(m, p);
	profile_free(p);
	free(m);
}
END_TEST

START_TEST(merged_parts_are_the_whole)
{
	struct model *m = model_new(2000 + (uint64_t)_i);
	struct profile *whole = model_profile(m, 0, 1), *sum = profile_new();

	for (int part = PARTS; part-- > 0;) {
		struct profile *p = model_profile(m, part, PARTS);

		if (_i % 2) /* lines come along when there are some */
			model_symbolise(m, p);
		profile_merge(sum, p);
		profile_free(p);
	}
	ck_assert_uint_eq(sum->nr_nodes, whole->nr_nodes);
	ck_assert_uint_eq(sum->nr_locs, whole->nr_locs);
	for (int i = 0; i < EVENTS; i++) {
		ck_assert_uint_eq(sum->events[i].weight, whole->events[i].weight);
		ck_assert_uint_eq(sum->events[i].samples, whole->events[i].samples);
		ck_assert_uint_eq(sum->events[i].sum_sq_lo, whole->events[i].sum_sq_lo);
	}
	if (_i % 2)
		assert_sound(sum);
	assert_model(m, sum);
	profile_free(whole);
	profile_free(sum);
	free(m);
}
END_TEST

START_TEST(merge_matches_events_by_index_or_name)
{
	uint32_t node;
	struct profile *a = small(&node), *b = small(&node), *c = profile_new();

	profile_event(c, "other", "ns");
	profile_add_sample(a, 0, node, 1);
	b->events[0].filtered_samples = 3;
	b->events[0].filtered_weight = 30;
	profile_add_sample(b, 0, node, 2);
	profile_merge(a, b);
	ck_assert_uint_eq(a->nr_events, 1);
	ck_assert_uint_eq(a->events[0].weight, 3);
	ck_assert_uint_eq(a->events[0].filtered_samples, 3);
	ck_assert_uint_eq(a->events[0].filtered_weight, 30);
	profile_merge(c, a);
	ck_assert_uint_eq(c->nr_events, 2);
	ck_assert_uint_eq(c->events[0].weight, 0);
	ck_assert_uint_eq(c->events[1].weight, 3);
	ck_assert_str_eq(profile_str(c, c->events[1].unit), "cycles");
	ck_assert_uint_eq(c->events[1].filtered_weight, 30);
	assert_sound(c);
	profile_free(a);
	profile_free(b);
	profile_free(c);
}
END_TEST

START_TEST(merge_translates_names)
{
	struct profile *a = profile_new(), *b = profile_new();

	folded_read(a, "x;y 1\n", 6, "samples", NULL);
	folded_read(b, "y;x 2\nx;y 4\n", 12, "samples", NULL);
	profile_merge(a, b);
	ck_assert_uint_eq(a->events[0].weight, 7);
	ck_assert_uint_eq(a->nr_locs, 2);
	ck_assert_uint_eq(a->nr_nodes, 5);
	ck_assert(a->folded);
	assert_sound(a);
	profile_free(a);
	profile_free(b);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("profile");
	TCase *t = tcase_create("profile");
	SRunner *r = srunner_create(s);
	int failed;

	tcase_add_test(t, equal_things_have_one_id);
	tcase_add_test(t, lines_can_be_set_again);
	tcase_add_test(t, samples_add_up);
	tcase_add_test(t, squares_have_128_bits_and_sums_saturate);
	tcase_add_test(t, equal_weights_are_worth_their_number);
	tcase_add_test(t, check_names_what_is_broken);
	tcase_add_test(t, every_reason_has_words);
	tcase_add_test(t, inlined_lines_count_like_frames);
	tcase_add_test(t, rows_are_of_one_event_and_sorted);
	tcase_add_loop_test(t, rows_agree_with_brute_force, 0, 6);
	tcase_add_loop_test(t, merged_parts_are_the_whole, 0, 6);
	tcase_add_test(t, merge_matches_events_by_index_or_name);
	tcase_add_test(t, merge_translates_names);
	suite_add_tcase(s, t);
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
