/* SPDX-License-Identifier: MIT */
/* System calls in all formats. */
#ifndef PERFREP_VIEW_SYSCALLS_H
#define PERFREP_VIEW_SYSCALLS_H

#include <perfrep/syscall_table.h>
#include <perfrep/view.h>

#include "base/strbuf.h"

struct syscall_view {
	const char *file;
	bool threads; /* rows are of threads */
	size_t limit; /* of rows; 0: all */
};

void syscalls_print(const struct syscall_table *t, const struct syscall_view *v,
		    const struct view_style *style, struct strbuf *sb);
struct json_object *syscalls_json(const struct syscall_table *t, const struct syscall_view *v);

#endif
