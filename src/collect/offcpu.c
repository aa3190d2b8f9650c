/* SPDX-License-Identifier: MIT */
/*
 * From spans to absences.  A thread that blocks and is woken gives two spans, one behind the other:
 * until it was woken, and until it ran; both have the stack of its leaving.
 *
 * Where a switch is told by a SWITCH record there is no stack, and neither is there one where the
 * thread had left before the recording began: such absences have their state for a stack.
 */
#include "collect/offcpu.h"

#include <stdlib.h>

#include "collect/sched_who.h"

#include <perfrep/profile.h>

static enum offcpu_state left_in(const struct sched_span *span)
{
	static const uint8_t states[STATE_MAX] = {
		[STATE_UNKNOWN] = OFFCPU_UNSTATED, [STATE_SLEEPING] = OFFCPU_SLEEPING,
		[STATE_DISK] = OFFCPU_DISK,        [STATE_STOPPED] = OFFCPU_STOPPED,
		[STATE_IDLE] = OFFCPU_IDLE,        [STATE_PARKED] = OFFCPU_PARKED,
		[STATE_DEAD] = OFFCPU_UNSTATED,    [STATE_READY] = OFFCPU_PREEMPTED,
		[STATE_BLOCKED] = OFFCPU_BLOCKED,
	};

	return (enum offcpu_state)states[span->state];
}

static enum offcpu_state state_of(const struct sched_span *span)
{
	if (span->kind == SPAN_READY && span->state != STATE_READY)
		return OFFCPU_RUNNABLE;
	return left_in(span);
}

static struct offcpu_thread *thread_of(struct offcpu *o, const struct sched_span *span)
{
	if (span->thread >= o->threads.n)
		vec_resize(&o->threads, (size_t)span->thread + 1);
	o->threads.v[span->thread].tid = span->tid;
	return &o->threads.v[span->thread];
}

static void account(struct offcpu *o, const struct sched_span *span, enum offcpu_state state)
{
	struct offcpu_thread *t = thread_of(o, span);
	uint64_t ns = sched_within_time(&o->within, span->from, span->until);

	if (!ns || !sched_within_cpus(&o->within, span))
		return;
	t->life += ns;
	if (span->flags & SPAN_DOUBTFUL)
		t->doubtful += ns;
	switch ((enum span_kind)span->kind) {
	case SPAN_RUN:
		t->run += ns;
		return;
	case SPAN_UNKNOWN:
		t->unknown += ns;
		return;
	case SPAN_OFF:
	case SPAN_READY:
		break;
	}
	t->states[state] += ns;
	t->counts[state]++;
	if (state == OFFCPU_RUNNABLE)
		t->woken[left_in(span)] += ns;
	if (span->flags & (SPAN_OPEN_BEGIN | SPAN_OPEN_END))
		t->open += ns;
}

/* The absence that SPAN may be a part of: its sample's, or the last one without; or NULL. */
static struct offcpu_absence *absence_of(struct offcpu *o, const struct sched_span *span)
{
	uint32_t link = span->out == SCHED_NONE ? 0 : o->links[span->out];

	if (link)
		return &o->v.v[link - 1];
	return o->v.n > o->stackless ? &o->v.v[o->v.n - 1] : NULL;
}

/* Whether SPAN, a wait for a CPU, follows what the waking ended. */
static bool continues(const struct offcpu_absence *a, const struct sched_span *span)
{
	return a->until == span->from && a->thread == span->thread && !a->woken;
}

static struct offcpu_absence *add_part(struct offcpu *o, const struct sched_span *span,
				       enum offcpu_state state)
{
	struct offcpu_absence *a = absence_of(o, span);
	bool open = span->flags & (SPAN_OPEN_BEGIN | SPAN_OPEN_END);
	bool elsewhere = !sched_within_cpus(&o->within, span);
	uint8_t mark = (uint8_t)(2 * state + open);

	if (a && state == OFFCPU_RUNNABLE && continues(a, span)) {
		a->woken = span->from;
		a->until = span->until;
		a->mark[1] = mark;
		a->flags[1] = span->flags;
		a->elsewhere[1] = elsewhere;
		return a;
	}
	if (!a || a->until) {
		vec_reserve(&o->v, 1);
		a = &o->v.v[o->v.n++];
	}
	*a = (struct offcpu_absence){
		.from = span->from,
		.until = span->until,
		.waking = SCHED_NONE,
		.thread = span->thread,
		.mark = { mark },
		.flags = { span->flags },
		.elsewhere = { elsewhere },
	};
	return a;
}

static void take_span(void *ctx, const struct sched_span *span)
{
	struct offcpu *o = ctx;
	enum offcpu_state state = state_of(span);
	struct offcpu_absence *a;

	account(o, span, state);
	if (span->kind != SPAN_OFF && span->kind != SPAN_READY)
		return;
	a = add_part(o, span, state);
	if (state == OFFCPU_RUNNABLE && span->waking != SCHED_NONE) {
		a->waking = span->waking;
		o->links[span->waking] = (uint32_t)(a - o->v.v) + 1;
	}
}

