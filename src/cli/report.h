/* SPDX-License-Identifier: MIT */
/* perfrep report: its options, and what it prints. */
#ifndef PERFREP_CLI_REPORT_H
#define PERFREP_CLI_REPORT_H

#include "base/strbuf.h"
#include "cli/opts_common.h"
#include "cli/recorded.h"

#include <perfrep/hints.h>

struct report_options {
	struct opts_common common;
	struct opts_counters counters;
	const struct recorded *recorded; /* report_print()'s own */
	struct view_keys keys;
	struct table_print print;
	struct tree_options tree; /* type TREE_NONE: a table */
	struct hint_options hints;
	VEC(const char *) fields; /* of tracepoints, to sort by; owned copies */
	bool no_hints;
	bool by_total, inverted;
	bool percent_given, limit_given, keys_given;
};

void report_print(const struct session *s, const struct report_options *o, struct strbuf *sb);
/* Whether what is printed has the session's problems in it. */
bool report_tells_problems(const struct report_options *o);

#endif
