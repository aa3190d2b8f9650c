/* SPDX-License-Identifier: MIT */
/*
 * The thread and the process image that a sample belongs to, remembered for as long as they stay
 * the same: what a worker asks the timeline for at each sample.
 */
#ifndef PERFREP_COLLECT_WHO_H
#define PERFREP_COLLECT_WHO_H

#include <perfrep/profile.h>
#include <perfrep/sample.h>
#include <perfrep/timeline.h>

enum { WHO_SLOTS = 256 };

struct who_thread {
	int32_t pid, tid;
	int32_t cpu; /* -1 unless stacks are kept apart by it */
	bool used;
	uint32_t comm; /* the timeline's id */
	uint32_t key; /* of the profile */
	uint32_t slot; /* for the caller: see `fresh` */
	bool fresh; /* just learnt: `slot` is not set */
	struct validity valid;
};

struct who_image {
	int32_t pid;
	bool used;
	const struct process *process;
	struct validity valid;
};

struct who {
	const struct timeline *timeline;
	struct profile *profile; /* gets the keys */
	unsigned keys; /* enum session_key */
	struct who_thread threads[WHO_SLOTS];
	struct who_image images[WHO_SLOTS];
};

void who_init(struct who *w, const struct timeline *tl, struct profile *p, unsigned keys);
struct who_thread *who_thread(struct who *w, const struct sample *s, uint64_t when);
const struct who_image *who_image(struct who *w, int32_t pid, uint64_t when);

#endif
