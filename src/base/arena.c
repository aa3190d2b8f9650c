/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

struct arena_block {
	struct arena_block *next;
	char data[];
};

enum { BLOCK_SIZE = 64 * 1024 };

void *arena_alloc(struct arena *a, size_t size)
{
	void *p;

	size = (size + 7) & ~(size_t)7;
	if (size > a->left) {
		size_t want = size > BLOCK_SIZE ? size : BLOCK_SIZE;
		struct arena_block *b = xmalloc(sizeof(*b) + want);

		b->next = a->blocks;
		a->blocks = b;
		/* a large request gets a block of its own; the current one stays in use */
		if (size > BLOCK_SIZE / 4 && a->left > BLOCK_SIZE / 4)
			return b->data;
		a->p = b->data;
		a->left = want;
	}
	p = a->p;
	a->p += size;
	a->left -= size;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *copy = arena_alloc(a, len + 1);

	if (len)
		memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

void arena_release(struct arena *a)
{
	while (a->blocks) {
		struct arena_block *b = a->blocks;

		a->blocks = b->next;
		free(b);
	}
	*a = (struct arena){ 0 };
}
