/* SPDX-License-Identifier: MIT */
/*
 * One process image: its own maps, over those that its parent had when it was forked.
 *
 * A fork copies the maps of the parent, which would be costly for a server with 65,000 maps and
 * thousands of children.  Here the child only remembers its parent's image and the time, and
 * stores what it maps itself:
 *
 *	process_map(child, addr, when):	the child's own map at (addr, when), else
 *					the parent's at (addr, time of the fork), and so on
 *
 * The parent's image can go on changing: what it maps later has a later time.
 *
 * An exec does away with the old image's maps, but not at once: until the new program starts, the
 * task is in execve(), and the user part of its stacks is still where the old program called it.
 * So the old image shows through until the kernel has made its last map in an exec, the vdso, and
 * the program, that is its dynamic linker, the first of its own.
 *
 * Code that a JIT or the kernel named function by function lies in a layer of its own over the
 * maps: JITs map the same memory anew when they change its protection, which says nothing about
 * the functions in it.  Only a file that was mapped there later hides them.
 */
#include "machine/process.h"

#include <stdlib.h>

static void events_push(struct map_events *e, const struct map *map)
{
	if (e->n == e->cap) {
		e->cap = e->cap ? e->cap * 2 : 8;
		e->v = xreallocarray(e->v, e->cap, sizeof(*e->v));
	}
	e->v[e->n++] = *map;
}

void process_add_map(struct process *proc, const struct map *map)
{
	events_push(&proc->map_events, map);
}

void process_add_code(struct process *proc, const struct map *map)
{
	events_push(&proc->code_events, map);
	proc->has_code = true;
}

static void build(struct maps *maps, struct map_events *e)
{
	maps_build(maps, e->v, e->n);
	free(e->v);
	*e = (struct map_events){ 0 };
}

/* When the program of an exec runs for certain, as far as its maps tell. */
static uint64_t exec_done(const struct process *proc)
{
	const struct map *v = proc->map_events.v;
	uint32_t n = proc->map_events.n;

	for (uint32_t i = 0; i < n; i++)
		if (v[i].dso->kind == DSO_VDSO)
			return v[i + 1 < n ? i + 1 : i].valid.from;
	return n ? v[0].valid.from : proc->from;
}

void process_build(struct process *proc)
{
	proc->inherits_until = proc->exec ? exec_done(proc) : UINT64_MAX;
	build(&proc->maps, &proc->map_events);
	build(&proc->code, &proc->code_events);
}

void process_release(struct process *proc)
{
	maps_release(&proc->maps);
	maps_release(&proc->code);
	free(proc->map_events.v);
	free(proc->code_events.v);
}

/* Whether MAP, mapped over memory that held CODE, put something else there. */
static bool hides(const struct map *map, const struct map *code)
{
	return map && map->valid.from > code->valid.from &&
	       (map->dso->kind == DSO_FILE || map->dso->kind == DSO_VDSO);
}

typedef const struct maps *layer_fn(const struct process *proc);

static const struct maps *map_layer(const struct process *proc)
{
	return &proc->maps;
}

static const struct maps *code_layer(const struct process *proc)
{
	return &proc->code;
}

/* In one layer: the image's own, else what its ancestors had. */
static const struct map *find(const struct process *proc, layer_fn *layer, uint64_t addr,
			      uint64_t when, struct validity *valid)
{
	struct validity unused;
	const struct map *map = maps_find(layer(proc), addr, when, valid);

	if (map || !proc->parent)
		return map;
	*valid = validity_meet(*valid,
			       when < proc->inherits_until
				       ? (struct validity){ 0, proc->inherits_until }
				       : (struct validity){ proc->inherits_until, UINT64_MAX });
	if (when >= proc->inherits_until)
		return NULL;
	/*
	 * What an ancestor had at the time of a fork does not change any more.  A child of the
	 * new program has nothing of the old one.
	 */
	do {
		when = proc->forked;
		proc = proc->parent;
		map = maps_find(layer(proc), addr, when, &unused);
	} while (!map && proc->parent && !proc->exec);
	return map;
}

const struct map *process_map(const struct process *proc, uint64_t addr, uint64_t when,
			      struct validity *valid)
{
	const struct map *map = find(proc, map_layer, addr, when, valid);
	const struct map *code;
	struct validity code_valid;

	if (!proc->has_code)
		return map;
	code = find(proc, code_layer, addr, when, &code_valid);
	*valid = validity_meet(*valid, code_valid);
	return code && !hides(map, code) ? code : map;
}

uint32_t process_id(const struct process *proc)
{
	return proc->id;
}

uint64_t map_location(const struct map *map, uint64_t addr)
{
	switch (map->dso->kind) {
	case DSO_FILE:
	case DSO_VDSO:
	case DSO_KERNEL: /* there pgoff is the run-time address: see kernel.c */
	case DSO_MODULE:
	case DSO_GUEST_KERNEL:
		return addr - map->start + map->pgoff;
	case DSO_JIT:
	case DSO_CODE:
	case DSO_SPECIAL:
		break;
	}
	return addr;
}
