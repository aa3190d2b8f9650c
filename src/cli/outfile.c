/* SPDX-License-Identifier: MIT */
#include "cli/outfile.h"

#include <errno.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/message.h"

int outfile_open(struct outfile *o, const char *path)
{
	o->path = path;
	o->f = path ? fopen(path, "w") : stdout;
	if (o->f)
		return EXIT_FINE;
	message("%s could not be opened for writing: %s.", path, strerror(errno));
	return EXIT_FAILED;
}

int outfile_write(void *ctx, const char *text, size_t len)
{
	const struct outfile *o = ctx;

	return fwrite(text, 1, len, o->f) == len ? 0 : -1;
}

int outfile_close(struct outfile *o, bool failed)
{
	if (!o->path)
		return EXIT_FINE;
	if (fclose(o->f) == 0 && !failed)
		return EXIT_FINE;
	message("%s could not be written: %s.", o->path, strerror(errno));
	return EXIT_FAILED;
}
