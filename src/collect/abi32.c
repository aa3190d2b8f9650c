/* SPDX-License-Identifier: MIT */
/*
 * The kernel maps its [vdso] into every process: below 4 GiB if the program is one of 32 bits, and
 * far above if not.  That is recorded at each exec, or was found by the recorder in /proc.
 */
#include "collect/abi32.h"

#include <string.h>

static const uint64_t limit = UINT64_C(1) << 32;

static bool is_kernels_page(const struct map *map)
{
	return map->dso->kind == DSO_VDSO;
}

static void take_map(void *ctx, int32_t pid, const struct map *map)
{
	struct abi32 *a = ctx;

	(void)pid;
	if (map->start >= limit || !is_kernels_page(map))
		return;
	for (size_t i = 0; i < a->pages.n; i++)
		if (a->pages.v[i] == map->start)
			return;
	vec_push(&a->pages, map->start);
}

void abi32_init(struct abi32 *a, const struct timeline *tl)
{
	*a = (struct abi32){ .timeline = tl };
	timeline_each_map(tl, take_map, a);
}

void abi32_release(struct abi32 *a)
{
	vec_release(&a->pages);
}

bool abi32_at(const struct abi32 *a, int32_t pid, uint64_t when)
{
	const struct process *p;
	struct validity valid;

	if (!a->pages.n)
		return false;
	p = timeline_process(a->timeline, pid, when, &valid);
	for (size_t i = 0; i < a->pages.n; i++) {
		const struct map *map = process_map(p, a->pages.v[i], when, &valid);

		if (map && is_kernels_page(map))
			return true;
	}
	return false;
}
