/* SPDX-License-Identifier: MIT */
/*
 * The features that tell about events and files: EVENT_DESC names the events, PMU_MAPPINGS
 * their PMUs, GROUP_DESC says which belong together, BUILD_ID which binaries ran.
 */
#include "perfdata/feature_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "perfdata/evlist.h"

/* The event that EVENT_DESC's entry describes: by one of its ids, else by its place. */
static struct evsel *described_evsel(struct evlist *list, const struct cursor *ids, uint32_t nr_ids,
				     uint32_t place, uint32_t nr_places)
{
	struct evsel *e = NULL;

	for (uint32_t i = 0; i < nr_ids && !e; i++)
		e = evlist_find_id(list, get_u64(ids->p + (size_t)i * 8, ids->be));
	if (!e && nr_places == list->n)
		e = &list->v[place];
	return e;
}

/* One entry; its ids are the event's when the attrs came without any. */
static void describe_event(struct cursor *c, struct evlist *list, uint32_t attr_size,
			   uint32_t place, uint32_t nr)
{
	uint32_t nr_ids;
	struct evsel *e;
	char *name;

	cursor_bytes(c, attr_size);
	nr_ids = cursor_u32(c);
	name = feature_string(c);
	if (!name || !cursor_has(c, nr_ids, 8)) {
		c->bad = true;
		free(name);
		return;
	}
	e = list ? described_evsel(list, c, nr_ids, place, nr) : NULL;
	if (e)
		evsel_set_name(e, name, strlen(name), NAME_DESC);
	if (e && !e->nr_ids)
		for (uint32_t i = 0; i < nr_ids; i++)
			evlist_add_id(list, e, get_u64(c->p + (size_t)i * 8, c->be));
	cursor_bytes(c, (uint64_t)nr_ids * 8);
	free(name);
}

void feature_event_desc(struct features *f, struct cursor *c, struct evlist *list)
{
	uint32_t nr = cursor_u32(c), attr_size = cursor_u32(c);

	(void)f;
	for (uint32_t i = 0; i < nr && !c->bad; i++)
		describe_event(c, list, attr_size, i, nr);
}

void feature_free_pmus(struct features *f)
{
	for (size_t i = 0; i < f->nr_pmus; i++)
		free(f->pmus[i].name);
	free(f->pmus);
	f->pmus = NULL;
	f->nr_pmus = 0;
}

void feature_pmu_mappings(struct features *f, struct cursor *c, struct evlist *list)
{
	uint32_t nr = cursor_u32(c);

	if (!cursor_has(c, nr, 8)) {
		c->bad = true;
		return;
	}
	feature_free_pmus(f);
	f->pmus = xcalloc(nr, sizeof(*f->pmus));
	for (uint32_t i = 0; i < nr; i++) {
		f->pmus[i].type = cursor_u32(c);
		f->pmus[i].name = feature_string(c);
		if (c->bad)
			break;
		f->nr_pmus++;
	}
	if (c->bad)
		feature_free_pmus(f);
	else if (list)
		evlist_name_generic(list, f);
}

void feature_free_groups(struct features *f)
{
	for (size_t i = 0; i < f->nr_groups; i++)
		free(f->groups[i].name);
	free(f->groups);
	f->groups = NULL;
	f->nr_groups = 0;
}

static void apply_groups(const struct features *f, struct evlist *list)
{
	for (size_t i = 0; i < f->nr_groups; i++) {
		const struct feature_group *g = &f->groups[i];

		if (g->leader >= list->n || g->nr_members > list->n - g->leader)
			continue;
		for (uint32_t k = 0; k < g->nr_members; k++)
			list->v[g->leader + k].leader = g->leader;
		if (g->nr_members)
			list->v[g->leader].nr_members = g->nr_members;
	}
}

void feature_group_desc(struct features *f, struct cursor *c, struct evlist *list)
{
	uint32_t nr = cursor_u32(c);

	if (!cursor_has(c, nr, 12)) {
		c->bad = true;
		return;
	}
	feature_free_groups(f);
	f->groups = xcalloc(nr, sizeof(*f->groups));
	for (uint32_t i = 0; i < nr; i++) {
		struct feature_group *g = &f->groups[i];

		g->name = feature_string(c);
		if (!g->name)
			break;
		f->nr_groups++;
		g->leader = cursor_u32(c);
		g->nr_members = cursor_u32(c);
	}
	if (c->bad)
		feature_free_groups(f);
	else if (list)
		apply_groups(f, list);
}

void feature_free_build_ids(struct features *f)
{
	for (size_t i = 0; i < f->nr_build_ids; i++)
		free(f->build_ids[i].filename);
	free(f->build_ids);
	f->build_ids = NULL;
	f->nr_build_ids = 0;
}

/* Before 2.6.36 the entries had no pid: the first name then seems to begin in its middle. */
static bool lacks_pid(const struct cursor *c)
{
	static const char cut[] = "nel.kallsyms]";

	return cursor_left(c) >= 36 + sizeof(cut) && !memcmp(c->p + 36, cut, sizeof(cut));
}

/* An entry: header, pid, id with its size, name up to the entry's end. */
static bool build_id_entry(struct cursor *c, bool no_pid, struct feature_build_id *out)
{
	struct cursor e = *c;
	uint16_t misc, size;
	const uint8_t *id;

	cursor_u32(&e); /* type: 0 */
	misc = cursor_u16(&e);
	size = cursor_u16(&e);
	if (e.bad || size < (no_pid ? 32 : 36) || size > cursor_left(c))
		return false;
	e.end = c->p + size;
	memset(out, 0, sizeof(*out));
	out->cpumode = (enum cpumode)(misc & MISC_CPUMODE_MASK);
	out->pid = no_pid ? -1 : (int32_t)cursor_u32(&e);
	id = cursor_bytes(&e, 24);
	out->id.size = misc & MISC_BUILD_ID_SIZE ? id[20] : 20;
	if (out->id.size > 20)
		out->id.size = 20;
	memcpy(out->id.bytes, id, out->id.size);
	out->filename = xstrndup((const char *)e.p, strnlen((const char *)e.p, cursor_left(&e)));
	c->p += size;
	return true;
}

/* Entries are added to those that are there: a pipe brings them one by one. */
void feature_build_ids(struct features *f, struct cursor *c, struct evlist *list)
{
	VEC(struct feature_build_id) all = { 0 };
	struct feature_build_id one;
	bool no_pid = lacks_pid(c);

	(void)list;
	all.v = f->build_ids;
	all.n = all.cap = f->nr_build_ids;
	while (cursor_left(c) >= 8 && build_id_entry(c, no_pid, &one))
		vec_push(&all, one);
	/* what was sound before the damage is kept: each entry stands for itself */
	if (cursor_left(c))
		c->bad = true;
	f->build_ids = all.v;
	f->nr_build_ids = all.n;
}
