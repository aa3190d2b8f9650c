/* SPDX-License-Identifier: MIT */
/*
 * A recording of the scheduler's tracepoints, as a story of each CPU: who leaves, in which state and
 * out of which function, who comes, who is woken.
 *
 *	sched_begin(&r, be, true);
 *	sched_on(&r, 0, 43);		on CPU 0, where 43 runs
 *	r.time += 100;
 *	sched_to(&r, SLEEP, 0x401000, 44);	43 sleeps, 44 comes
 */
#ifndef PERFREP_TESTS_SCHED_RECORDER_H
#define PERFREP_TESTS_SCHED_RECORDER_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata_builder.h"

enum { SWITCH_ID = 372, WAKING_ID = 380 };
/* As in prev_state. */
enum { RUNNING = 0, SLEEP = 1, DISK = 2, DEAD = 16, KILLABLE = 0x102 };
/* All threads are those of one process but for some, which are processes of their own. */
enum { PROGRAM = 50, CHILD = 71, CHILD_LAST = 79 };

#define BEGIN (UINT64_C(5000) * 1000000)

struct sched_recorder {
	struct builder b;
	uint32_t switches, wakings;
	bool wakes; /* wakings are recorded */
	uint32_t cpu, current; /* on which we are, and who runs there */
	uint64_t time;
};

static inline void sched_sample(struct sched_recorder *r, uint32_t ev, uint64_t where,
				const uint8_t *raw, uint32_t size)
{
	const uint64_t chain[] = { CONTEXT_KERNEL, 0xffffffff81000100, CONTEXT_USER, where + 1,
				   0x400100 };
	uint32_t tid = r->current;
	bool child = tid >= CHILD && tid <= CHILD_LAST;

	builder_sample(&r->b, ev,
		       &(struct builder_sample){ .time = r->time,
						 .pid = child || !tid ? tid : PROGRAM,
						 .tid = tid,
						 .cpu = r->cpu,
						 .ip = chain[1],
						 .period = 1,
						 .chain = chain,
						 .nr_chain = tid ? 5 : 2,
						 .raw = raw,
						 .raw_size = size });
}

/* Who runs leaves in STATE, out of WHERE, and NEXT comes. */
static inline void sched_to(struct sched_recorder *r, uint64_t state, uint64_t where, uint32_t next)
{
	uint8_t raw[64] = { 0 };

	builder_encode(&r->b, raw, SWITCH_ID, 2);
	builder_encode(&r->b, raw + 24, r->current, 4);
	builder_encode(&r->b, raw + 32, state, 8);
	builder_encode(&r->b, raw + 56, next, 4);
	sched_sample(r, r->switches, where, raw, sizeof(raw));
	r->current = next;
}

static inline void sched_wake(struct sched_recorder *r, uint32_t tid)
{
	uint8_t raw[36] = { 0 };

	if (!r->wakes)
		return;
	builder_encode(&r->b, raw, WAKING_ID, 2);
	builder_encode(&r->b, raw + 24, tid, 4);
	sched_sample(r, r->wakings, 0x405000, raw, sizeof(raw));
}

static inline void sched_on(struct sched_recorder *r, uint32_t cpu, uint32_t current)
{
	r->cpu = cpu;
	r->current = current;
	r->time = BEGIN;
}

/* The events, their formats, and where the functions are. */
static inline void sched_begin(struct sched_recorder *r, bool be, bool wakes)
{
	struct builder_attr attr = { .name = "sched:sched_switch",
				     .type = PERF_TYPE_TRACEPOINT,
				     .config = SWITCH_ID,
				     .sample_period = 1,
				     .sample_type = BUILDER_SAMPLE_TYPE | SAMPLE_RAW };
	size_t size;
	uint8_t *blob;

	*r = (struct sched_recorder){ .wakes = wakes };
	builder_init(&r->b, &(struct builder_opts){ .be = be });
	r->switches = builder_event(&r->b, &attr);
	attr.name = "sched:sched_waking";
	attr.config = WAKING_ID;
	r->wakings = builder_event(&r->b, &attr);
	blob = builder_tracing_sched(be, SWITCH_ID, WAKING_ID, &size);
	builder_feature_blob(&r->b, FEATURE_TRACING_DATA, blob, size);
	free(blob);
	builder_mmap2(&r->b, &(struct builder_mmap){ .pid = PROGRAM,
						     .tid = PROGRAM,
						     .addr = 0x400000,
						     .len = 0x10000,
						     .filename = "/no/such/file" });
}

/* To a file, which the caller removes. */
static inline const char *sched_write(struct sched_recorder *r)
{
	static char path[40];
	int fd;

	strcpy(path, "/tmp/sched_recorder.XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
	builder_finish(&r->b);
	ck_assert_int_eq(builder_write(&r->b, path), 0);
	builder_release(&r->b);
	return path;
}

#endif
