/* SPDX-License-Identifier: MIT */
#include "profile/stackset.h"

#include "base/hash.h"

enum {
	FIRST_SLOTS = 1 << 10,
	CHAIN_LIMIT = 16, /* cells of a stack that are looked through */
	WINDOW = 1 << 16, /* stacks after which it is decided whether looking is worth it */
	WORTH = 16,	  /* it is when one of so many is found */
	UNLOOKED = 15 * WINDOW,
	FIRST_CHUNK = 1 << 14, /* words; MAX_DOUBLINGS make it 8 MiB */
	MAX_DOUBLINGS = 8,
};

static void place(struct stack_set *s, uint64_t slot)
{
	size_t at = (slot >> 32) & s->mask;

	while (s->slots[at])
		at = (at + 1) & s->mask;
	s->slots[at] = slot;
}

static void grow(struct stack_set *s)
{
	uint64_t *old = s->slots;
	size_t count = old ? s->mask + 1 : 0, want = count ? count * 2 : FIRST_SLOTS;

	s->slots = xmalloc_table(want, sizeof(*s->slots));
	memset(s->slots, 0, want * sizeof(*s->slots));
	s->mask = want - 1;
	for (size_t i = 0; i < count; i++)
		if (old[i])
			place(s, old[i]);
	free(old);
}

static bool is_stack(const struct stack_set *s, uint32_t id, const struct stack_pending *p)
{
	const struct stack_rec *rec = stack_set_rec(s, id);

	return rec->n == p->words.n && rec->key == p->key &&
	       !memcmp(rec->words, p->words.v, rec->n * sizeof(*p->words.v));
}

/* Room for N words: chunks double until they are some huge pages long. */
static uint16_t *take_room(struct stack_set *s, size_t n)
{
	uint16_t *room;

	if (n > s->left) {
		size_t size = s->chunks.n < MAX_DOUBLINGS ? (size_t)FIRST_CHUNK << s->chunks.n
							  : (size_t)FIRST_CHUNK << MAX_DOUBLINGS;

		s->left = n > size ? n : size;
		s->room = xmalloc_table(s->left, sizeof(*s->room));
		vec_push(&s->chunks, s->room);
	}
	room = s->room;
	s->room += n;
	s->left -= n;
	return room;
}

static uint32_t add_rec(struct stack_set *s, const uint16_t *words, size_t n, uint32_t key)
{
	if (s->nr_recs == s->rec_chunks.n * REC_CHUNK)
		vec_push(&s->rec_chunks, s->nr_recs ? xmalloc_table(REC_CHUNK, sizeof(struct stack_rec)) :
						      xmalloc(REC_CHUNK * sizeof(struct stack_rec)));
	*stack_set_rec(s, s->nr_recs) = (struct stack_rec){ .words = words, .n = (uint32_t)n,
							    .key = key,
							    .cell = { .next = CELL_NONE } };
	return (uint32_t)s->nr_recs++;
}

static uint32_t add_stack(struct stack_set *s, const struct stack_pending *p)
{
	uint16_t *words = take_room(s, p->words.n + 1);

	memcpy(words, p->words.v, p->words.n * sizeof(*words));
	words[p->words.n] = STACK_END;
	return add_rec(s, words, p->words.n, p->key);
}

