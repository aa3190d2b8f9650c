/* SPDX-License-Identifier: MIT */
/*
 * The files behind the dsos: found by build-id, path and debug link, opened once, never used
 * when their build-id is not the recorded one.
 *
 * A path in a recording is somebody else's text: only regular files are opened, below --symfs if
 * that was given.  An ELF file is read through libelf; its compressed sections (zlib, zstd) are
 * inflated here.
 *
 * The order of the search for the file of a dso:
 *	1. perf's build-id cache: .build-id/xx/rest, a file or a directory with "elf" in it
 *	   ("vdso" for the vdso); for the vdso then the running kernel's own
 *	2. its path, below symfs; a file that was deleted only if the build-id is the recorded one
 *	3. each search directory: .build-id/xx/rest, base name, whole path, then every file in it by
 *	   its build-id; a search "directory" that is a file stands for itself
 *	4. its debug file alone, by build-id below the debug directories: names and lines come from
 *	   it too
 * A file is used only if it has the recorded build-id; if none was recorded, the file found by
 * name is taken at its word.
 *
 * The order for the debug file, when the file lacks .symtab or DWARF:
 *	1. "debug" in the build-id cache
 *	2. .build-id/xx/rest.debug below symfs's /usr/lib/debug, each debug directory,
 *	   /usr/lib/debug, each search directory
 *	3. the name in .gnu_debuglink: beside the file, in .debug/ there, and in the file's directory
 *	   below each debug directory; there also the file's own path, with and without ".debug"
 *	4. each debug and each search directory that was given: the name in .gnu_debuglink, in it or
 *	   in its .debug/, then every file in it by its build-id; one that is a file stands for itself
 * It belongs to the file when both have the same build-id; when one has none, when the checksum
 * is the one in .gnu_debuglink.
 */
#ifndef PERFREP_OBJFILE_H
#define PERFREP_OBJFILE_H

#include <perfrep/dso.h>
#include <perfrep/err.h>
#include <perfrep/profile.h>

/* Where to look.  Strings are borrowed; NULL or empty: not used. */
struct objfile_search {
	const char *symfs; /* prefix of every path */
	const char *const *debug_dirs; /* before /usr/lib/debug */
	size_t nr_debug_dirs;
	const char *buildid_dir; /* perf's cache; NULL: ~/.debug (or $PERF_BUILDID_DIR) */
	const char *kallsyms; /* a file given by the user */
	const char *vmlinux;
	const char *const *search_dirs; /* directories with binaries, or single files: searched by
					 * build-id and by base name */
	size_t nr_search_dirs;
	bool no_system; /* tests: don't look into /usr/lib/debug and ~/.debug, nor at
				     * the running kernel */
	bool no_symbols; /* for unwinders: don't read the symbol tables */
};

/* A range of file offsets that is mapped at a range of ELF addresses (PT_LOAD). */
struct objfile_segment {
	uint64_t offset, filesz, vaddr, memsz;
	uint32_t flags; /* PF_* */
};

struct objfile_symbol {
	uint64_t addr; /* st_value: ELF virtual address; Thumb bit cleared */
	uint64_t size; /* 0 in the file: up to the next symbol or the section's end */
	const char *name; /* mangled, borrowed */
	uint8_t bind, type; /* STB_*, STT_* */
};

struct objfile {
	char *path; /* of the file that was opened */
	char *debug_path; /* of the separate debug file, NULL when there is none */
	struct build_id build_id;
	uint16_t e_machine;
	uint16_t e_type;
	uint8_t elf_class;
	bool be;
	struct objfile_segment *segments; /* PT_LOAD, by offset */
	size_t nr_segments;
	struct objfile_symbol *symbols; /* functions of .symtab, .dynsym, .gnu_debugdata and the
					 * debug file; sorted by addr, one for each addr */
	size_t nr_symbols;
	bool has_dwarf; /* the file or its debug file has some */
	char *note; /* a sentence about a debug file that was refused, or NULL */
	struct objfile_priv *priv;
};

/*
 * Find and open the file of DSO (DSO_FILE, DSO_VDSO, DSO_MODULE).  On failure *OUT is NULL, the
 * result is negative, *REASON says why in one word and ERR in a sentence (that names each place
 * that was tried and refused, such as a file with another build-id or a debug file whose
 * checksum differs).
 */
int objfile_open(const struct dso *dso, const struct objfile_search *where, struct objfile **out,
		 enum unknown_reason *reason, struct err *err);
/* An ELF file by path, for tests and tools: no build-id is expected. */
int objfile_open_path(const char *path, struct objfile **out, struct err *err);
void objfile_free(struct objfile *o);
/* For one that was opened with `no_symbols`: read them after all.  One thread at a time. */
void objfile_load_symbols(struct objfile *o);
/*
 * Which bytes its names and lines come from, as a line of text: build-id, size and time of
 * modification of the file and of its debug file.  False when that can't be said: a file without
 * build-id, or one that is no file of its own.
 */
bool objfile_identity(const struct objfile *o, char *text, size_t size);

/* File offset (a DSO_FILE location's address) -> ELF virtual address; false outside PT_LOAD. */
bool objfile_vaddr(const struct objfile *o, uint64_t file_offset, uint64_t *vaddr);
/* The address of a symbol of any type in the symbol tables, by its name. */
bool objfile_address_of(const struct objfile *o, const char *name, uint64_t *vaddr);
/* The symbol that covers VADDR, or NULL. */
const struct objfile_symbol *objfile_symbol(const struct objfile *o, uint64_t vaddr);

/*
 * The file that has the DWARF (the debug file, else the file itself): a new descriptor for the
 * caller to close, positioned anywhere, or -1.  libelf's handles are not safe to share between
 * threads: each opens its own.  Sections compressed with zstd, which an older libelf cannot
 * inflate, are in a temporary copy without a name, which is read in the file's place.
 */
int objfile_dwarf_fd(const struct objfile *o);
/* After that gave -1 although there is DWARF: why, as a sentence; else NULL.  Borrowed. */
const char *objfile_dwarf_error(const struct objfile *o);
/* Add this to an address of the runtime file to get the debug file's (prelink); usually 0. */
uint64_t objfile_dwarf_bias(const struct objfile *o);
/* Bytes of .eh_frame, .debug_frame … for unwinders: false when there is no such section.
 * DATA is borrowed from the objfile. */
bool objfile_section(struct objfile *o, const char *name, const uint8_t **data, uint64_t *size,
		     uint64_t *addr);

#endif
