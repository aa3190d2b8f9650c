/* SPDX-License-Identifier: MIT */
/* Which commit a directory's git repository is at, read from its files. */
#ifndef PERFREP_CLI_GIT_HEAD_H
#define PERFREP_CLI_GIT_HEAD_H

#include <perfrep/err.h>

/* Owned: git_head_release(). */
struct git_head {
	char *root; /* the working tree's top directory; NULL: DIR is in no repository */
	char *commit; /* hexadecimal; NULL: nothing was committed yet */
	char *branch; /* NULL: HEAD is detached */
};

/*
 * Look from DIR upwards.  Being in no repository is no failure; a repository that can't be
 * understood is one.
 */
int git_head_read(struct git_head *head, const char *dir, struct err *err);
void git_head_release(struct git_head *head);

#endif
