/* SPDX-License-Identifier: MIT */
/*
 * From a set of counters to what they say: each event gets its role, kinds of core are kept apart
 * and added up, and what depends on an event that is not there is not known, with the reason.
 *
 * A ratio is of events that counted in the same places: cycles:u and instructions:k make no IPC.
 * So one mode (of :u, :k …) is chosen, that in which most roles are there.
 */
#include <perfrep/counters.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "counters/metrics.h"

/* What there is of each counter of the set: of all its parts, or of some. */
struct amount {
	enum counter_state state;
	double value;
};

struct work {
	const struct counter_set *set;
	struct event_name *names; /* by counter */
	struct amount *amounts; /* by counter */
};

/* Roles of the kernel's own events: where they count does not matter to a ratio. */
static bool is_software(enum counter_role role)
{
	return role >= ROLE_CPU_TIME && role <= ROLE_CONTEXT_SWITCHES;
}

static unsigned roles_in_mode(const struct work *w, const char *mode)
{
	bool seen[ROLE_MAX] = { false };
	unsigned n = 0;

	for (size_t i = 0; i < w->set->n; i++) {
		enum counter_role role = w->names[i].role;

		if (!role || is_software(role) || seen[role] || strcmp(w->names[i].mode, mode) ||
		    w->amounts[i].state != COUNTER_COUNTED)
			continue;
		seen[role] = true;
		n += role == ROLE_CYCLES || role == ROLE_INSTRUCTIONS ? 100 : 1;
	}
	return n;
}

/* Ties: the one that comes first. */
static const char *choose_mode(const struct work *w)
{
	const char *best = NULL;
	unsigned most = 0;

	for (size_t i = 0; i < w->set->n; i++) {
		unsigned n;

		if (!w->names[i].role || is_software(w->names[i].role))
			continue;
		if (best && !strcmp(best, w->names[i].mode))
			continue;
		n = roles_in_mode(w, w->names[i].mode);
		if (!best || n > most) {
			best = w->names[i].mode;
			most = n;
		}
	}
	return best ? best : "";
}

static struct counter_pmu *pmu_of(struct counter_analysis *a, const char *name)
{
	for (size_t i = 0; i < a->nr_pmus; i++)
		if (!strcmp(a->pmus[i].pmu, name))
			return &a->pmus[i];
	a->pmus = xreallocarray(a->pmus, a->nr_pmus + 1, sizeof(*a->pmus));
	a->pmus[a->nr_pmus] = (struct counter_pmu){ .pmu = "" };
	memcpy(a->pmus[a->nr_pmus].pmu, name, strlen(name) + 1);
	return &a->pmus[a->nr_pmus++];
}

/* task-clock is told in milliseconds; a recording's weights are in ns. */
static double to_unit(const struct work *w, size_t i)
{
	const struct counter *c = &w->set->v[i];
	double v = w->amounts[i].value;

	if (w->names[i].role != ROLE_CPU_TIME || w->set->source == SOURCE_RECORDING)
		return v;
	return !strcmp(c->unit, "ns") ? v : v * 1e6;
}

static struct counter_value value_of(const struct work *w, size_t i)
{
	const struct counter *c = &w->set->v[i];
	double n = (double)c->samples;
	struct counter_value v = {
		.state = w->amounts[i].state,
		.value = to_unit(w, i),
		.running = c->running,
		.first = c,
	};

	/* The sum of sampled periods misses at most one period: 1 of n. */
	if (c->spread > 0)
		v.rel_var = c->spread * c->spread;
	else if (n > 0)
		v.rel_var = 1 / (n * n);
	return v;
}

/* Among several events for a role: counted, then the best name, then the one that ran longest. */
static bool is_better(const struct counter_value *v, unsigned preference,
		      const struct counter_value *than, unsigned its_preference)
{
	if (than->state == COUNTER_ABSENT)
		return true;
	if ((v->state == COUNTER_COUNTED) != (than->state == COUNTER_COUNTED))
		return v->state == COUNTER_COUNTED;
	if (preference != its_preference)
		return preference > its_preference;
	return v->running > than->running;
}

