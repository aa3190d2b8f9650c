/* SPDX-License-Identifier: MIT */
/*
 * A state machine for each thread.  Its current span is open; a record that changes its state
 * closes it and opens the next, so the spans of a thread have neither gaps nor overlaps.
 *
 * A recording may tell a switch twice: as a tracepoint, which knows the state, and some µs later
 * as a SWITCH record.  Then the tracepoint counts, and the record is only awaited.  Kernels leave
 * out the tracepoint for some switches from the idle task; where SWITCH records were asked for,
 * they fill in.
 *
 * A thread that leaves a CPU without having come has run since nobody knows when: the span that
 * was open becomes UNKNOWN, and is not stretched.
 */
#include "base/hash.h"
#include "collect/sched.h"

/* ---- threads ---- */

static uint32_t find_tid(struct sched *s, int32_t tid)
{
	uint64_t hash = hash_u64((uint32_t)tid);
	struct hashidx_iter it = hashidx_first(&s->tid_index, hash);
	uint32_t id;

	while ((id = hashidx_next(&s->tid_index, &it)) != HASHIDX_NONE)
		if (s->tids.v[id].tid == tid)
			return id;
	id = (uint32_t)s->tids.n;
	vec_push(&s->tids, (struct sched_tid){ tid, UINT32_MAX });
	hashidx_add(&s->tid_index, hash, id);
	return id;
}

static uint32_t tid_slot(struct sched *s, int32_t tid)
{
	struct sched_recent *r = &s->recent[(uint32_t)tid % SCHED_RECENT];

	if (r->tid != tid || !r->slot1)
		*r = (struct sched_recent){ tid, find_tid(s, tid) + 1 };
	return r->slot1 - 1;
}

/* A thread that is there from SINCE on, with nothing known of it yet. */
static struct sched_thread *new_thread(struct sched *s, uint32_t slot, uint64_t since)
{
	struct sched_thread t = {
		.tid = s->tids.v[slot].tid,
		.born = since,
		.ended = s->end,
		.now = SPAN_UNKNOWN,
		.since = since,
		.cpu = UINT32_MAX,
		.waker = -1,
		.out = SCHED_NONE,
		.waking = SCHED_NONE,
	};

	s->tids.v[slot].thread = (uint32_t)s->threads.n;
	vec_push(&s->threads, t);
	return &s->threads.v[s->threads.n - 1];
}

/* The thread that has TID at TIME: one that has ended has given it to another. */
static struct sched_thread *thread_of(struct sched *s, int32_t tid, uint64_t time)
{
	uint32_t slot = tid_slot(s, tid), id = s->tids.v[slot].thread;
	struct sched_thread *t;

	if (id != UINT32_MAX && !s->threads.v[id].has_ended)
		return &s->threads.v[id];
	t = new_thread(s, slot, id == UINT32_MAX ? s->begin : time);
	if (id == UINT32_MAX)
		t->flags = SPAN_OPEN_BEGIN;
	return t;
}

/* ---- spans ---- */

static void emit(struct sched *s, const struct sched_thread *t, struct sched_span span)
{
	if (span.until <= span.from)
		return;
	span.thread = (uint32_t)(t - s->threads.v);
	span.tid = t->tid;
	if (sched_holes_touch(&s->lost, span.from, span.until))
		span.flags |= SPAN_DOUBTFUL;
	s->fn(s->ctx, &span);
}

/* Close T's span at UNTIL; FLAGS are added, CPU is where it comes to run, if it does. */
static void close_span(struct sched *s, struct sched_thread *t, uint64_t until, unsigned flags,
		       uint32_t cpu)
{
	struct sched_span span = {
		.from = t->since,
		.until = until,
		.kind = t->now,
		.state = t->state,
		.flags = t->flags,
		.cpu = t->now == SPAN_RUN ? t->cpu : cpu,
		.last_cpu = t->cpu,
		.out = t->out,
		.waker = t->waker,
		.waking = t->waking,
	};

	if (t->woken) {
		span.until = t->woken_at;
		emit(s, t, span);
		span.flags = 0;
		span.from = t->woken_at;
		span.until = until;
		span.kind = SPAN_READY;
		if (t->irq)
			span.flags |= SPAN_IRQ;
	}
	span.flags |= (uint8_t)flags;
	emit(s, t, span);
}

/* The switch that must have ended T's span is missing. */
static void close_unknown(struct sched *s, struct sched_thread *t, uint64_t until)
{
	t->now = SPAN_UNKNOWN;
	t->state = STATE_UNKNOWN;
	t->woken = false;
	close_span(s, t, until, 0, UINT32_MAX);
}

static void open_span(struct sched_thread *t, enum span_kind now, enum sched_state state,
		      uint64_t since)
{
	t->now = (uint8_t)now;
	t->state = (uint8_t)state;
	t->since = since;
	t->flags = 0;
	t->woken = t->irq = false;
	t->waker = -1;
	t->waking = SCHED_NONE;
}

