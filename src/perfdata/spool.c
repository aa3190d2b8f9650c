/* SPDX-License-Identifier: MIT */
/*
 * A growing store of bytes of unknown number, such as a pipe's.  It lives in memory while it is
 * small; when it passes its limit everything moves to a temporary file that has no name, so that
 * nothing is left behind whatever happens to the process.  When the last byte was added it turns
 * into a source: the memory itself, or the file mapped.
 */
#include <perfrep/source.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/xmalloc.h"
#include "perfdata/tmpfile.h"
#include "perfdata/source_kind.h"

struct spool {
	uint8_t *buf;
	size_t used, cap;
	uint64_t limit;
	uint64_t written; /* bytes in the file */
	int fd; /* -1 while everything is in memory */
};

struct spool *spool_new(uint64_t limit)
{
	struct spool *sp = xcalloc(1, sizeof(*sp));

	sp->limit = limit;
	sp->fd = -1;
	return sp;
}

uint64_t spool_size(const struct spool *sp)
{
	return sp->written + sp->used;
}

void spool_free(struct spool *sp)
{
	if (!sp)
		return;
	if (sp->fd >= 0)
		close(sp->fd);
	free(sp->buf);
	free(sp);
}

static int write_all(int fd, const uint8_t *p, size_t len, struct err *err)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(err, ERR_IO,
				       "the temporary file for input cannot be written: %s",
				       n < 0 ? strerror(errno) : "no progress");
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static void grow(struct spool *sp, size_t len)
{
	size_t want = sp->used + len;

	if (want <= sp->cap)
		return;
	if (want < sp->cap * 2)
		want = sp->cap * 2;
	if (want < 65536)
		want = 65536;
	sp->buf = xreallocarray(sp->buf, want, 1);
	sp->cap = want;
}

static int move_to_file(struct spool *sp, struct err *err)
{
	int rc;

	sp->fd = tmpfile_open(err);
	if (sp->fd < 0)
		return -ERR_IO;
	rc = write_all(sp->fd, sp->buf, sp->used, err);
	sp->written = sp->used;
	sp->used = sp->cap = 0;
	free(sp->buf);
	sp->buf = NULL;
	return rc;
}

int spool_add(struct spool *sp, const void *data, size_t len, struct err *err)
{
	int rc;

	if (!len)
		return 0;
	if (sp->fd < 0 && len > sp->limit - (sp->used < sp->limit ? sp->used : sp->limit)) {
		rc = move_to_file(sp, err);
		if (rc)
			return rc;
	}
	if (sp->fd >= 0) {
		rc = write_all(sp->fd, data, len, err);
		if (!rc)
			sp->written += len;
		return rc;
	}
	grow(sp, len);
	memcpy(sp->buf + sp->used, data, len);
	sp->used += len;
	return 0;
}

static int finish_file(struct spool *sp, struct source *out, struct err *err)
{
	void *map = mmap(NULL, sp->written, PROT_READ, MAP_PRIVATE, sp->fd, 0);

	if (map == MAP_FAILED)
		return err_set(err, ERR_IO, "the temporary file for input cannot be mapped: %s",
			       strerror(errno));
	out->data = out->map = map;
	out->size = out->map_size = sp->written;
	out->kind = SOURCE_MAPPED;
	return 0;
}

int spool_finish(struct spool *sp, const char *name, struct source *out, struct err *err)
{
	int rc = 0;

	memset(out, 0, sizeof(*out));
	if (sp->fd >= 0) {
		rc = finish_file(sp, out, err);
	} else {
		out->map = sp->buf ? sp->buf : xmalloc(1);
		out->data = out->map;
		out->size = sp->used;
		out->kind = SOURCE_MALLOCED;
		sp->buf = NULL;
	}
	if (!rc)
		out->name = xstrdup(name);
	spool_free(sp);
	return rc;
}
