/* SPDX-License-Identifier: MIT */
/*
 * An objfile is a file, its debug file and the table made of the symbols of both.
 *
 * Addresses: the kernel maps whole pages, so a recording gives file offsets; the program headers
 * of the file that was running turn them into the addresses that symbols and DWARF use.  The
 * program headers of a debug file don't serve for this (its contents lie elsewhere), but its
 * addresses are the same, or all of them are shifted when the file was prelinked afterwards.
 */
#include <perfrep/objfile.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "objfile/elf_handle.h"
#include "objfile/find.h"
#include "objfile/inflate.h"
#include "objfile/regular.h"
#include "objfile/symtab.h"

#define MINI_CAP ((size_t)256 << 20) /* of .gnu_debugdata, inflated */

struct objfile_priv {
	struct image *file, *debug, *mini; /* the last two may be NULL */
	struct arena names;
	uint32_t *outer; /* of symbols: see symtab.h */
	bool loaded; /* the symbols */
	pthread_mutex_t dwarf_lock;
	int dwarf_fd; /* -1: not opened yet; -2: it could not be, */
	struct err dwarf_err; /* for this reason */
};

/* The lowest address of a segment: the order of offsets in a debug file means nothing. */
static bool lowest_vaddr(const struct image *img, uint64_t *vaddr)
{
	bool found = false;
	size_t n = 0;

	elf_getphdrnum(img->elf, &n);
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(img->elf, (int)i, &ph) || ph.p_type != PT_LOAD ||
		    (found && ph.p_vaddr >= *vaddr))
			continue;
		*vaddr = ph.p_vaddr;
		found = true;
	}
	return found;
}

/* What addresses of FROM lack to be addresses of TO. */
static uint64_t bias(const struct image *from, const struct image *to)
{
	uint64_t a = 0, b = 0;

	return lowest_vaddr(from, &a) && lowest_vaddr(to, &b) ? b - a : 0;
}

uint64_t objfile_dwarf_bias(const struct objfile *o)
{
	const struct objfile_priv *p = o->priv;

	return p->debug && p->debug->has_dwarf ? bias(p->file, p->debug) : 0;
}

/* The xz file in .gnu_debugdata holds a .symtab of those functions that .dynsym lacks. */
static struct image *open_mini(struct image *img)
{
	const uint8_t *p;
	GElf_Shdr sh;
	uint64_t size;
	size_t n;
	Elf_Scn *scn = image_section(img, ".gnu_debugdata", &sh);
	uint8_t *data;

	if (!scn || !image_section_data(img, scn, &p, &size))
		return NULL;
	data = inflate_file(INFLATE_XZ, p, size, MINI_CAP, &n);
	return data ? image_from_memory(data, n, ".gnu_debugdata", NULL) : NULL;
}

void objfile_load_symbols(struct objfile *o)
{
	struct objfile_priv *p = o->priv;
	struct symtab st = { 0 };

	if (p->loaded)
		return;
	p->loaded = true;
	symtab_add(&st, p->file, SHT_SYMTAB, 0);
	symtab_add(&st, p->file, SHT_DYNSYM, 0);
	symtab_add_plt(&st, p->file);
	if (p->debug)
		symtab_add(&st, p->debug, SHT_SYMTAB, bias(p->debug, p->file));
	if (!p->file->has_symtab && !(p->debug && p->debug->has_symtab))
		p->mini = open_mini(p->file);
	if (p->mini)
		symtab_add(&st, p->mini, SHT_SYMTAB, bias(p->mini, p->file));
	o->nr_symbols = symtab_finish(&st, &o->symbols, &p->outer);
	p->names = st.names;
}

/* Takes FILE and DEBUG. */
static struct objfile *make(struct image *file, struct image *debug, bool with_symbols)
{
	struct objfile *o = xcalloc(1, sizeof(*o));

	o->priv = xcalloc(1, sizeof(*o->priv));
	o->priv->file = file;
	o->priv->debug = debug;
	o->priv->dwarf_fd = -1;
	pthread_mutex_init(&o->priv->dwarf_lock, NULL);
	o->path = xstrdup(file->path);
	o->debug_path = debug ? xstrdup(debug->path) : NULL;
	o->build_id = file->build_id;
	o->e_machine = file->ehdr.e_machine;
	o->e_type = file->ehdr.e_type;
	o->elf_class = file->ehdr.e_ident[EI_CLASS];
	o->be = file->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	o->nr_segments = image_segments(file, &o->segments);
	if (with_symbols)
		objfile_load_symbols(o);
	o->has_dwarf = file->has_dwarf || (debug && debug->has_dwarf);
	return o;
}

static int not_found(struct finder *f, const struct dso *dso, enum unknown_reason *reason,
		     struct err *err)
{
	*reason = f->reason;
	if (f->refused.n)
		return err_set(err, ERR_NOT_FOUND, "%s", f->refused.s);
	if (dso->deleted && !dso->build_id.size)
		return err_set(
			err, ERR_NOT_FOUND,
			"%s was deleted, and the recording has no build-id to find a copy by",
			dso->path);
	return err_set(err, ERR_NOT_FOUND, "%s was not found", dso->path);
}

int objfile_open(const struct dso *dso, const struct objfile_search *where, struct objfile **out,
		 enum unknown_reason *reason, struct err *err)
{
	struct finder f = { .where = where,
			    .want = dso->build_id,
			    .module = dso->kind == DSO_MODULE,
			    .reason = UNKNOWN_NO_FILE };
	struct image *file, *debug;
	int ret = 0;

