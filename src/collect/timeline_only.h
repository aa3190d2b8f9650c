/* SPDX-License-Identifier: MIT */
/* The timeline of a recording, for commands that make no profile. */
#ifndef PERFREP_COLLECT_TIMELINE_ONLY_H
#define PERFREP_COLLECT_TIMELINE_ONLY_H

#include <perfrep/reader.h>
#include <perfrep/timeline.h>

/* Reads R to its end.  timeline_free() it, before R. */
struct timeline *timeline_only(struct reader *r);

#endif
