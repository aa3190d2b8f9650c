/* SPDX-License-Identifier: MIT */
/*
 * The sentences below the tables.  Misses times their penalty is an upper bound of what they cost, so
 * the verdict says "up to", is taken at several overlaps, and where they disagree it is a range
 * with what would settle it.  What depends on an event that was not counted is not said, and why.
 */
#include "view/counters.h"

#include <math.h>
#include <string.h>

#include "view/json.h"
#include "view/line.h"
#include "view/number.h"

static bool is_there(const struct counter_analysis *a, enum counter_role role)
{
	return a->v[role].state != COUNTER_ABSENT;
}

/* ---- the ratios ---- */

static void add_number(struct strbuf *sb, const struct derived *d, int decimals)
{
	strbuf_addf(sb, "%.*f", decimals, d->value);
	if (d->half > 0 && d->half >= pow(10, -decimals) / 2)
		strbuf_addf(sb, " ±%.*f", decimals, d->half);
}

static void add_ratio(struct strbuf *line, const char *before, const struct derived *d,
		      int decimals, const char *after)
{
	if (!d->known)
		return;
	if (line->n)
		strbuf_adds(line, " · ");
	strbuf_adds(line, before);
	add_number(line, d, decimals);
	strbuf_adds(line, after);
}

static void add_rate(struct strbuf *line, const struct derived *d, const char *what)
{
	if (!d->known)
		return;
	if (line->n)
		strbuf_adds(line, " · ");
	number_si(line, d->value);
	strbuf_addf(line, " %s per second of CPU time", what);
}

/* Events that took turns on the counters: the smallest share of the time that one had. */
static void add_running(struct strbuf *line, const struct counter_analysis *a)
{
	const struct derived *const all[] = { &a->ipc, &a->branch_miss, &a->mpki, &a->faults,
					      &a->switches };
	double least = 1;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i]->known && all[i]->running < least)
			least = all[i]->running;
	if (least < 0.995)
		strbuf_addf(line, " · counted %.0f %% of the time", least * 100);
}

static void add_ratios(struct strbuf *line, const struct counter_analysis *a)
{
	add_ratio(line, "IPC ", &a->ipc, 2, "");
	add_ratio(line, "branch misses ", &a->branch_miss, 2, " %");
	add_ratio(line, a->doubtful_llc ? "cache misses " : "LLC misses ", &a->mpki, 2,
		  " per 1,000 instructions");
	if (a->ipc.known)
		add_ratio(line, "", &a->ghz, 2, " GHz");
	add_rate(line, &a->faults, "page faults");
	add_rate(line, &a->switches, "context switches");
	add_running(line, a);
}

/* ---- the verdict ---- */

static const char *overlap_text(double mlp)
{
	return mlp == COST_STREAM_MLP_LOW ? "five" : mlp == COST_STREAM_MLP_HIGH ? "ten" : NULL;
}

static void add_overlap(struct strbuf *sb, double mlp)
{
	if (overlap_text(mlp))
		strbuf_adds(sb, overlap_text(mlp));
	else
		strbuf_addf(sb, "%g", mlp);
}

static void add_waits(struct strbuf *sb, const struct counter_verdict *v)
{
	unsigned last = v->n - 1;

	number_percent(sb, v->memory[0]);
	strbuf_adds(sb, " % of cycles wait for DRAM");
	if (!last)
		return;
	strbuf_adds(sb, " (");
	number_percent(sb, v->memory[last]);
	strbuf_adds(sb, " % if ");
	add_overlap(sb, v->mlp[last]);
	strbuf_adds(sb, " misses overlap)");
}

static const char *bound_text(enum bottleneck b)
{
	return b == MEMORY    ? "memory-bound"
	       : b == COMPUTE ? "compute-bound"
			      : "bound by branch mispredicts";
}

static void add_agreed(struct strbuf *sb, const struct counter_verdict *v)
{
	strbuf_adds(sb, bound_text(v->at[0]));
	if (v->at[0] == BRANCH_MISPREDICT) {
		strbuf_adds(sb, ": up to ");
		number_percent(sb, v->branch);
		strbuf_adds(sb, " % of cycles are lost to them; up to ");
		add_waits(sb, v);
		return;
	}
	strbuf_adds(sb, ": up to ");
	add_waits(sb, v);
	strbuf_adds(sb, "; ");
	number_percent(sb, v->branch);
	strbuf_adds(sb, " % lost to mispredicts");
}

