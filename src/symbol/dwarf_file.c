/* SPDX-License-Identifier: MIT */
/*
 * An ELF file as a set of debug sections.
 *
 * Only libelf is used, one section at a time: opening the file through libdw would inflate every
 * compressed section at once, the large location lists too, which nobody here reads.  Those that
 * are read in part are inflated in part, as that is most of the work for a short recording.  The same
 * struct is used for the main file, for .dwo and .dwp files, and for the file that dwz moved
 * common parts to.
 *
 * That last one is named by .gnu_debugaltlink (path, NUL, build-id; a GNU extension) or by
 * .debug_sup (DWARF 5, section 7.3.6), and is used only if its identity is the one asked for.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gelf.h>

#include "base/bisect.h"
#include "base/strbuf.h"
#include "objfile/deflate.h"
#include "symbol/dwarf_private.h"

static const char *const section_names[DW_NR_SECS] = {
	[DW_SEC_INFO] = "debug_info",         [DW_SEC_TYPES] = "debug_types",
	[DW_SEC_ABBREV] = "debug_abbrev",     [DW_SEC_LINE] = "debug_line",
	[DW_SEC_STR] = "debug_str",           [DW_SEC_LINE_STR] = "debug_line_str",
	[DW_SEC_RANGES] = "debug_ranges",     [DW_SEC_RNGLISTS] = "debug_rnglists",
	[DW_SEC_ADDR] = "debug_addr",         [DW_SEC_STR_OFFSETS] = "debug_str_offsets",
	[DW_SEC_CU_INDEX] = "debug_cu_index", [DW_SEC_ALTLINK] = "gnu_debugaltlink",
	[DW_SEC_SUP] = "debug_sup",           [DW_SEC_BUILD_ID] = "note.gnu.build-id",
	[DW_SEC_ARANGES] = "debug_aranges",
};

/* Which section has that name: .debug_info, .zdebug_info, or .debug_info.dwo in a split file. */
static int section_of(const char *name, bool split)
{
	if (*name++ != '.')
		return -1;
	if (!strncmp(name, "zdebug_", 7))
		name++;
	for (int i = 0; i < DW_NR_SECS; i++) {
		size_t n = strlen(section_names[i]);

		/* the index of a package has no .dwo in its name */
		if (!strncmp(name, section_names[i], n) &&
		    !strcmp(name + n, split && i != DW_SEC_CU_INDEX ? ".dwo" : ""))
			return i;
	}
	return -1;
}

static int by_lo(const void *a, const void *b)
{
	const struct dw_span *x = a, *y = b;

	return x->lo < y->lo ? -1 : x->lo > y->lo;
}

/* Sorted, with those that touch made one: a program has a few then, however many sections. */
static void merge_code(struct dw_file *f)
{
	size_t n = 0;

	if (!f->code.n)
		return;
	qsort(f->code.v, f->code.n, sizeof(*f->code.v), by_lo);
	for (size_t i = 1; i < f->code.n; i++) {
		struct dw_span *last = &f->code.v[n], s = f->code.v[i];

		if (s.lo > last->hi)
			f->code.v[++n] = s;
		else if (s.hi > last->hi)
			last->hi = s.hi;
	}
	f->code.n = n + 1;
}

/* Stubs are the linker's: .plt, .plt.sec, .plt.got, .iplt. */
static void add_code(struct dw_file *f, const char *name, uint64_t lo, uint64_t hi)
{
	bool stubs = name && (!strncmp(name, ".plt", 4) || !strncmp(name, ".iplt", 5));
	struct dw_span span = { lo, hi };

	if (stubs)
		vec_push(&f->stubs, span);
	else
		vec_push(&f->code, span);
}

static void scan_sections(struct dw_file *f)
{
	size_t shstrndx;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(f->elf, &shstrndx))
		return;
	while ((scn = elf_nextscn(f->elf, scn))) {
		GElf_Shdr sh;
		const char *name;
		int id;

		if (!gelf_getshdr(scn, &sh))
			continue;
		name = elf_strptr(f->elf, shstrndx, sh.sh_name);
		if ((sh.sh_flags & SHF_ALLOC) && (sh.sh_flags & SHF_EXECINSTR) && sh.sh_size &&
		    sh.sh_addr + sh.sh_size > sh.sh_addr)
			add_code(f, name, sh.sh_addr, sh.sh_addr + sh.sh_size);
		id = name ? section_of(name, f->split) : -1;
		if (id >= 0 && sh.sh_type != SHT_NOBITS && !f->sec[id].scn)
			f->sec[id].scn = elf_ndxscn(scn);
	}
}

struct dw_file *dw_file_new(struct dwarf_index *di, int fd, const char *path, bool split,
			    struct err *err)
{
	struct dw_file *f = xcalloc(1, sizeof(*f));
	const char *ident;
	GElf_Ehdr eh;

