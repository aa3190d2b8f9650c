/* SPDX-License-Identifier: MIT */
/* Scheduler records -> spans: what each sequence of records says, and what it does not say. */
#include <check.h>
#include <stdio.h>

#include "base/strbuf.h"
#include "collect/sched.h"

/* Spans as text, one each: "tid kind/state from-until flags cpu". */
static void write_span(void *ctx, const struct sched_span *s)
{
	static const char *const kinds[] = { "run", "off", "ready", "unknown" };
	static const char *const states[STATE_MAX] = {
		[STATE_UNKNOWN] = "unknown", [STATE_SLEEPING] = "sleeping",
		[STATE_DISK] = "disk",       [STATE_STOPPED] = "stopped",
		[STATE_IDLE] = "idle",       [STATE_PARKED] = "parked",
		[STATE_DEAD] = "dead",       [STATE_READY] = "preempted",
		[STATE_BLOCKED] = "blocked",
	};
	struct strbuf *sb = ctx;

	strbuf_addf(sb, "%d %s", s->tid, kinds[s->kind]);
	if (s->kind == SPAN_OFF || s->kind == SPAN_READY)
		strbuf_addf(sb, "/%s", states[s->state]);
	strbuf_addf(sb, " %d-%d", (int)s->from, (int)s->until);
	if (s->flags & SPAN_OPEN_BEGIN)
		strbuf_adds(sb, " begin");
	if (s->flags & SPAN_OPEN_END)
		strbuf_adds(sb, " end");
	if (s->flags & SPAN_DOUBTFUL)
		strbuf_adds(sb, " doubtful");
	if (s->flags & SPAN_IRQ)
		strbuf_adds(sb, " irq");
	if (s->kind == SPAN_READY && s->waker >= 0)
		strbuf_addf(sb, " by %d", s->waker);
	strbuf_adds(sb, "\n");
}

/* Replay N records from 0 to 100; what comes out, and S for its counts. */
static char *replay(struct sched *s, const struct sched_record *v, size_t n)
{
	struct sched_records r = { 0 };
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < n; i++)
		sched_records_add(&r, &v[i]);
	sched_records_sort(&r);
	sched_replay(s, &r, 0, 100, write_span, &sb);
	sched_records_release(&r);
	strbuf_adds(&sb, "");
	return strbuf_detach(&sb);
}

#define SPANS(s, want, ...)                                                       \
	do {                                                                      \
		const struct sched_record recs_[] = { __VA_ARGS__ };              \
		char *got_ = replay(&(s), recs_, sizeof(recs_) / sizeof(*recs_)); \
		ck_assert_str_eq(got_, want);                                     \
		free(got_);                                                       \
	} while (0)

static struct sched_record sw(uint64_t time, uint32_t cpu, int32_t prev, enum sched_state state,
			      int32_t next)
{
	return (struct sched_record){ .time = time,
				      .cpu = cpu,
				      .tid = prev,
				      .other = next,
				      .kind = SCHED_SWITCH,
				      .state = (uint8_t)state };
}

static struct sched_record rec(enum sched_kind kind, uint64_t time, uint32_t cpu, int32_t tid)
{
	return (struct sched_record){
		.time = time, .cpu = cpu, .tid = tid, .other = -1, .kind = (uint8_t)kind
	};
}

static struct sched_record out(uint64_t time, uint32_t cpu, int32_t tid, bool preempted)
{
	struct sched_record r = rec(SCHED_OUT, time, cpu, tid);

	r.state = preempted ? STATE_READY : STATE_BLOCKED;
	return r;
}

static struct sched_record wake(uint64_t time, int32_t tid, int32_t waker)
{
	struct sched_record r = rec(SCHED_WAKE, time, 0, tid);

	r.other = waker;
	return r;
}

START_TEST(sleep_and_wake)
{
	struct sched s;

	/* 7 runs from the beginning, sleeps at 10, is woken at 30 and runs at 35 */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "7 off/sleeping 10-30\n"
	      "7 ready/sleeping 30-35 by 8\n"
	      "7 run 35-100 end\n",
	      sw(10, 0, 7, STATE_SLEEPING, 0), wake(30, 7, 8), sw(35, 0, 0, STATE_READY, 7));
	ck_assert_uint_eq(s.switches, 2);
	ck_assert_uint_eq(s.wakes, 1);
	ck_assert_uint_eq(s.missing_in + s.missing_out, 0);
	sched_release(&s);
}
END_TEST

