/* SPDX-License-Identifier: MIT */
/*
 * Counters in a set.  Lines of the same event from other intervals, CPUs, cores, threads are
 * parts of one counter, and are added up; the same event twice in one place and interval was asked
 * for twice (in two groups): adding those would count it double, so they are two counters.
 */
#include <perfrep/counters.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/vec.h"
#include "base/xmalloc.h"

const char *counter_state_text(enum counter_state s)
{
	static const char *const texts[] = {
		[COUNTER_ABSENT] = "not in the input",
		[COUNTER_COUNTED] = "counted",
		[COUNTER_NOT_COUNTED] = "not counted",
		[COUNTER_NOT_SUPPORTED] = "not supported",
		[COUNTER_LEFT_OUT] = "left out by --metric-only",
		[COUNTER_IN_PARTS] = "only of parts, whose ratios don't add up",
	};

	return texts[s];
}

/* An event in a place and interval, and how often it was there. */
struct seen {
	uint32_t counter; /* the first of that name */
	uint32_t where;
	double time;
	uint32_t count;
};

struct counter_set_priv {
	struct hashidx wheres, counters, seen;
	VEC(struct seen) entries;
};

static bool equals(const char *s, const char *text, size_t len)
{
	return strlen(s) == len && !memcmp(s, text, len);
}

static uint32_t add_where(struct counter_set *set, const char *s, size_t len)
{
	if (set->nr_wheres == set->wheres_cap) {
		set->wheres_cap = set->wheres_cap ? set->wheres_cap * 2 : 8;
		set->wheres = xreallocarray(set->wheres, set->wheres_cap, sizeof(*set->wheres));
	}
	set->wheres[set->nr_wheres] = xstrndup(s, len);
	hashidx_add(&set->priv->wheres, hash_bytes(s, len), (uint32_t)set->nr_wheres);
	return (uint32_t)set->nr_wheres++;
}

static uint32_t where_id(struct counter_set *set, const char *s, size_t len)
{
	struct hashidx_iter it;
	uint32_t id;

	if (!set->nr_wheres)
		add_where(set, "", 0);
	if (!s)
		return 0;
	it = hashidx_first(&set->priv->wheres, hash_bytes(s, len));
	while ((id = hashidx_next(&set->priv->wheres, &it)) != HASHIDX_NONE)
		if (equals(set->wheres[id], s, len))
			return id;
	return add_where(set, s, len);
}

static uint32_t counter_id(struct counter_set *set, const struct counter_reading *r,
			   uint32_t occurrence)
{
	struct hashidx *index = &set->priv->counters;
	uint64_t hash = hash_bytes(r->name, r->name_len) + occurrence;
	struct hashidx_iter it = hashidx_first(index, hash);
	uint32_t id;

	while ((id = hashidx_next(index, &it)) != HASHIDX_NONE)
		if (set->v[id].occurrence == occurrence &&
		    equals(set->v[id].name, r->name, r->name_len))
			return id;
	if (set->n == set->cap) {
		set->cap = set->cap ? set->cap * 2 : 16;
		set->v = xreallocarray(set->v, set->cap, sizeof(*set->v));
	}
	set->v[set->n] = (struct counter){
		.name = xstrndup(r->name, r->name_len),
		.unit = xstrndup(r->unit ? r->unit : "", r->unit ? r->unit_len : 0),
		.occurrence = occurrence,
		.state = r->state,
		.spread = r->spread,
	};
	hashidx_add(index, hash, (uint32_t)set->n);
	return (uint32_t)set->n++;
}

/* How often the event was in that place and interval before. */
static uint32_t occurrence_of(struct counter_set *set, uint32_t counter, uint32_t where,
			      double time)
{
	struct counter_set_priv *priv = set->priv;
	struct seen key = { .counter = counter, .where = where, .time = time, .count = 1 };
	uint64_t hash = hash_pair(counter, where) ^ hash_bytes(&key.time, sizeof(key.time));
	struct hashidx_iter it = hashidx_first(&priv->seen, hash);
	uint32_t id;

	while ((id = hashidx_next(&priv->seen, &it)) != HASHIDX_NONE) {
		struct seen *s = &priv->entries.v[id];

		if (s->counter == counter && s->where == where &&
		    !memcmp(&s->time, &time, sizeof(time)))
			return s->count++;
	}
	hashidx_add(&priv->seen, hash, (uint32_t)priv->entries.n);
	vec_push(&priv->entries, key);
	return 0;
}

/* A sum is counted as soon as one part is; what the others lack is told. */
static void add_part(struct counter *c, const struct counter_reading *r)
{
	double have = (double)(c->parts - c->parts_missing);

	c->parts++;
	if (r->state != COUNTER_COUNTED) {
		c->parts_missing++;
		return;
	}
	c->running = (c->running * have + r->running) / (have + 1);
	c->value += r->value;
	c->state = COUNTER_COUNTED;
}

void counter_set_add(struct counter_set *set, const struct counter_reading *r)
{
	uint32_t where, id, occurrence;

	if (!set->priv)
		set->priv = xcalloc(1, sizeof(*set->priv));
	where = where_id(set, r->where, r->where_len);
	id = counter_id(set, r, 0);
	occurrence = occurrence_of(set, id, where, r->time);
	if (occurrence)
		id = counter_id(set, r, occurrence);
	add_part(&set->v[id], r);
	if (set->nr_parts == set->parts_cap) {
		set->parts_cap = set->parts_cap ? set->parts_cap * 2 : 64;
		set->parts = xreallocarray(set->parts, set->parts_cap, sizeof(*set->parts));
	}
	if (r->time >= 0 && (!set->nr_parts || set->parts[set->nr_parts - 1].time < r->time))
		set->intervals++;
	set->parts[set->nr_parts++] = (struct counter_part){
		.counter = id,
		.where = where,
		.time = r->time,
		.state = r->state,
		.value = r->value,
	};
}

void counter_set_add_metric(struct counter_set *set, const struct counter_metric_reading *r)
{
	if (!set->priv)
		set->priv = xcalloc(1, sizeof(*set->priv));
	if (set->nr_metrics == set->metrics_cap) {
		set->metrics_cap = set->metrics_cap ? set->metrics_cap * 2 : 16;
		set->metric = xreallocarray(set->metric, set->metrics_cap, sizeof(*set->metric));
	}
	if (r->time >= 0 && (!set->nr_metrics || set->metric[set->nr_metrics - 1].time < r->time))
		set->intervals++;
	set->metric[set->nr_metrics++] = (struct counter_metric){
		.name = xstrndup(r->name, r->name_len),
		.where = where_id(set, r->where, r->where_len),
		.time = r->time,
		.value = r->value,
	};
}

void counter_set_release(struct counter_set *set)
{
	for (size_t i = 0; i < set->nr_metrics; i++)
		free(set->metric[i].name);
	free(set->metric);
	for (size_t i = 0; i < set->n; i++) {
		free(set->v[i].name);
		free(set->v[i].unit);
	}
	for (size_t i = 0; i < set->nr_wheres; i++)
		free(set->wheres[i]);
	free(set->v);
	free(set->parts);
	free(set->wheres);
	free(set->what);
	if (set->priv) {
		hashidx_release(&set->priv->wheres);
		hashidx_release(&set->priv->counters);
		hashidx_release(&set->priv->seen);
		vec_release(&set->priv->entries);
		free(set->priv);
	}
	*set = (struct counter_set){ 0 };
}