static void end_thread(struct sched_thread *t, uint64_t time)
{
	t->has_ended = true;
	t->ended = time;
}

/* ---- records ---- */

static uint32_t index_of(const struct sched *s, const struct sched_record *r)
{
	return (uint32_t)(r - s->records);
}

/* Whether a switch was seen on the CPU before. */
static bool cpu_seen(const struct sched *s, uint32_t cpu)
{
	return cpu < s->cpus.n && s->cpus.v[cpu].seen;
}

static void see_cpu(struct sched *s, uint32_t cpu)
{
	if (cpu >= SCHED_CPU_LIMIT)
		return;
	while (cpu >= s->cpus.n)
		vec_push(&s->cpus, (struct sched_cpu){ .thread = UINT32_MAX });
	s->cpus.v[cpu].seen = true;
}

/* It has exited, and its last switch is missing or is not recorded. */
static void end_running(struct sched *s, struct sched_thread *t)
{
	uint64_t end = t->exit_at > t->since ? t->exit_at : t->since;

	close_span(s, t, end, 0, UINT32_MAX);
	end_thread(t, end);
}

/*
 * T runs on CPU.  If another was thought to, that it left is missing: it has been off since
 * nobody knows when.
 */
static void set_running(struct sched *s, struct sched_thread *t, uint32_t cpu, uint64_t time)
{
	struct sched_thread *old = NULL;

	t->cpu = cpu;
	see_cpu(s, cpu);
	if (cpu >= s->cpus.n)
		return;
	if (s->cpus.v[cpu].thread != UINT32_MAX)
		old = &s->threads.v[s->cpus.v[cpu].thread];
	s->cpus.v[cpu].thread = (uint32_t)(t - s->threads.v);
	if (!old || old == t || old->has_ended || old->now != SPAN_RUN || old->cpu != cpu)
		return;
	if (old->exiting) {
		end_running(s, old);
		return;
	}
	s->missing_out++;
	close_unknown(s, old, time);
	open_span(old, SPAN_UNKNOWN, STATE_UNKNOWN, time);
}

/* It runs, and how it came to is not recorded. */
static void found_running(struct sched *s, struct sched_thread *t, const struct sched_record *r)
{
	if (t->flags & SPAN_OPEN_BEGIN && !t->woken && !cpu_seen(s, r->cpu)) {
		t->now = SPAN_RUN; /* the first switch of the CPU: it ran from the beginning */
		set_running(s, t, r->cpu, r->time);
		return;
	}
	if (!(t->flags & SPAN_OPEN_BEGIN))
		s->missing_in++;
	close_unknown(s, t, r->time);
	open_span(t, SPAN_RUN, STATE_UNKNOWN, r->time);
	set_running(s, t, r->cpu, r->time);
}

/* Kernels before 4.14 say "dead" with the number that now says "parked". */
static bool leaves_for_good(const struct sched_thread *t, const struct sched_record *r)
{
	return r->state == STATE_DEAD || (t->exiting && r->state == STATE_PARKED);
}

static void leave(struct sched *s, const struct sched_record *r)
{
	struct sched_thread *t = thread_of(s, r->tid, r->time);

	if (t->now != SPAN_RUN)
		found_running(s, t, r);
	close_span(s, t, r->time, 0, UINT32_MAX);
	if (leaves_for_good(t, r)) {
		end_thread(t, r->time);
		return;
	}
	open_span(t, r->state == STATE_READY ? SPAN_READY : SPAN_OFF, (enum sched_state)r->state,
		  r->time);
	t->out = index_of(s, r);
	t->told_out = r->kind == SCHED_SWITCH;
	t->told_in = false;
}

static void come(struct sched *s, int32_t tid, const struct sched_record *r)
{
	struct sched_thread *t = thread_of(s, tid, r->time);

	if (t->now == SPAN_RUN) {
		s->missing_out++;
		close_unknown(s, t, r->time);
	} else if (t->now == SPAN_UNKNOWN) {
		t->now = SPAN_OFF; /* since the beginning: else its leaving were recorded */
		close_span(s, t, r->time, 0, r->cpu);
	} else {
		close_span(s, t, r->time, 0, r->cpu);
	}
	open_span(t, SPAN_RUN, STATE_UNKNOWN, r->time);
	set_running(s, t, r->cpu, r->time);
	t->out = SCHED_NONE;
	t->told_in = r->kind == SCHED_SWITCH;
	t->told_out = false;
}

static void take_switch(struct sched *s, const struct sched_record *r)
{
	s->switches++;
	if (r->tid)
		leave(s, r);
	if (r->other)
		come(s, r->other, r);
}

/* Of a thread that has ended nothing is left to say but that its tid has come to another one. */
static bool is_gone(struct sched *s, int32_t tid)
{
	uint32_t slot = tid_slot(s, tid), id = s->tids.v[slot].thread;

	return id != UINT32_MAX && s->threads.v[id].has_ended;
}

