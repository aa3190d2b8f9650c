/* SPDX-License-Identifier: MIT */
/*
 * Spans -> a row for each thread.  Delays are all kept, since percentiles are exact; who ran on a
 * CPU is kept only when long waits are to be explained.
 */
#include <perfrep/sched.h>

#include <stdlib.h>

#include "collect/sched_account.h"
#include "collect/sched_read.h"
#include "collect/sched_who.h"
#include "profile/filter.h"

static enum sched_part part_of(const struct sched_span *sp)
{
	switch ((enum span_kind)sp->kind) {
	case SPAN_RUN:
		return PART_RUN;
	case SPAN_READY:
		return sp->state == STATE_READY ? PART_PREEMPTED : PART_WOKEN;
	case SPAN_UNKNOWN:
		return PART_UNKNOWN;
	case SPAN_OFF:
		break;
	}
	switch ((enum sched_state)sp->state) {
	case STATE_SLEEPING:
		return PART_SLEEPING;
	case STATE_DISK:
		return PART_DISK;
	case STATE_UNKNOWN:
		return PART_UNKNOWN;
	default:
		return PART_BLOCKED;
	}
}

/* Who had the CPU, whether or not the filter takes it. */
static void note_run(struct accounts *a, const struct sched_span *sp)
{
	struct cpu_runs *cpu;

	if (sp->cpu >= SCHED_CPU_LIMIT)
		return;
	if (sp->cpu >= a->cpus.n)
		vec_resize(&a->cpus, (size_t)sp->cpu + 1);
	cpu = &a->cpus.v[sp->cpu];
	cpu->seen |= sched_within_cpus(&a->within, sp) &&
		     sched_within_time(&a->within, sp->from, sp->until);
	if (a->opts->over)
		vec_push(&cpu->v, (struct run){ sp->from, sp->until, sp->thread });
}

static void take_run(struct accounts *a, struct account *ac, const struct sched_span *sp)
{
	ac->row.migrations += ac->cpu != UINT32_MAX && ac->cpu != sp->cpu &&
			      sched_within_moment(&a->within, sp->from);
	ac->row.switches += !(sp->flags & SPAN_OPEN_END) &&
			    sched_within_moment(&a->within, sp->until);
}

/* A wait is of the moment at which it is over, and as long as it was. */
static void take_delay(struct accounts *a, struct account *ac, const struct sched_span *sp)
{
	struct sched_delays *d = &ac->row.delays;
	uint64_t delay = sp->until - sp->from;

	ac->row.preempted += sp->state == STATE_READY && sched_within_moment(&a->within, sp->from);
	if (!sched_within_moment(&a->within, sp->until))
		return;
	if (a->opts->over && delay >= a->opts->over)
		vec_push(&a->over, *sp);
	if (sp->flags & SPAN_OPEN_END)
		return;
	vec_push(&ac->delays, delay);
	d->n++;
	d->sum += delay;
	if (delay > d->max) {
		d->max = delay;
		d->max_at = sp->from;
	}
}

static void take_chosen(struct accounts *a, struct account *ac, const struct sched_span *sp)
{
	uint64_t ns = sched_within_time(&a->within, sp->from, sp->until);

	ac->row.time[part_of(sp)] += ns;
	ac->row.life += ns;
	if (sp->flags & SPAN_DOUBTFUL)
		ac->row.doubtful += ns;
	if (sp->kind == SPAN_RUN)
		take_run(a, ac, sp);
	if (sp->kind == SPAN_READY)
		take_delay(a, ac, sp);
}

static void take_span(void *ctx, const struct sched_span *sp)
{
	struct accounts *a = ctx;
	struct account *ac;

	while (a->v.n <= sp->thread)
		vec_push(&a->v, (struct account){ .cpu = UINT32_MAX });
	ac = &a->v.v[sp->thread];
	ac->ran |= sp->kind == SPAN_RUN;
	ac->known |= sp->kind != SPAN_UNKNOWN;
	if (sp->kind == SPAN_RUN)
		note_run(a, sp);
	if (sched_within_cpus(&a->within, sp))
		take_chosen(a, ac, sp);
	if (sp->kind == SPAN_RUN)
		ac->cpu = sp->cpu;
}

