/* SPDX-License-Identifier: MIT */
/*
 * /proc/kallsyms: sorted, one symbol for each address, found again; and the same ones when no line
 * is left for later, as it is behind a tab.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/kallsyms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_up(const struct kallsyms *ks)
{
	for (size_t i = 0; i < ks->n; i++) {
		struct kallsym found;
		uint64_t start;

		if (i && ks->v[i].addr <= ks->v[i - 1].addr)
			abort();
		if (kallsyms_find(ks, ks->v[i].addr, &found) &&
		    (found.addr != ks->v[i].addr || !found.name))
			abort();
		if (ks->v[i].module)
			kallsyms_module_start(ks, "module", &start);
	}
}

static void compare(const struct kallsyms *a, const struct kallsyms *b, uint64_t addr)
{
	struct kallsym x, y;
	bool found = kallsyms_find(a, addr, &x);

	if (found != kallsyms_find(b, addr, &y) ||
	    (found && (x.name_len != y.name_len || memcmp(x.name, y.name, x.name_len))))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kallsyms ks, eager;
	char *text = malloc(size + 2);

	memcpy(text, "\t\n", 2);
	if (size)
		memcpy(text + 2, data, size);
	kallsyms_parse(&ks, (const char *)data, size, "_text");
	kallsyms_parse(&eager, text, size + 2, "_text");
	look_up(&ks);
	look_up(&eager);
	for (size_t i = 0; i < eager.n; i++)
		for (int k = -1; k < 2; k++)
			compare(&ks, &eager, eager.v[i].addr + (uint64_t)(int64_t)k);
	compare(&ks, &eager, 0);
	compare(&ks, &eager, UINT64_MAX);
	kallsyms_release(&ks);
	kallsyms_release(&eager);
	free(text);
	return 0;
}
