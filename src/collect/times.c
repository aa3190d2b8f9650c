/* SPDX-License-Identifier: MIT */
/*
 * When there are too many samples, half of the windows are given up.  A worker gives up no more than
 * all of them together would, so that the merged choice is the one of a single worker.
 */
#include "collect/times.h"

enum { MAX_LEVEL = 63 };

static void shrink(struct times *t)
{
	size_t n;

	while (t->v.n > TIMES_MAX && t->level < MAX_LEVEL) {
		t->level++;
		n = 0;
		for (size_t i = 0; i < t->v.n; i++)
			if (times_keep(t, t->v.v[i].time))
				t->v.v[n++] = t->v.v[i];
		t->v.n = n;
	}
}

void times_add(struct times *t, struct sample_point point)
{
	if (!times_keep(t, point.time))
		return;
	vec_push(&t->v, point);
	shrink(t);
}

void times_merge(struct times *dst, const struct times *src)
{
	size_t n = 0;

	if (src->level > dst->level)
		dst->level = src->level;
	for (size_t i = 0; i < dst->v.n; i++)
		if (times_keep(dst, dst->v.v[i].time))
			dst->v.v[n++] = dst->v.v[i];
	dst->v.n = n;
	for (size_t i = 0; i < src->v.n; i++)
		if (times_keep(dst, src->v.v[i].time))
			vec_push(&dst->v, src->v.v[i]);
	shrink(dst);
}

void times_release(struct times *t)
{
	vec_release(&t->v);
}
