/* SPDX-License-Identifier: MIT */
/* Temporary files without a name, in $TMPDIR or /var/tmp. */
#ifndef PERFREP_PERFDATA_TMPFILE_H
#define PERFREP_PERFDATA_TMPFILE_H

#include <perfrep/err.h>

/* A descriptor to read and write, or -1 and a sentence. */
int tmpfile_open(struct err *err);

#endif
