/* SPDX-License-Identifier: MIT */
/* Options of the counter analysis: what events mean, and what stalls cost. */
#ifndef PERFREP_CLI_OPTS_COUNTERS_H
#define PERFREP_CLI_OPTS_COUNTERS_H

#include <argp.h>

#include <perfrep/counters.h>

struct opts_counters {
	struct event_roles roles;
	struct counter_options c; /* c.roles points to the above after parsing */
};

extern const struct argp opts_counters_argp;
void opts_counters_release(struct opts_counters *o);

#endif
