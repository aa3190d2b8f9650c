/* SPDX-License-Identifier: MIT */
/*
 * The profile itself: its life, its strings and its events.
 *
 * Locations, keys and functions are in location.c, the stacks in stacktrie.c.  Everything is
 * interned: what is equal has one id, so that comparing and counting are array accesses, and a
 * sample costs hash look-ups only, no allocation (arrays and tables double).
 */
#include <perfrep/profile.h>

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "profile/priv.h"

struct profile *profile_new(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->priv = xcalloc(1, sizeof(*p->priv));
	p->strings = &p->priv->strings;
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr_events; i++) {
		free(p->events[i].node_weight);
		free(p->events[i].node_count);
	}
	free(p->events);
	free(p->locs);
	free(p->keys);
	free(p->nodes);
	free(p->lines);
	free(p->funcs);
	hashidx_release(&p->priv->loc_index);
	hashidx_release(&p->priv->key_index);
	hashidx_release(&p->priv->func_index);
	hashidx_release(&p->priv->child_index);
	for (size_t i = 0; i < p->priv->sets.n; i++)
		stack_set_release(&p->priv->sets.v[i]);
	vec_release(&p->priv->sets);
	intern_release(&p->priv->strings);
	free(p->priv);
	free(p);
}

uint32_t profile_string(struct profile *p, const char *s, size_t len)
{
	return intern_add(p->strings, s, len);
}

const char *profile_str(const struct profile *p, uint32_t id)
{
	return intern_str(p->strings, id);
}

size_t profile_strlen(const struct profile *p, uint32_t id)
{
	return intern_len(p->strings, id);
}

/* There are a handful of events, and they are asked for once: a loop will do. */
uint32_t profile_event_add(struct profile *p, const char *name, const char *unit)
{
	uint32_t name_id = intern_adds(p->strings, name);
	uint32_t unit_id = unit ? intern_adds(p->strings, unit) : 0;

	profile_reserve(&p->events, p->nr_events, &p->priv->events_cap, 1);
	p->events[p->nr_events] = (struct profile_event){ .name = name_id, .unit = unit_id };
	return (uint32_t)p->nr_events++;
}

uint32_t profile_event(struct profile *p, const char *name, const char *unit)
{
	uint32_t name_id = intern_adds(p->strings, name);

	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].name == name_id)
			return (uint32_t)i;
	return profile_event_add(p, name, unit);
}

/* Without squares (only profile_add() was used) the samples are taken as of equal weight. */
double profile_effective_samples(const struct profile_event *e)
{
	double sum_sq = (double)e->sum_sq_hi * 18446744073709551616.0 + (double)e->sum_sq_lo;

	if (e->exact && e->samples)
		return INFINITY;
	return sum_sq > 0 ? kish_samples((double)e->weight, sum_sq) : (double)e->samples;
}

/* The one set that is filled. */
static struct stack_set *own_set(struct profile *p)
{
	if (!p->priv->sets.n) {
		assert(!p->nr_nodes);
		vec_push(&p->priv->sets, (struct stack_set){ 0 });
	}
	return &p->priv->sets.v[0];
}

void profile_add_stack(struct profile *p, const uint32_t *locs, size_t n, uint32_t key,
		       const struct stack_weight *weights, size_t nr_weights)
{
	for (size_t i = 0; i < nr_weights; i++) {
		struct profile_event *e = &p->events[weights[i].event];

		profile_add_square(p, weights[i].event, weights[i].weight);
		e->weight = add_saturating(e->weight, weights[i].weight);
		e->samples++;
	}
	stack_set_add(own_set(p), locs, n, key, weights, nr_weights);
}

void profile_add_moment(struct profile *p, uint64_t when, uint64_t order, uint32_t event)
{
	stack_set_moment(own_set(p), when, order, event);
}

void profile_end_stacks(struct profile *p)
{
	if (p->priv->sets.n)
		stack_set_finish(&p->priv->sets.v[0]);
}

const char *unknown_reason_text(enum unknown_reason r)
{
	static const char *const text[UNKNOWN_MAX] = {
		[UNKNOWN_NOT] = "known",
		[UNKNOWN_NO_MAP] = "no mapping",
		[UNKNOWN_NO_FILE] = "file not found",
		[UNKNOWN_BUILD_ID] = "other build-id",
		[UNKNOWN_NO_SYMBOLS] = "no symbols",
		[UNKNOWN_NO_SYMBOL] = "no symbol there",
		[UNKNOWN_BAD_FILE] = "unreadable file",
		[UNKNOWN_KERNEL] = "no kernel symbols",
		[UNKNOWN_JIT] = "no JIT map",
		[UNKNOWN_SPECIAL] = "special mapping",
	};

	return (unsigned)r < UNKNOWN_MAX ? text[r] : "unknown reason";
}
