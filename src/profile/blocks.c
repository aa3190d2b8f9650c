/* SPDX-License-Identifier: MIT */
#include <perfrep/blocks.h>

#include <stdlib.h>

#include <perfrep/sums.h>

#include "profile/priv.h"

void profile_blocks(const struct profile *p, uint32_t event, struct blocks *b)
{
	uint32_t *func_of = xreallocarray(NULL, p->nr_lines, sizeof(*func_of));
	struct row_sums sums;

	for (size_t i = 0; i < p->nr_lines; i++)
		func_of[i] = p->lines[i].func;
	row_sums(&sums, p, event, func_of, p->nr_funcs, true);
	*b = (struct blocks){ .n = sums.blocks.n,
			      .weight = sums.blocks.weight,
			      .samples = sums.blocks.samples,
			      .self = sums.blocks.self,
			      .total = sums.blocks.total,
			      .self_samples = sums.blocks.self_samples,
			      .total_samples = sums.blocks.total_samples };
	sums.blocks = (struct row_blocks){ 0 };
	row_sums_release(&sums);
	free(func_of);
}

void blocks_release(struct blocks *b)
{
	free(b->weight);
	free(b->samples);
	free(b->self);
	free(b->total);
	free(b->self_samples);
	free(b->total_samples);
	*b = (struct blocks){ 0 };
}
