/* SPDX-License-Identifier: MIT */
/*
 * Which stacks are sorted, and what is asked of them afterwards.  A profile that is a trie has its
 * stacks written out first, so that the rest need know one form only.
 */
#include "profile/order_priv.h"

#include <stdlib.h>

enum { CACHE_LINE = 64 };

static bool wanted(const struct stack_order *o, const struct stack_set *set,
		   const struct stack_rec *rec)
{
	const struct stack_frames *f = o->frames;
	uint32_t key = key_of(set, rec);
	struct stack_cursor c;

	if (f->dropped && f->dropped[key])
		return false;
	if (f->rootless || !o->priv->has_empty)
		return true;
	c = order_cursor(o, set, rec);
	return !order_is_last(o, &c, o->priv->locs[variant(o, key)]);
}

/* The stacks of a trie, as a set has them. */
static void expand_trie(struct stack_order *o)
{
	struct stack_order_priv *priv = o->priv;
	VEC(uint64_t) weight = { 0 }, samples = { 0 };
	struct stack_iter it;

	stack_iter_init(&it, o->profile, o->event);
	while (stack_iter_next(&it)) {
		stack_set_push(&priv->own, it.locs, it.n, it.key);
		vec_push(&weight, it.weight);
		vec_push(&samples, it.count);
	}
	stack_iter_release(&it);
	priv->weight = weight.v;
	priv->samples = samples.v;
}

static bool has_samples(const struct stack_order *o, const struct stack_set *set,
			const struct stack_rec *rec)
{
	uint64_t weight;

	return o->priv->weight || stack_set_samples(set, rec, o->event, &weight);
}

/* A stack gets the next number; it was the AT-th of all. */
static void add_entry(struct stack_order *o, struct entry *e, struct ref ref, size_t at)
{
	struct stack_order_priv *priv = o->priv;

	*e = (struct entry){ .at = (uintptr_t)stack_set_rec(set_of(o, ref.set), ref.stack)->words,
			     .set = ref.set,
			     .off = IN_KEY,
			     .stack = priv->refs ? (uint32_t)o->n : ref.stack };
	if (priv->refs)
		priv->refs[o->n] = ref;
	if (priv->weight) {
		priv->weight[o->n] = priv->weight[at];
		priv->samples[o->n] = priv->samples[at];
	}
	o->n++;
}

static struct entry *choose(struct stack_order *o)
{
	size_t nr_sets = o->profile->priv->sets.n ? o->profile->priv->sets.n : 1, total = 0, at = 0;
	struct stack_order_priv *priv = o->priv;
	struct entry *e;

	for (uint32_t s = 0; s < nr_sets; s++)
		total += set_of(o, s)->nr_recs;
	e = xmalloc_table(total, sizeof(*e));
	if (nr_sets > 1 || priv->weight)
		priv->refs = xreallocarray(NULL, total, sizeof(*priv->refs));
	for (uint32_t s = 0; s < nr_sets; s++) {
		const struct stack_set *set = set_of(o, s);

		for (uint32_t i = stack_set_first(set, 0); i != STACK_NONE;
		     i = stack_set_next(set, i), at++) {
			const struct stack_rec *rec = stack_set_rec(set, i);

			if (has_samples(o, set, rec) && wanted(o, set, rec))
				add_entry(o, &e[o->n], (struct ref){ s, i }, at);
		}
	}
	return e;
}

void stack_order_init(struct stack_order *o, const struct profile *p, uint32_t event,
		      const struct stack_frames *frames)
{
	struct stack_order_priv *priv = xcalloc(1, sizeof(*priv));
	struct entry *e;

	*o = (struct stack_order){ .profile = p, .frames = frames, .event = event, .priv = priv };
	if (!p->priv->sets.n)
		expand_trie(o);
	order_pack_frames(o);
	e = choose(o);
	order_sort(o, e, o->n);
	o->stacks = xreallocarray(NULL, o->n, sizeof(*o->stacks));
	for (size_t i = 0; i < o->n; i++)
		o->stacks[i] = e[i].stack;
	free(e);
}

void stack_order_release(struct stack_order *o)
{
	if (!o->priv)
		return;
	stack_set_release(&o->priv->own);
	free(o->priv->keys);
	free(o->priv->locs[0]);
	free(o->priv->locs[1]);
	vec_release(&o->priv->numbers);
	free(o->priv->weight);
	free(o->priv->samples);
	free(o->priv->refs);
	free(o->priv);
	free(o->stacks);
}

size_t stack_order_locs(const struct stack_order *o, size_t at, uint32_t *key, uint32_t **out,
			size_t *cap)
{
	const struct stack_set *set;
	const struct stack_rec *rec = rec_of(o, o->stacks[at], &set);
	struct stack_cursor c = order_cursor(o, set, rec);
	size_t n = 0;

	profile_reserve(out, 0, cap, rec->n + 1);
	while (stack_cursor_next(&c, &(*out)[n]))
		n++;
	*key = key_of(set, rec);
	return n;
}

static size_t add_frames(const struct stack_order *o, struct frames_range r, uint32_t **out,
			 size_t n, size_t *cap)
{
	profile_reserve(out, n, cap, r.n);
	for (uint32_t i = 0; i < r.n; i++)
		(*out)[n + i] = o->frames->frames[r.first + i];
	return n + r.n;
}

size_t stack_order_frames(const struct stack_order *o, size_t at, uint32_t **out, size_t *cap)
{
	const struct stack_set *set;
	const struct stack_rec *rec = rec_of(o, o->stacks[at], &set);
	struct stack_cursor c = order_cursor(o, set, rec);
	uint32_t key = key_of(set, rec), loc;
	const struct frames_range *locs = o->frames->locs[variant(o, key)];
	size_t n = add_frames(o, o->frames->keys[key], out, 0, cap);

	while (stack_cursor_next(&c, &loc))
		n = add_frames(o, locs[loc], out, n, cap);
	return n;
}

uint64_t stack_order_event_weight(const struct stack_order *o, size_t at, uint32_t event,
				  uint64_t *samples)
{
	const struct stack_set *set;
	const struct stack_rec *rec = rec_of(o, o->stacks[at], &set);
	uint64_t weight;

	*samples = stack_set_samples(set, rec, event, &weight);
	return weight;
}

uint64_t stack_order_weight(const struct stack_order *o, size_t at, uint64_t *samples)
{
	if (!o->priv->weight)
		return stack_order_event_weight(o, at, o->event, samples);
	*samples = o->priv->samples[o->stacks[at]];
	return o->priv->weight[o->stacks[at]];
}

void stack_order_prefetch(const struct stack_order *o, size_t at)
{
	const struct stack_set *set;
	const struct stack_rec *rec;

	if (at >= o->n)
		return;
	rec = rec_of(o, o->stacks[at], &set);
	__builtin_prefetch(rec);
	__builtin_prefetch((const char *)rec + CACHE_LINE); /* most records end in that one */
}