	f->di = di;
	f->fd = fd;
	f->path = xstrdup(path);
	f->split = split;
	elf_version(EV_CURRENT);
	f->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF) {
		err_set(err, ERR_FORMAT, "%s: expected an ELF file, found something else", path);
		dw_file_free(f);
		return NULL;
	}
	ident = elf_getident(f->elf, NULL);
	f->be = ident && ident[EI_DATA] == ELFDATA2MSB;
	f->relocatable = gelf_getehdr(f->elf, &eh) && eh.e_type == ET_REL;
	scan_sections(f);
	merge_code(f);
	return f;
}

struct dw_file *dw_file_open(struct dwarf_index *di, const char *path, bool split)
{
	/* the path is somebody's text: it must not make us wait on a pipe or wake a device */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return NULL;
	}
	return dw_file_new(di, fd, path, split, NULL);
}

void dw_file_free(struct dw_file *f)
{
	if (!f)
		return;
	dw_file_free(f->alt);
	for (size_t i = 0; i < f->abbrevs.n; i++)
		dw_abbrevs_free(f->abbrevs.v[i]);
	vec_release(&f->abbrevs);
	for (size_t i = 0; i < DW_NR_SECS; i++)
		deflate_end(f->sec[i].z);
	hashidx_release(&f->abbrev_index);
	hashidx_release(&f->by_signature);
	vec_release(&f->units);
	vec_release(&f->code);
	vec_release(&f->stubs);
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	free(f->path);
	free(f);
}

/* zlib can't do better than 1 : 1032, so a larger size in the header is a lie. */
static bool size_is_plausible(uint64_t inflated, uint64_t deflated)
{
	return inflated / 1040 <= deflated;
}

/* One that is compressed with something else: libelf may know it. */
static void inflate_whole(struct dw_section *s, Elf_Scn *scn)
{
	Elf_Data *data;

	if (elf_compress(scn, 0, 0) >= 0 && (data = elf_getdata(scn, NULL)) && data->d_buf)
		s->bytes = (struct dw_bytes){ data->d_buf, data->d_size };
}

/* The zlib stream begins HEADER bytes into RAW, and SIZE bytes come out. */
static void begin_inflating(struct dw_section *s, const Elf_Data *raw, size_t header, uint64_t size)
{
	if (raw->d_size <= header || !size_is_plausible(size, raw->d_size))
		return;
	s->z = deflate_begin((const uint8_t *)raw->d_buf + header, raw->d_size - header, size);
	if (s->z)
		s->bytes = (struct dw_bytes){ deflate_bytes(s->z), size };
}

static void open_section(struct dw_file *f, struct dw_section *s)
{
	Elf_Scn *scn = s->scn ? elf_getscn(f->elf, s->scn) : NULL;
	size_t shstrndx;
	const char *name;
	Elf_Data *raw;
	GElf_Shdr sh;
	GElf_Chdr ch;

	if (!scn || !gelf_getshdr(scn, &sh) || elf_getshdrstrndx(f->elf, &shstrndx) ||
	    !(name = elf_strptr(f->elf, shstrndx, sh.sh_name)) || !(raw = elf_rawdata(scn, NULL)) ||
	    !raw->d_buf)
		return;
	if (sh.sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(scn, &ch) || !size_is_plausible(ch.ch_size, sh.sh_size))
			return;
		if (ch.ch_type == ELFCOMPRESS_ZLIB)
			begin_inflating(s, raw, gelf_fsize(f->elf, ELF_T_CHDR, 1, EV_CURRENT),
					ch.ch_size);
		else
			inflate_whole(s, scn);
	} else if (!strncmp(name, ".zdebug_", 8)) {
		/* "ZLIB" and the size, big-endian */
		if (raw->d_size >= 12 && !memcmp(raw->d_buf, "ZLIB", 4))
			begin_inflating(s, raw, 12, get_u64((const uint8_t *)raw->d_buf + 4, true));
	} else {
		s->bytes = (struct dw_bytes){ raw->d_buf, raw->d_size };
	}
}

struct dw_bytes dw_section_place(struct dw_file *f, enum dw_section_id id)
{
	struct dw_section *s = &f->sec[id];

	if (!s->opened) {
		s->opened = true;
		s->bytes.p = (const uint8_t *)"";
		open_section(f, s);
	}
	return s->bytes;
}

size_t dw_section_upto(struct dw_file *f, enum dw_section_id id, uint64_t end)
{
	struct dw_bytes b = dw_section_place(f, id);
	struct deflate *z = f->sec[id].z;

	return z ? deflate_upto(z, end < b.n ? (size_t)end : b.n) : b.n;
}

struct dw_bytes dw_section(struct dw_file *f, enum dw_section_id id)
{
	struct dw_bytes b = dw_section_place(f, id);

