/* SPDX-License-Identifier: MIT */
/*
 * Hardware counters: what they say about a run, and where they come from.
 *
 * The arithmetic is at the top: five counts and a cost model give ratios, stall fractions and a
 * bottleneck.  Below it are counters as they are found in files: each has a state, since an event
 * that was not counted is absent, never 0, and the share of the time that it ran.  An analysis
 * looks the events up by their role and applies the arithmetic to what is there.
 */
#ifndef PERFREP_COUNTERS_H
#define PERFREP_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>

/* ---- the arithmetic ---- */

struct counters {
	uint64_t cycles, instructions, branches, branch_misses, llc_misses;
};

/*
 * What a stall costs, in core cycles, and how many last-level misses are in flight together on
 * average (memory-level parallelism: about 1 for a pointer chase, 5-10 for a streaming scan).
 */
struct cost_model {
	double mispredict_penalty;
	double dram_latency_cycles;
	double mlp;
};

/*
 * Recent big x86 cores lose 15 to 20 cycles on a mispredict (Agner Fog, The microarchitecture of
 * Intel, AMD and VIA CPUs); a load from DRAM takes 80 to 100 ns, 300 cycles at 3 GHz.  The model
 * is an upper bound, so these are the upper ends.
 */
#define COST_MISPREDICT_PENALTY 20.0
#define COST_DRAM_CYCLES        300.0
#define COST_STREAM_MLP_LOW     5.0
#define COST_STREAM_MLP_HIGH    10.0

enum bottleneck {
	MEMORY,
	BRANCH_MISPREDICT,
	COMPUTE,
};

#define BOTTLENECK_MEMORY_MIN 0.30
#define BOTTLENECK_BRANCH_MIN 0.15

/* Instructions per cycle; 0 without cycles. */
double ipc(const struct counters *c);
/* Branch misses in percent of branches; 0 without branches. */
double branch_miss_pct(const struct counters *c);
/* Last-level misses per 1,000 instructions; 0 without instructions. */
double llc_mpki(const struct counters *c);
/* misses * penalty / cycles, in [0, 1]; 0 without cycles. */
double branch_stall_frac(const struct counters *c, const struct cost_model *m);
/* misses * latency / mlp / cycles, in [0, 1]; 0 without cycles. */
double memory_stall_frac(const struct counters *c, const struct cost_model *m);
/*
 * MEMORY if its fraction is at least 0.30 and at least the branches' fraction; else
 * BRANCH_MISPREDICT if that is at least 0.15; else COMPUTE.
 */
enum bottleneck classify(const struct counters *c, const struct cost_model *m);
/* The same decision from the fractions. */
enum bottleneck classify_fractions(double memory, double branch);
/* "memory", "branch mispredicts", "compute" */
const char *bottleneck_text(enum bottleneck b);

/* ---- roles: what an event counts, whatever it is called ---- */

enum counter_role {
	ROLE_NONE,
	ROLE_CYCLES,
	ROLE_INSTRUCTIONS,
	ROLE_BRANCHES,
	ROLE_BRANCH_MISSES,
	ROLE_LLC_MISSES,
	ROLE_CPU_TIME, /* in ns */
	ROLE_PAGE_FAULTS,
	ROLE_CONTEXT_SWITCHES,
	/* top-down, level 1 and 2: of Intel since Ice Lake, in slots */
	ROLE_SLOTS,
	ROLE_RETIRING,
	ROLE_BAD_SPEC,
	ROLE_FE_BOUND,
	ROLE_BE_BOUND,
	ROLE_HEAVY_OPS,
	ROLE_BR_MISPREDICT,
	ROLE_FETCH_LAT,
	ROLE_MEM_BOUND,
	/* of Intel before that, in slots */
	ROLE_TOTAL_SLOTS,
	ROLE_SLOTS_ISSUED,
	ROLE_SLOTS_RETIRED,
	ROLE_FETCH_BUBBLES,
	ROLE_RECOVERY_BUBBLES,
	/* of AMD since Zen 4 */
	ROLE_AMD_NO_OPS,
	ROLE_AMD_BACKEND_STALLS,
	ROLE_AMD_SMT,
	ROLE_AMD_DISPATCHED,
	ROLE_AMD_RETIRED_OPS,
	/* … and what divides these further */
	ROLE_AMD_NO_OPS_CYCLES, /* cycles without any operation from the front end */
	ROLE_AMD_RESYNCS,
	ROLE_AMD_RETIRE_WAITS, /* cycles in which the oldest operation was not done */
	ROLE_AMD_LOAD_WAITS, /* … because it is a load */
	ROLE_AMD_UCODE_OPS,
	ROLE_MAX,
};

