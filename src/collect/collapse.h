/* SPDX-License-Identifier: MIT */
/*
 * Samples -> stacks with weights, in one parallel pass over the recording.  Frames become
 * locations (dso and address), stacks are kept as they are met, and nothing has a name yet: a
 * million samples have some ten thousand addresses, which are symbolised afterwards.
 */
#ifndef PERFREP_COLLECT_COLLAPSE_H
#define PERFREP_COLLECT_COLLAPSE_H

#include "collect/intake.h"

/* Weights of stacks by what is odd about them, per event; see enum stack_flags. */
struct collapse_flags {
	uint64_t truncated, repaired, garbage, no_chain, deferred, not_unwound;
};

struct collapse {
	struct intake_shared shared;
	struct profile *profile; /* one event for each evsel, same index */
	struct tally tally;
	struct collapse_flags *flags; /* by event, of accepted samples */
	struct session_unwind unwind;
	struct chunk *chunks;
	size_t nr_chunks;
	unsigned threads;
	struct offcpu_detail *offcpu; /* when it is wanted */
	struct gather_worker *workers;
};

void collapse_run(struct collapse *c, const struct reader *r, const struct scan *sc,
		  const struct session_options *opts, const struct fields *fields);
/* The profile stays when it was taken out (set to NULL). */
void collapse_release(struct collapse *c);

#endif
