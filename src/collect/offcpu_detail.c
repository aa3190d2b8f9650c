/* SPDX-License-Identifier: MIT */
/*
 * Workers note the stack of each absence that they come by, and of each waking that ended one, in
 * ids of their own; afterwards the ids are translated.
 */
#include "collect/offcpu_detail.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "collect/gather.h"
#include "collect/sched_who.h"
#include "profile/filter.h"

uint32_t offcpu_seen_stack(struct offcpu_seen *seen, const uint32_t *locs, size_t n)
{
	uint64_t hash = hash_bytes(locs, n * sizeof(*locs));
	struct hashidx_iter it = hashidx_first(&seen->index, hash);
	uint32_t id;

	while ((id = hashidx_next(&seen->index, &it)) != HASHIDX_NONE) {
		struct offcpu_stack st = seen->stacks.v[id];

		if (st.n == n && !memcmp(seen->locs.v + st.first, locs, n * sizeof(*locs)))
			return id;
	}
	id = (uint32_t)seen->stacks.n;
	hashidx_add(&seen->index, hash, id);
	vec_push(&seen->stacks, (struct offcpu_stack){ (uint32_t)seen->locs.n, (uint32_t)n });
	vec_reserve(&seen->locs, n);
	if (n)
		memcpy(seen->locs.v + seen->locs.n, locs, n * sizeof(*locs));
	seen->locs.n += n;
	return id;
}

static struct offcpu_wait *wait_of(struct offcpu_seen *seen, const struct offcpu *o,
				   const struct offcpu_absence *a)
{
	return &seen->waits[a - o->v.v];
}

void offcpu_seen_add(struct offcpu_seen *seen, const struct offcpu *o, uint64_t pos, uint32_t stack,
		     uint32_t key)
{
	const struct offcpu_absence *a = offcpu_find(o, pos, &seen->hint);
	struct offcpu_wait *w;

	if (!a)
		return;
	w = wait_of(seen, o, a);
	w->stack = stack;
	w->key = key;
	w->by = seen->by;
}

void offcpu_seen_stackless(struct offcpu_seen *seen, const struct offcpu *o,
			   const struct offcpu_absence *a, uint32_t key)
{
	struct offcpu_wait *w = wait_of(seen, o, a);

	w->stack = PROFILE_NONE;
	w->key = key;
	w->by = seen->by;
}

void offcpu_seen_waking(struct offcpu_seen *seen, const struct offcpu *o,
			const struct offcpu_absence *a, uint32_t stack, uint32_t key)
{
	struct offcpu_wait *w = wait_of(seen, o, a);

	w->waker = stack;
	w->waker_key = key;
	w->waker_by = seen->by;
}

static uint32_t move_string(struct profile *dst, const struct profile *src, uint32_t id)
{
	return profile_string(dst, profile_str(src, id), profile_strlen(src, id));
}

static uint32_t move_loc(struct profile *dst, const struct profile *src, uint32_t id)
{
	struct location l = src->locs[id];

	if (l.kind == LOC_MARK || l.kind == LOC_NAME)
		l.addr = move_string(dst, src, (uint32_t)l.addr);
	return profile_loc_like(dst, &l);
}

static uint32_t move_key(struct profile *dst, const struct profile *src, uint32_t id)
{
	struct stack_key key = src->keys[id];

	key.comm = move_string(dst, src, key.comm);
	key.fields = move_string(dst, src, key.fields);
	return profile_key(dst, &key);
}

void offcpu_seen_move(struct offcpu_seen *to, struct profile *dst, struct offcpu_seen *from,
		      const struct profile *src)
{
	if (!from->waits)
		return;
	from->stack_ids = xcalloc(from->stacks.n, sizeof(*from->stack_ids));
	for (size_t i = 0; i < from->stacks.n; i++) {
		struct offcpu_stack st = from->stacks.v[i];
		uint32_t *locs = from->locs.v + st.first;

		for (uint32_t k = 0; k < st.n; k++)
			locs[k] = move_loc(dst, src, locs[k]);
		from->stack_ids[i] = offcpu_seen_stack(to, locs, st.n);
	}
	from->key_ids = xcalloc(src->nr_keys, sizeof(*from->key_ids));
	for (uint32_t i = 0; i < src->nr_keys; i++)
		from->key_ids[i] = move_key(dst, src, i);
}

