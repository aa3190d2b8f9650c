/* SPDX-License-Identifier: MIT */
/*
 * What events count, by the names that perf gives them: the one table of them.
 *
 * Sources: perf's generic events (tools/perf/util/parse-events.c, man perf-list) and how the kernel
 * maps them (arch/x86/events/{intel,amd}/core.c, drivers/perf/arm_pmuv3.c); the vendors' names as
 * in tools/perf/pmu-events/arch/: x86/{skylakex,icelakex,alderlake,amdzen3,amdzen4,amdzen5}/,
 * arm64/common-and-microarch.json.
 *
 * A generic name does not count the same everywhere: cache-misses is misses of the last level on
 * Intel, of L2 on AMD (event 0x64) and of the L1 data cache on Arm.
 */
#include <perfrep/counters.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

enum only { ANYWHERE, ONLY_INTEL };

struct role_name {
	const char *name;
	enum counter_role role;
	unsigned preference; /* 3: exactly that, 2: nearly, 1: on some CPUs */
	enum only only; /* other vendors' event of the name is something else */
};

static const struct role_name names[] = {
	/* perf's generic events, and simpleperf's */
	{ "cycles", ROLE_CYCLES, 3, ANYWHERE },
	{ "cpu-cycles", ROLE_CYCLES, 3, ANYWHERE },
	{ "instructions", ROLE_INSTRUCTIONS, 3, ANYWHERE },
	{ "branches", ROLE_BRANCHES, 3, ANYWHERE },
	{ "branch-instructions", ROLE_BRANCHES, 3, ANYWHERE },
	{ "branch-misses", ROLE_BRANCH_MISSES, 3, ANYWHERE },
	{ "LLC-load-misses", ROLE_LLC_MISSES, 3, ANYWHERE },
	{ "LLC-misses", ROLE_LLC_MISSES, 3, ANYWHERE },
	{ "cache-misses", ROLE_LLC_MISSES, 1, ONLY_INTEL },
	{ "task-clock", ROLE_CPU_TIME, 3, ANYWHERE },
	{ "cpu-clock", ROLE_CPU_TIME, 2, ANYWHERE },
	{ "page-faults", ROLE_PAGE_FAULTS, 3, ANYWHERE },
	{ "faults", ROLE_PAGE_FAULTS, 3, ANYWHERE },
	{ "context-switches", ROLE_CONTEXT_SWITCHES, 3, ANYWHERE },
	{ "cs", ROLE_CONTEXT_SWITCHES, 3, ANYWHERE },
	/* Intel */
	{ "cpu_clk_unhalted.thread", ROLE_CYCLES, 3, ANYWHERE },
	{ "cpu_clk_unhalted.thread_p", ROLE_CYCLES, 3, ANYWHERE },
	{ "cpu_clk_unhalted.core", ROLE_CYCLES, 3, ANYWHERE },
	{ "cpu_clk_unhalted.core_p", ROLE_CYCLES, 3, ANYWHERE },
	{ "inst_retired.any", ROLE_INSTRUCTIONS, 3, ANYWHERE },
	{ "inst_retired.any_p", ROLE_INSTRUCTIONS, 3, ANYWHERE },
	{ "inst_retired.prec_dist", ROLE_INSTRUCTIONS, 3, ANYWHERE },
	{ "br_inst_retired.all_branches", ROLE_BRANCHES, 3, ANYWHERE },
	{ "br_misp_retired.all_branches", ROLE_BRANCH_MISSES, 3, ANYWHERE },
	{ "longest_lat_cache.miss", ROLE_LLC_MISSES, 2, ANYWHERE },
	{ "mem_load_retired.l3_miss", ROLE_LLC_MISSES, 3, ANYWHERE },
	{ "mem_load_uops_retired.l3_miss", ROLE_LLC_MISSES, 3, ANYWHERE },
	{ "mem_load_uops_retired.llc_miss", ROLE_LLC_MISSES, 3, ANYWHERE },
	{ "slots", ROLE_SLOTS, 3, ANYWHERE },
	{ "topdown.slots", ROLE_SLOTS, 3, ANYWHERE },
	{ "topdown-retiring", ROLE_RETIRING, 3, ANYWHERE },
	{ "topdown-bad-spec", ROLE_BAD_SPEC, 3, ANYWHERE },
	{ "topdown-fe-bound", ROLE_FE_BOUND, 3, ANYWHERE },
	{ "topdown-be-bound", ROLE_BE_BOUND, 3, ANYWHERE },
	{ "topdown-heavy-ops", ROLE_HEAVY_OPS, 3, ANYWHERE },
	{ "topdown-br-mispredict", ROLE_BR_MISPREDICT, 3, ANYWHERE },
	{ "topdown-fetch-lat", ROLE_FETCH_LAT, 3, ANYWHERE },
	{ "topdown-mem-bound", ROLE_MEM_BOUND, 3, ANYWHERE },
	{ "topdown-total-slots", ROLE_TOTAL_SLOTS, 3, ANYWHERE },
	{ "topdown-slots-issued", ROLE_SLOTS_ISSUED, 3, ANYWHERE },
	{ "topdown-slots-retired", ROLE_SLOTS_RETIRED, 3, ANYWHERE },
	{ "topdown-fetch-bubbles", ROLE_FETCH_BUBBLES, 3, ANYWHERE },
	{ "topdown-recovery-bubbles", ROLE_RECOVERY_BUBBLES, 3, ANYWHERE },
	/* AMD */
	{ "ls_not_halted_cyc", ROLE_CYCLES, 3, ANYWHERE },
	{ "ex_ret_instr", ROLE_INSTRUCTIONS, 3, ANYWHERE },
	{ "ex_ret_brn", ROLE_BRANCHES, 3, ANYWHERE },
	{ "ex_ret_brn_misp", ROLE_BRANCH_MISSES, 3, ANYWHERE },
	{ "ls_dmnd_fills_from_sys.dram_io_all", ROLE_LLC_MISSES, 3, ANYWHERE },
	{ "ls_dmnd_fills_from_sys.mem_io_local", ROLE_LLC_MISSES, 2, ANYWHERE },
	{ "ls_dmnd_fills_from_sys.dram_io_near", ROLE_LLC_MISSES, 2, ANYWHERE },
	{ "ls_any_fills_from_sys.dram_io_all", ROLE_LLC_MISSES, 2, ANYWHERE },
	{ "de_no_dispatch_per_slot.no_ops_from_frontend", ROLE_AMD_NO_OPS, 3, ANYWHERE },
	{ "de_no_dispatch_per_slot.backend_stalls", ROLE_AMD_BACKEND_STALLS, 3, ANYWHERE },
	{ "de_no_dispatch_per_slot.smt_contention", ROLE_AMD_SMT, 3, ANYWHERE },
	{ "de_src_op_disp.all", ROLE_AMD_DISPATCHED, 3, ANYWHERE },
	{ "ex_ret_ops", ROLE_AMD_RETIRED_OPS, 3, ANYWHERE },
	{ "de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x6", ROLE_AMD_NO_OPS_CYCLES, 3,
	  ANYWHERE },
	{ "de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x8", ROLE_AMD_NO_OPS_CYCLES, 3,
	  ANYWHERE },
	{ "resyncs_or_nc_redirects", ROLE_AMD_RESYNCS, 3, ANYWHERE },
	{ "bp_redirects.resync", ROLE_AMD_RESYNCS, 3, ANYWHERE },
	{ "ex_no_retire.not_complete", ROLE_AMD_RETIRE_WAITS, 3, ANYWHERE },
	{ "ex_no_retire.load_not_complete", ROLE_AMD_LOAD_WAITS, 3, ANYWHERE },
	{ "ex_ret_ucode_ops", ROLE_AMD_UCODE_OPS, 3, ANYWHERE },
	/* Arm */
	{ "cpu_cycles", ROLE_CYCLES, 3, ANYWHERE },
	{ "inst_retired", ROLE_INSTRUCTIONS, 3, ANYWHERE },
	{ "br_retired", ROLE_BRANCHES, 3, ANYWHERE },
	{ "br_pred", ROLE_BRANCHES, 2, ANYWHERE },
	{ "br_mis_pred_retired", ROLE_BRANCH_MISSES, 3, ANYWHERE },
	{ "br_mis_pred", ROLE_BRANCH_MISSES, 2, ANYWHERE },
	{ "ll_cache_miss_rd", ROLE_LLC_MISSES, 3, ANYWHERE },
	{ "ll_cache_miss", ROLE_LLC_MISSES, 3, ANYWHERE },
	{ "l3d_cache_refill", ROLE_LLC_MISSES, 2, ANYWHERE },
};

