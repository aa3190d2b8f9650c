/* SPDX-License-Identifier: MIT */
/*
 * Hints: functions that everybody's programs spend time in, what it means when they do, and which
 * of the user's own functions is responsible.  The table is src/view/hints.def.
 *
 * A frame is the user's own when it is neither the kernel's, nor of a system library, nor of a
 * language's standard library (which is inlined into everybody's code), nor itself what a hint is
 * about.
 */
#ifndef PERFREP_HINTS_H
#define PERFREP_HINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <perfrep/err.h>
#include <perfrep/profile.h>
#include <perfrep/statistics.h>

struct hint_kind {
	const char *name; /* one word */
	double threshold; /* percent of the event: smaller shares are not worth a hint */
	bool leaf; /* only the innermost frame counts: what it calls is no cost of its own */
	const char *means, *advice;
	const char *const *patterns; /* of names without arguments, * is any text; NULL ends */
};

/* All hints, in the order of the table. */
const struct hint_kind *hint_kinds(size_t *n);
/* By name; NULL when there is none. */
const struct hint_kind *hint_kind(const char *name);

struct hint_options {
	uint64_t silenced; /* bit i: not the i-th of the table */
	const char *own; /* regular expression for names or modules of own code; NULL: see above */
	const struct profile_modules *modules; /* tells system libraries by path; may be NULL */
	bool by_count;
};

/* Silence the hints of a list "name,name"; on failure ERR lists those that there are. */
int hint_silence(struct hint_options *o, const char *list, struct err *err);
/* Whether OWN is a regular expression. */
int hint_own_check(const char *own, struct err *err);

enum { HINT_OWNERS = 3 };

struct hint_owner {
	uint32_t func; /* in profile.funcs; PROFILE_NONE: no own frame above it */
	uint64_t weight; /* or samples */
};

struct hint {
	const struct hint_kind *kind;
	uint64_t weight; /* of stacks that have a frame of it, each counted once; or samples */
	uint64_t samples;
	struct share share;
	struct hint_owner owners[HINT_OWNERS]; /* those responsible, heaviest first */
	size_t nr_owners; /* in all, PROFILE_NONE not counted */
	uint64_t unowned; /* without an own frame */
};

/* What was found for an event, heaviest first.  Owned: hints_release(). */
struct hints {
	const struct profile *profile; /* borrowed */
	uint32_t event;
	bool by_count;
	uint64_t base;
	double effective; /* number of samples: what ± comes from */
	struct hint *v;
	size_t n;
};

void hints_find(struct hints *h, const struct profile *p, uint32_t event,
		const struct hint_options *opts);
void hints_release(struct hints *h);

struct strbuf;
struct view_style;
struct json_object;

/* A line for each. */
void hints_print(const struct hints *h, const struct view_style *style, struct strbuf *sb);
struct json_object *hints_json(const struct hints *h);
/* The table itself. */
void hint_kinds_print(const struct view_style *style, bool patterns, struct strbuf *sb);
struct json_object *hint_kinds_json(void);

#endif
