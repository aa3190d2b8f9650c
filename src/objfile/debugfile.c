/* SPDX-License-Identifier: MIT */
/*
 * A stripped file and its debug file belong together when they have the same build-id; when one
 * of them has none, when the checksum in .gnu_debuglink is that of the debug file.  A file that
 * is found by its name alone is not used.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "objfile/find.h"
#include "objfile/inflate.h"
#include "objfile/regular.h"

struct link {
	const char *name; /* NULL: the file has no debug link */
	uint32_t crc;
};

/* "name", zeros up to a multiple of 4, checksum. */
static struct link read_link(struct image *img)
{
	struct link link = { 0 };
	const uint8_t *p;
	struct cursor c;
	uint64_t size;
	GElf_Shdr sh;
	Elf_Scn *scn = image_section(img, ".gnu_debuglink", &sh);
	const char *name;

	if (!scn || !image_section_data(img, scn, &p, &size))
		return link;
	c = cursor_init(p, size, img->ehdr.e_ident[EI_DATA] == ELFDATA2MSB);
	name = cursor_cstr(&c);
	if (!name || !*name || strchr(name, '/'))
		return link;
	cursor_bytes(&c, -(uint64_t)(c.p - p) & 3);
	link.crc = cursor_u32(&c);
	link.name = c.bad ? NULL : name;
	return link;
}

static bool belongs(struct finder *f, const struct image *img, const struct image *debug,
		    const struct link *link)
{
	char a[BUILD_ID_TEXT], b[BUILD_ID_TEXT];
	uint32_t crc;

	if (debug->dev == img->dev && debug->ino == img->ino && debug->mapped)
		return false; /* the link leads to the file itself */
	if (debug->ehdr.e_machine != img->ehdr.e_machine ||
	    debug->ehdr.e_ident[EI_CLASS] != img->ehdr.e_ident[EI_CLASS])
		return false;
	if (img->build_id.size && debug->build_id.size) {
		if (build_id_equal(&img->build_id, &debug->build_id))
			return debug->has_symtab || debug->has_dwarf;
		finder_refuse(f, UNKNOWN_NO_SYMBOLS, "debug file %s has build-id %s, not %s",
			      debug->path, build_id_text(&debug->build_id, a),
			      build_id_text(&img->build_id, b));
		return false;
	}
	if (!link->name)
		return false;
	crc = inflate_crc32(debug->data, debug->size);
	if (crc != link->crc) {
		finder_refuse(f, UNKNOWN_NO_SYMBOLS,
			      "debug file %s has checksum %08x, the debug link says %08x",
			      debug->path, crc, link->crc);
		return false;
	}
	return debug->has_symtab || debug->has_dwarf;
}

static struct image *try_debug(struct finder *f, const struct image *img, const char *path,
			       const struct link *link, unsigned flags)
{
	const char *root = flags & FIND_ROOTED ? f->where->symfs : NULL;
	struct strbuf full = STRBUF_INIT;
	struct image *debug = NULL;
	struct err err;
	int fd = regular_open(root, path);

	strbuf_addf(&full, "%s%s", root ? root : "", path);
	if (fd >= 0 && !(debug = image_open(fd, full.s, false, &err)))
		finder_refuse(f, UNKNOWN_NO_SYMBOLS, "debug file %s", err.text);
	if (debug && !belongs(f, img, debug, link)) {
		image_free(debug);
		debug = NULL;
	}
	strbuf_release(&full);
	return debug;
}

/* The link's name in DIR and in DIR/.debug. */
static struct image *try_beside(struct finder *f, const struct image *img, const char *dir,
				size_t len, const struct link *link, unsigned flags)
{
	static const char *const sub[] = { "/", "/.debug/" };
	struct strbuf path = STRBUF_INIT;
	struct image *debug = NULL;

	for (size_t i = 0; i < 2 && !debug; i++) {
		strbuf_clear(&path);
		strbuf_add(&path, dir, len);
		strbuf_addf(&path, "%s%s", sub[i], link->name);
		debug = try_debug(f, img, path.s, link, flags);
	}
	strbuf_release(&path);
	return debug;
}

