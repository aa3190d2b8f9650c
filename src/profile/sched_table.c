/* SPDX-License-Identifier: MIT */
#include <perfrep/sched_table.h>

#include <stdlib.h>

void sched_table_release(struct sched_table *t)
{
	for (size_t i = 0; i < t->nr_all; i++)
		free(t->rows[i].comm);
	free(t->rows);
	free(t->worst);
}

const char *sched_part_name(enum sched_part part)
{
	static const char *const names[PART_MAX] = {
		[PART_RUN] = "run",         [PART_SLEEPING] = "sleeping",
		[PART_DISK] = "disk",       [PART_BLOCKED] = "blocked",
		[PART_WOKEN] = "woken",     [PART_PREEMPTED] = "preempted",
		[PART_UNKNOWN] = "unknown",
	};

	return names[part];
}
