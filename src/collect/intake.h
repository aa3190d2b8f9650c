/* SPDX-License-Identifier: MIT */
/*
 * From a SAMPLE record to what the parallel pass works on: the decoded sample, who it belongs
 * to, its weights, and whether the filters want it.
 */
#ifndef PERFREP_COLLECT_INTAKE_H
#define PERFREP_COLLECT_INTAKE_H

#include "collect/fields.h"
#include "collect/scan.h"
#include "collect/tally.h"
#include "collect/who.h"

/* What all workers share; immutable while they run. */
struct intake_shared {
	const struct reader *reader;
	const struct scan *scan;
	const struct session_options *opts;
	bool *wanted; /* by event: the filter takes it */
	bool has_blocks; /* the recording's span is known: samples have a slice of time */
	double blocks_per_ns;
	size_t nr_events;
	const struct fields *fields; /* NULL: no sample is asked for its fields */
	struct formats formats;
	const struct tp_field **left_state; /* by evsel index: of sched_switch; NULL of others */
};

struct intake {
	const struct intake_shared *shared;
	struct who who;
	struct tally *tally;
	size_t delta_hint;
	/* of the sample at hand: */
	struct sample s;
	const struct evsel *evsel;
	uint64_t when, pos;
	const struct who_thread *thread;
	uint32_t key; /* of the profile: the thread's, and the fields' values */
	struct strbuf text; /* scratch */
	const struct who_image *image;
	const struct delta *weights;
	size_t nr_weights;
	uint8_t block; /* slice of time, below PROFILE_BLOCKS */
	size_t nr_own; /* of them, those of recorded events: they come first */
	size_t nr_timed; /* … and those that are of the sample's time: behind them are absences */
	struct delta one;
	VEC(struct delta) many;
	size_t offcpu_hint;
	uint64_t absent_from; /* of the absence, where it begins to be wanted */
};

void intake_shared_init(struct intake_shared *sh, const struct reader *r, const struct scan *sc,
			const struct session_options *opts, const struct fields *fields);
void intake_shared_release(struct intake_shared *sh);

/* P gets the keys of threads. */
void intake_init(struct intake *in, const struct intake_shared *sh, struct profile *p,
		 struct tally *tally);
void intake_release(struct intake *in);
/*
 * Take a record; true when it is a sample that counts: then the fields above are set.  Events
 * that the filter does not take may still be among the weights: see intake_wants().
 */
bool intake_take(struct intake *in, const struct record *rec);

/* Whether the sample is of a thread that leaves its CPU of its own accord, and goes on living. */
bool intake_blocks(const struct intake *in);

/* A part of an absence that has no sample: whether the filters want it, and the thread's key. */
bool intake_stackless(struct intake *in, const struct offcpu_absence *a,
		      const struct offcpu_part *part, uint32_t *key);

static inline bool intake_wants(const struct intake *in, uint32_t event)
{
	return in->shared->wanted[event];
}

/* Whether the filter takes some event of the sample's weights. */
static inline bool intake_wants_any(const struct intake *in)
{
	for (size_t i = 0; i < in->nr_weights; i++)
		if (intake_wants(in, in->weights[i].event))
			return true;
	return false;
}

/* The deferred user chain that the sample announces, or NULL. */
const struct deferred_chain *intake_deferred(struct intake *in);

#endif