START_TEST(first_waking_counts)
{
	struct sched s;

	/* sched_waking at 30 by 8, sched_wakeup at 32 on the other CPU */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "7 off/disk 10-30\n"
	      "7 ready/disk 30-40 by 8\n"
	      "7 run 40-100 end\n",
	      sw(10, 0, 7, STATE_DISK, 0), wake(30, 7, 8), wake(32, 7, 0),
	      sw(40, 0, 0, STATE_READY, 7));
	sched_release(&s);
}
END_TEST

START_TEST(preempted)
{
	struct sched s;

	/* waking a thread that is ready says nothing */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "8 off/unknown 0-10 begin\n"
	      "8 run 10-20\n"
	      "7 ready/preempted 10-20\n"
	      "7 run 20-100 end\n"
	      "8 ready/preempted 20-100 end\n",
	      sw(10, 0, 7, STATE_READY, 8), wake(15, 7, 8), sw(20, 0, 8, STATE_READY, 7));
	sched_release(&s);
}
END_TEST

START_TEST(woken_before_first_switch)
{
	struct sched s;

	SPANS(s,
	      "7 off/unknown 0-40 begin\n"
	      "7 ready/unknown 40-50 by 3\n"
	      "7 run 50-100 end\n",
	      wake(40, 7, 3), sw(50, 0, 0, STATE_READY, 7));
	sched_release(&s);
}
END_TEST

START_TEST(second_on_a_cpu_did_not_run_from_the_beginning)
{
	struct sched s;

	/* the idle task is on CPU 0 from 10 on; that 8 came is not recorded */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "8 unknown 0-60 begin\n"
	      "7 off/sleeping 10-100 end\n"
	      "8 off/sleeping 60-100 end\n",
	      sw(10, 0, 7, STATE_SLEEPING, 0), sw(60, 0, 8, STATE_SLEEPING, 0));
	ck_assert_uint_eq(s.missing_in, 0);
	sched_release(&s);
}
END_TEST

START_TEST(missing_switch_in)
{
	struct sched s;

	/* the first sleep's end is unknown: it must not last until 50, nor until 20 */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "7 unknown 10-50\n"
	      "7 off/sleeping 50-90\n"
	      "7 run 90-100 end\n",
	      sw(10, 0, 7, STATE_SLEEPING, 0), wake(20, 7, 3), sw(50, 0, 7, STATE_SLEEPING, 0),
	      sw(90, 0, 0, STATE_READY, 7));
	ck_assert_uint_eq(s.missing_in, 1);
	sched_release(&s);
}
END_TEST

START_TEST(missing_switch_out)
{
	struct sched s;

	SPANS(s,
	      "7 off/unknown 0-10 begin\n"
	      "7 unknown 10-40\n"
	      "7 run 40-100 end\n",
	      sw(10, 0, 0, STATE_READY, 7), sw(40, 1, 0, STATE_READY, 7));
	ck_assert_uint_eq(s.missing_out, 1);
	sched_release(&s);
}
END_TEST

START_TEST(displaced)
{
	struct sched s;

	/* 8 was put on CPU 0 at 10; at 40 it is 9 that leaves it */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "8 off/unknown 0-10 begin\n"
	      "9 unknown 0-40 begin\n"
	      "8 unknown 10-40\n"
	      "7 off/sleeping 10-50\n"
	      "8 off/unknown 40-60\n"
	      "8 ready/unknown 60-70 by 7\n"
	      "7 run 50-100 end\n"
	      "8 run 70-100 end\n"
	      "9 off/sleeping 40-100 end\n",
	      sw(10, 0, 7, STATE_SLEEPING, 8), sw(40, 0, 9, STATE_SLEEPING, 0),
	      sw(50, 0, 0, STATE_READY, 7), wake(60, 8, 7), sw(70, 1, 0, STATE_READY, 8));
	ck_assert_uint_eq(s.missing_out, 1);
	sched_release(&s);
}
END_TEST

START_TEST(switch_records_alone)
{
	struct sched s;

	SPANS(s,
	      "7 run 0-10 begin\n"
	      "7 off/blocked 10-30\n"
	      "7 run 30-40\n"
	      "7 ready/preempted 40-50\n"
	      "7 run 50-100 end\n",
	      out(10, 0, 7, false), rec(SCHED_IN, 30, 0, 7), out(40, 0, 7, true),
	      rec(SCHED_IN, 50, 1, 7));
	ck_assert_uint_eq(s.switches, 2);
	sched_release(&s);
}
END_TEST

