/* SPDX-License-Identifier: MIT */
/* Memory that is released all at once.  Zero-initialised is empty. */
#ifndef PERFREP_BASE_ARENA_H
#define PERFREP_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks;
	char *p;
	size_t left;
};

/* SIZE bytes, aligned to 8, uninitialised, valid until arena_release(). */
void *arena_alloc(struct arena *a, size_t size);
/* A NUL-terminated copy. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
void arena_release(struct arena *a);

#endif
