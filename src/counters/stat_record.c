/* SPDX-License-Identifier: MIT */
/*
 * A file of perf stat record: no samples, but a STAT record for each event, CPU and thread, and a
 * STAT_ROUND behind each round of them.  Values are running totals since the start, also with -I:
 * an interval is the difference from the round before.  With -I one more set of totals follows the
 * last round; it is no interval.
 *
 * Source: tools/perf/builtin-stat.c (process_stat_round_event), tools/perf/util/stat.c.
 */
#include <perfrep/counters.h>

#include <stdlib.h>
#include <string.h>

#include <perfrep/reader.h>

#include "base/cursor.h"
#include "base/hash.h"
#include "base/hashidx.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "counters/stat_places.h"

struct total { /* of one id, CPU and thread */
	uint64_t id;
	uint32_t cpu, thread;
	uint64_t val, ena, run; /* as last seen */
	uint64_t from_val, from_ena, from_run; /* at the round before */
	uint32_t sum; /* that it is a part of; NO_SUM: not known yet */
};

#define NO_SUM UINT32_MAX

struct sum { /* of an event in a place */
	uint32_t event;
	char *where; /* owned; NULL: everywhere */
	double val; /* scaled */
	double ena, run;
};

struct gather {
	struct counter_set *set;
	const struct evlist *list;
	const struct features *features;
	VEC(struct total) totals;
	struct hashidx index; /* of totals */
	VEC(struct sum) sums;
	struct hashidx sum_index;
	struct stat_config {
		uint64_t aggr_mode, interval;
		bool levels; /* has a tag that 6.5 added: modes are numbered otherwise */
		uint32_t level; /* of caches: what the tag says */
	} config;
	VEC(char *) threads; /* "comm-tid", by index of the thread map */
	double time; /* of the round, in s; below 0: no intervals */
};

static struct total *total_of(struct gather *g, const struct record_stat *s)
{
	uint64_t hash = hash_mix(s->id, hash_pair(s->cpu, s->thread));
	struct hashidx_iter it = hashidx_first(&g->index, hash);
	uint32_t i;

	while ((i = hashidx_next(&g->index, &it)) != HASHIDX_NONE) {
		struct total *t = &g->totals.v[i];

		if (t->id == s->id && t->cpu == s->cpu && t->thread == s->thread)
			return t;
	}
	hashidx_add(&g->index, hash, (uint32_t)g->totals.n);
	vec_push(&g->totals,
		 (struct total){ .id = s->id, .cpu = s->cpu, .thread = s->thread, .sum = NO_SUM });
	return &g->totals.v[g->totals.n - 1];
}

/* What moved since the round before; counted a part of the time, it is scaled up, as perf does. */
static void add_moved(struct sum *s, const struct total *t)
{
	double val = (double)(t->val - t->from_val);
	double ena = (double)(t->ena - t->from_ena), run = (double)(t->run - t->from_run);

	s->ena += ena;
	s->run += run;
	if (run > 0)
		s->val += run < ena ? val * ena / run : val;
}

static void add_reading(struct gather *g, const struct sum *s)
{
	const struct evsel *evsel = &g->list->v[s->event];
	struct counter_reading r = {
		.name = evsel->name,
		.name_len = strlen(evsel->name),
		.unit = evsel->unit,
		.unit_len = evsel->unit ? strlen(evsel->unit) : 0,
		.where = s->where,
		.where_len = s->where ? strlen(s->where) : 0,
		.time = g->time,
		.spread = -1,
	};

	if (s->run > 0) {
		r.state = COUNTER_COUNTED;
		r.value = s->val * evsel->scale;
		r.running = s->ena > 0 && s->run < s->ena ? s->run / s->ena : 1;
	} else {
		r.state = s->ena > 0 ? COUNTER_NOT_COUNTED : COUNTER_NOT_SUPPORTED;
	}
	counter_set_add(g->set, &r);
}

/* What the recorder was to keep apart, as far as the file has it. */
static enum stat_aggr aggr_of(const struct gather *g)
{
	bool any_cpu = true, named = true;
	enum stat_aggr aggr;

	for (size_t i = 0; i < g->totals.n; i++) {
		any_cpu &= g->totals.v[i].cpu == UINT32_MAX;
		named &= g->totals.v[i].thread < g->threads.n;
	}
	aggr = stat_aggr_of(g->config.aggr_mode, g->config.levels, g->features->version, any_cpu);
	return aggr == STAT_THREAD && !named ? STAT_UNKNOWN : aggr;
}

/* Where T belongs; NULL: to the whole. */
static char *place_of(struct gather *g, enum stat_aggr aggr, const struct total *t)
{
	struct strbuf where = STRBUF_INIT;

	if (aggr == STAT_THREAD)
		strbuf_adds(&where, g->threads.v[t->thread]);
	else if (aggr == STAT_UNKNOWN ||
		 (aggr != STAT_GLOBAL &&
		  !stat_place(&where, aggr, g->features, t->cpu, g->config.level)))
		g->set->places_unknown = true;
	return where.n ? strbuf_detach(&where) : NULL;
}

static bool is_at(const struct sum *s, uint32_t event, const char *where)
{
	return s->event == event && !s->where == !where && (!where || !strcmp(s->where, where));
}

