/* SPDX-License-Identifier: MIT */
/*
 * The registers are a ring.  hw_idx is the register of entry 0, the newest call, so entry i is in
 * register hw_idx - i.  The oldest call of a sample, its base, is looked for in the sample before:
 *
 *	register   0  1  2  3  4  5		six of them
 *	before     E  F  A  B  C  D		hw_idx 1: newest F, oldest A
 *	now        E  F  G  B  C  D		hw_idx 2: newest G, oldest B; its base is register 3
 *
 * B to F are equal in both, so A called B in this one too.  What the sample before had got from
 * those before it is kept.  (has_stitched_lbr() in perf's tools/perf/util/machine.c.)
 */
#include "stack/stitch.h"

#include <stdlib.h>

#include "base/hash.h"

void stitch_add(struct stitch *st, const struct sample *s, uint64_t when, uint64_t pos)
{
	vec_push(&st->samples,
		 (struct stitch_sample){ .tid = s->tid, .when = when, .pos = pos, .s = *s });
}

static int by_thread_and_time(const void *pa, const void *pb)
{
	const struct stitch_sample *a = pa, *b = pb;

	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->when != b->when)
		return a->when < b->when ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

/* The CPU's registers: as many as the longest stack has, since one that overflows has them all. */
static uint64_t count_registers(const struct stitch *st)
{
	uint64_t max = 0;

	for (size_t i = 0; i < st->samples.n; i++)
		if (st->samples.v[i].s.branch_nr > max)
			max = st->samples.v[i].s.branch_nr;
	return max;
}

static bool same_call(const struct sample *a, uint64_t i, const struct sample *b, uint64_t j)
{
	struct branch_entry x = sample_branch(a, i), y = sample_branch(b, j);

	return x.from == y.from && x.to == y.to && x.mispred == y.mispred &&
	       x.predicted == y.predicted && x.in_tx == y.in_tx && x.abort == y.abort &&
	       x.cycles == y.cycles && x.type == y.type && x.spec == y.spec &&
	       x.new_type == y.new_type && x.priv == y.priv;
}

/*
 * Which entry of PREV is in the register of CUR's oldest, if they are the same call; false when
 * there is none.
 */
static bool find_base(const struct sample *prev, const struct sample *cur, uint64_t registers,
		      uint64_t *entry)
{
	uint64_t base, distance;

	if (!prev->branch_has_hw_idx || !cur->branch_has_hw_idx || !cur->branch_nr ||
	    prev->branch_hw_idx >= registers || cur->branch_hw_idx >= registers)
		return false;
	base = registers - cur->branch_nr + cur->branch_hw_idx + 1;
	if (prev->branch_hw_idx > base)
		distance = prev->branch_hw_idx - base;
	else
		distance = registers + prev->branch_hw_idx - base; /* may wrap: then it is huge */
	if (distance >= prev->branch_nr)
		return false;
	*entry = distance;
	return same_call(prev, distance, cur, cur->branch_nr - 1);
}

/* Give CUR what PREV has outside of the calls that both have. */
static void join(struct stitch *st, const struct stitch_sample *prev, struct stitch_sample *cur,
		 uint64_t registers)
{
	uint64_t entry;

	cur->first = (uint32_t)st->frames.n;
	if (!find_base(&prev->s, &cur->s, registers, &entry))
		return;
	for (uint64_t i = entry + 1; i < prev->s.branch_nr; i++) {
		uint64_t from = sample_branch(&prev->s, i).from;

		if (from)
			vec_push(&st->frames, from);
	}
	for (uint32_t i = 0; i < prev->n; i++) {
		uint64_t from = st->frames.v[prev->first + i];

		vec_push(&st->frames, from);
	}
	cur->n = (uint32_t)(st->frames.n - cur->first);
}

void stitch_finish(struct stitch *st)
{
	uint64_t registers = count_registers(st);

	if (st->samples.n)
		qsort(st->samples.v, st->samples.n, sizeof(*st->samples.v), by_thread_and_time);
	for (size_t i = 1; i < st->samples.n; i++) {
		struct stitch_sample *cur = &st->samples.v[i];

		if (cur->tid == cur[-1].tid)
			join(st, &cur[-1], cur, registers);
		if (cur->n)
			hashidx_add(&st->index, hash_mix(cur->pos, 0), (uint32_t)i);
	}
}

void stitch_complete(const struct stitch *st, uint64_t pos, struct stack *out)
{
	struct hashidx_iter it = hashidx_first(&st->index, hash_mix(pos, 0));
	uint32_t i;

	while ((i = hashidx_next(&st->index, &it)) != HASHIDX_NONE) {
		const struct stitch_sample *s = &st->samples.v[i];

		if (s->pos != pos)
			continue;
		for (uint32_t k = 0; k < s->n; k++)
			stack_push_repaired(out, st->frames.v[s->first + k], false);
		out->flags |= STACK_REPAIRED;
		return;
	}
}

void stitch_release(struct stitch *st)
{
	vec_release(&st->samples);
	vec_release(&st->frames);
	hashidx_release(&st->index);
}
