/* SPDX-License-Identifier: MIT */
/*
 * /tmp/perf-PID.map, in which a JIT names its functions: lines "start size name", both numbers
 * hexadecimal (perf's tools/perf/Documentation/jit-interface.txt).
 */
#ifndef PERFREP_SYMBOL_PERFMAP_H
#define PERFREP_SYMBOL_PERFMAP_H

#include <stddef.h>
#include <stdint.h>

#define PERFMAP_CAP ((size_t)1 << 30) /* bytes of text */

/* A stretch of addresses that one line has. */
struct perfmap_range {
	uint64_t start, end;
	const char *name; /* borrowed from the text; not NUL-terminated */
	size_t len;
};

struct perfmap {
	struct perfmap_range *v; /* by address, disjoint */
	size_t n;
	size_t lines, malformed;
};

/*
 * Parse TEXT, which must live as long as the map.  Where lines overlap, the later one has the
 * addresses: code is written over, and there is no way to say that it is gone.
 */
void perfmap_parse(struct perfmap *pm, const char *text, size_t len);
void perfmap_release(struct perfmap *pm);

/* The range that has ADDR, or NULL. */
const struct perfmap_range *perfmap_find(const struct perfmap *pm, uint64_t addr);

#endif
