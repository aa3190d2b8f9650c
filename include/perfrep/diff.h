/* SPDX-License-Identifier: MIT */
/*
 * What changed between two sets of recordings.
 *
 * Functions are matched by identity, not by address: the name without what compilers put behind it
 * for a clone, the module without its path.  Each row has a test whether it changed at all, with a
 * correction for the number of rows; what is not significant is noise and belongs to one line, not
 * to a list.
 *
 * A cost is what is compared: a share of the side's total, the event's weight (CPU time), or that
 * weight for each operation.  Shares always add up to 1, so when one function gets slower the
 * others' shares shrink by the same factor: rows that changed by that factor alone are told apart
 * (DIFF_SHIFTED).
 */
#ifndef PERFREP_DIFF_H
#define PERFREP_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/counters.h>
#include <perfrep/err.h>
#include <perfrep/profile.h>

#define DIFF_LEVEL    0.05 /* of false discoveries among the rows that are called changed */
#define DIFF_MIN_HITS 10 /* effective samples on either side; rows with fewer aren't tested */

enum diff_norm {
	DIFF_SHARE, /* of each recording's own total */
	DIFF_TIME, /* the weight itself: CPU time, or whatever the event counts */
	DIFF_WORK, /* the weight by the operations that were done */
};

/* One recording; its profile went through diff_identify(). */
struct diff_recording {
	const struct profile *profile; /* borrowed */
	uint32_t event;
	double work; /* operations; DIFF_WORK only */
};

enum { DIFF_BEFORE, DIFF_AFTER };

struct diff_side {
	const struct diff_recording *v; /* borrowed */
	size_t n; /* at least 1 */
};

struct diff_options {
	enum diff_norm norm;
	bool by_total; /* rows are judged and ordered by their total, else by self */
};

struct diff_measure {
	uint64_t weight[2], samples[2]; /* sums over a side's recordings */
	double share[2]; /* means over them */
	double cost[2]; /* in the chosen norm */
	double delta, half; /* of the cost: after - before, ± (95 %) */
	double p; /* that it is chance; 1 when it was not tested */
	double q; /* the same, adjusted for the number of rows */
	double hits[2]; /* effective samples */
};

enum diff_kind { /* in the order of the rows */
		 DIFF_SLOWER,
		 DIFF_FASTER,
		 DIFF_NEW, /* not seen before, nor below it any more */
		 DIFF_GONE,
		 DIFF_SHIFTED, /* shares: changed, but only as the total did */
		 DIFF_NOISE, /* tested, not significant */
		 DIFF_FEW, /* too few samples to be tested */
		 DIFF_KINDS,
};

enum diff_inlining { /* bits: how a function was met */
		     DIFF_CALLED = 1,
		     DIFF_INLINED = 2,
};

struct diff_row {
	const char *name;
	const char *module[2]; /* differ when the module was renamed; "" in folded files */
	struct diff_measure self, total;
	uint8_t kind; /* enum diff_kind */
	uint8_t inlining[2]; /* enum diff_inlining */
	bool reinlined; /* the inlining changed, and not by chance */
	uint32_t twin; /* of a new row: the gone one that it may be under a new name, and back;
			* PROFILE_NONE: none */
};

struct diff {
	struct diff_options opts;
	size_t nr[2]; /* recordings */
	const char *event, *unit; /* borrowed from the first recording */
	uint64_t weight[2], samples[2]; /* sums */
	double whole[2]; /* mean cost of everything: 1 for shares */
	struct diff_measure total; /* of everything; tested when there are several recordings */
	double shift; /* by what shares changed because others did; 1 when it can't be told */
	bool equal; /* both sides are the same, to the last sample */
	bool blocks; /* ± comes from blocks of time on both sides, else from numbers of samples */
	struct diff_row *rows; /* by kind, then |delta| descending, then name */
	size_t n, count[DIFF_KINDS];
	size_t tested;
	struct diff_strings *strings; /* private */
};

