/* SPDX-License-Identifier: MIT */
/*
 * Time off the CPU as an event: "off-cpu", in ns.  Each interval is a weight of the sample that
 * was taken when the thread left its CPU, and so has that sample's stack; on top of it is a frame
 * of our own that says in what state the thread was.
 *
 * Intervals need the scheduler's records in order of time over all CPUs, so they are found in the
 * sequential pass; the worker threads look them up by the sample's place in the file.
 */
#ifndef PERFREP_COLLECT_OFFCPU_H
#define PERFREP_COLLECT_OFFCPU_H

#include "collect/deltas.h"
#include "collect/sched_read.h"

#define OFFCPU_EVENT "off-cpu"
#define WALL_EVENT "wall-clock"

enum offcpu_state {
	OFFCPU_SLEEPING,
	OFFCPU_DISK,
	OFFCPU_STOPPED,
	OFFCPU_IDLE,
	OFFCPU_PARKED,
	OFFCPU_BLOCKED,	  /* SWITCH records don't say more */
	OFFCPU_UNSTATED,  /* it left its CPU before the recording began */
	OFFCPU_PREEMPTED, /* could run, and another had its CPU */
	OFFCPU_RUNNABLE,  /* was woken, and waits for a CPU */
	OFFCPU_STATES,
};

/* The frame on top of a stack: state * 2, + 1 when an end of the recording cuts the interval. */
enum { OFFCPU_MARKS = 2 * OFFCPU_STATES };

struct offcpu_interval {
	uint64_t pos; /* of the sample with its stack; SCHED_NO_POS: none */
	uint64_t from, ns;
	uint64_t waker_pos; /* of the sample that woke it; SCHED_NO_POS: none */
	uint32_t thread;    /* in `threads` */
	int32_t tid;
	uint8_t mark, flags; /* flags: enum span_flags */
};

struct offcpu_thread {
	int32_t tid, pid; /* pid -1: not known */
	uint64_t born, ended;
	uint64_t run, unknown;
	uint64_t states[OFFCPU_STATES];
	uint64_t open; /* of the states, intervals that an end of the recording cuts */
	uint64_t doubtful; /* of all, time in which records were lost */
	uint64_t intervals;
};

struct offcpu {
	bool there; /* the recording tells switches */
	uint32_t event, wall; /* index of the profile's events; wall: PROFILE_NONE when not asked for */
	uint32_t on_cpu; /* the event whose weights are time on the CPU, for wall */
	VEC(struct offcpu_interval) v; /* by pos; those without a stack come last */
	size_t nr_stacks; /* … and these have one */
	VEC(struct offcpu_thread) threads;
	struct sched_read read;
	uint64_t begin, end;
	uint64_t switches, wakes, missing_in, missing_out, holes;
	/* private: */
	VEC(uint64_t) samples; /* where switches are told by samples, ascending; only if mixed */
	bool mixed;
};

/* Replay what was read; afterwards O can be asked.  TL, which is finished, knows pids. */
void offcpu_finish(struct offcpu *o, const struct evlist *list, const struct timeline *tl);
void offcpu_release(struct offcpu *o);

/* The intervals of the sample at POS: their number.  *HINT as in deltas_find(). */
size_t offcpu_find(const struct offcpu *o, uint64_t pos, size_t *hint,
		   const struct offcpu_interval **out);

const char *offcpu_state_name(enum offcpu_state s); /* "sleeping" */
/* The frame that stands for a mark: "[sleeping]", "[sleeping, not over]". */
const char *offcpu_mark_name(unsigned mark);
/* The mark that NAME is the frame of, or -1. */
int offcpu_mark_of(const char *name);

#endif
