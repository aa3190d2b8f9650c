/* SPDX-License-Identifier: MIT */
/* perfrep flamegraph: stacks as a picture that can be zoomed and searched. */
#include <stdlib.h>
#include <string.h>

#include <perfrep/diff.h>

#include "cli/cmd.h"
#include "cli/events.h"
#include "cli/message.h"
#include "cli/opts_common.h"
#include "cli/outfile.h"
#include "cli/run.h"
#include "view/flamegraph.h"
#include "view/number.h"

enum {
	OPT_TITLE = OPT_COMMAND_FIRST,
	OPT_WIDTH,
	OPT_HEIGHT,
	OPT_MIN_WIDTH,
	OPT_COLORS,
	OPT_HASH,
	OPT_INVERTED,
	OPT_REVERSE,
	OPT_ROOT,
	OPT_DIFF,
	OPT_WEIGHT,
	OPT_COUNT_NAME,
	OPT_FLAMECHART,
};

struct options {
	struct opts_common common;
	struct flamegraph_options flame;
	const char *title, *root, *after, *output;
	bool reverse, by_count, chart;
};

static const struct argp_option flamegraph_options[] = {
	{ "title", OPT_TITLE, "TEXT", 0, "The heading", 0 },
	{ "width", OPT_WIDTH, "PIXELS", 0,
	  "Exactly so wide (default: 1200, and in a browser as wide as the window)", 0 },
	{ "height", OPT_HEIGHT, "PIXELS", 0, "Height of a frame (default: 16)", 0 },
	{ "min-width", OPT_MIN_WIDTH, "PIXELS", 0,
	  "Leave out narrower frames (default: 0.1); or PERCENT% of the whole", 0 },
	{ "minwidth", OPT_MIN_WIDTH, "PIXELS", OPTION_HIDDEN, NULL, 0 },
	{ "colors", OPT_COLORS, "NAME", 0,
	  "kind, module, hot, mem, io, red, green, blue, aqua, yellow, purple, orange", 0 },
	{ "hash", OPT_HASH, NULL, 0,
	  "Colours from names, so that a function looks the same everywhere: always so", 0 },
	{ "inverted", OPT_INVERTED, NULL, 0, "Outermost frames on top (icicles)", 0 },
	{ "reverse", OPT_REVERSE, NULL, 0,
	  "Merge from the innermost frame on: who calls what is hot", 0 },
	{ "root", OPT_ROOT, "FUNCTION", 0,
	  "Only stacks through this function, from its outermost call on", 0 },
	{ "diff", OPT_DIFF, "FILE", 0,
	  "Compare: FILE is after, the input before; colours tell significant changes", 0 },
	{ "flamechart", OPT_FLAMECHART, NULL, 0,
	  "In the order of time, a lane for each thread; --tid chooses threads", 0 },
	{ "weight", OPT_WEIGHT, "period|count", 0, "What makes frames wide (default: period)", 0 },
	{ "countname", OPT_COUNT_NAME, "TEXT", 0, "What samples are called (default: samples)", 0 },
	{ "output", 'o', "FILE", 0, "Write to FILE", 0 },
	{ 0 },
};

static void parse_min_width(struct options *o, const char *arg, const struct argp_state *state)
{
	char *end;
	double v = strtod(arg, &end);

	o->flame.min_percent = *end == '%';
	if (end == arg || end[o->flame.min_percent] || !(v >= 0 && v <= 10000))
		argp_error(state, "--min-width wants pixels or a percentage, not \"%s\".", arg);
	o->flame.min_width = v;
}

static unsigned size(const struct argp_state *state, const char *option, const char *arg,
		     unsigned least, unsigned max)
{
	unsigned long v = opts_number(state, option, arg, max);

	if (v < least)
		argp_error(state, "%s wants a number from %u to %u, not \"%s\".", option, least,
			   max, arg);
	return (unsigned)v;
}

static error_t parse_look(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;
	struct err err;

	switch (key) {
	case OPT_TITLE:
		o->title = arg;
		return 0;
	case OPT_WIDTH:
		o->flame.width = size(state, "--width", arg, 100, 100000);
		return 0;
	case OPT_HEIGHT:
		o->flame.frame_height = size(state, "--height", arg, 4, 100);
		return 0;
	case OPT_MIN_WIDTH:
		parse_min_width(o, arg, state);
		return 0;
	case OPT_COLORS:
		if (flame_palette_parse(&o->flame.palette, arg, &err) < 0)
			argp_error(state, "%s", err.text);
		return 0;
	case OPT_INVERTED:
		o->flame.inverted = true;
		return 0;
	case OPT_COUNT_NAME:
		o->flame.count_name = arg;
		return 0;
	case OPT_HASH:
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_REVERSE:
		o->reverse = true;
		return 0;
	case OPT_ROOT:
		o->root = arg;
		return 0;
	case OPT_DIFF:
		o->after = arg;
		return 0;
	case OPT_FLAMECHART:
		o->chart = true;
		return 0;
	case ARGP_KEY_END:
		if (o->chart && (o->reverse || o->root || o->after || o->by_count))
			argp_error(state,
				   "--flamechart shows stacks as they came: --reverse, --root, "
				   "--diff and --weight are not for it.");
		return 0;
	case OPT_WEIGHT:
		o->by_count = opts_counts(state, arg);
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	default:
		return parse_look(key, arg, state);
	}
}

