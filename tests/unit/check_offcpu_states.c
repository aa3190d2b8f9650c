/* SPDX-License-Identifier: MIT */
/*
 * One program whose threads are off their CPUs for each reason, as a recording of which every
 * nanosecond is known: what is blocked, what cannot be interrupted and what could run are not the
 * same (rezolus#1046 and #1048, bcc#1277, #586, #3456 on GitHub).
 *
 * CPU 0: two hogs take turns, and one waits once for its migration.
 * CPU 1: "sleeper" sleeps ten times for 50 ms and a bit, a filler runs meanwhile.
 * CPU 2: "uninterrupt" waits three times in vfork() for a child of the same name, which sleeps.
 * CPU 3: nobody but the idle task, and a kernel thread now and then.
 */
#include <check.h>
#include <unistd.h>

#include "profile/filter.h"
#include "sched_recorder.h"

#include <perfrep/offcpu.h>
#include <perfrep/sched.h>
#include <perfrep/session.h>

enum {
	HOG_ONE = 51,
	HOG_TWO,
	FILLER_ONE = 58,
	SLEEPER = 61,
	UNINTERRUPT,
	FILLER_TWO = 68,
	KTHREAD = 90
};
enum { NAPS = 10, FORKS = 3, TURNS = 40 };

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

/* Where threads leave their CPUs: functions of the program. */
enum { BLOCKED_SLEEP = 0x401000, WAITS_FOR_CHILD = 0x402000, HOG_WORK = 0x403000, PIN = 0x404000 };

/* ---- the program ---- */

static void hogs(struct sched_recorder *r)
{
	sched_on(r, 0, FILLER_ONE);
	sched_to(r, RUNNING, 0x406000, HOG_ONE);
	for (int i = 0; i < TURNS; i++) {
		r->time += 2 * MS + 1;
		sched_to(r, RUNNING, HOG_WORK, HOG_TWO);
		r->time += 2 * MS;
		sched_to(r, i % 2 ? 0x100 : RUNNING, HOG_WORK, HOG_ONE); /* R+ is R too */
	}
	r->time += 1 * MS;
	sched_to(r, DEAD, HOG_WORK, HOG_TWO);
	r->time += 5 * US;
	sched_to(r, DISK, PIN, FILLER_ONE);
	r->time += 3 * US;
	sched_wake(r, HOG_TWO);
	r->time += 37;
	sched_to(r, RUNNING, 0x406000, HOG_TWO);
	r->time += 1 * MS;
	sched_to(r, DEAD, HOG_WORK, FILLER_ONE);
}

static void sleeper(struct sched_recorder *r)
{
	sched_on(r, 1, FILLER_TWO);
	r->time += 1 * MS;
	sched_to(r, RUNNING, 0x406000, SLEEPER);
	for (uint64_t i = 0; i < NAPS; i++) {
		r->time += 1 * MS;
		sched_to(r, SLEEP, BLOCKED_SLEEP, FILLER_TWO);
		r->time += 50 * MS + 1000 * i;
		sched_wake(r, SLEEPER);
		r->time += 20 * US;
		sched_to(r, RUNNING, 0x406000, SLEEPER);
	}
	r->time += 1 * MS;
	sched_to(r, DEAD, 0x407000, FILLER_TWO);
}

static void forks(struct sched_recorder *r)
{
	sched_on(r, 2, UNINTERRUPT);
	for (uint32_t i = 0; i < FORKS; i++) {
		r->time += 1 * MS;
		builder_fork(&r->b, r->time, CHILD + i, PROGRAM, CHILD + i, UNINTERRUPT);
		r->time += 10 * US;
		sched_to(r, KILLABLE, WAITS_FOR_CHILD, CHILD + i);
		r->time += 30 * US;
		sched_to(r, SLEEP, WAITS_FOR_CHILD, 0);
		r->time += 100 * MS;
		sched_wake(r, CHILD + i);
		r->time += 7 * US;
		sched_to(r, RUNNING, 0, CHILD + i);
		r->time += 40 * US;
		sched_wake(r, UNINTERRUPT);
		r->time += 2 * US;
		builder_exit(&r->b, r->time, CHILD + i, PROGRAM, CHILD + i, UNINTERRUPT);
		r->time += 1 * US;
		sched_to(r, DEAD, WAITS_FOR_CHILD, UNINTERRUPT);
	}
	r->time += 1 * MS;
	sched_to(r, DEAD, 0x407000, 0);
}

