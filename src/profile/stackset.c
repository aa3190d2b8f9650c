/* SPDX-License-Identifier: MIT */
#include "profile/stackset.h"

#include "base/hash.h"

enum {
	FIRST_SLOTS = 1 << 10,
	CHAIN_LIMIT = 16, /* cells of a stack that are looked through */
	WINDOW = 1 << 16, /* stacks after which it is decided whether looking is worth it */
	WORTH = 16, /* it is when one of so many is found */
	UNLOOKED = 15 * WINDOW,
	FIRST_CHUNK = 1 << 12, /* units; MAX_DOUBLINGS make it as large as numbers allow */
	MAX_DOUBLINGS = STACK_UNIT_BITS - 12,
	MAX_CHUNKS = (1 << (32 - STACK_UNIT_BITS)) - 1, /* 16 GiB */
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

	s->slots = xcalloc_table(want, sizeof(*s->slots));
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

static void add_chunk(struct stack_set *s, size_t units)
{
	size_t doublings = s->chunks.n < MAX_DOUBLINGS ? s->chunks.n : MAX_DOUBLINGS;
	struct stack_chunk c = { .size = (size_t)FIRST_CHUNK << doublings };

	if (c.size < units)
		c.size = units;
	if (s->chunks.n == MAX_CHUNKS)
		c.size = SIZE_MAX; /* no number is left: that is out of memory too */
	c.units = xmalloc_table(c.size, sizeof(*c.units));
	vec_push(&s->chunks, c);
}

/*
 * A record without samples, with room for N words, that is not counted yet; see keep_rec().  No
 * number reaches into the rest of a chunk that was made for one long stack.
 */
static struct stack_rec *new_rec(struct stack_set *s, size_t n, uint32_t key, uint32_t *stack)
{
	struct stack_chunk *c = s->chunks.n ? &s->chunks.v[s->chunks.n - 1] : NULL;
	size_t units = stack_units(n);
	struct stack_rec *rec;

	if (!c || c->size - c->n < units || c->n >> STACK_UNIT_BITS) {
		add_chunk(s, units);
		c = &s->chunks.v[s->chunks.n - 1];
	}
	*stack = (uint32_t)((s->chunks.n - 1) << STACK_UNIT_BITS | c->n);
	rec = stack_set_rec(s, *stack);
	rec->key = key;
	rec->value = 0;
	rec->event = 0;
	rec->block = 0;
	rec->count = 0;
	return rec;
}

/* N words of it are used. */
static void keep_rec(struct stack_set *s, struct stack_rec *rec, size_t n)
{
	rec->words[n] = STACK_END;
	rec->n = (uint32_t)n;
	s->chunks.v[s->chunks.n - 1].n += stack_units(n);
	s->nr_recs++;
}

static uint32_t add_stack(struct stack_set *s, const struct stack_pending *p)
{
	uint32_t stack;
	struct stack_rec *rec = new_rec(s, p->words.n, p->key, &stack);

	memcpy(rec->words, p->words.v, p->words.n * sizeof(*rec->words));
	keep_rec(s, rec, p->words.n);
	return stack;
}

static uint32_t find_stack(struct stack_set *s, const struct stack_pending *p)
{
	uint32_t tag = (uint32_t)(p->hash >> 32), stack;
	size_t at;

	if (!s->slots || (s->in_table + 1) * 4 > (s->mask + 1) * 3)
		grow(s);
	for (at = tag & s->mask; s->slots[at]; at = (at + 1) & s->mask)
		if (s->slots[at] >> 32 == tag && is_stack(s, (uint32_t)s->slots[at] - 1, p)) {
			s->found++;
			return (uint32_t)s->slots[at] - 1;
		}
	stack = add_stack(s, p);
	s->slots[at] = (uint64_t)tag << 32 | (stack + 1);
	s->in_table++;
	return stack;
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Into the record; false when there is no room for it. */
static bool add_to_rec(struct stack_rec *rec, const struct stack_weight *w)
{
	if (!rec->count) {
		rec->event = (uint16_t)w->event;
		rec->block = w->block;
	}
	if (rec->event != w->event || rec->block != w->block || rec->count >= STACK_IN_CELLS - 1 ||
	    w->weight > UINT32_MAX - rec->value)
		return false;
	rec->value += (uint32_t)w->weight;
	rec->count++;
	return true;
}

/* What is in the record becomes its first cell. */
static void move_to_cells(struct stack_set *s, struct stack_rec *rec)
{
	vec_push(&s->cells, stack_set_cell(s, rec, CELL_FIRST));
	rec->count = STACK_IN_CELLS;
	rec->value = (uint32_t)s->cells.n - 1;
}

static void add_cell(struct stack_set *s, uint32_t stack, const struct stack_weight *w)
{
	struct stack_rec *rec = stack_set_rec(s, stack);
	uint32_t at;

	if (rec->count != STACK_IN_CELLS) {
		if (add_to_rec(rec, w))
			return;
		move_to_cells(s, rec);
	}
	at = rec->value;
	for (unsigned i = 0; i < CHAIN_LIMIT && at != CELL_NONE; i++) {
		struct stack_cell *c = &s->cells.v[at];

		if (c->event == w->event && c->block == w->block && c->count < UINT32_MAX) {
			c->weight = add_saturating(c->weight, w->weight);
			c->count++;
			return;
		}
		if (c->block < w->block) /* newer ones come first: behind it there is nothing */
			break;
		at = c->next;
	}
	vec_push(&s->cells, (struct stack_cell){ .weight = w->weight,
						 .count = 1,
						 .next = rec->value,
						 .event = (uint16_t)w->event,
						 .block = w->block });
	rec->value = (uint32_t)s->cells.n - 1;
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
	uint32_t stack;
	struct stack_rec *rec = new_rec(s, 3 * n, key, &stack);

	keep_rec(s, rec, encode(rec->words, locs, n));
	return stack;
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

void stack_set_moment(struct stack_set *s, uint64_t when, uint64_t order, uint32_t event)
{
	look_up(s, &s->pending[s->turn ^ 1]);
	vec_push(&s->moments, (struct stack_moment){ when, order, s->last, event });
}

void stack_set_push(struct stack_set *s, const uint32_t *locs, size_t n, uint32_t key)
{
	add_unlooked(s, locs, n, key);
}

void stack_set_leave_out(struct stack_set *s, struct stack_rec *rec)
{
	if (rec->count != STACK_IN_CELLS) {
		rec->count = 0;
		return;
	}
	for (uint32_t at = rec->value; at != CELL_NONE; at = s->cells.v[at].next)
		s->cells.v[at].count = 0;
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
		free(s->chunks.v[i].units);
	vec_release(&s->chunks);
	vec_release(&s->cells);
	vec_release(&s->moments);
	free(s->locs);
	free(s->keys);
}