static void add_range(struct strbuf *sb, const struct counter_verdict *v)
{
	unsigned last = v->n - 1;

	strbuf_addf(sb, "%s if misses come one at a time (", bound_text(v->at[0]));
	number_percent(sb, v->memory[0]);
	strbuf_addf(sb, " %% of cycles wait for DRAM), %s if ", bound_text(v->at[last]));
	add_overlap(sb, v->mlp[last]);
	strbuf_adds(sb, " overlap (");
	number_percent(sb, v->memory[last]);
	strbuf_adds(sb, " %); up to ");
	number_percent(sb, v->branch);
	strbuf_adds(sb,
		    " % lost to mispredicts. What settles it: perf stat --topdown, or --mlp=N "
		    "for what the program's loads allow (1 when each address comes from the load "
		    "before)");
}

static void add_unknown(struct strbuf *sb, const struct counter_analysis *a)
{
	static const enum counter_role needs[] = { ROLE_CYCLES, ROLE_BRANCH_MISSES,
						   ROLE_LLC_MISSES };

	strbuf_adds(sb, "no verdict: ");
	for (size_t i = 0, n = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		const struct counter_value *v = &a->v[needs[i]];

		if (v->state == COUNTER_COUNTED && v->running >= COUNTER_MIN_RUNNING)
			continue;
		strbuf_addf(sb, "%s%s ", n++ ? ", " : "", counter_role_text(needs[i]));
		if (v->state == COUNTER_COUNTED)
			strbuf_addf(sb, "counted %.1f %% of the time, too little",
				    v->running * 100);
		else
			strbuf_adds(sb, counter_state_text(v->state));
	}
}

static bool has_hardware(const struct counter_analysis *a)
{
	return is_there(a, ROLE_CYCLES) || is_there(a, ROLE_INSTRUCTIONS) ||
	       is_there(a, ROLE_BRANCHES) || is_there(a, ROLE_BRANCH_MISSES) ||
	       is_there(a, ROLE_LLC_MISSES);
}

static void print_verdict(const struct counter_analysis *a, const char *label,
			  const struct view_style *style, struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	if (!has_hardware(a))
		return;
	if (!a->verdict.known)
		add_unknown(&line, a);
	else if (a->verdict.agree)
		add_agreed(&line, &a->verdict);
	else
		add_range(&line, &a->verdict);
	line_print(sb, style, label, strbuf_str(&line));
	strbuf_clear(&line);
	if (a->doubtful_llc && a->mpki.known)
		line_print(sb, style, "",
			   "cache-misses is taken for misses of the last level: so it is on Intel, "
			   "while on AMD it counts L2 and on Arm L1; LLC-load-misses is meant");
	strbuf_release(&line);
}

/* ---- top-down ---- */

static void add_share(struct strbuf *sb, const char *name, double share)
{
	strbuf_addf(sb, "%s%s ", sb->n ? ", " : "", name);
	number_percent(sb, share);
	strbuf_adds(sb, " %");
}

/* A part of the share before it, when it is known. */
static void add_part(struct strbuf *sb, const char *name, double share)
{
	if (share < 0)
		return;
	strbuf_adds(sb, " (");
	number_percent(sb, share);
	strbuf_addf(sb, " %% %s)", name);
}

/* By the thresholds that top-down's own trees use: a fifth of the slots. */
static enum bottleneck topdown_says(const struct topdown *t)
{
	double memory = t->memory_bound >= 0 ? t->memory_bound : t->backend_bound;

	if (memory >= 0.2 && memory >= t->bad_speculation)
		return MEMORY;
	return t->bad_speculation >= 0.15 ? BRANCH_MISPREDICT : COMPUTE;
}

static bool disagrees(const struct counter_analysis *a)
{
	const struct counter_verdict *v = &a->verdict;

	if (!v->known)
		return false;
	for (unsigned i = 0; i < v->n; i++)
		if (v->at[i] == topdown_says(&a->topdown))
			return false;
	return true;
}

static void print_topdown(const struct counter_analysis *a, const struct view_style *style,
			  struct strbuf *sb)
{
	const struct topdown *t = &a->topdown;
	struct strbuf line = STRBUF_INIT;