START_TEST(told_twice)
{
	struct sched s;

	/* the SWITCH records of 11, 12, 42 repeat; those of 31 and 52 are alone: from idle */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "8 off/unknown 0-10 begin\n"
	      "7 off/sleeping 10-31\n"
	      "8 run 10-40\n"
	      "7 run 31-50\n"
	      "8 off/disk 40-52\n"
	      "7 off/sleeping 50-100 end\n"
	      "8 run 52-100 end\n",
	      sw(10, 0, 7, STATE_SLEEPING, 8), out(11, 0, 7, false), rec(SCHED_IN, 12, 0, 8),
	      rec(SCHED_IN, 31, 1, 7), sw(40, 0, 8, STATE_DISK, 0), out(42, 0, 8, false),
	      sw(50, 1, 7, STATE_SLEEPING, 0), out(51, 1, 7, false), rec(SCHED_IN, 52, 0, 8));
	ck_assert_uint_eq(s.missing_in + s.missing_out, 0);
	ck_assert_uint_eq(s.switches, 3);
	sched_release(&s);
}
END_TEST

START_TEST(born_and_gone)
{
	struct sched s;
	struct sched_record fork = rec(SCHED_BORN, 10, 0, 9);

	fork.other = 7;
	/* 9 is born, runs, exits, is preempted once more, and is gone; then another gets its tid */
	SPANS(s,
	      "7 run 0-20 begin\n"
	      "9 ready/unknown 10-20 by 7\n"
	      "9 run 20-31\n"
	      "7 ready/preempted 20-31\n"
	      "7 run 31-32\n"
	      "9 ready/preempted 31-32\n"
	      "9 run 32-35\n"
	      "7 ready/preempted 32-35\n"
	      "7 run 35-60\n"
	      "9 ready/unknown 50-60 by 7\n"
	      "7 off/sleeping 60-100 end\n"
	      "9 run 60-100 end\n",
	      fork, wake(10, 9, 7), sw(20, 0, 7, STATE_READY, 9), rec(SCHED_EXIT, 30, 0, 9),
	      sw(31, 0, 9, STATE_READY, 7), sw(32, 0, 7, STATE_READY, 9),
	      sw(35, 0, 9, STATE_DEAD, 7),
	      (struct sched_record){ .kind = SCHED_BORN, .time = 50, .tid = 9, .other = 7 },
	      sw(60, 0, 7, STATE_SLEEPING, 9));
	ck_assert_uint_eq(s.threads.n, 3);
	ck_assert(s.threads.v[0].was_born && s.threads.v[0].has_ended);
	ck_assert_uint_eq(s.threads.v[0].born, 10);
	ck_assert_uint_eq(s.threads.v[0].ended, 35);
	sched_release(&s);
}
END_TEST

START_TEST(exits_unseen)
{
	struct sched s;

	/* no switch after EXIT: the life ends with it */
	SPANS(s,
	      "7 off/unknown 0-10 begin\n"
	      "7 run 10-40\n",
	      sw(10, 0, 0, STATE_READY, 7), rec(SCHED_EXIT, 40, 0, 7));
	sched_release(&s);
	/* it must have run to exit */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "7 unknown 10-40\n"
	      "7 run 40-41\n",
	      sw(10, 0, 7, STATE_SLEEPING, 0), rec(SCHED_EXIT, 40, 0, 7),
	      sw(41, 0, 7, STATE_DEAD, 0));
	ck_assert_uint_eq(s.missing_in, 1);
	sched_release(&s);
	/* SWITCH records: it blocks on its way out; its last one has no tid; another gets the tid */
	SPANS(s,
	      "7 run 0-41 begin\n"
	      "7 off/blocked 41-44\n"
	      "7 run 44-50\n"
	      "8 off/unknown 0-60 begin\n"
	      "8 run 60-100 end\n"
	      "7 ready/unknown 70-100 end\n",
	      rec(SCHED_EXIT, 40, 0, 7), out(41, 0, 7, false), rec(SCHED_IN, 44, 0, 7),
	      out(50, 0, -1, false), rec(SCHED_IN, 60, 0, 8), rec(SCHED_BORN, 70, 0, 7));
	ck_assert_uint_eq(s.threads.n, 3);
	ck_assert_uint_eq(s.switches, 2);
	sched_release(&s);
	/* the same, and nothing comes after it blocked: that was its end */
	SPANS(s, "7 run 0-41 begin\n", rec(SCHED_EXIT, 40, 0, 7), out(41, 0, 7, false));
	ck_assert_uint_eq(s.threads.v[0].ended, 41);
	sched_release(&s);
	/* the SWITCH record of the last switch, a late waking: no second thread */
	SPANS(s, "7 run 0-41 begin\n", rec(SCHED_EXIT, 40, 0, 7), sw(41, 0, 7, STATE_DEAD, 0),
	      out(42, 0, 7, false), wake(43, 7, 8));
	ck_assert_uint_eq(s.threads.n, 1);
	sched_release(&s);
}
END_TEST

