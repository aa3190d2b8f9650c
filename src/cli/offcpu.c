/* SPDX-License-Identifier: MIT */
/* perfrep offcpu: where threads wait, how long, why, and who wakes them. */
#include "view/offcpu.h"

#include <string.h>

#include "cli/cmd.h"
#include "cli/opts_common.h"
#include "cli/run.h"
#include "cli/summary.h"
#include "view/json.h"

enum {
	OPT_BY = OPT_COMMAND_FIRST,
	OPT_LIMIT,
	OPT_WAKER,
	OPT_WALL,
	OPT_FOLD,
};

enum { SHOW_FUNCTIONS = 1, SHOW_STACKS = 2, SHOW_THREADS = 4, SHOW_ALL = 7 };

struct options {
	struct opts_common common;
	size_t limit;
	unsigned show;
	bool limit_given, waker, wall, fold;
};

static const struct argp_option offcpu_options[] = {
	{ "by", OPT_BY, "WHAT", 0, "Only one table: function, stack or thread", 0 },
	{ "limit", OPT_LIMIT, "N", 0, "At most N rows of each table (default: 20 in text; 0: all)",
	  0 },
	{ "waker", OPT_WAKER, NULL, 0, "Who ended the waits; with --fold, the stacks of both", 0 },
	{ "wall", OPT_WALL, NULL, 0,
	  "Time on and off the CPU together, when both were recorded: a table of wall-clock time",
	  0 },
	{ "fold", OPT_FOLD, NULL, 0, "Folded stacks, in ns, instead of tables", 0 },
	{ 0 },
};

static unsigned parse_by(const char *arg, struct argp_state *state)
{
	if (!strcmp(arg, "function"))
		return SHOW_FUNCTIONS;
	if (!strcmp(arg, "stack"))
		return SHOW_STACKS;
	if (strcmp(arg, "thread"))
		argp_error(state, "--by is function, stack or thread, not \"%s\".", arg);
	return SHOW_THREADS;
}

