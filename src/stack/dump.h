/* SPDX-License-Identifier: MIT */
/* The words that a sample's stack dump and the read-only parts of mapped files have. */
#ifndef PERFREP_STACK_DUMP_H
#define PERFREP_STACK_DUMP_H

#include "base/cursor.h"
#include "stack/modules.h"

struct dump {
	struct memory memory; /* for expressions */
	struct unwind_modules *modules;
	const struct sample *s;
	const struct process *proc;
	uint64_t when;
	uint64_t sp;
	bool beyond; /* a word behind the end of a full dump was asked for … */
	uint64_t missing; /* … this one */
};

void dump_init(struct dump *d, struct unwind_modules *um, const struct sample *s,
	       const struct process *proc, uint64_t when, uint64_t sp);
/* A word of 1, 2, 4 or 8 bytes that is not in the dump; 0 when it is known. */
int dump_read_elsewhere(struct dump *d, uint64_t addr, unsigned size, uint64_t *out);

/* A word of 4 or 8 bytes; 0 when it is known. */
static inline int dump_word(struct dump *d, uint64_t addr, unsigned size, uint64_t *out)
{
	uint64_t at = addr - d->sp; /* wraps for addresses below sp: then it is huge */

	if (at >= d->s->stack_size || d->s->stack_size - at < size)
		return dump_read_elsewhere(d, addr, size, out);
	*out = size == 8 ? get_u64(d->s->stack + at, d->s->be)
			 : get_u32(d->s->stack + at, d->s->be);
	return 0;
}

#endif
