/* SPDX-License-Identifier: MIT */
/* Which way the stack of a sample is rebuilt. */
#ifndef PERFREP_COLLECT_SAMPLE_STACK_H
#define PERFREP_COLLECT_SAMPLE_STACK_H

#include "stack/stitch.h"

#include <perfrep/session.h>
#include <perfrep/stack.h>

/*
 * Whether the sample has what an unwinder needs: such stacks are rebuilt once and stored.  The dump
 * may be empty, when the kernel could not read the page: then the leaf is known, and where the
 * rest would be.
 */
static inline bool sample_has_dump(const struct sample *s)
{
	return s->user_abi && s->user_regs && s->stack;
}

/* The stack that the sample itself tells, not unwound; cut to what OPTS wants of it. */
void sample_stack(const struct sample *s, const struct evsel *evsel,
		  const struct deferred_chain *deferred, const struct session_options *opts,
		  struct stack *st);
/* Add the outer frames of a call stack of the CPU's that others of the thread tell. */
void sample_stack_stitch(const struct sample *s, const struct evsel *evsel,
			 const struct stitch *stitch, uint64_t pos,
			 const struct session_options *opts, struct stack *st);
/* Take the user frames off, for an unwinder to put in. */
void sample_stack_kernel_part(struct stack *st);
void sample_stack_limit(struct stack *st, const struct session_options *opts);

#endif