static const char *const role_texts[ROLE_MAX] = {
	[ROLE_NONE] = "",
	[ROLE_CYCLES] = "cycles",
	[ROLE_INSTRUCTIONS] = "instructions",
	[ROLE_BRANCHES] = "branches",
	[ROLE_BRANCH_MISSES] = "branch-misses",
	[ROLE_LLC_MISSES] = "llc-misses",
	[ROLE_CPU_TIME] = "cpu-time",
	[ROLE_PAGE_FAULTS] = "page-faults",
	[ROLE_CONTEXT_SWITCHES] = "context-switches",
	[ROLE_SLOTS] = "slots",
	[ROLE_RETIRING] = "retiring",
	[ROLE_BAD_SPEC] = "bad-speculation",
	[ROLE_FE_BOUND] = "frontend-bound",
	[ROLE_BE_BOUND] = "backend-bound",
	[ROLE_HEAVY_OPS] = "heavy-operations",
	[ROLE_BR_MISPREDICT] = "branch-mispredict-slots",
	[ROLE_FETCH_LAT] = "fetch-latency",
	[ROLE_MEM_BOUND] = "memory-bound",
	[ROLE_TOTAL_SLOTS] = "total-slots",
	[ROLE_SLOTS_ISSUED] = "slots-issued",
	[ROLE_SLOTS_RETIRED] = "slots-retired",
	[ROLE_FETCH_BUBBLES] = "fetch-bubbles",
	[ROLE_RECOVERY_BUBBLES] = "recovery-bubbles",
	[ROLE_AMD_NO_OPS] = "no-ops-from-frontend",
	[ROLE_AMD_BACKEND_STALLS] = "backend-stalls",
	[ROLE_AMD_SMT] = "smt-contention",
	[ROLE_AMD_DISPATCHED] = "dispatched-ops",
	[ROLE_AMD_RETIRED_OPS] = "retired-ops",
	[ROLE_AMD_NO_OPS_CYCLES] = "no-ops-cycles",
	[ROLE_AMD_RESYNCS] = "resyncs",
	[ROLE_AMD_RETIRE_WAITS] = "retire-waits",
	[ROLE_AMD_LOAD_WAITS] = "load-waits",
	[ROLE_AMD_UCODE_OPS] = "microcode-ops",
};

