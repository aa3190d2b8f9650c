/* SPDX-License-Identifier: MIT */
#include "collect/cut.h"

void cut_add(struct cut *c, const struct intake *in, const struct stack *st,
	     const struct unwind_info *info, bool waking)
{
	struct cut_sample cs = { .first = (uint32_t)c->frames.n,
				 .n = (uint32_t)st->n,
				 .key = in->key,
				 .tid = in->s.tid,
				 .process = in->image->process,
				 .when = in->when,
				 .pos = in->pos,
				 .sp = info->sp,
				 .first_weight = (uint32_t)c->weights.n,
				 .flags = (uint8_t)st->flags,
				 .end = (uint8_t)info->end,
				 .waking = waking };

	if (info->n) {
		cs.slot = info->frames[info->n - 1].slot;
		cs.func = info->frames[info->n - 1].func;
	}
	for (size_t i = 0; i < st->n; i++)
		vec_push(&c->frames, st->frames[i]);
	for (size_t i = 0; i < in->nr_weights && !waking; i++)
		if (intake_wants(in, in->weights[i].event))
			vec_push(&c->weights,
				 (struct stack_weight){ in->weights[i].weight, in->weights[i].event,
							in->block, in->weights[i].mark });
	cs.nr_weights = (uint32_t)c->weights.n - cs.first_weight;
	vec_push(&c->samples, cs);
}

void cut_release(struct cut *c)
{
	vec_release(&c->samples);
	vec_release(&c->frames);
	vec_release(&c->weights);
}
