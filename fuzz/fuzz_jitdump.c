/* SPDX-License-Identifier: MIT */
/* jitdump files: every name ends inside the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err err = { 0 };
	struct jitdump jd;

	if (jitdump_parse(data, size, &jd, &err) < 0) {
		if (!err.text[0])
			abort();
		return 0;
	}
	if (jd.n > jd.records || jd.undecoded > size)
		abort();
	for (size_t i = 0; i < jd.n; i++) {
		const uint8_t *name = (const uint8_t *)jd.loads[i].name;

		if (name < data || name + strlen(jd.loads[i].name) >= data + size)
			abort();
	}
	jitdump_release(&jd);
	return 0;
}
