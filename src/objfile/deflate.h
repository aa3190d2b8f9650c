/* SPDX-License-Identifier: MIT */
/*
 * Inflating as far as is needed: debug sections are read in part, and most of what a compressed
 * one costs is the inflating.
 */
#ifndef PERFREP_OBJFILE_DEFLATE_H
#define PERFREP_OBJFILE_DEFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deflate;

/*
 * The N bytes at IN (borrowed until the end) are a zlib stream of SIZE bytes; NULL when they
 * cannot be, or there is no memory for so many.
 */
struct deflate *deflate_begin(const uint8_t *in, size_t n, size_t size);
/*
 * SIZE bytes, of which the first deflate_upto(d, want) are there; that is WANT at the least, unless
 * the stream is damaged.  The check sum is compared when the whole is asked for.
 */
const uint8_t *deflate_bytes(const struct deflate *d);
size_t deflate_upto(struct deflate *d, size_t want);
void deflate_end(struct deflate *d);

#endif
