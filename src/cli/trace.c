/* SPDX-License-Identifier: MIT */
/* perfrep trace: system calls by thread and call. */
#include <string.h>

#include <perfrep/syscalls.h>

#include "cli/cmd.h"
#include "cli/message.h"
#include "cli/opts_common.h"
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
	struct opts_common common;
	struct syscall_options calls;
	struct syscall_table table; /* while there is one */
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
		state->child_inputs[0] = &o->common;
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
			o->calls.limit = o->common.out.style.format == VIEW_TEXT ? DEFAULT_LIMIT
										 : 0;
		o->calls.filter = o->common.filter.f;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { &opts_calls_argp, 0, NULL, 0 }, { 0 } };

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
	const struct view_style *style = &o->common.out.style;
	const struct syscall_view v = { o->common.in.path, !o->calls.merge_threads,
					o->calls.limit };

	if (style->format == VIEW_JSON)
		json_finish(syscalls_json(t, &v), sb);
	else
		syscalls_print(t, &v, style, sb);
}

static int build(struct session *s, const struct session_options *so, void *ctx, struct err *err)
{
	struct options *o = ctx;

	return syscall_table_build(&o->table, s, so, &o->calls, err);
}

static int show(const struct session *s, void *ctx, struct strbuf *sb)
{
	struct options *o = ctx;

	(void)s;
	if (o->table.unreadable)
		message("%s: %llu samples of system calls have no readable fields and were left out.",
			o->common.in.path, (unsigned long long)o->table.unreadable);
	print(&o->table, o, sb);
	syscall_table_release(&o->table);
	return EXIT_FINE;
}

static int run(int argc, char **argv)
{
	static const struct run how = { .work = build, .show = show };
	struct session_options so;
	struct options o = { 0 };
	int status;

	opts_common_init(&o.common);
	run_parse(&trace_argp, argc, argv, &o);
	so = opts_common_session(&o.common);
	status = run_recording(&how, &so, &o.common.in, &o);
	opts_common_release(&o.common);
	return status;
}

const struct command cmd_trace = {
	"trace",
	"system calls by thread: how many, how long, errors",
	run,
};
