/* SPDX-License-Identifier: MIT */
/* The functions of an ELF file as one sorted array. */
#ifndef PERFREP_OBJFILE_SYMTAB_H
#define PERFREP_OBJFILE_SYMTAB_H

#include "base/arena.h"
#include "objfile/image.h"

/* A symbol before sorting. */
struct symtab_entry {
	struct objfile_symbol sym;
	uint64_t limit; /* the end of its section; 0: not known */
};

struct symtab {
	VEC(struct symtab_entry) entries;
	struct arena names; /* those that are not in the file as they stand */
};

/* Add the functions of all tables of IMG of type SHT_SYMTAB or SHT_DYNSYM; BIAS goes to each
 * address. */
void symtab_add(struct symtab *st, const struct image *img, uint32_t type, uint64_t bias);
/* The address of a defined symbol of any type. */
bool symtab_address_of(const struct image *img, const char *name, uint64_t *vaddr);
/* Add "NAME@plt" for the stubs of x86-64 and aarch64. */
void symtab_add_plt(struct symtab *st, struct image *img);

/*
 * Sort and choose: *SYMBOLS one for each address, sizes filled in, names borrowed from the images
 * and ST's arena.  *OUTER[i] is the next symbol that may cover what symbol i does not, or
 * UINT32_MAX.  Both for the caller to free; the entries are released.
 */
size_t symtab_finish(struct symtab *st, struct objfile_symbol **symbols, uint32_t **outer);

/* The innermost of N symbols that covers VADDR, or NULL. */
const struct objfile_symbol *symtab_find(const struct objfile_symbol *symbols,
					 const uint32_t *outer, size_t n, uint64_t vaddr);

#endif
