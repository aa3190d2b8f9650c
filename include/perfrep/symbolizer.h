/* SPDX-License-Identifier: MIT */
/*
 * Locations -> lines: function, file and line, innermost inlined function first.
 *
 * Runs once, after collapsing, over the distinct locations of a profile: grouped by dso, sorted
 * by address, dsos spread over threads.  What has no name keeps a reason.
 */
#ifndef PERFREP_SYMBOLIZER_H
#define PERFREP_SYMBOLIZER_H

#include <perfrep/dso.h>
#include <perfrep/err.h>
#include <perfrep/feature.h>
#include <perfrep/objfile.h>
#include <perfrep/profile.h>

struct symbolizer_options {
	struct objfile_search where;
	bool no_inline; /* one line for each location: the function of the symbol table */
	bool no_demangle;
	bool no_lines; /* files and line numbers are not wanted */
	unsigned threads; /* 0: as many as there are CPUs */
	const char *perf_map_dir; /* where perf-PID.map are; NULL: /tmp */
	const char *cache_dir; /* where names of earlier runs are kept; NULL: nowhere */
	uint64_t cache_limit; /* bytes of all files in it; 0: 256 MB */
};

/* What became of one dso: for the quality line and the `symbols` table. */
struct symbolizer_dso {
	uint32_t dso;
	uint32_t locations, unknown; /* distinct */
	enum unknown_reason reason; /* of the file as a whole; UNKNOWN_NOT when it was used */
	char *path; /* of the file used, or NULL */
	char *debug_path;
	char *note; /* a sentence when something was refused, or NULL */
};

/* What naming cost, all dsos together. */
struct symbolizer_counts {
	uint64_t addresses; /* distinct, in dsos */
	uint64_t cached; /* … whose lines were in the cache */
	uint64_t cache_files, cache_written; /* read and used; written or written anew */
	uint64_t units, units_walked, dies; /* of DWARF: that there are, and that were read */
};

struct symbolizer_result {
	struct symbolizer_counts counts;
	struct symbolizer_dso *dsos; /* those with locations, by id */
	size_t n;
};

/*
 * Set the lines of every location of P.  FEATURES gives symbols that travel with the recording
 * (simpleperf), the kernel's release for deciding whether the live kallsyms may be used, and
 * may be NULL.  PROGRESS (may be NULL) is called now and then with what is done and what there is.
 */
void symbolize(struct profile *p, const struct dso_table *dsos, const struct features *features,
	       const struct symbolizer_options *opts, struct symbolizer_result *result,
	       void (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx);
void symbolizer_result_release(struct symbolizer_result *r);

#endif
