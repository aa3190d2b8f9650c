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

static const char *const state_names[OFFCPU_STATES] = {
	[OFFCPU_SLEEPING] = "sleeping",	  [OFFCPU_DISK] = "disk",
	[OFFCPU_STOPPED] = "stopped",	  [OFFCPU_IDLE] = "idle",
	[OFFCPU_PARKED] = "parked",	  [OFFCPU_BLOCKED] = "blocked",
	[OFFCPU_UNSTATED] = "left before", [OFFCPU_PREEMPTED] = "preempted",
	[OFFCPU_RUNNABLE] = "runnable",
};

static const char *const mark_names[OFFCPU_MARKS] = {
	"[sleeping]",	 "[sleeping, not over]",
	"[disk]",	 "[disk, not over]",
	"[stopped]",	 "[stopped, not over]",
	"[idle]",	 "[idle, not over]",
	"[parked]",	 "[parked, not over]",
	"[blocked]",	 "[blocked, not over]",
	"[left before]", "[left before, not over]",
	"[preempted]",	 "[preempted, not over]",
	"[runnable]",	 "[runnable, not over]",
};

const char *offcpu_state_name(enum offcpu_state s)
{
	return state_names[s];
}

const char *offcpu_mark_name(unsigned mark)
{
	return mark_names[mark];
}

int offcpu_mark_of(const char *name)
{
	for (int i = 0; i < OFFCPU_MARKS; i++)
		if (!strcmp(mark_names[i], name))
			return i;
	return -1;
}

static enum offcpu_state state_of(const struct sched_span *span)
{
	static const uint8_t states[STATE_MAX] = {
		[STATE_UNKNOWN] = OFFCPU_UNSTATED, [STATE_SLEEPING] = OFFCPU_SLEEPING,
		[STATE_DISK] = OFFCPU_DISK,	   [STATE_STOPPED] = OFFCPU_STOPPED,
		[STATE_IDLE] = OFFCPU_IDLE,	   [STATE_PARKED] = OFFCPU_PARKED,
		[STATE_DEAD] = OFFCPU_UNSTATED,	   [STATE_READY] = OFFCPU_PREEMPTED,
		[STATE_BLOCKED] = OFFCPU_BLOCKED,
	};

	if (span->kind == SPAN_READY)
		return span->state == STATE_READY ? OFFCPU_PREEMPTED : OFFCPU_RUNNABLE;
	return (enum offcpu_state)states[span->state];
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
	t->intervals++;
	if (span->flags & (SPAN_OPEN_BEGIN | SPAN_OPEN_END))
		t->open += ns;
}

static void take_span(void *ctx, const struct sched_span *span)
{
	struct offcpu *o = ctx;
	enum offcpu_state state = state_of(span);
	bool open = span->flags & (SPAN_OPEN_BEGIN | SPAN_OPEN_END);

	account(o, span, state);
	if (span->kind != SPAN_OFF && span->kind != SPAN_READY)
		return;
	vec_push(&o->v, (struct offcpu_interval){
				.pos = told_by_sample(o, span->out_pos) ? span->out_pos :
									  SCHED_NO_POS,
				.from = span->from,
				.ns = span->until - span->from,
				.waker_pos = span->waker_pos,
				.thread = span->thread,
				.tid = span->tid,
				.mark = (uint8_t)(2 * state + open),
				.flags = span->flags,
			});
}

static int by_number(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

static int by_pos(const void *pa, const void *pb)
{
	const struct offcpu_interval *a = pa, *b = pb;

	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
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

static void count_stacks(struct offcpu *o)
{
	size_t lo = 0, hi = o->v.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->v.v[mid].pos < SCHED_NO_POS)
			lo = mid + 1;
		else
			hi = mid;
	}
	o->nr_stacks = lo;
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
	if (o->v.n)
		qsort(o->v.v, o->v.n, sizeof(*o->v.v), by_pos);
	count_stacks(o);
}

/* The first interval at or behind POS, from LO on. */
static size_t lower_bound(const struct offcpu *o, uint64_t pos, size_t lo)
{
	size_t hi = o->nr_stacks;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (o->v.v[mid].pos < pos)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

size_t offcpu_find(const struct offcpu *o, uint64_t pos, size_t *hint,
		   const struct offcpu_interval **out)
{
	size_t at = *hint, n = 0;

	if (at >= o->nr_stacks || o->v.v[at].pos != pos) {
		at = at < o->nr_stacks && o->v.v[at].pos < pos ? at : 0;
		at = lower_bound(o, pos, at);
	}
	*out = o->v.v + at;
	while (at + n < o->nr_stacks && o->v.v[at + n].pos == pos)
		n++;
	*hint = at + n;
	return n;
}

void offcpu_release(struct offcpu *o)
{
	vec_release(&o->v);
	vec_release(&o->threads);
	vec_release(&o->samples);
	sched_read_release(&o->read);
}