	if (!t->level1)
		return;
	add_share(&line, "retiring", t->retiring);
	add_part(&line, "heavy operations", t->heavy);
	add_share(&line, "bad speculation", t->bad_speculation);
	add_part(&line, "mispredicts", t->mispredict);
	add_share(&line, "front end", t->frontend_bound);
	add_part(&line, "latency", t->fetch_latency);
	add_share(&line, "back end", t->backend_bound);
	add_part(&line, "memory", t->memory_bound);
	if (t->smt > 0)
		add_share(&line, "the other thread", t->smt);
	strbuf_adds(&line, " of issue slots");
	if (disagrees(a))
		strbuf_addf(&line,
			    ". It disagrees with the arithmetic above: by its slots the "
			    "program is %s; these events were made for the question",
			    bound_text(topdown_says(t)));
	line_print(sb, style, "top-down", strbuf_str(&line));
	strbuf_release(&line);
}

/* ---- kinds of core, and what is missing ---- */

static void print_kinds(const struct counter_analysis *a, const struct view_style *style,
			struct strbuf *sb)
{
	for (size_t i = 0; i < a->nr_pmus; i++) {
		const struct counter_value *v = a->pmus[i].v;
		struct strbuf line = STRBUF_INIT;

		strbuf_addf(&line, "%s: ", a->pmus[i].pmu);
		if (v[ROLE_CYCLES].state != COUNTER_COUNTED) {
			strbuf_addf(&line, "cycles %s", counter_state_text(v[ROLE_CYCLES].state));
		} else {
			number_si(&line, v[ROLE_CYCLES].value);
			strbuf_adds(&line, " cycles");
		}
		if (v[ROLE_CYCLES].state == COUNTER_COUNTED && v[ROLE_CYCLES].value > 0 &&
		    v[ROLE_INSTRUCTIONS].state == COUNTER_COUNTED)
			strbuf_addf(&line, " · IPC %.2f",
				    v[ROLE_INSTRUCTIONS].value / v[ROLE_CYCLES].value);
		line_print(sb, style, i ? "" : "core types", strbuf_str(&line));
		strbuf_release(&line);
	}
}

struct wanted {
	const char *name;
	const struct derived *d;
	enum counter_role y, x;
};

static void print_missing(const struct counter_analysis *a, const struct view_style *style,
			  struct strbuf *sb)
{
	const struct wanted all[] = {
		{ "IPC", &a->ipc, ROLE_INSTRUCTIONS, ROLE_CYCLES },
		{ "branch misses", &a->branch_miss, ROLE_BRANCH_MISSES, ROLE_BRANCHES },
		{ "LLC misses", &a->mpki, ROLE_LLC_MISSES, ROLE_INSTRUCTIONS },
	};
	struct strbuf line = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const struct counter_value *v = &a->v[all[i].d->missing];

		if (all[i].d->known || (!is_there(a, all[i].y) && !is_there(a, all[i].x)))
			continue;
		if (line.n)
			strbuf_adds(&line, "; ");
		strbuf_addf(&line, "%s, since %s ", all[i].name,
			    v->first ? v->first->name : counter_role_text(all[i].d->missing));
		if (v->state == COUNTER_COUNTED)
			strbuf_adds(&line, v->running < COUNTER_MIN_RUNNING
						   ? "was counted too short a part of the time"
						   : "is 0");
		else
			strbuf_addf(&line, "is %s", counter_state_text(v->state));
	}
	line_print(sb, style, "not known", strbuf_str(&line));
	strbuf_release(&line);
}

/* What perf's metrics do not tell, by the reason. */
static void print_no_counts(const struct counter_analysis *a, const struct view_style *style,
			    struct strbuf *sb)
{
	const struct wanted all[] = {
		{ .name = "IPC", .d = &a->ipc },
		{ .name = "branch misses", .d = &a->branch_miss },
	};
	struct strbuf line = STRBUF_INIT, parts = STRBUF_INIT;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct strbuf *to = all[i].d->why == COUNTER_IN_PARTS ? &parts : &line;

		if (!all[i].d->known)
			strbuf_addf(to, "%s%s", to->n ? ", " : "", all[i].name);
	}
	strbuf_addf(&line,
		    "%sLLC misses per 1,000 instructions, a verdict: they need counts, which "
		    "--metric-only leaves out",
		    line.n ? ", " : "");
	if (parts.n)
		strbuf_addf(&line,
			    "; %s of the whole: ratios of several places or intervals don't add up",
			    strbuf_str(&parts));
	line_print(sb, style, "not known", strbuf_str(&line));
	strbuf_release(&line);
	strbuf_release(&parts);
}

