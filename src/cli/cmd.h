/* SPDX-License-Identifier: MIT */
/* A command of perfrep: one const entry in a file of its own, listed in main.c. */
#ifndef PERFREP_CLI_CMD_H
#define PERFREP_CLI_CMD_H

enum exit_status {
	EXIT_FINE = 0,
	EXIT_PROBLEMS = 1, /* finished; something of the input is missing, and was said */
	EXIT_FAILED = 2, /* could not work */
	EXIT_CHANGED = 3, /* diff: --fail-above, or what --expect said did not hold */
	EXIT_USAGE = 64,
};

struct command {
	const char *name;
	const char *summary; /* for `perfrep --help`, under 60 characters */
	/* ARGV[0] is "perfrep NAME"; the result is an enum exit_status. */
	int (*run)(int argc, char **argv);
};

extern const struct command cmd_report, cmd_fold, cmd_callers, cmd_symbols, cmd_info, cmd_dump;
extern const struct command cmd_diff, cmd_log, cmd_hints, cmd_flamegraph;
extern const struct command cmd_sched, cmd_trace, cmd_stat, cmd_offcpu;

#endif
