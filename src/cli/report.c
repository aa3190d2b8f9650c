/* SPDX-License-Identifier: MIT */
/*
 * perfrep report, and what plain perfrep FILE does: what was recorded, how good it is, what is
 * hottest, and a table (or with -g a call tree) for each event.
 */
#include "cli/report.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/run.h"

enum {
	OPT_CHILDREN = OPT_COMMAND_FIRST,
	OPT_NO_CHILDREN,
	OPT_PERCENT_LIMIT,
	OPT_LIMIT,
	OPT_NO_HINTS,
	OPT_SILENCE,
	OPT_OWN,
};

#define TEXT_PERCENT_LIMIT 0.5 /* for eyes; machines get all */
#define TEXT_LIMIT         25

static const struct argp_option report_options[] = {
	{ "sort", 's', "KEY,...", 0,
	  "What rows are told apart by: comm, pid, tid, cpu, dso, sym, srcline, srcfile, event, "
	  "fields of tracepoints such as prev_state or sched_switch.next_comm "
	  "(default: dso,sym)",
	  0 },
	{ "children", OPT_CHILDREN, NULL, 0, "Order by total: time in a function and below it", 0 },
	{ "no-children", OPT_NO_CHILDREN, NULL, 0, "No totals, only self", 0 },
	{ "call-graph", 'g', "TYPE,MIN,ORDER", OPTION_ARG_OPTIONAL,
	  "A call tree instead of the table: graph, fractal, flat, folded or none; branches from MIN "
	  "percent on (0.5); order caller (from main inwards, the default) or callee (from where time "
	  "is spent outwards)",
	  0 },
	{ "inverted", 'G', NULL, 0, "The call tree in the other order", 0 },
	{ "percent-limit", OPT_PERCENT_LIMIT, "PERCENT", 0,
	  "Leave out rows below it (default: 0.5 in text, else 0)", 0 },
	{ "limit", OPT_LIMIT, "N", 0, "At most N rows (default: 25 in text; 0: all)", 0 },
	{ "no-hints", OPT_NO_HINTS, NULL, 0, "No hints", 0 },
	{ "silence", OPT_SILENCE, "NAME,...", 0, "Leave out these hints; perfrep hints lists all",
	  0 },
	{ "own", OPT_OWN, "RE", 0,
	  "Hints name functions as yours whose name or module matches (default: all but the "
	  "kernel's, system libraries' and those of standard libraries)",
	  0 },
	{ "show-nr-samples", 'n', NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

/* perf's -g may have its argument in the next word, when that looks like one. */
static void parse_call_graph(struct report_options *o, const char *arg, struct argp_state *state)
{
	struct err err;

	if (o->tree.type == TREE_NONE)
		tree_options_init(&o->tree);
	if (!arg && state->next < state->argc && tree_options_plausible(state->argv[state->next]))
		arg = state->argv[state->next++];
	if (arg && tree_options_parse(&o->tree, arg, &err) < 0)
		argp_error(state, "%s", err.text);
}

static void parse_sort(struct report_options *o, const char *arg, struct argp_state *state)
{
	struct err err;

	if (view_keys_parse(&o->keys, arg, &err) < 0)
		argp_error(state, "%s", err.text);
	o->keys_given = true;
	for (const char *p = arg; *p; p += *p == ',') {
		size_t len = strcspn(p, ",");

		if (view_key_is_field(p, len))
			vec_push(&o->fields, xstrndup(p, len));
		p += len;
	}
}

static void parse_hint(struct report_options *o, int key, const char *arg, struct argp_state *state)
{
	struct err err;
	int rc = 0;

	if (key == OPT_NO_HINTS)
		o->no_hints = true;
	else if (key == OPT_SILENCE)
		rc = hint_silence(&o->hints, arg, &err);
	else
		rc = hint_own_check(o->hints.own = arg, &err);
	if (rc < 0)
		argp_error(state, "%s", err.text);
}

/* Defaults that depend on other options. */
static void finish(struct report_options *o)
{
	bool text = view_for_eyes(&o->common.out.style);

	if (!o->keys_given)
		o->keys = (struct view_keys){ { KEY_DSO, KEY_SYM }, 2 };
	if (!o->percent_given)
		o->print.percent_limit = text ? TEXT_PERCENT_LIMIT : 0;
	if (!o->limit_given)
		o->print.limit = text ? TEXT_LIMIT : 0;
	if (o->inverted && o->tree.type == TREE_NONE)
		tree_options_init(&o->tree);
	if (o->inverted)
		o->tree.callees = !o->tree.callees;
	o->tree.by_count = o->hints.by_count = o->common.out.by_count;
	o->print.callers = !o->by_total && !o->print.no_total &&
			   o->common.out.style.format == VIEW_TEXT;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		state->child_inputs[1] = &o->counters;
		return 0;
	case 's':
		parse_sort(o, arg, state);
		return 0;
	case OPT_CHILDREN:
	case OPT_NO_CHILDREN:
		o->by_total = key == OPT_CHILDREN;
		o->print.no_total = key == OPT_NO_CHILDREN;
		return 0;
	case 'g':
		parse_call_graph(o, arg, state);
		return 0;
	case 'G':
		o->inverted = true;
		return 0;
	case OPT_PERCENT_LIMIT:
		o->print.percent_limit = opts_percent(state, "--percent-limit", arg);
		o->percent_given = true;
		return 0;
	case OPT_LIMIT:
		o->print.limit = opts_number(state, "--limit", arg, 1ul << 31);
		o->limit_given = true;
		return 0;
	case OPT_NO_HINTS:
	case OPT_SILENCE:
	case OPT_OWN:
		parse_hint(o, key, arg, state);
		return 0;
	case 'n':
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &opts_samples_argp, 0, NULL, 0 },
	{ &opts_counters_argp, 0, "Counters:", 5 },
	{ 0 },
};

static const struct argp report_argp = {
	report_options,
	parse,
	"[FILE]",
	"Say what was recorded, how good the data is, what is hottest, and where the time goes.",
	children,
	NULL,
	NULL,
};

/* What stacks must be kept apart by for the keys that rows are told apart by. */
static void session_keys(struct session_options *so, const struct view_keys *keys)
{
	if (view_keys_have(keys, KEY_PID))
		so->keys |= SESSION_KEY_PID;
	if (view_keys_have(keys, KEY_TID))
		so->keys |= SESSION_KEY_TID;
	if (view_keys_have(keys, KEY_CPU))
		so->keys |= SESSION_KEY_CPU;
	so->symbols.no_lines = !view_keys_have(keys, KEY_SRCLINE) &&
			       !view_keys_have(keys, KEY_SRCFILE);
}

static int show(const struct session *s, void *ctx, struct strbuf *sb)
{
	report_print(s, ctx, sb);
	return EXIT_FINE;
}

static int report(struct report_options *o)
{
	const struct run how = { .show = show, .told = report_tells_problems(o) };
	struct session_options so = opts_common_session(&o->common);

	session_keys(&so, &o->keys);
	so.fields = o->fields.v;
	so.nr_fields = o->fields.n;
	return run_recording(&how, &so, &o->common.in, o);
}

static int run(int argc, char **argv)
{
	struct report_options o = { 0 };
	int status;

	opts_common_init(&o.common);
	run_parse(&report_argp, argc, argv, &o);
	finish(&o);
	status = report(&o);
	for (size_t i = 0; i < o.fields.n; i++)
		free((char *)o.fields.v[i]);
	vec_release(&o.fields);
	opts_common_release(&o.common);
	opts_counters_release(&o.counters);
	return status;
}

const struct command cmd_report = {
	"report",
	"what is hot, and how sure that is (the default)",
	run,
};
