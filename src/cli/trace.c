/* SPDX-License-Identifier: MIT */
/* perfrep trace: system calls by thread and call. */
#include <string.h>

#include <perfrep/syscalls.h>

#include "cli/cmd.h"
#include "cli/message.h"
#include "cli/opts.h"
#include "cli/opts_filter.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "view/json.h"
#include "view/syscalls.h"

enum {
	OPT_SORT = OPT_COMMAND_FIRST,
	OPT_BY,
	OPT_NO_STACK,
	OPT_LIMIT,
};

enum { DEFAULT_LIMIT = 40 };

struct options {
	struct opts_input in;
	struct opts_filter filter;
	struct opts_symbols symbols;
	struct opts_output out;
	struct syscall_options calls;
};

static const struct argp_option trace_options[] = {
	{ "by", OPT_BY, "WHAT", 0, "A row for each call of each thread (thread; default), or call",
	  0 },
	{ "sort", OPT_SORT, "KEY", 0, "By total time (total; default), calls, errors or max", 0 },
	{ "no-stack", OPT_NO_STACK, NULL, 0, "Don't tell where the longest calls came from", 0 },
	{ "limit", OPT_LIMIT, "N", 0, "At most N rows (default: 40, in text alone; 0: all)", 0 },
	{ 0 },
};

static enum syscall_sort parse_sort(struct argp_state *state, const char *arg)
{
	static const char *const names[] = {
		[SYSCALL_BY_TOTAL] = "total",
		[SYSCALL_BY_CALLS] = "calls",
		[SYSCALL_BY_ERRORS] = "errors",
		[SYSCALL_BY_MAX] = "max",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(arg, names[i]))
			return (enum syscall_sort)i;
	argp_error(state, "--sort is total, calls, errors or max, not \"%s\".", arg);
	return SYSCALL_BY_TOTAL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		o->calls.limit = SIZE_MAX; /* not given */
		state->child_inputs[0] = &o->in;
		state->child_inputs[1] = &o->filter;
		state->child_inputs[2] = &o->symbols;
		state->child_inputs[3] = &o->out;
		return 0;
	case OPT_BY:
		if (strcmp(arg, "thread") && strcmp(arg, "call"))
			argp_error(state, "--by is thread or call, not \"%s\".", arg);
		o->calls.merge_threads = !strcmp(arg, "call");
		return 0;
	case OPT_SORT:
		o->calls.sort = parse_sort(state, arg);
		return 0;
	case OPT_NO_STACK:
		o->calls.no_stacks = true;
		return 0;
	case OPT_LIMIT:
		o->calls.limit = opts_number(state, "--limit", arg, 1000000000);
		return 0;
	case ARGP_KEY_END:
		if (o->calls.limit == SIZE_MAX)
			o->calls.limit = o->out.style.format == VIEW_TEXT ? DEFAULT_LIMIT : 0;
		o->calls.filter = o->filter.f;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ &opts_walk_argp, 0, "Input:", 1 },
	{ &opts_threads_argp, 0, "Which threads:", 2 },
	{ &opts_symbols_argp, 0, "Symbols:", 3 },
	{ &opts_table_argp, 0, "Output:", 4 },
	{ 0 },
};

static const struct argp trace_argp = {
	trace_options,
	parse,
	"[FILE]",
	"Tell which system calls threads made, how long they took, and with how many errors. Wants a "
	"recording with raw_syscalls:sys_enter and raw_syscalls:sys_exit, or with tracepoints of "
	"syscalls.",
	children,
	NULL,
	NULL,
};

static void print(const struct syscall_table *t, const struct options *o, struct strbuf *sb)
{
	const struct view_style *style = &o->out.style;
	const struct syscall_view v = { o->in.path, !o->calls.merge_threads, o->calls.limit };

	if (style->format == VIEW_JSON)
		json_finish(syscalls_json(t, &v), sb);
	else
		syscalls_print(t, &v, style, sb);
}

static int trace(struct options *o)
{
	struct session_options so;
	struct strbuf sb = STRBUF_INIT;
	struct progress progress;
	struct syscall_table t;
	struct session s;
	struct err err;
	int rc;

	opts_session(&so, &o->in, &o->symbols);
	progress_init(&progress, !o->in.no_progress && !o->in.quiet);
	so.progress = progress_update;
	so.progress_ctx = &progress;
	rc = syscall_table_build(&t, &s, &so, &o->calls, &err);
	progress_finish(&progress);
	if (rc < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	if (t.unreadable)
		message("%s: %llu samples of system calls have no readable fields and were left out.",
			o->in.path, (unsigned long long)t.unreadable);
	print(&t, o, &sb);
	run_output(&sb);
	rc = run_status(&s, &o->in, false);
	syscall_table_release(&t);
	session_release(&s);
	return rc;
}

static int run(int argc, char **argv)
{
	struct options o = { 0 };
	int status;

	opts_filter_init(&o.filter);
	run_parse(&trace_argp, argc, argv, &o);
	status = trace(&o);
	opts_filter_release(&o.filter);
	opts_symbols_release(&o.symbols);
	return status;
}

const struct command cmd_trace = {
	"trace",
	"system calls by thread: how many, how long, errors",
	run,
};
