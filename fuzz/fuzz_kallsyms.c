/* SPDX-License-Identifier: MIT */
/* /proc/kallsyms: sorted, one symbol for each address, found again. */
#include <stdint.h>
#include <stdlib.h>

#include "symbol/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct kallsyms *ks)
{
	for (size_t i = 0; i < ks->n; i++) {
		const struct kallsym *found = kallsyms_find(ks, ks->v[i].addr);
		uint64_t start;

		if (i && ks->v[i].addr <= ks->v[i - 1].addr)
			abort();
		if (found && (found != &ks->v[i] || !found->name))
			abort();
		if (ks->v[i].module)
			kallsyms_module_start(ks, ks->v[i].module, &start);
	}
	kallsyms_find(ks, 0);
	kallsyms_find(ks, UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms ks;

	kallsyms_parse(&ks, (const char *)data, size, "_text");
	look_up(&ks);
	kallsyms_release(&ks);
	return 0;
}
