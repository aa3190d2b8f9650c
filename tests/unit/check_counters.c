/* SPDX-License-Identifier: MIT */
/* The arithmetic of counters at its edges, what events mean, and the analysis of sets. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perfrep/counters.h>

static const struct cost_model model = { 20, 300, 1 };
static const struct counter_options plain;

/* ---- ratios: 0 when the base is 0 ---- */

START_TEST(ratios)
{
	const struct counters c = { 1000, 2500, 400, 10, 5 };

	ck_assert_double_eq(ipc(&c), 2.5);
	ck_assert_double_eq(branch_miss_pct(&c), 2.5);
	ck_assert_double_eq(llc_mpki(&c), 2);
}
END_TEST

START_TEST(zero_bases)
{
	const struct counters no_cycles = { 0, 100, 100, 100, 100 };
	const struct counters no_branches = { 100, 100, 0, 100, 100 };
	const struct counters no_instructions = { 100, 0, 100, 100, 100 };
	const struct counters nothing = { 0, 0, 0, 0, 0 };

	ck_assert_double_eq(ipc(&no_cycles), 0);
	ck_assert_double_eq(branch_miss_pct(&no_branches), 0);
	ck_assert_double_eq(llc_mpki(&no_instructions), 0);
	ck_assert_double_eq(branch_stall_frac(&no_cycles, &model), 0);
	ck_assert_double_eq(memory_stall_frac(&no_cycles, &model), 0);
	ck_assert_int_eq(classify(&no_cycles, &model), COMPUTE);
	ck_assert_int_eq(classify(&nothing, &model), COMPUTE);
}
END_TEST

/* ---- stall fractions ---- */

START_TEST(branch_stalls)
{
	const struct counters c = { 1000, 0, 0, 5, 0 };
	const struct counters many = { 1000, 0, 0, 51, 0 };

	ck_assert_double_eq(branch_stall_frac(&c, &model), 0.1);
	ck_assert_double_eq(branch_stall_frac(&many, &model), 1); /* 1.02 */
}
END_TEST

START_TEST(memory_stalls)
{
	const struct counters c = { 3000, 0, 0, 0, 5 };
	const struct cost_model streaming = { 20, 300, 10 };
	const struct counters many = { 3000, 0, 0, 0, 11 };

	ck_assert_double_eq(memory_stall_frac(&c, &model), 0.5);
	ck_assert_double_eq(memory_stall_frac(&c, &streaming), 0.05);
	ck_assert_double_eq(memory_stall_frac(&many, &model), 1); /* 1.1 */
}
END_TEST

START_TEST(huge_counts)
{
	const struct counters c = { UINT64_MAX, UINT64_MAX, 1, UINT64_MAX, UINT64_MAX };

	ck_assert_double_eq(ipc(&c), 1);
	ck_assert_double_eq(branch_stall_frac(&c, &model), 1);
	ck_assert_double_eq(memory_stall_frac(&c, &model), 1);
}
END_TEST

/* ---- classify ---- */

START_TEST(memory_from_30_percent)
{
	const struct counters at = { 1000, 0, 0, 0, 1 }, below = { 1001, 0, 0, 0, 1 };

	ck_assert_int_eq(classify(&at, &model), MEMORY); /* 0.300 */
	ck_assert_int_eq(classify(&below, &model), COMPUTE); /* 0.2997 */
}
END_TEST

START_TEST(memory_at_least_the_branch_fraction)
{
	/* 0.3 and 0.3; 0.3 and 0.32 */
	const struct counters equal = { 1000, 0, 0, 15, 1 }, less = { 1000, 0, 0, 16, 1 };

	ck_assert_int_eq(classify(&equal, &model), MEMORY);
	ck_assert_int_eq(classify(&less, &model), BRANCH_MISPREDICT);
}
END_TEST

START_TEST(both_clamped_is_memory)
{
	const struct counters c = { 10, 0, 0, 100, 100 };

	ck_assert_int_eq(classify(&c, &model), MEMORY);
}
END_TEST

START_TEST(branches_from_15_percent)
{
	const struct cost_model m = { 15, 300, 1 };
	const struct counters at = { 100, 0, 0, 1, 0 }, below = { 101, 0, 0, 1, 0 };

	ck_assert_int_eq(classify(&at, &m), BRANCH_MISPREDICT); /* 0.15 */
	ck_assert_int_eq(classify(&below, &m), COMPUTE);
}
END_TEST

