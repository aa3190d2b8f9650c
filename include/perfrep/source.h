/* SPDX-License-Identifier: MIT */
/*
 * Where bytes come from.  Whatever the input is, it ends as one readable range of memory: a file
 * is mapped; a pipe is read to its end into a spool (memory up to a limit, then an unlinked
 * temporary file that is mapped), so that every later stage can seek.
 */
#ifndef PERFREP_SOURCE_H
#define PERFREP_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

struct source {
	const uint8_t *data; /* borrowed by everybody until source_release() */
	uint64_t size;
	char *name; /* for messages: the path, "-" for standard input */
	void *map; /* what source_release() unmaps or frees */
	uint64_t map_size;
	int kind; /* private to source.c */
};

/* A growing store of bytes that moves to a temporary file when it passes LIMIT bytes. */
struct spool;
struct spool *spool_new(uint64_t limit);
int spool_add(struct spool *sp, const void *data, size_t len, struct err *err);
uint64_t spool_size(const struct spool *sp);
/* Turn what was added into a source named NAME; the spool is freed, also on failure. */
int spool_finish(struct spool *sp, const char *name, struct source *out, struct err *err);
void spool_free(struct spool *sp);

/* Open PATH ("-" is standard input).  Directories are refused: see reader_open(). */
int source_open(struct source *src, const char *path, struct err *err);
/* Borrow bytes in memory, which must outlive SRC. */
void source_from_memory(struct source *src, const void *data, size_t size, const char *name);
/* SRC has the bytes of OWNER, which must outlive it. */
void source_lend(struct source *src, const struct source *owner, const char *name);
/* Tell the kernel that [from, to) was walked and is not needed soon. */
void source_drop(const struct source *src, uint64_t from, uint64_t to);
void source_release(struct source *src);

#endif
