/* SPDX-License-Identifier: MIT */
/*
 * The lines of addresses of one file as bytes, and back: what a file of the cache holds.
 *
 *	magic, version, byte order	what else has another layout is no table
 *	checksum			of all that follows
 *	key				what the lines were made from: text, compared as a whole
 *	reason				of the file: enum unknown_reason
 *	entries				address, its lines, its reason; by address
 *	lines				name, file, line number, flags
 *	strings				ends, then the bytes
 *
 * The bytes are as hostile as any other file's: everything is checked when they are read, and a
 * table that was read can be used without further checks.
 */
#ifndef PERFREP_SYMBOL_CACHE_TABLE_H
#define PERFREP_SYMBOL_CACHE_TABLE_H

#include <stdbool.h>

#include "base/intern.h"
#include "base/strbuf.h"

#include <perfrep/profile.h>

#define CACHE_TABLE_HEADER 20 /* bytes up to and with the checksum */

struct cache_entry {
	uint64_t addr;
	uint32_t first, n; /* lines; n may be 0: the address has no name */
	uint32_t reason; /* enum unknown_reason */
};

/* `name` and `file` are numbers of strings + 1; 0: none (a name that stands for an unknown one) */
struct cache_line {
	uint32_t name, file, line;
	uint32_t flags; /* LINE_INLINED, LINE_UNKNOWN */
};

struct cache_table {
	VEC(struct cache_entry) entries;
	VEC(struct cache_line) lines;
	uint32_t reason;
	/* of a table that was read: */
	uint32_t *ends; /* of strings */
	uint32_t nr_strings;
	const char *bytes; /* borrowed */
	/* of one that is made: */
	struct intern strings;
};

/* False: it is none, or of another key, or damaged; then T is empty.  DATA must outlive T. */
bool cache_table_read(struct cache_table *t, const void *data, size_t size, const char *key);
/* Whether it has ADDR; *E is borrowed. */
bool cache_table_find(const struct cache_table *t, uint64_t addr, const struct cache_entry **e);
/* String NR (from 0) of a table that was read. */
const char *cache_table_string(const struct cache_table *t, uint32_t nr, size_t *len);

/* Addresses must come in ascending order; each is followed by its lines. */
void cache_table_add(struct cache_table *t, uint64_t addr, uint32_t reason);
/* LEN is of the strings; NAME NULL: unknown, FILE NULL: none. */
void cache_table_add_line(struct cache_table *t, const char *name, size_t name_len,
			  const char *file, size_t file_len, uint32_t line, uint32_t flags);
/* Into OUT, which is empty. */
void cache_table_write(const struct cache_table *t, const char *key, struct strbuf *out);
void cache_table_release(struct cache_table *t);

#endif
