/* SPDX-License-Identifier: MIT */
/*
 * A recording names the files that it wants opened, so a name may lead anywhere.  Opening a
 * device can move a tape, opening a FIFO can wait for ever: the file is first opened as a mere
 * place (O_PATH), looked at, and only then for reading, through that place.  Below a root
 * the kernel resolves the path as chroot would (openat2, since Linux 5.6); on older ones a path
 * with ".." is refused and symbolic links are followed as they are.
 */
#include "objfile/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/xmalloc.h"

static bool has_dotdot(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p += 2)
		if ((p == path || p[-1] == '/') && (p[2] == '/' || !p[2]))
			return true;
	return false;
}

static int place_below(const char *root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd, saved;

	if (dir < 0)
		return -1;
	while (*path == '/')
		path++;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
		if (has_dotdot(path))
			errno = EXDEV;
		else
			fd = openat(dir, path, O_PATH | O_CLOEXEC);
	}
	saved = errno;
	close(dir);
	errno = saved;
	return fd;
}

/* Open for reading what O_PATH found; without /proc by name, now that it was seen to be tame. */
static int reopen(int place, const char *path, bool rooted)
{
	char link[64];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT && !rooted)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd;
}

int regular_open(const char *root, const char *path)
{
	bool rooted = root && *root;
	struct stat st;
	int place, fd, saved;

	place = rooted ? place_below(root, path) : open(path, O_PATH | O_CLOEXEC);
	if (place < 0)
		return -1;
	if (fstat(place, &st) != 0) {
		fd = -1;
	} else if (!S_ISREG(st.st_mode)) {
		errno = ENOTSUP;
		fd = -1;
	} else {
		fd = reopen(place, path, rooted);
	}
	saved = errno;
	close(place);
	errno = saved;
	return fd;
}

const char *regular_error(int errnum)
{
	return errnum == ENOTSUP ? "is no regular file" : strerror(errnum);
}

int regular_read(const char *root, const char *path, size_t cap, char **data, size_t *size,
		 struct err *err)
{
	int fd = regular_open(root, path);
	size_t n = 0, room = 1 << 16;
	struct stat st;
	ssize_t got;
	char *buf;

	if (fd < 0)
		return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%s: %s", path,
			       regular_error(errno));
	if (fstat(fd, &st) == 0 && st.st_size > 0 && (uint64_t)st.st_size <= cap)
		room = (size_t)st.st_size + 1;
	buf = xmalloc(room + 1);
	while ((got = read(fd, buf + n, room - n)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || (n += (size_t)got) > cap) {
			int saved = errno;

			close(fd);
			free(buf);
			return got < 0 ? err_set(err, ERR_IO, "%s: %s", path, strerror(saved))
				       : err_set(err, ERR_UNSUPPORTED,
						 "%s: larger than the %zu bytes that are read",
						 path, cap);
		}
		if (n == room) {
			room *= 2;
			buf = xreallocarray(buf, room + 1, 1);
		}
	}
	close(fd);
	buf[n] = 0;
	*data = buf;
	*size = n;
	return 0;
}

int regular_text_open(struct regular_text *t, const char *path, size_t cap, struct err *err)
{
	int fd = regular_open(NULL, path);
	struct stat st;
	void *map = MAP_FAILED;

	*t = (struct regular_text){ 0 };
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0 && (uint64_t)st.st_size <= cap)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (map == MAP_FAILED) /* whatever is wrong is said there */
		return regular_read(NULL, path, cap, &t->data, &t->size, err);
	*t = (struct regular_text){ map, (size_t)st.st_size, (size_t)st.st_size };
	return 0;
}

void regular_text_close(struct regular_text *t)
{
	if (t->mapped)
		munmap(t->data, t->mapped);
	else
		free(t->data);
	*t = (struct regular_text){ 0 };
}
