/* SPDX-License-Identifier: MIT */
/* Symbols that simpleperf puts into the recording itself. */
#ifndef PERFREP_SYMBOL_SIMPLEPERF_SYMS_H
#define PERFREP_SYMBOL_SIMPLEPERF_SYMS_H

#include <perfrep/dso.h>
#include <perfrep/feature.h>

struct simpleperf_syms {
	const struct sp_file *file; /* NULL: none */
	const struct sp_symbol **v; /* by address */
	size_t n;
};

/* The symbols for DSO, if FEATURES (may be NULL) has any. */
bool simpleperf_syms_init(struct simpleperf_syms *sp, const struct features *features,
			  const struct dso *dso);
void simpleperf_syms_release(struct simpleperf_syms *sp);
/* The symbol that covers the location's address, or NULL. */
const struct sp_symbol *simpleperf_syms_find(const struct simpleperf_syms *sp,
					     const struct dso *dso, uint64_t addr);

#endif
