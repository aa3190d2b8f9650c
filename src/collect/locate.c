/* SPDX-License-Identifier: MIT */
#include "collect/locate.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/xmalloc.h"

enum { SLOTS = 1 << 14 };

void locator_init(struct locator *lo, const struct timeline *tl, struct profile *p, bool keep_ip)
{
	*lo = (struct locator){ .timeline = tl, .profile = p, .keep_ip = keep_ip };
	lo->slots = xcalloc(SLOTS, sizeof(*lo->slots));
}

void locator_release(struct locator *lo)
{
	free(lo->slots);
}

/* The image whose maps an address of that mode is looked up in; NULL when there is none. */
static const struct process *image_of(const struct locator *lo, const struct process *proc,
				      uint8_t cpumode)
{
	switch (cpumode) {
	case CPUMODE_KERNEL:
	case CPUMODE_GUEST_KERNEL:
		return timeline_kernel(lo->timeline, (enum cpumode)cpumode);
	case CPUMODE_USER:
	case CPUMODE_UNKNOWN:
		return proc;
	default:
		return NULL;
	}
}

static uint32_t make_location(struct locator *lo, const struct process *proc, struct frame_addr f,
			      uint64_t when, struct validity *valid)
{
	const struct process *image = image_of(lo, proc, f.cpumode);
	uint64_t addr = frame_addr_lookup(f);
	uint64_t ip = lo->keep_ip ? f.addr : 0;
	const struct map *map = NULL;
	uint32_t loc;

	*valid = VALIDITY_ALWAYS;
	if (image)
		map = process_map(image, addr, when, valid);
	if (map)
		loc = profile_loc(lo->profile, LOC_DSO, map->dso->id, map_location(map, addr), ip);
	else
		loc = profile_loc(lo->profile, LOC_ADDR, f.cpumode, addr, ip);
	return lo->canon ? lo->canon[loc] : loc;
}

uint32_t locator_find(struct locator *lo, const struct process *proc, struct frame_addr f,
		      uint64_t when, struct validity *valid)
{
	uint32_t id = process_id(proc) + 1;
	uint64_t hash = hash_mix(f.addr, id);
	struct located *s = &lo->slots[hash & (SLOTS - 1)];

	if (s->addr == f.addr && s->process == id && s->cpumode == f.cpumode &&
	    s->is_return == f.is_return && validity_has(s->valid, when)) {
		lo->hits++;
	} else {
		lo->misses++;
		*s = (struct located){ .addr = f.addr, .process = id, .cpumode = f.cpumode,
				       .is_return = f.is_return };
		s->loc = make_location(lo, proc, f, when, &s->valid);
	}
	*valid = s->valid;
	return s->loc;
}
