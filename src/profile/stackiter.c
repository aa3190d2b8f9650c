/* SPDX-License-Identifier: MIT */
/*
 * One stack after the other: from the workers' sets, or, in a profile that was built as a trie
 * (folded text), from the nodes in which samples end.
 *
 * Stacks stand in the order in which they were first met, so the walk is sequential in memory.
 */
#include <stdlib.h>

#include "profile/priv.h"

enum { PIECES_PER_THREAD = 4 }; /* fewer are not worth a thread */

void stack_iter_init(struct stack_iter *it, const struct profile *p, uint32_t event)
{
	*it = (struct stack_iter){
		.profile = p, .want = event, .stack = STACK_NONE, .cell = CELL_FIRST
	};
	if (p->priv->sets.n)
		it->at = stack_set_first(&p->priv->sets.v[0], 0);
}

void stack_iter_release(struct stack_iter *it)
{
	free(it->buf);
}

/* A piece is a chunk of a set; a trie is one. */
size_t stack_pieces(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->priv->sets.n; i++)
		n += p->priv->sets.v[i].chunks.n;
	return p->priv->sets.n ? n : 1;
}

unsigned stack_threads(const struct profile *p)
{
	size_t useful = stack_pieces(p) / PIECES_PER_THREAD + 1;
	size_t threads = p->threads ? p->threads : 1;

	return (unsigned)(threads < useful ? threads : useful);
}

void stack_iter_piece(struct stack_iter *it, size_t piece)
{
	const struct profile_priv *priv = it->profile->priv;

	it->stack = STACK_NONE;
	it->cell = CELL_FIRST;
	it->set = it->at = 0;
	if (!priv->sets.n)
		return;
	while (piece >= priv->sets.v[it->set].chunks.n)
		piece -= priv->sets.v[it->set++].chunks.n;
	it->at = stack_set_first(&priv->sets.v[it->set], piece);
	it->one_piece = true;
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
	const struct stack_rec *rec = stack_set_rec(s, stack);

	if (it->stack == stack)
		return;
	reserve(it, rec->n + 1);
	it->n = stack_set_locs(s, rec, it->buf);
	it->key = s->keys ? s->keys[rec->key] : rec->key;
	it->stack = stack;
	it->locs = it->buf;
}

/* On to the next stack; STACK_NONE behind the last one. */
static void step(struct stack_iter *it, const struct stack_set *s)
{
	uint32_t at = (uint32_t)it->at;

	it->cell = CELL_FIRST;
	it->at = it->one_piece ? stack_set_after(s, at) : stack_set_next(s, at);
}

/* All samples of the stack at it->at; false when the event has none. */
static bool take_whole(struct stack_iter *it, const struct stack_set *s)
{
	uint32_t at = (uint32_t)it->at;

	step(it, s);
	it->event = it->want;
	it->count = stack_set_samples(s, stack_set_rec(s, at), it->want, &it->weight);
	if (it->count)
		take_stack(it, s, at);
	return it->count;
}

/* The next cell of the stack at it->at; false when it is not wanted. */
static bool take_cell(struct stack_iter *it, const struct stack_set *s)
{
	struct stack_cell c = stack_set_cell(s, stack_set_rec(s, (uint32_t)it->at), it->cell);
	bool wanted = c.count && (it->want == PROFILE_NONE || c.event == it->want);

	if (wanted) {
		take_stack(it, s, (uint32_t)it->at);
		it->event = c.event;
		it->weight = c.weight;
		it->count = c.count;
		it->block = c.block;
	}
	it->cell = c.next;
	if (c.next == CELL_NONE)
		step(it, s);
	return wanted;
}

static bool next_in_sets(struct stack_iter *it)
{
	const struct profile_priv *priv = it->profile->priv;

	while (it->set < priv->sets.n) {
		const struct stack_set *s = &priv->sets.v[it->set];

		while (it->at != STACK_NONE)
			if (it->by_block ? take_cell(it, s) : take_whole(it, s))
				return true;
		if (it->one_piece)
			return false;
		it->stack = STACK_NONE;
		if (++it->set < priv->sets.n)
			it->at = stack_set_first(&priv->sets.v[it->set], 0);
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