static bool has_ratio(const struct counter_analysis *a)
{
	return a->ipc.known || a->branch_miss.known || a->mpki.known || a->faults.known ||
	       a->switches.known;
}

bool counters_tell(const struct counter_analysis *a)
{
	return has_ratio(a) || a->verdict.known || a->topdown.level1;
}

void counters_print(const struct counter_analysis *a, const struct view_style *style,
		    struct strbuf *sb)
{
	struct strbuf line = STRBUF_INIT;

	add_ratios(&line, a);
	line_print(sb, style, "counters", strbuf_str(&line));
	print_verdict(a, line.n ? "" : "counters", style, sb);
	print_topdown(a, style, sb);
	print_kinds(a, style, sb);
	if (a->no_counts)
		print_no_counts(a, style, sb);
	else
		print_missing(a, style, sb);
	strbuf_release(&line);
}

/* ---- JSON ---- */

static void put_derived(struct json_object *o, const char *name, const struct derived *d)
{
	struct json_object *j = json_new();

	if (d->known) {
		json_put_real(j, "value", d->value, 6);
		json_put_real(j, "half", d->half, 6);
		json_put_real(j, "running", d->running, 4);
	} else {
		json_put_null(j, "value");
		json_put_text(j, "missing", counter_role_text(d->missing));
		json_put_text(j, "why", counter_state_text(d->why));
	}
	json_put(o, name, j);
}

static const char *verdict_name(enum bottleneck b)
{
	static const char *const names[] = { "memory", "branch-mispredict", "compute" };

	return names[b];
}

static struct json_object *verdict_json(const struct counter_verdict *v)
{
	struct json_object *o = json_new(), *list = json_new_array();

	json_put_text(o, "bottleneck", v->agree ? verdict_name(v->at[0]) : NULL);
	json_put_real(o, "branch_stall", v->branch, 6);
	for (unsigned i = 0; i < v->n; i++) {
		struct json_object *at = json_new();

		json_put_real(at, "mlp", v->mlp[i], 2);
		json_put_real(at, "memory_stall", v->memory[i], 6);
		json_put_text(at, "bottleneck", verdict_name(v->at[i]));
		json_append(list, at);
	}
	json_put(o, "at", list);
	return o;
}

static void put_missing_verdict(struct json_object *o, const struct counter_verdict *v)
{
	json_put_null(o, "verdict");
	json_put_text(o, "verdict_missing", counter_role_text(v->missing));
	json_put_text(o, "verdict_why", counter_state_text(v->why));
}

static struct json_object *topdown_json(const struct topdown *t)
{
	struct json_object *o = json_new();

	json_put_real(o, "retiring", t->retiring, 6);
	json_put_real(o, "bad_speculation", t->bad_speculation, 6);
	json_put_real(o, "frontend_bound", t->frontend_bound, 6);
	json_put_real(o, "backend_bound", t->backend_bound, 6);
	if (t->smt > 0)
		json_put_real(o, "smt_contention", t->smt, 6);
	if (t->heavy >= 0)
		json_put_real(o, "heavy_operations", t->heavy, 6);
	if (t->mispredict >= 0)
		json_put_real(o, "mispredict", t->mispredict, 6);
	if (t->fetch_latency >= 0)
		json_put_real(o, "fetch_latency", t->fetch_latency, 6);
	if (t->memory_bound >= 0)
		json_put_real(o, "memory_bound", t->memory_bound, 6);
	return o;
}

struct json_object *counters_json(const struct counter_analysis *a)
{
	struct json_object *o = json_new();

	put_derived(o, "ipc", &a->ipc);
	put_derived(o, "branch_miss_percent", &a->branch_miss);
	put_derived(o, "llc_mpki", &a->mpki);
	put_derived(o, "ghz", &a->ghz);
	put_derived(o, "page_faults_per_cpu_second", &a->faults);
	put_derived(o, "context_switches_per_cpu_second", &a->switches);
	if (a->verdict.known)
		json_put(o, "verdict", verdict_json(&a->verdict));
	else
		put_missing_verdict(o, &a->verdict);
	if (a->topdown.level1)
		json_put(o, "topdown", topdown_json(&a->topdown));
	else
		json_put_null(o, "topdown");
	return o;
}