const char *counter_role_text(enum counter_role role)
{
	return role_texts[role];
}

enum cpu_vendor cpu_vendor_of(const char *cpuid, const char *arch)
{
	if (cpuid && !strncmp(cpuid, "GenuineIntel", 12))
		return CPU_INTEL;
	if (cpuid && (!strncmp(cpuid, "AuthenticAMD", 12) || !strncmp(cpuid, "HygonGenuine", 12)))
		return CPU_AMD;
	if (arch && (!strncmp(arch, "aarch64", 7) || !strncmp(arch, "arm", 3)))
		return CPU_ARM;
	return CPU_UNKNOWN;
}

int event_roles_add(struct event_roles *roles, const char *text, struct err *err)
{
	const char *eq = strchr(text, '=');
	struct strbuf list = STRBUF_INIT;
	int rc;

	for (int i = 1; i < ROLE_MAX; i++) {
		if (eq && eq[1] && strlen(role_texts[i]) == (size_t)(eq - text) &&
		    !strncmp(role_texts[i], text, (size_t)(eq - text))) {
			roles->v = xreallocarray(roles->v, roles->n + 1, sizeof(*roles->v));
			roles->v[roles->n].name = xstrdup(eq + 1);
			roles->v[roles->n++].role = (enum counter_role)i;
			strbuf_release(&list);
			return 0;
		}
		strbuf_addf(&list, "%s%s", i > 1 ? ", " : "", role_texts[i]);
	}
	rc = err_set(err, ERR_USAGE, "\"%s\" is not ROLE=EVENT with one of the roles %s", text,
		     strbuf_str(&list));
	strbuf_release(&list);
	return rc;
}

