/* SPDX-License-Identifier: MIT */
/*
 * The distinct stacks that one worker met, with the weights of their samples.
 *
 * In a large recording nearly every stack is different: a trie of them misses the cache once for
 * each frame.  Here a stack is a run of 16-bit words, and an equal one is found by
 * one look into a table, which is asked for ahead: a stack waits until the next one has come
 * before it is looked up, so that the slot is in the cache by then.
 *
 * Where hardly any stack comes again, looking for it is work for nothing: then stacks are added as
 * they come, and equal ones may be there more than once.  From time to time it is tried again.
 *
 * A stack's locations stand root first, a word each, and STACK_END behind them; ids from
 * STACK_WIDE on take three words.  Ids are the worker's own; `locs` and `keys` translate to those
 * of the profile.
 *
 * Records lie one behind the other in chunks that don't move, each with its words: one miss of the
 * cache for a stack.  A stack's number is where it lies, in units of 4 bytes.
 */
#ifndef PERFREP_PROFILE_STACKSET_H
#define PERFREP_PROFILE_STACKSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#include <perfrep/profile.h>

enum {
	STACK_WIDE = 0xfffe, /* the next two words are an id, low half first */
	STACK_END = 0xffff,
	STACK_UNIT_BITS = 20, /* of a number: the unit in its chunk; above it: the chunk */
};

#define STACK_NONE UINT32_MAX

/* Samples of a stack, of one event and one slice of time. */
struct stack_cell {
	uint64_t weight;
	uint32_t count; /* 0: none, or left out by a filter */
	uint32_t next; /* in `cells`; CELL_NONE: no more */
	uint16_t event;
	uint8_t block;
};

#define CELL_NONE  UINT32_MAX
#define CELL_FIRST (UINT32_MAX - 1)

/* Most stacks have one small cell, which is in the record itself. */
struct stack_rec {
	uint32_t value; /* of that cell: the weight; STACK_IN_CELLS: the first one in `cells` */
	uint32_t key;
	uint32_t n; /* words, without STACK_END */
	uint16_t event;
	uint8_t block;
	uint8_t count; /* or STACK_IN_CELLS */
	uint16_t words[];
};

enum { STACK_IN_CELLS = UINT8_MAX };

struct stack_chunk {
	uint32_t *units;
	size_t n, size; /* used, there */
};

/* A stack that waits to be looked up. */
struct stack_pending {
	VEC(uint16_t) words;
	VEC(struct stack_weight) weights;
	uint64_t hash;
	uint32_t key;
	bool waits;
};

/* A sample in time: kept only when it is asked for. */
struct stack_moment {
	uint64_t when, order;
	uint32_t stack, event;
};

struct stack_set {
	VEC(struct stack_chunk) chunks; /* each with some record */
	size_t nr_recs;
	VEC(struct stack_cell) cells;
	uint64_t *slots; /* high half: of the hash; low half: stack + 1, 0: free */
	size_t mask, in_table;
	struct stack_pending pending[2];
	unsigned turn;
	uint32_t added, found; /* since the last decision */
	uint32_t unlooked; /* stacks that are still added without a look */
	uint32_t last; /* the stack that was looked up or added last */
	VEC(struct stack_moment) moments;
	uint32_t *locs, *keys; /* owned; NULL: the same ids */
};

/* One sample, which counts for the event of each of its WEIGHTS. */
void stack_set_add(struct stack_set *s, const uint32_t *locs, size_t n, uint32_t key,
		   const struct stack_weight *weights, size_t nr_weights);
/* The stack that was added last was seen at WHEN, for EVENT; it is looked up at once. */
void stack_set_moment(struct stack_set *s, uint64_t when, uint64_t order, uint32_t event);
/* A stack that is known to be new, without samples. */
void stack_set_push(struct stack_set *s, const uint32_t *locs, size_t n, uint32_t key);
/* Its samples don't count any more. */
void stack_set_leave_out(struct stack_set *s, struct stack_rec *rec);
/* No more will come: what waits is looked up, and the table is released. */
void stack_set_finish(struct stack_set *s);
void stack_set_release(struct stack_set *s);

static inline struct stack_rec *stack_set_rec(const struct stack_set *s, uint32_t stack)
{
	return (struct stack_rec *)(s->chunks.v[stack >> STACK_UNIT_BITS].units +
				    (stack & ((1u << STACK_UNIT_BITS) - 1)));
}

