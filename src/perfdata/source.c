/* SPDX-License-Identifier: MIT */
/*
 * Input as one range of memory.  A regular file is mapped: what is not touched costs nothing,
 * and the kernel may take pages back at any time.  What cannot be mapped (a pipe, a terminal, a
 * file that has no size, like those in /proc) is read to its end into a spool.
 */
#include <perfrep/source.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xmalloc.h"
#include "perfdata/source_kind.h"

/* Above this a pipe's bytes go to a temporary file. */
#define SPOOL_LIMIT ((uint64_t)256 << 20)

#define READ_SIZE ((size_t)1 << 18)

static int map_file(struct source *src, int fd, uint64_t size)
{
	void *map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (map == MAP_FAILED)
		return -1;
	/* all walks go from front to back; mapping everything at once gains nothing over faults */
	madvise(map, size, MADV_SEQUENTIAL);
	src->data = src->map = map;
	src->size = src->map_size = size;
	src->kind = SOURCE_MAPPED;
	return 0;
}

static int fill_spool(struct spool *sp, int fd, const char *name, struct err *err)
{
	uint8_t *buf = xmalloc(READ_SIZE);
	int rc = 0;

	while (!rc) {
		ssize_t n = read(fd, buf, READ_SIZE);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			rc = err_set(err, ERR_IO, "%s cannot be read after %llu bytes: %s", name,
				     (unsigned long long)spool_size(sp), strerror(errno));
		if (n <= 0)
			break;
		rc = spool_add(sp, buf, (size_t)n, err);
	}
	free(buf);
	return rc;
}

static int read_all(struct source *src, int fd, const char *name, struct err *err)
{
	struct spool *sp = spool_new(SPOOL_LIMIT);
	int rc = fill_spool(sp, fd, name, err);

	if (rc) {
		spool_free(sp);
		return rc;
	}
	return spool_finish(sp, name, src, err);
}

static int open_fd(struct source *src, int fd, const char *name, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return err_set(err, ERR_IO, "%s cannot be examined: %s", name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_FORMAT, "%s is a directory, expected a file", name);
	/* standard input may be a file that somebody has read from: only the rest is ours */
	if (S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0 &&
	    !map_file(src, fd, (uint64_t)st.st_size)) {
		src->name = xstrdup(name);
		return 0;
	}
	return read_all(src, fd, name, err);
}

int source_open(struct source *src, const char *path, struct err *err)
{
	int fd, rc;

	memset(src, 0, sizeof(*src));
	if (!strcmp(path, "-"))
		return open_fd(src, STDIN_FILENO, "-", err);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO,
			       "%s cannot be opened: %s", path, strerror(errno));
	rc = open_fd(src, fd, path, err);
	close(fd);
	return rc;
}

void source_from_memory(struct source *src, const void *data, size_t size, const char *name)
{
	memset(src, 0, sizeof(*src));
	src->data = data;
	src->size = size;
	src->name = xstrdup(name);
	src->kind = SOURCE_BORROWED;
}

void source_lend(struct source *src, const struct source *owner, const char *name)
{
	*src = *owner;
	src->name = xstrdup(name);
	src->kind = owner->kind == SOURCE_MAPPED || owner->kind == SOURCE_LENT ? SOURCE_LENT
									       : SOURCE_BORROWED;
}

void source_drop(const struct source *src, uint64_t from, uint64_t to)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if ((src->kind != SOURCE_MAPPED && src->kind != SOURCE_LENT) || to > src->size ||
	    from >= to)
		return;
	from = (from + page - 1) / page * page;
	to = to / page * page;
	/* the mapping is private and never written: dropped pages come back from the file */
	if (from < to)
		madvise((uint8_t *)src->map + from, to - from, MADV_DONTNEED);
}

void source_release(struct source *src)
{
	if (src->kind == SOURCE_MAPPED)
		munmap(src->map, src->map_size);
	else if (src->kind == SOURCE_MALLOCED)
		free(src->map);
	free(src->name);
	memset(src, 0, sizeof(*src));
}
