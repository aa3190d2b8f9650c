/* SPDX-License-Identifier: MIT */
/*
 * All process images, and which one a pid ran when.
 *
 * A pid gets a new image by a fork (a new process, also when the number was used before) and by
 * an exec (the same process without its old maps).  It keeps its image after its end, because
 * samples can come a moment later than the record of it, from another CPU; a pid that was used
 * again has a FORK.
 *
 * A process forked from a process that was forked … makes a chain of images to look through.
 * Images that mapped nothing themselves are left out of it at once.  If it becomes longer than
 * MAX_DEPTH, the child gets a copy of all maps along it instead.  Real recordings hardly ever
 * need that; for a made-up one, in which it would happen a million times, the number of copies
 * is bounded, and what goes beyond is counted in `forks_cut`.
 */
#include "machine/process.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/hash.h"

#define MAX_DEPTH  16
#define MAX_COPIED ((uint64_t)1 << 22)

void processes_init(struct process_table *t, uint32_t first_id)
{
	*t = (struct process_table){ .nr_ids = first_id, .nobody = { .pid = -1 } };
}

void processes_release(struct process_table *t)
{
	for (size_t i = 0; i < t->images.n; i++)
		process_release(t->images.v[i]);
	arena_release(&t->arena);
	vec_release(&t->images);
	vec_release(&t->pids);
	free(t->by_pid);
	hashidx_release(&t->index);
}

static uint32_t find_pid(const struct process_table *t, int32_t pid)
{
	struct hashidx_iter it = hashidx_first(&t->index, hash_u64((uint32_t)pid));
	uint32_t i;

	while ((i = hashidx_next(&t->index, &it)) != HASHIDX_NONE)
		if (t->pids.v[i].pid == pid)
			break;
	return i;
}

static struct process_pid *add_pid(struct process_table *t, int32_t pid)
{
	uint32_t i = find_pid(t, pid);

	if (i == HASHIDX_NONE) {
		i = (uint32_t)t->pids.n;
		vec_push(&t->pids, (struct process_pid){ .pid = pid });
		hashidx_add(&t->index, hash_u64((uint32_t)pid), i);
	}
	return &t->pids.v[i];
}

static struct process *begin_image(struct process_table *t, struct process_pid *p, uint64_t from,
				   uint32_t id)
{
	struct process *proc = arena_alloc(&t->arena, sizeof(*proc));

	*proc = (struct process){ .id = id, .pid = p->pid, .from = from };
	vec_push(&t->images, proc);
	p->current = proc;
	p->count++;
	return proc;
}

struct process *processes_current(struct process_table *t, int32_t pid)
{
	struct process_pid *p = add_pid(t, pid);

	return p->current ? p->current : begin_image(t, p, 0, t->nr_ids++);
}

/* What the parent had mapped N events ago lasts on: the events keep their times. */
static void copy_maps(struct process_table *t, struct process *to, const struct process *from,
		      uint32_t nr_maps, uint32_t nr_code)
{
	for (uint32_t i = 0; i < nr_maps; i++)
		process_add_map(to, &from->map_events.v[i]);
	for (uint32_t i = 0; i < nr_code; i++)
		process_add_code(to, &from->code_events.v[i]);
	t->copied += (uint64_t)nr_maps + nr_code;
}

/* PROC, child of PARENT as it is now, gets all that PARENT has, the eldest's first. */
static void copy_chain(struct process_table *t, struct process *proc, const struct process *parent)
{
	const struct process *chain[MAX_DEPTH + 1];
	uint32_t nr_maps[MAX_DEPTH + 1], nr_code[MAX_DEPTH + 1], n = 0;

	nr_maps[0] = parent->map_events.n;
	nr_code[0] = parent->code_events.n;
	for (const struct process *p = parent; p; p = p->exec ? NULL : p->parent) {
		assert(n <= MAX_DEPTH);
		if (p->parent && n < MAX_DEPTH) {
			nr_maps[n + 1] = p->parent_maps;
			nr_code[n + 1] = p->parent_code;
		}
		chain[n++] = p;
	}
	while (n--)
		copy_maps(t, proc, chain[n], nr_maps[n], nr_code[n]);
}

static void inherit(struct process_table *t, struct process *proc, const struct process *parent,
		    uint64_t when)
{
	if (!parent->map_events.n && !parent->code_events.n) {
		if (!parent->parent || parent->exec)
			return;
		proc->parent = parent->parent;
		proc->forked = parent->forked;
		proc->parent_maps = parent->parent_maps;
		proc->parent_code = parent->parent_code;
		proc->depth = parent->depth;
	} else if (parent->depth < MAX_DEPTH) {
		proc->parent = parent;
		proc->forked = when;
		proc->parent_maps = parent->map_events.n;
		proc->parent_code = parent->code_events.n;
		proc->depth = parent->depth + 1;
	} else if (t->copied < MAX_COPIED) {
		copy_chain(t, proc, parent);
	} else {
		t->forks_cut++;
		return;
	}
	proc->has_code = parent->has_code;
}

void processes_fork(struct process_table *t, int32_t pid, int32_t ppid, uint64_t when, bool clone)
{
	uint32_t pp = find_pid(t, ppid);
	const struct process *parent = pp == HASHIDX_NONE ? NULL : t->pids.v[pp].current;
	struct process *proc = begin_image(t, add_pid(t, pid), when, t->nr_ids++);

	if (clone && parent)
		inherit(t, proc, parent, when);
}

void processes_exec(struct process_table *t, int32_t pid, uint64_t when)
{
	struct process *cur = processes_current(t, pid);

	struct process *proc;

	/* without maps there is nothing to drop */
	if (!cur->map_events.n && !cur->code_events.n && (!cur->parent || cur->exec))
		return;
	proc = begin_image(t, add_pid(t, pid), when, cur->id);
	proc->exec = true;
	proc->parent = cur;
	proc->forked = when;
}

void processes_finish(struct process_table *t)
{
	uint32_t first = 0;

	for (size_t i = 0; i < t->images.n; i++)
		process_build(t->images.v[i]);
	for (size_t i = 0; i < t->pids.n; i++) {
		t->pids.v[i].first = first;
		first += t->pids.v[i].count;
		t->pids.v[i].count = 0;
	}
	t->by_pid = xreallocarray(NULL, first ? first : 1, sizeof(*t->by_pid));
	for (size_t i = 0; i < t->images.n; i++) {
		struct process_pid *p = add_pid(t, t->images.v[i]->pid);

		t->by_pid[p->first + p->count++] = t->images.v[i];
	}
}

const struct process *processes_find(const struct process_table *t, int32_t pid, uint64_t when,
				     struct validity *valid)
{
	uint32_t i = find_pid(t, pid);
	struct process **v;
	size_t at;

	*valid = VALIDITY_ALWAYS;
	if (i == HASHIDX_NONE)
		return &t->nobody;
	v = t->by_pid + t->pids.v[i].first;
	at = bisect(k, t->pids.v[i].count, v[k]->from <= when);
	if (at < t->pids.v[i].count)
		valid->until = v[at]->from;
	if (!at)
		return &t->nobody;
	valid->from = v[at - 1]->from;
	return v[at - 1];
}
