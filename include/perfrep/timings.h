/* SPDX-License-Identifier: MIT */
/*
 * How long the steps of a run took, and how much memory it needed.
 *
 *	timings_start(&t);
 *	...
 *	timings_step(&t, STEP_SCAN);	 what was done since the last call
 *
 * CPU time is the whole process's, all threads and the kernel's part.
 */
#ifndef PERFREP_TIMINGS_H
#define PERFREP_TIMINGS_H

#include <stdbool.h>
#include <stdint.h>

enum step {
	STEP_OPEN, /* find out what the input is; spool a pipe */
	STEP_SCAN, /* the sequential pass over all records' headers */
	STEP_COLLAPSE, /* samples to distinct stacks; unwinding */
	STEP_SYMBOLIZE, /* locations to functions and lines */
	STEP_JUDGE, /* filters on stacks, quality */
	STEP_OUTPUT, /* tables and text */
	STEP_MAX,
};

struct step_time {
	uint64_t wall_ns, user_ns, sys_ns;
};

struct timings {
	struct step_time step[STEP_MAX];
	uint64_t peak_own; /* bytes of memory that are no file's, at most, at the end of a step */
	struct step_time last; /* private: clocks at the last call */
};

void timings_start(struct timings *t);
/* Add what passed since the last call to STEP. */
void timings_step(struct timings *t, enum step step);
struct step_time timings_total(const struct timings *t);
/* "scan", "collapse" …; what one reads in the table. */
const char *step_name(enum step step);

/* In bytes, from /proc/self/status; false when it can't be read. */
struct memory_use {
	uint64_t peak; /* resident at most, pages of mapped files among them */
	uint64_t anonymous; /* resident now, the process's own */
	uint64_t file; /* resident now, of mapped files */
};
bool memory_use(struct memory_use *m);

#endif
