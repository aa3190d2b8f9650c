/* SPDX-License-Identifier: MIT */
/* The events of a recording as counters: totals, and ratios for each row of a table. */
#ifndef PERFREP_CLI_RECORDED_H
#define PERFREP_CLI_RECORDED_H

#include <perfrep/session.h>

#include "cli/opts_counters.h"
#include "view/ratios.h"

struct recorded {
	struct counter_set set; /* one counter for each event, same index */
	struct counter_analysis analysis;
	struct ratio_events events;
	uint32_t *group; /* by event */
	bool ratios; /* two events make one */
	uint32_t time_event; /* cycles or CPU time: whose table shows them; PROFILE_NONE: none */
};

/* ALL: of all samples, also when the session did not build its profile; else of accepted ones. */
void recorded_init(struct recorded *r, const struct session *s, bool all,
		   const struct counter_options *opts);
void recorded_release(struct recorded *r);

#endif