START_TEST(memory_below_30_percent_yields_to_branches)
{
	/* memory 0.29…, branches 0.16 */
	const struct counters c = { 1010, 0, 0, 8, 1 };

	ck_assert_int_eq(classify(&c, &model), BRANCH_MISPREDICT);
}
END_TEST

/* "Five misses per thousand instructions is enough to make a workload memory-bound." */
START_TEST(five_per_thousand)
{
	const struct counters c = { 1000000, 500000, 100000, 0, 2500 };

	ck_assert_double_eq(llc_mpki(&c), 5);
	ck_assert_double_eq(memory_stall_frac(&c, &model), 0.75);
	ck_assert_int_eq(classify(&c, &model), MEMORY);
}
END_TEST

/* At 4 % of branches, one in five instructions, IPC 1: about a fifth of all cycles. */
START_TEST(four_percent_of_branches)
{
	const struct counters c = { 1000000, 1000000, 200000, 8000, 0 };

	ck_assert_double_eq(branch_miss_pct(&c), 4);
	ck_assert_double_eq(branch_stall_frac(&c, &model), 0.16);
	ck_assert_int_eq(classify(&c, &model), BRANCH_MISPREDICT);
}
END_TEST

/* ---- the verdict over overlaps ---- */

START_TEST(verdict_is_a_range)
{
	const struct counters chase = { 6000, 3600, 700, 0, 14 }; /* 0.70, 0.14, 0.07 */
	const struct counters clear = { 600, 3600, 700, 0, 14 }; /* 1, 1, 0.7 */
	struct counter_verdict v;

	counter_judge(&v, &chase, &plain, 0);
	ck_assert_uint_eq(v.n, 3);
	ck_assert(!v.agree);
	ck_assert_int_eq(v.at[0], MEMORY);
	ck_assert_int_eq(v.at[1], COMPUTE);
	ck_assert_int_eq(v.at[2], COMPUTE);
	ck_assert_double_eq_tol(v.memory[1], 0.14, 1e-9);
	counter_judge(&v, &clear, &plain, 0);
	ck_assert(v.agree);
	ck_assert_int_eq(v.at[2], MEMORY);
}
END_TEST

START_TEST(verdict_of_a_known_overlap)
{
	const struct counters c = { 6000, 3600, 700, 0, 14 };
	const struct counter_options one = { .mlp = 1 }, ns = { .mlp = 1, .dram_ns = 50 };
	struct counter_verdict v;

	counter_judge(&v, &c, &one, 0);
	ck_assert_uint_eq(v.n, 1);
	ck_assert(v.agree);
	ck_assert_int_eq(v.at[0], MEMORY);
	counter_judge(&v, &c, &ns, 2); /* 50 ns at 2 GHz are 100 cycles */
	ck_assert_double_eq_tol(v.memory[0], 14 * 100.0 / 6000, 1e-12);
}
END_TEST

/* ---- names ---- */

static struct event_name named(const char *name, enum cpu_vendor vendor)
{
	struct event_name n;

	event_name_parse(&n, name, vendor, NULL);
	return n;
}

START_TEST(names)
{
	static const struct {
		const char *name, *pmu, *mode;
		enum counter_role role;
	} all[] = {
		{ "cycles", "", "", ROLE_CYCLES },
		{ "cycles:u", "", "u", ROLE_CYCLES },
		{ "cycles:ppp", "", "", ROLE_CYCLES },
		{ "cycles:ukpp", "", "uk", ROLE_CYCLES },
		{ "cpu_core/cycles/", "cpu_core", "", ROLE_CYCLES },
		{ "cpu_atom/cpu-cycles/u", "cpu_atom", "u", ROLE_CYCLES },
		{ "cpu/cpu-cycles/k", "", "k", ROLE_CYCLES },
		{ "INST_RETIRED.ANY", "", "", ROLE_INSTRUCTIONS },
		{ "armv8_pmuv3_0/ll_cache_miss_rd/", "armv8_pmuv3_0", "", ROLE_LLC_MISSES },
		{ "ex_ret_brn_misp", "", "", ROLE_BRANCH_MISSES },
		{ "branch-load-misses", "", "", ROLE_NONE },
		{ "sched:sched_switch", "", "", ROLE_NONE },
		{ "cpu/event=0x3c,umask=0x0/", "", "", ROLE_NONE },
		{ "", "", "", ROLE_NONE },
		{ "/", "", "", ROLE_NONE },
		{ "//", "", "", ROLE_NONE },
		{ ":u", "", "u", ROLE_NONE },
		{ "a_pmu_with_a_very_long_name_indeed/cycles/", "a_pmu_with_a_very_long_", "",
		  ROLE_CYCLES },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct event_name n = named(all[i].name, CPU_UNKNOWN);

		ck_assert_msg(n.role == all[i].role, "%s", all[i].name);
		ck_assert_str_eq(n.pmu, all[i].pmu);
		ck_assert_str_eq(n.mode, all[i].mode);
	}
}
END_TEST

