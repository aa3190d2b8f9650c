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

#include "base/radix.h"
#include "collect/deltas.h"
#include "collect/sched_read.h"

#include <perfrep/offcpu.h>

struct offcpu_interval {
	uint64_t pos; /* of the sample with its stack; SCHED_NO_POS: none */
	uint64_t from, ns;
	uint64_t before; /* RUNNABLE: how long it was off its CPU until it was woken */
	uint64_t waker_pos; /* of the sample that woke it; SCHED_NO_POS: none */
	uint32_t thread; /* in `threads` */
	int32_t tid, waker;
	bool woken; /* an interval that is RUNNABLE follows */
	uint8_t mark, flags; /* flags: enum span_flags */
};

struct offcpu {
	bool there; /* the recording tells switches */
	uint32_t event; /* index of the profile's events */
	uint32_t wall; /* … of wall-clock; PROFILE_NONE when not asked for */
	uint32_t on_cpu; /* the event whose weights are time on the CPU, for wall */
	VEC(struct offcpu_interval) v; /* in order of their ends */
	VEC(uint32_t) stackless; /* those that no sample tells of */
	VEC(struct offcpu_thread) threads;
	struct sched_read read;
	uint64_t begin, end;
	uint64_t switches, wakes, missing_in, missing_out, holes;
	/* private: */
	VEC(struct radix_item) places; /* by pos of a sample: its intervals */
	VEC(struct radix_item) wakers; /* by pos of a waking: the interval that follows it */
	VEC(uint64_t) samples; /* where switches are told by samples, ascending; only if mixed */
	bool mixed;
};

/* Replay what was read; afterwards O can be asked.  TL, which is finished, knows pids. */
void offcpu_finish(struct offcpu *o, const struct evlist *list, const struct timeline *tl);
void offcpu_release(struct offcpu *o);

/* The intervals of the sample at POS: their number.  *HINT as in deltas_find(). */
size_t offcpu_find(const struct offcpu *o, uint64_t pos, size_t *hint,
		   const struct offcpu_interval **out);
/* The interval, a wait for a CPU, that begins because the sample at POS woke a thread; or NULL. */
const struct offcpu_interval *offcpu_woken(const struct offcpu *o, uint64_t pos, size_t *hint);

#endif
