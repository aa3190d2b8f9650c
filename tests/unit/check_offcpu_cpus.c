/* SPDX-License-Identifier: MIT */
/*
 * Threads that move, and which CPU their waits belong to: sleep to the one that was left, a wait for
 * a CPU to the one that the thread got.  The table of threads and the profile say the same.
 *
 *	time    CPU 0                    CPU 1
 *	0       58 is put off, 43 comes  59 sleeps, nobody comes
 *	1000    43 sleeps, 44 comes
 *	1600    44 is put off, 58 comes
 *	2000                             43 is woken
 *	2100                             43 comes
 *	2500                             43 sleeps, 44 comes
 *	3000                             44 waits for a disk, nobody comes
 *	3500    58 sleeps: the end
 */
#include <check.h>
#include <unistd.h>

#include "profile/filter.h"
#include "sched_recorder.h"

#include <perfrep/offcpu.h>
#include <perfrep/sched.h>
#include <perfrep/session.h>

enum { WHERE = 0x401000, EVENT = 2 };

static const char *record(bool be)
{
	struct sched_recorder r;

	sched_begin(&r, be, true);
	sched_on(&r, 0, 58);
	sched_to(&r, RUNNING, WHERE, 43);
	r.time += 1000;
	sched_to(&r, SLEEP, WHERE + 0x43, 44);
	r.time += 600;
	sched_to(&r, RUNNING, WHERE + 0x44, 58);
	r.time += 1900;
	sched_to(&r, SLEEP, WHERE, 0);
	sched_on(&r, 1, 59);
	sched_to(&r, SLEEP, WHERE, 0);
	r.time += 2000;
	sched_wake(&r, 43);
	r.time += 100;
	sched_to(&r, RUNNING, 0, 43);
	r.time += 400;
	sched_to(&r, SLEEP, WHERE + 0x43, 44);
	r.time += 500;
	sched_to(&r, DISK, WHERE + 0x44, 0);
	return sched_write(&r);
}

/* What each CPU has of each thread. */
static const struct expected {
	const char *cpus;
	int32_t tid;
	uint64_t run, states[OFFCPU_STATES];
} expected[] = {
	{ "0", 43, 1000, { [OFFCPU_SLEEPING] = 1000 } },
	{ "1", 43, 400, { [OFFCPU_RUNNABLE] = 100, [OFFCPU_SLEEPING] = 1000 } },
	{ "0", 44, 600, { [OFFCPU_UNSTATED] = 1000 } },
	{ "1", 44, 500, { [OFFCPU_PREEMPTED] = 900, [OFFCPU_DISK] = 500 } },
	{ "0", 58, 1900, { [OFFCPU_PREEMPTED] = 1600 } },
	{ "1", 59, 0, { [OFFCPU_SLEEPING] = 3500 } },
};
enum { EXPECTED = sizeof(expected) / sizeof(*expected) };

static struct filter *filter_of(const char *cpus)
{
	struct filter *f = filter_new();
	struct err err;

	ck_assert_int_eq(filter_add(f, FILTER_CPU, cpus, &err), 0);
	return f;
}

static void run(struct session *s, bool be, struct filter *f)
{
	struct session_options so = {
		.path = record(be), .threads = 2, .offcpu = true, .filter = f
	};
	struct err err;

	so.symbols.where.no_system = true;
	ck_assert_msg(session_run(s, &so, &err) == 0, "%s", err.text);
	ck_assert_msg(profile_check(s->profile, &err) == 0, "%s", err.text);
	ck_assert_str_eq(profile_str(s->profile, s->profile->events[EVENT].name), "off-cpu");
	unlink(so.path);
}

static const struct expected *expect(const char *cpus, int32_t tid)
{
	for (size_t i = 0; i < EXPECTED; i++)
		if (!strcmp(expected[i].cpus, cpus) && expected[i].tid == tid)
			return &expected[i];
	ck_abort_msg("nothing was to be expected of %d on CPU %s", tid, cpus);
	return NULL;
}

static uint64_t off(const struct expected *e)
{
	uint64_t sum = 0;

	for (int k = 0; k < OFFCPU_STATES; k++)
		sum += e->states[k];
	return sum;
}

static uint64_t all_off(const char *cpus)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < EXPECTED; i++)
		if (!strcmp(expected[i].cpus, cpus))
			sum += off(&expected[i]);
	return sum;
}

