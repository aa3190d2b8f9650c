/* SPDX-License-Identifier: MIT */
#include "collect/stored.h"

#include "base/hash.h"

uint32_t stored_stack(struct stored *st, const uint32_t *locs, size_t n, unsigned flags)
{
	uint64_t hash = hash_mix(hash_bytes(locs, n * sizeof(*locs)), flags);
	struct hashidx_iter it = hashidx_first(&st->stack_index, hash);
	struct stored_stack s = { .first = (uint32_t)st->locs.n, .n = (uint32_t)n,
				  .flags = (uint8_t)flags };
	uint32_t i;

	while ((i = hashidx_next(&st->stack_index, &it)) != HASHIDX_NONE) {
		const struct stored_stack *known = &st->stacks.v[i];

		if (known->n == n && known->flags == flags &&
		    !memcmp(st->locs.v + known->first, locs, n * sizeof(*locs)))
			return i;
	}
	i = (uint32_t)st->stacks.n;
	hashidx_add(&st->stack_index, hash, i);
	vec_push(&st->stacks, s);
	vec_reserve(&st->locs, n);
	memcpy(st->locs.v + st->locs.n, locs, n * sizeof(*locs));
	st->locs.n += n;
	return i;
}

void stored_add(struct stored *st, uint32_t stack, uint32_t key, uint32_t event, uint64_t weight)
{
	uint64_t hash = hash_mix((uint64_t)stack << 32 | key, event);
	struct hashidx_iter it = hashidx_first(&st->cell_index, hash);
	struct stored_cell *c;
	uint32_t i;

	while ((i = hashidx_next(&st->cell_index, &it)) != HASHIDX_NONE) {
		c = &st->cells.v[i];
		if (c->stack == stack && c->key == key && c->event == event) {
			c->weight += weight;
			c->count++;
			return;
		}
	}
	hashidx_add(&st->cell_index, hash, (uint32_t)st->cells.n);
	vec_push(&st->cells, (struct stored_cell){ stack, key, event, weight, 1 });
}

void stored_release(struct stored *st)
{
	vec_release(&st->locs);
	vec_release(&st->stacks);
	vec_release(&st->cells);
	hashidx_release(&st->stack_index);
	hashidx_release(&st->cell_index);
}
