/* SPDX-License-Identifier: MIT */
/*
 * Where a thread waited: every stack of a switch ends in the scheduler, which says nothing.  A row
 * is the innermost function of the program itself, inlined ones included; for a kernel thread,
 * which has none, it is the innermost one that is not the scheduler's own.
 */
#include "view/offcpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashidx.h"

/* Functions through which one leaves a CPU, or wakes another, whatever for. */
static bool is_plumbing(const char *name)
{
	static const char *const prefix[] = { "schedule",
					      "__schedule",
					      "preempt_schedule",
					      "io_schedule",
					      "__cond_resched",
					      "do_task_dead",
					      "finish_task_switch",
					      "context_switch",
					      "__sched_text_start",
					      "__perf_event",
					      "perf_",
					      "__traceiter",
					      "irqentry_exit",
					      "asm_",
					      "dynamic_preempt",
					      "ttwu_",
					      "try_to_wake_up",
					      "wake_up_",
					      "__wake_up",
					      "default_wake",
					      "autoremove_wake" };

	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (!strncmp(name, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

static uint32_t waits_in(const struct profile *p, const struct offcpu_detail *d,
			 struct offcpu_stack st)
{
	uint32_t kernel = PROFILE_NONE;

	for (uint32_t i = st.n; i-- > 0;) {
		const struct location *l = &p->locs[d->locs[st.first + i]];

		for (uint32_t k = 0; k < l->nr_lines && l->kind != LOC_MARK; k++) {
			const struct line *line = &p->lines[l->first_line + k];

			if (!(p->funcs[line->func].flags & LINE_KERNEL))
				return line->func;
			if (kernel == PROFILE_NONE &&
			    !is_plumbing(profile_str(p, p->funcs[line->func].name)))
				kernel = line->func;
		}
	}
	return kernel;
}

static uint64_t hash_stack(const struct profile *p, const struct offcpu_detail *d,
			   struct offcpu_stack st)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < st.n; i++) {
		const struct location *l = &p->locs[d->locs[st.first + i]];

		for (uint32_t k = l->nr_lines; k-- > 0;)
			hash = hash_mix(hash, p->lines[l->first_line + k].func);
	}
	return hash;
}

/* One after the other, root first, the functions of a stack; false at its end. */
struct frames {
	const struct profile *p;
	const struct offcpu_detail *d;
	struct offcpu_stack st;
	uint32_t at, line; /* LINE: that are left of the location AT */
};

static bool next_frame(struct frames *f, uint32_t *func)
{
	while (f->at < f->st.n) {
		const struct location *l = &f->p->locs[f->d->locs[f->st.first + f->at]];

		if (f->line < l->nr_lines) {
			f->line++;
			*func = f->p->lines[l->first_line + l->nr_lines - f->line].func;
			return true;
		}
		f->at++;
		f->line = 0;
	}
	return false;
}

static bool same_functions(const struct profile *p, const struct offcpu_detail *d, uint32_t a,
			   uint32_t b)
{
	struct frames fa = { .p = p, .d = d, .st = d->stacks[a] };
	struct frames fb = { .p = p, .d = d, .st = d->stacks[b] };
	uint32_t x = 0, y = 0;

	for (;;) {
		bool more = next_frame(&fa, &x);

		if (more != next_frame(&fb, &y))
			return false;
		if (!more)
			return true;
		if (x != y)
			return false;
	}
}

/* For each stack the first one that is the same as functions. */
static uint32_t *equal_stacks(const struct profile *p, const struct offcpu_detail *d)
{
	uint32_t *first = xcalloc(d->nr_stacks, sizeof(*first));
	struct hashidx index = { 0 };

	for (uint32_t i = 0; i < d->nr_stacks; i++) {
		uint64_t hash = hash_stack(p, d, d->stacks[i]);
		struct hashidx_iter it = hashidx_first(&index, hash);
		uint32_t id;

		while ((id = hashidx_next(&index, &it)) != HASHIDX_NONE)
			if (same_functions(p, d, id, i))
				break;
		first[i] = id == HASHIDX_NONE ? i : id;
		if (id == HASHIDX_NONE)
			hashidx_add(&index, hash, i);
	}
	hashidx_release(&index);
	return first;
}

static void add_wait(struct offcpu_group *g, const struct offcpu_wait *w)
{
	for (int i = 0; i < 2; i++) {
		g->states[w->mark[i] / 2] += w->ns[i];
		if (w->mark[i] % 2)
			g->open += w->ns[i];
	}
	g->total += w->ns[0] + w->ns[1];
	vec_push(&g->lengths, w->ns[0] + w->ns[1]);
}

/* The K-th smallest, from 0, of N > K numbers, which change places. */
static uint64_t select_kth(uint64_t *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		uint64_t pivot = v[lo + (hi - lo) / 2], swap;
		size_t i = lo, j = hi;

		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap = v[i];
			v[i++] = v[j];
			v[j--] = swap;
		}
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return v[k];
}

