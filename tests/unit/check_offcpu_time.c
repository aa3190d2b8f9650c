/* SPDX-License-Identifier: MIT */
/*
 * The event of perf record --off-cpu through a whole session: as perf 6.15 and later write it, in
 * raw data of a sample whose own fields say nothing, and as an ordinary sample, as before.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "run_session.h"

#include <perfrep/stack.h>

enum { BPF_OUTPUT = 10, WORDS = 7, RAW_SIZE = WORDS * 8 + 4 };

#define NO_TIME (UINT64_MAX << 32)

static const uint64_t chain[] = { CONTEXT_USER, 0x400200, 0x400300 };

static void put(uint8_t *p, uint64_t v, int bytes, bool be)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(v >> 8 * (be ? bytes - 1 - i : i));
}

/* What 43 has waited; with the padding that raw data ends with. */
static void embed(uint8_t raw[RAW_SIZE], uint64_t ns, bool be)
{
	const uint64_t words[] = { ns, 3, chain[0], chain[1], chain[2], 77 };

	memset(raw, 0, RAW_SIZE);
	put(raw, 42, 4, be);
	put(raw + 4, 43, 4, be);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		put(raw + 8 + 8 * i, words[i], 8, be);
}

static void wait_for(struct builder *b, uint32_t ev, uint64_t time, uint64_t ns, bool embedded)
{
	uint8_t raw[RAW_SIZE];

	embed(raw, ns, b->opts.be);
	builder_sample(b, ev,
		       &(struct builder_sample){ .time = time,
						 .pid = embedded ? 9 : 42,
						 .tid = embedded ? 9 : 43,
						 .ip = embedded ? 0 : chain[1],
						 .period = embedded ? 1 : ns,
						 .chain = chain,
						 .nr_chain = 3,
						 .raw = raw,
						 .raw_size = RAW_SIZE });
}

/* Two samples of cycles at 1000 and 3000; 43 waits 500 in one go, and 70 in short ones. */
static void record(struct builder *b, bool be, bool embedded)
{
	uint32_t cycles, waits;
	uint64_t type = SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_CPU |
			SAMPLE_PERIOD | (embedded ? SAMPLE_RAW : SAMPLE_CALLCHAIN);

	builder_init(b, &(struct builder_opts){ .be = be });
	cycles = builder_event(b, &(struct builder_attr){ .name = "cycles" });
	waits = builder_event(b, &(struct builder_attr){ .name = "offcpu-time",
							 .type = PERF_TYPE_SOFTWARE,
							 .config = BPF_OUTPUT,
							 .sample_period = 1,
							 .sample_type = type });
	builder_features(b);
	builder_comm(b, 0, 42, 43, "waiter");
	for (uint64_t t = 1000; t <= 3000; t += 2000)
		builder_sample(b, cycles,
			       &(struct builder_sample){ .time = t,
							 .pid = 42,
							 .tid = 42,
							 .ip = 0x400010,
							 .period = 10,
							 .chain = chain,
							 .nr_chain = 3 });
	wait_for(b, waits, 2000, 500, embedded);
	wait_for(b, waits, NO_TIME, 70, embedded);
}

/* The only stack of the event: whose it is, and that it is the chain. */
static void assert_stack(const struct profile *p)
{
	struct stack_iter it;
	const struct stack_key *key;

	stack_iter_init(&it, p, 1);
	ck_assert(stack_iter_next(&it));
	key = &p->keys[it.key];
	ck_assert_str_eq(profile_str(p, key->comm), "waiter");
	ck_assert_uint_eq(it.n, 2);
	ck_assert_uint_eq(p->locs[it.locs[0]].addr, 0x400300 - 1);
	ck_assert_uint_eq(p->locs[it.locs[1]].addr, 0x400200);
	ck_assert_uint_eq(it.weight, 570);
	ck_assert_uint_eq(it.count, 2);
	ck_assert(!stack_iter_next(&it));
	stack_iter_release(&it);
}

START_TEST(summed)
{
	bool be = _i & 1, embedded = _i & 2;
	const struct profile_event *e;
	struct builder b;
	struct session s;

	record(&b, be, embedded);
	run_session(&b, (struct session_options){ .threads = 1 }, &s);
	ck_assert_uint_eq(s.nr_events, 2);
	e = &s.profile->events[1];
	ck_assert_str_eq(profile_str(s.profile, e->name), "offcpu-time");
	ck_assert_str_eq(profile_str(s.profile, e->unit), "ns");
	ck_assert_uint_eq(e->weight, 570);
	ck_assert(e->exact);
	ck_assert(!s.profile->events[0].exact);
	assert_stack(s.profile);
	/* what has no time does not make the recording longer */
	ck_assert_uint_eq(s.first_ns, 1000);
	ck_assert_uint_eq(s.last_ns, 3000);
	session_release(&s);
}
END_TEST

static int decode(const uint8_t *raw, uint32_t size, struct evsel *e, struct sample *s)
{
	uint8_t data[128] = { 0 };
	struct record rec = { .data = data, .type = RECORD_SAMPLE, .misc = CPUMODE_KERNEL };

	put(data + 8, size, 4, false);
	memcpy(data + 12, raw, size);
	rec.size = 12 + size;
	return sample_decode(&rec, e, s, NULL);
}

START_TEST(malformed)
{
	static char name[] = "offcpu-time";
	struct evsel e = { .attr = { .type = PERF_TYPE_SOFTWARE,
				     .config = BPF_OUTPUT,
				     .sample_type = SAMPLE_RAW },
			   .name = name };
	uint8_t raw[RAW_SIZE];
	struct sample s;

	embed(raw, 5, false);
	ck_assert_int_eq(decode(raw, RAW_SIZE, &e, &s), 0);
	ck_assert_uint_eq(s.period, 5);
	ck_assert_uint_eq(s.cgroup, 77);
	ck_assert_uint_eq(s.ip, 0x400200);
	ck_assert_int_eq(s.cpumode, CPUMODE_USER);
	for (uint32_t size = 0; size < WORDS * 8; size++)
		ck_assert_int_lt(decode(raw, size, &e, &s), 0);
	put(raw + 24, CONTEXT_KERNEL, 8, false);
	ck_assert_int_eq(decode(raw, RAW_SIZE, &e, &s), 0);
	ck_assert_int_eq(s.cpumode, CPUMODE_KERNEL);
	/* 2^61 entries of 8 bytes are 0 bytes, if one does not look */
	put(raw + 16, (uint64_t)1 << 61, 8, false);
	ck_assert_int_lt(decode(raw, RAW_SIZE, &e, &s), 0);
	/* another program's output is not looked at */
	name[0] = 'O';
	ck_assert_int_eq(decode(raw, RAW_SIZE, &e, &s), 0);
	ck_assert_uint_eq(s.chain_nr, 0);
	name[0] = 'o';
}
END_TEST

int main(void)
{
	Suite *s = suite_create("offcpu_time");
	TCase *tc = tcase_create("offcpu_time");
	SRunner *sr;
	int failed;

	tcase_add_loop_test(tc, summed, 0, 4);
	tcase_add_test(tc, malformed);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
