/* SPDX-License-Identifier: MIT */
/* One row per function: self and inclusive. */
#include <perfrep/folded.h>

#include <stdlib.h>
#include <string.h>

#include <perfrep/sums.h>

#include "profile/priv.h"

static int compare_rows(const void *va, const void *vb, void *arg)
{
	const struct profile_row *a = va, *b = vb;
	const struct profile *p = arg;
	const struct func *fa = &p->funcs[a->func], *fb = &p->funcs[b->func];
	int cmp;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	cmp = strcmp(profile_str(p, fa->name), profile_str(p, fb->name));
	if (!cmp)
		cmp = strcmp(profile_str(p, fa->module), profile_str(p, fb->module));
	return cmp ? cmp : (int)fa->flags - (int)fb->flags;
}

size_t profile_rows(const struct profile *p, uint32_t event, struct profile_row **out)
{
	struct profile_row *rows = xcalloc(p->nr_funcs, sizeof(*rows));
	uint32_t *func_of = xreallocarray(NULL, p->nr_lines, sizeof(*func_of));
	struct row_sums sums;
	size_t n = 0;

	for (size_t i = 0; i < p->nr_lines; i++)
		func_of[i] = p->lines[i].func;
	row_sums(&sums, p, event, func_of, p->nr_funcs, false);
	for (uint32_t f = 0; f < p->nr_funcs; f++) {
		const struct row_sum *s = &sums.rows[f];

		if (s->total || s->total_samples)
			rows[n++] = (struct profile_row){ f, s->self, s->self_samples, s->total,
							  s->total_samples };
	}
	if (n)
		qsort_r(rows, n, sizeof(*rows), compare_rows, (void *)p);
	*out = rows;
	row_sums_release(&sums);
	free(func_of);
	return n;
}