static void idles(struct sched_recorder *r)
{
	sched_on(r, 3, 0);
	for (int i = 0; i < 4; i++) {
		r->time += 100 * MS;
		sched_wake(r, KTHREAD);
		r->time += 4 * US;
		sched_to(r, RUNNING, 0, KTHREAD);
		r->time += 6 * US;
		sched_to(r, 0x80, 0x408000, 0);
	}
}

static void names(struct sched_recorder *r)
{
	builder_comm(&r->b, 0, PROGRAM, HOG_ONE, "hog-one");
	builder_comm(&r->b, 0, PROGRAM, HOG_TWO, "hog-two");
	builder_comm(&r->b, 0, PROGRAM, SLEEPER, "sleeper");
	builder_comm(&r->b, 0, PROGRAM, UNINTERRUPT, "uninterrupt");
	builder_comm(&r->b, 0, PROGRAM, FILLER_ONE, "filler");
	builder_comm(&r->b, 0, PROGRAM, FILLER_TWO, "filler");
	builder_comm(&r->b, 0, PROGRAM, KTHREAD, "kworker");
}

static const char *record(struct sched_recorder *r, bool be, bool wakes)
{
	sched_begin(r, be, wakes);
	names(r);
	hogs(r);
	sleeper(r);
	forks(r);
	idles(r);
	return sched_write(r);
}

static void analyse(struct session *s, bool be, bool wakes)
{
	struct sched_recorder r;
	struct session_options so = { .path = record(&r, be, wakes), .threads = 2, .offcpu = true };
	struct err err;

	so.offcpu_wakers = true;
	so.keys = SESSION_KEY_TID;
	so.symbols.where.no_system = true;
	ck_assert_msg(session_run(s, &so, &err) == 0, "%s", err.text);
	ck_assert_msg(profile_check(s->profile, &err) == 0, "%s", err.text);
	unlink(so.path);
}

/* ---- what is to come out ---- */

/* By the program above: what each was, to the ns. */
static const struct expected {
	int32_t tid;
	const char *comm;
	uint64_t run, states[OFFCPU_STATES], counts[OFFCPU_STATES];
	uint64_t life;
} expected[] = {
	{ HOG_ONE,
	  "hog-one",
	  TURNS *(2 * MS + 1) + 1 * MS,
	  { [OFFCPU_PREEMPTED] = TURNS * 2 * MS },
	  { [OFFCPU_PREEMPTED] = TURNS },
	  TURNS *(4 * MS + 1) + 1 * MS },
	{ HOG_TWO,
	  "hog-two",
	  TURNS * 2 * MS + 5 * US + 1 * MS,
	  { [OFFCPU_PREEMPTED] = (TURNS - 1) * (2 * MS + 1) + 1 * MS,
	    [OFFCPU_DISK] = 3 * US,
	    [OFFCPU_RUNNABLE] = 37,
	    [OFFCPU_UNSTATED] = 2 * MS + 1 },
	  { [OFFCPU_PREEMPTED] = TURNS,
	    [OFFCPU_DISK] = 1,
	    [OFFCPU_RUNNABLE] = 1,
	    [OFFCPU_UNSTATED] = 1 },
	  TURNS *(4 * MS + 1) + 2 * MS + 8 * US + 37 },
	{ SLEEPER,
	  "sleeper",
	  (NAPS + 1) * MS,
	  { [OFFCPU_SLEEPING] = NAPS * 50 * MS + 45 * US,
	    [OFFCPU_RUNNABLE] = NAPS * 20 * US,
	    [OFFCPU_UNSTATED] = 1 * MS },
	  { [OFFCPU_SLEEPING] = NAPS, [OFFCPU_RUNNABLE] = NAPS, [OFFCPU_UNSTATED] = 1 },
	  NAPS * 51 * MS + 2 * MS + 245 * US },
	{ UNINTERRUPT,
	  "uninterrupt",
	  FORKS *(1 * MS + 10 * US) + 1 * MS,
	  { [OFFCPU_DISK] = FORKS * (100 * MS + 77 * US), [OFFCPU_RUNNABLE] = FORKS * 3 * US },
	  { [OFFCPU_DISK] = FORKS, [OFFCPU_RUNNABLE] = FORKS },
	  FORKS *(101 * MS + 90 * US) + 1 * MS },
};

