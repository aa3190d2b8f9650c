/* SPDX-License-Identifier: MIT */
/*
 * What the scheduler did: its records, of whatever sort, put in order of time and replayed into
 * spans, so that each thread's life is a row of spans without gaps: on a CPU, off it, ready and
 * waiting for one, or not known.
 *
 * Who wants to know about waiting uses it: the table of threads, off-CPU stacks.
 */
#ifndef PERFREP_COLLECT_SCHED_H
#define PERFREP_COLLECT_SCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hashidx.h"
#include "base/vec.h"
#include "collect/sched_holes.h"

enum sched_kind {
	SCHED_SWITCH, /* tracepoint sched_switch: `tid` leaves the CPU in `state`, `other` comes */
	SCHED_OUT, /* SWITCH, SWITCH_CPU_WIDE: `tid` leaves; state READY when preempted */
	SCHED_IN, /* `tid` comes */
	SCHED_WAKE, /* sched_waking, sched_wakeup: `other` makes `tid` ready */
	SCHED_BORN, /* FORK, sched_wakeup_new: `tid` is there from now on, and ready */
	SCHED_EXIT, /* `tid` is about to end */
	SCHED_LOST, /* the records of the CPU have a hole that ends here */
};

/* In which state a thread left its CPU. */
enum sched_state {
	STATE_UNKNOWN,
	STATE_SLEEPING, /* S */
	STATE_DISK, /* D: uninterruptible, whatever it waits for */
	STATE_STOPPED, /* T, t */
	STATE_IDLE, /* I: a kernel thread without work */
	STATE_PARKED, /* P */
	STATE_DEAD, /* X, Z */
	STATE_READY, /* R, R+: preempted, or gave way */
	STATE_BLOCKED, /* not preempted, and no more is known: SWITCH records tell so much */
	STATE_MAX,
};

struct sched_record {
	uint64_t time, pos;
	int32_t tid, other; /* other: -1 not known */
	uint32_t cpu;
	uint8_t kind; /* enum sched_kind */
	uint8_t state; /* enum sched_state */
	bool irq; /* WAKE: out of an interrupt; `other` is only who was interrupted */
};

struct sched_records {
	VEC(struct sched_record) v; /* in the order of the file */
	VEC(uint32_t) order; /* of time: indices in `v` */
	VEC(uint32_t) runs; /* private: where ascending runs of `v` begin */
	size_t holes; /* records that are LOST */
};

/* The kernel's number in prev_state; the low bits have meant the same in all versions. */
enum sched_state sched_state_of(uint64_t prev_state);
/* Add what comes next in the file. */
void sched_records_add(struct sched_records *r, const struct sched_record *rec);
/* Find `order`, by time, then by place in the file; fast for a few ascending runs. */
void sched_records_sort(struct sched_records *r);
void sched_records_release(struct sched_records *r);

enum span_kind {
	SPAN_RUN,
	SPAN_OFF, /* in `state`, until it was woken, or ran when waking is not recorded */
	SPAN_READY, /* waits for a CPU: woken, preempted (state READY) or new (state UNKNOWN) */
	SPAN_UNKNOWN, /* a switch is missing */
};

enum span_flags {
	SPAN_OPEN_BEGIN = 1 << 0, /* began before the recording */
	SPAN_OPEN_END = 1 << 1, /* goes on after it */
	SPAN_DOUBTFUL = 1 << 2, /* records were lost in it */
	SPAN_IRQ = 1 << 3, /* woken out of an interrupt */
};

#define SCHED_NONE UINT32_MAX

enum { SCHED_CPU_LIMIT = 1 << 16 }; /* higher numbers are nonsense, and cost memory */

struct sched_span {
	uint32_t thread; /* in sched.threads */
	int32_t tid;
	uint64_t from, until;
	uint8_t kind, state, flags;
	uint32_t cpu; /* RUN: where; others: where it came to run, UINT32_MAX when it didn't */
	uint32_t last_cpu; /* where it ran last before the end; UINT32_MAX: not known */
	uint32_t out; /* OFF, READY: the record of its leaving, whose stack tells why; or NONE */
	int32_t waker; /* READY: -1 not known */
	uint32_t waking; /* READY: the record of the waking, or NONE */
};

struct sched_thread {
	int32_t tid;
	uint64_t born, ended; /* the recording's ends when it was there before, or is there after */
	bool was_born, has_ended;
	/* private: the span that is not over */
	uint8_t now, state, flags; /* as in sched_span */
	bool woken, exiting;
	bool told_out, told_in; /* by the tracepoint: a record that says the same will follow */
	bool irq;
	uint32_t cpu;
	int32_t waker;
	uint64_t since, woken_at, exit_at;
	uint32_t out, waking;
};

/* Called in order of `until`, but for the spans that the end of the recording closes. */
typedef void sched_span_fn(void *ctx, const struct sched_span *span);

enum { SCHED_RECENT = 64 };

struct sched {
	uint64_t begin, end; /* of the recording */
	VEC(struct sched_thread) threads;
	uint64_t switches, wakes;
	uint64_t missing_in; /* left a CPU without having come: what was before is UNKNOWN */
	uint64_t missing_out; /* came without having left */
	uint64_t holes; /* LOST records */
	/* private: */
	sched_span_fn *fn;
	void *ctx;
	const struct sched_record *records;
	struct hashidx tid_index;
	VEC(struct sched_tid {
		int32_t tid;
		uint32_t thread; /* the newest that has it */
	})
	tids;
	struct sched_recent {
		int32_t tid;
		uint32_t slot1; /* 1 + its index in `tids`; 0: free */
	} recent[SCHED_RECENT]; /* by the low bits of the tid */
	VEC(struct sched_cpu {
		bool seen; /* a switch was seen on it */
		uint32_t thread; /* that runs on it; UINT32_MAX: not known */
	})
	cpus;
	struct sched_holes lost;
};

/*
 * Replay R, which is sorted, over the time from BEGIN to END (what is before is left out); FN gets
 * every span of every thread but the idle one (tid 0).
 */
void sched_replay(struct sched *s, const struct sched_records *r, uint64_t begin, uint64_t end,
		  sched_span_fn *fn, void *ctx);
void sched_release(struct sched *s);

#endif
