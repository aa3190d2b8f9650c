/* SPDX-License-Identifier: MIT */
/*
 * Where threads were when they did not run.  The profile has it as an event, "off-cpu": its
 * stacks are those with which threads left their CPU, with a frame of our own on top that tells
 * the state.  What a sum cannot tell is here: each interval, and the account of each thread.
 */
#ifndef PERFREP_OFFCPU_H
#define PERFREP_OFFCPU_H

#include <perfrep/profile.h>

#define OFFCPU_EVENT "off-cpu"
#define WALL_EVENT   "wall-clock"

enum offcpu_state {
	OFFCPU_SLEEPING,
	OFFCPU_DISK, /* uninterruptible, whatever it waits for */
	OFFCPU_STOPPED,
	OFFCPU_IDLE, /* a kernel thread without work */
	OFFCPU_PARKED,
	OFFCPU_BLOCKED, /* not preempted; SWITCH records don't say more */
	OFFCPU_UNSTATED, /* it left its CPU before the recording began */
	OFFCPU_PREEMPTED, /* could run, and another had its CPU */
	OFFCPU_RUNNABLE, /* was woken, and waits for a CPU */
	OFFCPU_STATES,
};

/* The frame on top of a stack: state * 2, + 1 when an end of the recording cuts the interval. */
enum { OFFCPU_MARKS = 2 * OFFCPU_STATES };

/*
 * What a thread's life within the recording, and within the time that is wanted, is made of: run +
 * unknown + Σ states = life.
 */
struct offcpu_thread {
	uint32_t comm; /* string id: the last name */
	int32_t pid, tid; /* pid -1: not known */
	uint64_t born, ended, life; /* all of it: life = ended - born */
	uint64_t run, unknown;
	uint64_t states[OFFCPU_STATES];
	uint64_t woken[OFFCPU_STATES]; /* of RUNNABLE, by the state it was woken from */
	uint64_t counts
		[OFFCPU_STATES]; /* intervals; of a state and the wait that follows: one each */
	uint64_t open; /* of the states: intervals that an end of the recording cuts */
	uint64_t doubtful; /* of all: time in which records were lost */
};

/*
 * From when a thread leaves its CPU to when it runs again.  One that is woken in between has two
 * parts: until then, and RUNNABLE.
 */
struct offcpu_wait {
	uint64_t ns[2]; /* of the parts */
	uint32_t stack; /* in `stacks`; PROFILE_NONE: none was recorded */
	uint32_t waker; /* in `stacks`; PROFILE_NONE: not known */
	uint32_t key, waker_key; /* of the profile: whose it is, and who woke it */
	uint8_t mark[2]; /* of the parts; the second is 0 when there is one */
	bool irq; /* woken out of an interrupt: the waker is who was interrupted */
	uint16_t by, waker_by; /* private */
};

struct offcpu_stack {
	uint32_t first, n; /* in `locs`, root first */
};

/* Owned: offcpu_detail_free(). */
struct offcpu_detail {
	struct offcpu_thread *threads;
	size_t nr_threads;
	struct offcpu_wait *waits; /* those that the filters take */
	size_t nr_waits;
	struct offcpu_stack *stacks; /* distinct */
	size_t nr_stacks;
	uint32_t *locs; /* locations of the profile */
	uint64_t begin, end;
	uint64_t length; /* of the time that is wanted: of all, end - begin */
	uint64_t switches, wakes;
	uint64_t missing_in, missing_out; /* switches that should be there, and are not */
	uint64_t holes; /* places where records were lost */
	bool has_states, has_wakes;
};

const char *offcpu_state_name(enum offcpu_state s); /* "sleeping" */
/* The frame that stands for a mark: "[sleeping]", "[sleeping, not over]". */
const char *offcpu_mark_name(unsigned mark);
void offcpu_detail_free(struct offcpu_detail *d);

#endif
