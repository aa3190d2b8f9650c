/* SPDX-License-Identifier: MIT */
/* perfrep diff A B: what changed from one recording, or set of them, to another. */
#include "cli/diff.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/message.h"
#include "cli/run.h"

enum {
	OPT_NORMALIZE = OPT_COMMAND_FIRST,
	OPT_CHILDREN,
	OPT_FUNCTION,
	OPT_FAIL_ABOVE,
	OPT_EXPECT,
	OPT_LIMIT,
	OPT_SUMMARY,
	OPT_KEEP_GONE,
	OPT_WEIGHT,
};

#define TEXT_LIMIT 25

static const struct argp_option diff_options[] = {
	{ "normalize", OPT_NORMALIZE, "BASE", 0,
	  "What is compared: share (of each side's total, the default), time (the events' weights as "
	  "they are) or work=NA,NB (weights by the operations that each side did)",
	  0 },
	{ "children", OPT_CHILDREN, NULL, 0, "Judge and order by total: a function and below it",
	  0 },
	{ "function", OPT_FUNCTION, "NAME", 0,
	  "Where this function's change comes from: paths to it, and what it calls", 0 },
	{ "fail-above", OPT_FAIL_ABOVE, "PERCENT", 0,
	  "Exit with status 3 when something is slower by more than PERCENT of everything, "
	  "significantly",
	  0 },
	{ "expect", OPT_EXPECT, "EVENT@FUNCTION<R", 0,
	  "Check a theory: after divided by before is below (or, with >, above) R; without "
	  "@FUNCTION of everything. Exit with status 3 when it does not hold",
	  0 },
	{ "limit", OPT_LIMIT, "N", 0, "At most N rows of a kind (default: 25 in text; 0: all)", 0 },
	{ "summary", OPT_SUMMARY, NULL, 0, "Only the result, one line for each event", 0 },
	{ "weight", OPT_WEIGHT, "WHAT", 0,
	  "folded: add up the samples' periods (default), or count them: period or count", 0 },
	{ NULL, 'n', NULL, 0, "folded: scale the first counts to the second total", 0 },
	{ NULL, 's', NULL, 0, "folded: hexadecimal numbers become 0x...", 0 },
	{ "keep-gone", OPT_KEEP_GONE, NULL, 0,
	  "folded: vanished stacks once more below [gone], where a drawing shows them", 0 },
	{ 0 },
};

static void parse_work(struct diff_command *c, const char *text, struct argp_state *state)
{
	for (const char *p = text;;) {
		char *end;
		double v = strtod(p, &end);

		if (end == p || (*end && *end != ',') || !(v > 0))
			argp_error(state,
				   "--normalize=work= takes the numbers of operations, NA,NB, not "
				   "\"%s\".",
				   text);
		vec_push(&c->work, v);
		if (!*end)
			return;
		p = end + 1;
	}
}

static void parse_normalize(struct diff_command *c, const char *arg, struct argp_state *state)
{
	if (!strcmp(arg, "share")) {
		c->diff.norm = DIFF_SHARE;
	} else if (!strcmp(arg, "time")) {
		c->diff.norm = DIFF_TIME;
	} else if (!strncmp(arg, "work=", 5)) {
		c->diff.norm = DIFF_WORK;
		c->work.n = 0;
		parse_work(c, arg + 5, state);
	} else {
		argp_error(state, "--normalize is share, time or work=NA,NB, not \"%s\".", arg);
	}
}

