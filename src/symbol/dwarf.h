/* SPDX-License-Identifier: MIT */
/*
 * Inlined frames and lines from DWARF 2-5: our own index over units and DIEs.
 *
 * One dwarf_index belongs to one thread (libelf's handles are not shared).  Addresses are ELF
 * virtual addresses of the file that was opened.
 */
#ifndef PERFREP_SYMBOL_DWARF_H
#define PERFREP_SYMBOL_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

struct dwarf_index;

/* One frame; strings are owned by the index. */
struct dwarf_frame {
	const char *linkage_name; /* mangled, or NULL */
	const char *name; /* DW_AT_name, or NULL */
	/* enclosing namespaces, types and functions, "a::B", when there is no linkage name and the
	 * language has them; else NULL */
	const char *scope;
	const char *file; /* full path as the line table gives it, or NULL */
	uint32_t line; /* 0: not known */
	bool inlined; /* into the next frame */
};

/*
 * Open the DWARF of the ELF file behind FD (the index owns the descriptor from then on, also on
 * failure).  PATH is for messages and for finding .dwo, .dwp and the dwz alternate file.
 */
int dwarf_index_new(int fd, const char *path, struct dwarf_index **out, struct err *err);
void dwarf_index_free(struct dwarf_index *di);
/*
 * The program, or its debug file, was or is at PATH too (which is copied): a copy in a cache has
 * its .dwo, its .dwp and what dwz moved there.
 */
void dwarf_index_also_at(struct dwarf_index *di, const char *path);
/*
 * Files and lines are not wanted: no line table is decoded from now on, and an address that only
 * a line table knows is in no unit.
 */
void dwarf_index_no_lines(struct dwarf_index *di);

/*
 * The frames at VADDR, innermost first, the last one being the function itself: their number, 0
 * when no unit covers the address.  *FRAMES is borrowed until the next call.  With only a line
 * table (no DIE for the address) there is one frame that has a file and no name.
 */
size_t dwarf_index_lookup(struct dwarf_index *di, uint64_t vaddr,
			  const struct dwarf_frame **frames);

/* Which unit has VADDR: a number to group addresses by, UINT32_MAX when none is known to. */
uint32_t dwarf_index_unit(struct dwarf_index *di, uint64_t vaddr);

/* What it cost: units walked of those that were found, DIEs seen. */
struct dwarf_index_stats {
	uint64_t units, units_walked, dies;
	uint64_t missing; /* files with further debug data that were not found */
};
struct dwarf_index_stats dwarf_index_stats(const struct dwarf_index *di);

#endif
