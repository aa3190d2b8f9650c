/* SPDX-License-Identifier: MIT */
#include "view/row_slices.h"

#include <stdlib.h>

#include "base/xmalloc.h"

void row_slices_init(struct row_slices *s, const struct profile *p, size_t nr_rows)
{
	*s = (struct row_slices){ .profile = p, .nr_rows = nr_rows };
	s->v = xcalloc(p->nr_events + 1, sizeof(*s->v));
}

void row_slices_want(struct row_slices *s, uint32_t event)
{
	struct event_slices *e = &s->v[event];
	size_t n = s->nr_rows + 1;

	if (e->weight)
		return;
	e->weight = xcalloc(n, sizeof(*e->weight));
	e->samples = xcalloc(n, sizeof(*e->samples));
	e->blocks = xcalloc(n * PROFILE_BLOCKS, sizeof(*e->blocks));
	e->sample_blocks = xcalloc(n * PROFILE_BLOCKS, sizeof(*e->sample_blocks));
}

void row_slices_add(struct row_slices *s, size_t row, const struct stack_iter *it)
{
	struct event_slices *e = &s->v[it->event];

	e->weight[row] += it->weight;
	e->samples[row] += it->count;
	e->blocks[row * PROFILE_BLOCKS + it->block] += it->weight;
	e->sample_blocks[row * PROFILE_BLOCKS + it->block] += it->count;
}

void row_slices_fill(struct row_slices *s, void (*place)(void *ctx, const struct stack_iter *it),
		     void *ctx)
{
	struct stack_iter it;

	stack_iter_init(&it, s->profile, PROFILE_NONE);
	it.by_block = true;
	while (stack_iter_next(&it)) {
		struct event_slices *e = &s->v[it.event];

		if (!e->weight)
			continue;
		e->all_weight[it.block] += it.weight;
		e->all_samples[it.block] += it.count;
		place(ctx, &it);
	}
	stack_iter_release(&it);
}

void row_slices_release(struct row_slices *s)
{
	for (size_t i = 0; s->v && i < s->profile->nr_events; i++) {
		free(s->v[i].weight);
		free(s->v[i].samples);
		free(s->v[i].blocks);
		free(s->v[i].sample_blocks);
	}
	free(s->v);
	*s = (struct row_slices){ .v = NULL };
}

struct share row_slices_share(const struct row_slices *s, uint32_t event, size_t row, bool by_count)
{
	const struct profile_event *e = &s->profile->events[event];
	const struct event_slices *v = &s->v[event];
	double n = by_count ? (double)e->samples : profile_effective_samples(e);
	double all = (double)(by_count ? e->samples : e->weight);
	const uint64_t *x = by_count ? v->sample_blocks : v->blocks;

	if (s->profile->timed && !e->exact)
		return share_of_blocks(x + row * PROFILE_BLOCKS,
				       by_count ? v->all_samples : v->all_weight, v->all_samples,
				       PROFILE_BLOCKS, n);
	return share_binomial(all > 0 ? (double)(by_count ? v->samples : v->weight)[row] / all : 0,
			      n);
}

struct share row_slices_share_of(const struct row_slices *s, uint32_t event, size_t row, size_t of,
				 bool by_count)
{
	const struct profile_event *e = &s->profile->events[event];
	const struct event_slices *v = &s->v[event];
	const uint64_t *blocks = by_count ? v->sample_blocks : v->blocks;
	const uint64_t *sums = by_count ? v->samples : v->weight;
	double n = (double)v->samples[of], all = (double)sums[of];

	/* weights differ there as they do everywhere */
	if (!by_count && e->samples)
		n *= profile_effective_samples(e) / (double)e->samples;
	if (s->profile->timed && !e->exact)
		return share_of_blocks(blocks + row * PROFILE_BLOCKS, blocks + of * PROFILE_BLOCKS,
				       v->sample_blocks + of * PROFILE_BLOCKS, PROFILE_BLOCKS, n);
	return share_binomial(all > 0 ? (double)sums[row] / all : 0, n);
}

const uint64_t *row_slices_of(const struct row_slices *s, uint32_t event, size_t row)
{
	return s->v[event].blocks + row * PROFILE_BLOCKS;
}
