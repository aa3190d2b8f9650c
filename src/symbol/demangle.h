/* SPDX-License-Identifier: MIT */
/* Symbols as their source spells them. */
#ifndef PERFREP_SYMBOL_DEMANGLE_H
#define PERFREP_SYMBOL_DEMANGLE_H

#include <stdbool.h>

#include "base/strbuf.h"

/*
 * Append NAME to SB demangled, when it is a mangled name of C++ or Rust (either mangling): without
 * parameter lists and without Rust's hash, what compilers and linkers hang on (".cold",
 * ".constprop.0", ".llvm.123", "@plt") kept as it is.  False, and SB untouched, when it is none.
 * Any number of threads may call this.
 */
bool demangle(struct strbuf *sb, const char *name);

#endif
