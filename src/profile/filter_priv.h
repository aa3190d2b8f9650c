/* SPDX-License-Identifier: MIT */
/* A compiled filter, for the files filter*.c only. */
#ifndef PERFREP_PROFILE_FILTER_PRIV_H
#define PERFREP_PROFILE_FILTER_PRIV_H

#include <regex.h>

#include "base/vec.h"
#include "profile/filter.h"

enum { FILTER_MAX_FOCUS = 31 }; /* expressions of --focus */

struct filter_range {
	int32_t from, to; /* both included */
};

struct filter_time {
	uint64_t from, to; /* both included, 0: open */
	struct filter_window window; /* for what has a duration */
	double share, share_to; /* parts of the span, before it is known */
};

struct filter {
	char *condition; /* on fields of tracepoints */
	VEC(char *) names[FILTER_KINDS];
	VEC(struct filter_range) ranges[FILTER_KINDS];
	VEC(regex_t) regexes[FILTER_KINDS];
	VEC(struct filter_time) times;
	bool percent, span;
};

/* Whether NAME, which may be NULL, is in the list of KIND. */
bool filter_has_name(const struct filter *f, enum filter_kind kind, const char *name);
/* Add the argument of --time; negative and a sentence when it makes no sense. */
int filter_add_time(struct filter *f, const char *text, struct err *err);

#endif
