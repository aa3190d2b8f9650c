/* SPDX-License-Identifier: MIT */
/*
 * Ratios of two events by function: did this function's instructions per cycle change?
 *
 * Both events were compared already, so a function's weights and effective hits are there.  Each
 * weight is a sum over hits and has the relative variance 1 / hits; for events that were read
 * together, where numerator and denominator go up and down with each other, that is more than it
 * need be, never less.
 */
#include <perfrep/diff.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "base/xmalloc.h"

static const struct diff_row *find(const struct diff *d, const struct diff_row *like)
{
	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->rows[i].name, like->name) &&
		    !strcmp(d->rows[i].module[0], like->module[0]) &&
		    !strcmp(d->rows[i].module[1], like->module[1]))
			return &d->rows[i];
	return NULL;
}

/* The ratio of one side; false when there are too few samples of either. */
static bool ratio_of(const struct diff_measure *num, const struct diff_measure *den, int side,
		     double factor, struct ratio *r)
{
	double y = (double)num->weight[side], x = (double)den->weight[side];

	if (num->hits[side] < RATIO_MIN_SAMPLES || den->hits[side] < RATIO_MIN_SAMPLES)
		return false;
	*r = ratio_apart(y, y * y / num->hits[side], x, x * x / den->hits[side]);
	r->r *= factor;
	r->half *= factor;
	return true;
}

static bool make(struct diff_ratio *out, const struct diff_row *num, const struct diff_row *den,
		 double factor)
{
	struct ratio r[2];
	struct difference d;

	for (int s = 0; s < 2; s++)
		if (!ratio_of(&num->self, &den->self, s, factor, &r[s]))
			return false;
	d = difference_z(r[0].r, pow(r[0].half / STAT_Z95, 2), r[1].r,
			 pow(r[1].half / STAT_Z95, 2));
	*out = (struct diff_ratio){ .name = xstrdup(den->name),
				    .module = xstrdup(den->module[1]),
				    .v = { r[0].r, r[1].r },
				    .half = d.half,
				    .q = d.p };
	return true;
}

/* Significant ones first, then by the relative size of the change. */
static int compare(const void *va, const void *vb)
{
	const struct diff_ratio *a = va, *b = vb;
	bool sa = a->q <= DIFF_LEVEL, sb = b->q <= DIFF_LEVEL;
	double ca = fabs(log(a->v[1] / a->v[0])), cb = fabs(log(b->v[1] / b->v[0]));

	if (sa != sb)
		return sa ? -1 : 1;
	if (ca != cb)
		return ca < cb ? 1 : -1;
	return strcmp(a->name, b->name);
}

void diff_ratios_build(struct diff_ratios *dr, const char *name, const struct diff *num,
		       const struct diff *den, double factor)
{
	double *p = xcalloc(den->n + 1, sizeof(*p));

	*dr = (struct diff_ratios){ .name = name };
	dr->rows = xcalloc(den->n + 1, sizeof(*dr->rows));
	for (size_t i = 0; i < den->n; i++) {
		const struct diff_row *row = find(num, &den->rows[i]);

		if (row && make(&dr->rows[dr->n], row, &den->rows[i], factor))
			dr->n++;
	}
	for (size_t i = 0; i < dr->n; i++)
		p[i] = dr->rows[i].q;
	benjamini_hochberg(p, dr->n);
	for (size_t i = 0; i < dr->n; i++) {
		dr->rows[i].q = p[i];
		dr->changed += p[i] <= DIFF_LEVEL;
	}
	if (dr->n)
		qsort(dr->rows, dr->n, sizeof(*dr->rows), compare);
	free(p);
}

void diff_ratios_release(struct diff_ratios *dr)
{
	for (size_t i = 0; i < dr->n; i++) {
		free(dr->rows[i].name);
		free(dr->rows[i].module);
	}
	free(dr->rows);
	memset(dr, 0, sizeof(*dr));
}
