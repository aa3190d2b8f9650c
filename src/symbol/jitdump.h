/* SPDX-License-Identifier: MIT */
/*
 * jitdump files: what a JIT compiled, with names and times
 * (tools/perf/Documentation/jitdump-specification.txt in the kernel).
 */
#ifndef PERFREP_SYMBOL_JITDUMP_H
#define PERFREP_SYMBOL_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

/* From WHEN on, this function is at ADDR. */
struct jitdump_load {
	uint64_t when;
	uint64_t addr, size;
	const char *name; /* borrowed from the bytes */
	uint64_t index; /* the JIT's own number of the function */
};

struct jitdump {
	struct jitdump_load *loads; /* in the order of the file */
	size_t n;
	uint32_t pid, e_machine;
	bool arch_timestamp; /* times are a CPU's counter, not CLOCK_MONOTONIC */
	uint64_t records; /* of all kinds */
	uint64_t malformed; /* left out */
	uint64_t undecoded; /* bytes at the end that are no whole record */
};

/*
 * Parse the SIZE bytes at DATA, which must live as long as OUT.  Either byte order.  Negative and
 * a sentence when the header is not one of a jitdump file; a file that was cut gives what is whole.
 */
int jitdump_parse(const uint8_t *data, size_t size, struct jitdump *out, struct err *err);
void jitdump_release(struct jitdump *jd);

#endif
