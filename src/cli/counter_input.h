/* SPDX-License-Identifier: MIT */
/* Output of perf stat where a command takes recordings too. */
#ifndef PERFREP_CLI_COUNTER_INPUT_H
#define PERFREP_CLI_COUNTER_INPUT_H

#include <stdbool.h>

#include <perfrep/counters.h>

/*
 * Whether PATH is output of perf stat (text, CSV, JSON); then it is in SET, for the caller to
 * release.  Else SET is empty: it is something else, a pipe, or cannot be read; whoever opens it next tells.
 */
bool counter_input_read(struct counter_set *set, const char *path);

#endif
