/* SPDX-License-Identifier: MIT */
/*
 * perfrep COMMAND …, or perfrep FILE, which is perfrep report FILE.  Commands are known by any
 * prefix that belongs to one of them only.  Output is checked once, here, for all commands, and at
 * exit, as argp prints --help and leaves.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/message.h"

static const struct command *const commands[] = {
	&cmd_report,  &cmd_fold,   &cmd_flamegraph, &cmd_callers, &cmd_diff, &cmd_hints, &cmd_log,
	&cmd_symbols, &cmd_offcpu, &cmd_sched,      &cmd_trace,   &cmd_stat, &cmd_info,  &cmd_dump,
};

#define NR_COMMANDS (sizeof(commands) / sizeof(*commands))

static void print_help(FILE *f)
{
	fputs("Usage: perfrep [COMMAND] [OPTION...] [FILE]\n"
	      "Read a recording of Linux perf and say what is hot, and how sure that is.\n\n"
	      "FILE is a perf.data, a pipe's content (- is standard input), a directory of perf\n"
	      "record --threads, or folded stacks; perf.data when none is given.\n\n"
	      "Commands:\n",
	      f);
	for (size_t i = 0; i < NR_COMMANDS; i++)
		fprintf(f, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
	fputs("\nperfrep COMMAND --help tells a command's options; perfrep FILE is perfrep report FILE.\n"
	      "Exit status: 0 fine, 1 part of the input is damaged or missing, 2 could not work,\n"
	      "3 a gate of diff does not hold, 64 usage.\n",
	      f);
}

/* The command that NAME means; *MATCHES is 0 when none does, above 1 when several do. */
static const struct command *find_command(const char *name, int *matches)
{
	const struct command *found = NULL;

	*matches = 0;
	for (size_t i = 0; i < NR_COMMANDS; i++) {
		if (!strcmp(commands[i]->name, name)) {
			*matches = 1;
			return commands[i];
		}
		if (*name && !strncmp(commands[i]->name, name, strlen(name))) {
			found = commands[i];
			(*matches)++;
		}
	}
	return *matches == 1 ? found : NULL;
}

static bool exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0;
}

static bool is_command_name(const char *name)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return true;
	return false;
}

/* Whether the words after "perfrep" are those of report: options, or a file. */
static bool is_report(const char *arg)
{
	if (arg[0] == '-')
		return true;
	if (is_command_name(arg))
		return false;
	return exists(arg) || strchr(arg, '/') || strchr(arg, '.');
}

/* Call CMD with ARGV[0] replaced by the name that its messages shall have. */
static int run_command(const struct command *cmd, int argc, char **argv)
{
	char name[64];

	snprintf(name, sizeof(name), "perfrep %s", cmd->name);
	argv[0] = name;
	return cmd->run(argc, argv);
}

static int run_report(int argc, char **argv)
{
	return run_command(&cmd_report, argc, argv);
}

static int run(int argc, char **argv)
{
	const struct command *cmd;
	struct stat st;
	int matches;

	if (argc < 2) {
		if (exists("perf.data") || (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode)))
			return run_report(argc, argv);
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "help")) {
		print_help(stdout);
		return EXIT_FINE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		puts(argp_program_version);
		return EXIT_FINE;
	}
	if (is_report(argv[1]))
		return run_report(argc, argv);
	cmd = find_command(argv[1], &matches);
	if (cmd)
		return run_command(cmd, argc - 1, argv + 1);
	message(matches ? "\"%s\" is the beginning of several commands; perfrep --help lists them."
			: "\"%s\" is neither a command nor a file; perfrep --help lists the commands.",
		argv[1]);
	return EXIT_USAGE;
}

static void check_output(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	message("The output could not be written: %s.", strerror(errno));
	_exit(EXIT_FAILED);
}

int main(int argc, char **argv)
{
	argp_err_exit_status = EXIT_USAGE;
	argp_program_version = "perfrep " PACKAGE_VERSION;
	signal(SIGXFSZ, SIG_IGN); /* what exceeds the limit of file sizes is an error of write() */
	atexit(check_output);
	return run(argc, argv);
}
