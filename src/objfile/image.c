/* SPDX-License-Identifier: MIT */
/*
 * Opening ELF.  The whole file is mapped privately and handed to libelf as memory: so no
 * descriptor stays open for each of a thousand shared objects.  libelf compares offsets with the
 * size of the memory; what it does not check (sizes that compressed sections claim, sections
 * whose names lead outside) is checked here.
 */
#include "objfile/image.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "objfile/inflate.h"

#define MODULE_CAP    ((size_t)512 << 20)
#define COMPRESS_ZSTD 2 /* ELFCOMPRESS_ZSTD, which older elf.h do not have */

const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT])
{
	static const char hex[] = "0123456789abcdef";

	for (unsigned i = 0; i < id->size; i++) {
		text[2 * i] = hex[id->bytes[i] >> 4];
		text[2 * i + 1] = hex[id->bytes[i] & 15];
	}
	text[2 * id->size] = 0;
	return text;
}

bool build_id_equal(const struct build_id *a, const struct build_id *b)
{
	const struct build_id *longer = a->size > b->size ? a : b;
	unsigned n = a->size < b->size ? a->size : b->size;

	if (!n || memcmp(a->bytes, b->bytes, n) != 0)
		return false;
	while (n < longer->size)
		if (longer->bytes[n++])
			return false;
	return true;
}

Elf_Scn *image_section(const struct image *img, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t strings;

	if (elf_getshdrstrndx(img->elf, &strings) != 0)
		return NULL;
	while ((scn = elf_nextscn(img->elf, scn))) {
		const char *s;

		if (gelf_getshdr(scn, shdr) && (s = elf_strptr(img->elf, strings, shdr->sh_name)) &&
		    !strcmp(s, name))
			return scn;
	}
	return NULL;
}

/* What was inflated stays, so that it is done once for each section. */
static bool inflate_section(struct image *img, Elf_Scn *scn, size_t header, uint64_t size,
			    const uint8_t **data)
{
	Elf_Data *d = elf_rawdata(scn, NULL);
	uint8_t *out;

	for (size_t i = 0; i < img->inflated.n; i++) {
		if (img->inflated.v[i].scn == scn) {
			*data = img->inflated.v[i].data;
			return true;
		}
	}
	if (!d || !d->d_buf || d->d_size <= header || !(out = malloc(size ? size : 1)))
		return false;
	if (!inflate_zstd((const uint8_t *)d->d_buf + header, d->d_size - header, out, size)) {
		free(out);
		return false;
	}
	vec_push(&img->inflated, (struct image_inflated){ scn, out, size });
	*data = out;
	return true;
}

/* A section that says SHF_COMPRESSED. */
static bool compressed_data(struct image *img, Elf_Scn *scn, const GElf_Shdr *shdr,
			    const uint8_t **data, uint64_t *size)
{
	size_t header = gelf_fsize(img->elf, ELF_T_CHDR, 1, EV_CURRENT);
	GElf_Chdr chdr;
	Elf_Data *d;

	if (!gelf_getchdr(scn, &chdr) || shdr->sh_size <= header ||
	    !inflate_plausible(shdr->sh_size, chdr.ch_size))
		return false;
	*size = chdr.ch_size;
	if (chdr.ch_type == COMPRESS_ZSTD)
		return inflate_section(img, scn, header, chdr.ch_size, data);
	if (elf_compress(scn, 0, 0) < 0 || !(d = elf_getdata(scn, NULL)) || !d->d_buf)
		return false;
	*data = d->d_buf;
	*size = d->d_size;
	return true;
}

bool image_section_data(struct image *img, Elf_Scn *scn, const uint8_t **data, uint64_t *size)
{
	GElf_Shdr shdr;
	Elf_Data *d;

	if (!gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || !shdr.sh_size)
		return false;
	if (shdr.sh_flags & SHF_COMPRESSED)
		return compressed_data(img, scn, &shdr, data, size);
	d = elf_rawdata(scn, NULL);
	if (!d || !d->d_buf || !d->d_size)
		return false;
	*data = d->d_buf;
	*size = d->d_size;
	return true;
}

