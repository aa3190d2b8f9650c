/* SPDX-License-Identifier: MIT */
/* What the commands that need a profile have in common. */
#ifndef PERFREP_CLI_RUN_H
#define PERFREP_CLI_RUN_H

#include "base/strbuf.h"
#include "cli/opts.h"

/*
 * Run the session with progress; afterwards what --verify and --verbose ask for.  On failure the
 * error is told, and the result is EXIT_FAILED with nothing to release; else EXIT_FINE.
 */
int run_session(struct session *s, struct session_options *so, const struct opts_input *in);
/* Tell the problems, unless TOLD or quiet; the exit status that they mean. */
int run_status(const struct session *s, const struct opts_input *in, bool told);
/* Print and release the text. */
void run_output(struct strbuf *sb);
/* Parse options with CMD's argp; exits on errors. */
void run_parse(const struct argp *argp, int argc, char **argv, void *input);

#endif
