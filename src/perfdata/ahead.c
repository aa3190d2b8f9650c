/* SPDX-License-Identifier: MIT */
/*
 * Most of the walk's time on a large file goes into page faults, while other CPUs have nothing to
 * do yet.  So one of them maps the pages from the back of the file towards the front, until it
 * meets the walk.  Only pages that are in memory: reading a disk from both ends would slow it.
 */
#include "perfdata/ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xmalloc.h"
#include "perfdata/source_kind.h"

enum {
	STEP = 2 << 20,
	WORTH_IT = 32 << 20,
};

struct ahead {
	pthread_t thread;
	uint8_t *map;
	uint64_t size;
	_Atomic uint64_t walked;
};

static bool in_memory(uint8_t *p, size_t n, size_t page)
{
	unsigned char pages[STEP / 4096];
	size_t nr = n / page;

	if (nr > sizeof(pages) || mincore(p, n, pages) != 0)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!(pages[i] & 1))
			return false;
	return true;
}

static void *map_backwards(void *arg)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ahead *a = arg;

	for (uint64_t at = a->size / STEP; at-- > 0;) {
		uint8_t *p = a->map + at * STEP;

		if (at * STEP <= atomic_load_explicit(&a->walked, memory_order_relaxed) ||
		    !in_memory(p, STEP, page) || madvise(p, STEP, MADV_POPULATE_READ) != 0)
			break;
	}
	return NULL;
}

struct ahead *ahead_start(const struct source *src)
{
	struct ahead *a;

	if (src->kind != SOURCE_MAPPED || src->size < WORTH_IT)
		return NULL;
	a = xcalloc(1, sizeof(*a));
	a->map = src->map;
	a->size = src->size;
	if (pthread_create(&a->thread, NULL, map_backwards, a) == 0)
		return a;
	free(a);
	return NULL;
}

void ahead_walked(struct ahead *a, uint64_t at)
{
	if (a)
		atomic_store_explicit(&a->walked, at, memory_order_relaxed);
}

void ahead_stop(struct ahead *a)
{
	if (!a)
		return;
	ahead_walked(a, a->size);
	pthread_join(a->thread, NULL);
	free(a);
}