void offcpu_seen_release(struct offcpu_seen *seen)
{
	vec_release(&seen->locs);
	vec_release(&seen->stacks);
	hashidx_release(&seen->index);
	free(seen->stack_ids);
	free(seen->key_ids);
}

/* ---- together ---- */

/* What worker BY calls STACK. */
static uint32_t stack_id(const struct gather_worker *workers, uint16_t by, uint32_t stack)
{
	const struct offcpu_seen *seen = &workers[by - 1].seen;

	return stack == PROFILE_NONE || !seen->stack_ids ? stack : seen->stack_ids[stack];
}

static uint32_t key_id(const struct gather_worker *workers, uint16_t by, uint32_t key)
{
	const struct offcpu_seen *seen = &workers[by - 1].seen;

	return seen->key_ids ? seen->key_ids[key] : key;
}

static void finish_wait(struct offcpu_wait *w, const struct offcpu *o,
			const struct offcpu_absence *a, const struct gather_worker *workers)
{
	struct offcpu_part parts[2];
	unsigned n = offcpu_parts(o, a, parts);

	w->stack = stack_id(workers, w->by, w->stack);
	w->key = key_id(workers, w->by, w->key);
	if (w->waker_by) {
		w->waker = stack_id(workers, w->waker_by, w->waker);
		w->waker_key = key_id(workers, w->waker_by, w->waker_key);
	} else {
		w->waker = PROFILE_NONE;
	}
	for (unsigned i = 0; i < n; i++) {
		w->ns[i] = parts[i].ns;
		w->mark[i] = parts[i].mark;
		w->irq |= parts[i].flags & SPAN_IRQ;
	}
}

static void take_waits(struct offcpu_detail *d, const struct offcpu *o,
		       struct gather_worker *workers)
{
	struct offcpu_wait *waits = workers[0].seen.waits;

	for (size_t i = 0; i < o->v.n; i++) {
		if (!waits[i].by)
			continue;
		waits[d->nr_waits] = waits[i];
		finish_wait(&waits[d->nr_waits++], o, &o->v.v[i], workers);
	}
	d->waits = waits;
}

static void take_threads(struct offcpu_detail *d, struct profile *p, const struct offcpu *o,
			 const struct timeline *tl, const struct filter *f)
{
	struct sched_who who;

	sched_who_init(&who, tl, &o->read);
	d->threads = xcalloc(o->threads.n, sizeof(*d->threads));
	for (size_t i = 0; i < o->threads.n; i++) {
		struct offcpu_thread t = o->threads.v[i];
		const char *comm = sched_who_name(&who, t.pid, t.tid, t.ended);

		if (f && (!t.life || !filter_thread(f, comm, t.pid, t.tid)))
			continue;
		t.comm = profile_string(p, comm, strlen(comm));
		d->threads[d->nr_threads++] = t;
	}
	sched_who_release(&who);
}

struct offcpu_detail *offcpu_detail_new(struct profile *p, const struct offcpu *o,
					struct gather_worker *workers, const struct timeline *tl,
					const struct filter *filter)
{
	const struct offcpu_seen *seen = &workers[0].seen;
	struct offcpu_detail *d = xcalloc(1, sizeof(*d));

	take_waits(d, o, workers);
	take_threads(d, p, o, tl, filter);
	d->nr_stacks = seen->stacks.n;
	d->stacks = xmemdup(seen->stacks.v, seen->stacks.n * sizeof(*d->stacks));
	d->locs = xmemdup(seen->locs.v, seen->locs.n * sizeof(*d->locs));
	d->begin = o->begin;
	d->end = o->end;
	d->length = sched_within_time(&o->within, o->begin, o->end);
	d->switches = o->switches;
	d->wakes = o->wakes;
	d->missing_in = o->missing_in;
	d->missing_out = o->missing_out;
	d->holes = o->holes;
	d->has_states = o->read.has_states;
	d->has_wakes = o->read.has_wake;
	return d;
}
