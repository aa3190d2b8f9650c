/* SPDX-License-Identifier: MIT */
/*
 * Ratios of events for each function, with their error: recordings are drawn at random from a
 * program that is known, and the error has to cover what is known as often as it says.
 *
 * Three functions, told apart by their module.  In each slot of time one function runs, which
 * depends on the phase when there are phases.  A group's leader samples each slot, with the
 * counts of that slot; events that are sampled apart each hit a slot with the chance that their
 * rate gives.
 */
#include <math.h>
#include <stdio.h>

#include <perfrep/session.h>
#include <perfrep/source.h>

#include "base/strbuf.h"
#include "reader_test.h"
#include "view/ratios.h"
#include "view/tree_detail.h"

#define SLOTS  3000
#define PERIOD 1000000.0 /* cycles of a slot */
#define EVENTS 5
#define DRAWS  500

enum { CYCLES, INSTRUCTIONS, BRANCHES, BRANCH_MISSES, LLC_MISSES };

/* What a program does, and what is recorded of it. */
struct program {
	const char *names[EVENTS];
	enum counter_role roles[EVENTS];
	double rate[3][EVENTS]; /* events per cycle (or what the first event counts), by function */
	/* What an event sampled apart hits in a slot at most: rate times this is its chance. */
	double chance[EVENTS];
	int kinds[8], nr_kinds; /* of ratios */
};

static const struct program arithmetic = {
	{ "cycles", "instructions", "branches", "branch-misses", "LLC-load-misses" },
	{ ROLE_CYCLES, ROLE_INSTRUCTIONS, ROLE_BRANCHES, ROLE_BRANCH_MISSES, ROLE_LLC_MISSES },
	{
		{ 1, 0.5, 0.10, 0.0080, 0.0060 }, /* waits for DRAM, and for mispredicts */
		{ 1, 2.0, 0.20, 0.0010, 0.00002 }, /* computes */
		{ 1, 1.0, 0.25, 0.0050, 0.0010 },
	},
	{ 1, 0.45, 4, 60, 120 },
	{ RATIO_IPC, RATIO_BRANCH_MISS, RATIO_MPKI },
	3,
};

/* Issue slots, by slots that retire. */
static const struct program slots = {
	{ "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound",
	  "topdown-mem-bound" },
	{ ROLE_RETIRING, ROLE_BAD_SPEC, ROLE_FE_BOUND, ROLE_BE_BOUND, ROLE_MEM_BOUND },
	{
		{ 1, 0.50, 0.5, 3.00, 2.50 },
		{ 1, 0.10, 0.1, 0.10, 0.05 },
		{ 1, 0.25, 0.5, 0.75, 0.25 },
	},
	{ 0.9, 1.5, 1.5, 0.3, 0.35 },
	{ RATIO_RETIRING, RATIO_BAD_SPECULATION, RATIO_FRONTEND, RATIO_BACKEND, RATIO_MEMORY },
	5,
};

static const struct program *program;

/* Share of the time, in two phases of equal length; without phases their mean. */
static const double share[2][3] = { { 0.65, 0.20, 0.15 }, { 0.35, 0.40, 0.25 } };

static uint64_t state;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

static int draw_function(int phase)
{
	double u = uniform();

	for (int f = 0; f < 2; f++) {
		double p = phase < 0 ? (share[0][f] + share[1][f]) / 2 : share[phase][f];

		if (u < p)
			return f;
		u -= p;
	}
	return 2;
}

static void begin(struct builder *b, uint32_t ev[EVENTS], bool group)
{
	static const char *const modules[] = { "/nowhere/a", "/nowhere/b", "/nowhere/c" };
	const struct feature_group g = { (char *)"{group}", 0, EVENTS };

	builder_init(b, &(struct builder_opts){ .be = false });
	for (int e = 0; e < EVENTS; e++)
		ev[e] = builder_event(b,
				      &(struct builder_attr){
					      .name = program->names[e],
					      .sample_type = SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME |
							     SAMPLE_PERIOD | SAMPLE_IDENTIFIER |
							     (group ? SAMPLE_READ : 0),
					      .read_format = group ? READ_ID | READ_GROUP : 0 });
	builder_features(b);
	if (group)
		builder_feature_groups(b, &g, 1);
	builder_comm(b, 0, 42, 42, "prog");
	for (uint64_t f = 0; f < 3; f++)
		builder_mmap2(b, &(struct builder_mmap){ .pid = 42,
							 .addr = 0x100000 * (f + 1),
							 .len = 0x1000,
							 .filename = modules[f] });
}

static uint64_t address(int function)
{
	return 0x100000 * (uint64_t)(function + 1) + 0x10;
}

