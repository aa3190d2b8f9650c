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

struct total { /* of one id, CPU and thread */
	uint64_t id;
	uint32_t cpu, thread;
	uint64_t val, ena, run; /* as last seen */
	uint64_t from_val, from_ena, from_run; /* at the round before */
};

struct sum {
	double val; /* scaled */
	double ena, run;
	bool any;
};

struct gather {
	struct counter_set *set;
	const struct evlist *list;
	VEC(struct total) totals;
	struct hashidx index; /* of totals */
	struct sum *sums; /* by event */
	struct stat_config {
		uint64_t aggr_mode, interval;
		bool levels; /* has a tag that 6.5 added: modes are numbered otherwise */
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
	vec_push(&g->totals, (struct total){ .id = s->id, .cpu = s->cpu, .thread = s->thread });
	return &g->totals.v[g->totals.n - 1];
}

/* What moved since the round before; counted a part of the time, it is scaled up, as perf does. */
static void add_moved(struct sum *s, const struct total *t)
{
	double val = (double)(t->val - t->from_val);
	double ena = (double)(t->ena - t->from_ena), run = (double)(t->run - t->from_run);

	s->any = true;
	s->ena += ena;
	s->run += run;
	if (run > 0)
		s->val += run < ena ? val * ena / run : val;
}

static void add_reading(struct gather *g, const struct evsel *evsel, const struct sum *s,
			const char *where)
{
	struct counter_reading r = {
		.name = evsel->name,
		.name_len = strlen(evsel->name),
		.unit = evsel->unit,
		.unit_len = evsel->unit ? strlen(evsel->unit) : 0,
		.where = where,
		.where_len = where ? strlen(where) : 0,
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

/* Kept apart by CPU or thread, each total is a line. */
static void add_apart(struct gather *g, bool by_thread)
{
	for (size_t i = 0; i < g->totals.n; i++) {
		const struct total *t = &g->totals.v[i];
		struct strbuf where = STRBUF_INIT;
		struct sum s = { .val = 0 };

		add_moved(&s, t);
		if (by_thread)
			strbuf_adds(&where, g->threads.v[t->thread]);
		else if (t->cpu != UINT32_MAX)
			strbuf_addf(&where, "CPU%u", t->cpu);
		add_reading(g, evlist_by_id(g->list, t->id), &s,
			    where.n ? strbuf_str(&where) : NULL);
		strbuf_release(&where);
	}
}

/*
 * --per-thread: mode 5 up to 6.4, 6 in 6.5 and 6.6, 7 since.  6 is cores since then, and these
 * have CPUs, while threads are counted on any.
 */
static bool is_by_thread(const struct gather *g)
{
	uint64_t mode = g->config.aggr_mode;

	if (g->config.levels ? mode != 6 && mode != 7 : mode != 5)
		return false;
	for (size_t i = 0; i < g->totals.n; i++)
		if (g->totals.v[i].cpu != UINT32_MAX || g->totals.v[i].thread >= g->threads.n)
			return false;
	return true;
}

static void add_summed(struct gather *g)
{
	/* In a pipe events may come between rounds. */
	g->sums = xreallocarray(g->sums, g->list->n + 1, sizeof(*g->sums));
	memset(g->sums, 0, g->list->n * sizeof(*g->sums));
	for (size_t i = 0; i < g->totals.n; i++) {
		const struct total *t = &g->totals.v[i];

		add_moved(&g->sums[evlist_by_id(g->list, t->id)->index], t);
	}
	for (size_t e = 0; e < g->list->n; e++)
		if (g->sums[e].any)
			add_reading(g, &g->list->v[e], &g->sums[e], NULL);
}

/* A round has ended: what moved becomes readings. */
static void end_round(struct gather *g)
{
	bool by_thread = is_by_thread(g);

	if (by_thread || g->config.aggr_mode == 0)
		add_apart(g, by_thread);
	else
		add_summed(g);
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
			g->config.levels = true;
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
		.set = set, .list = &r->evlist, .config = { .aggr_mode = 1 }, .time = -1
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
	free(g.sums);
	set->vendor = cpu_vendor_of(r->features.cpuid, r->features.arch);
	set->what = command_of(&r->features);
	if (!set->n)
		return err_set(err, ERR_FORMAT, "%s: perf stat record's file holds no counts.",
			       r->name);
	return 0;
}
