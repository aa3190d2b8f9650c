/* SPDX-License-Identifier: MIT */
/*
 * Time off the CPU through a whole session: sums by thread and state, stacks, wakers' absence,
 * missing switches, either byte order.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "profile/filter.h"
#include "run_session.h"

#include <perfrep/offcpu.h>

enum { SWITCH_ID = 372, RUNNING = 0, SLEEP = 1, DISK = 2, DEAD = 16 };

static void put(uint8_t *p, uint64_t v, int bytes, bool be)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> 8 * (be ? bytes - 1 - i : i));
}

/* PREV leaves the CPU in STATE at TIME, with a stack of its own, and NEXT comes. */
static void sw(struct builder *b, uint32_t ev, uint64_t time, uint32_t prev, uint64_t state,
	       uint32_t next)
{
	const uint64_t chain[] = { CONTEXT_USER, 0x400000 + 16 * prev, 0x400100 };
	uint8_t raw[64] = { 0 };

	put(raw, SWITCH_ID, 2, b->opts.be);
	put(raw + 24, prev, 4, b->opts.be);
	put(raw + 32, state, 8, b->opts.be);
	put(raw + 56, next, 4, b->opts.be);
	builder_sample(b, ev,
		       &(struct builder_sample){ .time = time,
						 .pid = prev ? 42 : 0,
						 .tid = prev,
						 .ip = chain[1],
						 .period = 1,
						 .chain = chain,
						 .nr_chain = 3,
						 .raw = raw,
						 .raw_size = sizeof(raw) });
}

static uint32_t begin(struct builder *b, bool be)
{
	size_t size;
	uint8_t *blob;
	uint32_t ev;

	builder_init(b, &(struct builder_opts){ .be = be });
	ev = builder_event(b, &(struct builder_attr){ .name = "sched:sched_switch",
						      .type = PERF_TYPE_TRACEPOINT,
						      .config = SWITCH_ID,
						      .sample_period = 1,
						      .sample_type = BUILDER_SAMPLE_TYPE |
								     SAMPLE_RAW });
	blob = builder_tracing_blob(be, SWITCH_ID, &size);
	builder_feature_blob(b, FEATURE_TRACING_DATA, blob, size);
	free(blob);
	builder_comm(b, 0, 42, 43, "first");
	builder_comm(b, 0, 42, 44, "second");
	builder_mmap2(b, &(struct builder_mmap){ .pid = 42,
						 .tid = 42,
						 .addr = 0x400000,
						 .len = 0x10000,
						 .filename = "/no/such/file" });
	return ev;
}

static void run(struct builder *b, struct session *s, struct filter *f)
{
	run_session(b, (struct session_options){ .threads = 2, .offcpu = true, .filter = f }, s);
}

static const struct offcpu_thread *thread(const struct session *s, int32_t tid)
{
	for (size_t i = 0; i < s->offcpu->nr_threads; i++)
		if (s->offcpu->threads[i].tid == tid)
			return &s->offcpu->threads[i];
	ck_abort_msg("no thread %d", tid);
	return NULL;
}

static void parts_add_up(const struct session *s)
{
	for (size_t i = 0; i < s->offcpu->nr_threads; i++) {
		const struct offcpu_thread *t = &s->offcpu->threads[i];
		uint64_t sum = t->run + t->unknown;

		for (int k = 0; k < OFFCPU_STATES; k++)
			sum += t->states[k];
		ck_assert_uint_eq(sum, t->life);
	}
}

/*
 * 43 runs, sleeps from 1000 to 1300, waits for a disk from 1700 to 2000, sleeps from 2500 over the
 * end; 44 comes from before, is preempted from 1300 to 1700, sleeps from 2000 to 3000.
 */
static void two_threads(struct builder *b, uint32_t ev)
{
	sw(b, ev, 1000, 43, SLEEP, 44);
	sw(b, ev, 1300, 44, RUNNING, 43);
	sw(b, ev, 1700, 43, DISK, 44);
	sw(b, ev, 2000, 44, SLEEP, 43);
	sw(b, ev, 2500, 43, SLEEP, 0);
	sw(b, ev, 3000, 0, RUNNING, 44);
}

START_TEST(states)
{
	struct builder b;
	struct session s;
	uint32_t ev = begin(&b, _i);

	two_threads(&b, ev);
	run(&b, &s, NULL);
	ck_assert_ptr_nonnull(s.offcpu);
	ck_assert_uint_eq(s.nr_events, 2);
	ck_assert_str_eq(profile_str(s.profile, s.profile->events[1].name), "off-cpu");
	ck_assert_str_eq(profile_str(s.profile, s.profile->events[1].unit), "ns");
	ck_assert(s.profile->events[1].exact);
	ck_assert_uint_eq(s.samples, 6); /* derived ones are not counted */
	ck_assert_uint_eq(thread(&s, 43)->states[OFFCPU_SLEEPING], 300 + 500);
	ck_assert_uint_eq(thread(&s, 43)->states[OFFCPU_DISK], 300);
	ck_assert_uint_eq(thread(&s, 43)->open, 500);
	ck_assert_uint_eq(thread(&s, 43)->run, 400 + 500);
	ck_assert_uint_eq(thread(&s, 44)->states[OFFCPU_PREEMPTED], 400);
	ck_assert_uint_eq(thread(&s, 44)->states[OFFCPU_SLEEPING], 1000);
	ck_assert_uint_eq(s.profile->events[1].weight, 800 + 300 + 400 + 1000);
	ck_assert_uint_eq(s.offcpu->nr_threads, 2); /* the idle task is none */
	parts_add_up(&s);
	session_release(&s);
}
END_TEST

