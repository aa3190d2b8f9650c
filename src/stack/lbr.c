/* SPDX-License-Identifier: MIT */
/*
 * Call stacks that the CPU kept (PERF_SAMPLE_BRANCH_CALL_STACK): each entry of the branch stack
 * is a call that has not returned, the newest first, and `from` is the call instruction itself.
 * The kernel part of the stack and the leaf come from the sample.
 */
#include <perfrep/stack.h>

/* The frames up to and including the first one of user code. */
static size_t keep_leaf(const struct stack *st)
{
	for (size_t i = 0; i < st->n; i++)
		if (st->frames[i].cpumode == CPUMODE_USER)
			return i + 1;
	return st->n;
}

bool sample_has_call_stack(const struct sample *s, const struct evsel *evsel)
{
	return s->branch_nr && evsel->attr.branch_sample_type & BRANCH_CALL_STACK;
}

void stack_from_lbr(const struct sample *s, struct stack *st)
{
	bool has_user;

	stack_from_callchain(s, NULL, st);
	st->flags &= ~(unsigned)STACK_NO_CHAIN;
	st->n = keep_leaf(st);
	has_user = st->n && st->frames[st->n - 1].cpumode == CPUMODE_USER;
	if (!has_user && s->cpumode != CPUMODE_USER) {
		/* interrupted in the kernel with no user frame told: the newest call's target
		 * is where the function that went into the kernel begins */
		uint64_t to = sample_branch(s, 0).to;

		if (to)
			stack_push(st, to, CPUMODE_USER, false);
	}
	for (uint64_t i = 0; i < s->branch_nr; i++) {
		uint64_t from = sample_branch(s, i).from;

		if (from)
			stack_push(st, from, CPUMODE_USER, false);
	}
}
