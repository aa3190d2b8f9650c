/* SPDX-License-Identifier: MIT */
/* Flame graphs: the tree, its layout, labels and what has gone. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/folded.h>

#include "base/strbuf.h"
#include "view/escape.h"
#include "view/flame_chart.h"
#include "view/flame_compare.h"
#include "view/flame_label.h"
#include "view/flame_layout.h"
#include "view/flame_palette.h"

static const char *label(const char *name, unsigned room)
{
	static char text[256];
	struct strbuf sb = STRBUF_INIT;

	flame_label(&sb, name, strlen(name), room);
	ck_assert_uint_lt(sb.n, sizeof(text));
	strcpy(text, strbuf_str(&sb));
	strbuf_release(&sb);
	return text;
}

START_TEST(labels_keep_what_tells_most)
{
	ck_assert_str_eq(label("main", 4), "main");
	ck_assert_str_eq(label("main", 3), "ma…");
	ck_assert_str_eq(label("std::vector<int, std::allocator<int> >::push_back(int&&)", 22),
			 "std::vector::push_back");
	ck_assert_str_eq(label("std::vector<int, std::allocator<int> >::push_back(int&&)", 21),
			 "…vector::push_back");
	ck_assert_str_eq(label("std::vector<int, std::allocator<int> >::push_back(int&&)", 10),
			 "…push_back");
	ck_assert_str_eq(label("std::vector<int, std::allocator<int> >::push_back(int&&)", 9),
			 "push_bac…");
	ck_assert_str_eq(label("(anonymous namespace)::f<int>(int)", 24),
			 "(anonymous namespace)::f");
	ck_assert_str_eq(label("a::operator()(int) const", 24), "a::operator()(int) const");
	ck_assert_str_eq(label("a::operator()(int) const", 15), "operator()(int…");
	ck_assert_str_eq(label("box<int>::operator<(box<int> const&)", 35),
			 "box::operator<(box<int> const&)");
	ck_assert_str_eq(label("<T as core::fmt::Debug>::fmt", 10), "fmt");
	ck_assert_str_eq(label("[libc.so.6]", 7), "[libc.…");
	ck_assert_str_eq(label("a<b", 3), "a<b");
	ck_assert_str_eq(label("f<b, c, d", 5), "f<b,…");
	ck_assert_str_eq(label("<all of it>", 5), "<all…");
	ck_assert_str_eq(label("日本語日本語", 8), "日本語…");
}
END_TEST

static struct profile *folded(const char *text)
{
	struct profile *p = profile_new();

	folded_read(p, text, strlen(text), "samples", NULL);
	return p;
}

static void add(struct flame_tree *t, unsigned side, const char *text, const char *root,
		bool reverse)
{
	struct profile *p = folded(text);
	const struct flame_source src = { .profile = p, .root = root, .reverse = reverse };
	struct err err;

	ck_assert_int_eq(flame_tree_add(t, side, &src, &err), 0);
	profile_free(p);
}

/* "depth name x+width", a box each. */
static void check_layout(const struct flame_tree *t, unsigned side, double min,
			 const char *expected, size_t left_out)
{
	uint64_t *weight = calloc(t->nodes.n, sizeof(*weight));
	struct strbuf sb = STRBUF_INIT;
	struct flame_layout l;

	for (uint32_t i = 0; i < t->nodes.n; i++)
		weight[i] = flame_cost(t, side, i).weight;
	flame_layout_init(&l, t, weight, min);
	for (size_t i = 0; i < l.boxes.n; i++) {
		const struct flame_box *b = &l.boxes.v[i];

		strbuf_addf(&sb, "%s%u %s %d+%d", i ? ", " : "", b->depth,
			    intern_str(&t->names, flame_frame_of(t, b->node)->name), (int)b->x,
			    (int)b->width);
	}
	ck_assert_str_eq(strbuf_str(&sb), expected);
	ck_assert_uint_eq(l.left_out, left_out);
	flame_layout_release(&l);
	strbuf_release(&sb);
	free(weight);
}

START_TEST(siblings_lie_as_their_lines_sort)
{
	struct flame_tree t;

	flame_tree_init(&t);
	/* by the lines: "a b;" is before "a;", "c 1" before "c.d 1", "e.f 1" before "e;" */
	add(&t, 1, "a;x 1\na b;x 2\nc 3\nc.d 4\ne;x 5\ne.f 6\ne 7\n", NULL, false);
	flame_tree_finish(&t);
	check_layout(&t, 1, 0,
		     "0 all 0+28, 1 a b 0+2, 2 x 0+2, 1 a 2+1, 2 x 2+1, 1 c 3+3, 1 c.d 6+4, "
		     "1 e.f 10+6, 1 e 16+12, 2 x 23+5",
		     0);
	check_layout(&t, 1, 5, "0 all 0+28, 1 e.f 10+6, 1 e 16+12, 2 x 23+5", 6);
	flame_tree_release(&t);
}
END_TEST

