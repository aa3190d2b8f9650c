/* SPDX-License-Identifier: MIT */
/*
 * From spans to intervals off the CPU.  A thread that blocks and is woken gives two: until it was
 * woken, and until it ran; both have the stack of its leaving.
 *
 * Where a switch is told by a SWITCH record there is no stack, and neither is there one where the
 * thread had left before the recording began: such intervals have their state for a stack.
 */
#include "collect/offcpu.h"

#include <stdlib.h>

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

static bool told_by_sample(const struct offcpu *o, uint64_t pos)
{
	size_t lo = 0, hi = o->samples.n;

	if (!o->mixed)
		return o->read.has_states;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->samples.v[mid] < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < o->samples.n && o->samples.v[lo] == pos;
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
	uint64_t ns = span->until - span->from;

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

/* Intervals of one absence come one after the other. */
static void note_places(struct offcpu *o, const struct offcpu_interval *v)
{
	struct radix_item *last = o->places.n ? &o->places.v[o->places.n - 1] : NULL;
	uint32_t at = (uint32_t)(v - o->v.v);

	if (v->waker_pos != SCHED_NO_POS && v->mark / 2 == OFFCPU_RUNNABLE)
		vec_push(&o->wakers, (struct radix_item){ v->waker_pos, at, 1 });
	if (v->pos == SCHED_NO_POS)
		vec_push(&o->stackless, at);
	else if (last && last->key == v->pos && last->first + last->n == at)
		last->n++;
	else
		vec_push(&o->places, (struct radix_item){ v->pos, at, 1 });
}

static void take_span(void *ctx, const struct sched_span *span)
{
	struct offcpu *o = ctx;
	enum offcpu_state state = state_of(span);
	struct offcpu_interval *last = o->v.n ? &o->v.v[o->v.n - 1] : NULL;
	bool open = span->flags & (SPAN_OPEN_BEGIN | SPAN_OPEN_END);
	struct offcpu_interval v = {
		.pos = told_by_sample(o, span->out_pos) ? span->out_pos : SCHED_NO_POS,
		.from = span->from,
		.ns = span->until - span->from,
		.waker_pos = span->waker_pos,
		.thread = span->thread,
		.tid = span->tid,
		.waker = span->waker,
		.mark = (uint8_t)(2 * state + open),
		.flags = span->flags,
	};

	account(o, span, state);
	if (span->kind != SPAN_OFF && span->kind != SPAN_READY)
		return;
	if (last && state == OFFCPU_RUNNABLE && last->thread == span->thread &&
	    last->from + last->ns == span->from) {
		last->woken = true;
		v.before = last->ns;
	}
	vec_push(&o->v, v);
	note_places(o, &o->v.v[o->v.n - 1]);
}

static int by_number(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* Where both are recorded, switches that only a SWITCH record tells have no stack. */
static void find_samples(struct offcpu *o)
{
	const struct sched_records *r = &o->read.records;
	bool records = false;

	for (size_t i = 0; i < r->v.n && !records; i++)
		records = r->v.v[i].kind == SCHED_OUT;
	o->mixed = records && o->read.has_states;
	if (!o->mixed)
		return;
	for (size_t i = 0; i < r->v.n; i++)
		if (r->v.v[i].kind == SCHED_SWITCH)
			vec_push(&o->samples, r->v.v[i].pos);
	qsort(o->samples.v, o->samples.n, sizeof(*o->samples.v), by_number);
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

static int by_tid(const void *pa, const void *pb)
{
	const struct timeline_thread *a = pa, *b = pb;

	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* The process of TID among the N threads at V, in order of tid; of several the last one. */
static int32_t pid_of(const struct timeline_thread *v, size_t n, int32_t tid)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].tid <= tid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && v[lo - 1].tid == tid ? v[lo - 1].pid : -1;
}

static void take_threads(struct offcpu *o, const struct sched *s, const struct timeline *tl)
{
	struct timeline_thread *known;
	size_t n = timeline_threads(tl, &known);

	if (n)
		qsort(known, n, sizeof(*known), by_tid);
	vec_resize(&o->threads, s->threads.n);
	for (size_t i = 0; i < s->threads.n; i++) {
		struct offcpu_thread *t = &o->threads.v[i];

		t->tid = s->threads.v[i].tid;
		t->pid = pid_of(known, n, t->tid);
		t->born = s->threads.v[i].born;
		t->ended = s->threads.v[i].ended;
	}
	free(known);
}

void offcpu_finish(struct offcpu *o, const struct evlist *list, const struct timeline *tl)
{
	struct sched s;

	o->there = o->read.has_switch && o->read.has_time;
	o->event = (uint32_t)list->n;
	o->wall = PROFILE_NONE;
	o->on_cpu = find_clock(list);
	if (!o->there)
		return;
	sched_read_finish(&o->read);
	find_samples(o);
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
	radix_sort(o->places.v, o->places.n);
	radix_sort(o->wakers.v, o->wakers.n);
}

/*
 * The item of POS among the N at V, or NULL.  *HINT is where the next one is expected: samples are
 * asked for in ascending order, but for a new chunk now and then.
 */
static const struct radix_item *find(const struct radix_item *v, size_t n, uint64_t pos,
				     size_t *hint)
{
	enum { STEPS = 4 };
	size_t lo = *hint, hi = n;

	if (lo >= n || v[lo].key > pos)
		lo = lo && lo <= n && v[lo - 1].key < pos ? lo : 0;
	for (int i = 0; i < STEPS && lo < n && v[lo].key < pos; i++)
		lo++;
	while (lo < hi && v[lo].key < pos) {
		size_t mid = lo + (hi - lo) / 2;

		if (v[mid].key < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	*hint = lo;
	return lo < n && v[lo].key == pos ? &v[lo] : NULL;
}

size_t offcpu_find(const struct offcpu *o, uint64_t pos, size_t *hint,
		   const struct offcpu_interval **out)
{
	const struct radix_item *item = find(o->places.v, o->places.n, pos, hint);

	*out = item ? o->v.v + item->first : NULL;
	return item ? item->n : 0;
}

const struct offcpu_interval *offcpu_woken(const struct offcpu *o, uint64_t pos, size_t *hint)
{
	const struct radix_item *item = find(o->wakers.v, o->wakers.n, pos, hint);

	return item ? o->v.v + item->first : NULL;
}

void offcpu_release(struct offcpu *o)
{
	vec_release(&o->v);
	vec_release(&o->stackless);
	vec_release(&o->places);
	vec_release(&o->threads);
	vec_release(&o->samples);
	vec_release(&o->wakers);
	sched_read_release(&o->read);
}
