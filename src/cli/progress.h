/* SPDX-License-Identifier: MIT */
/* A line on a terminal's stderr that says what is going on, once that lasts over half a second. */
#ifndef PERFREP_CLI_PROGRESS_H
#define PERFREP_CLI_PROGRESS_H

#include <stdbool.h>

#include <perfrep/session.h>

struct progress {
	bool on;
	bool shown; /* there is a line to be wiped out */
	enum session_stage stage;
	double start; /* of everything, in seconds */
	double stage_start;
	double last; /* when it was drawn */
};

/* Nothing is ever shown when WANTED is false or stderr is no terminal. */
void progress_init(struct progress *p, bool wanted);
/* A session_progress_fn; CTX is the struct progress. */
void progress_update(void *ctx, enum session_stage stage, uint64_t done, uint64_t total);
void progress_finish(struct progress *p);

#endif
