/* SPDX-License-Identifier: MIT */
/*
 * The names of threads, by tid and time.  Fill it in order of time, then comms_finish(); after
 * that any number of threads may ask.
 */
#ifndef PERFREP_MACHINE_COMM_H
#define PERFREP_MACHINE_COMM_H

#include <pthread.h>

#include <perfrep/timeline.h>

#include "base/hashidx.h"
#include "base/intern.h"
#include "base/vec.h"

/* From here on an id means ":TID" of thread id - COMM_UNNAMED. */
#define COMM_UNNAMED 0x80000000u

struct comm_change {
	uint32_t tid; /* index of the thread */
	uint32_t comm; /* id of the name, COMM_FORGOTTEN */
	uint64_t from;
};

struct comm_tid {
	int32_t tid;
	uint32_t current; /* the name while it is being filled */
	uint32_t first, count; /* in changes, after comms_finish() */
};

struct comm_table {
	struct intern names;
	struct hashidx index; /* tid -> tids */
	VEC(struct comm_tid) tids;
	VEC(struct comm_change) changes;
	pthread_mutex_t lock; /* of `unnamed`, which is filled as it is asked for */
	struct intern unnamed;
};

void comms_init(struct comm_table *t);
void comms_set(struct comm_table *t, int32_t tid, const char *name, uint64_t when);
/* A new thread is called as the one that made it; a name that TID had before is forgotten. */
void comms_fork(struct comm_table *t, int32_t tid, int32_t parent_tid, uint64_t when);
void comms_finish(struct comm_table *t);
uint32_t comms_find(const struct comm_table *t, int32_t tid, uint64_t when, struct validity *valid);
const char *comms_str(struct comm_table *t, uint32_t comm);
void comms_release(struct comm_table *t);

#endif
