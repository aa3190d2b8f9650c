/* SPDX-License-Identifier: MIT */
/*
 * From five counts to a bottleneck.  Misses times their penalty is an upper bound of what they
 * cost: a core that executes out of order overlaps misses that don't depend on each other.  That
 * is why the verdict is taken at several overlaps.
 */
#include <perfrep/counters.h>

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 0;
}

static double clamp(double v)
{
	return v > 1 ? 1 : v > 0 ? v : 0;
}

double ipc(const struct counters *c)
{
	return ratio((double)c->instructions, (double)c->cycles);
}

double branch_miss_pct(const struct counters *c)
{
	return ratio(100 * (double)c->branch_misses, (double)c->branches);
}

double llc_mpki(const struct counters *c)
{
	return ratio(1000 * (double)c->llc_misses, (double)c->instructions);
}

double branch_stall_frac(const struct counters *c, const struct cost_model *m)
{
	return clamp(ratio((double)c->branch_misses * m->mispredict_penalty, (double)c->cycles));
}

double memory_stall_frac(const struct counters *c, const struct cost_model *m)
{
	return clamp(
		ratio((double)c->llc_misses * m->dram_latency_cycles / m->mlp, (double)c->cycles));
}

enum bottleneck classify_fractions(double memory, double branch)
{
	if (memory >= BOTTLENECK_MEMORY_MIN && memory >= branch)
		return MEMORY;
	return branch >= BOTTLENECK_BRANCH_MIN ? BRANCH_MISPREDICT : COMPUTE;
}

enum bottleneck classify(const struct counters *c, const struct cost_model *m)
{
	return classify_fractions(memory_stall_frac(c, m), branch_stall_frac(c, m));
}

const char *bottleneck_text(enum bottleneck b)
{
	static const char *const texts[] = { "memory", "branch mispredicts", "compute" };

	return texts[b];
}

struct cost_model counter_model(const struct counter_options *opts, double ghz, double mlp)
{
	struct cost_model m = {
		.mispredict_penalty = opts->mispredict_penalty > 0 ? opts->mispredict_penalty
								   : COST_MISPREDICT_PENALTY,
		.dram_latency_cycles = COST_DRAM_CYCLES,
		.mlp = mlp,
	};

	if (opts->dram_cycles > 0)
		m.dram_latency_cycles = opts->dram_cycles;
	else if (opts->dram_ns > 0)
		m.dram_latency_cycles = opts->dram_ns * (ghz > 0 ? ghz : 3);
	return m;
}

void counter_judge(struct counter_verdict *v, const struct counters *c,
		   const struct counter_options *opts, double ghz)
{
	static const double overlaps[] = { 1, COST_STREAM_MLP_LOW, COST_STREAM_MLP_HIGH };

	*v = (struct counter_verdict){ .known = c->cycles > 0, .agree = true };
	v->n = opts->mlp > 0 ? 1 : 3;
	for (unsigned i = 0; i < v->n; i++) {
		double mlp = opts->mlp > 0 ? opts->mlp : overlaps[i];
		struct cost_model m = counter_model(opts, ghz, mlp);

		v->mlp[i] = mlp;
		v->memory[i] = memory_stall_frac(c, &m);
		v->branch = branch_stall_frac(c, &m);
		v->at[i] = classify(c, &m);
		v->agree &= v->at[i] == v->at[0];
	}
}
