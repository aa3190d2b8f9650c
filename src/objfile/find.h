/* SPDX-License-Identifier: MIT */
/* Which file on this machine a dso is, and where its debug file lies. */
#ifndef PERFREP_OBJFILE_FIND_H
#define PERFREP_OBJFILE_FIND_H

#include "base/strbuf.h"
#include "objfile/image.h"

/* A search that is going on: what was refused is told afterwards. */
struct finder {
	const struct objfile_search *where;
	struct build_id want; /* size 0: none was recorded */
	bool module;
	struct image *hollow; /* right build, but a debug file without code: the last resort */
	struct strbuf refused; /* sentences */
	enum unknown_reason reason;
};

enum find_flags {
	FIND_EXACT = 1 << 0, /* only if the build-id says that it is the one */
	FIND_ROOTED = 1 << 1, /* below symfs */
	FIND_QUIET = 1 << 2, /* one of many that are looked through: say nothing */
	FIND_DEBUG = 1 << 3, /* with symbols or DWARF; code is not needed */
};

/* The file of DSO: see objfile.h for the places. */
struct image *finder_file(struct finder *f, const struct dso *dso);
/* The one below any of the debug directories with the wanted build-id. */
struct image *finder_debug_by_id(struct finder *f, const char *suffix);
/* The one with the wanted build-id that is PLACE, or in it if that is a directory. */
struct image *finder_debug_in(struct finder *f, const char *place);
void finder_refuse(struct finder *f, enum unknown_reason reason, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Release all; a hollow image that was not taken too. */
void finder_release(struct finder *f);

/* perf's build-id cache into SB: false when there is none. */
bool find_cache_dir(const struct objfile_search *where, struct strbuf *sb);
/* DIR/.build-id/xx/rest into SB. */
void find_id_path(struct strbuf *sb, const char *dir, const struct build_id *id);
/* Nth debug directory, or NULL: those given, then the system's. */
const char *find_debug_dir(const struct objfile_search *where, size_t n);

/*
 * The separate debug file of IMG, which was recorded as RECORDED (may be NULL): NULL when there is
 * none or it needs none.  F's `refused` gets a sentence for each that does not belong to it.
 */
struct image *debugfile_find(struct finder *f, struct image *img, const char *recorded);

/* The running kernel's own vdso, or NULL. */
struct image *vdso_of_this_kernel(void);

#endif
