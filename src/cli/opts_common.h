/* SPDX-License-Identifier: MIT */
/*
 * What nearly every command takes: a recording, which samples of it, where names come from, how
 * the output looks.  A command has one of the parsers below as a child, without a heading of its own,
 * and gives it the struct.
 */
#ifndef PERFREP_CLI_OPTS_COMMON_H
#define PERFREP_CLI_OPTS_COMMON_H

#include "cli/opts.h"
#include "cli/opts_filter.h"

struct opts_common {
	struct opts_input in;
	struct opts_filter filter;
	struct opts_symbols symbols;
	struct opts_output out;
};

/* All of them. */
extern const struct argp opts_samples_argp;
/* Without --weight: what is shown are spans of time, or differences. */
extern const struct argp opts_unweighed_argp;
/* Without the output, whose form is the command's own. */
extern const struct argp opts_stacks_argp;
/* Of commands that look at records in their order, and tell threads apart: with symbols, and not. */
extern const struct argp opts_calls_argp, opts_threads_only_argp;

void opts_common_init(struct opts_common *c);
void opts_common_release(struct opts_common *c);

/* The session that was asked for; it borrows from C. */
struct session_options opts_common_session(const struct opts_common *c);

#endif
