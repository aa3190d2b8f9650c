/* SPDX-License-Identifier: MIT */
/*
 * Opening files whose names are somebody else's text: only regular files, and below a root when
 * one was given.  Used for everything that symbols are read from.
 */
#ifndef PERFREP_OBJFILE_REGULAR_H
#define PERFREP_OBJFILE_REGULAR_H

#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

/*
 * A descriptor for reading, or -1 and errno (ENOTSUP: it is no regular file).  ROOT NULL or empty:
 * the whole file system; else PATH is looked up as if ROOT were "/": neither ".." nor a symbolic
 * link leads out of it.
 */
int regular_open(const char *root, const char *path);

/* The sentence part for the errno of regular_open(). */
const char *regular_error(int errnum);

/*
 * All of a file, files of /proc included, with a NUL behind it: *DATA is for the caller to free.
 * A file above CAP bytes is refused.
 */
int regular_read(const char *root, const char *path, size_t cap, char **data, size_t *size,
		 struct err *err);

/* A file's bytes, in memory of the system if it has a size, else read. */
struct regular_text {
	char *data; /* not to be written */
	size_t size, mapped; /* mapped: 0: from malloc() */
};

int regular_text_open(struct regular_text *t, const char *path, size_t cap, struct err *err);
void regular_text_close(struct regular_text *t);

#endif