/* The last switch of a thread, whose tid has been taken from it. */
static void take_last_out(struct sched *s, const struct sched_record *r)
{
	uint32_t id = r->cpu < s->cpus.n ? s->cpus.v[r->cpu].thread : UINT32_MAX;
	struct sched_thread *t = id != UINT32_MAX ? &s->threads.v[id] : NULL;

	if (!t || t->has_ended || !t->exiting || t->now != SPAN_RUN || t->cpu != r->cpu)
		return;
	s->switches++;
	close_span(s, t, r->time, 0, UINT32_MAX);
	end_thread(t, r->time);
}

static void take_out(struct sched *s, const struct sched_record *r)
{
	struct sched_thread *t;

	if (r->tid < 0) {
		take_last_out(s, r);
		return;
	}
	if (is_gone(s, r->tid))
		return; /* repeats the tracepoint that was its end */
	t = thread_of(s, r->tid, r->time);
	if (t->told_out) {
		t->told_out = false;
		return;
	}
	s->switches++;
	leave(s, r);
}

static void take_in(struct sched *s, const struct sched_record *r)
{
	struct sched_thread *t = thread_of(s, r->tid, r->time);

	if (t->told_in)
		t->told_in = false;
	else
		come(s, r->tid, r);
}

static void wake(struct sched *s, const struct sched_record *r)
{
	struct sched_thread *t;

	s->wakes++;
	if (is_gone(s, r->tid))
		return;
	t = thread_of(s, r->tid, r->time);
	if (t->woken || (t->now != SPAN_OFF && t->now != SPAN_UNKNOWN))
		return; /* it was awake */
	if (t->now == SPAN_UNKNOWN)
		t->now = SPAN_OFF;
	t->woken = true;
	t->woken_at = r->time;
	t->waker = r->other;
	t->waking = index_of(s, r);
	t->irq = r->irq;
}

static void bear(struct sched *s, const struct sched_record *r)
{
	uint32_t slot = tid_slot(s, r->tid), id = s->tids.v[slot].thread;
	struct sched_thread *t = id != UINT32_MAX ? &s->threads.v[id] : NULL;

	if (t && t->exiting && t->now != SPAN_RUN)
		end_thread(t, t->since); /* its tid is another's now */
	if (t && !t->has_ended)
		return; /* told twice */
	t = new_thread(s, slot, r->time);
	open_span(t, SPAN_READY, STATE_UNKNOWN, r->time);
	t->was_born = true;
	t->waker = r->other;
	t->waking = index_of(s, r);
}

/* It runs until it leaves its CPU for good, if that is recorded. */
static void expect_end(struct sched *s, const struct sched_record *r)
{
	struct sched_thread *t;

	if (is_gone(s, r->tid))
		return;
	t = thread_of(s, r->tid, r->time);
	if (t->now != SPAN_RUN)
		found_running(s, t, r);
	t->exiting = true;
	t->exit_at = r->time;
}

static void take(struct sched *s, const struct sched_record *r)
{
	if (!r->tid && r->kind != SCHED_SWITCH && r->kind != SCHED_LOST) {
		see_cpu(s, r->cpu);
		return; /* the idle task */
	}
	switch ((enum sched_kind)r->kind) {
	case SCHED_SWITCH:
		take_switch(s, r);
		break;
	case SCHED_OUT:
		take_out(s, r);
		break;
	case SCHED_IN:
		take_in(s, r);
		break;
	case SCHED_WAKE:
		wake(s, r);
		return;
	case SCHED_BORN:
		bear(s, r);
		return;
	case SCHED_EXIT:
		expect_end(s, r);
		return;
	case SCHED_LOST:
		return;
	}
	see_cpu(s, r->cpu);
}

/* ---- all of it ---- */

static void finish(struct sched *s)
{
	for (size_t i = 0; i < s->threads.n; i++) {
		struct sched_thread *t = &s->threads.v[i];

		if (t->has_ended)
			continue;
		if (t->exiting && t->now == SPAN_RUN) {
			end_running(s, t);
		} else if (t->exiting && t->state == STATE_BLOCKED) {
			end_thread(t, t->since); /* that was its last switch */
		} else {
			close_span(s, t, s->end, SPAN_OPEN_END, UINT32_MAX);
		}
	}
}

void sched_replay(struct sched *s, const struct sched_records *r, uint64_t begin, uint64_t end,
		  sched_span_fn *fn, void *ctx)
{
	*s = (struct sched){ .begin = begin,
			     .end = end,
			     .fn = fn,
			     .ctx = ctx,
			     .records = r->v.v,
			     .holes = r->holes };
	sched_holes_find(&s->lost, r, begin);
	for (size_t i = 0; i < r->order.n; i++) {
		const struct sched_record *rec = &r->v.v[r->order.v[i]];

		if (rec->time >= begin)
			take(s, rec);
	}
	finish(s);
}

void sched_release(struct sched *s)
{
	vec_release(&s->threads);
	vec_release(&s->tids);
	vec_release(&s->cpus);
	sched_holes_release(&s->lost);
	hashidx_release(&s->tid_index);
}
