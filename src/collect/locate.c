/* SPDX-License-Identifier: MIT */
#include "collect/locate.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

enum {
	SLOT_BITS = 16,
	SLOTS = 1 << SLOT_BITS,
	MAX_VALIDS = 1 << 12,
};

void locator_init(struct locator *lo, const struct timeline *tl, struct profile *p, bool keep_ip)
{
	*lo = (struct locator){ .timeline = tl, .profile = p, .keep_ip = keep_ip };
	lo->slots = xcalloc(SLOTS, sizeof(*lo->slots));
	vec_push(&lo->valids, VALIDITY_ALWAYS);
}

void locator_release(struct locator *lo)
{
	free(lo->slots);
	vec_release(&lo->valids);
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

	*valid = VALIDITY_ALWAYS;
	if (image)
		map = process_map(image, addr, when, valid);
	if (map)
		return profile_loc(lo->profile, LOC_DSO, map->dso->id, map_location(map, addr),
				   ip);
	return profile_loc(lo->profile, LOC_ADDR, f.cpumode, addr, ip);
}

/* Neighbours in the timeline have the same validity: the last few are looked through. */
static uint32_t valid_id(struct locator *lo, struct validity v)
{
	size_t from = lo->valids.n > 64 ? lo->valids.n - 64 : 0;

	for (size_t i = lo->valids.n; i-- > from;)
		if (lo->valids.v[i].from == v.from && lo->valids.v[i].until == v.until)
			return (uint32_t)i;
	vec_push(&lo->valids, v);
	return (uint32_t)lo->valids.n - 1;
}

/* Many changing maps: start afresh rather than grow. */
static void forget(struct locator *lo)
{
	memset(lo->slots, 0, SLOTS * sizeof(*lo->slots));
	lo->valids.n = 1;
}

static void learn(struct locator *lo, struct located *slot, const struct process *proc,
		  struct frame_addr f, uint32_t where, uint64_t when)
{
	struct validity valid;

	lo->misses++;
	if (lo->valids.n > MAX_VALIDS)
		forget(lo);
	slot->addr = f.addr;
	slot->where = where;
	slot->loc = make_location(lo, proc, f, when, &valid);
	slot->valid = valid_id(lo, valid);
}

void locator_find(struct locator *lo, const struct process *proc, const struct frame_addr *frames,
		  size_t n, uint64_t when, uint32_t *locs)
{
	uint32_t process = (process_id(proc) + 1) << 5;

	for (size_t i = 0; i < n; i++) {
		struct frame_addr f = frames[i];
		uint32_t where = process | (uint32_t)f.cpumode << 1 | f.is_return;
		uint64_t hash = (f.addr ^ (uint64_t)where << 40) * UINT64_C(0x9e3779b97f4a7c15);
		struct located *slot = &lo->slots[hash >> (64 - SLOT_BITS)];

		if (slot->addr != f.addr || slot->where != where ||
		    !validity_has(lo->valids.v[slot->valid], when))
			learn(lo, slot, proc, f, where, when);
		locs[n - 1 - i] = slot->loc;
	}
}
