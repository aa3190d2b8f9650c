/* SPDX-License-Identifier: MIT */
/* How threads shared the CPUs, in all formats. */
#ifndef PERFREP_VIEW_SCHED_H
#define PERFREP_VIEW_SCHED_H

#include <perfrep/sched_table.h>
#include <perfrep/view.h>

#include "base/strbuf.h"

enum sched_part_shown { /* which table the formats with one table print */
			SCHED_SHOW_THREADS,
			SCHED_SHOW_HISTOGRAM,
			SCHED_SHOW_WAITS,
};

struct sched_view {
	const char *file;
	enum sched_part_shown show;
	uint64_t over; /* waits of so much are listed; 0: none */
	size_t limit; /* of rows; 0: all */
};

void sched_print(const struct sched_table *t, const struct sched_view *v,
		 const struct view_style *style, struct strbuf *sb);
struct json_object *sched_json(const struct sched_table *t, const struct sched_view *v);

#endif
