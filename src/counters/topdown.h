/* SPDX-License-Identifier: MIT */
/* Where issue slots go, from events that were made for it. */
#ifndef PERFREP_COUNTERS_TOPDOWN_H
#define PERFREP_COUNTERS_TOPDOWN_H

#include <perfrep/counters.h>

/* V: values by role, of one kind of core. */
void topdown_from(struct topdown *t, const struct counter_value v[ROLE_MAX]);

#endif