static const struct offcpu_thread *thread(const struct session *s, int32_t tid)
{
	for (size_t i = 0; i < s->offcpu->nr_threads; i++)
		if (s->offcpu->threads[i].tid == tid)
			return &s->offcpu->threads[i];
	ck_abort_msg("no thread %d", tid);
	return NULL;
}

static void expect(const struct session *s, const struct expected *e)
{
	const struct offcpu_thread *t = thread(s, e->tid);

	ck_assert_str_eq(profile_str(s->profile, t->comm), e->comm);
	ck_assert_uint_eq(t->run, e->run);
	ck_assert_uint_eq(t->unknown, 0);
	ck_assert_uint_eq(t->doubtful, 0);
	for (int k = 0; k < OFFCPU_STATES; k++) {
		ck_assert_msg(t->states[k] == e->states[k] && t->counts[k] == e->counts[k],
			      "%s, %s: %llu in %llu, not %llu in %llu", e->comm,
			      offcpu_state_name((enum offcpu_state)k),
			      (unsigned long long)t->states[k], (unsigned long long)t->counts[k],
			      (unsigned long long)e->states[k], (unsigned long long)e->counts[k]);
	}
	ck_assert_uint_eq(t->ended - t->born, e->life);
}

START_TEST(each_state_to_the_ns)
{
	struct session s;

	analyse(&s, _i, true);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++)
		expect(&s, &expected[i]);
	/* the hog's wait for its migration is not of how the two took turns */
	ck_assert_uint_lt(100 * thread(&s, HOG_TWO)->states[OFFCPU_DISK],
			  5 * thread(&s, HOG_TWO)->states[OFFCPU_PREEMPTED]);
	session_release(&s);
}
END_TEST

/* The children run under the parent's name: their sleep is theirs. */
START_TEST(children_are_apart)
{
	struct session s;

	analyse(&s, _i, true);
	for (int32_t tid = CHILD; tid < CHILD + FORKS; tid++) {
		const struct expected e = {
			tid,
			"uninterrupt",
			30 * US + 43 * US,
			{ [OFFCPU_SLEEPING] = 100 * MS, [OFFCPU_RUNNABLE] = 7 * US + 10 * US },
			{
				[OFFCPU_SLEEPING] = 1,
				[OFFCPU_RUNNABLE] = 1,
			},
			100 * MS + 90 * US,
		};
		const struct offcpu_thread *t = thread(&s, tid);

		ck_assert_str_eq(profile_str(s.profile, t->comm), e.comm);
		ck_assert_uint_eq(t->run, e.run);
		ck_assert_uint_eq(t->states[OFFCPU_SLEEPING], e.states[OFFCPU_SLEEPING]);
		/* new ones wait for a CPU too */
		ck_assert_uint_eq(t->states[OFFCPU_RUNNABLE] + t->states[OFFCPU_UNSTATED] +
					  t->states[OFFCPU_PREEMPTED],
				  e.states[OFFCPU_RUNNABLE]);
		ck_assert_uint_eq(t->ended - t->born, e.life);
	}
	session_release(&s);
}
END_TEST

