/* SPDX-License-Identifier: MIT */
#include "collect/locate.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

enum {
	SLOT_BITS = 16,
	SLOTS = 1 << SLOT_BITS,
	AHEAD = 32, /* frames whose slots are asked for before the first one is looked at */
};

void locator_init(struct locator *lo, const struct timeline *tl, struct profile *p, bool keep_ip)
{
	*lo = (struct locator){ .timeline = tl, .profile = p, .keep_ip = keep_ip };
	lo->slots = xcalloc_table(SLOTS, sizeof(*lo->slots));
	scopes_init(&lo->scopes);
}

void locator_release(struct locator *lo)
{
	free(lo->slots);
	scopes_release(&lo->scopes);
}

/* The image whose maps an address of that mode is looked up in; NULL when there is none. */
static const struct process *image_of(const struct timeline *tl, const struct process *proc,
				      uint8_t cpumode)
{
	switch (cpumode) {
	case CPUMODE_KERNEL:
	case CPUMODE_GUEST_KERNEL:
		return timeline_kernel(tl, (enum cpumode)cpumode);
	case CPUMODE_USER:
	case CPUMODE_UNKNOWN:
		return proc;
	default:
		return NULL;
	}
}

static struct location location_of(const struct timeline *tl, const struct process *proc,
				   struct frame_addr f, uint64_t when, bool keep_ip,
				   struct validity *valid)
{
	const struct process *image = image_of(tl, proc, f.cpumode);
	uint64_t addr = frame_addr_lookup(f);
	struct location l = { .ip = keep_ip ? f.addr : 0, .repaired = f.repaired };
	const struct map *map = NULL;

	*valid = VALIDITY_ALWAYS;
	if (image)
		map = process_map(image, addr, when, valid);
	l.kind = map ? LOC_DSO : LOC_ADDR;
	l.dso = map ? map->dso->id : f.cpumode;
	l.addr = map ? map_location(map, addr) : addr;
	return l;
}

uint32_t locate_known(const struct timeline *tl, const struct profile *p,
		      const struct sample_point *at, bool keep_ip)
{
	const struct frame_addr f = { .addr = at->ip, .cpumode = at->cpumode };
	struct validity valid;
	const struct process *proc = timeline_process(tl, at->pid, at->time, &valid);
	struct location l = location_of(tl, proc, f, at->time, keep_ip, &valid);

	return profile_find_loc(p, &l);
}

/* Many changing maps: start afresh rather than grow. */
static void forget(struct locator *lo)
{
	memset(lo->slots, 0, SLOTS * sizeof(*lo->slots));
	scopes_init(&lo->scopes);
}

static void learn(struct locator *lo, struct located *slot, const struct process *proc,
		  struct frame_addr f, uint32_t where, uint64_t when)
{
	struct validity valid;
	struct location l;

	lo->misses++;
	if (scopes_are_many(&lo->scopes))
		forget(lo);
	slot->addr = f.addr;
	l = location_of(lo->timeline, proc, f, when, lo->keep_ip, &valid);
	slot->loc = profile_loc_like(lo->profile, &l);
	slot->scope = scopes_id(&lo->scopes, where, valid);
}

static bool is_known(const struct locator *lo, const struct located *slot, uint64_t addr,
		     uint32_t where, uint64_t when)
{
	return slot->addr == addr && scopes_has(&lo->scopes, slot->scope, where, when);
}

/* As locator_find(), for N <= AHEAD frames, into the last of LOCS first. */
static void find_some(struct locator *lo, const struct process *proc,
		      const struct frame_addr *frames, size_t n, uint64_t when, uint32_t *locs)
{
	uint32_t process = (process_id(proc) + 1) << 5, where[AHEAD];
	struct located *slots[AHEAD];

	for (size_t i = 0; i < n; i++) {
		uint64_t hash;

		where[i] = process | (uint32_t)frames[i].repaired << 4 |
			   (uint32_t)frames[i].cpumode << 1 | frames[i].is_return;
		hash = (frames[i].addr ^ (uint64_t)where[i] << 40) * UINT64_C(0x9e3779b97f4a7c15);
		slots[i] = &lo->slots[hash >> (64 - SLOT_BITS)];
		__builtin_prefetch(slots[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (!is_known(lo, slots[i], frames[i].addr, where[i], when))
			learn(lo, slots[i], proc, frames[i], where[i], when);
		locs[n - 1 - i] = slots[i]->loc;
	}
}

void locator_find(struct locator *lo, const struct process *proc, const struct frame_addr *frames,
		  size_t n, uint64_t when, uint32_t *locs)
{
	for (; n > AHEAD; n -= AHEAD, frames += AHEAD)
		find_some(lo, proc, frames, AHEAD, when, locs + n - AHEAD);
	find_some(lo, proc, frames, n, when, locs);
}
