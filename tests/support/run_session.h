/* SPDX-License-Identifier: MIT */
/* A built recording through a whole session. */
#ifndef PERFREP_TESTS_RUN_SESSION_H
#define PERFREP_TESTS_RUN_SESSION_H

#include <check.h>
#include <stdlib.h>
#include <unistd.h>

#include "perfdata_builder.h"

#include <perfrep/session.h>

/* B is finished, written to a file that is gone afterwards, and released.  S is the caller's. */
static inline void run_session(struct builder *b, struct session_options so, struct session *s)
{
	char path[] = "/tmp/run_session.XXXXXX";
	int fd = mkstemp(path);
	struct err err;

	ck_assert_int_ge(fd, 0);
	close(fd);
	builder_finish(b);
	ck_assert_int_eq(builder_write(b, path), 0);
	so.path = path;
	so.symbols.where.no_system = true;
	ck_assert_msg(session_run(s, &so, &err) == 0, "%s", err.text);
	ck_assert_msg(profile_check(s->profile, &err) == 0, "%s", err.text);
	unlink(path);
	builder_release(b);
}

#endif
