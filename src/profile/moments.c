/* SPDX-License-Identifier: MIT */
#include <perfrep/moments.h>

#include <stdlib.h>

#include "profile/priv.h"

/* Samples with equal times stay in the order of the recording, whoever met them. */
static int compare(const void *va, const void *vb, void *arg)
{
	const struct profile *p = arg;
	const struct moment *a = va, *b = vb;
	const struct stack_key *ka = &p->keys[a->key], *kb = &p->keys[b->key];

	if (ka->pid != kb->pid)
		return ka->pid < kb->pid ? -1 : 1;
	if (ka->tid != kb->tid)
		return ka->tid < kb->tid ? -1 : 1;
	if (a->when != b->when)
		return a->when < b->when ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void take_set(struct moments *m, const struct stack_set *s, uint32_t set, uint32_t event)
{
	uint64_t weight;

	for (size_t i = 0; i < s->moments.n; i++) {
		const struct stack_moment *sm = &s->moments.v[i];
		const struct stack_rec *rec = stack_set_rec(s, sm->stack);

		if (sm->event == event && stack_set_samples(s, rec, event, &weight))
			m->v[m->n++] = (struct moment){ sm->when, sm->order,
							s->keys ? s->keys[rec->key] : rec->key, set,
							sm->stack };
	}
}

void profile_moments(struct moments *m, const struct profile *p, uint32_t event)
{
	const struct profile_priv *priv = p->priv;
	size_t n = 0;

	for (size_t i = 0; i < priv->sets.n; i++)
		n += priv->sets.v[i].moments.n;
	*m = (struct moments){ .v = xreallocarray(NULL, n + 1, sizeof(*m->v)) };
	for (size_t i = 0; i < priv->sets.n; i++)
		take_set(m, &priv->sets.v[i], (uint32_t)i, event);
	qsort_r(m->v, m->n, sizeof(*m->v), compare, (void *)p);
}

void moments_release(struct moments *m)
{
	free(m->v);
	*m = (struct moments){ 0 };
}

size_t moment_stack(const struct profile *p, const struct moment *m, uint32_t **locs, size_t *cap)
{
	const struct stack_set *s = &p->priv->sets.v[m->set];
	const struct stack_rec *rec = stack_set_rec(s, m->stack);

	/* one more: the end is written before it is seen */
	if (rec->n + 1 > *cap) {
		*cap = 2 * (size_t)rec->n + 1;
		*locs = xreallocarray(*locs, *cap, sizeof(**locs));
	}
	return stack_set_locs(s, rec, *locs);
}
