/* SPDX-License-Identifier: MIT */
/*
 * What a user wants to see of a recording: a set of conditions, all of which must hold.
 *
 * Those on the sample (comm, pid, tid, cpu, time, event) are asked before it is collapsed:
 * filter_sample().  Those on the stack need names and are applied to the symbolised profile:
 * filter_profile().  Options may be given several times: lists add up, each --focus must match,
 * no --ignore may.
 */
#ifndef PERFREP_PROFILE_FILTER_H
#define PERFREP_PROFILE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <perfrep/err.h>
#include <perfrep/profile.h>

enum filter_kind {
	FILTER_COMM, /* "a,b": exact names */
	FILTER_PID, /* "1,2" */
	FILTER_TID,
	FILTER_CPU, /* "0,2-3" */
	FILTER_TIME, /* "1.5,2.25", "1.5,", ",2", several separated by blanks; "10%/2",
			* "0%-10%,30%-40%", "50%" of the time between first and last sample */
	FILTER_EVENT, /* "cycles:u,page-faults"; without a modifier it means any */
	FILTER_DSO, /* "libc.so.6,/usr/bin/x": short or long names, of the leaf */
	FILTER_SYMBOL, /* exact names, of the leaf's innermost function; commas in brackets are
			* part of the name */
	FILTER_FOCUS, /* a POSIX extended regular expression; some frame matches it */
	FILTER_IGNORE, /* … no frame matches it */
	FILTER_KINDS,
};

struct filter *filter_new(void);
void filter_free(struct filter *f);
/* Add the argument of one option.  When it makes no sense: negative, and a sentence. */
int filter_add(struct filter *f, enum filter_kind kind, const char *text, struct err *err);

/*
 * A condition on fields of tracepoints, which is not looked at here: several of them are joined by
 * "&&".  filter_condition() is NULL when there is none; F may be.
 */
void filter_add_condition(struct filter *f, const char *text);
const char *filter_condition(const struct filter *f);

/* Whether there are conditions of that kind; on stacks. */
bool filter_has(const struct filter *f, enum filter_kind kind);
bool filter_on_stacks(const struct filter *f);
/* Whether filter_set_span() must be called before filter_sample(): times are in percent. */
bool filter_needs_span(const struct filter *f);
/* The times of the first and the last sample, in ns. */
void filter_set_span(struct filter *f, uint64_t first, uint64_t last);

/* A stretch of time: what lies within has the length UNTIL - FROM. */
struct filter_window {
	uint64_t from, until; /* UINT64_MAX: open */
};

/*
 * The stretches that FILTER_TIME wants of what has a duration: ascending and disjoint, for the
 * caller to free; their number.  Parts of the recording that are neighbours touch.
 */
size_t filter_windows(const struct filter *f, struct filter_window **out);

/* How much of the time from FROM until UNTIL is in the N windows. */
uint64_t filter_windows_within(const struct filter_window *v, size_t n, uint64_t from,
			       uint64_t until);

/*
 * Whether a sample is wanted.  A time of 0 means that it has none: it passes, as in perf; a
 * negative pid, tid or cpu is an unknown one, which no list contains.
 */
bool filter_sample(const struct filter *f, const char *comm, int32_t pid, int32_t tid, int32_t cpu,
		   uint64_t time);
/* The same of a thread, wherever and whenever it is; and of a CPU alone. */
bool filter_thread(const struct filter *f, const char *comm, int32_t pid, int32_t tid);
bool filter_cpu(const struct filter *f, int32_t cpu);
bool filter_event(const struct filter *f, const char *name);

/*
 * Move the weight of unwanted stacks into filtered_samples and filtered_weight.  MODULES (may
 * be NULL) gives the long names for FILTER_DSO.  The squares of the single weights are no longer
 * known, so sum_sq is scaled with the weight: Kish's number shrinks in proportion.
 */
void filter_profile(struct profile *p, const struct filter *f,
		    const struct profile_modules *modules);

#endif