START_TEST(from_the_innermost_frame)
{
	struct flame_tree t;

	flame_tree_init(&t);
	add(&t, 1, "a;b;c 1\na;c 2\nb;a 4\n", NULL, true);
	flame_tree_finish(&t);
	check_layout(&t, 1, 0, "0 all 0+7, 1 a 0+4, 2 b 0+4, 1 c 4+3, 2 a 4+2, 2 b 6+1, 3 a 6+1",
		     0);
	flame_tree_release(&t);
}
END_TEST

START_TEST(from_a_function_on)
{
	struct flame_tree t;

	flame_tree_init(&t);
	add(&t, 1, "m;f;x;f;y 1\nm;f 2\nm;g 4\n", "f", false);
	flame_tree_finish(&t);
	check_layout(&t, 1, 0, "0 all 0+3, 1 f 0+3, 2 x 2+1, 3 f 2+1, 4 y 2+1", 0);
	ck_assert_uint_eq(t.side[1].base, 7);
	flame_tree_release(&t);

	flame_tree_init(&t);
	add(&t, 1, "m;f;x;f;y 1\nm;f 2\nm;g 4\n", "f", true);
	flame_tree_finish(&t);
	check_layout(&t, 1, 0, "0 all 0+3, 1 f 0+3, 2 m 0+2, 2 x 2+1, 3 f 2+1, 4 m 2+1", 0);
	flame_tree_release(&t);
}
END_TEST

START_TEST(no_such_function)
{
	struct profile *p = folded("main;parse 1\n");
	struct flame_source src = { .profile = p, .root = "pars" };
	struct flame_tree t;
	struct err err;

	flame_tree_init(&t);
	ck_assert_int_lt(flame_tree_add(&t, 1, &src, &err), 0);
	ck_assert_str_eq(err.text,
			 "No function is called \"pars\"; \"parse\" contains it, for one.");
	flame_tree_release(&t);
	profile_free(p);
}
END_TEST

/* What has gone is counted at the outermost path that has, and at its callers. */
START_TEST(gone_paths)
{
	struct flame_tree t;
	struct flame_verdicts v;
	size_t n = 0;

	flame_tree_init(&t);
	add(&t, 1, "m;a 100\nm 50\n", NULL, false);
	add(&t, 0, "m;a 100\nm;b;c 30\nm;b 20\nm;a;d 15\nm;e 3\n", NULL, false);
	flame_tree_finish(&t);
	flame_verdicts_init(&v, &t);
	ck_assert_uint_eq(v.gone[0], 65);
	ck_assert_uint_eq(v.few, 3);
	for (uint32_t i = 0; i < t.nodes.n; i++) {
		const char *name = intern_str(&t.names, flame_frame_of(&t, i)->name);
		static const struct {
			const char *name;
			uint64_t gone;
			bool is;
		} want[] = { { "all", 65, false }, { "m", 65, false }, { "a", 15, false },
			     { "b", 50, true },    { "c", 30, true },  { "d", 15, true },
			     { "e", 0, true } };

		for (size_t k = 0; k < sizeof(want) / sizeof(*want); k++) {
			if (strcmp(want[k].name, name))
				continue;
			ck_assert_uint_eq(v.gone[i], want[k].gone);
			ck_assert_int_eq(flame_is_gone(&t, i), want[k].is);
			n++;
		}
	}
	ck_assert_uint_eq(n, 7);
	flame_verdicts_release(&v);
	flame_tree_release(&t);
}
END_TEST

/* m: 0.5 to 0.75 of 1,000 is no chance; x: 20 to 22 of 1,000 may be. */
START_TEST(changes_are_judged)
{
	struct flame_tree t;
	struct flame_verdicts v;
	struct flame_change c;
	bool changed[26] = { 0 };
	uint32_t f = 1;

	flame_tree_init(&t);
	add(&t, 1, "m 750\no 228\nx 22\nf 9\n", NULL, false);
	add(&t, 0, "m 500\no 480\nx 20\n", NULL, false);
	flame_tree_finish(&t);
	flame_verdicts_init(&v, &t);
	for (uint32_t i = 1; i < t.nodes.n; i++)
		changed[*intern_str(&t.names, flame_frame_of(&t, i)->name) - 'a'] = v.changed[i];
	ck_assert(changed['m' - 'a'] && changed['o' - 'a']);
	ck_assert(!changed['x' - 'a']); /* may be chance */
	ck_assert(!changed['f' - 'a']); /* too few to be tested */
	ck_assert_uint_eq(t.nodes.n, 5);
	while (f < t.nodes.n && strcmp(intern_str(&t.names, flame_frame_of(&t, f)->name), "f"))
		f++;
	c = flame_change(&t, f);
	ck_assert_double_eq_tol(c.before, 0, 1e-12);
	ck_assert_double_eq_tol(c.delta, 9 / 1009.0, 1e-12);
	/* 1.96 · sqrt(q(1 - q)/1004 + r(1 - r)/1013), q = 2/1004, r = 11/1013 */
	ck_assert_double_eq_tol(c.half, 0.0069522, 1e-5);
	flame_verdicts_release(&v);
	flame_tree_release(&t);
}
END_TEST

