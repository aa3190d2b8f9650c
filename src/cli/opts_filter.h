/* SPDX-License-Identifier: MIT */
/* Options that choose samples and stacks; see profile/filter.h for what each means. */
#ifndef PERFREP_CLI_OPTS_FILTER_H
#define PERFREP_CLI_OPTS_FILTER_H

#include <argp.h>

#include "profile/filter.h"

struct opts_filter {
	struct filter *f; /* made by opts_filter_init() */
};

extern const struct argp opts_filter_argp;
/* Those of them that choose threads. */
extern const struct argp opts_threads_argp;

void opts_filter_init(struct opts_filter *o);
void opts_filter_release(struct opts_filter *o);

#endif
