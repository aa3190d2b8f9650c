/* SPDX-License-Identifier: MIT */
/* What the pass over the samples does for time off the CPU. */
#ifndef PERFREP_COLLECT_GATHER_OFFCPU_H
#define PERFREP_COLLECT_GATHER_OFFCPU_H

#include "collect/gather.h"

/* Before the pass: details are noted if they are wanted. */
void gather_offcpu_begin(struct collapse *c);

/* The events that are derived from others, and the marks of the states, for W's profile. */
void gather_offcpu_events(struct gather_worker *w, const struct offcpu *o);

/*
 * Store the weights of the sample at POS from PLAIN on, which have a mark.  Its stack is the first
 * N of w->locs, which has room for one more: the state of the thread.
 */
void gather_offcpu_store(struct gather_worker *w, size_t n, size_t plain, uint64_t pos,
			 uint32_t key);

/*
 * A thread that leaves its CPU of its own accord is in a system call, as a rule: the address at
 * which the program will go on is behind the instruction that made it, and may belong to another
 * inlined function already.
 */
void gather_offcpu_caller(struct gather_worker *w);

/*
 * If the sample at hand woke somebody its stack is noted, whether or not the filters take it; one
 * that was cut, and is to be repaired, is kept.
 */
void gather_offcpu_waker(struct gather_worker *w, bool repair);
/* w->stack, of the sample at POS that ran in PROC, is the stack of a waking. */
void gather_offcpu_waking(struct gather_worker *w, const struct process *proc, uint64_t when,
			  uint64_t pos, uint32_t key);

/*
 * Time off the CPU that no sample tells of: it has the state for a stack.  Whose it is, and what
 * it was called, the timeline knows.
 */
void gather_offcpu_stackless(struct collapse *c);

/* After the workers' profiles were merged: the details, if they are wanted. */
void gather_offcpu_finish(struct collapse *c);

#endif