/* The waits of one thread, by the function in which they began. */
START_TEST(stacks_of_the_waits)
{
	struct session s;
	unsigned naps = 0, forks = 0, turns = 0;

	analyse(&s, _i, true);
	for (size_t i = 0; i < s.offcpu->nr_waits; i++) {
		const struct offcpu_wait *w = &s.offcpu->waits[i];
		int32_t tid = s.profile->keys[w->key].tid;
		const struct offcpu_stack *st;
		uint64_t leaf;

		if (w->stack == PROFILE_NONE) { /* it left before the recording, or is new */
			ck_assert(w->mark[0] / 2 == OFFCPU_UNSTATED || tid >= CHILD);
			continue;
		}
		st = &s.offcpu->stacks[w->stack];
		ck_assert_uint_ge(st->n, 2);
		/* root first: main, where it waits, schedule() */
		leaf = s.profile->locs[s.offcpu->locs[st->first + 1]].addr;
		if (tid == SLEEPER) {
			ck_assert_uint_eq(w->mark[0] / 2, OFFCPU_SLEEPING);
			ck_assert_uint_eq(w->mark[1] / 2, OFFCPU_RUNNABLE);
			ck_assert_uint_eq(w->ns[0], 50 * MS + 1000 * naps++);
			ck_assert_uint_eq(w->ns[1], 20 * US);
			ck_assert_uint_eq(leaf & 0xffff, BLOCKED_SLEEP & 0xffff);
		} else if (tid == UNINTERRUPT) {
			ck_assert_uint_eq(w->mark[0] / 2, OFFCPU_DISK);
			ck_assert_uint_eq(w->ns[0] + w->ns[1], 100 * MS + 80 * US);
			ck_assert_uint_eq(leaf & 0xffff, WAITS_FOR_CHILD & 0xffff);
			ck_assert_int_eq(s.profile->keys[w->waker_key].tid, CHILD + (int)forks++);
		} else if (tid == HOG_ONE) {
			ck_assert_uint_eq(w->mark[0] / 2, OFFCPU_PREEMPTED);
			/* interrupted, not in a call */
			ck_assert_uint_eq(leaf & 0xffff, (HOG_WORK + 1) & 0xffff);
			turns++;
		}
	}
	ck_assert_uint_eq(naps, NAPS);
	ck_assert_uint_eq(forks, FORKS);
	ck_assert_uint_eq(turns, TURNS);
	session_release(&s);
}
END_TEST

static uint64_t off(const struct offcpu_thread *t)
{
	uint64_t sum = 0;

	for (int k = 0; k < OFFCPU_STATES; k++)
		sum += t->states[k];
	return sum;
}

/*
 * Wakings split waits, they add nothing; all threads together are the event; the idle task is none
 * of them; and the parts of each make its life.
 */
START_TEST(nothing_twice)
{
	struct session with, without;
	uint64_t all = 0;

	analyse(&with, _i, true);
	analyse(&without, _i, false);
	ck_assert(with.offcpu->has_wakes && !without.offcpu->has_wakes);
	for (size_t i = 0; i < with.offcpu->nr_threads; i++) {
		const struct offcpu_thread *t = &with.offcpu->threads[i];

		ck_assert_int_ne(t->tid, 0);
		ck_assert_uint_eq(t->run + t->unknown + off(t), t->ended - t->born);
		all += off(t);
	}
	ck_assert_uint_eq(with.profile->events[with.nr_events - 1].weight, all);
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		const struct offcpu_thread *t = thread(&without, expected[i].tid);

		ck_assert_uint_eq(t->run, expected[i].run);
		ck_assert_uint_eq(t->states[OFFCPU_RUNNABLE], 0);
		ck_assert_uint_eq(off(t), off(thread(&with, expected[i].tid)));
	}
	ck_assert_uint_eq(thread(&without, SLEEPER)->states[OFFCPU_SLEEPING],
			  NAPS * (50 * MS + 20 * US) + 45 * US);
	session_release(&with);
	session_release(&without);
}
END_TEST

/* The table of threads says of run time and of waits for a CPU what the other command says. */
START_TEST(the_same_as_a_table)
{
	struct sched_recorder r;
	struct session s, table_session;
	struct session_options so = { 0 };
	struct sched_options o = { 0 };
	struct sched_table t;
	struct err err;
	size_t seen = 0;

	analyse(&s, _i, true);
	so.path = record(&r, _i, true);
	ck_assert_msg(sched_table_build(&t, &table_session, &so, &o, &err) == 0, "%s", err.text);
	unlink(so.path);
	for (size_t i = 0; i < t.n; i++) {
		const struct sched_row *row = &t.rows[i];
		const struct offcpu_thread *th = thread(&s, row->tid);
		uint64_t sum = 0;

		for (int k = 0; k < PART_MAX; k++)
			sum += row->time[k];
		ck_assert_uint_eq(sum, row->life);
		ck_assert_uint_eq(row->life, th->ended - th->born);
		ck_assert_uint_eq(row->time[PART_RUN], th->run);
		ck_assert_uint_eq(row->time[PART_SLEEPING], th->states[OFFCPU_SLEEPING]);
		ck_assert_uint_eq(row->time[PART_DISK], th->states[OFFCPU_DISK]);
		ck_assert_uint_eq(row->time[PART_PREEMPTED], th->states[OFFCPU_PREEMPTED]);
		seen++;
	}
	ck_assert_uint_eq(seen, s.offcpu->nr_threads);
	sched_table_release(&t);
	session_release(&table_session);
	session_release(&s);
}
END_TEST

