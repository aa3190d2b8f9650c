/* SPDX-License-Identifier: MIT */
/* System calls: how often, how long, with how many errors, by thread and call.  Times in ns. */
#ifndef PERFREP_SYSCALL_TABLE_H
#define PERFREP_SYSCALL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syscall_row {
	char *comm, *name; /* owned; comm NULL and pid, tid -1 when all threads are one */
	int32_t pid, tid;
	int64_t nr; /* -1: not known */
	uint64_t calls; /* that began */
	uint64_t errors; /* of those that returned */
	uint64_t open; /* had not returned when the recording ended */
	uint64_t broken; /* whose return is missing: no time is known of them */
	uint64_t total; /* open ones up to the end of the recording */
	uint64_t p50, p99, max; /* of those that returned */
	uint64_t max_at; /* when the longest began … */
	uint64_t max_pos; /* … and its record */
	char **stack; /* its functions, leaf first, those of the kernel left out; owned */
	size_t nr_stack;
};

struct syscall_table {
	uint64_t begin, end;
	struct syscall_row *rows; /* in order */
	size_t n;
	uint64_t calls, errors, open, broken;
	uint64_t unmatched; /* returns of calls that began before the recording, or in a parent */
	uint64_t unreadable; /* samples without the fields that they should have */
	size_t nr_threads;
	bool has_stacks;
};

void syscall_table_release(struct syscall_table *t);

#endif
