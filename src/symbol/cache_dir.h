/* SPDX-License-Identifier: MIT */
/*
 * A directory of small files that may vanish at any time: named by hash, read whole, written
 * whole under another name and renamed, so that a reader sees an old file or a new one and two
 * writers don't meet.
 *
 * Only what the user owns and nobody else can write to is used, and no symbolic link at the end
 * of a path is followed; a directory or file that is not so is as good as none.
 */
#ifndef PERFREP_SYMBOL_CACHE_DIR_H
#define PERFREP_SYMBOL_CACHE_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_NAME_MAX 64

struct cache_dir {
	const char *path; /* borrowed */
	int fd; /* -1: there is none yet */
};

void cache_dir_open(struct cache_dir *d, const char *path);
void cache_dir_close(struct cache_dir *d);

/* The file's bytes from malloc(), or NULL. */
void *cache_dir_read(struct cache_dir *d, const char *name, size_t *size);
/* False when it could not be written; the directory is made when it is not there. */
bool cache_dir_write(struct cache_dir *d, const char *name, const void *data, size_t size);
/* Remove the oldest files until all of them have less than LIMIT bytes together. */
void cache_dir_prune(struct cache_dir *d, uint64_t limit);

/* NAME is for a cache's file: "0123456789abcdef0123456789abcdef.sym". */
void cache_dir_name(char name[CACHE_NAME_MAX], const char *key);

#endif
