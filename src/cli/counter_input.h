/* SPDX-License-Identifier: MIT */
/* Counts of perf stat where a command takes recordings too. */
#ifndef PERFREP_CLI_COUNTER_INPUT_H
#define PERFREP_CLI_COUNTER_INPUT_H

#include <stdbool.h>

#include <perfrep/counters.h>

struct source;

/*
 * What can be read only once, a pipe or standard input, is read into HELD, for source_release();
 * of all else HELD->name stays NULL, and what is wrong with it is told by whoever opens it.
 */
int counter_input_hold(struct source *held, const char *path, struct err *err);

/*
 * Whether PATH is output of perf stat (text, CSV, JSON) or a file of perf stat record; then it is
 * in SET, for the caller to release, and *INCOMPLETE tells whether damage was told.  Else SET is
 * empty: it is something else, or cannot be read; whoever opens it next tells.  HELD has what
 * counter_input_hold() read; NULL: nothing, and a pipe is left alone.
 */
bool counter_input_read(struct counter_set *set, const char *path, const struct source *held,
			bool *incomplete);

/* Fails when SET has metrics of parts only, so that nothing can be said of the whole. */
int counter_input_whole(const struct counter_set *set, const char *path, struct err *err);

/*
 * The same as counter_input_read() of a recording that is open: 1 counts, 0 samples, negative and
 * ERR when it fails.
 */
int counter_input_record(struct counter_set *set, const struct source *src, const char *path,
			 bool *incomplete, struct err *err);

#endif
