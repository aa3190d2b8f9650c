/* SPDX-License-Identifier: MIT */
/*
 * Shares are compared, each of its own total, so a longer recording is no slower program.  Many
 * boxes are compared at once: the p-values are corrected for that, else one of twenty would be
 * coloured for nothing.
 */
#include "view/flame_compare.h"

#include <perfrep/statistics.h>

static double share_of(const struct flame_side *s, struct flame_cost c)
{
	return s->base ? (double)c.weight / (double)s->base : 0;
}

/*
 * The variance of a share of N samples.  One of 0 or 1 has a variance too: two hits and two
 * misses are added, after Agresti and Coull.
 */
static double variance(double p, double n)
{
	double q = (p * n + 2) / (n + 4);

	return q * (1 - q) / (n + 4);
}

struct flame_change *flame_changes(const struct flame_tree *t, const struct flame_layout *l)
{
	const struct flame_side *before = &t->side[0], *after = &t->side[1];
	struct flame_change *changes = xcalloc(l->boxes.n, sizeof(*changes));
	double *p = xreallocarray(NULL, l->boxes.n, sizeof(*p));

	for (size_t i = 0; i < l->boxes.n; i++) {
		uint32_t node = l->boxes.v[i].node;
		double a = share_of(before, flame_cost(t, 0, node));
		double b = share_of(after, flame_cost(t, 1, node));
		struct difference d = difference_z(a, variance(a, before->effective), b,
						   variance(b, after->effective));

		changes[i] = (struct flame_change){ .before = a, .delta = b - a, .half = d.half };
		p[i] = a == b ? 1 : d.p;
	}
	benjamini_hochberg(p, l->boxes.n);
	for (size_t i = 0; i < l->boxes.n; i++)
		changes[i].significant = p[i] < 0.05;
	free(p);
	return changes;
}

bool flame_is_gone(const struct flame_tree *t, uint32_t node)
{
	return !flame_cost(t, 1, node).weight && flame_cost(t, 0, node).weight;
}

uint64_t *flame_gone(const struct flame_tree *t)
{
	uint64_t *gone = xcalloc(t->nodes.n, sizeof(*gone));

	for (size_t i = t->nodes.n; i-- > 1;) {
		uint32_t parent = t->nodes.v[i].parent;

		if (flame_is_gone(t, (uint32_t)i))
			gone[i] = flame_cost(t, 0, (uint32_t)i).weight;
		if (!flame_is_gone(t, parent))
			gone[parent] += gone[i];
	}
	return gone;
}