	*out = NULL;
	*reason = UNKNOWN_NOT;
	file = finder_file(&f, dso);
	if (!file) {
		ret = not_found(&f, dso, reason, err);
	} else {
		strbuf_clear(&f.refused); /* the right one was found after all */
		debug = debugfile_find(&f, file, dso->path);
		*out = make(file, debug, !where->no_symbols);
		if (!debug && f.refused.n)
			(*out)->note = xstrdup(f.refused.s);
	}
	finder_release(&f);
	return ret;
}

int objfile_open_path(const char *path, struct objfile **out, struct err *err)
{
	static const struct objfile_search nowhere = { .no_system = true };
	struct finder f = { .where = &nowhere };
	struct image *file, *debug;
	int fd = regular_open(NULL, path);

	*out = NULL;
	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path,
			       regular_error(errno));
	file = image_open(fd, path, true, err);
	if (!file)
		return -ERR_FORMAT;
	debug = debugfile_find(&f, file, NULL);
	*out = make(file, debug, true);
	if (!debug && f.refused.n)
		(*out)->note = xstrdup(f.refused.s);
	finder_release(&f);
	return 0;
}

static bool identity(const struct image *img, char *text, size_t size)
{
	char id[BUILD_ID_TEXT];
	int n;

	if (!img->mapped || !img->build_id.size)
		return false;
	n = snprintf(text, size, "%s %zu %lld.%09ld", build_id_text(&img->build_id, id), img->size,
		     (long long)img->mtime.tv_sec, img->mtime.tv_nsec);
	return n > 0 && (size_t)n < size;
}

bool objfile_identity(const struct objfile *o, char *text, size_t size)
{
	char file[160], debug[160] = "-";

	if (!identity(o->priv->file, file, sizeof(file)) ||
	    (o->priv->debug && !identity(o->priv->debug, debug, sizeof(debug))))
		return false;
	return snprintf(text, size, "file %s debug %s", file, debug) < (int)size;
}

void objfile_free(struct objfile *o)
{
	if (!o)
		return;
	if (o->priv->dwarf_fd >= 0)
		close(o->priv->dwarf_fd);
	pthread_mutex_destroy(&o->priv->dwarf_lock);
	image_free(o->priv->file);
	image_free(o->priv->debug);
	image_free(o->priv->mini);
	arena_release(&o->priv->names);
	free(o->priv->outer);
	free(o->priv);
	free(o->segments);
	free(o->symbols);
	free(o->note);
	free(o->debug_path);
	free(o->path);
	free(o);
}

enum { WITHIN_FILE, WITHIN_PAGE };

/* The page size that the file was linked for may be larger than that of the machine. */
static bool covers(const struct objfile_segment *s, uint64_t offset, int how)
{
	uint64_t slack = how == WITHIN_PAGE ? s->offset & 0xfff : 0;
	uint64_t len = s->filesz;

	if (how == WITHIN_PAGE)
		len = len > UINT64_MAX - 0xfff ? len : (len + 0xfff) & ~UINT64_C(0xfff);
	return offset >= s->offset - slack && offset - (s->offset - slack) < len;
}

bool objfile_vaddr(const struct objfile *o, uint64_t file_offset, uint64_t *vaddr)
{
	/* Code first, and what lies in the segment before what only shares a page with it. */
	for (int pass = 0; pass < 4; pass++) {
		for (size_t i = 0; i < o->nr_segments; i++) {
			const struct objfile_segment *s = &o->segments[i];

			if ((pass & 1) == !!(s->flags & PF_X) ||
			    !covers(s, file_offset, pass / 2 ? WITHIN_PAGE : WITHIN_FILE))
				continue;
			*vaddr = file_offset - s->offset + s->vaddr;
			return true;
		}
	}
	return false;
}

bool objfile_address_of(const struct objfile *o, const char *name, uint64_t *vaddr)
{
	return symtab_address_of(o->priv->file, name, vaddr) ||
	       (o->priv->debug && symtab_address_of(o->priv->debug, name, vaddr));
}

const struct objfile_symbol *objfile_symbol(const struct objfile *o, uint64_t vaddr)
{
	return symtab_find(o->symbols, o->priv->outer, o->nr_symbols, vaddr);
}

int objfile_dwarf_fd(const struct objfile *o)
{
	struct objfile_priv *p = o->priv;
	struct image *img = p->debug && p->debug->has_dwarf ? p->debug : p->file;
	int fd;

	if (!img->has_dwarf)
		return -1;
	pthread_mutex_lock(&p->dwarf_lock);
	if (p->dwarf_fd == -1) {
		p->dwarf_fd = image_dwarf_fd(img, &p->dwarf_err);
		if (p->dwarf_fd < 0)
			p->dwarf_fd = -2;
	}
	fd = p->dwarf_fd >= 0 ? fcntl(p->dwarf_fd, F_DUPFD_CLOEXEC, 3) : -1;
	pthread_mutex_unlock(&p->dwarf_lock);
	return fd;
}

const char *objfile_dwarf_error(const struct objfile *o)
{
	const char *text;

	pthread_mutex_lock(&o->priv->dwarf_lock);
	text = o->priv->dwarf_fd == -2 ? o->priv->dwarf_err.text : NULL;
	pthread_mutex_unlock(&o->priv->dwarf_lock);
	return text;
}

static bool section_of(struct image *img, const char *name, const uint8_t **data, uint64_t *size,
		       uint64_t *addr)
{
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, name, &sh);

	if (!scn || !image_section_data(img, scn, data, size))
		return false;
	*addr = sh.sh_addr;
	return true;
}

bool objfile_section(struct objfile *o, const char *name, const uint8_t **data, uint64_t *size,
		     uint64_t *addr)
{
	return section_of(o->priv->file, name, data, size, addr) ||
	       (o->priv->debug && section_of(o->priv->debug, name, data, size, addr));
}

Elf *objfile_elf(const struct objfile *o)
{
	return o->priv->file->elf;
}