static void finish(struct options *o, struct argp_state *state)
{
	bool text = view_for_eyes(&o->common.out.style);
	struct err err;

	if (o->fold && o->common.out.style.format != VIEW_TEXT)
		argp_error(state, "--fold writes folded text: --format is for the tables.");
	if (o->wall && (o->fold || o->waker || o->show))
		argp_error(state, "--wall is a table of its own: --by, --fold and --waker are not "
				  "for it.");
	if ((o->fold || o->waker) && o->show)
		argp_error(state, "--by chooses a table of waits: with --fold or --waker there is "
				  "none.");
	if (!o->limit_given)
		o->limit = text ? 20 : 0;
	if (!o->show)
		o->show = text ? SHOW_ALL : SHOW_FUNCTIONS;
	if (filter_add(o->common.filter.f, FILTER_EVENT, o->wall ? WALL_EVENT : OFFCPU_EVENT,
		       &err) < 0)
		argp_error(state, "%s", err.text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->common;
		return 0;
	case OPT_BY:
		o->show = parse_by(arg, state);
		return 0;
	case OPT_LIMIT:
		o->limit = opts_number(state, "--limit", arg, 1ul << 31);
		o->limit_given = true;
		return 0;
	case OPT_WAKER:
		o->waker = true;
		return 0;
	case OPT_WALL:
		o->wall = true;
		return 0;
	case OPT_FOLD:
		o->fold = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		finish(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &opts_unweighed_argp, 0, NULL, 0 }, { 0 } };

static const struct argp offcpu_argp = {
	offcpu_options,
	parse,
	"[FILE]",
	"Show where threads wait and how long, by function and by stack, and what each thread's life is "
	"made of: from sched:sched_switch, or from the records of perf record --switch-events.",
	children,
	NULL,
	NULL,
};

static void part(struct strbuf *sb, const struct view_style *style, const char *title)
{
	if (!sb->n)
		return;
	if (style->format == VIEW_TEXT)
		strbuf_addf(sb, "\n%s\n", title);
	else if (style->format == VIEW_MARKDOWN)
		strbuf_addf(sb, "\n### %s\n\n", title);
}

static void print_overview(const struct session *s, const struct options *o,
			   const struct view_style *style, struct strbuf *sb)
{
	struct summary sum;

	if (!view_for_eyes(style))
		return;
	summary_init(&sum, s, o->common.in.path, false);
	overview_print(&sum.rec, style, sb);
	summary_release(&sum);
}

static void print_tables(const struct session *s, const struct options *o,
			 const struct view_style *style, struct strbuf *sb)
{
	struct offcpu_groups functions, stacks;

	offcpu_groups_build(&functions, s->profile, s->offcpu, OFFCPU_BY_FUNCTION);
	offcpu_groups_build(&stacks, s->profile, s->offcpu, OFFCPU_BY_STACK);
	if (style->format == VIEW_JSON) {
		json_finish(offcpu_json(&functions, &stacks), sb);
	} else {
		print_overview(s, o, style, sb);
		if (sb->n)
			offcpu_head_print(&functions, style, sb);
		if (o->show & SHOW_FUNCTIONS) {
			part(sb, style, "where threads wait");
			offcpu_groups_print(&functions, o->limit, style, sb);
		}
		if (o->show & SHOW_STACKS) {
			part(sb, style, "stacks");
			offcpu_groups_print(&stacks, o->limit, style, sb);
		}
		if (o->show & SHOW_THREADS) {
			part(sb, style, "threads, by time on a CPU");
			offcpu_threads_print(s->profile, s->offcpu, o->limit, style, sb);
		}
	}
	offcpu_groups_release(&functions);
	offcpu_groups_release(&stacks);
}

static void print_wall(const struct session *s, const struct options *o,
		       const struct view_style *style, struct strbuf *sb)
{
	const struct table_options to = { .keys = { { KEY_DSO, KEY_SYM }, 2 }, .by_total = true };
	const struct table_print what = { .limit = o->limit };
	struct table t;

	for (uint32_t e = 0; e < s->profile->nr_events; e++) {
		if (strcmp(profile_str(s->profile, s->profile->events[e].name), WALL_EVENT))
			continue;
		table_build(&t, s->profile, e, &to);
		if (style->format == VIEW_JSON) {
			json_finish(table_json(&t, &what), sb);
		} else {
			print_overview(s, o, style, sb);
			part(sb, style, "wall-clock time, on and off the CPU");
			table_print(&t, &what, style, sb);
		}
		table_release(&t);
	}
}

static int show(const struct session *s, void *ctx, struct strbuf *sb)
{
	const struct options *o = ctx;
	const struct view_style *style = &o->common.out.style;

	if (o->wall)
		print_wall(s, o, style, sb);
	else if (o->fold)
		offcpu_fold(s->profile, s->offcpu, o->waker, sb);
	else if (o->waker && style->format == VIEW_JSON)
		json_finish(offcpu_wakers_json(s->profile, s->offcpu, o->limit), sb);
	else if (o->waker)
		offcpu_wakers_print(s->profile, s->offcpu, o->limit, style, sb);
	else
		print_tables(s, o, style, sb);
	return EXIT_FINE;
}

static int offcpu(struct options *o)
{
	const struct run how = {
		.show = show,
		.told = o->common.out.style.format == VIEW_TEXT && !o->fold && !o->waker,
	};
	struct session_options so = opts_common_session(&o->common);

	so.offcpu = so.no_hints = so.symbols.no_lines = true;
	so.offcpu_wakers = o->waker;
	return run_recording(&how, &so, &o->common.in, o);
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	int status;

	opts_common_init(&o.common);
	run_parse(&offcpu_argp, argc, argv, &o);
	status = offcpu(&o);
	opts_common_release(&o.common);
	return status;
}

const struct command cmd_offcpu = {
	"offcpu",
	"where threads wait, how long, and who wakes them",
	run,
};
