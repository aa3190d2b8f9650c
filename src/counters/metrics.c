/* SPDX-License-Identifier: MIT */
/*
 * perf's own metrics by their names, which changed over time: percent stood in the value's unit and
 * went into the name, groups got a prefix.  Ratios of several places or intervals don't add up, so
 * of those there is nothing for the whole.
 */
#include "counters/metrics.h"

#include <string.h>
#include <strings.h>

enum target {
	TARGET_IPC,
	TARGET_GHZ,
	TARGET_BRANCH_MISS,
	TARGET_RETIRING,
	TARGET_BAD_SPECULATION,
	TARGET_FRONTEND,
	TARGET_BACKEND,
	TARGETS,
};

/* tools/perf/util/stat-shadow.c; the groups TopdownL1 and PipelineL1 in pmu-events/arch/x86 */
static const struct {
	const char *name;
	enum target target;
} known[] = {
	{ "insn per cycle", TARGET_IPC },
	{ "insn_per_cycle", TARGET_IPC },
	{ "ipc", TARGET_IPC },
	{ "tma_info_thread_ipc", TARGET_IPC },
	{ "GHz", TARGET_GHZ },
	{ "cycles_frequency", TARGET_GHZ },
	{ "branch-misses of all branches", TARGET_BRANCH_MISS },
	{ "branch_miss_rate", TARGET_BRANCH_MISS },
	{ "of all branches", TARGET_BRANCH_MISS },
	{ "retiring", TARGET_RETIRING },
	{ "tma_retiring", TARGET_RETIRING },
	{ "bad speculation", TARGET_BAD_SPECULATION },
	{ "bad_speculation", TARGET_BAD_SPECULATION },
	{ "tma_bad_speculation", TARGET_BAD_SPECULATION },
	{ "frontend bound", TARGET_FRONTEND },
	{ "frontend_bound", TARGET_FRONTEND },
	{ "tma_frontend_bound", TARGET_FRONTEND },
	{ "backend bound", TARGET_BACKEND },
	{ "backend_bound", TARGET_BACKEND },
	{ "tma_backend_bound", TARGET_BACKEND },
};

/* TARGETS: none.  "%  tma_retiring" has its unit in front. */
static enum target target_of(const char *name)
{
	while (*name == '%' || *name == ' ')
		name++;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcasecmp(known[i].name, name))
			return known[i].target;
	return TARGETS;
}

bool counter_metric_is_ratio(const char *name)
{
	enum target target = target_of(name);

	return target == TARGET_IPC || target == TARGET_BRANCH_MISS;
}

bool counter_metrics_whole(const struct counter_set *set)
{
	for (size_t i = 1; i < set->nr_metrics; i++) {
		const struct counter_metric *a = &set->metric[0], *b = &set->metric[i];

		if (a->where != b->where || a->time < b->time || a->time > b->time)
			return false;
	}
	return true;
}

/* Whether it is of the whole SET that it is not known, and of some part it is. */
static bool in_parts(const struct counter_set *set, uint32_t where, enum target target)
{
	if (where != UINT32_MAX)
		return false;
	for (size_t i = 0; i < set->nr_metrics; i++)
		if (target_of(set->metric[i].name) == target)
			return true;
	return false;
}

static struct derived derived_of(const struct counter_set *set, uint32_t where,
				 const double v[TARGETS], enum target target,
				 enum counter_role missing)
{
	if (v[target] >= 0)
		return (struct derived){ .known = true, .value = v[target], .running = 1 };
	return (struct derived){ .missing = missing,
				 .why = in_parts(set, where, target) ? COUNTER_IN_PARTS
								     : COUNTER_LEFT_OUT };
}

static void leave_out(struct derived *d)
{
	d->why = COUNTER_LEFT_OUT;
}

static void take_topdown(struct topdown *t, const double v[TARGETS])
{
	*t = (struct topdown){
		.heavy = -1, .mispredict = -1, .fetch_latency = -1, .memory_bound = -1
	};
	for (int i = TARGET_RETIRING; i <= TARGET_BACKEND; i++)
		if (v[i] < 0)
			return;
	t->level1 = true;
	t->retiring = v[TARGET_RETIRING] / 100;
	t->bad_speculation = v[TARGET_BAD_SPECULATION] / 100;
	t->frontend_bound = v[TARGET_FRONTEND] / 100;
	t->backend_bound = v[TARGET_BACKEND] / 100;
}

void metrics_analyse(struct counter_analysis *a, const struct counter_set *set, uint32_t where,
		     double time)
{
	bool whole = counter_metrics_whole(set);
	double v[TARGETS];

	if (!set->nr_metrics)
		return;
	a->no_counts = true;
	for (int i = 0; i < TARGETS; i++)
		v[i] = -1;
	for (size_t i = 0; i < set->nr_metrics; i++) {
		const struct counter_metric *m = &set->metric[i];
		enum target target = target_of(m->name);

		if (where == UINT32_MAX ? !whole
					: m->where != where || m->time < time || m->time > time)
			continue;
		if (target != TARGETS && v[target] < 0)
			v[target] = m->value;
	}
	a->ipc = derived_of(set, where, v, TARGET_IPC, ROLE_INSTRUCTIONS);
	a->branch_miss = derived_of(set, where, v, TARGET_BRANCH_MISS, ROLE_BRANCH_MISSES);
	a->ghz = derived_of(set, where, v, TARGET_GHZ, ROLE_CYCLES);
	leave_out(&a->mpki);
	leave_out(&a->faults);
	leave_out(&a->switches);
	a->verdict.why = COUNTER_LEFT_OUT;
	take_topdown(&a->topdown, v);
}
