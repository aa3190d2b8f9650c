/* SPDX-License-Identifier: MIT */
/* perfrep sched: how threads shared the CPUs, and how long they waited for one. */
#include <string.h>

#include <perfrep/sched.h>

#include "cli/cmd.h"
#include "cli/message.h"
#include "cli/opts.h"
#include "cli/opts_filter.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "view/json.h"
#include "view/sched.h"

enum {
	OPT_SORT = OPT_COMMAND_FIRST,
	OPT_LATENCY_OVER,
	OPT_HISTOGRAM,
	OPT_LIMIT,
};

struct options {
	struct opts_input in;
	struct opts_filter filter;
	struct opts_output out;
	struct sched_options sched;
	bool histogram;
	size_t limit;
};

static const struct argp_option sched_options[] = {
	{ "sort", OPT_SORT, "KEY", 0,
	  "Threads by delay (time of waiting for a CPU; default), max, run, switches, comm or tid",
	  0 },
	{ "latency-over", OPT_LATENCY_OVER, "TIME", 0,
	  "List the longest waits for a CPU of at least TIME (10us, 1ms, 2s), and who ran instead",
	  0 },
	{ "histogram", OPT_HISTOGRAM, NULL, 0, "Only how many waits were how long", 0 },
	{ "limit", OPT_LIMIT, "N", 0, "At most N rows (default: 40, in text alone; 0: all)", 0 },
	{ 0 },
};

static enum sched_sort parse_sort(struct argp_state *state, const char *arg)
{
	static const char *const names[] = {
		[SCHED_BY_DELAY] = "delay",       [SCHED_BY_MAX] = "max",   [SCHED_BY_RUN] = "run",
		[SCHED_BY_SWITCHES] = "switches", [SCHED_BY_COMM] = "comm", [SCHED_BY_TID] = "tid",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(arg, names[i]))
			return (enum sched_sort)i;
	argp_error(state, "--sort is delay, max, run, switches, comm or tid, not \"%s\".", arg);
	return SCHED_BY_DELAY;
}

enum { DEFAULT_LIMIT = 40 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->limit = SIZE_MAX; /* not given */
		state->child_inputs[0] = &o->in;
		state->child_inputs[1] = &o->filter;
		state->child_inputs[2] = &o->out;
		return 0;
	case OPT_SORT:
		o->sched.sort = parse_sort(state, arg);
		return 0;
	case OPT_LATENCY_OVER:
		o->sched.over = opts_duration(state, "--latency-over", arg);
		return 0;
	case OPT_HISTOGRAM:
		o->histogram = true;
		return 0;
	case OPT_LIMIT:
		o->limit = opts_number(state, "--limit", arg, 1000000000);
		return 0;
	case ARGP_KEY_END:
		if (o->limit == SIZE_MAX)
			o->limit = o->out.style.format == VIEW_TEXT ? DEFAULT_LIMIT : 0;
		o->sched.worst = o->limit;
		o->sched.filter = o->filter.f;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &opts_walk_argp, 0, "Input:", 1 },
	{ &opts_threads_argp, 0, "Which threads:", 2 },
	{ &opts_table_argp, 0, "Output:", 3 },
	{ 0 },
};

static const struct argp sched_argp = {
	sched_options,
	parse,
	"[FILE]",
	"Tell how threads shared the CPUs: how long each ran, slept and waited for a CPU, and how often "
	"it was switched. Wants a recording with sched:sched_switch and sched:sched_waking, or one made "
	"with --switch-events.",
	children,
	NULL,
	NULL,
};

static void print(const struct sched_table *t, const struct options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->out.style;
	const struct sched_view v = {
		.file = o->in.path,
		.show = o->histogram    ? SCHED_SHOW_HISTOGRAM
			: o->sched.over ? SCHED_SHOW_WAITS
					: SCHED_SHOW_THREADS,
		.over = o->sched.over,
		.limit = o->limit,
	};

	if (style->format == VIEW_JSON)
		json_finish(sched_json(t, &v), sb);
	else
		sched_print(t, &v, style, sb);
}

static int sched(struct options *o)
{
	struct session_options so;
	struct strbuf sb = STRBUF_INIT;
	struct progress progress;
	struct sched_table t;
	struct session s;
	struct err err;
	int rc;

	opts_session(&so, &o->in, NULL);
	progress_init(&progress, !o->in.no_progress && !o->in.quiet);
	so.progress = progress_update;
	so.progress_ctx = &progress;
	rc = sched_table_build(&t, &s, &so, &o->sched, &err);
	progress_finish(&progress);
	if (rc < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	if (t.unreadable)
		message("%s: %llu samples of scheduler events have no readable fields and were left out.",
			o->in.path, (unsigned long long)t.unreadable);
	if (t.untimed)
		message("%s: %llu records of the scheduler have no time and were left out.",
			o->in.path, (unsigned long long)t.untimed);
	print(&t, o, &sb);
	run_output(&sb);
	rc = run_status(&s, &o->in, false);
	sched_table_release(&t);
	session_release(&s);
	return rc;
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	int status;

	opts_filter_init(&o.filter);
	run_parse(&sched_argp, argc, argv, &o);
	status = sched(&o);
	opts_filter_release(&o.filter);
	return status;
}

const struct command cmd_sched = {
	"sched",
	"how threads shared the CPUs: run time, waits, delays",
	run,
};
