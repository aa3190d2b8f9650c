/* SPDX-License-Identifier: MIT */
/*
 * The sequential pass: every record header is looked at once.  What is needed before samples can
 * be collapsed in any order is kept: the timeline, the group reads' differences, deferred
 * callchains, what was lost.
 */
#ifndef PERFREP_COLLECT_SCAN_H
#define PERFREP_COLLECT_SCAN_H

#include "collect/deferred.h"
#include "collect/deltas.h"
#include "collect/offcpu.h"
#include "stack/stitch.h"

#include <perfrep/session.h>

struct scan {
	struct timeline *timeline;
	struct deltas deltas;
	struct deferred deferred;
	struct offcpu offcpu;
	struct stitch stitch; /* when it is asked for */
	uint64_t *lost_by_event; /* by evsel index */
	size_t nr_events;
	uint64_t lost_events, lost_samples, throttled;
	uint64_t first_ns, last_ns; /* of samples; the file's header may have told them */
	bool has_time;
};

/*
 * Walk all of S's reader.  WANT_TIMES: find the first and last sample time on the way;
 * WANT_OFFCPU: find time off the CPU, if the recording tells it.
 */
void scan_run(struct scan *sc, const struct session *s, const struct session_options *opts,
	      bool want_times, bool want_offcpu);
/* The events of a profile: the recording's, and those that are derived from it. */
size_t scan_nr_events(const struct scan *sc, const struct evlist *list);
/* The timeline stays: it belongs to the caller. */
void scan_release(struct scan *sc);

#endif