/* Two switch-outs without a switch-in: the first is dropped, not stretched; and counted. */
START_TEST(missing_switch)
{
	struct builder b;
	struct session s;
	uint32_t ev = begin(&b, _i);

	sw(&b, ev, 1000, 44, SLEEP, 43);
	sw(&b, ev, 1100, 43, SLEEP, 0);
	sw(&b, ev, 1900, 43, SLEEP, 0); /* nobody knows when it came */
	sw(&b, ev, 2000, 0, RUNNING, 43);
	run(&b, &s, NULL);
	ck_assert_uint_eq(s.offcpu->missing_in, 1);
	ck_assert_uint_eq(thread(&s, 43)->states[OFFCPU_SLEEPING], 100);
	ck_assert_uint_eq(thread(&s, 43)->unknown, 800);
	parts_add_up(&s);
	session_release(&s);
}
END_TEST

START_TEST(thread_exit)
{
	struct builder b;
	struct session s;
	uint32_t ev = begin(&b, _i);

	sw(&b, ev, 1000, 44, SLEEP, 43);
	sw(&b, ev, 1400, 43, DEAD, 44);
	sw(&b, ev, 2000, 44, SLEEP, 0);
	run(&b, &s, NULL);
	ck_assert_uint_eq(thread(&s, 43)->ended, 1400);
	ck_assert_uint_eq(thread(&s, 43)->run, 400);
	ck_assert_uint_eq(thread(&s, 44)->states[OFFCPU_SLEEPING], 400);
	parts_add_up(&s);
	session_release(&s);
}
END_TEST

/*
 * A switch is two records, and the time between them is that of who comes, as by the kernel's own
 * clocks; where the first is missing, it is lost.
 */
START_TEST(records_of_switches)
{
	const uint16_t out = MISC_SWITCH_OUT, preempted = MISC_SWITCH_OUT | MISC_SWITCH_OUT_PREEMPT;
	struct builder b;
	struct session s;

	begin(&b, _i);
	builder_switch_of(&b, 1000, out, 42, 43, 42, 44);
	builder_switch_of(&b, 1004, 0, 42, 44, 42, 43);
	builder_switch_of(&b, 1500, preempted, 42, 44, 42, 43);
	builder_switch_of(&b, 1505, 0, 42, 43, 42, 44);
	builder_switch_of(&b, 1800, out, 42, 43, 0, 0);
	builder_switch_of(&b, 1803, 0, 0, 0, 42, 43);
	builder_switch_of(&b, 1900, out, 0, 0, 42, 43);
	builder_switch_of(&b, 1907, 0, 42, 43, 0, 0);
	builder_switch_of(&b, 2000, out, 42, 43, 42, 45); /* whose coming is lost … */
	builder_switch_of(&b, 2100, 0, 42, 44, 42, 45); /* … and of 45's leaving the record too */
	builder_switch_of(&b, 2200, out, 42, 44, 0, 0);
	run(&b, &s, NULL);
	ck_assert(!s.offcpu->has_states);
	ck_assert_uint_eq(thread(&s, 44)->run, 500 + 100);
	ck_assert_uint_eq(thread(&s, 44)->states[OFFCPU_PREEMPTED], 600);
	ck_assert_uint_eq(thread(&s, 43)->run, 300 + 100);
	ck_assert_uint_eq(thread(&s, 43)->states[OFFCPU_BLOCKED], 500 + 100 + 200);
	parts_add_up(&s);
	session_release(&s);
}
END_TEST

/* Each absence has the stack of its beginning, filters apply, and the sums stay whole. */
START_TEST(stacks_and_filters)
{
	struct filter *f = filter_new();
	struct builder b;
	struct session s;
	struct err err;
	uint32_t ev = begin(&b, _i);

	sw(&b, ev, 1000, 43, SLEEP, 44);
	sw(&b, ev, 1300, 44, DISK, 43);
	sw(&b, ev, 1700, 43, RUNNING, 44);
	ck_assert_int_eq(filter_add(f, FILTER_COMM, "second", &err), 0);
	run(&b, &s, f);
	ck_assert_uint_eq(s.offcpu->nr_waits, 1);
	ck_assert_uint_eq(s.offcpu->waits[0].ns[0], 400);
	ck_assert_uint_eq(s.offcpu->waits[0].mark[0] / 2, OFFCPU_DISK);
	ck_assert_uint_eq(s.offcpu->stacks[s.offcpu->waits[0].stack].n, 2);
	ck_assert_str_eq(profile_str(s.profile, s.profile->keys[s.offcpu->waits[0].key].comm),
			 "second");
	ck_assert_uint_eq(s.profile->events[1].weight, 400);
	ck_assert_uint_eq(s.profile->events[1].filtered_weight, 300);
	session_release(&s);
	filter_free(f);
}
END_TEST

