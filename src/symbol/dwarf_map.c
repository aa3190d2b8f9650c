/* SPDX-License-Identifier: MIT */
/*
 * Nested intervals -> disjoint ones.
 *
 *	id 0  |------------------------|          a function
 *	id 1      |-------|                       a call inlined into it
 *	id 2         |--|                         a call inlined into that
 *	      0   1  2  1 0            none
 *
 * The intervals are sorted by where they start.  A sweep keeps those that are open in a heap, so
 * it is n log n even for intervals that no compiler would write; in real ones what starts later is
 * on top at once.
 */
#include "base/bisect.h"
#include "base/keyed.h"
#include "symbol/dwarf_private.h"

struct heap {
	VEC(struct dw_interval) v; /* the highest id first; ended ones leave when they get there */
};

static void heap_push(struct heap *h, struct dw_interval it)
{
	size_t i = h->v.n;

	vec_push(&h->v, it);
	while (i && h->v.v[(i - 1) / 2].id < it.id) {
		h->v.v[i] = h->v.v[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->v.v[i] = it;
}

static void heap_pop(struct heap *h)
{
	struct dw_interval last = h->v.v[--h->v.n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->v.n) {
		if (child + 1 < h->v.n && h->v.v[child + 1].id > h->v.v[child].id)
			child++;
		if (h->v.v[child].id <= last.id)
			break;
		h->v.v[i] = h->v.v[child];
		i = child;
	}
	if (h->v.n)
		h->v.v[i] = last;
}

/* By lo; the order of equal ones stays. */
static void sort_intervals(struct dw_intervals *in)
{
	size_t n = in->list.n;
	struct dw_interval *sorted = xreallocarray(NULL, n + 1, sizeof(*sorted));
	struct keyed *keys = xreallocarray(NULL, n + 1, sizeof(*keys));

	for (size_t i = 0; i < n; i++)
		keys[i] = (struct keyed){ in->list.v[i].lo, (uint32_t)i };
	keyed_sort(keys, n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = in->list.v[keys[i].at];
	free(keys);
	free(in->list.v);
	in->list.v = sorted;
	in->list.cap = n + 1;
}

static void emit(struct dw_map *m, uint64_t pc, uint32_t id)
{
	if (m->n && m->pc[m->n - 1] == pc)
		m->n--;
	if (m->n ? m->id[m->n - 1] == id : id == DW_NONE)
		return;
	m->pc[m->n] = pc;
	m->id[m->n++] = id;
}

/* Close what ends up to PC. */
static void close_until(struct dw_map *m, struct heap *h, uint64_t pc)
{
	while (h->v.n && h->v.v[0].hi <= pc) {
		uint64_t end = h->v.v[0].hi;

		while (h->v.n && h->v.v[0].hi <= end)
			heap_pop(h);
		emit(m, end, h->v.n ? h->v.v[0].id : DW_NONE);
	}
}

void dw_map_build(struct dw_map *m, struct dw_intervals *in)
{
	struct heap h = { 0 };
	size_t most = in->list.n * 2;

	sort_intervals(in);
	m->pc = xreallocarray(NULL, most + 1, sizeof(*m->pc));
	m->id = xreallocarray(NULL, most + 1, sizeof(*m->id));
	m->n = 0;
	for (size_t i = 0; i < in->list.n; i++) {
		struct dw_interval it = in->list.v[i];

		close_until(m, &h, it.lo);
		heap_push(&h, it);
		emit(m, it.lo, h.v.v[0].id);
	}
	close_until(m, &h, UINT64_MAX);
	vec_release(&h.v);
	vec_release(&in->list);
	m->pc = xreallocarray(m->pc, m->n + 1, sizeof(*m->pc));
	m->id = xreallocarray(m->id, m->n + 1, sizeof(*m->id));
}

uint32_t dw_map_find(const struct dw_map *m, uint64_t addr)
{
	size_t at = bisect(i, m->n, m->pc[i] <= addr);

	return at ? m->id[at - 1] : DW_NONE;
}

void dw_map_release(struct dw_map *m)
{
	free(m->pc);
	free(m->id);
	*m = (struct dw_map){ 0 };
}