	if (dw_section_upto(f, id, b.n) < b.n)
		b.n = 0;
	return b;
}

bool dw_file_has_code(const struct dw_file *f, uint64_t addr)
{
	size_t at = bisect(i, f->code.n, f->code.v[i].lo <= addr);

	return at && addr < f->code.v[at - 1].hi;
}

bool dw_file_has_stub(const struct dw_file *f, uint64_t addr)
{
	for (size_t i = 0; i < f->stubs.n; i++)
		if (addr >= f->stubs.v[i].lo && addr < f->stubs.v[i].hi)
			return true;
	return false;
}

/* The build-id in the note section: name size, size, type, "GNU\0", bytes. */
static struct dw_bytes build_id(struct dw_file *f)
{
	struct dw_bytes note = dw_section(f, DW_SEC_BUILD_ID);
	struct cursor c = cursor_init(note.p, note.n, f->be);
	uint32_t namesz = cursor_u32(&c), size = cursor_u32(&c);
	const uint8_t *id;

	cursor_u32(&c);
	cursor_bytes(&c, ((uint64_t)namesz + 3) & ~(uint64_t)3);
	id = cursor_bytes(&c, size);
	return (struct dw_bytes){ id, id ? size : 0 };
}

/* What .debug_sup says: the path (empty in the common file itself) and an identity. */
static const char *read_sup(struct dw_file *f, struct dw_bytes *id)
{
	struct dw_bytes sup = dw_section(f, DW_SEC_SUP);
	struct cursor c = cursor_init(sup.p, sup.n, f->be);
	const char *path;
	uint64_t n;

	cursor_u16(&c);
	cursor_u8(&c);
	path = cursor_cstr(&c);
	n = dw_uleb(&c);
	id->p = cursor_bytes(&c, n);
	id->n = id->p ? (size_t)n : 0;
	return c.bad ? NULL : path;
}

static bool same_bytes(struct dw_bytes a, struct dw_bytes b)
{
	return a.n && a.n == b.n && !memcmp(a.p, b.p, a.n);
}

/* PATH as a file names it: a relative one counts from that file's directory. */
static struct dw_file *open_beside(struct dw_file *f, const char *file, const char *path)
{
	const char *slash = strrchr(file, '/');
	struct strbuf sb = STRBUF_INIT;
	struct dw_file *alt;

	if (*path != '/' && slash)
		strbuf_add(&sb, file, (size_t)(slash - file) + 1);
	strbuf_adds(&sb, path);
	alt = dw_file_open(f->di, strbuf_str(&sb), false);
	strbuf_release(&sb);
	return alt;
}

static struct dw_file *open_by_build_id(struct dw_file *f, struct dw_bytes id)
{
	struct strbuf sb = STRBUF_INIT;
	struct dw_file *alt;

	strbuf_adds(&sb, "/usr/lib/debug/.build-id/");
	for (size_t i = 0; i < id.n && i < 64; i++)
		strbuf_addf(&sb, i == 1 ? "/%02x" : "%02x", id.p[i]);
	strbuf_adds(&sb, ".debug");
	alt = dw_file_open(f->di, strbuf_str(&sb), false);
	strbuf_release(&sb);
	return alt;
}

static bool alt_fits(struct dw_file *alt, struct dw_bytes id, bool sup)
{
	struct dw_bytes theirs = { NULL, 0 };

	if (sup)
		read_sup(alt, &theirs);
	else
		theirs = build_id(alt);
	return same_bytes(theirs, id);
}

/* ALT (may be NULL) if it is the one that is meant. */
static struct dw_file *fitting(struct dw_file *alt, struct dw_bytes id, bool sup)
{
	if (!alt || alt_fits(alt, id, sup))
		return alt;
	dw_file_free(alt);
	return NULL;
}

struct dw_file *dw_file_alt(struct dw_file *f)
{
	struct dw_bytes link, id = { NULL, 0 };
	struct cursor c;
	const char *path;
	bool sup = false;

	if (f->alt_tried || f->split)
		return f->alt;
	f->alt_tried = true;
	link = dw_section(f, DW_SEC_ALTLINK);
	c = cursor_init(link.p, link.n, f->be);
	path = cursor_cstr(&c);
	id = (struct dw_bytes){ c.p, cursor_left(&c) };
	if (!path) {
		path = read_sup(f, &id);
		sup = true;
	}
	if (!path || !*path)
		return NULL;
	for (size_t i = 0; !f->alt && i < f->di->programs.n; i++)
		f->alt = fitting(open_beside(f, f->di->programs.v[i], path), id, sup);
	if (!f->alt && !sup)
		f->alt = fitting(open_by_build_id(f, id), id, sup);
	if (f->alt)
		f->alt->alt_tried = true; /* there is only one level */
	else
		f->di->stats.missing++;
	return f->alt;
}
