/* SPDX-License-Identifier: MIT */
/*
 * jitdump files: a JIT maps its own jit-PID.dump once, only to leave an MMAP record that names
 * it.  The functions in the dump go into the timeline with the time from which they were there.
 */
#ifndef PERFREP_COLLECT_JIT_H
#define PERFREP_COLLECT_JIT_H

#include "base/vec.h"

#include <perfrep/objfile.h>
#include <perfrep/timeline.h>

struct jit_dump {
	int32_t pid;
	char *path;
};

struct jit_dumps {
	VEC(struct jit_dump) dumps;
};

/* Remember the map when it is one of a jitdump file. */
void jit_note_map(struct jit_dumps *jd, const struct record_mmap *m);
/* Read the files that are there, below WHERE's symfs; releases JD. */
void jit_load_dumps(struct jit_dumps *jd, struct timeline *tl, const struct objfile_search *where);

#endif
