/* SPDX-License-Identifier: MIT */
/*
 * Symbolised profiles from text, for the tests of views:
 *
 *	"comm;main@app;run@app+step@app;memcpy@libc.so.6 WEIGHT COUNT"
 *
 * is one stack, outermost frame first: COUNT samples of together WEIGHT.  A + joins a frame and
 * what is inlined into it.  "name@module:file.c:12" has a line; "[app]?@app" has no name;
 * "!name@module" was taken from another stack.
 */
#ifndef PERFREP_TEST_VIEW_PROFILE_H
#define PERFREP_TEST_VIEW_PROFILE_H

#include <perfrep/profile.h>

/* Add the stacks of TEXT, one a line, to EVENT (made when it is new). */
void view_profile_add(struct profile *p, const char *event, const char *unit, const char *text);

#endif