static uint32_t find_stack(struct stack_set *s, const struct stack_pending *p)
{
	uint32_t tag = (uint32_t)(p->hash >> 32);
	size_t at;

	if (!s->slots || (s->in_table + 1) * 4 > (s->mask + 1) * 3)
		grow(s);
	s->in_table++;
	for (at = tag & s->mask; s->slots[at]; at = (at + 1) & s->mask)
		if (s->slots[at] >> 32 == tag && is_stack(s, (uint32_t)s->slots[at] - 1, p)) {
			s->found++;
			s->in_table--;
			return (uint32_t)s->slots[at] - 1;
		}
	s->slots[at] = (uint64_t)tag << 32 | (s->nr_recs + 1);
	return add_stack(s, p);
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static void add_cell(struct stack_set *s, uint32_t stack, const struct stack_weight *w)
{
	struct stack_cell *first = &stack_set_rec(s, stack)->cell, *c = first;
	struct stack_cell cell = { .weight = w->weight, .count = 1, .next = CELL_NONE,
				   .event = (uint16_t)w->event, .block = w->block };

	if (!first->count) {
		*first = cell;
		return;
	}
	for (unsigned i = 0; i < CHAIN_LIMIT; i++) {
		if (c->event == w->event && c->block == w->block && c->count < UINT32_MAX) {
			c->weight = add_saturating(c->weight, w->weight);
			c->count++;
			return;
		}
		if (c->next == CELL_NONE)
			break;
		c = &s->cells.v[c->next];
	}
	cell.next = first->next; /* time goes on: the new one is the next that is wanted */
	first->next = (uint32_t)s->cells.n;
	vec_push(&s->cells, cell);
}

static void look_up(struct stack_set *s, struct stack_pending *p)
{
	uint32_t stack;

	if (!p->waits)
		return;
	stack = s->last = find_stack(s, p);
	for (size_t i = 0; i < p->weights.n; i++)
		add_cell(s, stack, &p->weights.v[i]);
	p->waits = false;
}

/* LOCS as words; most ids fit one, which the compiler then narrows several at a time. */
static size_t encode(uint16_t *w, const uint32_t *locs, size_t n)
{
	uint16_t *start = w;
	uint32_t all = 0;

	for (size_t i = 0; i < n; i++)
		all |= locs[i];
	if (all < STACK_WIDE) {
		for (size_t i = 0; i < n; i++)
			w[i] = (uint16_t)locs[i];
		return n;
	}
	for (size_t i = 0; i < n; i++) {
		if (locs[i] < STACK_WIDE) {
			*w++ = (uint16_t)locs[i];
			continue;
		}
		*w++ = STACK_WIDE;
		*w++ = (uint16_t)locs[i];
		*w++ = (uint16_t)(locs[i] >> 16);
	}
	return (size_t)(w - start);
}

static void set_words(struct stack_pending *p, const uint32_t *locs, size_t n)
{
	p->words.n = 0;
	vec_reserve(&p->words, 3 * n);
	p->words.n = encode(p->words.v, locs, n);
}

/* Add a stack without looking whether it is there. */
static uint32_t add_unlooked(struct stack_set *s, const uint32_t *locs, size_t n, uint32_t key)
{
	uint16_t *words = take_room(s, 3 * n + 1);
	size_t used = encode(words, locs, n);

	words[used++] = STACK_END;
	s->room -= 3 * n + 1 - used;
	s->left += 3 * n + 1 - used;
	return add_rec(s, words, used - 1, key);
}

/* Whether the stack that comes is to be looked for. */
static bool is_looked_for(struct stack_set *s)
{
	if (s->unlooked) {
		s->unlooked--;
		return false;
	}
	if (s->added++ == WINDOW) {
		if (s->found < WINDOW / WORTH)
			s->unlooked = UNLOOKED;
		s->added = s->found = 0;
	}
	return true;
}

void stack_set_add(struct stack_set *s, const uint32_t *locs, size_t n, uint32_t key,
		   const struct stack_weight *weights, size_t nr_weights)
{
	struct stack_pending *p = &s->pending[s->turn];

	if (!nr_weights)
		return;
	if (!is_looked_for(s)) {
		uint32_t stack = add_unlooked(s, locs, n, key);

		s->last = stack;
		for (size_t i = 0; i < nr_weights; i++)
			add_cell(s, stack, &weights[i]);
		return;
	}
	set_words(p, locs, n);
	p->key = key;
	p->waits = true;
	p->hash = hash_mix(hash_bytes(p->words.v, p->words.n * sizeof(*p->words.v)), key);
	p->weights.n = 0;
	vec_reserve(&p->weights, nr_weights);
	memcpy(p->weights.v, weights, nr_weights * sizeof(*weights));
	p->weights.n = nr_weights;
	if (s->slots)
		__builtin_prefetch(&s->slots[(p->hash >> 32) & s->mask]);
	s->turn ^= 1;
	look_up(s, &s->pending[s->turn]);
}

void stack_set_moment(struct stack_set *s, uint64_t when, uint32_t event)
{
	look_up(s, &s->pending[s->turn ^ 1]);
	vec_push(&s->moments, (struct stack_moment){ when, s->last, event });
}

void stack_set_push(struct stack_set *s, const uint32_t *locs, size_t n, uint32_t key)
{
	add_unlooked(s, locs, n, key);
}

void stack_set_finish(struct stack_set *s)
{
	look_up(s, &s->pending[s->turn ^ 1]);
	for (int i = 0; i < 2; i++) {
		vec_release(&s->pending[i].words);
		vec_release(&s->pending[i].weights);
	}
	free(s->slots);
	s->slots = NULL;
}

void stack_set_release(struct stack_set *s)
{
	stack_set_finish(s);
	for (size_t i = 0; i < s->chunks.n; i++)
		free(s->chunks.v[i]);
	vec_release(&s->chunks);
	for (size_t i = 0; i < s->rec_chunks.n; i++)
		free(s->rec_chunks.v[i]);
	vec_release(&s->rec_chunks);
	vec_release(&s->cells);
	vec_release(&s->moments);
	free(s->locs);
	free(s->keys);
}
