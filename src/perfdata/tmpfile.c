/* SPDX-License-Identifier: MIT */
/*
 * Temporary files for input that doesn't fit into memory.  /var/tmp comes before /tmp, because
 * the latter is often memory itself, which is what there is not enough of.
 */
#include "perfdata/tmpfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_in(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* file systems that don't have O_TMPFILE */
	if (snprintf(path, sizeof(path), "%s/perfrep-XXXXXX", dir) >= (int)sizeof(path))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int tmpfile_open(struct err *err)
{
	const char *dirs[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	int fd;

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (!dirs[i] || !*dirs[i])
			continue;
		fd = open_in(dirs[i]);
		if (fd >= 0)
			return fd;
	}
	err_set(err, ERR_IO, "no temporary file can be made in $TMPDIR, /var/tmp or /tmp: %s",
		strerror(errno));
	return -1;
}
