/* SPDX-License-Identifier: MIT */
/*
 * Samples -> stacks with weights.  Two parallel passes over the recording, with symbolising in
 * between:
 *
 *	gather	count, unwind, and find the distinct locations
 *	(symbolise them)
 *	build	put every sample's stack into the trie
 *
 * Most stacks of a large recording are distinct as addresses and the same as functions.  A trie
 * of addresses has millions of nodes and misses the cache at every frame; a trie of functions
 * stays in it.  That is why names come before stacks.
 */
#ifndef PERFREP_COLLECT_COLLAPSE_H
#define PERFREP_COLLECT_COLLAPSE_H

#include "collect/intake.h"
#include "collect/stored.h"

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
	bool unwinds; /* dumped stacks were unwound, and stored */
	struct chunk *chunks;
	size_t nr_chunks;
	unsigned threads;
	struct gather_worker *workers; /* what they stored */
};

/* First pass: everything but the trie. */
void collapse_gather(struct collapse *c, const struct reader *r, const struct scan *sc,
		     const struct session_options *opts);
/* Second pass, when C's profile is symbolised. */
void collapse_build(struct collapse *c);
/* The profile stays when it was taken out (set to NULL). */
void collapse_release(struct collapse *c);

#endif
