/* SPDX-License-Identifier: MIT */
/*
 * Shares are compared, each of its own total, so a longer recording is no slower program.  Many
 * paths are compared at once: the p-values are corrected for that, else one of twenty would be
 * coloured for nothing.  Paths with a few samples come and go by chance; they are not tested, so
 * that they don't cost the others' power.
 */
#include "view/flame_compare.h"

#include <stdlib.h>

#include <perfrep/diff.h>
#include <perfrep/statistics.h>

/*
 * The variance of a share of N samples.  One of 0 or 1 has a variance too: two hits and two
 * misses are added, after Agresti and Coull.
 */
static double variance(double p, double n)
{
	double q = (p * n + 2) / (n + 4);

	return q * (1 - q) / (n + 4);
}

static struct difference difference_of(const struct flame_tree *t, uint32_t node)
{
	const struct flame_side *before = &t->side[0], *after = &t->side[1];
	double a = flame_share_of(before, flame_cost(t, 0, node).weight);
	double b = flame_share_of(after, flame_cost(t, 1, node).weight);
	struct difference d =
		difference_z(a, variance(a, before->effective), b, variance(b, after->effective));

	if (a == b)
		d.p = 1;
	return d;
}

struct flame_change flame_change(const struct flame_tree *t, uint32_t node)
{
	struct difference d = difference_of(t, node);

	return (struct flame_change){ flame_share_of(&t->side[0], flame_cost(t, 0, node).weight),
				      d.delta, d.half };
}

bool flame_is_gone(const struct flame_tree *t, uint32_t node)
{
	return !flame_cost(t, 1, node).weight && flame_cost(t, 0, node).weight;
}

static bool testable(const struct flame_tree *t, uint32_t node)
{
	for (unsigned side = 0; side < 2; side++) {
		const struct flame_side *s = &t->side[side];

		if (flame_share_of(s, flame_cost(t, side, node).weight) * s->effective >=
		    DIFF_MIN_HITS)
			return true;
	}
	return false;
}

/* Of what has gone with a caller, only the caller is tested: the rest is no news. */
static bool is_news(const struct flame_tree *t, uint32_t node)
{
	return !flame_is_gone(t, node) || !flame_is_gone(t, t->nodes.v[node].parent);
}

static void test_all(struct flame_verdicts *v, const struct flame_tree *t)
{
	VEC(double) p = { 0 };
	size_t at = 0;

	for (uint32_t i = 1; i < t->nodes.n; i++)
		if (testable(t, i) && is_news(t, i))
			vec_push(&p, difference_of(t, i).p);
	benjamini_hochberg(p.v, p.n);
	for (uint32_t i = 1; i < t->nodes.n; i++)
		if (testable(t, i) && is_news(t, i))
			v->changed[i] = p.v[at++] < DIFF_LEVEL;
	vec_release(&p);
}

/* From callers to callees: what has gone with a caller has gone as surely. */
static void inherit(struct flame_verdicts *v, const struct flame_tree *t)
{
	for (uint32_t i = 1; i < t->nodes.n; i++)
		if (!is_news(t, i))
			v->changed[i] = v->changed[t->nodes.v[i].parent];
}

static void sum_gone(struct flame_verdicts *v, const struct flame_tree *t)
{
	for (size_t i = t->nodes.n; i-- > 1;) {
		uint32_t parent = t->nodes.v[i].parent;
		bool top = !flame_is_gone(t, parent);

		if (flame_is_gone(t, (uint32_t)i) && v->changed[i])
			v->gone[i] = flame_cost(t, 0, (uint32_t)i).weight;
		else if (flame_is_gone(t, (uint32_t)i) && top)
			v->few += flame_cost(t, 0, (uint32_t)i).weight;
		if (top)
			v->gone[parent] += v->gone[i];
	}
}

void flame_verdicts_init(struct flame_verdicts *v, const struct flame_tree *t)
{
	v->changed = xcalloc(t->nodes.n, sizeof(*v->changed));
	v->gone = xcalloc(t->nodes.n, sizeof(*v->gone));
	v->few = 0;
	test_all(v, t);
	inherit(v, t);
	sum_gone(v, t);
}

void flame_verdicts_release(struct flame_verdicts *v)
{
	free(v->changed);
	free(v->gone);
}
