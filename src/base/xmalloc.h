/* SPDX-License-Identifier: MIT */
/*
 * Allocation that does not fail: when memory is out the process ends with a sentence on stderr
 * and status 2.  A size that comes from a file must be compared with the bytes that are there
 * before it reaches these functions.  All results are released with free().
 */
#ifndef PERFREP_BASE_XMALLOC_H
#define PERFREP_BASE_XMALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
/*
 * A large table that is looked into at random: in huge pages where the system has them, so that
 * a look costs one miss and not two.
 */
void *xmalloc_table(size_t count, size_t size);
/*
 * The same, zeroed by writing.  What calloc() gives is mapped to the one page of zeros when it is
 * read first, and copied when it is written: then all threads of the process are interrupted, to
 * forget the old page.
 */
void *xcalloc_table(size_t count, size_t size);
/* Resize to count * size bytes; the product is checked for overflow. */
void *xreallocarray(void *ptr, size_t count, size_t size);
char *xstrdup(const char *s);
/* A NUL-terminated copy of the LEN bytes at S. */
char *xstrndup(const char *s, size_t len);
void *xmemdup(const void *p, size_t len);

#endif
