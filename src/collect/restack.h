/* SPDX-License-Identifier: MIT */
/*
 * The stack of one sample after another, in the order of the file, for commands that show samples
 * and not a profile.  Everything is unwound twice: once for what the repair has to know, and once
 * to be shown.
 */
#ifndef PERFREP_COLLECT_RESTACK_H
#define PERFREP_COLLECT_RESTACK_H

#include <perfrep/reader.h>
#include <perfrep/unwind.h>

struct restack;

/* Read the recording PATH; REPAIR: stacks that were cut are completed.  NULL and ERR on failure. */
struct restack *restack_new(const char *path, const struct objfile_search *where, bool repair,
			    struct err *err);
/*
 * The frames of S, leaf first, whose record is at POS; the last *REPAIRED of them were taken from
 * other stacks of the thread.  *END says why no more frames are known, before the repair; WHOLE
 * after it.  False when the sample has no stack dump.  Valid until the next call.
 */
bool restack_sample(struct restack *rs, const struct sample *s, uint64_t pos,
		    const struct stack **st, size_t *repaired, enum unwind_end *end);
void restack_free(struct restack *rs);

#endif