static error_t parse_option(struct diff_command *c, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_NORMALIZE:
		parse_normalize(c, arg, state);
		return 0;
	case OPT_CHILDREN:
		c->diff.by_total = true;
		return 0;
	case OPT_FUNCTION:
		c->function = arg;
		return 0;
	case OPT_FAIL_ABOVE:
		c->fail_above = opts_percent(state, "--fail-above", arg);
		return 0;
	case OPT_EXPECT:
		vec_push(&c->expectations, arg);
		return 0;
	case OPT_LIMIT:
		c->limit = opts_number(state, "--limit", arg, 1ul << 31);
		c->limit_given = true;
		return 0;
	case OPT_SUMMARY:
		c->summary = true;
		return 0;
	case OPT_WEIGHT:
		c->common.out.by_count = opts_counts(state, arg);
		return 0;
	case 'n':
		c->folded.normalise = true;
		return 0;
	case 's':
		c->folded.strip_hex = true;
		return 0;
	case OPT_KEEP_GONE:
		c->folded.keep_gone = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff_command *c = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &c->common;
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&c->words, arg);
		return 0;
	case ARGP_KEY_END:
		if (!c->limit_given && !c->common.out.own &&
		    c->common.out.style.format == VIEW_TEXT)
			c->limit = TEXT_LIMIT;
		return 0;
	default:
		return parse_option(c, key, arg, state);
	}
}

static const struct argp_child children[] = { { &opts_unweighed_argp, 0, NULL, 0 }, { 0 } };

static const struct argp diff_argp = {
	diff_options,
	parse,
	"BEFORE AFTER...\nBEFORE... : AFTER...",
	"Say what changed from one recording to another, and whether that is more than chance. Files "
	"are recordings, folded stacks, output of perf stat, or files of perf stat record; without any, perf.data.old and perf.data. Several files on "
	"a side, with a colon between the sides, show the spread from run to run. --format=folded "
	"writes stacks with two counts.",
	children,
	NULL,
	NULL,
};

/* What is wrong with the options as a whole; NULL: nothing. */
static const char *complaint(const struct diff_command *c, const struct diff_inputs *in)
{
	bool folded = c->common.out.own;

	if (folded && in->sets.n > 2)
		return "--format=folded compares two sides.";
	if (folded && (c->function || c->summary || c->expectations.n || c->fail_above >= 0))
		return "--format=folded writes stacks: --function, --summary, --expect and "
		       "--fail-above are for the other formats.";
	if (!folded && (c->folded.normalise || c->folded.strip_hex || c->folded.keep_gone ||
			c->common.out.by_count))
		return "-n, -s, --keep-gone and --weight are for --format=folded.";
	if (c->summary && !view_for_eyes(&c->common.out.style) &&
	    c->common.out.style.format != VIEW_JSON)
		return "--summary is a line of text: it has no fields.";
	if (in->counted && (folded || c->function || c->fail_above >= 0))
		return "Counts of perf stat have no functions: --format=folded, --function and "
		       "--fail-above need recordings or folded stacks.";
	return NULL;
}

static int diff(struct diff_command *c)
{
	struct strbuf sb = STRBUF_INIT;
	struct diff_inputs in;
	const char *wrong;
	struct err err;
	int status;

	wrong = diff_inputs_init(&in, c, &err) < 0 ? err.text : complaint(c, &in);
	status = wrong ? EXIT_USAGE : diff_inputs_load(&in, c);
	if (status == EXIT_FINE && in.counted) {
		wrong = complaint(c, &in);
		status = wrong ? EXIT_USAGE : EXIT_FINE;
	}
	if (wrong)
		message("%s", wrong);
	if (status == EXIT_FINE)
		status = diff_show(&in, c, &sb);
	run_output(&sb);
	diff_inputs_release(&in);
	return status;
}

static int run(int argc, char **argv)
{
	struct diff_command c = { .fail_above = -1, .common.out.own_format = "folded" };
	int status;

	opts_common_init(&c.common);
	run_parse(&diff_argp, argc, argv, &c);
	status = diff(&c);
	opts_common_release(&c.common);
	vec_release(&c.words);
	vec_release(&c.work);
	vec_release(&c.expectations);
	return status;
}

const struct command cmd_diff = {
	"diff",
	"what changed between recordings, and how sure that is",
	run,
};