enum cpu_vendor { CPU_UNKNOWN, CPU_INTEL, CPU_AMD, CPU_ARM };

/* From a recording's CPUID ("GenuineIntel,6,85,4", "0x00000000410fd0c0") and ARCH; may be NULL. */
enum cpu_vendor cpu_vendor_of(const char *cpuid, const char *arch);

#define COUNTER_PMU_LEN 24

/* An event's name taken apart: "cpu_core/cycles/u", "armv8_pmuv3_0/l3d_cache_refill/k". */
struct event_name {
	char pmu[COUNTER_PMU_LEN]; /* "cpu_core", "cpu_atom" …; "" when there is just one */
	char mode[8]; /* of u, k, h, G, H those that restrict where it counts; "": everywhere */
	enum counter_role role;
	unsigned preference; /* among names for the same role: the highest is the best */
};

struct event_roles { /* of --event-role */
	struct {
		char *name; /* owned */
		enum counter_role role;
	} * v;
	size_t n;
};

/* "ROLE=NAME"; on failure ERR lists the roles. */
int event_roles_add(struct event_roles *roles, const char *text, struct err *err);
void event_roles_release(struct event_roles *roles);
/* EXTRA may be NULL. */
void event_name_parse(struct event_name *out, const char *name, enum cpu_vendor vendor,
		      const struct event_roles *extra);
/* "cycles", "LLC misses" … */
const char *counter_role_text(enum counter_role role);

/* ---- counters as they are found ---- */

enum counter_state {
	COUNTER_ABSENT, /* no such event in the input */
	COUNTER_COUNTED,
	COUNTER_NOT_COUNTED, /* was asked for and never ran */
	COUNTER_NOT_SUPPORTED,
	/* why something made of counters is not known, besides: */
	COUNTER_LEFT_OUT, /* perf stat --metric-only has no counts */
	COUNTER_IN_PARTS, /* … and its ratios of several places or intervals don't add up */
};

/* "not in the input", "not counted", "not supported", "left out by --metric-only" … */
const char *counter_state_text(enum counter_state s);

struct counter {
	char *name; /* as it was written */
	char *unit; /* "msec", "Joules" …; "" */
	uint32_t occurrence; /* the same name may be there several times, in different groups */
	enum counter_state state;
	double value; /* scaled to the whole time; of all parts together */
	double running; /* share of the time that it was counted, 0 … 1 */
	double spread; /* relative standard error between runs; below 0: not known */
	uint64_t samples; /* that it was estimated from; 0: it was counted */
	unsigned parts, parts_missing; /* lines that were added; those of them not counted */
};

/* One line of the input: an interval, a CPU, a core … of a counter. */
struct counter_part {
	uint32_t counter; /* in `v` */
	uint32_t where; /* in `wheres`; 0: not told */
	double time; /* seconds at the interval's end; below 0: no intervals */
	enum counter_state state;
	double value;
};

/* What perf stat --metric-only says in the place of counters: the value of a place and interval. */
struct counter_metric {
	char *name; /* "insn per cycle" */
	uint32_t where; /* as of parts */
	double time;
	double value;
};

enum counter_source {
	SOURCE_TEXT,
	SOURCE_CSV,
	SOURCE_JSON,
	SOURCE_STAT_RECORD,
	SOURCE_RECORDING,
};

/* Zero-initialised is empty. */
struct counter_set {
	enum counter_source source;
	struct counter *v;
	size_t n, cap;
	struct counter_part *parts;
	size_t nr_parts, parts_cap;
	char **wheres; /* "" first, then "CPU0", "S0-D0", "comm-42", a cgroup */
	size_t nr_wheres, wheres_cap;
	unsigned intervals, runs; /* 0: not told */
	double elapsed, user, sys; /* seconds; 0: not told */
	char *what; /* for what it was counted, as perf says it; NULL: not told */
	enum cpu_vendor vendor;
	uint64_t skipped; /* lines that are none of perf stat's */
	uint64_t first_skipped; /* number of the first of them */
	bool places_unknown; /* a file of perf stat record does not say where CPUs are: added up */
	unsigned outputs; /* of perf stat in the input: the first was read */
	uint64_t metrics; /* lines beside counters that hold nothing but a metric: not used */
	struct counter_metric *metric; /* of --metric-only: then there are no counters */
	size_t nr_metrics, metrics_cap;
	struct counter_set_priv *priv;
};

/* A line of the input, all strings borrowed. */
struct counter_reading {
	const char *name, *unit, *where; /* unit and where may be NULL */
	size_t name_len, unit_len, where_len;
	double time; /* below 0: none */
	enum counter_state state;
	double value;
	double running; /* 0 … 1 */
	double spread; /* below 0: not known */
};

