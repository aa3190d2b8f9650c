/* SPDX-License-Identifier: MIT */
/* A thread that maps a file's pages before a walk comes to them. */
#ifndef PERFREP_PERFDATA_AHEAD_H
#define PERFREP_PERFDATA_AHEAD_H

#include <perfrep/source.h>

struct ahead;

/* NULL when it would gain nothing; the other functions do nothing with that. */
struct ahead *ahead_start(const struct source *src);
/* The walk has come to offset AT. */
void ahead_walked(struct ahead *a, uint64_t at);
void ahead_stop(struct ahead *a);

#endif
