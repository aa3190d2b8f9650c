/* SPDX-License-Identifier: MIT */
/*
 * A dso that locations lie in, with whatever can name them: opened by the first thread that needs
 * it, read by all, closed by the last.
 */
#ifndef PERFREP_SYMBOL_TARGET_H
#define PERFREP_SYMBOL_TARGET_H

#include <pthread.h>
#include <stdatomic.h>

#include "symbol/cache_dir.h"
#include "symbol/cache_table.h"
#include "symbol/dwarf.h"
#include "symbol/kernelsyms.h"
#include "symbol/linebuf.h"
#include "symbol/perfmap.h"
#include "symbol/simpleperf_syms.h"

#include <perfrep/symbolizer.h>

/* The recorded kernel: shared by its image and the modules. */
struct target_kernel {
	pthread_mutex_t lock;
	bool opened;
	const struct dso *dso; /* NULL: the recording has none */
	struct kernelsyms syms;
};

/* What earlier runs found out about a file, and whether this run may add to it. */
struct target_cache {
	char *key; /* NULL: the file is not cached */
	char name[CACHE_NAME_MAX];
	void *data; /* of the table, which is empty when there was no file */
	struct cache_table table;
	bool used; /* there was one */
	atomic_bool unsound; /* something was missing this time: don't write */
};

/* Locations that one thread names, since they lie in the same units. */
struct target_group {
	size_t first, n;
};

struct target {
	const struct dso *dso;
	struct target_kernel *kernel; /* for DSO_KERNEL and DSO_MODULE */
	size_t first, n; /* its locations, in the symbolizer's sorted array */
	VEC(struct target_group) groups; /* the same, in parts */
	atomic_size_t next_group;
	pthread_mutex_t open_lock, lock; /* the first is held around uses of the second */
	bool opened;
	atomic_size_t jobs_left;
	/* What names come from; any may be missing. */
	struct simpleperf_syms simpleperf;
	struct objfile *obj;
	atomic_bool symbols_loaded; /* of the object; later when the cache has all */
	struct target_cache cache;
	bool module_kallsyms;
	char *map_text;
	struct perfmap map;
	/* What is told afterwards. */
	enum unknown_reason reason; /* of all that stays without a name */
	char *path, *debug_path, *note;
};

struct target_context {
	const struct symbolizer_options *opts;
	const struct features *features;
	const struct kernelsyms_live *live;
	struct cache_dir *cache; /* NULL: none is wanted */
};

/* The object's symbols, when nobody read them yet. */
void target_need_symbols(struct target *t);
void target_init(struct target *t);
void target_release(struct target *t);
void target_open(struct target *t, const struct target_context *ctx);
/* Append a sentence to what is told, once. */
void target_note(struct target *t, const char *text);
/* Drop what names come from; what is told stays. */
void target_close(struct target *t);

/* What one thread keeps: the DWARF of the target it is at. */
struct target_reader {
	struct target *at;
	struct dwarf_index *dwarf; /* NULL: there is none */
	uint64_t bias;
	struct linebuf lines;
	const struct target *cache_of; /* whose strings they are: */
	VEC(uint32_t) cache_ids; /* id in `lines` + 1 of each string of the cache; 0: not yet */
	uint64_t units, units_walked, dies; /* sums over the indices that it had */
};

void target_reader_leave(struct target_reader *r);
void target_reader_release(struct target_reader *r);
/* The same from the cache alone; false when it does not have ADDR. */
bool target_lookup_cached(struct target *t, struct target_reader *r, uint64_t addr,
			  enum unknown_reason *reason);
/* Append the lines of the location ADDR (at least one) to R's buffer; why it has no name. */
enum unknown_reason target_lookup(struct target *t, struct target_reader *r,
				  const struct symbolizer_options *opts, uint64_t addr);

/* Look for what the cache has about T's object; see target_cache.c. */
void target_cache_open(struct target *t, const struct target_context *ctx);
void target_cache_close(struct target *t);

/* The unit of T's DWARF that ADDR lies in; UINT32_MAX: none, or nobody knows. */
uint32_t target_unit(struct target *t, struct target_reader *r,
		     const struct symbolizer_options *opts, uint64_t addr);

/* What stands for an address in DSO that has no name: "[libfoo.so]". */
void target_unknown_name(const struct dso *dso, struct strbuf *sb);
uint16_t target_flags(const struct dso *dso);

#endif