/* It is misses of the last level on Intel alone. */
START_TEST(cache_misses_by_vendor)
{
	ck_assert_int_eq(named("cache-misses", CPU_INTEL).role, ROLE_LLC_MISSES);
	ck_assert_int_eq(named("cache-misses", CPU_AMD).role, ROLE_NONE);
	ck_assert_int_eq(named("cache-misses", CPU_ARM).role, ROLE_NONE);
	ck_assert_uint_eq(named("cache-misses", CPU_UNKNOWN).preference, 1);
	ck_assert_uint_eq(named("LLC-load-misses", CPU_UNKNOWN).preference, 3);
	ck_assert_int_eq(cpu_vendor_of("GenuineIntel,6,85,4", "x86_64"), CPU_INTEL);
	ck_assert_int_eq(cpu_vendor_of("AuthenticAMD,25,17,1", "x86_64"), CPU_AMD);
	ck_assert_int_eq(cpu_vendor_of(NULL, "aarch64"), CPU_ARM);
	ck_assert_int_eq(cpu_vendor_of(NULL, NULL), CPU_UNKNOWN);
}
END_TEST

START_TEST(roles_given)
{
	struct event_roles roles = { NULL, 0 };
	struct event_name n;
	struct err err;

	ck_assert_int_eq(event_roles_add(&roles, "llc-misses=r412e", &err), 0);
	event_name_parse(&n, "r412e:u", CPU_AMD, &roles);
	ck_assert_int_eq(n.role, ROLE_LLC_MISSES);
	ck_assert_str_eq(n.mode, "u");
	ck_assert_int_lt(event_roles_add(&roles, "wheels=r412e", &err), 0);
	ck_assert_int_lt(event_roles_add(&roles, "cycles", &err), 0);
	ck_assert_int_lt(event_roles_add(&roles, "cycles=", &err), 0);
	ck_assert_int_lt(event_roles_add(&roles, "", &err), 0);
	event_roles_release(&roles);
}
END_TEST

/* ---- sets and their analysis ---- */

struct line {
	const char *name;
	double value; /* below 0: not supported */
	double running;
	const char *where;
};

static void fill(struct counter_set *set, const struct line *lines, size_t n)
{
	*set = (struct counter_set){ .source = SOURCE_CSV };
	for (size_t i = 0; i < n; i++) {
		const struct line *l = &lines[i];
		struct counter_reading r = {
			.name = l->name,
			.name_len = strlen(l->name),
			.where = l->where,
			.where_len = l->where ? strlen(l->where) : 0,
			.time = -1,
			.spread = -1,
			.state = l->value < 0 ? COUNTER_NOT_SUPPORTED : COUNTER_COUNTED,
			.value = l->value < 0 ? 0 : l->value,
			.running = l->running > 0 ? l->running : 1,
		};

		counter_set_add(set, &r);
	}
}

#define ANALYSE(a, set, ...)                                            \
	do {                                                            \
		const struct line lines_[] = { __VA_ARGS__ };           \
		fill(&(set), lines_, sizeof(lines_) / sizeof(*lines_)); \
		counter_analyse(&(a), &(set), &plain);                  \
	} while (0)

static void done(struct counter_set *set, struct counter_analysis *a)
{
	counter_analysis_release(a);
	counter_set_release(set);
}

START_TEST(absent_is_not_zero)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "cycles", 1000, 0, NULL }, { "instructions", -1, 0, NULL });
	ck_assert(!a.ipc.known);
	ck_assert_int_eq(a.ipc.missing, ROLE_INSTRUCTIONS);
	ck_assert_int_eq(a.ipc.why, COUNTER_NOT_SUPPORTED);
	ck_assert(!a.mpki.known);
	ck_assert_int_eq(a.v[ROLE_BRANCHES].state, COUNTER_ABSENT);
	ck_assert(!a.verdict.known);
	done(&set, &a);
}
END_TEST

