/* SPDX-License-Identifier: MIT */
/* perfrep callers FUNCTION: who calls it, and what it calls. */
#include <string.h>

#include "cli/cmd.h"
#include "cli/message.h"
#include "cli/opts_common.h"
#include "cli/recorded.h"
#include "cli/run.h"
#include "view/grid.h"
#include "view/json.h"
#include "view/tree.h"
#include "view/tree_detail.h"

enum {
	OPT_DEPTH = OPT_COMMAND_FIRST,
	OPT_PERCENT_LIMIT,
};

struct options {
	struct opts_common common;
	struct opts_counters counters;
	struct tree_options tree;
	const char *function;
};

static const struct argp_option callers_options[] = {
	{ "depth", OPT_DEPTH, "N", 0,
	  "Callers of callers, callees of callees, N deep (default: 1; 0: all)", 0 },
	{ "percent-limit", OPT_PERCENT_LIMIT, "PERCENT", 0,
	  "Leave out what has less of the event (default: 0.5)", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		state->child_inputs[1] = &o->counters;
		return 0;
	case OPT_DEPTH:
		o->tree.max_depth = (unsigned)opts_number(state, "--depth", arg, 100000);
		return 0;
	case OPT_PERCENT_LIMIT:
		o->tree.threshold = opts_percent(state, "--percent-limit", arg);
		return 0;
	case ARGP_KEY_ARG:
		if (o->function)
			return ARGP_ERR_UNKNOWN; /* the input's */
		o->function = arg;
		return 0;
	case ARGP_KEY_END:
		if (!o->function)
			argp_error(state, "Which function? Its name comes before the file's.");
		o->tree.by_count = o->common.out.by_count;
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

static const struct argp callers_argp = {
	callers_options,
	parse,
	"FUNCTION [FILE]",
	"Show who calls a function and what it calls. FUNCTION is its name as the report prints it, or "
	"a part that only one function's name has.",
	children,
	NULL,
	NULL,
};

/* The events in which the function occurs, each a block, an object, or rows of one table. */
struct output {
	const struct view_style *style;
	struct strbuf *sb; /* of text */
	struct json_object *json;
	struct grid grid;
};

static void add(struct output *out, const struct callers *c)
{
	if (out->style->format == VIEW_JSON) {
		json_append(out->json, callers_json(c));
	} else if (!view_for_eyes(out->style)) {
		callers_fields(c, &out->grid);
	} else {
		if (out->sb->n)
			strbuf_addc(out->sb, '\n');
		callers_print(c, out->style, out->sb);
	}
}

static void finish(struct output *out)
{
	if (out->style->format == VIEW_JSON)
		json_print(out->json, true, out->sb);
	else if (!view_for_eyes(out->style))
		grid_print(&out->grid, out->style, out->sb);
}

/* How many events have the function; ERR is of the last that lacks it. */
static size_t print(const struct session *s, const struct options *o, struct strbuf *sb,
		    struct err *err)
{
	struct output out = {
		.style = &o->common.out.style,
		.sb = sb,
		.json = json_new_array(),
	};
	bool json = out.style->format == VIEW_JSON;
	struct recorded recorded;
	size_t found = 0;

	recorded_init(&recorded, s, false, &o->counters.c);
	tree_fields_columns(&out.grid);
	for (uint32_t e = 0; e < s->profile->nr_events; e++) {
		bool ratios = recorded.ratios && (json || e == recorded.time_event);
		struct callers c;

		if (!s->profile->events[e].samples ||
		    callers_build(&c, s->profile, e, o->function, &o->tree, err) < 0)
			continue;
		callers_find_detail(&c, ratios ? &recorded.events : NULL);
		found++;
		add(&out, &c);
		callers_release(&c);
	}
	if (found)
		finish(&out);
	json_free(out.json);
	grid_release(&out.grid);
	recorded_release(&recorded);
	return found;
}

static int show(const struct session *s, void *ctx, struct strbuf *sb)
{
	struct err err = { ERR_NOT_FOUND, "The recording has no samples." };

	if (print(s, ctx, sb, &err))
		return EXIT_FINE;
	message("%s", err.text);
	return EXIT_FAILED;
}

static int callers(struct options *o)
{
	static const struct run how = { .show = show };
	struct session_options so = opts_common_session(&o->common);

	so.no_hints = so.symbols.no_lines = true;
	return run_recording(&how, &so, &o->common.in, o);
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	int status;

	tree_options_init(&o.tree);
	o.tree.max_depth = 1;
	opts_common_init(&o.common);
	run_parse(&callers_argp, argc, argv, &o);
	status = callers(&o);
	opts_common_release(&o.common);
	opts_counters_release(&o.counters);
	return status;
}

const struct command cmd_callers = {
	"callers",
	"who calls a function, and what it calls",
	run,
};
