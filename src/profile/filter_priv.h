/* SPDX-License-Identifier: MIT */
/* A compiled filter, for the files filter*.c only. */
#ifndef PERFREP_PROFILE_FILTER_PRIV_H
#define PERFREP_PROFILE_FILTER_PRIV_H

#include <regex.h>

#include "base/vec.h"
#include "profile/filter.h"

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

int filter_add_time(struct filter *f, const char *text, struct err *err);

#endif
