/* SPDX-License-Identifier: MIT */
/* perfrep log: what its parts have in common. */
#ifndef PERFREP_CLI_LOG_H
#define PERFREP_CLI_LOG_H

#include "base/vec.h"
#include "log/log_file.h"
#include "cli/opts.h"

struct log_command {
	struct opts_input in;
	struct opts_symbols symbols;
	struct opts_output out;
	const char *action; /* "add", "show" */
	VEC(const char *) files;
	const char *path; /* of the log; NULL: the default */
	const char *cell[LOG_COLUMNS]; /* that options gave */
	bool has_cells;
};

/* An enum exit_status each. */
int log_add(struct log_command *c, const char *path);
int log_show(const struct log_command *c, const char *path);

#endif