/* ---- rows ---- */

static int ascending(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

/* The smallest that PERCENT of the N sorted values do not exceed. */
static uint64_t percentile(const uint64_t *v, size_t n, unsigned percent)
{
	return n ? v[(n * percent + 99) / 100 - 1] : 0;
}

static void finish_delays(struct sched_delays *d, uint64_t *v, size_t n)
{
	if (n)
		qsort(v, n, sizeof(*v), ascending);
	d->p50 = percentile(v, n, 50);
	d->p99 = percentile(v, n, 99);
}

static void name_row(struct sched_row *row, const struct sched_thread *th,
		     const struct sched_who *who)
{
	row->tid = th->tid;
	row->pid = sched_who_pid(who, th->tid, th->ended);
	row->comm = xstrdup(sched_who_name(who, row->pid, row->tid, th->ended));
}

static bool wanted(const struct sched_row *row, const struct filter *f)
{
	return !f || filter_thread(f, row->comm, row->pid, row->tid);
}

/* Of threads that were not recorded only the records of others speak, who woke them. */
static bool was_recorded(const struct account *ac, const struct sched_read *sr)
{
	return ac->row.life && (ac->ran || (sr->wide && ac->known));
}

/* Of two rows: below 0 when A comes first. */
struct order {
	const struct account *v;
	enum sched_sort sort;
};

static int descending(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare_key(const struct sched_row *a, const struct sched_row *b, enum sched_sort sort)
{
	switch (sort) {
	case SCHED_BY_DELAY:
		return descending(a->time[PART_WOKEN] + a->time[PART_PREEMPTED],
				  b->time[PART_WOKEN] + b->time[PART_PREEMPTED]);
	case SCHED_BY_MAX:
		return descending(a->delays.max, b->delays.max);
	case SCHED_BY_RUN:
		return descending(a->time[PART_RUN], b->time[PART_RUN]);
	case SCHED_BY_SWITCHES:
		return descending(a->switches, b->switches);
	case SCHED_BY_COMM:
		return strcmp(a->comm, b->comm);
	case SCHED_BY_TID:
		return a->tid < b->tid ? -1 : a->tid > b->tid;
	}
	return 0;
}

static int compare_rows(const void *va, const void *vb, void *ctx)
{
	const struct order *o = ctx;
	uint32_t ia = *(const uint32_t *)va, ib = *(const uint32_t *)vb;
	const struct account *a = &o->v[ia], *b = &o->v[ib];
	int r;

	if (a->wanted != b->wanted)
		return a->wanted ? -1 : 1;
	r = compare_key(&a->row, &b->row, o->sort);
	if (!r)
		r = descending(a->row.time[PART_RUN], b->row.time[PART_RUN]);
	if (!r && a->row.tid != b->row.tid)
		r = a->row.tid < b->row.tid ? -1 : 1;
	return r ? r : ia < ib ? -1 : 1;
}

static void add_to_histogram(struct sched_table *t, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t us = v[i] / 1000;
		unsigned b = us < 2 ? 0 : 63 - (unsigned)__builtin_clzll(us);

		if (b >= SCHED_BUCKETS)
			b = SCHED_BUCKETS - 1;
		t->histogram[b].n++;
		t->histogram[b].sum += v[i];
	}
}

/* All delays of the rows that are shown, as one. */
static void sum_up(struct sched_table *t, const struct accounts *a, const uint32_t *order)
{
	VEC(uint64_t) all = { 0 };

	for (size_t i = 0; i < t->n; i++) {
		const struct account *ac = &a->v.v[order[i]];
		const struct sched_delays *d = &ac->row.delays;

		for (size_t k = 0; k < ac->delays.n; k++)
			vec_push(&all, ac->delays.v[k]);
		t->delays.n += d->n;
		t->delays.sum += d->sum;
		if (d->max > t->delays.max) {
			t->delays.max = d->max;
			t->delays.max_at = d->max_at;
		}
	}
	finish_delays(&t->delays, all.v, all.n);
	add_to_histogram(t, all.v, all.n);
	vec_release(&all);
}

/* ---- all of it ---- */

static void name_accounts(struct accounts *a, const struct sched *sched, const struct session *s,
			  const struct sched_read *sr)
{
	struct sched_who who;

	sched_who_init(&who, s->timeline, sr);
	for (size_t i = 0; i < a->v.n; i++) {
		struct account *ac = &a->v.v[i];

		name_row(&ac->row, &sched->threads.v[i], &who);
		ac->wanted = was_recorded(ac, sr) && wanted(&ac->row, a->opts->filter);
		finish_delays(&ac->row.delays, ac->delays.v, ac->delays.n);
	}
	sched_who_release(&who);
}

static void make_rows(struct sched_table *t, struct accounts *a, const struct sched *sched)
{
	uint32_t *order = xcalloc(a->v.n + 1, sizeof(*order));
	uint32_t *place = xcalloc(a->v.n + 1, sizeof(*place));
	struct order by = { a->v.v, a->opts->sort };

	for (size_t i = 0; i < a->v.n; i++) {
		order[i] = (uint32_t)i;
		t->n += a->v.v[i].wanted;
	}
	if (a->v.n)
		qsort_r(order, a->v.n, sizeof(*order), compare_rows, &by);
	t->nr_all = a->v.n;
	t->rows = xcalloc(a->v.n + 1, sizeof(*t->rows));
	sum_up(t, a, order);
	sched_worst_list(t, a, sched);
	for (size_t i = 0; i < a->v.n; i++) {
		t->rows[i] = a->v.v[order[i]].row;
		place[order[i]] = (uint32_t)i;
	}
	sched_worst_renumber(t, place);
	for (size_t i = 0; i < a->cpus.n; i++)
		t->nr_cpus += a->cpus.v[i].seen;
	free(order);
	free(place);
}

static void accounts_release(struct accounts *a)
{
	for (size_t i = 0; i < a->v.n; i++)
		vec_release(&a->v.v[i].delays);
	for (size_t i = 0; i < a->cpus.n; i++)
		vec_release(&a->cpus.v[i].v);
	vec_release(&a->v);
	vec_release(&a->over);
	vec_release(&a->cpus);
	sched_within_release(&a->within);
}

static void account(struct sched_table *t, const struct session *s, const struct sched_read *sr,
		    const struct sched_options *o)
{
	struct accounts a = { .opts = o };
	struct sched sched;

	if (o->filter)
		filter_set_span(o->filter, sr->begin, sr->end);
	sched_within_init(&a.within, o->filter);
	sched_replay(&sched, &sr->records, sr->begin, sr->end, take_span, &a);
	name_accounts(&a, &sched, s, sr);
	make_rows(t, &a, &sched);
	t->begin = sr->begin;
	t->end = sr->end;
	t->chosen = sched_within_time(&a.within, sr->begin, sr->end);
	t->has_states = sr->has_states;
	t->has_wakes = sr->has_wake;
	t->unreadable = sr->unreadable;
	t->untimed = sr->untimed;
	t->switches = sched.switches;
	t->wakes = sched.wakes;
	t->missing_in = sched.missing_in;
	t->missing_out = sr->wide ? sched.missing_out : 0; /* of threads that were not recorded */
	t->wide = sr->wide;
	t->holes = sched.holes;
	sched_release(&sched);
	accounts_release(&a);
}

int sched_table_build(struct sched_table *t, struct session *s, const struct session_options *so,
		      const struct sched_options *o, struct err *err)
{
	struct sched_read sr = { 0 };
	int rc;

	*t = (struct sched_table){ 0 };
	rc = session_walk(s, so, sched_read_record, &sr, err);
	if (rc == 0 && !sr.has_switch) {
		rc = err_set(err, ERR_NOT_FOUND,
			     "%s has no switches of threads; record with "
			     "-a -e sched:sched_switch,sched:sched_waking, or with --switch-events",
			     so->path);
		session_release(s);
	}
	if (rc == 0) {
		sched_read_finish(&sr);
		account(t, s, &sr, o);
	}
	sched_read_release(&sr);
	return rc;
}