static void run_within(struct session *s, bool be, const char *time)
{
	struct filter *f = filter_new();
	struct builder b;
	struct err err;

	two_threads(&b, begin(&b, be));
	ck_assert_msg(filter_add(f, FILTER_TIME, time, &err) == 0, "%s", err.text);
	run(&b, s, f);
	filter_free(f);
	parts_add_up(s);
}

/* Intervals are cut to the time that is wanted, on both sides, wherever they began. */
START_TEST(window)
{
	const struct offcpu_thread *t;
	struct session s;

	run_within(&s, _i, "0.000001200,0.000001800");
	t = thread(&s, 43);
	ck_assert_uint_eq(t->life, 600);
	ck_assert_uint_eq(t->states[OFFCPU_SLEEPING], 100);
	ck_assert_uint_eq(t->run, 400);
	ck_assert_uint_eq(t->states[OFFCPU_DISK], 100);
	t = thread(&s, 44);
	ck_assert_uint_eq(t->life, 600);
	ck_assert_uint_eq(t->run, 200);
	ck_assert_uint_eq(t->states[OFFCPU_PREEMPTED], 400);
	ck_assert_uint_eq(t->states[OFFCPU_SLEEPING], 0);
	ck_assert_uint_eq(s.offcpu->length, 600);
	ck_assert_uint_eq(s.offcpu->nr_waits, 3);
	ck_assert_uint_eq(s.offcpu->waits[0].ns[0], 100);
	ck_assert_uint_eq(s.offcpu->waits[1].ns[0], 400);
	ck_assert_uint_eq(s.offcpu->waits[2].ns[0], 100);
	ck_assert_uint_eq(s.profile->events[1].weight, 600);
	ck_assert_uint_eq(s.profile->events[1].samples, 3);
	ck_assert_uint_eq(s.profile->events[1].filtered_weight, 2500 - 600);
	ck_assert_uint_eq(s.profile->events[1].filtered_samples, 2);
	ck_assert_uint_eq(s.events[1].period, 2500);
	ck_assert_uint_eq(s.events[1].samples, 5);
	/* the switches themselves are counted where they are */
	ck_assert_uint_eq(s.profile->events[0].samples, 2);
	ck_assert_uint_eq(s.profile->events[0].filtered_samples, 4);
	session_release(&s);
}
END_TEST

START_TEST(windows)
{
	struct session s;

	/* an interval may be in two of them, and one may be within an interval */
	run_within(&s, false, "0.000001100,0.000001150 0.000001250,0.000001750 0.000002600,");
	ck_assert_uint_eq(thread(&s, 43)->life, 50 + 500 + 400);
	ck_assert_uint_eq(thread(&s, 43)->states[OFFCPU_SLEEPING], 50 + 50 + 400);
	ck_assert_uint_eq(thread(&s, 43)->states[OFFCPU_DISK], 50);
	ck_assert_uint_eq(thread(&s, 44)->states[OFFCPU_SLEEPING], 400);
	ck_assert_uint_eq(s.profile->events[1].weight, 500 + 50 + 400 + 400);
	session_release(&s);
}
END_TEST

/* Parts of the recording have all of its time between them. */
START_TEST(parts_of_time)
{
	static const char *const parts[] = { "0%-37%", "37%-38%", "38%-100%" };
	uint64_t weight = 0, life = 0;

	for (int i = 0; i < 3; i++) {
		struct session s;

		run_within(&s, false, parts[i]);
		weight += s.profile->events[1].weight;
		for (size_t k = 0; k < s.offcpu->nr_threads; k++)
			life += s.offcpu->threads[k].life;
		session_release(&s);
	}
	ck_assert_uint_eq(weight, 2500);
	ck_assert_uint_eq(life, 2 * 2000);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("offcpu");
	TCase *tc = tcase_create("offcpu");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, states, 0, 2);
	tcase_add_loop_test(tc, missing_switch, 0, 2);
	tcase_add_loop_test(tc, thread_exit, 0, 2);
	tcase_add_loop_test(tc, records_of_switches, 0, 2);
	tcase_add_loop_test(tc, stacks_and_filters, 0, 2);
	tcase_add_loop_test(tc, window, 0, 2);
	tcase_add_test(tc, windows);
	tcase_add_test(tc, parts_of_time);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
