/* SPDX-License-Identifier: MIT */
/*
 * The images that processes ran: each pid's, in order of time.  Fill it in order of time, then
 * processes_finish(); after that it does not change.
 */
#ifndef PERFREP_MACHINE_PROCESS_H
#define PERFREP_MACHINE_PROCESS_H

#include <perfrep/timeline.h>

#include "base/arena.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "machine/maps.h"

struct map_events {
	struct map *v;
	uint32_t n, cap;
};

struct process {
	uint32_t id; /* of the process: images before and after an exec have the same */
	int32_t pid;
	uint64_t from; /* when this image began; 0: was there before */
	const struct process *parent; /* whose maps show through where it has none, or NULL */
	uint64_t forked; /* … as they were at that time */
	uint64_t inherits_until; /* … until then */
	bool exec; /* began with an exec, not a fork; parent: the old image */
	uint32_t depth; /* how many images it was forked from, that count */
	uint32_t parent_maps, parent_code; /* how many events the parent had had by then */
	struct map_events map_events, code_events; /* emptied by processes_finish() */
	bool has_code; /* code events in this image or one that it was forked from */
	struct maps maps; /* from MMAP records */
	struct maps code; /* from jitdump and KSYMBOL: lies over the maps */
};

struct process_pid {
	int32_t pid;
	uint32_t first, count; /* in by_pid; COUNT also while it is being filled */
	struct process *current;
};

struct process_table {
	struct arena arena;
	struct process nobody; /* of pids that nothing was heard of: id 0 */
	VEC(struct process *) images; /* in the order in which they began */
	struct process **by_pid; /* the same by pid, then in order */
	VEC(struct process_pid) pids;
	struct hashidx index; /* pid -> pids */
	uint32_t nr_ids;
	uint64_t copied; /* map events copied to keep chains of forks short */
	uint64_t forks_cut; /* forks whose parent's maps were left out: too many */
};

void processes_init(struct process_table *t, uint32_t first_id);
/* A new image is made when nothing was heard of PID yet: then it was there from the start. */
struct process *processes_current(struct process_table *t, int32_t pid);
/* PID begins with the maps that PPID has now; without any if !CLONE. */
void processes_fork(struct process_table *t, int32_t pid, int32_t ppid, uint64_t when, bool clone);
void processes_exec(struct process_table *t, int32_t pid, uint64_t when);
void processes_finish(struct process_table *t);
const struct process *processes_find(const struct process_table *t, int32_t pid, uint64_t when,
				     struct validity *valid);
void processes_release(struct process_table *t);

/* For one process; also for the kernel's. */
void process_add_map(struct process *proc, const struct map *map);
void process_add_code(struct process *proc, const struct map *map);
void process_build(struct process *proc);
void process_release(struct process *proc);

#endif
