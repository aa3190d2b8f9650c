/* SPDX-License-Identifier: MIT */
/* Output of perf stat --metric-only. */
#ifndef PERFREP_COUNTERS_STAT_METRICS_H
#define PERFREP_COUNTERS_STAT_METRICS_H

#include "counters/stat_parse.h"

/* Whether the input is such, by its first lines; it is not read yet. */
bool stat_metrics_fit(const struct stat_parser *p);
int stat_metrics_parse(struct stat_parser *p);

#endif
