/* SPDX-License-Identifier: MIT */
/* perfrep diff A B: what changed from one recording, or set of them, to another. */
#include "cli/diff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/message.h"
#include "cli/run.h"
#include "view/diff.h"
#include "view/escape.h"
#include "view/json.h"
#include "view/line.h"

enum {
	OPT_NORMALIZE = OPT_COMMAND_FIRST,
	OPT_CHILDREN,
	OPT_FUNCTION,
	OPT_FAIL_ABOVE,
	OPT_EXPECT,
	OPT_LIMIT,
	OPT_SUMMARY,
	OPT_KEEP_GONE,
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

static const struct argp_child children[] = { { &opts_samples_argp, 0, NULL, 0 }, { 0 } };

static const struct argp diff_argp = {
	diff_options,
	parse,
	"BEFORE AFTER...\nBEFORE... : AFTER...",
	"Say what changed from one recording to another, and whether that is more than chance. Files "
	"are recordings, folded stacks or output of perf stat; without any, perf.data.old and perf.data. Several files on "
	"a side, with a colon between the sides, show the spread from run to run. --format=folded "
	"writes stacks with two counts.",
	children,
	NULL,
	NULL,
};

/* ---- one comparison ---- */

struct output {
	const struct diff_command *c;
	struct view_style style;
	struct strbuf sb;
	struct json_object *json;
	bool any;
	int status; /* of gates and expectations */
};

static void print_summary(struct output *o, const struct diff *d, const struct diff_print *what)
{
	struct strbuf line = STRBUF_INIT;

	strbuf_addf(&line, "%s → %s: %s: ", what->name[0], what->name[1], d->event);
	diff_summary(d, &line);
	escape_terminal(&o->sb, strbuf_str(&line));
	strbuf_addc(&o->sb, '\n');
	strbuf_release(&line);
}

static void print_one(struct output *o, const struct diff *d, const struct diff_print *what)
{
	if (o->style.format == VIEW_JSON) {
		json_append(o->json, diff_json(d, what));
	} else if (o->c->summary) {
		print_summary(o, d, what);
	} else {
		if (!o->any)
			diff_print_header(d, &o->style, &o->sb);
		else if (view_for_eyes(&o->style))
			strbuf_addc(&o->sb, '\n');
		diff_print(d, what, &o->style, &o->sb);
	}
	o->any = true;
}

static void compare(struct output *o, const struct diff_inputs *in, size_t set,
		    const struct diff_pair *pair)
{
	const struct diff_print what = {
		.name = { strbuf_str(&in->sets.v[0].name), strbuf_str(&in->sets.v[set].name) },
		.limit = o->c->limit,
		.note = pair->note.n ? pair->note.s : NULL,
	};
	struct diff d;
	int gate;

	diff_build(&d, pair->side, &o->c->diff);
	print_one(o, &d, &what);
	gate = diff_gate(&d, o->c->fail_above);
	o->status = gate > o->status ? gate : o->status;
	diff_release(&d);
}

static int compare_paths(struct output *o, const struct diff_pair *pair)
{
	const struct diff_print what = { .limit = o->c->limit };
	struct diff_paths dp;
	struct diff d;
	struct err err;

	if (diff_paths_build(&dp, pair->side, &o->c->diff, o->c->function, &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	diff_build(&d, pair->side, &o->c->diff);
	if (o->style.format == VIEW_JSON)
		json_append(o->json, diff_paths_json(&dp, &d));
	else
		diff_paths_print(&dp, &d, &what, &o->style, &o->sb);
	diff_release(&d);
	diff_paths_release(&dp);
	return EXIT_FINE;
}

static int check_expectations(struct output *o, const struct diff_pair *pairs, size_t n,
			      const struct diff_counters *dc)
{
	bool eyes = view_for_eyes(&o->style);

	if (o->c->expectations.n && o->any && eyes)
		strbuf_addc(&o->sb, '\n');
	for (size_t i = 0; i < o->c->expectations.n; i++) {
		const char *text = o->c->expectations.v[i];
		struct strbuf line = STRBUF_INIT;
		struct err err;
		int r = diff_expect(text, pairs, n, dc, o->c, &line, &err);

		if (r < 0) {
			message("%s", err.text);
		} else if (o->style.format == VIEW_JSON) {
			struct json_object *j = json_new();

			json_put_text(j, "expectation", strbuf_str(&line));
			json_append(o->json, j);
		} else if (eyes) {
			line_print(&o->sb, &o->style, "expected", strbuf_str(&line));
		} else {
			message("%s", strbuf_str(&line));
		}
		strbuf_release(&line);
		if (r < 0)
			return r == -ERR_USAGE ? EXIT_USAGE : EXIT_FAILED;
		if (r == 2)
			o->status = EXIT_CHANGED;
	}
	return EXIT_FINE;
}

/* Where functions are compared too, only if the counters make a ratio. */
static bool tells(const struct diff_counters *dc, bool counted)
{
	for (size_t i = 0; i < dc->n; i++)
		if (counted || dc->rows[i].ratio)
			return true;
	return false;
}

static void print_counters(struct output *o, const struct diff_counters *dc, bool counted)
{
	enum view_format f = o->style.format;

	if (!tells(dc, counted) || (o->c->summary && !counted) || o->c->function)
		return;
	if (f == VIEW_JSON) {
		json_append(o->json, diff_counters_json(dc));
		return;
	}
	if (f != VIEW_TEXT && f != VIEW_MARKDOWN && !counted)
		return; /* one table in a file of fields */
	if (o->any)
		strbuf_addc(&o->sb, '\n');
	diff_counters_print(dc, &o->style, &o->sb);
	o->any = true;
}

static enum cpu_vendor vendor_of(const struct diff_inputs *in)
{
	const struct reader *r = in->sessions[0].reader;

	return r ? cpu_vendor_of(r->features.cpuid, r->features.arch) : CPU_UNKNOWN;
}

static void print_ratios(struct output *o, const struct diff_inputs *in,
			 const struct diff_pair *pairs, size_t n)
{
	const struct diff_print what = { .limit = o->c->limit };
	struct diff_ratios ratios[DIFF_RATIO_KINDS];
	enum view_format f = o->style.format;
	size_t made;

	if (o->c->function || o->c->summary ||
	    (f != VIEW_TEXT && f != VIEW_MARKDOWN && f != VIEW_JSON))
		return;
	made = diff_ratios_of(ratios, pairs, n, vendor_of(in));
	for (size_t i = 0; i < made; i++) {
		if (f == VIEW_JSON) {
			json_append(o->json, diff_ratios_json(&ratios[i]));
		} else {
			strbuf_addc(&o->sb, '\n');
			diff_ratios_print(&ratios[i], &what, &o->style, &o->sb);
		}
		diff_ratios_release(&ratios[i]);
	}
}

static int compare_functions(struct output *o, const struct diff_inputs *in, size_t set,
			     const struct diff_pair *pairs, size_t n)
{
	if (!n) {
		message("%s and %s have no event with samples in common.",
			strbuf_str(&in->sets.v[0].name), strbuf_str(&in->sets.v[set].name));
		return EXIT_FAILED;
	}
	for (size_t i = 0; i < n; i++) {
		if (!o->c->function)
			compare(o, in, set, &pairs[i]);
		else if (compare_paths(o, &pairs[i]) != EXIT_FINE)
			return EXIT_FAILED;
	}
	return EXIT_FINE;
}

static int compare_set(struct output *o, const struct diff_inputs *in, size_t set)
{
	struct diff_pair *pairs = NULL;
	struct diff_counters dc;
	size_t n = in->counted ? 0 : diff_pairs(in, o->c, set, &pairs);
	int status = in->counted ? EXIT_FINE : compare_functions(o, in, set, pairs, n);

	if (status == EXIT_FINE) {
		diff_count(&dc, in, o->c, set);
		print_counters(o, &dc, in->counted);
		if (!in->counted)
			print_ratios(o, in, pairs, n);
		status = check_expectations(o, pairs, n, &dc);
		diff_counters_release(&dc);
	}
	diff_pairs_free(pairs, n);
	return status;
}

static int print(struct output *o, const struct diff_inputs *in)
{
	int status = EXIT_FINE;

	if (o->c->common.out.own)
		return diff_write_folded(in, o->c, &o->sb);
	o->json = json_new_array();
	for (size_t set = 1; set < in->sets.n && status == EXIT_FINE; set++)
		status = compare_set(o, in, set);
	if (status == EXIT_FINE && o->style.format == VIEW_JSON)
		json_print(o->json, true, &o->sb);
	json_free(o->json);
	return status;
}

/* What is wrong with the options as a whole; NULL: nothing. */
static const char *complaint(const struct diff_command *c, const struct diff_inputs *in)
{
	if (c->common.out.own && in->sets.n > 2)
		return "--format=folded compares two sides.";
	if (in->counted && (c->common.out.own || c->function || c->fail_above >= 0))
		return "Output of perf stat has no functions: --format=folded, --function and "
		       "--fail-above need recordings or folded stacks.";
	if (c->function && !c->common.out.own && c->common.out.style.format != VIEW_TEXT &&
	    c->common.out.style.format != VIEW_JSON && c->common.out.style.format != VIEW_MARKDOWN)
		return "--function knows the formats text, json and markdown.";
	return NULL;
}

static int diff(struct diff_command *c)
{
	struct output o = { .c = c, .status = EXIT_FINE, .sb = STRBUF_INIT };
	struct diff_inputs in;
	const char *wrong;
	struct err err;
	int status;

	o.style = c->common.out.style;
	wrong = diff_inputs_init(&in, c, &err) < 0 ? err.text : complaint(c, &in);
	status = wrong ? EXIT_USAGE : diff_inputs_load(&in, c);
	if (status == EXIT_FINE && in.counted) {
		wrong = complaint(c, &in);
		status = wrong ? EXIT_USAGE : EXIT_FINE;
	}
	if (wrong)
		message("%s", wrong);
	if (status == EXIT_FINE)
		status = print(&o, &in);
	if (status == EXIT_FINE) {
		run_output(&o.sb);
		status = o.status > in.status ? o.status : in.status;
	}
	strbuf_release(&o.sb);
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
