/* SPDX-License-Identifier: MIT */
/* --timings. */
#ifndef PERFREP_CLI_TIMINGS_H
#define PERFREP_CLI_TIMINGS_H

#include <perfrep/session.h>

/* To stderr, as a table or as one line of JSON; what came after the session is STEP_OUTPUT. */
void timings_tell(const struct session *s, bool json);

#endif