START_TEST(profile_of_a_cpu)
{
	const char *cpus = _i % 2 ? "1" : "0";
	struct filter *f = filter_of(cpus);
	const struct profile_event *e;
	struct session s;

	run(&s, _i / 2, f);
	e = &s.profile->events[EVENT];
	ck_assert_uint_eq(e->weight, all_off(cpus));
	ck_assert_uint_eq(e->filtered_weight, all_off(_i % 2 ? "0" : "1"));
	ck_assert_uint_eq(s.events[EVENT].period, all_off("0") + all_off("1"));
	ck_assert_uint_eq(s.offcpu->nr_threads, 3);
	for (size_t i = 0; i < s.offcpu->nr_threads; i++) {
		const struct offcpu_thread *t = &s.offcpu->threads[i];
		const struct expected *want = expect(cpus, t->tid);

		ck_assert_uint_eq(t->run, want->run);
		for (int k = 0; k < OFFCPU_STATES; k++)
			ck_assert_uint_eq(t->states[k], want->states[k]);
		ck_assert_uint_eq(t->life, want->run + off(want));
	}
	filter_free(f);
	session_release(&s);
}
END_TEST

START_TEST(table_of_a_cpu)
{
	const char *cpus = _i % 2 ? "1" : "0";
	struct filter *f = filter_of(cpus);
	struct session_options so = { .path = record(_i / 2) };
	const struct sched_options o = { .filter = f };
	struct sched_table t;
	struct session s;
	struct err err;

	ck_assert_msg(sched_table_build(&t, &s, &so, &o, &err) == 0, "%s", err.text);
	unlink(so.path);
	ck_assert_uint_eq(t.n, 3);
	for (size_t i = 0; i < t.n; i++) {
		const struct sched_row *row = &t.rows[i];
		const struct expected *want = expect(cpus, row->tid);

		ck_assert_uint_eq(row->time[PART_RUN], want->run);
		ck_assert_uint_eq(row->time[PART_SLEEPING], want->states[OFFCPU_SLEEPING]);
		ck_assert_uint_eq(row->time[PART_DISK], want->states[OFFCPU_DISK]);
		ck_assert_uint_eq(row->time[PART_WOKEN], want->states[OFFCPU_RUNNABLE]);
		ck_assert_uint_eq(row->time[PART_PREEMPTED], want->states[OFFCPU_PREEMPTED]);
		ck_assert_uint_eq(row->time[PART_UNKNOWN], want->states[OFFCPU_UNSTATED]);
		ck_assert_uint_eq(row->life, want->run + off(want));
	}
	sched_table_release(&t);
	session_release(&s);
	filter_free(f);
}
END_TEST

/* The wait for CPU 1 has the stack with which CPU 0 was left: of two parts each CPU has one. */
START_TEST(stacks_of_a_cpu)
{
	struct filter *f = filter_of(_i % 2 ? "1" : "0");
	uint64_t found = 0;
	struct session s;

	run(&s, _i / 2, f);
	for (size_t i = 0; i < s.offcpu->nr_waits; i++) {
		const struct offcpu_wait *w = &s.offcpu->waits[i];

		if (!w->mark[1])
			continue;
		found++;
		ck_assert_uint_eq(w->ns[0], _i % 2 ? 0 : 1000);
		ck_assert_uint_eq(w->ns[1], _i % 2 ? 100 : 0);
		ck_assert_uint_ne(w->stack, PROFILE_NONE);
		ck_assert_uint_eq(s.offcpu->stacks[w->stack].n, 3);
	}
	ck_assert_uint_eq(found, 1);
	ck_assert_uint_eq(s.offcpu->nr_waits, _i % 2 ? 5 : 3);
	filter_free(f);
	session_release(&s);
}
END_TEST

/* A CPU that was not there has nothing. */
START_TEST(another_cpu)
{
	struct filter *f = filter_of("2-7");
	struct session s;

	run(&s, _i, f);
	ck_assert_uint_eq(s.profile->events[EVENT].weight, 0);
	ck_assert_uint_eq(s.profile->events[EVENT].filtered_weight, all_off("0") + all_off("1"));
	ck_assert_uint_eq(s.offcpu->nr_threads, 0);
	ck_assert_uint_eq(s.offcpu->nr_waits, 0);
	filter_free(f);
	session_release(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("offcpu_cpus");
	TCase *tc = tcase_create("offcpu_cpus");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, profile_of_a_cpu, 0, 4);
	tcase_add_loop_test(tc, table_of_a_cpu, 0, 4);
	tcase_add_loop_test(tc, stacks_of_a_cpu, 0, 4);
	tcase_add_loop_test(tc, another_cpu, 0, 2);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