/* The sum that T is a part of, made when it is new. */
static uint32_t sum_of(struct gather *g, enum stat_aggr aggr, const struct total *t)
{
	uint32_t event = evlist_by_id(g->list, t->id)->index, i;
	char *where = place_of(g, aggr, t);
	uint64_t hash = where ? hash_bytes(where, strlen(where)) + event : event;
	struct hashidx_iter it = hashidx_first(&g->sum_index, hash);

	while ((i = hashidx_next(&g->sum_index, &it)) != HASHIDX_NONE) {
		if (is_at(&g->sums.v[i], event, where)) {
			free(where);
			return i;
		}
	}
	hashidx_add(&g->sum_index, hash, (uint32_t)g->sums.n);
	vec_push(&g->sums, (struct sum){ .event = event, .where = where });
	return (uint32_t)g->sums.n - 1;
}

/* A round has ended: what moved becomes readings. */
static void end_round(struct gather *g)
{
	enum stat_aggr aggr = aggr_of(g);

	for (size_t i = 0; i < g->sums.n; i++)
		g->sums.v[i].val = g->sums.v[i].ena = g->sums.v[i].run = 0;
	for (size_t i = 0; i < g->totals.n; i++) {
		struct total *t = &g->totals.v[i];

		if (t->sum == NO_SUM)
			t->sum = sum_of(g, aggr, t);
		add_moved(&g->sums.v[t->sum], t);
	}
	for (size_t i = 0; i < g->sums.n; i++)
		add_reading(g, &g->sums.v[i]);
	for (size_t i = 0; i < g->totals.n; i++) {
		struct total *t = &g->totals.v[i];

		t->from_val = t->val;
		t->from_ena = t->ena;
		t->from_run = t->run;
	}
}

static void take_config(struct gather *g, const struct record_list *list, bool be)
{
	for (uint64_t i = 0; i < list->nr && list->entry_size >= 16; i++) {
		uint64_t tag = get_u64(list->entries + i * list->entry_size, be);
		uint64_t value = get_u64(list->entries + i * list->entry_size + 8, be);

		if (tag == 0)
			g->config.aggr_mode = value;
		else if (tag == 1)
			g->config.interval = value;
		else if (tag == 3)
			g->config.level = value < UINT32_MAX ? (uint32_t)value : 0;
		g->config.levels |= tag == 3;
	}
}

static void take_threads(struct gather *g, const struct record_list *list, bool be)
{
	for (uint64_t i = 0; i < list->nr && list->entry_size >= 24; i++) {
		const uint8_t *entry = list->entries + i * list->entry_size;
		const char *comm = (const char *)entry + 8;
		struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "%.*s-%llu", (int)strnlen(comm, 16), comm,
			    (unsigned long long)get_u64(entry, be));
		vec_push(&g->threads, strbuf_detach(&name));
	}
}

static void take_stat(struct gather *g, const struct record_stat *s)
{
	struct total *t;

	if (!evlist_by_id(g->list, s->id))
		return;
	t = total_of(g, s);
	/* Totals that go backwards are those of a new start. */
	if (s->val < t->from_val || s->ena < t->from_ena || s->run < t->from_run)
		t->from_val = t->from_ena = t->from_run = 0;
	t->val = s->val;
	t->ena = s->ena;
	t->run = s->run;
}

static void take_record(struct gather *g, const struct record *rec)
{
	struct record_body body;

	if (rec->type != RECORD_STAT && rec->type != RECORD_STAT_ROUND &&
	    rec->type != RECORD_STAT_CONFIG && rec->type != RECORD_THREAD_MAP)
		return;
	if (record_decode(rec, NULL, &body, NULL) < 0)
		return;
	if (rec->type == RECORD_STAT_CONFIG) {
		take_config(g, &body.list, rec->be);
	} else if (rec->type == RECORD_THREAD_MAP) {
		take_threads(g, &body.list, rec->be);
	} else if (rec->type == RECORD_STAT) {
		take_stat(g, &body.stat);
	} else {
		double seconds = (double)body.stat_round.time / 1e9;

		g->set->elapsed = seconds;
		g->time = g->config.interval ? seconds : -1;
		end_round(g);
	}
}

/* Totals that no round closed: of a recorder that was ended before it wrote one. */
static bool is_open(const struct gather *g)
{
	return g->totals.n && !g->set->n;
}

static char *command_of(const struct features *f)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < f->nr_cmdline; i++)
		strbuf_addf(&sb, "%s%s", i ? " " : "", f->cmdline[i]);
	return sb.n ? strbuf_detach(&sb) : NULL;
}

int counter_set_from_reader(struct counter_set *set, struct reader *r, struct err *err)
{
	struct gather g = {
		.set = set,
		.list = &r->evlist,
		.features = &r->features,
		.config = { .aggr_mode = 1 },
		.time = -1,
	};
	struct record rec;

	*set = (struct counter_set){ .source = SOURCE_STAT_RECORD };
	while (reader_next(r, &rec) == 0 && rec.type != RECORD_SAMPLE)
		take_record(&g, &rec);
	if (is_open(&g))
		end_round(&g);
	for (size_t i = 0; i < g.threads.n; i++)
		free(g.threads.v[i]);
	vec_release(&g.threads);
	vec_release(&g.totals);
	hashidx_release(&g.index);
	for (size_t i = 0; i < g.sums.n; i++)
		free(g.sums.v[i].where);
	vec_release(&g.sums);
	hashidx_release(&g.sum_index);
	set->vendor = cpu_vendor_of(r->features.cpuid, r->features.arch);
	set->what = command_of(&r->features);
	if (!set->n)
		return err_set(err, ERR_FORMAT, "%s: perf stat record's file holds no counts.",
			       r->name);
	return 0;
}
