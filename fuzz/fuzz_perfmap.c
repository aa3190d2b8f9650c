/* SPDX-License-Identifier: MIT */
/* /tmp/perf-PID.map: ranges in order and disjoint, found at both ends and not behind them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct perfmap *pm, const char *text, size_t size)
{
	for (size_t i = 0; i < pm->n; i++) {
		const struct perfmap_range *r = &pm->v[i];

		if (r->start >= r->end || (i && r->start < pm->v[i - 1].end))
			abort();
		if (perfmap_find(pm, r->start) != r || perfmap_find(pm, r->end - 1) != r)
			abort();
		if (perfmap_find(pm, r->end) == r)
			abort();
		if (r->name < text || r->len > size || r->name + r->len > text + size)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap pm;

	perfmap_parse(&pm, (const char *)data, size);
	look_up(&pm, (const char *)data, size);
	perfmap_release(&pm);
	return 0;
}
