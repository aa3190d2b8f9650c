/* SPDX-License-Identifier: MIT */
/* How far a profile can be trusted: judged once, after symbolising and filtering. */
#ifndef PERFREP_COLLECT_QUALITY_H
#define PERFREP_COLLECT_QUALITY_H

#include "collect/collapse.h"

/*
 * Fill the quality of each event of S, whose profile is symbolised.  FLAGS, by event, has what was
 * odd about the stacks when they were rebuilt.
 */
void quality_judge(struct session *s, const struct collapse_flags *flags);

#endif
