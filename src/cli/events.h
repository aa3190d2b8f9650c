/* SPDX-License-Identifier: MIT */
/* Commands that show one event of a recording: which one, and what is said of the others. */
#ifndef PERFREP_CLI_EVENTS_H
#define PERFREP_CLI_EVENTS_H

#include <perfrep/session.h>

#include "base/strbuf.h"

/* The first event with samples that is called NAME (NULL: any); PROFILE_NONE. */
uint32_t events_find(const struct profile *p, const char *name);
/* The names of those with samples, but for BUT, commas between, into SB; how many they are. */
size_t events_list(const struct session *s, uint32_t but, struct strbuf *sb);
/* Tell that CHOSEN is shown and which others there are, if there are. */
void events_tell(const struct session *s, uint32_t chosen);

#endif