static void finish_group(struct offcpu_group *g)
{
	size_t n = g->lengths.n;
	uint64_t sum = 0;

	g->count = n;
	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		sum += g->lengths.v[i];
		if (g->lengths.v[i] > g->max)
			g->max = g->lengths.v[i];
	}
	g->mean = sum / n;
	g->p99 = select_kth(g->lengths.v, n, (n * 99 + 99) / 100 - 1);
	vec_release(&g->lengths);
}

static const char *func_name(const struct profile *p, uint32_t func)
{
	return func == PROFILE_NONE ? "" : profile_str(p, p->funcs[func].name);
}

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct offcpu_group *a = pa, *b = pb;
	const struct offcpu_groups *g = ctx;
	int cmp;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	cmp = strcmp(func_name(g->profile, a->func), func_name(g->profile, b->func));
	if (cmp)
		return cmp;
	return a->count != b->count ? (a->count > b->count ? -1 : 1) : 0;
}

void offcpu_groups_build(struct offcpu_groups *g, const struct profile *p,
			 const struct offcpu_detail *d, enum offcpu_by by)
{
	uint32_t *first = by == OFFCPU_BY_STACK ? equal_stacks(p, d) : NULL;
	size_t room = (by == OFFCPU_BY_STACK ? d->nr_stacks : p->nr_funcs) + 1, n = 0;

	*g = (struct offcpu_groups){ .profile = p, .detail = d, .by = by };
	g->v = xcalloc(room, sizeof(*g->v));
	g->funcs = xcalloc(d->nr_stacks, sizeof(*g->funcs));
	for (size_t i = 0; i < d->nr_stacks; i++)
		g->funcs[i] = waits_in(p, d, d->stacks[i]);
	for (size_t i = 0; i < d->nr_waits; i++) {
		const struct offcpu_wait *w = &d->waits[i];
		uint32_t func = w->stack == PROFILE_NONE ? PROFILE_NONE : g->funcs[w->stack];
		uint32_t stack = first && w->stack != PROFILE_NONE ? first[w->stack] : PROFILE_NONE;
		uint32_t row = first ? stack : func;
		struct offcpu_group *at = &g->v[row == PROFILE_NONE ? room - 1 : row];

		at->func = func;
		at->stack = stack;
		add_wait(at, w);
		g->total += w->ns[0] + w->ns[1];
	}
	for (size_t i = 0; i < room; i++)
		if (g->v[i].total) {
			finish_group(&g->v[i]);
			g->v[n++] = g->v[i];
		} else {
			vec_release(&g->v[i].lengths);
		}
	g->n = n;
	if (n)
		qsort_r(g->v, n, sizeof(*g->v), compare, g);
	free(first);
}

void offcpu_groups_release(struct offcpu_groups *g)
{
	free(g->v);
	free(g->funcs);
	*g = (struct offcpu_groups){ 0 };
}
