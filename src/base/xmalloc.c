/* SPDX-License-Identifier: MIT */
#include "base/xmalloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *out_of_memory(size_t size)
{
	fprintf(stderr, "perfrep: out of memory: %zu bytes could not be had\n", size);
	exit(2);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	return p ? p : out_of_memory(size);
}

void *xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	return p ? p : out_of_memory(size);
}

void *xreallocarray(void *ptr, size_t count, size_t size)
{
	size_t total;
	void *p;

	if (__builtin_mul_overflow(count, size, &total))
		return out_of_memory(SIZE_MAX);
	p = realloc(ptr, total ? total : 1);
	return p ? p : out_of_memory(total);
}

void *xmemdup(const void *p, size_t len)
{
	void *copy = xmalloc(len);

	if (len)
		memcpy(copy, p, len);
	return copy;
}

char *xstrndup(const char *s, size_t len)
{
	char *copy = xmalloc(len + 1);

	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

void *xmalloc_table(size_t count, size_t size)
{
	enum { HUGE_PAGE = 2 << 20 };
	size_t total;
	void *p;

	if (__builtin_mul_overflow(count, size, &total))
		return out_of_memory(SIZE_MAX);
	if (total < 2 * HUGE_PAGE)
		return xmalloc(total);
	if (posix_memalign(&p, HUGE_PAGE, total))
		return out_of_memory(total);
	madvise(p, total, MADV_HUGEPAGE);
	return p;
}

void *xcalloc_table(size_t count, size_t size)
{
	void *p = xmalloc_table(count, size);

	memset(p, 0, count * size);
	return p;
}
