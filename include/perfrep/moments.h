/* SPDX-License-Identifier: MIT */
/*
 * The samples of an event in the order of their times, thread by thread, of a profile that was
 * filled with profile_add_moment() (session_options.keep_order).
 */
#ifndef PERFREP_MOMENTS_H
#define PERFREP_MOMENTS_H

#include <perfrep/profile.h>

struct moment {
	uint64_t when, order; /* as they were added */
	uint32_t key; /* in profile.keys */
	uint32_t set, stack; /* private: where its stack is */
};

struct moments {
	struct moment *v;
	size_t n;
};

/* Sorted by pid, tid and time.  Samples whose stacks were left out by a filter are not there. */
void profile_moments(struct moments *m, const struct profile *p, uint32_t event);
void moments_release(struct moments *m);
/* The locations of its stack, root first, into *LOCS, which has room for *CAP and is made larger. */
size_t moment_stack(const struct profile *p, const struct moment *m, uint32_t **locs, size_t *cap);

#endif
