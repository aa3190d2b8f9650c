/* SPDX-License-Identifier: MIT */
/* From a recording to the table of its system calls: see syscall_table.h. */
#ifndef PERFREP_SYSCALLS_H
#define PERFREP_SYSCALLS_H

#include <perfrep/session.h>
#include <perfrep/syscall_table.h>

enum syscall_sort {
	SYSCALL_BY_TOTAL,
	SYSCALL_BY_CALLS,
	SYSCALL_BY_ERRORS,
	SYSCALL_BY_MAX,
};

struct syscall_options {
	struct filter *filter; /* comm, pid, tid, CPU and time of a call's beginning; may be NULL */
	enum syscall_sort sort;
	bool merge_threads; /* a row for each call */
	bool no_stacks;
	size_t limit; /* rows that get stacks; 0: all */
};

/*
 * Walk the recording of SO; the table and, in S, what session_walk() gives.  Fails when no system
 * calls were recorded; S is released then.
 */
int syscall_table_build(struct syscall_table *t, struct session *s,
			const struct session_options *so, const struct syscall_options *o,
			struct err *err);

#endif
