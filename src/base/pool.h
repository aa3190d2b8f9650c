/* SPDX-License-Identifier: MIT */
/* A parallel loop over jobs. */
#ifndef PERFREP_BASE_POOL_H
#define PERFREP_BASE_POOL_H

#include <stddef.h>

/* Called for each job once; WORKER is 0 … threads - 1 and names the thread's private state. */
typedef void pool_fn(void *ctx, unsigned worker, size_t job);

/* The number of CPUs that this process may run on, at least 1. */
unsigned pool_cpus(void);

/*
 * Run JOBS jobs on at most THREADS threads (the caller is one of them) and return when all are
 * done.  Jobs are handed out in order.  When a thread cannot be started the others do its work.
 */
void pool_run(unsigned threads, size_t jobs, pool_fn *fn, void *ctx);

#endif
