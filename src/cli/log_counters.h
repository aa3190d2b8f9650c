/* SPDX-License-Identifier: MIT */
/* What counters say of an experiment: from the events of recordings, or from output of perf stat. */
#ifndef PERFREP_CLI_LOG_COUNTERS_H
#define PERFREP_CLI_LOG_COUNTERS_H

#include <perfrep/counters.h>
#include <perfrep/session.h>

#define LOG_COUNTERS_TEXT 32

/* Zero-initialised is empty. */
struct log_counters {
	struct counter_set set;
	struct counter_analysis analysis;
	bool analysed;
	bool incomplete; /* of what was read something is missing, and was told */
};

/* The events' weights as counts; ignored when there are counts already. */
void log_counters_add_recording(struct log_counters *c, const struct session *s);
/*
 * 1: PATH is output of perf stat, and was taken; 0: it is something else; negative: ERR.  HELD is
 * counter_input_read()'s.
 */
int log_counters_add_file(struct log_counters *c, const char *path, const struct source *held,
			  struct err *err);
/* Into TEXT, of LOG_COUNTERS_TEXT bytes; NULL when not counted. */
const char *log_counters_ipc(struct log_counters *c, char *text);
const char *log_counters_mpki(struct log_counters *c, char *text);
const char *log_counters_branch_miss(struct log_counters *c, char *text);
void log_counters_release(struct log_counters *c);

#endif
