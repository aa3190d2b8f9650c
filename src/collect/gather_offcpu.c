/* SPDX-License-Identifier: MIT */
/*
 * The intervals off the CPU were found in the sequential pass.  Here they meet their stacks: a
 * sample brings the weights of the intervals that follow it (intake.c), and they are stored apart
 * from the sample's own, with the thread's state on top of the stack.  If details are asked for,
 * the worker also notes which stack each interval had, and which stack each waking.
 */
#include "collect/gather_offcpu.h"

#include <string.h>

#include "collect/sample_stack.h"

void gather_offcpu_store(struct gather_worker *w, size_t n, size_t plain, uint64_t pos,
			 uint32_t key)
{
	if (w->seen.waits)
		offcpu_seen_add(&w->seen, &w->intake.shared->scan->offcpu, pos,
				offcpu_seen_stack(&w->seen, w->locs.v, n), key);
	for (size_t i = plain; i < w->weights.n; i++) {
		w->locs.v[n] = w->marks[w->weights.v[i].mark - 1];
		profile_add_stack(w->profile, w->locs.v, n + 1, key, &w->weights.v[i], 1);
	}
}

void gather_offcpu_caller(struct gather_worker *w)
{
	bool blocks = intake_blocks(&w->intake);

	for (size_t i = 0; blocks && i < w->stack.n; i++) {
		if (w->stack.frames[i].cpumode != CPUMODE_USER)
			continue;
		w->stack.frames[i].is_return = true;
		return;
	}
}

void gather_offcpu_waking(struct gather_worker *w, const struct process *proc, uint64_t when,
			  uint64_t pos, uint32_t key)
{
	const struct offcpu *o = &w->intake.shared->scan->offcpu;
	const struct offcpu_absence *a = offcpu_woken(o, pos, &w->seen.waker_hint);
	size_t n = 0;

	if (!a)
		return;
	w->locs.n = 0;
	vec_reserve(&w->locs, w->stack.n + 1);
	if (w->stack.flags & STACK_TRUNCATED)
		w->locs.v[n++] = w->mark;
	locator_find(&w->locator, proc, w->stack.frames, w->stack.n, when, w->locs.v + n);
	n += w->stack.n;
	offcpu_seen_waking(&w->seen, o, a, offcpu_seen_stack(&w->seen, w->locs.v, n), key);
}

void gather_offcpu_waker(struct gather_worker *w, bool repair)
{
	struct intake *in = &w->intake;

	if (!w->seen.waits ||
	    !offcpu_woken(&in->shared->scan->offcpu, in->pos, &w->seen.waker_hint))
		return;
	if (!w->unwinder || !sample_has_dump(&in->s)) {
		sample_stack(&in->s, in->evsel, intake_deferred(in), in->shared->opts, &w->stack);
	} else if (!gather_unwind(w, repair)) {
		cut_add(&w->cut, in, &w->stack, &w->info, true);
		return;
	}
	gather_offcpu_waking(w, in->image->process, in->when, in->pos, in->thread->key);
}

/* One part of an absence that has no stack. */
static void store_part(struct gather_worker *w, const struct offcpu *o,
		       const struct offcpu_absence *a, const struct offcpu_part *part)
{
	uint32_t events[] = { o->event, o->wall }, key;
	bool wanted = intake_stackless(&w->intake, a, part, &key);

	for (size_t k = 0; k < 2 && events[k] != PROFILE_NONE; k++) {
		struct stack_weight weight = { part->ns, events[k], w->intake.block, 0 };
		struct profile_event *e = &w->profile->events[events[k]];

		w->tally.events[events[k]].samples++;
		w->tally.events[events[k]].period += part->ns + part->outside;
		e->filtered_weight += part->outside;
		if (part->ns && wanted && intake_wants(&w->intake, events[k])) {
			profile_add_stack(w->profile, &w->marks[part->mark], 1, key, &weight, 1);
			if (!k && w->seen.waits)
				offcpu_seen_stackless(&w->seen, o, a, key);
			continue;
		}
		e->filtered_samples++;
		e->filtered_weight += part->ns;
	}
}

void gather_offcpu_stackless(struct collapse *c)
{
	const struct offcpu *o = &c->shared.scan->offcpu;
	struct offcpu_part parts[2];

	for (size_t i = o->stackless; o->there && i < o->v.n; i++) {
		unsigned n = offcpu_parts(o, &o->v.v[i], parts);

		for (unsigned k = 0; k < n; k++)
			store_part(&c->workers[0], o, &o->v.v[i], &parts[k]);
	}
}

void gather_offcpu_begin(struct collapse *c)
{
	const struct offcpu *o = &c->shared.scan->offcpu;
	struct offcpu_wait *waits;

	if (!o->there || !c->shared.opts->offcpu)
		return;
	waits = xcalloc(o->v.n, sizeof(*waits));
	for (unsigned i = 0; i < c->threads; i++) {
		c->workers[i].seen.waits = waits;
		c->workers[i].seen.by = (uint16_t)(i + 1);
	}
}

void gather_offcpu_events(struct gather_worker *w, const struct offcpu *o)
{
	if (!o->there)
		return;
	profile_event_add(w->profile, OFFCPU_EVENT, "ns");
	if (o->wall != PROFILE_NONE)
		profile_event_add(w->profile, WALL_EVENT, "ns");
	for (unsigned i = 0; i < OFFCPU_MARKS; i++) {
		const char *name = offcpu_mark_name(i);

		w->marks[i] = profile_loc(w->profile, LOC_MARK, 0,
					  profile_string(w->profile, name, strlen(name)), 0);
	}
}

void gather_offcpu_finish(struct collapse *c)
{
	const struct offcpu *o = &c->shared.scan->offcpu;

	if (o->there)
		c->profile->events[o->event].exact = true;
	if (c->workers[0].seen.waits)
		c->offcpu = offcpu_detail_new(c->profile, o, c->workers, c->shared.scan->timeline,
					      c->shared.opts->filter);
	for (unsigned i = 0; i < c->threads; i++)
		offcpu_seen_release(&c->workers[i].seen);
}
