/* SPDX-License-Identifier: MIT */
/* perfrep hints: what the report hints at, from which share on, and by which functions. */
#include <perfrep/hints.h>

#include "cli/cmd.h"
#include "cli/opts.h"
#include "cli/run.h"
#include "view/json.h"

enum { OPT_PATTERNS = OPT_COMMAND_FIRST };

struct options {
	struct opts_output out;
	bool patterns;
};

static const struct argp_option hints_options[] = {
	{ "patterns", OPT_PATTERNS, NULL, 0, "List the functions too", 0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->out;
		return 0;
	case OPT_PATTERNS:
		o->patterns = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &opts_text_json_argp, 0, "Output:", 1 },
	{ 0 },
};

static const struct argp hints_argp = {
	hints_options, parse, "", "List the hints that the report can give.", children, NULL, NULL,
};

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	struct strbuf sb = STRBUF_INIT;

	run_parse(&hints_argp, argc, argv, &o);
	if (o.out.style.format == VIEW_JSON)
		json_finish(hint_kinds_json(), &sb);
	else
		hint_kinds_print(&o.out.style, o.patterns, &sb);
	run_output(&sb);
	return EXIT_FINE;
}

const struct command cmd_hints = {
	"hints",
	"what the report hints at, and from which share on",
	run,
};
