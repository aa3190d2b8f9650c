/* SPDX-License-Identifier: MIT */
/*
 * Address -> location: one look into a small cache for an address that was seen, as long as the
 * map that it lay in stays in force.
 */
#ifndef PERFREP_COLLECT_LOCATE_H
#define PERFREP_COLLECT_LOCATE_H

#include <perfrep/profile.h>
#include <perfrep/stack.h>
#include <perfrep/timeline.h>

struct located {
	uint64_t addr;
	uint32_t process; /* id + 1; 0 is a free slot */
	uint32_t loc;
	uint8_t cpumode;
	bool is_return;
	struct validity valid;
};

struct locator {
	const struct timeline *timeline;
	struct profile *profile;
	bool keep_ip;
	const uint32_t *canon; /* what a location is replaced by; NULL: itself */
	struct located *slots;
	uint64_t hits, misses;
};

void locator_init(struct locator *lo, const struct timeline *tl, struct profile *p, bool keep_ip);
/* The location of F in PROC at WHEN; *VALID: as long as it stays the same. */
uint32_t locator_find(struct locator *lo, const struct process *proc, struct frame_addr f,
		      uint64_t when, struct validity *valid);
void locator_release(struct locator *lo);

#endif
