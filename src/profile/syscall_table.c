/* SPDX-License-Identifier: MIT */
#include <perfrep/syscall_table.h>

#include <stdlib.h>

void syscall_table_release(struct syscall_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct syscall_row *r = &t->rows[i];

		for (size_t k = 0; k < r->nr_stack; k++)
			free(r->stack[k]);
		free(r->stack);
		free(r->comm);
		free(r->name);
	}
	free(t->rows);
}