void event_roles_release(struct event_roles *roles)
{
	for (size_t i = 0; i < roles->n; i++)
		free(roles->v[i].name);
	free(roles->v);
	*roles = (struct event_roles){ 0 };
}

/* Modifiers that say where an event counts, in one order; the others say how. */
static void take_mode(struct event_name *out, const char *s, size_t len)
{
	size_t n = 0;

	for (const char *m = "ukhGH"; *m; m++)
		if (memchr(s, *m, len))
			out->mode[n++] = *m;
	out->mode[n] = '\0';
}

static bool are_modifiers(const char *s, size_t len)
{
	return len && strspn(s, "ukhGHpPSDWIebR") >= len;
}

/* A PMU of a kind of core matters; "cpu" and those of Arm with a single kind are just "the" CPU. */
static void take_pmu(struct event_name *out, const char *s, size_t len)
{
	if (len >= sizeof(out->pmu))
		len = sizeof(out->pmu) - 1;
	if (len == 3 && !strncmp(s, "cpu", 3))
		len = 0;
	memcpy(out->pmu, s, len);
	out->pmu[len] = '\0';
}

/* Take a pmu and modifiers off; what is left is [*s, *s + *len). */
static void take_apart(struct event_name *out, const char **s, size_t *len)
{
	const char *end = *s + *len;
	const char *slash = memchr(*s, '/', *len);
	const char *last = slash ? memrchr(slash + 1, '/', (size_t)(end - slash - 1)) : NULL;
	const char *colon = memrchr(*s, ':', *len);

	if (slash && last) {
		take_pmu(out, *s, (size_t)(slash - *s));
		take_mode(out, last + 1, (size_t)(end - last - 1));
		*s = slash + 1;
		*len = (size_t)(last - slash - 1);
	} else if (colon && are_modifiers(colon + 1, (size_t)(end - colon - 1))) {
		take_mode(out, colon + 1, (size_t)(end - colon - 1));
		*len = (size_t)(colon - *s);
	}
}

static bool same(const char *name, const char *s, size_t len)
{
	return strlen(name) == len && !strncasecmp(name, s, len);
}

void event_name_parse(struct event_name *out, const char *name, enum cpu_vendor vendor,
		      const struct event_roles *extra)
{
	const char *s = name;
	size_t len = strlen(name);

	*out = (struct event_name){ 0 };
	take_apart(out, &s, &len);
	for (size_t i = 0; extra && i < extra->n; i++) {
		const char *given = extra->v[i].name;

		if (!strcmp(given, name) || same(given, s, len)) {
			out->role = extra->v[i].role;
			out->preference = 9;
			return;
		}
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!same(names[i].name, s, len))
			continue;
		if (names[i].only == ONLY_INTEL && (vendor == CPU_AMD || vendor == CPU_ARM))
			return;
		out->role = names[i].role;
		out->preference =
			names[i].preference + (vendor == CPU_INTEL && names[i].only == ONLY_INTEL);
		return;
	}
}
