/* SPDX-License-Identifier: MIT */
/*
 * Workers note the stack of each interval that they come by, and of each waking that ended one,
 * in ids of their own; afterwards the ids are translated, and intervals and wakers put together
 * by the wakings' places in the file.
 */
#include "collect/offcpu_detail.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
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

void offcpu_seen_add(struct offcpu_seen *seen, const struct offcpu *o, uint64_t pos, uint32_t stack,
		     uint32_t key)
{
	const struct offcpu_interval *v;
	size_t n = offcpu_find(o, pos, &seen->hint, &v);

	for (size_t i = 0; i < n; i++)
		vec_push(&seen->waits,
			 (struct offcpu_seen_wait){ (uint32_t)(v + i - o->v.v), stack, key });
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
	return profile_loc(dst, (enum loc_kind)l.kind, l.dso, l.addr, l.ip);
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
	uint32_t *stacks = xcalloc(from->stacks.n, sizeof(*stacks));

	for (size_t i = 0; i < from->stacks.n; i++) {
		struct offcpu_stack st = from->stacks.v[i];
		uint32_t *locs = from->locs.v + st.first;

		for (uint32_t k = 0; k < st.n; k++)
			locs[k] = move_loc(dst, src, locs[k]);
		stacks[i] = offcpu_seen_stack(to, locs, st.n);
	}
	for (size_t i = 0; i < from->waits.n; i++) {
		struct offcpu_seen_wait w = from->waits.v[i];

		w.stack = w.stack == PROFILE_NONE ? PROFILE_NONE : stacks[w.stack];
		w.key = move_key(dst, src, w.key);
		vec_push(&to->waits, w);
	}
	for (size_t i = 0; i < from->wakers.n; i++) {
		struct offcpu_seen_waker w = from->wakers.v[i];

		w.stack = stacks[w.stack];
		w.comm = move_string(dst, src, w.comm);
		vec_push(&to->wakers, w);
	}
	free(stacks);
	offcpu_seen_release(from);
}

void offcpu_seen_release(struct offcpu_seen *seen)
{
	vec_release(&seen->locs);
	vec_release(&seen->stacks);
	vec_release(&seen->waits);
	vec_release(&seen->wakers);
	hashidx_release(&seen->index);
}

/* ---- together ---- */

/* By interval: 1 + the index of what was seen of it; 0: nothing. */
static uint32_t *index_waits(const struct offcpu *o, const struct offcpu_seen *seen)
{
	uint32_t *at = xcalloc(o->v.n, sizeof(*at));

	for (size_t i = 0; i < seen->waits.n; i++)
		at[seen->waits.v[i].interval] = (uint32_t)i + 1;
	return at;
}

static uint32_t *index_wakers(const struct offcpu *o, const struct offcpu_seen *seen)
{
	uint32_t *at = xcalloc(o->v.n, sizeof(*at));

	for (size_t i = 0; i < seen->wakers.n; i++)
		at[seen->wakers.v[i].interval] = (uint32_t)i + 1;
	return at;
}

static void take_waits(struct offcpu_detail *d, const struct offcpu *o,
		       const struct offcpu_seen *seen)
{
	uint32_t *waits = index_waits(o, seen), *wakers = index_wakers(o, seen);

	d->waits = xcalloc(seen->waits.n, sizeof(*d->waits));
	for (size_t i = 0; i < o->v.n; i++) {
		const struct offcpu_interval *v = &o->v.v[i];
		const struct offcpu_seen_waker *w = wakers[i] ? &seen->wakers.v[wakers[i] - 1]
							      : NULL;

		if (!waits[i])
			continue;
		d->waits[d->nr_waits++] = (struct offcpu_wait){
			.from = v->from,
			.ns = v->ns,
			.before = v->before,
			.woken = v->woken,
			.stack = seen->waits.v[waits[i] - 1].stack,
			.key = seen->waits.v[waits[i] - 1].key,
			.tid = v->tid,
			.mark = v->mark,
			.waker = w ? w->stack : PROFILE_NONE,
			.waker_comm = w ? w->comm : 0,
			.waker_tid = w ? w->tid : v->waker,
			.irq = v->flags & SPAN_IRQ,
			.doubtful = v->flags & SPAN_DOUBTFUL,
		};
	}
	free(waits);
	free(wakers);
}

static const char *name_of(const struct offcpu *o, const struct timeline *tl,
			   const struct offcpu_thread *t)
{
	struct validity valid;
	uint64_t when = t->ended > t->born ? t->ended - 1 : t->ended;
	const char *comm = timeline_comm_str(tl, timeline_comm(tl, t->pid, t->tid, when, &valid));
	const char *told = *comm == ':' ? sched_read_name(&o->read, t->tid) : NULL;

	return told ? told : comm;
}

static void take_threads(struct offcpu_detail *d, struct profile *p, const struct offcpu *o,
			 const struct timeline *tl, const struct filter *f)
{
	d->threads = xcalloc(o->threads.n, sizeof(*d->threads));
	for (size_t i = 0; i < o->threads.n; i++) {
		struct offcpu_thread t = o->threads.v[i];
		const char *comm = name_of(o, tl, &t);

		if (f && !filter_sample(f, comm, t.pid, t.tid, -1, 0))
			continue;
		t.comm = profile_string(p, comm, strlen(comm));
		d->threads[d->nr_threads++] = t;
	}
}

struct offcpu_detail *offcpu_detail_new(struct profile *p, const struct offcpu *o,
					struct offcpu_seen *seen, const struct timeline *tl,
					const struct filter *filter)
{
	struct offcpu_detail *d = xcalloc(1, sizeof(*d));

	take_waits(d, o, seen);
	take_threads(d, p, o, tl, filter);
	d->nr_stacks = seen->stacks.n;
	d->stacks = xmemdup(seen->stacks.v, seen->stacks.n * sizeof(*d->stacks));
	d->locs = xmemdup(seen->locs.v, seen->locs.n * sizeof(*d->locs));
	d->begin = o->begin;
	d->end = o->end;
	d->switches = o->switches;
	d->wakes = o->wakes;
	d->missing_in = o->missing_in;
	d->missing_out = o->missing_out;
	d->holes = o->holes;
	d->has_states = o->read.has_states;
	d->has_wakes = o->read.has_wake;
	return d;
}
