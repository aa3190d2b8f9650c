/* SPDX-License-Identifier: MIT */
/*
 * The stack that the kernel walked while it took the sample.
 *
 *	CONTEXT_KERNEL  ip  return address  return address …
 *	CONTEXT_USER    ip  return address …
 *
 * Leaf first; a marker says in which mode the entries after it ran, and begins with the address
 * that was being executed there (perf_callchain() in kernel/events/callchain.c): in each part the
 * first entry is an address in an instruction, all others are behind a call.
 *
 * The kernel follows frame pointers without knowing whether the code keeps them, so user parts
 * can hold anything.  A value in the range of the markers that is no marker is such garbage, and
 * what follows it was read through it: the chain ends there.  Zeros, which often stand where a
 * walk by frame pointers ended, are no addresses and are left out; the entry behind a zero is
 * still a caller.  perf does otherwise in both (thread__resolve_callchain_sample() in
 * tools/perf/util/machine.c): it prints a frame for a zero, and drops a whole chain that has an
 * unknown marker.  stack_from_callchain_compat() does the same.
 *
 * With deferred unwinding the user part is a marker and a cookie; the addresses come later, in a
 * CALLCHAIN_DEFERRED record with the same cookie.
 */
#include <perfrep/stack.h>

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/xmalloc.h"

struct walk {
	struct stack *st;
	enum cpumode mode;
	bool leaf; /* the next entry is the first of its part */
	bool compat; /* do as perf does */
};

void stack_release(struct stack *st)
{
	free(st->frames);
	*st = (struct stack){ 0 };
}

void stack_reserve(struct stack *st, size_t n)
{
	if (st->n + n <= st->cap)
		return;
	st->cap = st->cap * 2 > st->n + n ? st->cap * 2 : st->n + n + 64;
	st->frames = xreallocarray(st->frames, st->cap, sizeof(*st->frames));
}

void stack_insert_caller(struct stack *st, size_t at, uint64_t caller)
{
	struct frame_addr f = { caller, st->frames[at].cpumode, true, false };

	if (at + 1 < st->n && st->frames[at + 1].addr == caller)
		return;
	stack_push(st, caller, (enum cpumode)f.cpumode, true);
	memmove(st->frames + at + 2, st->frames + at + 1, (st->n - at - 2) * sizeof(*st->frames));
	st->frames[at + 1] = f;
}

/* The mode after marker IP; false when it is no marker.  perf knows none of guests. */
static bool marker_mode(uint64_t ip, bool compat, enum cpumode *mode)
{
	switch (ip) {
	case CONTEXT_HV:
		*mode = CPUMODE_HYPERVISOR;
		return true;
	case CONTEXT_KERNEL:
		*mode = CPUMODE_KERNEL;
		return true;
	case CONTEXT_USER:
	case CONTEXT_USER_DEFERRED:
		*mode = CPUMODE_USER;
		return true;
	case CONTEXT_GUEST:
	case CONTEXT_GUEST_KERNEL:
		*mode = CPUMODE_GUEST_KERNEL;
		return !compat;
	case CONTEXT_GUEST_USER:
		*mode = CPUMODE_GUEST_USER;
		return !compat;
	}
	return false;
}

/* Take one entry; false when the chain ends with it. */
static bool walk_entry(struct walk *w, uint64_t ip)
{
	if (ip >= CONTEXT_MAX) {
		if (!marker_mode(ip, w->compat, &w->mode)) {
			w->st->flags |= STACK_GARBAGE;
			if (w->compat)
				w->st->n = 0;
			return false;
		}
		w->leaf = true;
		return true;
	}
	if (ip || w->compat)
		stack_push(w->st, ip, w->mode, !w->leaf);
	w->leaf = false;
	return true;
}

static void walk_deferred(struct walk *w, const struct deferred_chain *deferred)
{
	if (!deferred) {
		w->st->flags |= STACK_DEFERRED;
		return;
	}
	w->mode = CPUMODE_USER;
	w->leaf = true;
	for (uint64_t i = 0; i < deferred->nr; i++)
		if (!walk_entry(w, get_u64(deferred->ips + 8 * i, deferred->be)))
			return;
}

/*
 * The entries from I on that are plain addresses: nearly all, and so worth a loop without
 * questions.  Returns the first one that is something else.
 */
static uint64_t walk_addresses(struct walk *w, const struct sample *s, uint64_t i)
{
	struct stack *st = w->st;
	struct frame_addr *out;
	uint64_t ip, first = i;

	stack_reserve(st, s->chain_nr - i);
	out = st->frames + st->n;
	for (; i < s->chain_nr; i++) {
		ip = get_u64(s->chain + 8 * i, s->be);
		if (ip - 1 >= CONTEXT_MAX - 1) /* 0, or from CONTEXT_MAX on */
			break;
		*out++ = (struct frame_addr){ ip, (uint8_t)w->mode, !w->leaf || i != first, false };
	}
	st->n = (size_t)(out - st->frames);
	w->leaf &= i == first;
	return i;
}

static void walk_chain(struct walk *w, const struct sample *s,
		       const struct deferred_chain *deferred)
{
	for (uint64_t i = 0; i < s->chain_nr; i++) {
		uint64_t ip;

		i = walk_addresses(w, s, i);
		if (i == s->chain_nr)
			return;
		ip = sample_chain_ip(s, i);
		if (ip == CONTEXT_USER_DEFERRED) { /* what follows is the cookie */
			walk_deferred(w, deferred);
			return;
		}
		if (!walk_entry(w, ip))
			return;
	}
}

static void from_callchain(struct walk *w, const struct sample *s,
			   const struct deferred_chain *deferred)
{
	struct stack *st = w->st;

	st->n = 0;
	st->flags = 0;
	if (s->stack_size && s->user_abi)
		st->flags |= STACK_NOT_UNWOUND;
	if (s->present & SAMPLE_CALLCHAIN)
		walk_chain(w, s, deferred);
	else
		st->flags |= STACK_NO_CHAIN;
}

void stack_from_callchain(const struct sample *s, const struct deferred_chain *deferred,
			  struct stack *st)
{
	struct walk w = { .st = st, .mode = s->cpumode, .leaf = true };

	from_callchain(&w, s, deferred);
	if (!st->n)
		stack_push(st, s->ip, s->cpumode, false);
}

void stack_from_callchain_compat(const struct sample *s, const struct deferred_chain *deferred,
				 struct stack *st)
{
	struct walk w = { .st = st, .mode = CPUMODE_USER, .leaf = true, .compat = true };

	from_callchain(&w, s, deferred);
}

bool sample_deferred_cookie(const struct sample *s, uint64_t *cookie)
{
	if (!(s->present & SAMPLE_CALLCHAIN) || s->chain_nr < 2 ||
	    sample_chain_ip(s, s->chain_nr - 2) != CONTEXT_USER_DEFERRED)
		return false;
	*cookie = sample_chain_ip(s, s->chain_nr - 1);
	return true;
}
