/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/xmalloc.h"

struct pool {
	atomic_size_t next;
	size_t jobs;
	pool_fn *fn;
	void *ctx;
};

struct worker {
	struct pool *pool;
	unsigned index;
	pthread_t thread;
};

unsigned pool_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return 1;
	return CPU_COUNT(&set) > 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct pool *p = w->pool;
	size_t job;

	while ((job = atomic_fetch_add(&p->next, 1)) < p->jobs)
		p->fn(p->ctx, w->index, job);
	return NULL;
}

void pool_run(unsigned threads, size_t jobs, pool_fn *fn, void *ctx)
{
	struct pool pool = { .jobs = jobs, .fn = fn, .ctx = ctx };
	struct worker *workers;
	unsigned started = 1;

	if (threads > jobs)
		threads = (unsigned)jobs;
	if (!threads)
		return;
	workers = xcalloc(threads, sizeof(*workers));
	workers[0] = (struct worker){ .pool = &pool };
	for (; started < threads; started++) {
		workers[started] = (struct worker){ .pool = &pool, .index = started };
		if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
			break;
	}
	work(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
	free(workers);
}
