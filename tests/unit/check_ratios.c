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

#define SLOTS  3000
#define PERIOD 1000000.0 /* cycles of a slot */
#define EVENTS 5

enum { CYCLES, INSTRUCTIONS, BRANCHES, BRANCH_MISSES, LLC_MISSES };

static const char *const names[EVENTS] = { "cycles", "instructions", "branches", "branch-misses",
					   "LLC-load-misses" };

/* Events per cycle, by function. */
static const double rate[3][EVENTS] = {
	{ 1, 0.5, 0.10, 0.0080, 0.0060 }, /* waits for DRAM, and for mispredicts */
	{ 1, 2.0, 0.20, 0.0010, 0.00002 }, /* computes */
	{ 1, 1.0, 0.25, 0.0050, 0.0010 },
};

/* Share of the time, in two phases of equal length; without phases their mean. */
static const double share[2][3] = { { 0.65, 0.20, 0.15 }, { 0.35, 0.40, 0.25 } };

/* What an event sampled apart hits in a slot at most: rate times this is its chance. */
static const double chance[EVENTS] = { 1, 0.45, 4, 60, 120 };

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
					      .name = names[e],
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

		total[e] += rate[function][e] * PERIOD * vary;
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

		if (uniform() < rate[f][e] * chance[e])
			builder_sample(b, ev[e],
				       &(struct builder_sample){
					       .time = time + (uint64_t)e,
					       .pid = 42,
					       .ip = address(f),
					       .period = (uint64_t)(PERIOD / chance[e]) });
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
	struct ratio_events e = { .group = group ? together : NULL,
				  .alone = { 20, 300, 1 },
				  .together = { 20, 300, 10 } };

	for (int role = 0; role < ROLE_MAX; role++)
		for (int k = 0; k < COUNTER_KINDS; k++)
			e.event[role][k] = PROFILE_NONE;
	for (uint32_t i = 0; i < EVENTS; i++)
		e.event[ROLE_CYCLES + i][0] = i;
	return e;
}

struct tally {
	unsigned known[3][RATIO_KINDS], covered[3][RATIO_KINDS], too_few[3][RATIO_KINDS];
	unsigned verdict[3][8]; /* by what it may be */
};

static double truth(int function, int kind)
{
	const double *r = rate[function];

	return kind == RATIO_IPC           ? r[INSTRUCTIONS]
	       : kind == RATIO_BRANCH_MISS ? 100 * r[BRANCH_MISSES] / r[BRANCHES]
					   : 1000 * r[LLC_MISSES] / r[INSTRUCTIONS];
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

		for (int k = RATIO_IPC; k <= RATIO_MPKI; k++) {
			const struct ratio_cell *c = &r->cells[row][k];

			tally->too_few[f][k] += c->state == RATIO_TOO_FEW;
			if (c->state != RATIO_KNOWN)
				continue;
			tally->known[f][k]++;
			tally->covered[f][k] += fabs(c->value - truth(f, k)) <= c->half;
		}
		tally->verdict[f][r->verdict[row].may_be]++;
	}
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
	test_must(t.n == 3 && ratios.verdicts && ratios.grouped == group, "rows %zu", t.n);
	take(&t, &ratios, tally);
	table_ratios_release(&ratios);
	table_release(&t);
	session_release(&s);
	source_release(&src);
	builder_release(&b);
}

/* Coverage of all cells together at least 93 %, of each at least 90. */
static void check_coverage(const struct tally *t, const char *what)
{
	unsigned known = 0, covered = 0;

	for (int f = 0; f < 3; f++) {
		for (int k = RATIO_IPC; k <= RATIO_MPKI; k++) {
			known += t->known[f][k];
			covered += t->covered[f][k];
			test_must(t->covered[f][k] * 100 >= t->known[f][k] * 90,
				  "%s: function %d, ratio %d: %u of %u", what, f, k,
				  t->covered[f][k], t->known[f][k]);
		}
	}
	printf("%s: %u of %u cells\n", what, covered, known);
	test_must(covered * 100 >= known * 93, "%s: %u of %u", what, covered, known);
	test_must(known > 500, "%s: only %u", what, known);
}

#define DRAWS 250

START_TEST(coverage)
{
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

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct tally t = { .known = { { 0 } } };

		state = 20261130 + i;
		for (int d = 0; d < DRAWS; d++)
			draw(&t, kinds[i].group, kinds[i].phases);
		check_coverage(&t, kinds[i].what);
		/* What each is bound by, and nothing that it is not. */
		ck_assert_uint_eq(t.verdict[1][1u << COMPUTE], DRAWS);
		ck_assert_uint_eq(t.verdict[0][1u << MEMORY | 1u << BRANCH_MISPREDICT] +
					  t.verdict[0][1u << MEMORY | 1u << BRANCH_MISPREDICT |
						       1u << COMPUTE],
				  DRAWS);
	}
}
END_TEST

/* Where a sample was hit fewer than 30 times there is no number. */
START_TEST(too_few)
{
	struct tally t = { .known = { { 0 } } };

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

	tcase_add_test(tc, coverage);
	tcase_add_test(tc, too_few);
	tcase_set_timeout(tc, 120);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
