/* SPDX-License-Identifier: MIT */
#include "base/hashidx.h"

#include <stdlib.h>

#include "base/xmalloc.h"

static void place(struct hashidx *idx, uint64_t hash, uint32_t id1)
{
	size_t at = (size_t)hash & idx->mask;

	while (idx->slots[at].id)
		at = (at + 1) & idx->mask;
	idx->slots[at] = (struct hashidx_slot){ hash, id1 };
}

static void grow(struct hashidx *idx)
{
	struct hashidx_slot *old = idx->slots;
	size_t count = old ? idx->mask + 1 : 0;
	size_t want = count ? count * 2 : 16;

	idx->slots = xcalloc_table(want, sizeof(*idx->slots));
	idx->mask = want - 1;
	for (size_t i = 0; i < count; i++)
		if (old[i].id)
			place(idx, old[i].hash, old[i].id);
	free(old);
}

void hashidx_add(struct hashidx *idx, uint64_t hash, uint32_t id)
{
	/* at most 5/8 full: linear probing stays short */
	if (!idx->slots || (idx->n + 1) * 8 > (idx->mask + 1) * 5)
		grow(idx);
	place(idx, hash, id + 1);
	idx->n++;
}

void hashidx_release(struct hashidx *idx)
{
	free(idx->slots);
	*idx = (struct hashidx){ 0 };
}
