/* SPDX-License-Identifier: MIT */
/*
 * Top-down analysis: each slot in which the core could issue an operation either retires one, was
 * spent on a wrong path, was not filled by the front end, or was blocked by the back end.  The
 * second level divides each of the four: operations of microcode, wrong paths of branches, slots
 * in which the front end had nothing at all, slots that waited for memory.
 *
 * Sources of the formulas: the metrics TopdownL1 and TopdownL2 in tools/perf/pmu-events/arch/x86/
 * (icelakex for the events topdown-*, skylakex for the slots of before, amdzen4/pipeline.json and
 * amdzen5/pipeline.json).
 */
#include <perfrep/counters.h>

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
	if (have(v, ROLE_HEAVY_OPS))
		t->heavy = share(v, ROLE_HEAVY_OPS, slots);
	if (have(v, ROLE_BR_MISPREDICT))
		t->mispredict = share(v, ROLE_BR_MISPREDICT, slots);
	if (have(v, ROLE_FETCH_LAT))
		t->fetch_latency = share(v, ROLE_FETCH_LAT, slots);
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

/* PART of the share OF, as the first of two events is to the second; below 0 without them. */
static double part(double of, const struct counter_value v[ROLE_MAX], enum counter_role y,
		   enum counter_role x)
{
	if (!have(v, y) || !have(v, x))
		return -1;
	return v[x].value > 0 ? of * v[y].value / v[x].value : 0;
}

static void amd_level2(struct topdown *t, const struct counter_value v[ROLE_MAX], double slots)
{
	double misses = v[ROLE_BRANCH_MISSES].value, resyncs = v[ROLE_AMD_RESYNCS].value;

	t->heavy = part(t->retiring, v, ROLE_AMD_UCODE_OPS, ROLE_AMD_RETIRED_OPS);
	if (have(v, ROLE_BRANCH_MISSES) && have(v, ROLE_AMD_RESYNCS))
		t->mispredict = misses > 0 ? t->bad_speculation * misses / (misses + resyncs) : 0;
	if (have(v, ROLE_AMD_NO_OPS_CYCLES))
		t->fetch_latency = t->width * share(v, ROLE_AMD_NO_OPS_CYCLES, slots);
	t->memory_bound = part(t->backend_bound, v, ROLE_AMD_LOAD_WAITS, ROLE_AMD_RETIRE_WAITS);
}

/* Six slots a cycle on Zen 4, eight on Zen 5: what was dispatched and what was not tells which. */
static bool amd(struct topdown *t, const struct counter_value v[ROLE_MAX], unsigned width)
{
	double seen, slots;

	if (!have(v, ROLE_CYCLES) || !have(v, ROLE_AMD_NO_OPS) ||
	    !have(v, ROLE_AMD_BACKEND_STALLS) || !have(v, ROLE_AMD_DISPATCHED) ||
	    !have(v, ROLE_AMD_RETIRED_OPS) || v[ROLE_CYCLES].value <= 0)
		return false;
	seen = v[ROLE_AMD_NO_OPS].value + v[ROLE_AMD_BACKEND_STALLS].value +
	       v[ROLE_AMD_DISPATCHED].value + (have(v, ROLE_AMD_SMT) ? v[ROLE_AMD_SMT].value : 0);
	t->width = width ? width : seen / v[ROLE_CYCLES].value > 6.3 ? 8 : 6;
	slots = v[ROLE_CYCLES].value * t->width;
	t->frontend_bound = share(v, ROLE_AMD_NO_OPS, slots);
	t->backend_bound = share(v, ROLE_AMD_BACKEND_STALLS, slots);
	t->smt = share(v, ROLE_AMD_SMT, slots);
	t->retiring = share(v, ROLE_AMD_RETIRED_OPS, slots);
	t->bad_speculation = not_negative(
		(v[ROLE_AMD_DISPATCHED].value - v[ROLE_AMD_RETIRED_OPS].value) / slots);
	amd_level2(t, v, slots);
	return true;
}

void topdown_from(struct topdown *t, const struct counter_value v[ROLE_MAX], unsigned width)
{
	*t = (struct topdown){
		.heavy = -1, .mispredict = -1, .fetch_latency = -1, .memory_bound = -1
	};
	t->level1 = intel(t, v) || intel_old(t, v) || amd(t, v, width);
	t->level2 = t->heavy >= 0 || t->mispredict >= 0 || t->fetch_latency >= 0 ||
		    t->memory_bound >= 0;
}
