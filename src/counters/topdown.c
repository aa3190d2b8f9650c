/* SPDX-License-Identifier: MIT */
/*
 * Top-down analysis: each slot in which the core could issue an operation either retires one, was
 * spent on a wrong path, was not filled by the front end, or was blocked by the back end.
 *
 * Sources of the formulas: the metrics TopdownL1 and TopdownL2 in tools/perf/pmu-events/arch/x86/
 * (icelakex for the events topdown-*, skylakex for the slots of before, amdzen4/pipeline.json).
 */
#include "counters/topdown.h"

static bool have(const struct counter_value v[ROLE_MAX], enum counter_role role)
{
	return v[role].state == COUNTER_COUNTED && v[role].running >= COUNTER_MIN_RUNNING;
}

static double share(const struct counter_value v[ROLE_MAX], enum counter_role role, double slots)
{
	return have(v, role) ? v[role].value / slots : 0;
}

static bool intel(struct topdown *t, const struct counter_value v[ROLE_MAX])
{
	double slots = 0;

	for (int r = ROLE_RETIRING; r <= ROLE_BE_BOUND; r++) {
		if (!have(v, (enum counter_role)r))
			return false;
		slots += v[r].value;
	}
	if (slots <= 0)
		return false;
	t->retiring = share(v, ROLE_RETIRING, slots);
	t->bad_speculation = share(v, ROLE_BAD_SPEC, slots);
	t->frontend_bound = share(v, ROLE_FE_BOUND, slots);
	t->backend_bound = share(v, ROLE_BE_BOUND, slots);
	t->level2 = have(v, ROLE_BR_MISPREDICT) || have(v, ROLE_MEM_BOUND);
	if (have(v, ROLE_BR_MISPREDICT))
		t->mispredict = share(v, ROLE_BR_MISPREDICT, slots);
	if (have(v, ROLE_MEM_BOUND))
		t->memory_bound = share(v, ROLE_MEM_BOUND, slots);
	return true;
}

static double not_negative(double v)
{
	return v > 0 ? v : 0;
}

static bool intel_old(struct topdown *t, const struct counter_value v[ROLE_MAX])
{
	double slots = v[ROLE_TOTAL_SLOTS].value;

	for (int r = ROLE_TOTAL_SLOTS; r <= ROLE_RECOVERY_BUBBLES; r++)
		if (!have(v, (enum counter_role)r))
			return false;
	if (slots <= 0)
		return false;
	t->retiring = share(v, ROLE_SLOTS_RETIRED, slots);
	t->frontend_bound = share(v, ROLE_FETCH_BUBBLES, slots);
	t->bad_speculation =
		not_negative((v[ROLE_SLOTS_ISSUED].value - v[ROLE_SLOTS_RETIRED].value +
			      v[ROLE_RECOVERY_BUBBLES].value) /
			     slots);
	t->backend_bound = not_negative(1 - t->retiring - t->frontend_bound - t->bad_speculation);
	return true;
}

/* Six slots a cycle on Zen 4, eight on Zen 5: what was dispatched and what was not tells which. */
static bool amd(struct topdown *t, const struct counter_value v[ROLE_MAX])
{
	double seen, slots;

	if (!have(v, ROLE_CYCLES) || !have(v, ROLE_AMD_NO_OPS) ||
	    !have(v, ROLE_AMD_BACKEND_STALLS) || !have(v, ROLE_AMD_DISPATCHED) ||
	    !have(v, ROLE_AMD_RETIRED_OPS) || v[ROLE_CYCLES].value <= 0)
		return false;
	seen = v[ROLE_AMD_NO_OPS].value + v[ROLE_AMD_BACKEND_STALLS].value +
	       v[ROLE_AMD_DISPATCHED].value + (have(v, ROLE_AMD_SMT) ? v[ROLE_AMD_SMT].value : 0);
	slots = v[ROLE_CYCLES].value * (seen / v[ROLE_CYCLES].value > 6.3 ? 8 : 6);
	t->frontend_bound = share(v, ROLE_AMD_NO_OPS, slots);
	t->backend_bound = share(v, ROLE_AMD_BACKEND_STALLS, slots);
	t->smt = share(v, ROLE_AMD_SMT, slots);
	t->retiring = share(v, ROLE_AMD_RETIRED_OPS, slots);
	t->bad_speculation = not_negative(
		(v[ROLE_AMD_DISPATCHED].value - v[ROLE_AMD_RETIRED_OPS].value) / slots);
	return true;
}

void topdown_from(struct topdown *t, const struct counter_value v[ROLE_MAX])
{
	*t = (struct topdown){ .mispredict = -1, .memory_bound = -1 };
	t->level1 = intel(t, v) || intel_old(t, v) || amd(t, v);
}
