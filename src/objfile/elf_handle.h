/* SPDX-License-Identifier: MIT */
/* libelf's handle of an objfile's runtime file, for the unwinder. */
#ifndef PERFREP_OBJFILE_ELF_HANDLE_H
#define PERFREP_OBJFILE_ELF_HANDLE_H

#include <libelf.h>

#include <perfrep/objfile.h>

/* Borrowed from O; libelf does not lock: one thread at a time. */
Elf *objfile_elf(const struct objfile *o);

#endif
