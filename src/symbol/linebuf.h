/* SPDX-License-Identifier: MIT */
/*
 * Where one thread collects lines before they go into the profile.  Names are demangled here,
 * once for each distinct one.
 */
#ifndef PERFREP_SYMBOL_LINEBUF_H
#define PERFREP_SYMBOL_LINEBUF_H

#include <stdbool.h>

#include "base/intern.h"
#include "base/strbuf.h"

#include <perfrep/profile.h>

struct linebuf {
	bool no_demangle;
	struct intern strings; /* names as shown, and files */
	struct intern symbols; /* names as they were in the symbol table … */
	VEC(uint32_t) shown; /* … and the id in `strings` of each, by id */
	VEC(struct line) lines; /* `func` and `file` are ids in `strings` */
	struct strbuf scratch;
};

/* The id of a symbol's name as it is shown. */
uint32_t linebuf_symbol(struct linebuf *lb, const char *name, size_t len);
void linebuf_add(struct linebuf *lb, uint32_t name, uint32_t file, uint32_t line, uint16_t flags);
void linebuf_release(struct linebuf *lb);

#endif
