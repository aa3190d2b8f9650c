/* SPDX-License-Identifier: MIT */
/* Names of functions as patterns see them. */
#ifndef PERFREP_VIEW_HINT_NAME_H
#define PERFREP_VIEW_HINT_NAME_H

#include <stdbool.h>

#include "base/strbuf.h"

/*
 * The path of a function alone, into SB (cleared first): no parameters, no template or generic
 * arguments, no type of the result, no suffix of a clone.
 *
 *	void std::sort<int*>(int*, int*)			std::sort
 *	std::ostream& std::operator<< <char>(...)		std::operator<<
 *	<core::hash::sip::Hasher<S> as core::hash::Hasher>::finish
 *		core::hash::sip::Hasher as core::hash::Hasher::finish
 *	malloc.part.0, malloc@@GLIBC_2.2.5, __GI_malloc	malloc
 */
void hint_name(struct strbuf *sb, const char *name);
/* PATTERN covers all of TEXT; * is any text, also none. */
bool hint_match(const char *pattern, const char *text);
/* Whether a path from hint_name() is a standard library's. */
bool hint_is_std(const char *path);
/* Whether a module, by its short name, is a system library or none at all ("[vdso]"). */
bool hint_is_system_module(const char *module);
/* The same by its path, NULL when not known. */
bool hint_is_system_path(const char *path);

#endif
