/* SPDX-License-Identifier: MIT */
#ifndef PERFREP_COLLECT_SYSCALL_STACKS_H
#define PERFREP_COLLECT_SYSCALL_STACKS_H

#include <perfrep/session.h>
#include <perfrep/syscall_table.h>

/* Give the first N rows of T the stack of their longest call, if stacks were recorded. */
void syscall_stacks(struct syscall_table *t, const struct session *s,
		    const struct session_options *so, size_t n);

#endif
