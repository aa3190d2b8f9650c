/* SPDX-License-Identifier: MIT */
#include "collect/timeline_only.h"

struct timeline *timeline_only(struct reader *r)
{
	struct timeline *tl = timeline_new(&r->evlist);
	const struct features *f = &r->features;
	struct record rec;

	while (reader_next(r, &rec) == 0)
		timeline_add(tl, &rec);
	timeline_finish(tl);
	for (size_t i = 0; i < f->nr_build_ids; i++)
		dso_table_build_id(timeline_dsos(tl), f->build_ids[i].filename,
				   &f->build_ids[i].id);
	return tl;
}
