/* SPDX-License-Identifier: MIT */
/*
 * UTF-8, decoded without the locale: the output of perfrep is UTF-8 wherever it runs, so that
 * the same input gives the same bytes everywhere.
 */
#ifndef PERFREP_VIEW_UTF8_H
#define PERFREP_VIEW_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * The code point at S (of LEN > 0 bytes) and in *SIZE the bytes it takes.  For bytes that are no
 * UTF-8 the result is negative, and *SIZE the length of the longest start of a valid sequence, at
 * least 1 (the "maximal subpart" of the Unicode standard, 3.9): one replacement character each.
 */
int32_t utf8_decode(const char *s, size_t len, size_t *size);
/* Columns of a terminal that a code point takes: 0, 1 or 2. */
unsigned utf8_width(int32_t cp);
/* Columns that the valid string S takes. */
unsigned utf8_columns(const char *s, size_t len);
/* The number of leading bytes of S that take at most COLUMNS columns. */
size_t utf8_prefix(const char *s, size_t len, unsigned columns);

#endif
