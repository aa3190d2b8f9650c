/* SPDX-License-Identifier: MIT */
/* Where text goes that is written as it comes: the file of --output, or standard output. */
#ifndef PERFREP_CLI_OUTFILE_H
#define PERFREP_CLI_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct outfile {
	FILE *f;
	const char *path; /* borrowed; NULL: standard output */
};

/* PATH may be NULL; an enum exit_status, and the error is told. */
int outfile_open(struct outfile *o, const char *path);
/* For writers that take a function; CTX is the struct outfile.  Negative when it failed. */
int outfile_write(void *ctx, const char *text, size_t len);
/* FAILED: a write did.  An enum exit_status; that of standard output is left to main(). */
int outfile_close(struct outfile *o, bool failed);

#endif
