/* SPDX-License-Identifier: MIT */
/*
 * The search for the file of a dso.  The order is in objfile.h; the rule is here: what was
 * recorded with a build-id is only ever read from a file with that build-id, wherever it lies
 * and whatever it is called.
 */
#include "objfile/find.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "objfile/regular.h"

#define MAX_SCAN 10000 /* files of one directory that are looked into for their build-id */

void finder_refuse(struct finder *f, enum unknown_reason reason, const char *fmt, ...)
{
	va_list ap;

	if (f->refused.n)
		strbuf_adds(&f->refused, "; ");
	va_start(ap, fmt);
	strbuf_addv(&f->refused, fmt, ap);
	va_end(ap);
	/* Another build says more than a file that is no ELF, and that more than none. */
	if (f->reason == UNKNOWN_NO_FILE || reason == UNKNOWN_BUILD_ID)
		f->reason = reason;
}

void finder_release(struct finder *f)
{
	image_free(f->hollow);
	f->hollow = NULL;
	strbuf_release(&f->refused);
}

static bool is_wanted(struct finder *f, const struct image *img, const char *path, unsigned flags)
{
	char found[BUILD_ID_TEXT], want[BUILD_ID_TEXT];

	if (!f->want.size)
		return !(flags & FIND_EXACT);
	if (build_id_equal(&img->build_id, &f->want))
		return true;
	if (flags & FIND_QUIET)
		return false;
	if (img->build_id.size)
		finder_refuse(f, UNKNOWN_BUILD_ID, "%s has build-id %s, the recording has %s", path,
			      build_id_text(&img->build_id, found), build_id_text(&f->want, want));
	else
		finder_refuse(f, UNKNOWN_BUILD_ID, "%s has no build-id, the recording has %s", path,
			      build_id_text(&f->want, want));
	return false;
}

/* Open PATH if it is the wanted build.  NULL: it is not there, or was refused. */
static struct image *try_file(struct finder *f, const char *path, unsigned flags)
{
	const char *root = flags & FIND_ROOTED ? f->where->symfs : NULL;
	struct strbuf full = STRBUF_INIT;
	struct image *img = NULL;
	struct err err;
	int fd = regular_open(root, path);

	strbuf_addf(&full, "%s%s", root ? root : "", path);
	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR && !(flags & FIND_QUIET))
			finder_refuse(f, UNKNOWN_NO_FILE, "%s: %s", full.s, regular_error(errno));
	} else if (!(img = image_open(fd, full.s, f->module, &err))) {
		if (!(flags & FIND_QUIET))
			finder_refuse(f, UNKNOWN_BAD_FILE, "%s", err.text);
	} else if (!is_wanted(f, img, full.s, flags)) {
		image_free(img);
		img = NULL;
	} else if (flags & FIND_DEBUG) {
		if (!img->has_symtab && !img->has_dwarf) {
			image_free(img);
			img = NULL;
		}
	} else if (img->debug_only) {
		image_free(f->hollow);
		f->hollow = img;
		img = NULL;
	}
	strbuf_release(&full);
	return img;
}

bool find_cache_dir(const struct objfile_search *where, struct strbuf *sb)
{
	const char *env;

	strbuf_clear(sb);
	if (where->buildid_dir && *where->buildid_dir) {
		strbuf_adds(sb, where->buildid_dir);
		return true;
	}
	if (where->no_system)
		return false;
	env = getenv("PERF_BUILDID_DIR");
	if (env && *env) {
		strbuf_adds(sb, env);
		return true;
	}
	env = getenv("HOME");
	if (!env || !*env)
		return false;
	strbuf_addf(sb, "%s/.debug", env);
	return true;
}

const char *find_debug_dir(const struct objfile_search *where, size_t n)
{
	if (n < where->nr_debug_dirs)
		return where->debug_dirs[n];
	return n == where->nr_debug_dirs && !where->no_system ? "/usr/lib/debug" : NULL;
}

void find_id_path(struct strbuf *sb, const char *dir, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];

	strbuf_clear(sb);
	build_id_text(id, text);
	strbuf_addf(sb, "%s/.build-id/%.2s/%s", dir, text, id->size ? text + 2 : "");
}

/*
 * The build-id under the lengths that it may have: older recordings have all of them padded
 * with zeros to 20 bytes, files and directories have the true length (16, or 8 from lld).
 */
static size_t id_lengths(const struct build_id *id, struct build_id out[3])
{
	static const uint8_t shorter[] = { 16, 8 };
	size_t n = 0;

	if (!id->size)
		return 0;
	out[n++] = *id;
	for (size_t i = 0; i < sizeof(shorter); i++) {
		struct build_id cut = *id;

		cut.size = shorter[i];
		if (cut.size < id->size && build_id_equal(&cut, id))
			out[n++] = cut;
	}
	return n;
}

/* DIR/.build-id/xx/rest is a file, or a directory (perf's cache since 4.12) with LEAF in it. */
static struct image *try_id(struct finder *f, const char *dir, const char *leaf)
{
	struct strbuf path = STRBUF_INIT;
	struct image *img = NULL;
	struct build_id ids[3];
	size_t n = id_lengths(&f->want, ids);
	struct stat st;

