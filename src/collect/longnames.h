/* SPDX-License-Identifier: MIT */
/* The names of dsos as perf script prints them in brackets behind a symbol. */
#ifndef PERFREP_COLLECT_LONGNAMES_H
#define PERFREP_COLLECT_LONGNAMES_H

#include <perfrep/dso.h>

/* By dso id; the array and its strings are for the caller to free: longnames_free(). */
char **longnames_new(const struct dso_table *dsos);
void longnames_free(char **names, size_t n);

#endif
