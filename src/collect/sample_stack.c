/* SPDX-License-Identifier: MIT */
#include "collect/sample_stack.h"

/* What the kernel records at most when nothing else was said: perf_event_max_stack. */
enum { DEFAULT_MAX_STACK = 127 };

void sample_stack_limit(struct stack *st, const struct session_options *opts)
{
	if (opts->no_stacks && st->n > 1)
		st->n = 1;
	if (opts->max_stack && st->n > opts->max_stack)
		st->n = opts->max_stack;
}

/* Context markers don't count for the kernel's limit, so a chain that was cut has as many frames
 * or more. */
static bool hit_the_limit(const struct stack *st, const struct evsel *evsel)
{
	unsigned limit = evsel->attr.sample_max_stack;

	return st->n >= (limit ? limit : DEFAULT_MAX_STACK);
}

void sample_stack(const struct sample *s, const struct evsel *evsel,
		  const struct deferred_chain *deferred, const struct session_options *opts,
		  struct stack *st)
{
	if (sample_has_call_stack(s, evsel)) {
		stack_from_lbr(s, st);
	} else {
		if (opts->script_chains)
			stack_from_callchain_compat(s, deferred, st);
		if (!opts->script_chains || !st->n)
			stack_from_callchain(s, deferred, st);
		if (hit_the_limit(st, evsel))
			st->flags |= STACK_TRUNCATED;
	}
	sample_stack_limit(st, opts);
}

void sample_stack_stitch(const struct sample *s, const struct evsel *evsel,
			 const struct stitch *stitch, uint64_t pos,
			 const struct session_options *opts, struct stack *st)
{
	if (opts->no_stacks || !sample_has_call_stack(s, evsel))
		return;
	stitch_complete(stitch, pos, st);
	sample_stack_limit(st, opts);
}

void sample_stack_kernel_part(struct stack *st)
{
	size_t n = 0;

	for (size_t i = 0; i < st->n; i++)
		if (st->frames[i].cpumode != CPUMODE_USER)
			st->frames[n++] = st->frames[i];
	st->n = n;
}