struct counter_metric_reading {
	const char *name, *where; /* borrowed; where may be NULL */
	size_t name_len, where_len;
	double time; /* below 0: none */
	double value;
};

void counter_set_add(struct counter_set *set, const struct counter_reading *r);
void counter_set_add_metric(struct counter_set *set, const struct counter_metric_reading *r);
void counter_set_release(struct counter_set *set);
/* Whether its metrics are all of one place and time: ratios of several don't add up. */
bool counter_metrics_whole(const struct counter_set *set);
/* Whether a metric's name is perf's for IPC or the share of branch misses. */
bool counter_metric_is_ratio(const char *name);

/*
 * Output of perf stat: text, CSV (any -x), JSON lines; of any version and locale.  On failure ERR
 * has NAME, line and column, and SET is empty.
 */
int counter_set_parse(struct counter_set *set, const char *text, size_t size, const char *name,
		      struct err *err);

struct reader;
/*
 * The STAT records of a file of perf stat record.  Walks the reader to its end, or to a sample: a
 * recording of samples fails early.
 */
int counter_set_from_reader(struct counter_set *set, struct reader *r, struct err *err);

/* ---- the analysis ---- */

struct counter_value {
	enum counter_state state;
	double value;
	double running;
	double rel_var; /* squared relative standard error; 0 when it was counted */
	const struct counter *first; /* borrowed from the set; NULL when absent */
};

struct counter_pmu { /* what one kind of core counted */
	char pmu[COUNTER_PMU_LEN];
	struct counter_value v[ROLE_MAX];
};

/* A number that may be missing, and then why. */
struct derived {
	bool known;
	double value, half; /* half: 95 %; 0: exact */
	double running; /* the smallest share of the time of what it is made of */
	enum counter_role missing; /* the first of them that is not there */
	enum counter_state why;
};

/* Shares of slots; those of level 2 are parts of those of level 1, below 0 when not known. */
struct topdown {
	bool level1, level2;
	double retiring, bad_speculation, frontend_bound, backend_bound, smt;
	double heavy, mispredict, fetch_latency, memory_bound; /* in the order of level 1 */
	unsigned width; /* AMD: slots of a cycle; else 0 */
};

struct counter_verdict {
	bool known;
	unsigned n; /* number of overlaps that were tried */
	double mlp[3]; /* ascending */
	double memory[3]; /* stall fractions */
	enum bottleneck at[3];
	double branch;
	bool agree;
	enum counter_role missing; /* when it is not known: the first that it needs, and why */
	enum counter_state why;
};

/*
 * V: values by role, of one kind of core.  WIDTH: AMD's slots of a cycle, as an earlier call with
 * more counts found it; 0 to find it from V.
 */
void topdown_from(struct topdown *t, const struct counter_value v[ROLE_MAX], unsigned width);

#define COUNTER_KINDS 4 /* of cores in one machine */

struct counter_analysis {
	struct counter_value v[ROLE_MAX]; /* all kinds of core together */
	/* The counters that they are sums of, one for each kind of core; NULL behind the last. */
	const struct counter *used[ROLE_MAX][COUNTER_KINDS];
	struct counter_pmu *pmus; /* empty unless there are several */
	size_t nr_pmus;
	char mode[8]; /* of the events used */
	bool no_counts; /* from metrics: what needs counts is not known */
	bool doubtful_llc; /* the event counts last-level misses on some CPUs only */
	struct derived ipc, branch_miss, mpki, ghz;
	struct derived faults, switches; /* per second of CPU time */
	struct topdown topdown;
	struct counter_verdict verdict;
};

struct counter_options {
	const struct event_roles *roles; /* may be NULL */
	double mispredict_penalty, dram_cycles, dram_ns, mlp; /* 0: the default */
};

#define COUNTER_MIN_RUNNING 0.10 /* below, nothing is concluded */

void counter_analyse(struct counter_analysis *a, const struct counter_set *set,
		     const struct counter_options *opts);
/* Of the parts of one place and time only: WHERE is an index of set.wheres. */
void counter_analyse_part(struct counter_analysis *a, const struct counter_set *set, uint32_t where,
			  double time, const struct counter_options *opts);
void counter_analysis_release(struct counter_analysis *a);
/* The model for MLP, at the frequency that was measured (0: not known). */
struct cost_model counter_model(const struct counter_options *opts, double ghz, double mlp);
/* At overlaps of 1, 5 and 10, or the one that the options give. */
void counter_judge(struct counter_verdict *v, const struct counters *c,
		   const struct counter_options *opts, double ghz);

#endif
