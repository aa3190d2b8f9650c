/* SPDX-License-Identifier: MIT */
/*
 * How threads shared the CPUs: for each what its life within the recording was made of, and how
 * long it waited for a CPU when it was ready to run.  All times in ns.
 *
 * A *delay* is a wait for a CPU: from the waking (or the birth) of a thread, or from when it was
 * preempted, to when it runs.  Those that the recording's end cuts off count as time, not as
 * delays.
 */
#ifndef PERFREP_SCHED_TABLE_H
#define PERFREP_SCHED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the time of a thread's life is made of: the parts of sched_row.time[]. */
enum sched_part {
	PART_RUN,
	PART_SLEEPING, /* blocked, interruptible */
	PART_DISK, /* blocked, uninterruptible */
	PART_BLOCKED, /* … stopped, idle, parked, or it is not known in what state */
	PART_WOKEN, /* ready: since it was woken or born */
	PART_PREEMPTED, /* ready: since it was put off its CPU */
	PART_UNKNOWN, /* before the first record of it, or a switch is missing */
	PART_MAX,
};

struct sched_delays {
	uint64_t n, sum, max;
	uint64_t max_at; /* when the longest began */
	uint64_t p50, p99;
};

struct sched_row {
	char *comm; /* the last one; owned */
	int32_t pid, tid; /* pid -1: not known */
	uint64_t life; /* the sum of the parts */
	uint64_t time[PART_MAX];
	uint64_t doubtful; /* of it, in spans in which records were lost */
	uint64_t switches; /* times that it left a CPU */
	uint64_t preempted; /* of them, while it could have gone on */
	uint64_t migrations; /* times that it came to another CPU than before */
	struct sched_delays delays;
};

enum { SCHED_INSTEAD = 3, SCHED_BUCKETS = 32 };

/* A long wait, and who had the CPU meanwhile, most first. */
struct sched_wait {
	uint32_t row, waker; /* in rows; waker UINT32_MAX: not known */
	uint64_t from, until;
	int64_t cpu; /* on which it ran at last; -1 when the recording ended before */
	bool was_preempted, irq;
	struct sched_instead {
		uint32_t row;
		uint64_t time;
	} instead[SCHED_INSTEAD];
	unsigned nr_instead;
};

struct sched_bucket { /* delays of 2^i µs to below 2^(i + 1); the first has all below 2 µs */
	uint64_t n, sum;
};

struct sched_table {
	uint64_t begin, end;
	uint64_t chosen; /* how much of that time the filter takes: all, if it says nothing of it */
	struct sched_row *rows; /* those that the filter takes come first, in order … */
	size_t n;
	size_t nr_all; /* … behind them those that are only mentioned */
	struct sched_delays delays; /* of the n rows together */
	struct sched_bucket histogram[SCHED_BUCKETS];
	struct sched_wait *worst; /* longest first */
	size_t nr_worst, nr_over; /* listed, and how many there were */
	unsigned nr_cpus; /* on which somebody ran */
	bool has_states, has_wakes;
	bool wide; /* the recording is of whole CPUs; else of some threads */
	uint64_t switches, wakes, missing_in, missing_out, holes, unreadable, untimed;
};

void sched_table_release(struct sched_table *t);

#endif
