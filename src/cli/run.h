/* SPDX-License-Identifier: MIT */
/* What the commands that need a profile have in common. */
#ifndef PERFREP_CLI_RUN_H
#define PERFREP_CLI_RUN_H

#include "base/strbuf.h"
#include "cli/opts.h"

/* session_run(), or what stands in for it, with the same promises. */
typedef int run_work_fn(struct session *s, const struct session_options *so, void *ctx,
			struct err *err);

/* What a command does with one recording; CTX stands for its options. */
struct run {
	run_work_fn *work; /* NULL: session_run() */
	/* Say what there is to say, into SB or on stderr; an enum exit_status. */
	int (*show)(const struct session *s, void *ctx, struct strbuf *sb);
	bool told; /* what is shown has the session's problems in it */
};

/* Work with progress, show, print, tell the problems; an enum exit_status. */
int run_recording(const struct run *r, struct session_options *so, const struct opts_input *in,
		  void *ctx);

/* ---- the parts, for commands that have several recordings ---- */

/*
 * Run the session with progress; afterwards what --verify and --verbose ask for.  On failure the
 * error is told, and the result is EXIT_FAILED with nothing to release; else EXIT_FINE.
 */
int run_session(struct session *s, struct session_options *so, const struct opts_input *in);
/* Tell why PATH could not be read; output of perf stat is no recording, but perfrep knows it. */
void run_tell_failure(const char *path, const struct err *err);
/* Tell the problems, unless TOLD or quiet; the exit status that they mean. */
int run_status(const struct session *s, const struct opts_input *in, bool told);
/* Print and release the text. */
void run_output(struct strbuf *sb);
/* Parse options with CMD's argp; exits on errors. */
void run_parse(const struct argp *argp, int argc, char **argv, void *input);

#endif