/* What a record with N words takes. */
static inline size_t stack_units(size_t n)
{
	return (sizeof(struct stack_rec) + (n + 1) * sizeof(uint16_t) + 3) / 4;
}

/* The first stack of CHUNK, and the one behind STACK in the same chunk, or STACK_NONE. */
static inline uint32_t stack_set_first(const struct stack_set *s, size_t chunk)
{
	return chunk < s->chunks.n ? (uint32_t)(chunk << STACK_UNIT_BITS) : STACK_NONE;
}

static inline uint32_t stack_set_after(const struct stack_set *s, uint32_t stack)
{
	const struct stack_chunk *c = &s->chunks.v[stack >> STACK_UNIT_BITS];
	const struct stack_rec *rec = stack_set_rec(s, stack);
	size_t units = stack_units(rec->n);

	return (const uint32_t *)rec + units < c->units + c->n ? stack + (uint32_t)units
							       : STACK_NONE;
}

/* For every stack: for (uint32_t i = …_first(s, 0); i != STACK_NONE; i = …_next(s, i)) */
static inline uint32_t stack_set_next(const struct stack_set *s, uint32_t stack)
{
	uint32_t next = stack_set_after(s, stack);

	return next != STACK_NONE ? next : stack_set_first(s, (stack >> STACK_UNIT_BITS) + 1);
}

/* A walk over a stack's locations, as ids of the profile. */
struct stack_cursor {
	const uint16_t *at;
	const uint32_t *map;
};

static inline struct stack_cursor stack_set_cursor(const struct stack_set *s, const uint16_t *words)
{
	return (struct stack_cursor){ words, s->locs };
}

static inline bool stack_cursor_end(const struct stack_cursor *c)
{
	return *c->at == STACK_END;
}

static inline bool stack_cursor_next(struct stack_cursor *c, uint32_t *loc)
{
	uint32_t id = *c->at;

	if (__builtin_expect(id >= STACK_WIDE, 0)) {
		if (id == STACK_END)
			return false;
		id = c->at[1] | (uint32_t)c->at[2] << 16;
		c->at += 2;
	}
	c->at++;
	*loc = c->map ? c->map[id] : id;
	return true;
}

/* The locations of stack REC into OUT, which has room for rec->n; their number. */
static inline size_t stack_set_locs(const struct stack_set *s, const struct stack_rec *rec,
				    uint32_t *out)
{
	struct stack_cursor c = stack_set_cursor(s, rec->words);
	size_t n = 0;
	bool wide = false;

	for (size_t i = 0; i < rec->n; i++) { /* several at a time, as a rule */
		out[i] = rec->words[i];
		wide |= rec->words[i] >= STACK_WIDE;
	}
	if (!wide) {
		for (size_t i = 0; s->locs && i < rec->n; i++)
			out[i] = s->locs[out[i]];
		return rec->n;
	}
	while (stack_cursor_next(&c, &out[n]))
		n++;
	return n;
}

/*
 * A cell of REC; it may have a count of 0.  AT is CELL_FIRST, and then `next` of the one before as
 * long as that is not CELL_NONE.
 */
static inline struct stack_cell stack_set_cell(const struct stack_set *s,
					       const struct stack_rec *rec, uint32_t at)
{
	if (at != CELL_FIRST)
		return s->cells.v[at];
	if (rec->count == STACK_IN_CELLS)
		return s->cells.v[rec->value];
	return (struct stack_cell){ .weight = rec->value,
				    .count = rec->count,
				    .next = CELL_NONE,
				    .event = rec->event,
				    .block = rec->block };
}

/* Samples of a stack for EVENT (UINT32_MAX: all), in every slice of time. */
static inline uint64_t stack_set_samples(const struct stack_set *s, const struct stack_rec *rec,
					 uint32_t event, uint64_t *weight)
{
	uint64_t count = 0;
	uint32_t at = CELL_FIRST;

	*weight = 0;
	do {
		struct stack_cell c = stack_set_cell(s, rec, at);

		at = c.next;
		if (!c.count || (event != UINT32_MAX && c.event != event))
			continue;
		count += c.count;
		if (__builtin_add_overflow(*weight, c.weight, weight))
			*weight = UINT64_MAX;
	} while (at != CELL_NONE);
	return count;
}

#endif