static void collect_roles(struct counter_analysis *a, struct work *w)
{
	for (size_t i = 0; i < w->set->n; i++) {
		const struct event_name *name = &w->names[i];
		struct counter_value v, *slot;
		unsigned its = 0;

		if (!name->role || w->amounts[i].state == COUNTER_ABSENT)
			continue;
		if (!is_software(name->role) && strcmp(name->mode, a->mode))
			continue;
		v = value_of(w, i);
		slot = &pmu_of(a, name->pmu)->v[name->role];
		if (slot->first)
			its = w->names[slot->first - w->set->v].preference;
		if (is_better(&v, name->preference, slot, its))
			*slot = v;
	}
}

static void add_value(struct counter_value *sum, const struct counter_value *v)
{
	double total = sum->value + v->value;

	if (v->state == COUNTER_ABSENT)
		return;
	if (sum->state == COUNTER_ABSENT ||
	    (sum->state != COUNTER_COUNTED && v->state == COUNTER_COUNTED)) {
		*sum = *v;
		return;
	}
	if (v->state != COUNTER_COUNTED)
		return;
	if (total > 0) {
		double a = sum->value / total, b = v->value / total;

		sum->rel_var = a * a * sum->rel_var + b * b * v->rel_var;
	}
	sum->value = total;
	sum->running = v->running < sum->running ? v->running : sum->running;
}

/*
 * Kinds of core that a program moved between count in turns, and perf scales each as if it had been
 * there all the time: together that would be more than there was.
 */
static bool take_turns(const struct counter_analysis *a)
{
	double running = 0;
	size_t n = 0;

	for (size_t i = 0; i < a->nr_pmus; i++) {
		if (!a->pmus[i].pmu[0] || a->pmus[i].v[ROLE_CYCLES].state != COUNTER_COUNTED)
			continue;
		running += a->pmus[i].v[ROLE_CYCLES].running;
		n++;
	}
	return n > 1 && running < 1.02;
}

/* An event without a PMU's name next to the same with one would be counted twice. */
static void add_up_role(struct counter_analysis *a, int role, bool turns)
{
	bool named = false;
	double running = 0;
	size_t used = 0;

	for (size_t i = 0; i < a->nr_pmus; i++)
		named |= a->pmus[i].pmu[0] && a->pmus[i].v[role].state == COUNTER_COUNTED;
	for (size_t i = 0; i < a->nr_pmus; i++) {
		struct counter_value v = a->pmus[i].v[role];

		if (named && !a->pmus[i].pmu[0])
			continue;
		if (turns && a->pmus[i].pmu[0])
			v.value *= v.running;
		add_value(&a->v[role], &v);
		if (v.state != COUNTER_COUNTED)
			continue;
		running += v.running;
		if (used < COUNTER_KINDS)
			a->used[role][used++] = v.first;
	}
	if (turns && named)
		a->v[role].running = fmin(running, 1);
}

static void add_up(struct counter_analysis *a)
{
	bool turns = take_turns(a);

	for (int role = 1; role < ROLE_MAX; role++)
		add_up_role(a, role, turns);
}

/* Only kinds of core that count cycles are told apart, and only when there are two. */
static void keep_kinds(struct counter_analysis *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->nr_pmus; i++)
		if (a->pmus[i].pmu[0] && a->pmus[i].v[ROLE_CYCLES].state != COUNTER_ABSENT)
			a->pmus[n++] = a->pmus[i];
	a->nr_pmus = n > 1 ? n : 0;
}

static bool usable(const struct counter_value *v)
{
	return v->state == COUNTER_COUNTED && v->running >= COUNTER_MIN_RUNNING;
}

/* Of one that is not usable: counted too short a part of the time is as good as not. */
static enum counter_state why_not(const struct counter_value *v)
{
	return v->state == COUNTER_COUNTED ? COUNTER_NOT_COUNTED : v->state;
}

static struct derived derive(const struct counter_value v[ROLE_MAX], enum counter_role y,
			     enum counter_role x, double scale)
{
	struct derived d = { .running = fmin(v[y].running, v[x].running) };

	for (int i = 0; i < 2; i++) {
		enum counter_role role = i ? y : x;

		if (!usable(&v[role])) {
			d.missing = role;
			d.why = why_not(&v[role]);
			return d;
		}
	}
	if (v[x].value <= 0) {
		d.missing = x;
		d.why = COUNTER_NOT_COUNTED;
		return d;
	}
	d.known = true;
	d.value = scale * v[y].value / v[x].value;
	d.half = 1.96 * d.value * sqrt(v[x].rel_var + v[y].rel_var);
	return d;
}

