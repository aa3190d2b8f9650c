/* SPDX-License-Identifier: MIT */
/* What symbolizer.c works on and symbolizer_write.c puts into the profile. */
#ifndef PERFREP_SYMBOL_SYMBOLIZER_PRIV_H
#define PERFREP_SYMBOL_SYMBOLIZER_PRIV_H

#include "symbol/target.h"

/* A location, and what became of it. */
struct entry {
	uint32_t loc, dso;
	uint64_t addr;
	uint32_t worker, first, n; /* lines in the buffer of a thread */
	uint32_t unit; /* of DWARF; only to group by */
	bool cached;
	enum unknown_reason reason;
};

struct symbolizer {
	struct target_context ctx;
	struct symbolizer_counts counts;
	struct target_kernel *kernels;
	size_t nr_kernels;
	struct target *targets;
	size_t nr_targets;
	struct entry *entries;
	size_t n;
	VEC(struct target *) jobs; /* a target for each thread that may work on it */
	struct target_reader *readers; /* one for each thread */
	unsigned nr_readers;
	atomic_ullong done;
	void (*progress)(void *ctx, uint64_t done, uint64_t total);
	void *progress_ctx;
};

/* By dso and address. */
int symbolizer_by_address(const void *a, const void *b);
/* Write what was looked up to the cache; see symbolizer_cache.c. */
void symbolizer_save(struct symbolizer *s);
/* Give every location of P its lines. */
void symbolizer_write(struct symbolizer *s, struct profile *p, const struct dso_table *dsos);

#endif
