/* SPDX-License-Identifier: MIT */
/*
 * The events of a recording.  A record says by an id which event it belongs to, and where the
 * id is depends on the event's sample_type.  Writers make sure that the place is the same for
 * all events; it is worked out once, and a record costs one lookup.  When the places differ,
 * each event's is tried, and the one whose id maps back to that event is right.
 */
#include <perfrep/attr.h>
#include <perfrep/record.h>

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/xmalloc.h"
#include "perfdata/evlist.h"

#define TRAILER_BITS                                                                       \
	((uint64_t)(SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU | \
		    SAMPLE_IDENTIFIER))

/* Distinct places of the id: there are 6 in samples and 4 in other records. */
#define MAX_PLANS 32

struct evsel_ids {
	struct id_slot { /* open addressing, at most half full */
		uint64_t id;
		uint32_t index1; /* index + 1; 0 is free */
	} * slots;
	size_t mask, n;
	uint32_t plans[MAX_PLANS]; /* an event for each distinct plan */
	size_t nr_plans;
};

static int words(uint64_t sample_type, uint64_t bits)
{
	return 8 * __builtin_popcountll(sample_type & bits);
}

static void make_plan(struct evsel *e)
{
	uint64_t st = e->attr.sample_type;
	bool trailer = attr_has(&e->attr, ATTR_SAMPLE_ID_ALL);

	e->id_offset = e->id_back = e->time_offset = e->time_back = -1;
	e->trailer = trailer ? (uint32_t)words(st, TRAILER_BITS) : 0;
	if (st & SAMPLE_IDENTIFIER)
		e->id_offset = 8;
	else if (st & SAMPLE_ID)
		e->id_offset = 8 + words(st, SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR);
	if (trailer && st & SAMPLE_IDENTIFIER)
		e->id_back = 8;
	else if (trailer && st & SAMPLE_ID)
		e->id_back = 8 + words(st, SAMPLE_CPU | SAMPLE_STREAM_ID);
	if (!(st & SAMPLE_TIME))
		return;
	e->time_offset = 8 + words(st, SAMPLE_IDENTIFIER | SAMPLE_IP | SAMPLE_TID);
	if (trailer)
		e->time_back = 8 + words(st, SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU |
						     SAMPLE_IDENTIFIER);
}

static struct id_slot *find_slot(const struct evsel_ids *ids, uint64_t id)
{
	size_t at = (size_t)hash_u64(id) & ids->mask;

	while (ids->slots[at].index1 && ids->slots[at].id != id)
		at = (at + 1) & ids->mask;
	return &ids->slots[at];
}

static void free_ids(struct evlist *list)
{
	if (list->ids)
		free(list->ids->slots);
	free(list->ids);
	list->ids = NULL;
}

static void grow_ids(struct evsel_ids *ids)
{
	struct id_slot *old = ids->slots;
	size_t count = ids->mask + 1;

	ids->slots = xcalloc(count * 2, sizeof(*ids->slots));
	ids->mask = count * 2 - 1;
	for (size_t i = 0; i < count; i++)
		if (old[i].index1)
			*find_slot(ids, old[i].id) = old[i];
	free(old);
}

static void add_to_ids(struct evsel_ids *ids, uint64_t id, uint32_t index)
{
	struct id_slot *s;

	if ((ids->n + 1) * 2 > ids->mask + 1)
		grow_ids(ids);
	s = find_slot(ids, id);
	ids->n += !s->index1;
	/* an id that occurs twice belongs to the event that came last */
	*s = (struct id_slot){ id, index + 1 };
}

static bool plan_equals(const struct evsel *a, const struct evsel *b)
{
	return a->id_offset == b->id_offset && a->id_back == b->id_back;
}

static void add_plan(struct evlist *list, const struct evsel *e)
{
	struct evsel_ids *ids = list->ids;

	for (size_t i = 0; i < ids->nr_plans; i++)
		if (plan_equals(&list->v[ids->plans[i]], e))
			return;
	if (ids->nr_plans < MAX_PLANS)
		ids->plans[ids->nr_plans++] = e->index;
}

static void index_evsel(struct evlist *list, struct evsel *e)
{
	make_plan(e);
	add_plan(list, e);
	list->same_plan = list->ids->nr_plans == 1;
	list->timed = (e->index == 0 || list->timed) && e->time_back >= 0;
	for (size_t i = 0; i < e->nr_ids; i++)
		add_to_ids(list->ids, e->ids[i], e->index);
}

