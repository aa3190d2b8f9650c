/* SPDX-License-Identifier: MIT */
/*
 * A LOST record is written when there is room again, on the CPU whose records were lost: these were
 * between the CPU's last record that is there and this one.
 */
#include "collect/sched_holes.h"

#include "base/bisect.h"
#include "collect/sched.h"

/* They come by their ends; those that overlap become one. */
static void add(struct sched_holes *h, struct sched_hole hole)
{
	while (h->v.n && h->v.v[h->v.n - 1].until >= hole.from) {
		if (h->v.v[h->v.n - 1].from < hole.from)
			hole.from = h->v.v[h->v.n - 1].from;
		h->v.n--;
	}
	vec_push(&h->v, hole);
}

void sched_holes_find(struct sched_holes *h, const struct sched_records *r, uint64_t begin)
{
	VEC(uint64_t) last = { 0 }; /* by CPU */

	for (size_t i = 0; r->holes && i < r->order.n; i++) {
		const struct sched_record *rec = &r->v.v[r->order.v[i]];
		uint32_t cpu = rec->cpu;

		if (cpu < SCHED_CPU_LIMIT && cpu >= last.n)
			vec_resize(&last, (size_t)cpu + 1);
		if (rec->kind == SCHED_LOST)
			add(h,
			    (struct sched_hole){ cpu < last.n && last.v[cpu] ? last.v[cpu] : begin,
						 rec->time });
		if (cpu < last.n)
			last.v[cpu] = rec->time;
	}
	vec_release(&last);
}

bool sched_holes_touch(const struct sched_holes *h, uint64_t from, uint64_t until)
{
	size_t at = bisect(i, h->v.n, h->v.v[i].until <= from);

	return at < h->v.n && h->v.v[at].from < until;
}

void sched_holes_release(struct sched_holes *h)
{
	vec_release(&h->v);
}
