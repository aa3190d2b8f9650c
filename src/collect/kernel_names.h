/* SPDX-License-Identifier: MIT */
/* Names of the recorded kernel's functions, for texts of tracepoints that have them by address. */
#ifndef PERFREP_COLLECT_KERNEL_NAMES_H
#define PERFREP_COLLECT_KERNEL_NAMES_H

#include <perfrep/objfile.h>
#include <perfrep/reader.h>
#include <perfrep/tracepoint.h>

struct kernel_names;

/*
 * Of the kernel of the recording at PATH, which is read for what it says of it: from a kallsyms or a
 * vmlinux that WHERE names, or that is known to be this kernel's.  NULL and ERR when it can't be read.
 */
struct kernel_names *kernel_names_new(const char *path, const struct objfile_search *where,
				      struct err *err);
/* The find of a struct tp_names; CTX is the struct kernel_names.  Names are borrowed from it. */
bool kernel_names_find(void *ctx, uint64_t addr, struct tp_name *name);
void kernel_names_free(struct kernel_names *k);

#endif
