/* SPDX-License-Identifier: MIT */
/*
 * The maps of one address space over the whole recording: an immutable set of disjoint
 * rectangles [start, end) x [from, until), made from the map events in their order.
 */
#ifndef PERFREP_MACHINE_MAPS_H
#define PERFREP_MACHINE_MAPS_H

#include <perfrep/timeline.h>

#define MAPS_NONE UINT32_MAX

/* A node of the interval tree: the rectangles that contain address `center`. */
struct maps_node {
	uint64_t center;
	uint64_t lo, hi; /* span of addresses of its rectangles */
	uint32_t first, count; /* in maps.v, by time */
	uint32_t left, right; /* those wholly below, wholly above; MAPS_NONE */
};

struct maps {
	struct map *v;
	uint32_t n;
	struct maps_node *nodes;
	uint32_t nr_nodes;
	uint32_t depth; /* nodes on the longest way down */
};

/*
 * Build from EVENTS, in the order in which they happened: each maps [start, end) from valid.from
 * on (which must not decrease; valid.until is not looked at), over whatever was there.  An event
 * without a dso only takes away.  Events with start >= end are left out.
 */
void maps_build(struct maps *m, const struct map *events, size_t n);
/* Steps of maps_build(): the rectangles, *OUT to be freed by the caller … */
size_t maps_cut(const struct map *events, size_t n, struct map **out);
/* The rectangle at (ADDR, WHEN) or NULL; *VALID: how long the answer stays the same. */
const struct map *maps_find(const struct maps *m, uint64_t addr, uint64_t when,
			    struct validity *valid);
void maps_release(struct maps *m);

#endif
