/* SPDX-License-Identifier: MIT */
/* The decoders of single features; see feature.c. */
#ifndef PERFREP_PERFDATA_FEATURE_PRIV_H
#define PERFREP_PERFDATA_FEATURE_PRIV_H

#include "base/cursor.h"
#include <perfrep/feature.h>

/*
 * A decoder reads from the cursor and leaves it bad when the section is damaged.  It changes
 * nothing but its own fields of F, and these only when all of the section is sound.
 */
typedef void feature_fn(struct features *f, struct cursor *c, struct evlist *evlist);

feature_fn feature_event_desc, feature_pmu_mappings, feature_group_desc;
feature_fn feature_build_ids;
feature_fn feature_cpu_topology, feature_numa_topology, feature_cache;
feature_fn feature_sp_meta_info, feature_sp_file, feature_sp_file2;

/* A u32 length and that many bytes, up to the first NUL: a copy, or NULL and a bad cursor. */
char *feature_string(struct cursor *c);

void feature_free_build_ids(struct features *f);
void feature_free_pmus(struct features *f);
void feature_free_groups(struct features *f);
void feature_free_sp(struct features *f);
void feature_free_topology(struct features *f);

#endif
