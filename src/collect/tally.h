/* SPDX-License-Identifier: MIT */
/*
 * Numbers that are not stacks: samples per event, comm and pid, distinct threads and CPUs, the
 * first and last time.  Each worker has one; they are added up.
 */
#ifndef PERFREP_COLLECT_TALLY_H
#define PERFREP_COLLECT_TALLY_H

#include "base/hashidx.h"
#include "base/vec.h"
#include "collect/times.h"

#include <perfrep/sample.h>
#include <perfrep/session.h>

struct tally_event {
	uint64_t raw_samples, samples, period;
	struct times times; /* of samples that are taken at a rate */
};

struct tally_row { /* of one thread, as it was called */
	uint32_t comm; /* the timeline's id */
	int32_t pid, tid;
	uint64_t samples;
};

struct tally {
	struct tally_event *events;
	size_t nr_events;
	uint64_t first_ns, last_ns;
	bool has_time;
	uint64_t bad, unknown_id, leftover, deferred_missing;
	VEC(struct tally_row) rows;
	struct hashidx row_index;
	VEC(uint32_t) cpus; /* distinct */
	struct hashidx cpu_index;
};

void tally_init(struct tally *t, size_t nr_events);
/* The row of a thread, made when it is new. */
uint32_t tally_row(struct tally *t, uint32_t comm, int32_t pid, int32_t tid);
/* Time, CPU and unknown bytes of a sample. */
void tally_sample(struct tally *t, const struct sample *s);
void tally_merge(struct tally *dst, const struct tally *src);
/* The rows by comm (names become strings of the profile), by pid, and the numbers, into S. */
void tally_finish(const struct tally *t, struct session *s);
void tally_release(struct tally *t);

#endif
