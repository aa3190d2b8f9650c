/* SPDX-License-Identifier: MIT */
/*
 * The stack of one sample: addresses, leaf first, each with the mode it ran in and whether it is
 * a return address.  A pure function of the sample (and, for dumped user stacks, of the
 * timeline).
 */
#ifndef PERFREP_STACK_H
#define PERFREP_STACK_H

#include <perfrep/sample.h>

struct frame_addr {
	uint64_t addr;
	uint8_t cpumode; /* enum cpumode */
	bool is_return; /* addr is behind a call: look up the call, not what follows it */
	bool repaired; /* it was taken from another stack of the thread */
};

/*
 * The address to look up: inside the call instruction for a return address.  The only place in
 * the program that knows of this.
 */
static inline uint64_t frame_addr_lookup(struct frame_addr f)
{
	return f.is_return && f.addr ? f.addr - 1 : f.addr;
}

enum stack_flags {
	STACK_TRUNCATED = 1 << 0, /* the outer frames are missing */
	STACK_GARBAGE = 1 << 1, /* ended at a value that can be no address */
	STACK_NO_CHAIN = 1 << 2, /* the sample has no chain: one frame */
	STACK_DEFERRED = 1 << 3, /* user frames were promised and did not come */
	STACK_NOT_UNWOUND = 1 << 4, /* has a user stack dump that was not used */
	STACK_REPAIRED = 1 << 5, /* outer frames were taken from the thread's other stacks */
};

struct stack {
	struct frame_addr *frames; /* leaf first */
	size_t n, cap;
	unsigned flags;
};

void stack_release(struct stack *st);
/* Room for N more frames. */
void stack_reserve(struct stack *st, size_t n);

static inline void stack_push(struct stack *st, uint64_t addr, enum cpumode mode, bool is_return)
{
	if (__builtin_expect(st->n == st->cap, 0))
		stack_reserve(st, 1);
	st->frames[st->n++] = (struct frame_addr){ addr, (uint8_t)mode, is_return, false };
}

/* A user frame that another stack of the thread has there. */
static inline void stack_push_repaired(struct stack *st, uint64_t addr, bool is_return)
{
	stack_push(st, addr, CPUMODE_USER, is_return);
	st->frames[st->n - 1].repaired = true;
}

/* Put a return address behind frame AT, unless it is there. */
void stack_insert_caller(struct stack *st, size_t at, uint64_t caller);

/* The user frames of a CALLCHAIN_DEFERRED record that belongs to a sample. */
struct deferred_chain {
	const uint8_t *ips; /* file order */
	uint64_t nr;
	bool be;
};

/*
 * Rebuild the stack from the sample's recorded callchain: context markers switch the mode (and
 * are no frames); values in the marker range that are no marker end the chain there; zero
 * entries are left out; without a frame in the chain the stack is the sample's ip.  DEFERRED (may
 * be NULL) is used when the chain ends in a cookie.  ST is reused: it is emptied first.
 */
void stack_from_callchain(const struct sample *s, const struct deferred_chain *deferred,
			  struct stack *st);
/* Whether the sample's branch stack is a call stack that the CPU kept, with entries. */
bool sample_has_call_stack(const struct sample *s, const struct evsel *evsel);
/* The stack of such a sample: kernel frames and leaf from the sample, callers from the CPU. */
void stack_from_lbr(const struct sample *s, struct stack *st);
/*
 * The frames that `perf script` prints for the sample's chain: zeros are frames too (without a
 * map), a value in the marker range that is no marker, or one of a guest, drops the whole chain,
 * entries before any marker are user's.  (The option --max-stack of perf, by default 127 frames
 * counted from the leaf, is not applied.)  Empty when it prints none: the sample has no chain, an
 * empty one, or one that was dropped (STACK_GARBAGE).  For output that must be the same as that
 * of tools which read perf's text.
 */
void stack_from_callchain_compat(const struct sample *s, const struct deferred_chain *deferred,
				 struct stack *st);
/* Whether the chain ends in a deferral, and its cookie. */
bool sample_deferred_cookie(const struct sample *s, uint64_t *cookie);

#endif