static void make_ids(struct evlist *list)
{
	free_ids(list);
	list->ids = xcalloc(1, sizeof(*list->ids));
	list->ids->slots = xcalloc(16, sizeof(*list->ids->slots));
	list->ids->mask = 15;
}

void evlist_init(struct evlist *list, bool be)
{
	memset(list, 0, sizeof(*list));
	list->be = be;
}

struct evsel *evlist_add(struct evlist *list, const struct attr *attr, const uint64_t *ids,
			 size_t nr_ids)
{
	struct evsel *e;

	/* grows at powers of two */
	if (!(list->n & (list->n - 1)))
		list->v = xreallocarray(list->v, list->n ? list->n * 2 : 1, sizeof(*list->v));
	e = &list->v[list->n];
	memset(e, 0, sizeof(*e));
	e->attr = *attr;
	e->index = e->leader = (uint32_t)list->n++;
	e->nr_members = 1;
	e->scale = 1;
	e->nr_ids = nr_ids;
	e->ids = nr_ids ? xmemdup(ids, nr_ids * sizeof(*ids)) : NULL;
	make_plan(e);
	e->name = event_name(attr, NULL, &e->name_trust);
	return e;
}

void evlist_index(struct evlist *list)
{
	make_ids(list);
	list->same_plan = true;
	list->timed = false;
	for (size_t i = 0; i < list->n; i++)
		index_evsel(list, &list->v[i]);
}

void evlist_index_last(struct evlist *list)
{
	if (!list->ids)
		evlist_index(list);
	else if (list->n)
		index_evsel(list, &list->v[list->n - 1]);
}

void evlist_add_id(struct evlist *list, struct evsel *e, uint64_t id)
{
	e->ids = xreallocarray(e->ids, e->nr_ids + 1, sizeof(*e->ids));
	e->ids[e->nr_ids++] = id;
	if (list->ids)
		add_to_ids(list->ids, id, e->index);
}

void evlist_release(struct evlist *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->v[i].name);
		free(list->v[i].unit);
		free(list->v[i].ids);
	}
	free(list->v);
	free_ids(list);
	memset(list, 0, sizeof(*list));
}

const struct evsel *evlist_by_id(const struct evlist *list, uint64_t id)
{
	const struct id_slot *s;

	if (!list->ids)
		return NULL;
	s = find_slot(list->ids, id);
	return s->index1 ? &list->v[s->index1 - 1] : NULL;
}

struct evsel *evlist_find_id(struct evlist *list, uint64_t id)
{
	const struct evsel *e = evlist_by_id(list, id);

	return e ? &list->v[e->index] : NULL;
}

/* The id in REC if it is where E's plan says; false when there is no such place. */
static bool planned_id(const struct evsel *e, const struct record *rec, uint64_t *id)
{
	uint32_t at;

	if (rec->type == RECORD_SAMPLE) {
		if (e->id_offset < 0 || rec->size < (uint32_t)e->id_offset + 8)
			return false;
		at = (uint32_t)e->id_offset;
	} else {
		if (e->id_back < 0 || rec->size < (uint32_t)e->id_back + 8)
			return false;
		at = rec->size - (uint32_t)e->id_back;
	}
	*id = get_u64(rec->data + at, rec->be);
	return true;
}

/* The plans differ: the right one is that whose id leads back to an event with this plan. */
static const struct evsel *try_each(const struct evlist *list, const struct record *rec)
{
	bool zero = true;

	for (size_t i = 0; i < list->ids->nr_plans; i++) {
		const struct evsel *plan = &list->v[list->ids->plans[i]];
		const struct evsel *e;
		uint64_t id;

		if (!planned_id(plan, rec, &id))
			continue;
		zero = zero && id == 0;
		e = id ? evlist_by_id(list, id) : NULL;
		if (e && plan_equals(e, plan))
			return e;
	}
	return zero ? list->v : NULL;
}

const struct evsel *evlist_evsel(const struct evlist *list, const struct record *rec)
{
	uint64_t id;

	if (list->n <= 1)
		return list->n ? list->v : NULL;
	if (rec->type >= RECORD_USER_FIRST)
		return list->v;
	if (!list->ids)
		return NULL; /* nobody indexed it */
	if (!list->same_plan)
		return try_each(list, rec);
	if (!planned_id(list->v, rec, &id)) {
		/* no id in this recording: the first event; a record too short for its id: none */
		bool has = rec->type == RECORD_SAMPLE ? list->v->id_offset >= 0
						      : list->v->id_back >= 0;

		return has ? NULL : list->v;
	}
	return id ? evlist_by_id(list, id) : list->v;
}
