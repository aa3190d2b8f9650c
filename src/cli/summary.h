/* SPDX-License-Identifier: MIT */
/* A session in the words of the overview. */
#ifndef PERFREP_CLI_SUMMARY_H
#define PERFREP_CLI_SUMMARY_H

#include <perfrep/session.h>
#include <perfrep/view.h>

struct summary {
	struct view_recording rec; /* borrows from here and from the session */
	struct view_event *events;
	char **rates;
	char *cmdline, *path;
	struct view_cut cut[UNWIND_END_MAX];
	char how[128];
};

void summary_init(struct summary *sum, const struct session *s, const char *path, bool by_count);
void summary_release(struct summary *sum);

#endif
