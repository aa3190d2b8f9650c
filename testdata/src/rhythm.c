/* SPDX-License-Identifier: MIT */
/*
 * rhythm SECONDS: one function in the first half of each millisecond, another in the second.
 * rhythm SECONDS pulse: works in the first of every two milliseconds, and sleeps in the second.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

__attribute__((noinline)) static void first_half(void)
{
	while (now() % 1000000 < 500000)
		sink++;
}

__attribute__((noinline)) static void second_half(void)
{
	while (now() % 1000000 >= 500000)
		sink++;
}

static void pulse(void)
{
	uint64_t next = (now() / 2000000 + 1) * 2000000;
	struct timespec t = { .tv_sec = (time_t)(next / 1000000000),
			      .tv_nsec = (long)(next % 1000000000) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	while (now() % 2000000 < 1000000)
		sink++;
}

int main(int argc, char **argv)
{
	uint64_t end = now() + (uint64_t)(argc > 1 ? atof(argv[1]) * 1e9 : 1e9);

	while (now() < end) {
		if (argc > 2) {
			pulse();
			continue;
		}
		first_half();
		second_half();
	}
	return 0;
}