START_TEST(holes_make_doubtful)
{
	struct sched s;

	/* CPU 0 lost records between 20 and 30; CPU 1's spans of that time are doubtful too */
	SPANS(s,
	      "7 run 0-10 begin\n"
	      "7 off/sleeping 10-20\n"
	      "8 run 0-25 begin doubtful\n"
	      "7 run 20-50 doubtful\n"
	      "7 off/sleeping 50-100 end\n"
	      "8 off/sleeping 25-100 end doubtful\n",
	      sw(10, 0, 7, STATE_SLEEPING, 0), sw(20, 0, 0, STATE_READY, 7),
	      sw(25, 1, 8, STATE_SLEEPING, 0), rec(SCHED_LOST, 30, 0, 0),
	      sw(50, 0, 7, STATE_SLEEPING, 0));
	sched_release(&s);
}
END_TEST

START_TEST(order)
{
	struct sched_records r = { 0 };
	uint64_t state = 1;

	/* one run; as many as records; runs of any length, equal times, and their places as the tie-break */
	for (uint64_t i = 0; i < 5000; i++) {
		const uint64_t times[] = { i, 5000 - i, (state >> 40) % 700 + i / 13 };

		state = state * 6364136223846793005u + 1442695040888963407u;
		sched_records_add(&r, &(struct sched_record){ .time = times[_i] });
	}
	sched_records_sort(&r);
	ck_assert_uint_eq(r.order.n, 5000);
	for (size_t i = 1; i < r.order.n; i++) {
		uint32_t a = r.order.v[i - 1], b = r.order.v[i];

		ck_assert(r.v.v[a].time < r.v.v[b].time ||
			  (r.v.v[a].time == r.v.v[b].time && a < b));
	}
	sched_records_release(&r);
}
END_TEST

START_TEST(states)
{
	static const struct {
		uint64_t number;
		enum sched_state state;
	} known[] = {
		{ 0, STATE_READY },        { 0x100, STATE_READY },  { 1, STATE_SLEEPING },
		{ 2, STATE_DISK },         { 4, STATE_STOPPED },    { 8, STATE_STOPPED },
		{ 0x10, STATE_DEAD },      { 0x20, STATE_DEAD },    { 0x40, STATE_PARKED },
		{ 0x80, STATE_IDLE },      { 0x82, STATE_DISK },    { 0x400, STATE_READY },
		{ 0x101, STATE_SLEEPING }, { 0x1000, STATE_READY },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		ck_assert_int_eq(sched_state_of(known[i].number), known[i].state);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sched");
	TCase *tc = tcase_create("sched");
	SRunner *runner;
	int failed;

	tcase_add_test(tc, sleep_and_wake);
	tcase_add_test(tc, first_waking_counts);
	tcase_add_test(tc, preempted);
	tcase_add_test(tc, woken_before_first_switch);
	tcase_add_test(tc, second_on_a_cpu_did_not_run_from_the_beginning);
	tcase_add_test(tc, missing_switch_in);
	tcase_add_test(tc, missing_switch_out);
	tcase_add_test(tc, displaced);
	tcase_add_test(tc, switch_records_alone);
	tcase_add_test(tc, told_twice);
	tcase_add_test(tc, born_and_gone);
	tcase_add_test(tc, exits_unseen);
	tcase_add_test(tc, holes_make_doubtful);
	tcase_add_loop_test(tc, order, 0, 3);
	tcase_add_test(tc, states);
	suite_add_tcase(suite, tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
