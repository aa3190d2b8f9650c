/* SPDX-License-Identifier: MIT */
/* Every option hands its text to filter_add(): the table says which kind of condition it is. */
#include "cli/opts_filter.h"

#include <perfrep/session.h>

#include "cli/opts.h"

enum {
	OPT_PID = OPT_FILTER_FIRST,
	OPT_TID,
	OPT_EVENT,
	OPT_TIME,
	OPT_FOCUS,
	OPT_IGNORE,
	OPT_CONDITION,
};

static const struct argp_option filter_options[] = {
	{ "comm", 'c', "NAME,...", 0, "Samples of these commands", 0 },
	{ "comms", 'c', NULL, OPTION_ALIAS, NULL, 0 },
	{ "pid", OPT_PID, "PID,...", 0, "Samples of these processes", 0 },
	{ "tid", OPT_TID, "TID,...", 0, "Samples of these threads", 0 },
	{ "cpu", 'C', "N,N-M,...", 0, "Samples on these CPUs", 0 },
	{ "dso", 'd', "NAME,...", 0, "Samples in these modules", 0 },
	{ "dsos", 'd', NULL, OPTION_ALIAS, NULL, 0 },
	{ "symbol", 'S', "NAME,...", 0, "Samples in these functions", 0 },
	{ "symbols", 'S', NULL, OPTION_ALIAS, NULL, 0 },
	{ "event", OPT_EVENT, "NAME,...", 0, "These events", 0 },
	{ "time", OPT_TIME, "FROM,TO", 0,
	  "Samples from FROM to TO, in seconds of the recording's clock; or 10%-20%, 10%/2; several "
	  "with blanks between them",
	  0 },
	{ "filter", OPT_CONDITION, "CONDITION", 0,
	  "Samples of tracepoints whose fields meet it: prev_state==1 && next_comm ~ \"kworker*\"",
	  0 },
	{ "focus", OPT_FOCUS, "REGEXP", 0, "Stacks in which some function matches", 0 },
	{ "ignore", OPT_IGNORE, "REGEXP", 0, "Stacks in which no function matches", 0 },
	{ 0 },
};

static const struct argp_option threads_options[] = {
	{ "comm", 'c', "NAME,...", 0, "Threads with these names", 0 },
	{ "comms", 'c', NULL, OPTION_ALIAS, NULL, 0 },
	{ "pid", OPT_PID, "PID,...", 0, "Threads of these processes", 0 },
	{ "tid", OPT_TID, "TID,...", 0, "These threads", 0 },
	{ "cpu", 'C', "N,N-M,...", 0, "What they did on these CPUs", 0 },
	{ "time", OPT_TIME, "FROM,TO", 0,
	  "What they did from FROM to TO, in seconds of the recording's clock; or 10%-20%, 10%/2; "
	  "several with blanks between them",
	  0 },
	{ 0 },
};

static const struct {
	int key;
	enum filter_kind kind;
} kinds[] = {
	{ 'c', FILTER_COMM },          { OPT_PID, FILTER_PID },   { OPT_TID, FILTER_TID },
	{ 'C', FILTER_CPU },           { 'd', FILTER_DSO },       { 'S', FILTER_SYMBOL },
	{ OPT_EVENT, FILTER_EVENT },   { OPT_TIME, FILTER_TIME }, { OPT_FOCUS, FILTER_FOCUS },
	{ OPT_IGNORE, FILTER_IGNORE },
};

static error_t parse_filter(int key, char *arg, struct argp_state *state)
{
	struct opts_filter *o = state->input;
	struct err err;

	if (key == OPT_CONDITION) {
		if (session_check_condition(arg, &err) < 0)
			argp_error(state, "%s", err.text);
		filter_add_condition(o->f, arg);
		return 0;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].key != key)
			continue;
		if (filter_add(o->f, kinds[i].kind, arg, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

const struct argp opts_filter_argp = { filter_options, parse_filter, NULL, NULL, NULL, NULL, NULL };
const struct argp opts_threads_argp = {
	threads_options, parse_filter, NULL, NULL, NULL, NULL, NULL
};

void opts_filter_init(struct opts_filter *o)
{
	o->f = filter_new();
}

void opts_filter_release(struct opts_filter *o)
{
	filter_free(o->f);
	o->f = NULL;
}
