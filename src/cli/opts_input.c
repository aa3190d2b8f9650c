/* SPDX-License-Identifier: MIT */
/*
 * The input, and how it is worked on.  Options of perf that make no difference here (--stdio, -f) are
 * accepted, so that fingers and scripts keep working.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/opts.h"

enum {
	OPT_THREADS = OPT_INPUT_FIRST,
	OPT_NO_PROGRESS,
	OPT_MAX_STACK,
	OPT_VERIFY,
	OPT_NO_UNWIND,
	OPT_NO_REPAIR,
	OPT_STITCH_LBR,
	OPT_TIMINGS,
	OPT_IGNORED,
};

static const struct argp_option input_options[] = {
	{ "input", 'i', "FILE", 0, "The recording: FILE, or - for standard input", 0 },
	{ "threads", OPT_THREADS, "N", 0, "Work with N threads (default: as many as CPUs)", 0 },
	{ "max-stack", OPT_MAX_STACK, "N", 0, "Keep at most N frames of a stack, leaf first", 0 },
	{ "no-unwind", OPT_NO_UNWIND, NULL, 0, "Leave dumps of user stacks alone", 0 },
	{ "no-repair", OPT_NO_REPAIR, NULL, 0,
	  "Leave stacks that were cut as they are, don't complete them from others of the thread",
	  0 },
	{ "stitch-lbr", OPT_STITCH_LBR, NULL, 0,
	  "Complete call stacks that the CPU recorded from the thread's sample before, which can join "
	  "what does not belong together",
	  0 },
	{ "no-progress", OPT_NO_PROGRESS, NULL, 0, "Don't show progress on the terminal", 0 },
	{ "timings", OPT_TIMINGS, "FORMAT", OPTION_ARG_OPTIONAL,
	  "Tell on stderr what each step took, and the memory used: text (default) or json", 0 },
	{ "verify", OPT_VERIFY, NULL, 0, "Check that the numbers add up", 0 },
	{ "quiet", 'q', NULL, 0, "No notices on stderr (errors only)", 0 },
	{ "verbose", 'v', NULL, 0, "Say which files were used for symbols, or why not", 0 },
	{ "stdio", OPT_IGNORED, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "force", 'f', NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

static const struct argp_option walk_options[] = {
	{ "input", 'i', "FILE", 0, "The recording: FILE, or - for standard input", 0 },
	{ "no-progress", OPT_NO_PROGRESS, NULL, 0, "Don't show progress on the terminal", 0 },
	{ "quiet", 'q', NULL, 0, "No notices on stderr (errors only)", 0 },
	{ "stdio", OPT_IGNORED, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "force", 'f', NULL, OPTION_HIDDEN, NULL, 0 },
	{ 0 },
};

/* What perf report reads when it is not told: a pipe on standard input, else perf.data. */
static const char *default_input(void)
{
	struct stat st;

	if (!fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode))
		return "-";
	return "perf.data";
}

static enum opts_timings parse_timings(struct argp_state *state, const char *arg)
{
	if (arg && !strcmp(arg, "json"))
		return TIMINGS_JSON;
	if (arg && strcmp(arg, "text"))
		argp_error(state, "--timings is text or json, not \"%s\".", arg);
	return TIMINGS_TEXT;
}

static error_t parse_input(int key, char *arg, struct argp_state *state)
{
	struct opts_input *in = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (in->path)
			argp_error(state, "One input only: \"%s\" comes after \"%s\".", arg,
				   in->path);
		/* fall through */
	case 'i':
		in->path = arg;
		return 0;
	case OPT_THREADS:
		in->threads = (unsigned)opts_number(state, "--threads", arg, 1024);
		return 0;
	case OPT_MAX_STACK:
		in->max_stack = (unsigned)opts_number(state, "--max-stack", arg, 1 << 20);
		return 0;
	case OPT_NO_PROGRESS:
		in->no_progress = true;
		return 0;
	case OPT_NO_UNWIND:
		in->no_unwind = true;
		return 0;
	case OPT_NO_REPAIR:
		in->no_repair = true;
		return 0;
	case OPT_STITCH_LBR:
		in->stitch_lbr = true;
		return 0;
	case OPT_TIMINGS:
		in->timings = parse_timings(state, arg);
		return 0;
	case OPT_VERIFY:
		in->verify = true;
		return 0;
	case 'q':
		in->quiet = true;
		return 0;
	case 'v':
		in->verbose++;
		return 0;
	case OPT_IGNORED:
	case 'f':
		return 0;
	case ARGP_KEY_END:
		if (!in->path)
			in->path = default_input();
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp opts_input_argp = { input_options, parse_input, NULL, NULL, NULL, NULL, NULL };

const struct argp opts_walk_argp = { walk_options, parse_input, NULL, NULL, NULL, NULL, NULL };