/* The counts of a slot vary by a third: functions don't do the same all the time. */
static void group_slot(struct builder *b, const uint32_t ev[EVENTS], uint64_t time, int function,
		       double total[EVENTS])
{
	struct record_read_value values[EVENTS];

	for (int e = 0; e < EVENTS; e++) {
		double vary = e == CYCLES ? 1 : 0.7 + 0.6 * uniform();

		total[e] += program->rate[function][e] * PERIOD * vary;
		values[e] = (struct record_read_value){ .value = (uint64_t)total[e],
							.id = 1000 + (uint64_t)e };
	}
	builder_sample(b, ev[0],
		       &(struct builder_sample){ .time = time,
						 .pid = 42,
						 .ip = address(function),
						 .period = (uint64_t)PERIOD,
						 .values = values,
						 .nr_values = EVENTS });
}

static void apart_slot(struct builder *b, const uint32_t ev[EVENTS], uint64_t time, int phase)
{
	for (int e = 0; e < EVENTS; e++) {
		int f = draw_function(phase);

		if (uniform() < program->rate[f][e] * program->chance[e])
			builder_sample(b, ev[e],
				       &(struct builder_sample){
					       .time = time + (uint64_t)e,
					       .pid = 42,
					       .ip = address(f),
					       .period = (uint64_t)(PERIOD / program->chance[e]) });
	}
}

/* PHASES: mean length in slots; 0: none. */
static void make(struct builder *b, bool group, double phases)
{
	double total[EVENTS] = { 0 };
	int phase = phases > 0 ? uniform() < 0.5 : -1;
	uint32_t ev[EVENTS];

	begin(b, ev, group);
	for (uint64_t slot = 0; slot < SLOTS; slot++) {
		uint64_t time = 1000 + slot * 1000;

		if (phases > 0 && uniform() < 1 / phases)
			phase = !phase;
		if (group)
			group_slot(b, ev, time, draw_function(phase), total);
		else
			apart_slot(b, ev, time, phase);
	}
}

static struct ratio_events roles(bool group, const uint32_t *together)
{
	static const struct topdown known = {
		.level1 = true, .heavy = -1, .mispredict = -1, .fetch_latency = -1
	};
	struct ratio_events e = { .group = group ? together : NULL,
				  .alone = { 20, 300, 1 },
				  .together = { 20, 300, 10 },
				  .topdown = program == &slots ? &known : NULL };

	for (int role = 0; role < ROLE_MAX; role++)
		for (int k = 0; k < COUNTER_KINDS; k++)
			e.event[role][k] = PROFILE_NONE;
	for (uint32_t i = 0; i < EVENTS; i++)
		e.event[program->roles[i]][0] = i;
	return e;
}

struct tally {
	unsigned known[3][RATIO_KINDS], covered[3][RATIO_KINDS], too_few[3][RATIO_KINDS];
	unsigned verdict[3][8]; /* by what it may be */
};

static double truth(int function, int kind)
{
	const double *r = program->rate[function];
	double all = r[0] + r[1] + r[2] + r[3];

	switch (kind) {
	case RATIO_IPC:
		return r[INSTRUCTIONS];
	case RATIO_BRANCH_MISS:
		return 100 * r[BRANCH_MISSES] / r[BRANCHES];
	case RATIO_MPKI:
		return 1000 * r[LLC_MISSES] / r[INSTRUCTIONS];
	case RATIO_RETIRING:
		return 100 * r[0] / all;
	case RATIO_BAD_SPECULATION:
		return 100 * r[1] / all;
	case RATIO_FRONTEND:
		return 100 * r[2] / all;
	case RATIO_BACKEND:
		return 100 * r[3] / all;
	default:
		return 100 * r[4] / all;
	}
}

/* The function that a row's module stands for: a, b, c. */
static int function_of(const struct table *t, size_t row)
{
	struct strbuf sb = STRBUF_INIT;
	int f;

	table_key_text(t, &t->rows[row], KEY_DSO, false, &sb);
	test_must(sb.n == 1 && sb.s[0] >= 'a' && sb.s[0] <= 'c', "row %s", strbuf_str(&sb));
	f = sb.s[0] - 'a';
	strbuf_release(&sb);
	return f;
}

static void take(const struct table *t, const struct table_ratios *r, struct tally *tally)
{
	for (size_t row = 0; row < t->n; row++) {
		int f = function_of(t, row);

		for (int i = 0; i < program->nr_kinds; i++) {
			int k = program->kinds[i];
			const struct ratio_cell *c = &r->rows[row].cells[k];

			tally->too_few[f][k] += c->state == RATIO_TOO_FEW;
			if (c->state != RATIO_KNOWN)
				continue;
			tally->known[f][k]++;
			tally->covered[f][k] += fabs(c->value - truth(f, k)) <= c->half;
		}
		tally->verdict[f][r->rows[row].verdict.may_be]++;
	}
}