START_TEST(counted_zero_is_zero)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "cycles", 1000, 0, NULL }, { "branch-misses", 0, 0, NULL },
		{ "LLC-load-misses", 0, 0, NULL }, { "instructions", 500, 0, NULL });
	ck_assert(a.mpki.known);
	ck_assert_double_eq(a.mpki.value, 0);
	ck_assert(a.verdict.known);
	ck_assert_int_eq(a.verdict.at[0], COMPUTE);
	done(&set, &a);
}
END_TEST

/* Events that count in different places make no ratio. */
START_TEST(modes_are_not_mixed)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "cycles:u", 1000, 0, NULL }, { "instructions:k", 500, 0, NULL });
	ck_assert(!a.ipc.known);
	done(&set, &a);
	ANALYSE(a, set, { "cycles:k", 7, 0, NULL }, { "cycles:u", 1000, 0, NULL },
		{ "instructions:u", 500, 0, NULL });
	ck_assert(a.ipc.known);
	ck_assert_double_eq(a.ipc.value, 0.5);
	ck_assert_str_eq(a.mode, "u");
	done(&set, &a);
}
END_TEST

/* The same event in two groups is two counters; the one that ran longer is believed. */
START_TEST(twice_is_not_double)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "cycles", 900, 0.3, NULL }, { "cycles", 1000, 0.6, NULL },
		{ "instructions", 500, 1, NULL });
	ck_assert_uint_eq(set.n, 3);
	ck_assert_double_eq(a.v[ROLE_CYCLES].value, 1000);
	ck_assert_double_eq(a.ipc.value, 0.5);
	ck_assert_double_eq(a.ipc.running, 0.6);
	done(&set, &a);
}
END_TEST

/* The same event in two places is one counter. */
START_TEST(places_are_added)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "cycles", 900, 0, "CPU0" }, { "cycles", 100, 0, "CPU1" },
		{ "instructions", 900, 0, "CPU0" }, { "instructions", -1, 0, "CPU1" });
	ck_assert_uint_eq(set.n, 2);
	ck_assert_double_eq(set.v[0].value, 1000);
	ck_assert_int_eq(set.v[1].state, COUNTER_COUNTED);
	ck_assert_uint_eq(set.v[1].parts, 2);
	ck_assert_uint_eq(set.v[1].parts_missing, 1);
	done(&set, &a);
	fill(&set,
	     (struct line[]){ { "cycles", 900, 0, "CPU0" },
			      { "instructions", 1800, 0, "CPU0" },
			      { "cycles", 100, 0, "CPU1" },
			      { "instructions", 50, 0, "CPU1" } },
	     4);
	counter_analyse_part(&a, &set, 1, -1, &plain);
	ck_assert_double_eq(a.ipc.value, 2);
	counter_analysis_release(&a);
	counter_analyse_part(&a, &set, 2, -1, &plain);
	ck_assert_double_eq(a.ipc.value, 0.5);
	done(&set, &a);
}
END_TEST

/* Counted too short a part of the time: no conclusion. */
START_TEST(multiplexed)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "cycles", 1000, 0.5, NULL }, { "instructions", 500, 0.0999, NULL });
	ck_assert(!a.ipc.known);
	done(&set, &a);
	ANALYSE(a, set, { "cycles", 1000, 0.5, NULL }, { "instructions", 500, 0.1, NULL });
	ck_assert(a.ipc.known);
	ck_assert_double_eq(a.ipc.running, 0.1);
	done(&set, &a);
}
END_TEST

/* Two kinds of core at the same time (system-wide): the sum; one after the other: by time. */
START_TEST(kinds_of_core)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "cpu_core/cycles/", 600, 1, NULL }, { "cpu_atom/cycles/", 400, 1, NULL },
		{ "cpu_core/instructions/", 1200, 1, NULL },
		{ "cpu_atom/instructions/", 200, 1, NULL });
	ck_assert_double_eq(a.v[ROLE_CYCLES].value, 1000);
	ck_assert_double_eq(a.ipc.value, 1.4);
	ck_assert_uint_eq(a.nr_pmus, 2);
	ck_assert_str_eq(a.pmus[0].pmu, "cpu_core");
	ck_assert_double_eq(a.pmus[1].v[ROLE_INSTRUCTIONS].value, 200);
	done(&set, &a);
	ANALYSE(a, set, { "cpu_core/cycles/", 600, 0.75, NULL },
		{ "cpu_atom/cycles/", 400, 0.25, NULL },
		{ "cpu_core/instructions/", 1200, 0.75, NULL },
		{ "cpu_atom/instructions/", 200, 0.25, NULL });
	ck_assert_double_eq(a.v[ROLE_CYCLES].value, 550);
	ck_assert_double_eq(a.v[ROLE_INSTRUCTIONS].value, 950);
	ck_assert_double_eq(a.v[ROLE_CYCLES].running, 1);
	done(&set, &a);
}
END_TEST