/* Room for the absences that have a sample, in the order of the file. */
static void number_samples(struct offcpu *o)
{
	const struct sched_records *r = &o->read.records;
	uint32_t n = 0;

	o->links = xcalloc(r->v.n, sizeof(*o->links));
	for (size_t i = 0; i < r->v.n; i++)
		if (r->v.v[i].kind == SCHED_SWITCH && r->v.v[i].tid)
			o->links[i] = ++n;
	vec_resize(&o->v, n);
	o->stackless = n;
}

/* The first event that counts time on the CPU; PROFILE_NONE when there is none. */
static uint32_t find_clock(const struct evlist *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct attr *a = &list->v[i].attr;

		if (a->type == PERF_TYPE_SOFTWARE && a->config < 2)
			return (uint32_t)i;
	}
	return PROFILE_NONE;
}

static void take_threads(struct offcpu *o, const struct sched *s, const struct timeline *tl)
{
	struct sched_who who;

	sched_who_init(&who, tl, &o->read);
	vec_resize(&o->threads, s->threads.n);
	for (size_t i = 0; i < s->threads.n; i++) {
		struct offcpu_thread *t = &o->threads.v[i];

		t->tid = s->threads.v[i].tid;
		t->born = s->threads.v[i].born;
		t->ended = s->threads.v[i].ended;
		t->pid = sched_who_pid(&who, t->tid, t->ended);
	}
	sched_who_release(&who);
}

void offcpu_begin(struct offcpu *o, const struct evlist *list)
{
	o->there = o->read.has_switch && o->read.has_time;
	o->event = (uint32_t)list->n;
	o->wall = PROFILE_NONE;
	o->on_cpu = find_clock(list);
}

void offcpu_finish(struct offcpu *o, const struct timeline *tl, const struct filter *filter)
{
	struct sched s;

	if (!o->there)
		return;
	sched_within_init(&o->within, filter);
	sched_read_finish(&o->read);
	number_samples(o);
	o->begin = o->read.begin;
	o->end = o->read.end;
	sched_replay(&s, &o->read.records, o->begin, o->end, take_span, o);
	take_threads(o, &s, tl);
	o->switches = s.switches;
	o->wakes = s.wakes;
	o->missing_in = s.missing_in;
	o->missing_out = s.missing_out;
	o->holes = s.holes;
	sched_release(&s);
}

/*
 * The record at POS, or SCHED_NONE.  *HINT is where the next one is expected: samples are asked
 * for in ascending order, but for a new chunk now and then.
 */
static uint32_t find(const struct offcpu *o, uint64_t pos, size_t *hint)
{
	enum { STEPS = 4 };
	const struct sched_record *v = o->read.records.v.v;
	size_t lo = *hint, n = o->read.records.v.n, hi = n;

	if (lo >= n || v[lo].pos > pos)
		lo = lo && lo <= n && v[lo - 1].pos < pos ? lo : 0;
	for (int i = 0; i < STEPS && lo < n && v[lo].pos < pos; i++)
		lo++;
	while (lo < hi && v[lo].pos < pos) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].pos < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	*hint = lo;
	return lo < n && v[lo].pos == pos ? (uint32_t)lo : SCHED_NONE;
}

const struct offcpu_absence *offcpu_find(const struct offcpu *o, uint64_t pos, size_t *hint)
{
	uint32_t at = find(o, pos, hint);
	const struct offcpu_absence *a;

	if (at == SCHED_NONE || o->read.records.v.v[at].kind != SCHED_SWITCH || !o->links[at])
		return NULL;
	a = &o->v.v[o->links[at] - 1];
	return a->until ? a : NULL;
}

const struct offcpu_absence *offcpu_woken(const struct offcpu *o, uint64_t pos, size_t *hint)
{
	uint32_t at = find(o, pos, hint);

	if (at == SCHED_NONE || o->read.records.v.v[at].kind == SCHED_SWITCH || !o->links[at])
		return NULL;
	return &o->v.v[o->links[at] - 1];
}

/* Part I of A. */
static struct offcpu_part part(const struct offcpu *o, const struct offcpu_absence *a, unsigned i)
{
	uint64_t from = i ? a->woken : a->from, until = !i && a->woken ? a->woken : a->until;
	struct offcpu_part p = { .from = sched_within_first(&o->within, from, until),
				 .mark = a->mark[i],
				 .flags = a->flags[i] };

	if (!a->elsewhere[i])
		p.ns = sched_within_time(&o->within, from, until);
	p.outside = until - from - p.ns;
	return p;
}

unsigned offcpu_parts(const struct offcpu *o, const struct offcpu_absence *a,
		      struct offcpu_part parts[2])
{
	parts[0] = part(o, a, 0);
	if (!a->woken)
		return 1;
	parts[1] = part(o, a, 1);
	return 2;
}

void offcpu_release(struct offcpu *o)
{
	vec_release(&o->v);
	free(o->links);
	sched_within_release(&o->within);
	vec_release(&o->threads);
	sched_read_release(&o->read);
}