static void build_table(struct sched_table *t, struct session *s, bool be, struct filter *f)
{
	struct sched_recorder r;
	struct session_options so = { .path = record(&r, be, true) };
	const struct sched_options o = { .filter = f };
	struct err err;

	ck_assert_msg(sched_table_build(t, s, &so, &o, &err) == 0, "%s", err.text);
	unlink(so.path);
}

static const struct sched_row *row_of(const struct sched_table *t, int32_t tid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].tid == tid)
			return &t->rows[i];
	return NULL;
}

/* Of spans what is within the time, of moments those that are. */
START_TEST(table_of_a_time)
{
	struct filter *f = filter_new();
	const struct sched_row *row;
	struct sched_table t;
	struct session s;
	struct err err;

	ck_assert_int_eq(filter_add(f, FILTER_TIME, "5.0005,5.1", &err), 0);
	build_table(&t, &s, _i, f);
	ck_assert_uint_eq(t.chosen, 99 * MS + 500 * US);
	row = row_of(&t, SLEEPER);
	ck_assert_ptr_nonnull(row);
	ck_assert_uint_eq(row->life, 99 * MS + 500 * US);
	ck_assert_uint_eq(row->time[PART_RUN], 2 * MS);
	ck_assert_uint_eq(row->time[PART_SLEEPING], 50 * MS + 47 * MS - 20 * US);
	ck_assert_uint_eq(row->time[PART_WOKEN], 20 * US);
	ck_assert_uint_eq(row->time[PART_UNKNOWN], 500 * US); /* before it came */
	ck_assert_uint_eq(row->switches, 2);
	ck_assert_uint_eq(row->delays.n, 1);
	ck_assert_uint_eq(row->delays.max, 20 * US);
	sched_table_release(&t);
	session_release(&s);
	filter_free(f);
}
END_TEST

/* Each CPU has its threads, and all together have what there is. */
START_TEST(tables_of_cpus)
{
	static const char *const cpus[] = { "0", "1", "2-3" };
	uint64_t life = 0, switches = 0;
	struct sched_table t;
	struct session s;
	struct err err;

	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		struct filter *f = filter_new();

		ck_assert_int_eq(filter_add(f, FILTER_CPU, cpus[i], &err), 0);
		build_table(&t, &s, _i, f);
		ck_assert_int_eq(row_of(&t, HOG_ONE) != NULL, i == 0);
		ck_assert_int_eq(row_of(&t, SLEEPER) != NULL, i == 1);
		ck_assert_int_eq(row_of(&t, UNINTERRUPT) != NULL, i == 2);
		ck_assert_int_eq(row_of(&t, KTHREAD) != NULL, i == 2);
		for (size_t k = 0; k < t.n; k++) {
			life += t.rows[k].life;
			switches += t.rows[k].switches;
		}
		sched_table_release(&t);
		session_release(&s);
		filter_free(f);
	}
	build_table(&t, &s, _i, NULL);
	for (size_t k = 0; k < t.n; k++) {
		life -= t.rows[k].life;
		switches -= t.rows[k].switches;
	}
	ck_assert_uint_eq(life, 0);
	ck_assert_uint_eq(switches, 0);
	sched_table_release(&t);
	session_release(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("offcpu_states");
	TCase *tc = tcase_create("offcpu_states");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, each_state_to_the_ns, 0, 2);
	tcase_add_loop_test(tc, children_are_apart, 0, 2);
	tcase_add_loop_test(tc, stacks_of_the_waits, 0, 2);
	tcase_add_loop_test(tc, nothing_twice, 0, 2);
	tcase_add_loop_test(tc, the_same_as_a_table, 0, 2);
	tcase_add_loop_test(tc, table_of_a_time, 0, 2);
	tcase_add_loop_test(tc, tables_of_cpus, 0, 2);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