static const struct argp_child children[] = { { &opts_stacks_argp, 0, NULL, 0 }, { 0 } };

static const struct argp flamegraph_argp = {
	flamegraph_options,
	parse,
	"[FILE]",
	"Write a flame graph: one SVG file, for browsers and whatever else shows SVG.",
	children,
	NULL,
	NULL,
};

/* An input with the event that is drawn. */
struct input {
	struct session s;
	uint32_t event;
};

static int add_side(struct flame_tree *t, unsigned side, const struct input *in,
		    const struct options *o)
{
	const struct profile_event *e = &in->s.profile->events[in->event];
	const struct flame_source src = {
		.profile = in->s.profile,
		.least = flamegraph_least(&o->flame, o->by_count ? e->samples : e->weight),
		.event = in->event,
		.by_count = o->by_count,
		.alone = !o->after,
		.reverse = o->reverse,
		.root = o->root,
	};
	struct err err;

	if (flame_tree_add(t, side, &src, &err) >= 0)
		return EXIT_FINE;
	message("%s", err.text);
	return EXIT_FAILED;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void default_title(struct strbuf *sb, const struct options *o)
{
	if (o->after)
		strbuf_addf(sb, "%s compared with %s", base_name(o->after),
			    base_name(o->common.in.path));
	else
		strbuf_addf(sb, "Flame %s of %s", o->chart ? "chart" : "graph",
			    strcmp(o->common.in.path, "-") ? base_name(o->common.in.path)
							   : "standard input");
	if (o->root)
		strbuf_addf(sb, ", %s", o->root);
}

/* Event and number of samples. */
static void subtitle(struct strbuf *sb, const struct session *s, uint32_t event,
		     const struct options *o)
{
	const struct profile_event *e = &s->profile->events[event];

	if (!s->profile->folded)
		strbuf_addf(sb, "%s · ", profile_str(s->profile, e->name));
	number_thousands(sb, e->samples);
	strbuf_addf(sb, " %s", o->flame.count_name);
	if (s->has_time && s->last_ns > s->first_ns) {
		strbuf_adds(sb, " in ");
		number_duration(sb, (double)(s->last_ns - s->first_ns) / 1e9);
	}
	if (o->chart) {
		strbuf_adds(sb, " · from left to right ");
		number_duration(sb, (double)o->flame.chart->span / 1e9);
		strbuf_addf(sb, " of time, %zu thread%s", o->flame.chart->lanes,
			    o->flame.chart->lanes == 1 ? "" : "s");
	}
	if (o->reverse)
		strbuf_adds(sb, " · callers above what they call");
}

static int write_file(const struct flame_tree *t, const struct options *o,
		      const struct flamegraph_options *flame)
{
	struct flamegraph_stats stats;
	struct outfile out;
	int status = outfile_open(&out, o->output);

	if (status != EXIT_FINE)
		return status;
	return outfile_close(&out, flamegraph_write(t, flame, &stats, outfile_write, &out) < 0);
}

/* BEFORE is NULL when there is nothing to compare. */
static int draw(const struct flame_tree *t, const struct input *in, const struct input *before,
		const struct options *o)
{
	const struct profile *p = in->s.profile;
	struct strbuf title = STRBUF_INIT, sub = STRBUF_INIT;
	struct flamegraph_options flame = o->flame;
	int status;

	default_title(&title, o);
	subtitle(&sub, &in->s, in->event, o);
	if (before) {
		strbuf_adds(&sub, ", before: ");
		number_thousands(&sub, before->s.profile->events[before->event].samples);
	}
	flame.title = o->title ? o->title : strbuf_str(&title);
	flame.subtitle = strbuf_str(&sub);
	flame.unit = o->by_count || p->folded ? NULL : profile_str(p, p->events[in->event].unit);
	if (o->chart)
		flame.unit = "ns";
	flame.compare = before;
	status = write_file(t, o, &flame);
	strbuf_release(&title);
	strbuf_release(&sub);
	return status;
}

/* NAME is the event's, or NULL: the first with samples. */
static int load(struct input *in, const struct options *o, const char *path, const char *name)
{
	struct session_options so = opts_common_session(&o->common);
	int status;

	so.path = path;
	so.keep_order = o->chart;
	if (o->chart)
		so.keys |= SESSION_KEY_PID | SESSION_KEY_TID;
	so.one_event = !name;
	so.no_hints = so.symbols.no_lines = true;
	status = run_session(&in->s, &so, &o->common.in);
	if (status != EXIT_FINE)
		return status;
	in->event = events_find(in->s.profile, name);
	if (in->event != PROFILE_NONE)
		return EXIT_FINE;
	message(name ? "%s has no samples of %s." : "%s: there are no samples to draw.", path,
		name);
	session_release(&in->s);
	return EXIT_FAILED;
}

/* Why there can be no chart; NULL when there can. */
static const char *no_chart(const struct input *in)
{
	if (in->s.profile->folded)
		return "folded text has no times";
	if (!in->s.has_time)
		return "its samples have no times; record with perf record --timestamp";
	if (in->s.events[in->event].derived)
		return "intervals off the CPU are not samples; choose a recorded event with "
		       "--event";
	return NULL;
}

static int show_chart(struct flame_tree *t, const struct input *in, const struct options *o)
{
	const char *why = no_chart(in);
	struct options chosen = *o;
	struct flame_chart chart;
	int status;

	if (why) {
		message("--flamechart cannot be drawn of %s: %s.", o->common.in.path, why);
		return EXIT_FAILED;
	}
	flame_chart_init(&chart, t, in->s.profile, in->event,
			 flamegraph_least(&o->flame, 1000000) / 1000000);
	chosen.flame.chart = &chart;
	chosen.flame.margins = false;
	status = draw(t, in, NULL, &chosen);
	flame_chart_release(&chart);
	return status;
}

static int show_tree(struct flame_tree *t, const struct input *in, const struct options *o)
{
	int status = add_side(t, 1, in, o);

	if (status != EXIT_FINE)
		return status;
	flame_tree_finish(t);
	return draw(t, in, NULL, o);
}

static int show(struct flame_tree *t, const struct options *o)
{
	struct input in;
	int status = load(&in, o, o->common.in.path, NULL);

	if (status != EXIT_FINE)
		return status;
	if (!o->common.in.quiet)
		events_tell(&in.s, in.event);
	status = o->chart ? show_chart(t, &in, o) : show_tree(t, &in, o);
	if (status == EXIT_FINE)
		status = run_status(&in.s, &o->common.in, false);
	session_release(&in.s);
	return status;
}

/* Functions are matched as perfrep diff does it; folded text has no modules and no events. */
static int compare_inputs(struct flame_tree *t, const struct options *o, struct input *before,
			  struct input *after)
{
	bool by_name = before->s.profile->folded || after->s.profile->folded;
	int status, damaged;

	diff_identify(before->s.profile, by_name);
	diff_identify(after->s.profile, by_name);
	status = add_side(t, 1, after, o);
	if (status == EXIT_FINE)
		status = add_side(t, 0, before, o);
	if (status != EXIT_FINE)
		return status;
	flame_tree_finish(t);
	status = draw(t, after, before, o);
	damaged = run_status(&before->s, &o->common.in, false);
	if (run_status(&after->s, &o->common.in, false) != EXIT_FINE)
		damaged = EXIT_PROBLEMS;
	return status == EXIT_FINE ? damaged : status;
}

static int compare(struct flame_tree *t, const struct options *o)
{
	struct input before, after;
	const struct profile *p;
	int status = load(&before, o, o->common.in.path, NULL);

	if (status != EXIT_FINE)
		return status;
	p = before.s.profile;
	if (!o->common.in.quiet)
		events_tell(&before.s, before.event);
	status = load(&after, o, o->after,
		      p->folded ? NULL : profile_str(p, p->events[before.event].name));
	if (status == EXIT_FINE) {
		status = compare_inputs(t, o, &before, &after);
		session_release(&after.s);
	}
	session_release(&before.s);
	return status;
}

static int run(int argc, char **argv)
{
	struct options o = { .flame = { .count_name = "samples",
					.min_width = FLAMEGRAPH_MIN_WIDTH,
					.margins = true } };
	struct flame_tree t;
	int status;

	opts_common_init(&o.common);
	run_parse(&flamegraph_argp, argc, argv, &o);
	flame_tree_init(&t);
	status = o.after ? compare(&t, &o) : show(&t, &o);
	flame_tree_release(&t);
	opts_common_release(&o.common);
	return status;
}

const struct command cmd_flamegraph = {
	"flamegraph",
	"an interactive picture of the stacks, or of what changed",
	run,
};
