/* SPDX-License-Identifier: MIT */
/*
 * Address -> location: one look into a small cache for an address that was seen, as long as the
 * map that it lay in stays in force.  This is the innermost loop of a recording with callchains.
 */
#ifndef PERFREP_COLLECT_LOCATE_H
#define PERFREP_COLLECT_LOCATE_H

#include "machine/scopes.h"

#include <perfrep/profile.h>
#include <perfrep/sampling.h>
#include <perfrep/stack.h>
#include <perfrep/timeline.h>

struct located { /* four of them in a line of the cache */
	uint64_t addr;
	uint32_t loc;
	uint32_t scope; /* in `scopes` */
};

struct locator {
	const struct timeline *timeline;
	struct profile *profile;
	bool keep_ip;
	struct located *slots;
	struct scopes scopes; /* of process, mode, and what kind of frame it is */
	uint64_t misses;
};

void locator_init(struct locator *lo, const struct timeline *tl, struct profile *p, bool keep_ip);
/* The locations of the N FRAMES (leaf first) of a stack in PROC at WHEN, into LOCS, root first. */
void locator_find(struct locator *lo, const struct process *proc, const struct frame_addr *frames,
		  size_t n, uint64_t when, uint32_t *locs);
void locator_release(struct locator *lo);
/* The location of P in which a sample was taken; PROFILE_NONE when none of its stacks is there. */
uint32_t locate_known(const struct timeline *tl, const struct profile *p,
		      const struct sample_point *at, bool keep_ip);

#endif
