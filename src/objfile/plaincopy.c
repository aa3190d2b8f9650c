/* SPDX-License-Identifier: MIT */
/*
 * Debug sections compressed with zstd, for a libelf that doesn't know them (elfutils before
 * 0.189): a second ELF file is written into a temporary file without a name.  It has the same
 * sections under the same numbers, with the same addresses and sizes; those that DWARF readers
 * look at have their contents, plain, the others are NOBITS as in a debug file.
 */
#include "objfile/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "objfile/regular.h"

#define COMPRESS_ZSTD 2

static int unlinked_file(void)
{
	const char *dir = getenv("TMPDIR");
	int fd = open(dir && *dir ? dir : "/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("perfrep-debug", MFD_CLOEXEC);
}

static bool needs_copy(const struct image *img)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Chdr ch;

	while ((scn = elf_nextscn(img->elf, scn)))
		if (gelf_getshdr(scn, &sh) && (sh.sh_flags & SHF_COMPRESSED) &&
		    gelf_getchdr(scn, &ch) && ch.ch_type == COMPRESS_ZSTD)
			return true;
	return false;
}

static bool is_wanted(const char *name)
{
	return !strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8) ||
	       !strcmp(name, ".gnu_debugaltlink") || !strcmp(name, ".note.gnu.build-id") ||
	       !strcmp(name, ".shstrtab");
}

/* One section of the copy, at *OFFSET.  False when it could not be inflated. */
static bool copy_section(struct image *img, Elf_Scn *from, Elf *elf, const char *name,
			 uint64_t *offset)
{
	Elf_Scn *to = elf_newscn(elf);
	const uint8_t *bytes = NULL;
	GElf_Shdr sh;
	uint64_t size = 0;
	Elf_Data *d;

	if (!to || !gelf_getshdr(from, &sh))
		return false;
	if (name && is_wanted(name) && sh.sh_type != SHT_NOBITS && sh.sh_size) {
		if (!image_section_data(img, from, &bytes, &size) || !(d = elf_newdata(to)))
			return false;
		d->d_buf = (void *)bytes;
		d->d_size = size;
		d->d_type = ELF_T_BYTE;
		d->d_align = 1;
		sh.sh_type = sh.sh_type == SHT_STRTAB ? SHT_STRTAB : SHT_PROGBITS;
		sh.sh_size = size;
	} else {
		sh.sh_type = SHT_NOBITS;
	}
	sh.sh_flags &= ~(uint64_t)SHF_COMPRESSED;
	sh.sh_addralign = 1;
	sh.sh_entsize = 0;
	sh.sh_offset = *offset;
	*offset += size;
	return gelf_update_shdr(to, &sh) != 0;
}

static bool copy_headers(const struct image *img, Elf *elf)
{
	GElf_Ehdr eh;

	if (!gelf_newehdr(elf, gelf_getclass(img->elf)) || !gelf_getehdr(elf, &eh))
		return false;
	memcpy(eh.e_ident, img->ehdr.e_ident, EI_NIDENT);
	eh.e_type = img->ehdr.e_type;
	eh.e_machine = img->ehdr.e_machine;
	eh.e_version = EV_CURRENT;
	eh.e_flags = img->ehdr.e_flags;
	eh.e_shstrndx = img->ehdr.e_shstrndx;
	return gelf_update_ehdr(elf, &eh) != 0;
}

/* The section headers go behind everything else. */
static bool place_headers(Elf *elf, uint64_t offset)
{
	GElf_Ehdr eh;

	if (!gelf_getehdr(elf, &eh))
		return false;
	eh.e_shoff = (offset + 7) & ~UINT64_C(7);
	return gelf_update_ehdr(elf, &eh) != 0 && elf_update(elf, ELF_C_WRITE) > 0;
}

static bool write_copy(struct image *img, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	uint64_t offset = gelf_fsize(img->elf, ELF_T_EHDR, 1, EV_CURRENT);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t strings;
	bool ok = elf && img->ehdr.e_shstrndx < SHN_LORESERVE && copy_headers(img, elf) &&
		  elf_getshdrstrndx(img->elf, &strings) == 0;

	if (ok)
		elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
	while (ok && (scn = elf_nextscn(img->elf, scn)))
		ok = gelf_getshdr(scn, &sh) &&
		     copy_section(img, scn, elf, elf_strptr(img->elf, strings, sh.sh_name),
				  &offset);
	ok = ok && place_headers(elf, offset);
	elf_end(elf);
	return ok;
}

/* The file again, if it is still the one that was mapped. */
static int same_file(const struct image *img)
{
	int fd = img->mapped ? regular_open(NULL, img->real) : -1;
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || st.st_dev != img->dev || st.st_ino != img->ino)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int image_dwarf_fd(struct image *img, struct err *err)
{
	int fd;

	if (!needs_copy(img)) {
		fd = same_file(img);
		if (fd < 0)
			err_set(err, ERR_IO, "%s: has changed while it was read", img->path);
		return fd;
	}
	fd = unlinked_file();
	if (fd < 0) {
		err_set(err, ERR_IO, "%s: no room for a copy without compression: %s", img->path,
			strerror(errno));
	} else if (!write_copy(img, fd)) {
		close(fd);
		fd = -1;
		err_set(err, ERR_FORMAT, "%s: its compressed debug sections cannot be inflated",
			img->path);
	}
	return fd;
}
