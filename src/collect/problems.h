/* SPDX-License-Identifier: MIT */
/* What a user must know about a recording before believing it, as sentences. */
#ifndef PERFREP_COLLECT_PROBLEMS_H
#define PERFREP_COLLECT_PROBLEMS_H

#include <perfrep/session.h>

/* Fill the session's problems and `incomplete` from what the stages counted. */
void problems_collect(struct session *s);

#endif