/* A tree of these stacks, which have one frame each, says the same of it as the table. */
static void compare_tree(const struct table *t, const struct table_ratios *r,
			 const struct ratio_events *events)
{
	const struct profile *p = t->profile;
	struct tree_options opts;
	struct tree tree;

	tree_options_init(&opts);
	tree_build(&tree, p, t->event, &opts);
	tree_find_detail(&tree, events);
	test_must(tree.n == 4, "nodes %zu", tree.n);
	for (uint32_t node = 1; node < tree.n; node++) {
		uint32_t module = p->funcs[tree.nodes[node].func].module;
		size_t row = 0;

		while (p->funcs[p->lines[t->rows[row].line].func].module != module)
			row++;
		for (int k = 0; k < RATIO_KINDS; k++) {
			const struct ratio_cell *a = &tree_ratios(&tree, node)->cells[k];
			const struct ratio_cell *b = &r->rows[row].cells[k];

			ck_assert_int_eq(a->state, b->state);
			ck_assert_double_eq(a->value, b->value);
			ck_assert_double_eq(a->half, b->half);
		}
		ck_assert_uint_eq(tree_ratios(&tree, node)->verdict.may_be,
				  r->rows[row].verdict.may_be);
	}
	tree_release(&tree);
}

static void draw(struct tally *tally, bool group, double phases)
{
	static const uint32_t together[EVENTS] = { 0, 0, 0, 0, 0 };
	const struct table_options opts = { .keys = { { KEY_DSO }, 1 } };
	const struct ratio_events events = roles(group, together);
	struct table_ratios ratios;
	struct builder_file file;
	struct source src;
	struct session s;
	struct builder b;
	struct table t;
	struct err err;

	make(&b, group, phases);
	file = builder_finish(&b);
	source_from_memory(&src, file.bytes, file.size, "drawn");
	test_must(session_run(
			  &s,
			  &(struct session_options){
				  .path = "drawn", .source = &src, .threads = 1, .no_hints = true },
			  &err) == 0,
		  "%s", err.text);
	table_build(&t, s.profile, CYCLES, &opts);
	table_ratios_build(&ratios, &t, &events);
	test_must(t.n == 3 && ratios.shape.verdicts == (program == &arithmetic) &&
			  ratios.shape.grouped == group,
		  "rows %zu", t.n);
	take(&t, &ratios, tally);
	compare_tree(&t, &ratios, &events);
	table_ratios_release(&ratios);
	table_release(&t);
	session_release(&s);
	source_release(&src);
	builder_release(&b);
}

/* Each function's ratio is covered in 93 % of the draws. */
static void check_coverage(const struct tally *t, const char *what)
{
	unsigned known = 0, covered = 0;

	for (int f = 0; f < 3; f++) {
		for (int i = 0; i < program->nr_kinds; i++) {
			int k = program->kinds[i];

			known += t->known[f][k];
			covered += t->covered[f][k];
			test_must(t->covered[f][k] * 100 >= t->known[f][k] * 93,
				  "%s: function %d, ratio %d: %u of %u", what, f, k,
				  t->covered[f][k], t->known[f][k]);
		}
	}
	printf("%s: %u of %u cells\n", what, covered, known);
	test_must(known >= DRAWS, "%s: only %u", what, known);
}

static const struct {
	const char *what;
	bool group;
	double phases;
} kinds[] = {
	{ "read together", true, 0 },
	{ "read together, in phases", true, SLOTS / 60.0 },
	{ "sampled apart", false, 0 },
	{ "sampled apart, in phases", false, SLOTS / 60.0 },
};

START_TEST(coverage)
{
	struct tally t = { .known = { { 0 } } };

	program = &arithmetic;
	state = 20261130 + (uint64_t)_i;
	for (int d = 0; d < DRAWS; d++)
		draw(&t, kinds[_i].group, kinds[_i].phases);
	check_coverage(&t, kinds[_i].what);
	/* What each is bound by, and nothing that it is not. */
	ck_assert_uint_eq(t.verdict[1][1u << COMPUTE], DRAWS);
	ck_assert_uint_eq(
		t.verdict[0][1u << MEMORY | 1u << BRANCH_MISPREDICT] +
			t.verdict[0][1u << MEMORY | 1u << BRANCH_MISPREDICT | 1u << COMPUTE],
		DRAWS);
}
END_TEST

START_TEST(coverage_of_topdown)
{
	struct tally t = { .known = { { 0 } } };

	program = &slots;
	state = 20261201 + (uint64_t)_i;
	for (int d = 0; d < DRAWS; d++)
		draw(&t, kinds[_i].group, kinds[_i].phases);
	check_coverage(&t, kinds[_i].what);
}
END_TEST

/* Where a sample was hit fewer than 30 times there is no number. */
START_TEST(too_few)
{
	struct tally t = { .known = { { 0 } } };

	program = &arithmetic;
	state = 7;
	for (int d = 0; d < 10; d++)
		draw(&t, false, 0);
	ck_assert_uint_eq(t.too_few[1][RATIO_MPKI], 10); /* some two hits */
	ck_assert_uint_eq(t.known[1][RATIO_MPKI], 0);
	ck_assert_uint_eq(t.known[0][RATIO_MPKI], 10);
	ck_assert_uint_eq(t.too_few[0][RATIO_IPC], 0);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ratios");
	TCase *tc = tcase_create("ratios");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, coverage, 0, 4);
	tcase_add_loop_test(tc, coverage_of_topdown, 0, 4);
	tcase_add_test(tc, too_few);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