	for (size_t i = 0; i < n && !img; i++) {
		find_id_path(&path, dir, &ids[i]);
		if (stat(path.s, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode))
			strbuf_addf(&path, "/%s", leaf);
		img = try_file(f, path.s, FIND_EXACT);
	}
	strbuf_release(&path);
	return img;
}

static struct image *try_id_suffix(struct finder *f, const char *dir, const char *suffix,
				   unsigned flags)
{
	struct strbuf path = STRBUF_INIT;
	struct image *img = NULL;
	struct build_id ids[3];
	size_t n = id_lengths(&f->want, ids);

	for (size_t i = 0; i < n && !img; i++) {
		find_id_path(&path, dir, &ids[i]);
		strbuf_adds(&path, suffix);
		img = try_file(f, path.s, FIND_EXACT | flags);
	}
	strbuf_release(&path);
	return img;
}

struct image *finder_debug_by_id(struct finder *f, const char *suffix)
{
	const char *dir;
	struct image *img = NULL;

	if (f->where->symfs && *f->where->symfs)
		img = try_id_suffix(f, "/usr/lib/debug", suffix, FIND_ROOTED);
	for (size_t i = 0; !img && (dir = find_debug_dir(f->where, i)); i++)
		img = try_id_suffix(f, dir, suffix, 0);
	for (size_t i = 0; !img && i < f->where->nr_search_dirs; i++)
		img = try_id_suffix(f, f->where->search_dirs[i], suffix, 0);
	return img;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Look into every file of DIR for the wanted build-id, in order of their names. */
static struct image *scan_dir(struct finder *f, const char *dir, unsigned flags)
{
	struct strbuf path = STRBUF_INIT;
	VEC(char *) names = { 0 };
	struct image *img = NULL;
	struct dirent *de;
	DIR *d = opendir(dir);

	while (d && names.n < MAX_SCAN && (de = readdir(d)))
		if (de->d_type == DT_REG || de->d_type == DT_LNK || de->d_type == DT_UNKNOWN)
			vec_push(&names, xstrdup(de->d_name));
	if (d)
		closedir(d);
	if (names.n)
		qsort(names.v, names.n, sizeof(*names.v), by_name);
	for (size_t i = 0; i < names.n; i++) {
		strbuf_clear(&path);
		strbuf_addf(&path, "%s/%s", dir, names.v[i]);
		if (!img)
			img = try_file(f, path.s, flags | FIND_EXACT | FIND_QUIET);
		free(names.v[i]);
	}
	vec_release(&names);
	strbuf_release(&path);
	return img;
}

struct image *finder_debug_in(struct finder *f, const char *place)
{
	struct stat st;

	if (stat(place, &st) != 0)
		return NULL;
	if (S_ISREG(st.st_mode))
		return try_file(f, place, FIND_DEBUG | FIND_EXACT | FIND_QUIET);
	return scan_dir(f, place, FIND_DEBUG);
}

/* One place that the user names: a file, or a directory with files. */
static struct image *try_search_dir(struct finder *f, const char *dir, const char *path)
{
	const char *base = strrchr(path, '/');
	struct strbuf full = STRBUF_INIT;
	struct image *img = NULL;
	struct stat st;

	base = base ? base + 1 : path;
	if (stat(dir, &st) == 0 && S_ISREG(st.st_mode)) {
		const char *given = strrchr(dir, '/');

		given = given ? given + 1 : dir;
		return try_file(f, dir, strcmp(given, base) ? FIND_EXACT | FIND_QUIET : 0);
	}
	img = try_id(f, dir, "elf");
	strbuf_addf(&full, "%s/%s", dir, base);
	if (!img && *base && base[0] != '[')
		img = try_file(f, full.s, 0);
	strbuf_clear(&full);
	strbuf_addf(&full, "%s%s", dir, path);
	if (!img && path[0] == '/')
		img = try_file(f, full.s, 0);
	if (!img && f->want.size)
		img = scan_dir(f, dir, 0);
	strbuf_release(&full);
	return img;
}

struct image *finder_file(struct finder *f, const struct dso *dso)
{
	struct strbuf cache = STRBUF_INIT;
	struct image *img = NULL;

	if (f->want.size && find_cache_dir(f->where, &cache))
		img = try_id(f, cache.s, dso->kind == DSO_VDSO ? "vdso" : "elf");
	if (!img && dso->kind == DSO_VDSO && f->want.size && !f->where->no_system) {
		img = vdso_of_this_kernel();
		if (img && !build_id_equal(&img->build_id, &f->want)) {
			finder_refuse(f, UNKNOWN_BUILD_ID,
				      "the vdso of the running kernel is another build");
			image_free(img);
			img = NULL;
		}
	}
	if (!img && dso->path[0] == '/')
		img = try_file(f, dso->path, FIND_ROOTED | (dso->deleted ? FIND_EXACT : 0));
	for (size_t i = 0; !img && i < f->where->nr_search_dirs; i++)
		img = try_search_dir(f, f->where->search_dirs[i], dso->path);
	if (!img && !f->hollow)
		img = finder_debug_by_id(f, ".debug");
	if (!img) {
		img = f->hollow;
		f->hollow = NULL;
	}
	strbuf_release(&cache);
	return img;
}
