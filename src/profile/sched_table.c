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