START_TEST(topdown_of_intel)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "slots", 1000, 0, NULL }, { "topdown-retiring", 200, 0, NULL },
		{ "topdown-bad-spec", 100, 0, NULL }, { "topdown-fe-bound", 300, 0, NULL },
		{ "topdown-be-bound", 400, 0, NULL }, { "topdown-mem-bound", 350, 0, NULL },
		{ "topdown-heavy-ops", 20, 0, NULL }, { "topdown-fetch-lat", 50, 0, NULL });
	ck_assert(a.topdown.level1 && a.topdown.level2);
	ck_assert_double_eq(a.topdown.retiring, 0.2);
	ck_assert_double_eq(a.topdown.bad_speculation, 0.1);
	ck_assert_double_eq(a.topdown.frontend_bound, 0.3);
	ck_assert_double_eq(a.topdown.backend_bound, 0.4);
	ck_assert_double_eq(a.topdown.memory_bound, 0.35);
	ck_assert_double_eq(a.topdown.heavy, 0.02);
	ck_assert_double_eq(a.topdown.fetch_latency, 0.05);
	ck_assert_double_lt(a.topdown.mispredict, 0);
	done(&set, &a);
	ANALYSE(a, set, { "topdown-total-slots", 1000, 0, NULL },
		{ "topdown-slots-retired", 400, 0, NULL }, { "topdown-slots-issued", 450, 0, NULL },
		{ "topdown-fetch-bubbles", 200, 0, NULL },
		{ "topdown-recovery-bubbles", 50, 0, NULL });
	ck_assert_double_eq(a.topdown.bad_speculation, 0.1);
	ck_assert_double_eq_tol(a.topdown.backend_bound, 0.3, 1e-12);
	done(&set, &a);
	ANALYSE(a, set, { "topdown-retiring", 200, 0, NULL }, { "topdown-bad-spec", 100, 0, NULL });
	ck_assert(!a.topdown.level1);
	done(&set, &a);
}
END_TEST

/* Six slots a cycle, or eight when more were used. */
START_TEST(topdown_of_amd)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "ls_not_halted_cyc", 100, 0, NULL }, { "ex_ret_ops", 270, 0, NULL },
		{ "de_src_op_disp.all", 300, 0, NULL },
		{ "de_no_dispatch_per_slot.no_ops_from_frontend", 120, 0, NULL },
		{ "de_no_dispatch_per_slot.backend_stalls", 180, 0, NULL });
	ck_assert_double_eq(a.topdown.frontend_bound, 0.2);
	ck_assert_double_eq(a.topdown.backend_bound, 0.3);
	ck_assert_double_eq(a.topdown.retiring, 0.45);
	ck_assert_double_eq(a.topdown.bad_speculation, 0.05);
	done(&set, &a);
	ANALYSE(a, set, { "ls_not_halted_cyc", 100, 0, NULL }, { "ex_ret_ops", 400, 0, NULL },
		{ "de_src_op_disp.all", 400, 0, NULL },
		{ "de_no_dispatch_per_slot.no_ops_from_frontend", 200, 0, NULL },
		{ "de_no_dispatch_per_slot.backend_stalls", 200, 0, NULL });
	ck_assert_double_eq(a.topdown.retiring, 0.5);
	done(&set, &a);
}
END_TEST

/*
 * The second level, with the counts of a published perf stat -M PipelineL2 on a Zen 4, which printed
 * 71.5 % backend_bound_cpu, 4.4 % memory, 14.0 % fastpath, 0.9 % microcode, 0.2 % mispredicts.
 */
