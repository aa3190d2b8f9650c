/* SPDX-License-Identifier: MIT */
/* perfrep sched: how threads shared the CPUs, and how long they waited for one. */
#include <string.h>

#include <perfrep/sched.h>

#include "cli/cmd.h"
#include "cli/message.h"
#include "cli/opts_common.h"
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
	struct opts_common common;
	struct sched_options sched;
	struct sched_table table; /* while there is one */
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
		state->child_inputs[0] = &o->common;
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
			o->limit = o->common.out.style.format == VIEW_TEXT ? DEFAULT_LIMIT : 0;
		o->sched.worst = o->limit;
		o->sched.filter = o->common.filter.f;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &opts_threads_only_argp, 0, NULL, 0 }, { 0 } };

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
	const struct view_style *style = &o->common.out.style;
	const struct sched_view v = {
		.file = o->common.in.path,
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

static int build(struct session *s, const struct session_options *so, void *ctx, struct err *err)
{
	struct options *o = ctx;

	return sched_table_build(&o->table, s, so, &o->sched, err);
}

static int show(const struct session *s, void *ctx, struct strbuf *sb)
{
	struct options *o = ctx;
	const char *path = o->common.in.path;

	(void)s;
	if (o->table.unreadable)
		message("%s: %llu samples of scheduler events have no readable fields and were left out.",
			path, (unsigned long long)o->table.unreadable);
	if (o->table.untimed)
		message("%s: %llu records of the scheduler have no time and were left out.", path,
			(unsigned long long)o->table.untimed);
	print(&o->table, o, sb);
	sched_table_release(&o->table);
	return EXIT_FINE;
}

static int run(int argc, char **argv)
{
	static const struct run how = { .work = build, .show = show };
	struct session_options so;
	struct options o = { 0 };
	int status;

	opts_common_init(&o.common);
	run_parse(&sched_argp, argc, argv, &o);
	so = opts_common_session(&o.common);
	status = run_recording(&how, &so, &o.common.in, &o);
	opts_common_release(&o.common);
	return status;
}

const struct command cmd_sched = {
	"sched",
	"how threads shared the CPUs: run time, waits, delays",
	run,
};
