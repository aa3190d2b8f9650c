/* SPDX-License-Identifier: MIT */
/* How an event was sampled, and whether in step with something. */
#ifndef PERFREP_COLLECT_TRUST_H
#define PERFREP_COLLECT_TRUST_H

#include "collect/times.h"

#include <perfrep/session.h>

/* Fill in E's `wish` and `sampling`; T is sorted. */
void trust_judge(struct session_event *e, struct times *t);

#endif
