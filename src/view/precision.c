/* SPDX-License-Identifier: MIT */
/*
 * How sure the shares of a table's rows are: as an effective number of samples, of which each share
 * would be as unsure as it is if samples were independent.  Where a table has sums by slices of
 * time they tell, else samples are taken for independent.
 */
#include "view/precision.h"

#include <string.h>

#include <perfrep/statistics.h>

/* A row's sums by slice of time; NULL when there are none.  ROOM is for those that are cells. */
static const uint64_t *sums_of(const struct table *t, const struct table_row *row, bool total,
			       uint64_t room[PROFILE_BLOCKS])
{
	const struct row_blocks *b = &t->blocks;
	const uint64_t *v = t->opts.by_count ? total ? b->total_samples : b->self_samples
			    : total          ? b->total
					     : b->self;

	if (!b->n || !t->cells)
		return b->n ? v + (size_t)row->sum * b->n : NULL;
	memset(room, 0, PROFILE_BLOCKS * sizeof(*room));
	for (uint32_t c = row->sum; c != UINT32_MAX; c = t->cells[c].next)
		room[t->cells[c].block] = total ? t->cells[c].total : t->cells[c].self;
	return room;
}

static const uint64_t *base_of(const struct table *t)
{
	return t->opts.by_count ? t->blocks.samples : t->blocks.weight;
}

static double effective(const struct table *t, const struct table_row *row, bool total)
{
	uint64_t room[PROFILE_BLOCKS];
	const uint64_t *x = sums_of(t, row, total, room);

	if (!x || t->profile->events[t->event].exact)
		return t->samples;
	return share_of_blocks(x, base_of(t), t->blocks.samples, t->blocks.n, t->samples).n;
}

void precision_find(struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct table_row *row = &t->rows[i];

		row->self_n = effective(t, row, false);
		row->total_n = effective(t, row, true);
	}
}

bool precision_drifts(const struct table *t, const struct table_row *row)
{
	uint64_t room[PROFILE_BLOCKS];
	const uint64_t *x = sums_of(t, row, false, room);

	return x && share_drifts(x, base_of(t), t->blocks.samples, t->blocks.n);
}

double precision_part(const struct table *t, const struct table_row *row, unsigned part,
		      unsigned parts)
{
	uint64_t room[PROFILE_BLOCKS];
	const uint64_t *x = sums_of(t, row, false, room), *w = base_of(t);
	unsigned n = t->blocks.n;
	double hit = 0, all = 0;

	for (unsigned b = n * part / parts; x && b < n * (part + 1) / parts; b++) {
		hit += (double)x[b];
		all += (double)w[b];
	}
	return all > 0 ? hit / all : 0;
}
