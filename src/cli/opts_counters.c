/* SPDX-License-Identifier: MIT */
#include "cli/opts_counters.h"

#include <stdlib.h>
#include <string.h>

#include "cli/opts.h"

enum {
	OPT_EVENT_ROLE = OPT_COUNTERS_FIRST,
	OPT_MISPREDICT,
	OPT_DRAM,
	OPT_MLP,
};

static const struct argp_option counters_options[] = {
	{ "event-role", OPT_EVENT_ROLE, "ROLE=EVENT", 0,
	  "What an event counts whose name is not known: cycles, instructions, branches, "
	  "branch-misses, llc-misses … (may be given several times)",
	  0 },
	{ "mispredict-penalty", OPT_MISPREDICT, "CYCLES", 0,
	  "What a mispredicted branch costs (default: 20)", 0 },
	{ "dram-latency", OPT_DRAM, "N", 0,
	  "What a miss of the last level costs, in cycles or, with ns behind it, in nanoseconds "
	  "(default: 300)",
	  0 },
	{ "mlp", OPT_MLP, "N", 0,
	  "How many misses the program has in flight at once (default: 1, 5 and 10 are compared)",
	  0 },
	{ 0 },
};

/* A number above 0; what follows it is in *END. */
static double positive(const struct argp_state *state, const char *option, const char *arg,
		       char **end)
{
	double v = strtod(arg, end);

	if (*end == arg || !(v > 0) || !(v < 1e9))
		argp_error(state, "%s takes a number above 0, not \"%s\".", option, arg);
	return v;
}

static double whole_word(const struct argp_state *state, const char *option, const char *arg)
{
	char *end;
	double v = positive(state, option, arg, &end);

	if (*end)
		argp_error(state, "%s takes a number above 0, not \"%s\".", option, arg);
	return v;
}

static void parse_dram(struct opts_counters *o, const char *arg, const struct argp_state *state)
{
	char *end;
	double v = positive(state, "--dram-latency", arg, &end);

	o->c.dram_cycles = o->c.dram_ns = 0;
	if (!strcmp(end, "ns"))
		o->c.dram_ns = v;
	else if (!*end || !strcmp(end, "cycles"))
		o->c.dram_cycles = v;
	else
		argp_error(state, "--dram-latency takes 300 or 90ns, not \"%s\".", arg);
}

static error_t parse_counters(int key, char *arg, struct argp_state *state)
{
	struct opts_counters *o = state->input;
	struct err err;

	switch (key) {
	case OPT_EVENT_ROLE:
		if (event_roles_add(&o->roles, arg, &err) < 0)
			argp_error(state, "--event-role: %s.", err.text);
		return 0;
	case OPT_MISPREDICT:
		o->c.mispredict_penalty = whole_word(state, "--mispredict-penalty", arg);
		return 0;
	case OPT_DRAM:
		parse_dram(o, arg, state);
		return 0;
	case OPT_MLP:
		o->c.mlp = whole_word(state, "--mlp", arg);
		return 0;
	case ARGP_KEY_END:
		o->c.roles = &o->roles;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp opts_counters_argp = {
	counters_options, parse_counters, NULL, NULL, NULL, NULL, NULL
};

void opts_counters_release(struct opts_counters *o)
{
	event_roles_release(&o->roles);
}
