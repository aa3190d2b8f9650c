/* SPDX-License-Identifier: MIT */
/*
 * One stack after the other: from the workers' sets, or, in a profile that was built as a trie
 * (folded text), from the nodes in which samples end.
 *
 * Stacks and cells stand in the order in which they were first met, so the walk is sequential in
 * memory, or nearly so.
 */
#include <stdlib.h>

#include "profile/priv.h"

enum { PIECE = 1 << 16 };

void stack_iter_init(struct stack_iter *it, const struct profile *p, uint32_t event)
{
	*it = (struct stack_iter){ .profile = p, .want = event, .end = SIZE_MAX,
				   .stack = UINT32_MAX };
}

void stack_iter_release(struct stack_iter *it)
{
	free(it->buf);
}

static size_t set_pieces(const struct stack_set *s, bool by_block)
{
	return ((by_block ? s->cells.n : s->recs.n) + PIECE - 1) / PIECE;
}

size_t stack_pieces(const struct profile *p, bool by_block)
{
	size_t n = 0;

	for (size_t i = 0; i < p->priv->sets.n; i++)
		n += set_pieces(&p->priv->sets.v[i], by_block);
	return p->priv->sets.n ? n : 1;
}

void stack_iter_piece(struct stack_iter *it, size_t piece)
{
	const struct profile_priv *priv = it->profile->priv;

	it->stack = UINT32_MAX;
	it->set = it->at = 0;
	if (!priv->sets.n)
		return; /* the trie is one piece */
	while (piece >= set_pieces(&priv->sets.v[it->set], it->by_block))
		piece -= set_pieces(&priv->sets.v[it->set++], it->by_block);
	it->at = piece * PIECE;
	it->end = it->at + PIECE;
}

static void reserve(struct stack_iter *it, size_t n)
{
	if (n <= it->cap)
		return;
	it->cap = n > 2 * it->cap ? n : 2 * it->cap;
	it->buf = xreallocarray(it->buf, it->cap, sizeof(*it->buf));
}

static void take_stack(struct stack_iter *it, const struct stack_set *s, uint32_t stack)
{
	const struct stack_rec *rec = &s->recs.v[stack];

	if (it->stack == stack)
		return;
	reserve(it, rec->n + 1);
	it->n = stack_set_locs(s, rec, it->buf);
	it->key = s->keys ? s->keys[rec->key] : rec->key;
	it->stack = stack;
	it->locs = it->buf;
}

/* Take what stands at it->at, a cell or a stack; false when it is not wanted. */
static bool take(struct stack_iter *it, const struct stack_set *s)
{
	const struct stack_cell *c;

	if (!it->by_block) {
		it->event = it->want;
		it->count = stack_set_samples(s, &s->recs.v[it->at], it->want, &it->weight);
		if (it->count)
			take_stack(it, s, (uint32_t)it->at);
		return it->count;
	}
	c = &s->cells.v[it->at];
	if (!c->count || (it->want != PROFILE_NONE && c->event != it->want))
		return false;
	take_stack(it, s, c->stack);
	it->event = c->event;
	it->weight = c->weight;
	it->count = c->count;
	it->block = c->block;
	return true;
}

static bool next_in_sets(struct stack_iter *it)
{
	const struct profile_priv *priv = it->profile->priv;

	for (; it->set < priv->sets.n; it->set++, it->at = 0, it->stack = UINT32_MAX) {
		const struct stack_set *s = &priv->sets.v[it->set];
		size_t n = it->by_block ? s->cells.n : s->recs.n;

		if (it->end < n)
			n = it->end;
		while (it->at < n) {
			bool wanted = take(it, s);

			it->at++;
			if (wanted)
				return true;
		}
		if (it->end != SIZE_MAX)
			return false;
	}
	return false;
}

static void take_node(struct stack_iter *it, uint32_t node)
{
	const struct profile *p = it->profile;
	size_t n = 0;

	for (uint32_t at = node; p->nodes[at].parent != PROFILE_NONE; at = p->nodes[at].parent)
		n++;
	reserve(it, n + 1);
	it->n = n;
	for (; p->nodes[node].parent != PROFILE_NONE; node = p->nodes[node].parent)
		it->buf[--n] = p->nodes[node].loc;
	it->key = p->nodes[node].loc;
	it->locs = it->buf;
}

/* `set` is the event here, `at` the node. */
static bool next_node(struct stack_iter *it)
{
	const struct profile *p = it->profile;

	if (it->want != PROFILE_NONE && it->set < it->want)
		it->set = it->want;
	for (; it->set < p->nr_events; it->set++, it->at = 0) {
		const struct profile_event *e = &p->events[it->set];

		if (it->want != PROFILE_NONE && it->set != it->want)
			return false;
		for (; it->at < p->nr_nodes && it->at < e->node_cap; it->at++) {
			if (!e->node_count[it->at] && !e->node_weight[it->at])
				continue;
			take_node(it, (uint32_t)it->at);
			it->event = (uint32_t)it->set;
			it->weight = e->node_weight[it->at];
			it->count = e->node_count[it->at++];
			return true;
		}
	}
	return false;
}

bool stack_iter_next(struct stack_iter *it)
{
	return it->profile->priv->sets.n ? next_in_sets(it) : next_node(it);
}