/* "depth name x+width (samples)", a box each. */
static void check_chart(const struct profile *p, double least, const char *expected,
			size_t left_out)
{
	struct strbuf sb = STRBUF_INIT;
	struct flame_chart c;
	struct flame_tree t;

	flame_tree_init(&t);
	flame_chart_init(&c, &t, p, 0, least);
	for (size_t i = 0; i < c.layout.boxes.n; i++) {
		const struct flame_box *b = &c.layout.boxes.v[i];

		ck_assert_uint_eq(flame_cost(&t, 1, b->node).weight, b->width);
		strbuf_addf(&sb, "%s%u %s %d+%d (%d)", i ? ", " : "", b->depth,
			    intern_str(&t.names, flame_frame_of(&t, b->node)->name), (int)b->x,
			    (int)b->width, (int)flame_cost(&t, 1, b->node).samples);
	}
	ck_assert_str_eq(strbuf_str(&sb), expected);
	ck_assert_uint_eq(c.layout.left_out, left_out);
	flame_chart_release(&c);
	flame_tree_release(&t);
	strbuf_release(&sb);
}

/* A sample of a thread; functions are letters, outermost first. */
static void at(struct profile *p, uint64_t when, int tid, const char *stack)
{
	struct stack_key key = { .pid = 1, .tid = tid, .cpu = -1 };
	struct stack_weight w = { .weight = 7, .event = 0 };
	uint32_t locs[8];
	size_t n = strlen(stack);

	key.comm = profile_string(p, "app", 3);
	for (size_t i = 0; i < n; i++) {
		struct line line = { .func = profile_func(p, profile_string(p, stack + i, 1), 0,
							  0) };

		locs[i] = profile_loc(p, LOC_DSO, 0, (uint64_t)stack[i], 0);
		if (p->locs[locs[i]].nr_lines == 0)
			profile_set_lines(p, locs[i], &line, 1);
	}
	profile_add_stack(p, locs, n, profile_key(p, &key), &w, 1);
	profile_add_moment(p, when, 0, 0);
}

START_TEST(a_chart_is_in_the_order_of_time)
{
	struct profile *p = profile_new();

	profile_event_add(p, "cycles", "");
	/* not sorted: a recording's samples are by CPU */
	at(p, 130, 1, "mf");
	at(p, 100, 1, "mf");
	at(p, 110, 1, "mg");
	at(p, 140, 2, "mf");
	at(p, 120, 1, "mgh");
	at(p, 150, 2, "m");
	at(p, 151, 2, "mf");
	/* more than twice 10 later: a gap */
	at(p, 171, 1, "mf");
	profile_end_stacks(p);
	check_chart(p, 0,
		    "0 all 0+81 (8), 1 app 1 0+81 (5), 2 m 0+40 (4), 3 f 0+10 (1), 3 g 10+20 (2), "
		    "4 h 20+10 (1), 3 f 30+10 (1), 2 m 71+10 (1), 3 f 71+10 (1), "
		    "5 app 2 40+21 (3), 6 m 40+21 (3), 7 f 40+10 (1), 7 f 51+10 (1)",
		    0);
	/* narrower than 15: g, which has 20, is not; lanes stay */
	check_chart(p, 15.0 / 81,
		    "0 all 0+81 (8), 1 app 1 0+81 (5), 2 m 0+40 (4), 3 g 10+20 (2), "
		    "4 app 2 40+21 (3), 5 m 40+21 (3)",
		    7);
	profile_free(p);
}
END_TEST

START_TEST(markup_is_text)
{
	struct strbuf sb = STRBUF_INIT;

	escape_xml(&sb, "</title><script>&\"'\x01\xef\xbf\xbe\xff");
	ck_assert_str_eq(sb.s, "&lt;/title&gt;&lt;script&gt;&amp;&quot;'\\x01\\u{fffe}\\xff");
	strbuf_release(&sb);
}
END_TEST

START_TEST(colours_by_name)
{
	enum flame_palette palette;
	struct err err;

	ck_assert_int_eq(flame_palette_parse(&palette, "java", &err), 0);
	ck_assert_int_eq(palette, PALETTE_KIND);
	ck_assert_int_lt(flame_palette_parse(&palette, "pink", &err), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "\"pink\"; there are auto, kind"));
}
END_TEST

int main(void)
{
	Suite *s = suite_create("flame");
	TCase *tc = tcase_create("flame");
	SRunner *sr = srunner_create(s);
	int failed;

	suite_add_tcase(s, tc);
	tcase_add_test(tc, labels_keep_what_tells_most);
	tcase_add_test(tc, siblings_lie_as_their_lines_sort);
	tcase_add_test(tc, from_the_innermost_frame);
	tcase_add_test(tc, from_a_function_on);
	tcase_add_test(tc, no_such_function);
	tcase_add_test(tc, gone_paths);
	tcase_add_test(tc, changes_are_judged);
	tcase_add_test(tc, a_chart_is_in_the_order_of_time);
	tcase_add_test(tc, markup_is_text);
	tcase_add_test(tc, colours_by_name);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