/*
 * Rename the functions of P to their identities and join those that become the same.  Once for
 * each profile, before diff_build() and diff_paths_build().  With BY_NAME modules are left out: for comparing
 * with folded text, which has none.
 */
void diff_identify(struct profile *p, bool by_name);
/*
 * A function's name without clone suffixes, hashes of crates and marks of folded files, for the
 * caller to free.  *INLINED (may be NULL): the mark said so.
 */
char *diff_identity(const char *name, bool *inlined);

void diff_build(struct diff *d, const struct diff_side side[2], const struct diff_options *o);
void diff_release(struct diff *d);

/* ---- the paths of one function ---- */

/* Of a caller path, or of what happens in the function: a row with a text for a name. */
struct diff_path {
	char *text; /* "main;run;step", outermost first; "[self]" */
	struct diff_measure m;
	uint8_t kind;
};

struct diff_paths {
	const char *function; /* as matched; borrowed from a profile */
	struct diff_measure m; /* its total */
	struct diff_path *above; /* by the path that leads to its outermost frame */
	size_t nr_above;
	struct diff_path *below; /* what it calls, and [self] */
	size_t nr_below;
};

/* FUNCTION is a name, or a part that one name alone has. */
int diff_paths_build(struct diff_paths *dp, const struct diff_side side[2],
		     const struct diff_options *o, const char *function, struct err *err);
void diff_paths_release(struct diff_paths *dp);

/* ---- counters ---- */

struct diff_counter_input {
	const struct counter_set *set; /* borrowed */
	const struct counter_analysis *analysis; /* of it, borrowed */
	double work; /* operations that counts are divided by; 0: they aren't */
};

struct diff_counter {
	char *name; /* "IPC", "branch-miss %", "LLC MPKI", then counters and metrics by their names */
	bool ratio;
	bool known[2]; /* counted, on each of the side's inputs */
	double v[2]; /* means */
	double half; /* of the difference, ± (95 %); below 0: nothing is known of the spread */
	double p; /* that it is chance; 1 when that can't be told */
};

struct diff_counters {
	struct diff_counter *rows;
	size_t n, nr[2]; /* rows; inputs */
	bool by_work;
};

/* IN[0] and IN[1] have N[0] and N[1] inputs, at least 1. */
void diff_counters_build(struct diff_counters *dc, const struct diff_counter_input *const in[2],
			 const size_t n[2]);
void diff_counters_release(struct diff_counters *dc);

/* ---- ratios of two events by function ---- */

struct diff_ratio {
	char *name, *module;
	double v[2];
	double half; /* of the difference, ± (95 %) */
	double q; /* that it is chance, adjusted for the number of functions */
};

struct diff_ratios {
	const char *name; /* borrowed: "IPC" */
	struct diff_ratio
		*rows; /* those with enough samples of both events on both sides; significant
				  * ones first, then by relative change */
	size_t n, changed;
};

/* FACTOR · self weight of NUM / self weight of DEN: two comparisons of the same sides, by time. */
void diff_ratios_build(struct diff_ratios *dr, const char *name, const struct diff *num,
		       const struct diff *den, double factor);
void diff_ratios_release(struct diff_ratios *dr);

/* ---- folded text ---- */

struct diff_folded_options {
	bool normalise; /* first counts scaled to the second total, truncated */
	bool strip_hex; /* 0x… numbers become 0x... */
	bool keep_gone; /* vanished stacks once more below [gone], where a drawing shows them */
};

/* Lines "stack COUNT1 COUNT2". */
struct diff_folded;
struct diff_folded *diff_folded_new(bool strip_hex);
/* Add LEN bytes of folded text to SIDE. */
void diff_folded_add(struct diff_folded *f, unsigned side, const char *text, size_t len);
/* The lines, sorted by stack, for the caller to free. */
char *diff_folded_text(const struct diff_folded *f, const struct diff_folded_options *o,
		       size_t *len);
void diff_folded_free(struct diff_folded *f);

#endif