START_TEST(topdown_of_amd_level_2)
{
	struct counter_analysis a;
	struct counter_set set;

	ANALYSE(a, set, { "ls_not_halted_cyc", 105619833379, 0, NULL },
		{ "ex_ret_ops", 93943579125, 0, NULL },
		{ "de_src_op_disp.all", 95052506441, 0, NULL },
		{ "de_no_dispatch_per_slot.no_ops_from_frontend", 6337190003, 0, NULL },
		{ "cpu/de_no_dispatch_per_slot.no_ops_from_frontend,cmask=0x6/", 528099167, 0,
		  NULL },
		{ "de_no_dispatch_per_slot.backend_stalls", 480522837700, 0, NULL },
		{ "ex_ret_brn_misp", 73846352, 0, NULL },
		{ "resyncs_or_nc_redirects", 463234, 0, NULL },
		{ "ex_no_retire.not_complete", 87389897172, 0, NULL },
		{ "ex_no_retire.load_not_complete", 5036308790, 0, NULL },
		{ "ex_ret_ucode_ops", 5447384862, 0, NULL });
	ck_assert(a.topdown.level1 && a.topdown.level2);
	ck_assert_uint_eq(a.topdown.width, 6);
	ck_assert_double_eq_tol(a.topdown.backend_bound - a.topdown.memory_bound, 0.715, 5e-4);
	ck_assert_double_eq_tol(a.topdown.memory_bound, 0.044, 5e-4);
	ck_assert_double_eq_tol(a.topdown.retiring - a.topdown.heavy, 0.140, 5e-4);
	ck_assert_double_eq_tol(a.topdown.heavy, 0.009, 5e-4);
	ck_assert_double_eq_tol(a.topdown.mispredict, 0.002, 5e-4);
	ck_assert_double_eq_tol(a.topdown.frontend_bound, 0.01, 1e-6);
	ck_assert_double_eq_tol(a.topdown.fetch_latency, 0.005, 1e-6);
	done(&set, &a);
	/* Zen 5's name; and what is not there is not known */
	ANALYSE(a, set, { "ls_not_halted_cyc", 100, 0, NULL }, { "ex_ret_ops", 400, 0, NULL },
		{ "de_src_op_disp.all", 480, 0, NULL },
		{ "de_no_dispatch_per_slot.no_ops_from_frontend", 120, 0, NULL },
		{ "de_no_dispatch_per_slot.backend_stalls", 200, 0, NULL },
		{ "ex_ret_brn_misp", 3, 0, NULL }, { "bp_redirects.resync", 1, 0, NULL });
	ck_assert_uint_eq(a.topdown.width, 8);
	ck_assert_double_eq_tol(a.topdown.bad_speculation, 0.1, 1e-12);
	ck_assert_double_eq_tol(a.topdown.mispredict, 0.075, 1e-12);
	ck_assert_double_lt(a.topdown.memory_bound, 0);
	ck_assert_double_lt(a.topdown.heavy, 0);
	done(&set, &a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("counters");
	TCase *tc = tcase_create("counters");
	SRunner *sr;
	int failed;

	tcase_add_test(tc, ratios);
	tcase_add_test(tc, zero_bases);
	tcase_add_test(tc, branch_stalls);
	tcase_add_test(tc, memory_stalls);
	tcase_add_test(tc, huge_counts);
	tcase_add_test(tc, memory_from_30_percent);
	tcase_add_test(tc, memory_at_least_the_branch_fraction);
	tcase_add_test(tc, both_clamped_is_memory);
	tcase_add_test(tc, branches_from_15_percent);
	tcase_add_test(tc, memory_below_30_percent_yields_to_branches);
	tcase_add_test(tc, five_per_thousand);
	tcase_add_test(tc, four_percent_of_branches);
	tcase_add_test(tc, verdict_is_a_range);
	tcase_add_test(tc, verdict_of_a_known_overlap);
	tcase_add_test(tc, names);
	tcase_add_test(tc, cache_misses_by_vendor);
	tcase_add_test(tc, roles_given);
	tcase_add_test(tc, absent_is_not_zero);
	tcase_add_test(tc, counted_zero_is_zero);
	tcase_add_test(tc, modes_are_not_mixed);
	tcase_add_test(tc, twice_is_not_double);
	tcase_add_test(tc, places_are_added);
	tcase_add_test(tc, multiplexed);
	tcase_add_test(tc, kinds_of_core);
	tcase_add_test(tc, topdown_of_intel);
	tcase_add_test(tc, topdown_of_amd);
	tcase_add_test(tc, topdown_of_amd_level_2);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_NORMAL);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed ? 1 : 0;
}
