/* SPDX-License-Identifier: MIT */
/* perfrep fold: one event of a recording as folded stacks. */
#include <string.h>

#include "cli/cmd.h"
#include "cli/events.h"
#include "cli/message.h"
#include "cli/opts_common.h"
#include "cli/outfile.h"
#include "cli/run.h"
#include "view/folded.h"

enum {
	OPT_COMPAT = OPT_COMMAND_FIRST,
	OPT_MARKS,
	OPT_KERNEL,
	OPT_JIT,
	OPT_ALL,
	OPT_PID,
	OPT_TID,
	OPT_ADDRS,
	OPT_WEIGHT,
};

struct options {
	struct opts_common common;
	struct fold_options fold;
	const char *output;
};

static const struct argp_option fold_options[] = {
	{ "weight", OPT_WEIGHT, "WHAT", 0, "What is added up: period (default) or count", 0 },
	{ "pid", OPT_PID, "PID,...", OPTION_ARG_OPTIONAL,
	  "The pid behind the command (comm-PID); with a list: samples of these processes", 0 },
	{ "tid", OPT_TID, "TID,...", OPTION_ARG_OPTIONAL,
	  "Pid and tid behind the command (comm-PID/TID); with a list: samples of these threads",
	  0 },
	{ "addrs", OPT_ADDRS, NULL, 0, "The address of frames without a name", 0 },
	{ "marks", OPT_MARKS, NULL, 0,
	  "Mark frames for flamegraph.pl: inlined _[i], kernel _[k], JIT _[j]", 0 },
	{ "kernel", OPT_KERNEL, NULL, 0, "Mark kernel frames only", 0 },
	{ "jit", OPT_JIT, NULL, 0, "Mark JIT frames only", 0 },
	{ "all", OPT_ALL, NULL, 0, "Mark kernel and JIT frames", 0 },
	{ "compat", OPT_COMPAT, "TOOL", 0,
	  "The bytes of perf script and stackcollapse-perf.pl (flamegraph) or "
	  "inferno-collapse-perf (inferno)",
	  0 },
	{ "output", 'o', "FILE", 0, "Write to FILE", 0 },
	{ 0 },
};

static void keep_or_filter(struct options *o, int key, const char *arg, struct argp_state *state)
{
	struct err err;

	if (!arg) {
		*(key == OPT_PID ? &o->fold.pid : &o->fold.tid) = true;
		return;
	}
	if (filter_add(o->common.filter.f, key == OPT_PID ? FILTER_PID : FILTER_TID, arg, &err) < 0)
		argp_error(state, "%s", err.text);
}

static enum fold_compat parse_compat(const char *arg, struct argp_state *state)
{
	if (!strcmp(arg, "flamegraph"))
		return FOLD_FLAMEGRAPH;
	if (strcmp(arg, "inferno"))
		argp_error(state, "--compat is flamegraph or inferno, not \"%s\".", arg);
	return FOLD_INFERNO;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_WEIGHT:
		o->fold.count = opts_counts(state, arg);
		return 0;
	case OPT_PID:
	case OPT_TID:
		keep_or_filter(o, key, arg, state);
		return 0;
	case OPT_ADDRS:
		o->fold.addrs = true;
		return 0;
	case OPT_MARKS:
		o->fold.marks |= FOLD_MARK_INLINED | FOLD_MARK_KERNEL | FOLD_MARK_JIT;
		return 0;
	case OPT_KERNEL:
		o->fold.marks |= FOLD_MARK_KERNEL;
		return 0;
	case OPT_JIT:
		o->fold.marks |= FOLD_MARK_JIT;
		return 0;
	case OPT_ALL:
		o->fold.marks |= FOLD_MARK_KERNEL | FOLD_MARK_JIT;
		return 0;
	case OPT_COMPAT:
		o->fold.compat = parse_compat(arg, state);
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &opts_stacks_argp, 0, NULL, 0 }, { 0 } };

static const struct argp fold_argp = {
	fold_options,
	parse,
	"[FILE]",
	"Write the stacks of one event as folded text: comm;root;…;leaf COUNT, one line a stack.",
	children,
	NULL,
	NULL,
};

static bool counts_together(const struct options *o)
{
	return o->fold.count && o->fold.compat == FOLD_PLAIN;
}

/*
 * What is written when the recording has several events: with --weight=count the samples of all,
 * else the first that has some; and a notice.  PROFILE_NONE when there are no samples.
 */
static uint32_t choose_event(const struct session *s, const struct options *o)
{
	const struct profile *p = s->profile;
	struct strbuf names = STRBUF_INIT;
	uint32_t event = events_find(p, NULL);
	size_t n = events_list(s, PROFILE_NONE, &names);

	if (n > 1 && counts_together(o)) {
		if (!o->common.in.quiet)
			message("The samples of %zu events are counted together: %s; --event chooses "
				"one.",
				n, strbuf_str(&names));
		event = FOLD_ALL_EVENTS;
	} else if (event != PROFILE_NONE && !o->common.in.quiet) {
		events_tell(s, event);
	}
	strbuf_release(&names);
	return event;
}

static int write_stacks(const struct session *s, struct options *o, uint32_t event)
{
	const struct evsel *evsel = event < s->nr_events ? s->events[event].evsel : NULL;
	struct outfile out;
	int status = outfile_open(&out, o->output);

	if (status != EXIT_FINE)
		return status;
	o->fold.modules = session_modules(s);
	o->fold.max_stack = o->common.in.max_stack;
	if (evsel) {
		o->fold.no_chains = !evsel_has_chains(evsel);
		if (o->fold.compat != FOLD_PLAIN && evsel->attr.type == PERF_TYPE_TRACEPOINT &&
		    !s->events[event].derived)
			o->fold.count = true; /* perf script prints no period there */
	}
	return outfile_close(&out,
			     fold_write(s->profile, event, &o->fold, outfile_write, &out) < 0);
}

static void say_empty(const struct session *s, const struct options *o)
{
	if (!o->common.in.quiet)
		message(s->samples ? "%s: no sample is left by the filters."
				   : "%s: the recording has no samples.",
			o->common.in.path);
}

static int show(const struct session *s, void *ctx, struct strbuf *sb)
{
	struct options *o = ctx;
	uint32_t event = choose_event(s, o);

	(void)sb; /* stacks are written as they come */
	if (event != PROFILE_NONE)
		return write_stacks(s, o, event);
	say_empty(s, o);
	return EXIT_FINE;
}

static int fold(struct options *o)
{
	static const struct run how = { .show = show };
	struct session_options so = opts_common_session(&o->common);

	so.max_stack = 0; /* fold_write() counts as perf script does */
	so.script_chains = o->fold.compat != FOLD_PLAIN;
	so.keep_ip = o->fold.addrs;
	so.one_event = !counts_together(o);
	so.no_hints = so.symbols.no_lines = true;
	so.keys = (o->fold.pid || o->fold.tid ? SESSION_KEY_PID : 0) |
		  (o->fold.tid ? SESSION_KEY_TID : 0);
	return run_recording(&how, &so, &o->common.in, o);
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	int status;

	opts_common_init(&o.common);
	run_parse(&fold_argp, argc, argv, &o);
	status = fold(&o);
	opts_common_release(&o.common);
	return status;
}

const struct command cmd_fold = {
	"fold",
	"folded stacks of an event, as flame graphs want them",
	run,
};
