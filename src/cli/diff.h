/* SPDX-License-Identifier: MIT */
/* perfrep diff: its options, its inputs, and what it does with them. */
#ifndef PERFREP_CLI_DIFF_H
#define PERFREP_CLI_DIFF_H

#include <perfrep/diff.h>
#include <perfrep/source.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "cli/opts_common.h"

struct diff_command {
	struct opts_common common;
	struct diff_options diff;
	VEC(const char *) words; /* files, and ":" between sides */
	VEC(double) work; /* of --normalize=work= */
	VEC(const char *) expectations;
	struct diff_folded_options folded;
	const char *function;
	double fail_above; /* percent; below 0: no gate */
	size_t limit;
	bool limit_given;
	bool summary;
};

/* A set of recordings that is compared as one. */
struct diff_set {
	size_t from, n; /* in inputs */
	struct strbuf name; /* its files */
};

struct diff_inputs {
	const char **paths;
	struct source *held; /* by input: what can be read only once, see counter_input.h */
	struct session *sessions;
	size_t n, loaded;
	struct counter_set *counts; /* by input, when all are output of perf stat */
	bool counted;
	VEC(struct diff_set) sets; /* the first is the baseline */
	int status; /* of all that was read */
};

/* Order the words into sets; negative and a sentence when that makes no sense. */
int diff_inputs_init(struct diff_inputs *in, const struct diff_command *c, struct err *err);
/* Read everything; an enum exit_status. */
int diff_inputs_load(struct diff_inputs *in, struct diff_command *c);
void diff_inputs_release(struct diff_inputs *in);

/* An event that both sets have. */
struct diff_pair {
	struct diff_side side[2];
	struct strbuf note; /* what the reader must know of it */
};

/* The events that the baseline and set SET have in common, at *OUT; how many. */
size_t diff_pairs(const struct diff_inputs *in, const struct diff_command *c, size_t set,
		  struct diff_pair **out);
void diff_pairs_free(struct diff_pair *pairs, size_t n);

/* What input I of set SET did, for --normalize=work=; else 0. */
double diff_work_of(const struct diff_inputs *in, const struct diff_command *c, size_t set,
		    size_t i);
/* The counters of the baseline and set SET; diff_counters_release(). */
void diff_count(struct diff_counters *dc, const struct diff_inputs *in,
		const struct diff_command *c, size_t set);

enum { DIFF_RATIO_KINDS = 3 };
/* IPC and its like by function, as far as the events of PAIRS make them: OUT has room for all. */
size_t diff_ratios_of(struct diff_ratios *out, const struct diff_pair *pairs, size_t n,
		      enum cpu_vendor vendor);

/* Compare, say what came out into SB, and test expectations; an enum exit_status. */
int diff_show(const struct diff_inputs *in, const struct diff_command *c, struct strbuf *sb);
/* --format=folded; an enum exit_status. */
int diff_write_folded(const struct diff_inputs *in, const struct diff_command *c,
		      struct strbuf *sb);
/* Rows above the limit: told on stderr, EXIT_CHANGED. */
int diff_gate(const struct diff *d, double percent);
/*
 * An expectation "EVENT@FUNCTION<0.8", "IPC>1.1": the sentence of what became of it goes into
 * SB.  Negative and ERR when it can't be read; else 1 held, 0 undecided, 2 not held.
 */
int diff_expect(const char *text, const struct diff_pair *pairs, size_t n,
		const struct diff_counters *dc, const struct diff_command *c, struct strbuf *sb,
		struct err *err);

#endif