/* The descriptor of the note named GNU with type 3, in one run of notes. */
static bool find_build_id(struct image *img, Elf_Data *notes)
{
	size_t at = 0, name, desc;
	GElf_Nhdr nhdr;

	while (notes && (at = gelf_getnote(notes, at, &nhdr, &name, &desc)) > 0) {
		if (nhdr.n_type != NT_GNU_BUILD_ID || nhdr.n_namesz != 4 ||
		    memcmp((const char *)notes->d_buf + name, "GNU", 4) != 0 || !nhdr.n_descsz)
			continue;
		img->build_id.size = nhdr.n_descsz > sizeof(img->build_id.bytes)
					     ? sizeof(img->build_id.bytes)
					     : (uint8_t)nhdr.n_descsz;
		memcpy(img->build_id.bytes, (const uint8_t *)notes->d_buf + desc,
		       img->build_id.size);
		return true;
	}
	return false;
}

static void scan_sections(struct image *img)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	size_t strings, code = 0, hollow = 0;
	const char *name;

	if (elf_getshdrstrndx(img->elf, &strings) != 0)
		return;
	while ((scn = elf_nextscn(img->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr))
			continue;
		if (shdr.sh_type == SHT_NOTE && !img->build_id.size)
			find_build_id(img,
				      elf_getdata_rawchunk(
					      img->elf, (int64_t)shdr.sh_offset, shdr.sh_size,
					      shdr.sh_addralign == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
		if ((shdr.sh_flags & SHF_ALLOC) && (shdr.sh_flags & SHF_EXECINSTR)) {
			code++;
			hollow += shdr.sh_type == SHT_NOBITS;
		}
		if (shdr.sh_type == SHT_SYMTAB && shdr.sh_size)
			img->has_symtab = true;
		name = elf_strptr(img->elf, strings, shdr.sh_name);
		if (name && shdr.sh_type != SHT_NOBITS && shdr.sh_size &&
		    (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info")))
			img->has_dwarf = true;
	}
	img->debug_only = code && code == hollow;
}

static void scan_segments(struct image *img)
{
	size_t n;

	if (elf_getphdrnum(img->elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && !img->build_id.size; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(img->elf, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		find_build_id(img,
			      elf_getdata_rawchunk(img->elf, (int64_t)ph.p_offset, ph.p_filesz,
						   ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
	}
}

static struct image *start(struct image *img, struct err *err)
{
	elf_version(EV_CURRENT);
	if (img->size < EI_NIDENT || memcmp(img->data, ELFMAG, SELFMAG) != 0) {
		err_set(err, ERR_FORMAT, "%s: is no ELF file", img->path);
	} else if (!(img->elf = elf_memory((char *)img->data, img->size)) ||
		   elf_kind(img->elf) != ELF_K_ELF || !gelf_getehdr(img->elf, &img->ehdr)) {
		err_set(err, ERR_FORMAT, "%s: is a damaged ELF file (%s)", img->path,
			elf_errmsg(-1));
	} else {
		scan_sections(img);
		scan_segments(img);
		return img;
	}
	image_free(img);
	return NULL;
}

struct image *image_from_memory(uint8_t *data, size_t size, const char *path, struct err *err)
{
	struct image *img = xcalloc(1, sizeof(*img));

	img->path = xstrdup(path);
	img->data = data;
	img->size = size;
	return start(img, err);
}

/* A module that is compressed as a whole: from now on in memory. */
static struct image *inflate_image(struct image *img, enum inflate_kind kind, struct err *err)
{
	struct image *inner = NULL;
	uint8_t *data;
	size_t size;

	data = inflate_file(kind, img->data, img->size, MODULE_CAP, &size);
	if (data)
		inner = image_from_memory(data, size, img->path, err);
	else
		err_set(err, ERR_FORMAT, "%s: is compressed, and damaged or larger than %zu MiB",
			img->path, MODULE_CAP >> 20);
	image_free(img);
	return inner;
}

/* Where the descriptor leads: PATH may have been below a root, through its symbolic links. */
static char *real_path(int fd, const char *path)
{
	char link[64], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, target, sizeof(target));
	return n > 0 && (size_t)n < sizeof(target) && target[0] == '/' ? xstrndup(target, (size_t)n)
								       : xstrdup(path);
}

struct image *image_open(int fd, const char *path, bool module, struct err *err)
{
	struct image *img = xcalloc(1, sizeof(*img));
	enum inflate_kind kind;
	struct stat st;
	void *map;

	img->path = xstrdup(path);
	img->real = real_path(fd, path);
	if (fstat(fd, &st) != 0 || st.st_size <= 0) {
		err_set(err, ERR_FORMAT, "%s: is empty", path);
		goto fail;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED) {
		err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
		goto fail;
	}
	close(fd);
	img->data = map;
	img->size = img->mapped = (size_t)st.st_size;
	img->dev = st.st_dev;
	img->ino = st.st_ino;
	img->mtime = st.st_mtim;
	kind = module ? inflate_detect(img->data, img->size) : INFLATE_NONE;
	return kind == INFLATE_NONE ? start(img, err) : inflate_image(img, kind, err);
fail:
	close(fd);
	image_free(img);
	return NULL;
}

void image_free(struct image *img)
{
	if (!img)
		return;
	elf_end(img->elf);
	if (img->mapped)
		munmap(img->data, img->mapped);
	else
		free(img->data);
	for (size_t i = 0; i < img->inflated.n; i++)
		free(img->inflated.v[i].data);
	vec_release(&img->inflated);
	free(img->real);
	free(img->path);
	free(img);
}

static int by_offset(const void *a, const void *b)
{
	const struct objfile_segment *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Without program headers: each code section maps its file offsets to its address. */
static size_t section_segments(const struct image *img, struct objfile_segment **out)
{
	VEC(struct objfile_segment) v = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while (img->ehdr.e_type != ET_REL && (scn = elf_nextscn(img->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_PROGBITS &&
		    (sh.sh_flags & SHF_ALLOC) && (sh.sh_flags & SHF_EXECINSTR))
			vec_push(&v, (struct objfile_segment){ sh.sh_offset, sh.sh_size, sh.sh_addr,
							       sh.sh_size, PF_R | PF_X });
	*out = v.v;
	return v.n;
}

/*
 * objcopy --only-keep-debug packs what is left, so the offsets of segments without contents mean
 * nothing.  They are laid out again as linkers do it: each begins behind the one before, at the
 * first offset that agrees with its address in a page.
 */
static void rebuild_offsets(struct objfile_segment *v, const uint64_t *aligns, size_t n)
{
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t align = aligns[i] && !(aligns[i] & (aligns[i] - 1)) ? aligns[i] : 0x1000;

		v[i].offset = end + ((v[i].vaddr - end) & (align - 1));
		v[i].filesz = v[i].memsz;
		end = v[i].offset + v[i].memsz;
	}
}

static bool lost_offsets(const struct image *img, const struct objfile_segment *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].flags & PF_X && v[i].filesz < v[i].memsz)
			return img->debug_only;
	return false;
}

size_t image_segments(const struct image *img, struct objfile_segment **out)
{
	VEC(struct objfile_segment) v = { 0 };
	VEC(uint64_t) aligns = { 0 };
	size_t n = 0;

	elf_getphdrnum(img->elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(img->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
			continue;
		vec_push(&v, (struct objfile_segment){ ph.p_offset, ph.p_filesz, ph.p_vaddr,
						       ph.p_memsz, ph.p_flags });
		vec_push(&aligns, ph.p_align);
	}
	if (lost_offsets(img, v.v, v.n))
		rebuild_offsets(v.v, aligns.v, v.n);
	vec_release(&aligns);
	if (!v.n)
		v.n = section_segments(img, &v.v);
	if (v.n)
		qsort(v.v, v.n, sizeof(*v.v), by_offset);
	*out = v.v;
	return v.n;
}
