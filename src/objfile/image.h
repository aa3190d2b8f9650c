/* SPDX-License-Identifier: MIT */
/*
 * One ELF file, mapped, and read through libelf.  An objfile has up to three: the file itself,
 * its separate debug file, and the small one in .gnu_debugdata.
 */
#ifndef PERFREP_OBJFILE_IMAGE_H
#define PERFREP_OBJFILE_IMAGE_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/vec.h"

#include <perfrep/err.h>
#include <perfrep/objfile.h>

/* A section that was inflated here. */
struct image_inflated {
	Elf_Scn *scn;
	uint8_t *data;
	uint64_t size;
};

struct image {
	char *path; /* as it was asked for */
	char *real; /* as it was found, symbolic links resolved */
	uint8_t *data; /* mapped, or malloc()ed when `mapped` is 0 */
	size_t size, mapped;
	dev_t dev; /* of the mapped file */
	ino_t ino;
	struct timespec mtime;
	Elf *elf;
	GElf_Ehdr ehdr;
	struct build_id build_id;
	bool has_symtab, has_dwarf; /* with contents */
	bool debug_only; /* its code has no contents: made by objcopy --only-keep-debug */
	VEC(struct image_inflated) inflated;
};

/*
 * Take the descriptor (closed in any case) of PATH.  MODULE: a file compressed as a whole is
 * inflated.  NULL and a sentence when it is no readable ELF file.
 */
struct image *image_open(int fd, const char *path, bool module, struct err *err);
/* The same over SIZE bytes from malloc(), which the image owns from then on. */
struct image *image_from_memory(uint8_t *data, size_t size, const char *path, struct err *err);
void image_free(struct image *img);

/* The first section of that name, or NULL. */
Elf_Scn *image_section(const struct image *img, const char *name, GElf_Shdr *shdr);
/* Its bytes, inflated when they are compressed; borrowed.  False when there are none. */
bool image_section_data(struct image *img, Elf_Scn *scn, const uint8_t **data, uint64_t *size);
/* "first n PT_LOADs" as segments; those of code sections when the file has no program headers. */
size_t image_segments(const struct image *img, struct objfile_segment **out);

/*
 * A descriptor to read the DWARF of IMG from: the file itself, or an unlinked copy of its debug
 * sections when some of them are compressed in a way that libelf does not know; -1 when
 * neither is possible.
 */
int image_dwarf_fd(struct image *img, struct err *err);

/* Equal, where a reader or writer may have padded the shorter one with zeros. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);
/* Hexadecimal, for messages and paths. */
#define BUILD_ID_TEXT 41
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);

#endif
