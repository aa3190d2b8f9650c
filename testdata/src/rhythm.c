/* SPDX-License-Identifier: MIT */
/* rhythm SECONDS: one function in the first half of each millisecond, another in the second. */
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

int main(int argc, char **argv)
{
	uint64_t end = now() + (uint64_t)(argc > 1 ? atof(argv[1]) * 1e9 : 1e9);

	while (now() < end) {
		first_half();
		second_half();
	}
	return 0;
}
