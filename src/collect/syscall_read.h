/* SPDX-License-Identifier: MIT */
/* The beginnings and ends of system calls, out of either family of tracepoints. */
#ifndef PERFREP_COLLECT_SYSCALL_READ_H
#define PERFREP_COLLECT_SYSCALL_READ_H

#include "base/vec.h"
#include "collect/formats.h"

#include <perfrep/session.h>

enum syscall_kind {
	SYSCALL_NONE,
	SYSCALL_ENTER,
	SYSCALL_RETURN,
	SYSCALL_THREAD_EXIT, /* ends what the thread was in */
};

struct syscall_record {
	uint64_t time, pos;
	int32_t pid, tid, cpu;
	int64_t nr; /* -1: the kernel does not know either (a return from a signal) */
	int64_t ret; /* of a RETURN */
	const char *name; /* of an event of its own, borrowed; NULL: the number alone is known */
	uint8_t kind; /* enum syscall_kind */
};

struct syscall_event { /* what to read of an event's samples */
	uint8_t kind;
	const char *name;
	const struct tp_field *nr, *ret;
};

/* Zero-initialised is ready. */
struct syscall_read {
	VEC(struct syscall_record) v;
	uint64_t begin, end;
	bool there; /* some event is of system calls */
	uint64_t unreadable;
	/* private: */
	struct formats formats;
	VEC(struct syscall_event) events; /* by evsel index */
};

/* A session_record_fn; CTX is the struct syscall_read. */
void syscall_read_record(void *ctx, const struct session *s, const struct record *rec,
			 const struct evsel *evsel);
/* All were taken: put them in order of time. */
void syscall_read_finish(struct syscall_read *sr);
void syscall_read_release(struct syscall_read *sr);

#endif
