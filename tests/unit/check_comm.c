/* SPDX-License-Identifier: MIT */
/* Names of threads by tid and time. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/comm.h"

#define NEVER UINT64_MAX

static void name(struct comm_table *t, int32_t tid, uint64_t when, const char *want, uint64_t from,
		 uint64_t until)
{
	struct validity v;

	ck_assert_str_eq(comms_str(t, comms_find(t, tid, when, &v)), want);
	ck_assert_uint_eq(v.from, from);
	ck_assert_uint_eq(v.until, until);
}

START_TEST(unknown)
{
	struct comm_table t;
	struct validity v;

	comms_init(&t);
	comms_finish(&t);
	name(&t, 0, 5, "swapper", 0, NEVER);
	name(&t, 1234, 5, ":1234", 0, NEVER);
	name(&t, 4194304, 5, ":4194304", 0, NEVER);
	name(&t, -1, 5, ":-1", 0, NEVER);
	/* ids do not depend on who asked first; texts stay where they are */
	ck_assert_uint_eq(comms_find(&t, 7, 0, &v), comms_find(&t, 7, 99, &v));
	ck_assert_uint_ne(comms_find(&t, 7, 0, &v), comms_find(&t, 8, 0, &v));
	ck_assert_ptr_eq(comms_str(&t, comms_find(&t, 7, 0, &v)),
			 comms_str(&t, comms_find(&t, 7, 1, &v)));
	comms_release(&t);
}
END_TEST

START_TEST(by_time)
{
	struct comm_table t;
	struct validity v;

	comms_init(&t);
	comms_set(&t, 10, "sh", 5);
	comms_set(&t, 10, "sh", 6); /* nothing new */
	comms_set(&t, 10, "make", 9);
	comms_set(&t, 11, "sh", 9);
	comms_finish(&t);
	name(&t, 10, 4, ":10", 0, 5);
	name(&t, 10, 5, "sh", 5, 9);
	name(&t, 10, 8, "sh", 5, 9);
	name(&t, 10, 9, "make", 9, NEVER);
	ck_assert_uint_eq(comms_find(&t, 10, 5, &v), comms_find(&t, 11, 9, &v));
	comms_release(&t);
}
END_TEST

START_TEST(forks)
{
	struct comm_table t;

	comms_init(&t);
	comms_set(&t, 1, "init", 0);
	comms_fork(&t, 2, 1, 10);
	comms_set(&t, 2, "a", 20);
	comms_fork(&t, 3, 2, 30);
	comms_set(&t, 1, "systemd", 40); /* its children keep the old one */
	comms_fork(&t, 2, 99, 50); /* the number again, of a parent without a name */
	comms_fork(&t, 1, 1, 60); /* of itself: no fork at all */
	comms_finish(&t);
	name(&t, 2, 10, "init", 10, 20);
	name(&t, 2, 49, "a", 20, 50);
	name(&t, 2, 50, ":2", 50, NEVER);
	name(&t, 3, 100, "a", 30, NEVER);
	name(&t, 3, 29, ":3", 0, 30);
	name(&t, 1, 70, "systemd", 40, NEVER);
	comms_release(&t);
}
END_TEST

START_TEST(odd_names)
{
	struct comm_table t;

	comms_init(&t);
	comms_set(&t, 5, "", 1);
	comms_set(&t, 6, "a;b (c) 12 x:", 1);
	comms_set(&t, 7, ":7", 1);
	comms_set(&t, 0, "swapper/0", 3);
	comms_finish(&t);
	name(&t, 5, 1, "", 1, NEVER);
	name(&t, 6, 1, "a;b (c) 12 x:", 1, NEVER);
	name(&t, 7, 0, ":7", 0, 1);
	name(&t, 7, 1, ":7", 1, NEVER);
	name(&t, 0, 3, "swapper/0", 3, NEVER);
	comms_release(&t);
}
END_TEST

/* ---- against a model that replays everything for each question ---------------------------- */

#define TIDS   12
#define EVENTS 120

struct step {
	uint64_t when;
	int tid, parent; /* parent -1: a name */
	char name[8];
};

static uint64_t seed;

static unsigned rnd(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % below;
}

static void replay(const struct step *s, size_t n, int tid, uint64_t when, char *out)
{
	char names[TIDS][16] = { "swapper" };

	for (size_t i = 0; i < n && s[i].when <= when; i++) {
		if (s[i].parent < 0)
			strcpy(names[s[i].tid], s[i].name);
		else if (s[i].parent != s[i].tid)
			memmove(names[s[i].tid], names[s[i].parent], 16);
	}
	if (names[tid][0])
		strcpy(out, names[tid]);
	else
		sprintf(out, ":%d", tid);
}

START_TEST(random_steps)
{
	struct step s[EVENTS];

	seed = 77 + (uint64_t)_i;
	for (int round = 0; round < 40; round++) {
		struct comm_table t;
		uint64_t when = 0;

		comms_init(&t);
		for (int i = 0; i < EVENTS; i++) {
			when += rnd(3);
			s[i] = (struct step){ .when = when,
					      .tid = (int)rnd(TIDS),
					      .parent = rnd(2) ? (int)rnd(TIDS) : -1 };
			sprintf(s[i].name, "n%u", rnd(5));
			if (s[i].parent < 0)
				comms_set(&t, s[i].tid, s[i].name, when);
			else
				comms_fork(&t, s[i].tid, s[i].parent, when);
		}
		comms_finish(&t);
		for (int k = 0; k < 300; k++) {
			int tid = (int)rnd(TIDS);
			uint64_t at = rnd((unsigned)when + 2);
			struct validity v;
			const char *got = comms_str(&t, comms_find(&t, tid, at, &v));
			char want[16];

			replay(s, EVENTS, tid, at, want);
			ck_assert_str_eq(got, want);
			ck_assert(validity_has(v, at));
			replay(s, EVENTS, tid, v.from, want);
			ck_assert_str_eq(got, want);
			replay(s, EVENTS, tid, v.until - 1, want);
			ck_assert_str_eq(got, want);
		}
		comms_release(&t);
	}
	printf("random steps: seed %d\n", 77 + _i);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("comm");
	TCase *tc = tcase_create("comm");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, unknown);
	tcase_add_test(tc, by_time);
	tcase_add_test(tc, forks);
	tcase_add_test(tc, odd_names);
	tcase_add_loop_test(tc, random_steps, 0, 4);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
