/* SPDX-License-Identifier: MIT */
#include "stack/dump.h"

/*
 * Dumps are larger than the nearest caches together, and a walk reads a word here and there, each
 * after the one before is known.  What is asked for early is there when it is needed.
 */
enum { LINE = 64, LINES = 128 };

static uint64_t get_word(const uint8_t *p, unsigned size, bool be)
{
	switch (size) {
	case 8:
		return get_u64(p, be);
	case 4:
		return get_u32(p, be);
	case 2:
		return get_u16(p, be);
	default:
		return *p;
	}
}

static int read_mapped(struct dump *d, uint64_t addr, unsigned size, uint64_t *out)
{
	struct validity v;
	const struct map *map = process_map(d->proc, addr, d->when, &v);
	const uint8_t *p;

	if (!map || map->dso->kind != DSO_FILE)
		return -1;
	p = modules_read_only(d->modules, map->dso, map_location(map, addr), size);
	if (!p)
		return -1;
	*out = get_word(p, size, d->s->be);
	return 0;
}

int dump_read_elsewhere(struct dump *d, uint64_t addr, unsigned size, uint64_t *out)
{
	if (addr >= d->sp && addr - d->sp < UNWIND_STACK_SPAN &&
	    d->s->stack_size == d->s->stack_dumped) {
		if (!d->beyond)
			d->missing = addr;
		d->beyond = true;
		return -1;
	}
	return read_mapped(d, addr, size, out);
}

static int read_any(struct memory *m, uint64_t addr, unsigned size, uint64_t *out)
{
	struct dump *d = (struct dump *)m; /* its first member */
	uint64_t at = addr - d->sp;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return -1;
	if (at >= d->s->stack_size || d->s->stack_size - at < size)
		return dump_read_elsewhere(d, addr, size, out);
	*out = get_word(d->s->stack + at, size, d->s->be);
	return 0;
}

void dump_init(struct dump *d, struct unwind_modules *um, const struct sample *s,
	       const struct process *proc, uint64_t when, uint64_t sp)
{
	*d = (struct dump){
		.memory.read = read_any, .modules = um, .s = s, .proc = proc, .when = when, .sp = sp
	};
	for (uint64_t i = 0; i < LINES && i * LINE < s->stack_size; i++)
		__builtin_prefetch(s->stack + i * LINE);
}