static uint64_t whole(double v)
{
	return v < 18446744073709549568.0 ? (uint64_t)v : UINT64_MAX;
}

static void judge(struct counter_analysis *a, const struct counter_options *opts)
{
	static const enum counter_role needed[] = { ROLE_CYCLES, ROLE_BRANCH_MISSES,
						    ROLE_LLC_MISSES };
	const struct counters c = {
		.cycles = whole(a->v[ROLE_CYCLES].value),
		.instructions = whole(a->v[ROLE_INSTRUCTIONS].value),
		.branches = whole(a->v[ROLE_BRANCHES].value),
		.branch_misses = whole(a->v[ROLE_BRANCH_MISSES].value),
		.llc_misses = whole(a->v[ROLE_LLC_MISSES].value),
	};

	counter_judge(&a->verdict, &c, opts, a->ghz.known ? a->ghz.value : 0);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		const struct counter_value *v = &a->v[needed[i]];

		if (usable(v) && (i || a->verdict.known))
			continue;
		a->verdict.known = false;
		a->verdict.missing = needed[i];
		a->verdict.why = why_not(v);
		return;
	}
}

static void analyse(struct counter_analysis *a, struct work *w, const struct counter_options *opts)
{
	const struct counter *llc;
	const char *mode;

	*a = (struct counter_analysis){ .nr_pmus = 0 };
	w->names = xcalloc(w->set->n + 1, sizeof(*w->names));
	for (size_t i = 0; i < w->set->n; i++)
		event_name_parse(&w->names[i], w->set->v[i].name, w->set->vendor, opts->roles);
	mode = choose_mode(w);
	memcpy(a->mode, mode, strlen(mode) + 1);
	collect_roles(a, w);
	add_up(a);
	if (a->nr_pmus)
		topdown_from(&a->topdown, a->v, 0);
	keep_kinds(a);
	llc = a->v[ROLE_LLC_MISSES].first;
	a->doubtful_llc = llc && w->names[llc - w->set->v].preference == 1;
	a->ipc = derive(a->v, ROLE_INSTRUCTIONS, ROLE_CYCLES, 1);
	a->branch_miss = derive(a->v, ROLE_BRANCH_MISSES, ROLE_BRANCHES, 100);
	a->mpki = derive(a->v, ROLE_LLC_MISSES, ROLE_INSTRUCTIONS, 1000);
	a->ghz = derive(a->v, ROLE_CYCLES, ROLE_CPU_TIME, 1);
	a->faults = derive(a->v, ROLE_PAGE_FAULTS, ROLE_CPU_TIME, 1e9);
	a->switches = derive(a->v, ROLE_CONTEXT_SWITCHES, ROLE_CPU_TIME, 1e9);
	judge(a, opts);
	free(w->names);
	free(w->amounts);
}

void counter_analyse(struct counter_analysis *a, const struct counter_set *set,
		     const struct counter_options *opts)
{
	struct work w = { .set = set, .amounts = xcalloc(set->n + 1, sizeof(*w.amounts)) };

	for (size_t i = 0; i < set->n; i++)
		w.amounts[i] = (struct amount){ set->v[i].state, set->v[i].value };
	analyse(a, &w, opts);
	metrics_analyse(a, set, UINT32_MAX, -1);
}

void counter_analyse_part(struct counter_analysis *a, const struct counter_set *set, uint32_t where,
			  double time, const struct counter_options *opts)
{
	struct work w = { .set = set, .amounts = xcalloc(set->n + 1, sizeof(*w.amounts)) };

	for (size_t i = 0; i < set->nr_parts; i++) {
		const struct counter_part *p = &set->parts[i];
		struct amount *m = &w.amounts[p->counter];

		if (p->where != where || (time >= 0 && (p->time < time || p->time > time)))
			continue;
		if (m->state != COUNTER_COUNTED)
			m->state = p->state;
		m->value += p->state == COUNTER_COUNTED ? p->value : 0;
	}
	analyse(a, &w, opts);
	metrics_analyse(a, set, where, time);
}

void counter_analysis_release(struct counter_analysis *a)
{
	free(a->pmus);
	*a = (struct counter_analysis){ .nr_pmus = 0 };
}
