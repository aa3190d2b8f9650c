/* SPDX-License-Identifier: MIT */
/* The inside of a timeline. */
#ifndef PERFREP_MACHINE_TIMELINE_PRIV_H
#define PERFREP_MACHINE_TIMELINE_PRIV_H

#include <perfrep/timeline.h>

#include "base/vec.h"
#include "machine/comm.h"
#include "machine/kernel.h"
#include "machine/process.h"
#include "machine/thread.h"

#define CODE_NONE UINT32_MAX

/* A record that waits for timeline_finish(), or a function of timeline_add_code(). */
struct timeline_entry {
	uint64_t time, pos;
	const uint8_t *data; /* of the record, borrowed */
	uint32_t code; /* index in timeline.code; CODE_NONE: a record */
};

struct timeline_code {
	int32_t pid;
	uint64_t addr, len;
	char *symbol, *path;
};

struct timeline {
	const struct evlist *evlist;
	VEC(struct timeline_entry) entries;
	VEC(struct timeline_code) code;
	struct dso_table dsos;
	struct comm_table *comms; /* apart, since naming a thread without name changes it */
	struct kernel kernel, guest;
	struct process_table processes;
	struct thread_table threads;
	struct timeline_stats stats;
};

/* What the records do, in order of time. */
void timeline_apply_mmap(struct timeline *tl, const struct record_mmap *m, uint16_t misc,
			 uint64_t when);
void timeline_apply_comm(struct timeline *tl, const struct record_comm *c, uint64_t when);
void timeline_apply_fork(struct timeline *tl, const struct record_task *t, uint64_t when,
			 bool synthesized);
void timeline_apply_exit(struct timeline *tl, const struct record_task *t, uint64_t when);

#endif
