/* SPDX-License-Identifier: MIT */
/*
 * Time off the CPU as an event: "off-cpu", in ns.  A thread's absence from its CPU is one part, or
 * two when it was woken in between: until then, and until it ran.  Each part is a weight of the
 * sample that was taken when the thread left its CPU, and so has that sample's stack; on top of it
 * is a frame of our own that says in what state the thread was.
 *
 * Absences need the scheduler's records in order of time over all CPUs, so they are found in the
 * sequential pass; the worker threads look them up by the sample's place in the file.
 */
#ifndef PERFREP_COLLECT_OFFCPU_H
#define PERFREP_COLLECT_OFFCPU_H

#include "collect/deltas.h"
#include "collect/sched_read.h"
#include "collect/sched_within.h"
#include "profile/filter.h"

#include <perfrep/offcpu.h>

struct offcpu_absence {
	uint64_t from, until;
	uint64_t woken; /* where the second part begins; 0: there is one part */
	uint32_t waking; /* the record that began the wait for a CPU; SCHED_NONE: not known */
	uint32_t thread; /* in `threads` */
	uint8_t mark[2], flags[2]; /* of the parts; flags: enum span_flags */
	bool elsewhere[2]; /* the part is of a CPU that is not wanted */
};

struct offcpu_part {
	uint64_t from, ns; /* of it, what is wanted: by its time and its CPU */
	uint64_t outside; /* ns that are not */
	uint8_t mark, flags;
};

struct offcpu {
	bool there; /* the recording tells switches */
	uint32_t event; /* index of the profile's events */
	uint32_t wall; /* … of wall-clock; PROFILE_NONE when not asked for */
	uint32_t on_cpu; /* the event whose weights are time on the CPU, for wall */
	/*
	 * First one for each sample of a switch, in the order of the file (`until` is 0 where
	 * there was no absence); then, from `stackless` on, those that no sample tells of.
	 */
	VEC(struct offcpu_absence) v;
	size_t stackless;
	VEC(struct offcpu_thread) threads;
	struct sched_read read;
	uint64_t begin, end;
	uint64_t switches, wakes, missing_in, missing_out, holes;
	/* private: */
	struct sched_within within;
	uint32_t *links; /* by record: 1 + the absence that it begins, or ends by waking; 0: none */
};

/* All records were read: whether and how they tell of time off the CPU. */
void offcpu_begin(struct offcpu *o, const struct evlist *list);
/*
 * Replay what was read; afterwards O can be asked.  TL, which is finished, knows pids; of
 * which times and CPUs it is wanted FILTER says, which may be NULL.
 */
void offcpu_finish(struct offcpu *o, const struct timeline *tl, const struct filter *filter);
void offcpu_release(struct offcpu *o);

/* The absence that begins with the sample at POS, or NULL.  *HINT as in deltas_find(). */
const struct offcpu_absence *offcpu_find(const struct offcpu *o, uint64_t pos, size_t *hint);
/* The absence that ended, but for the wait for a CPU, because the sample at POS woke the thread. */
const struct offcpu_absence *offcpu_woken(const struct offcpu *o, uint64_t pos, size_t *hint);
/* The parts of an absence, and what of them is wanted: their number. */
unsigned offcpu_parts(const struct offcpu *o, const struct offcpu_absence *a,
		      struct offcpu_part parts[2]);

#endif
