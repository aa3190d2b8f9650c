/* SPDX-License-Identifier: MIT */
/* How an event was sampled, and whether in step with something. */
#ifndef PERFREP_COLLECT_TRUST_H
#define PERFREP_COLLECT_TRUST_H

#include "collect/times.h"

#include <perfrep/session.h>

/*
 * Fill in the `wish` and `sampling` of E, an event of S, whose profile has names; T is sorted.
 * Rows are functions.
 */
void trust_judge(const struct session *s, struct session_event *e, struct times *t, bool keep_ip);

#endif