/* Below debug directory ROOT: the link's name in the file's directory, and the file's own path. */
static struct image *try_mirror(struct finder *f, const struct image *img, const char *root,
				const char *path, const struct link *link)
{
	size_t dir = (size_t)(strrchr(path, '/') - path);
	struct strbuf full = STRBUF_INIT;
	struct image *debug = NULL;

	if (link->name) {
		strbuf_addf(&full, "%s%.*s/%s", root, (int)dir, path, link->name);
		debug = try_debug(f, img, full.s, link, 0);
	}
	for (size_t i = 0; i < 2 && !debug; i++) {
		strbuf_clear(&full);
		strbuf_addf(&full, "%s%s%s", root, path, i ? "" : ".debug");
		debug = try_debug(f, img, full.s, link, 0);
	}
	strbuf_release(&full);
	return debug;
}

/* PATH is absolute: where the file lies, or where it lay when it was recorded. */
static struct image *by_path(struct finder *f, const struct image *img, const char *path,
			     const struct link *link, unsigned flags)
{
	struct image *debug = NULL;
	const char *root;

	if (link->name)
		debug = try_beside(f, img, path, (size_t)(strrchr(path, '/') - path), link, flags);
	for (size_t i = 0; !debug && (root = find_debug_dir(f->where, i)); i++)
		debug = try_mirror(f, img, root, path, link);
	return debug;
}

/* Everything that lies under the build-id.  The finder's own files need code; here they don't. */
static struct image *by_id(struct finder *f, const struct image *img, const struct link *link)
{
	struct finder inner = { .where = f->where, .want = img->build_id };
	struct strbuf path = STRBUF_INIT;
	struct image *debug = NULL;

	if (!img->build_id.size)
		return NULL;
	if (find_cache_dir(f->where, &path)) {
		char *cache = strbuf_detach(&path);

		find_id_path(&path, cache, &img->build_id);
		strbuf_adds(&path, "/debug");
		debug = try_debug(f, img, path.s, link, 0);
		free(cache);
	}
	if (!debug)
		debug = finder_debug_by_id(&inner, ".debug");
	if (!debug) {
		debug = inner.hollow;
		inner.hollow = NULL;
	}
	if (debug && !belongs(f, img, debug, link)) {
		image_free(debug);
		debug = NULL;
	}
	if (!debug && inner.refused.n)
		finder_refuse(f, UNKNOWN_NO_SYMBOLS, "%s", inner.refused.s);
	finder_release(&inner);
	strbuf_release(&path);
	return debug;
}

/* A place that the user names has debug files under their own names, whatever was recorded. */
static struct image *in_place(struct finder *f, const struct image *img, const char *place,
			      const struct link *link)
{
	struct finder inner = { .where = f->where, .want = img->build_id };
	struct image *debug = NULL;

	if (link->name)
		debug = try_beside(f, img, place, strlen(place), link, 0);
	if (debug || !img->build_id.size)
		return debug;
	debug = finder_debug_in(&inner, place);
	if (debug && !belongs(f, img, debug, link)) {
		image_free(debug);
		debug = NULL;
	}
	finder_release(&inner);
	return debug;
}

static struct image *in_places(struct finder *f, const struct image *img, const struct link *link)
{
	const struct objfile_search *w = f->where;
	struct image *debug = NULL;

	for (size_t i = 0; !debug && i < w->nr_debug_dirs; i++)
		debug = in_place(f, img, w->debug_dirs[i], link);
	for (size_t i = 0; !debug && i < w->nr_search_dirs; i++)
		debug = in_place(f, img, w->search_dirs[i], link);
	return debug;
}

struct image *debugfile_find(struct finder *f, struct image *img, const char *recorded)
{
	struct image *debug;
	struct link link;

	if (img->has_dwarf && img->has_symtab)
		return NULL;
	link = read_link(img);
	debug = by_id(f, img, &link);
	if (!debug && img->real && img->real[0] == '/')
		debug = by_path(f, img, img->real, &link, 0);
	if (!debug && recorded && recorded[0] == '/' && (!img->real || strcmp(recorded, img->real)))
		debug = by_path(f, img, recorded, &link, FIND_ROOTED);
	return debug ? debug : in_places(f, img, &link);
}
