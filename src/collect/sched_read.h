/* SPDX-License-Identifier: MIT */
/* From a recording's records to those of sched.h: which of its events say what. */
#ifndef PERFREP_COLLECT_SCHED_READ_H
#define PERFREP_COLLECT_SCHED_READ_H

#include "collect/formats.h"
#include "collect/sched.h"

#include <perfrep/session.h>

enum sched_role {
	ROLE_NONE,
	ROLE_SWITCH,
	ROLE_WAKE,
	ROLE_NEW,
};

/* What to read of an event's samples; of a waking: who is woken. */
struct sched_event {
	uint8_t role; /* enum sched_role */
	const struct tp_field *tid, *comm;
	const struct tp_field *next_tid, *next_comm, *state; /* of a switch */
	const struct tp_field *flags; /* common_flags */
};

enum { SCHED_NAMED = 64 };

/* Zero-initialised is ready. */
struct sched_read {
	struct sched_records records;
	/*
	 * From the first switch or waking: threads that are born before it are just there, since
	 * what they did until then was not recorded.  To the last record of any sort.
	 */
	uint64_t begin, end;
	bool has_time;
	bool has_switch; /* sched_switch, or SWITCH records */
	bool has_states; /* … with the state: sched_switch */
	bool has_wake; /* sched_waking, sched_wakeup */
	bool wide; /* surely of whole CPUs: a record is of the idle task, or says so itself */
	uint64_t unreadable; /* samples of these events whose fields could not be read */
	uint64_t untimed; /* scheduler records without a time: of no use */
	/* private: */
	struct formats formats;
	VEC(struct sched_event) events; /* by evsel index */
	VEC(struct sched_name {
		int32_t tid;
		char comm[16];
	})
	names; /* that fields told: for threads that no COMM record names */
	VEC(struct sched_left {
		uint64_t time; /* 0: its CPU has had a record of coming since */
		int32_t next; /* who is to come */
	})
	left; /* by CPU: the last record of leaving it */
	struct hashidx name_index;
	uint32_t named[SCHED_NAMED]; /* 1 + tids that were met lately, by their low bits */
};

/* Of sched_switch: the field that says in which state a thread left; NULL for others.  EV may be NULL. */
const struct tp_field *sched_read_state(const struct tp_event *ev);
/* A session_record_fn; CTX is the struct sched_read. */
void sched_read_record(void *ctx, const struct session *s, const struct record *rec,
		       const struct evsel *evsel);
/* All were taken: put them in order. */
void sched_read_finish(struct sched_read *sr);
/* The index of the event that is sched_switch; UINT32_MAX: none was seen. */
uint32_t sched_read_switch(const struct sched_read *sr);
/* The name that a field told for TID, or NULL. */
const char *sched_read_name(const struct sched_read *sr, int32_t tid);
void sched_read_release(struct sched_read *sr);

#endif
