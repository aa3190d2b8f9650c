/* SPDX-License-Identifier: MIT */
/*
 * Age is the time of modification, which a reader renews once a day, so that what is in use
 * stays.  Files are found by their names' shape before any is removed: whatever else lies there
 * is not ours.
 */
#include "symbol/cache_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xmalloc.h"

#define FILE_MAX   ((off_t)64 << 20)
#define RENEW      (24 * 3600) /* seconds */
#define STALE      3600 /* of a temporary file that nobody renamed */
#define HASH_CHARS 32
#define SUFFIX     ".sym"

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* A directory of ours; -1: there is none, or it is somebody else's. */
static int open_ours(int at, const char *path, int flags)
{
	int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) != 0 || !is_ours(&st))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ~/.cache may be a link to a larger disk; it has to lead to a directory of the user's. */
static int open_parent(const char *path, bool make, const char **last)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	int fd;

	if (!slash || slash == path || !slash[1])
		return -1;
	*last = slash + 1;
	parent = xstrndup(path, (size_t)(slash - path));
	if (make)
		mkdir(parent, 0700);
	fd = open_ours(AT_FDCWD, parent, 0);
	free(parent);
	return fd;
}

static void open_dir(struct cache_dir *d, bool make)
{
	const char *last;
	int parent = open_parent(d->path, make, &last);

	if (parent < 0)
		return;
	if (make)
		mkdirat(parent, last, 0700);
	d->fd = open_ours(parent, last, O_NOFOLLOW);
	close(parent);
}

void cache_dir_open(struct cache_dir *d, const char *path)
{
	*d = (struct cache_dir){ path, -1 };
	open_dir(d, false);
}

void cache_dir_close(struct cache_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

static void *read_all(int fd, size_t size)
{
	char *data = xmalloc(size);
	size_t at = 0;

	while (at < size) {
		ssize_t n = read(fd, data + at, size - at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			free(data);
			return NULL;
		}
		at += (size_t)n;
	}
	return data;
}

void *cache_dir_read(struct cache_dir *d, const char *name, size_t *size)
{
	void *data = NULL;
	struct stat st;
	int fd;

	if (d->fd < 0)
		return NULL;
	fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_ours(&st) && st.st_size > 0 &&
	    st.st_size <= FILE_MAX) {
		*size = (size_t)st.st_size;
		data = read_all(fd, *size);
		if (data && st.st_mtime < time(NULL) - RENEW)
			futimens(fd, NULL);
	}
	close(fd);
	return data;
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

/* At random: a process number is another process's in another container. */
static int make_temporary(struct cache_dir *d, const char *name, char *temp, size_t room)
{
	unsigned long long random = 0;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = (unsigned long long)getpid();
	snprintf(temp, room, "%s.%llx.tmp", name, random);
	return openat(d->fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool cache_dir_write(struct cache_dir *d, const char *name, const void *data, size_t size)
{
	char temp[CACHE_NAME_MAX + 32];
	bool ok;
	int fd;

	if (size > (size_t)FILE_MAX)
		return false;
	if (d->fd < 0)
		open_dir(d, true);
	fd = d->fd < 0 ? -1 : make_temporary(d, name, temp, sizeof(temp));
	if (fd < 0)
		return false;
	ok = write_all(fd, data, size);
	ok = close(fd) == 0 && ok;
	ok = ok && renameat(d->fd, temp, d->fd, name) == 0;
	if (!ok)
		unlinkat(d->fd, temp, 0);
	return ok;
}

struct cached_file {
	char name[CACHE_NAME_MAX + 32];
	uint64_t size;
	time_t time;
};

struct cached_files {
	VEC(struct cached_file) list;
	uint64_t size;
};

static bool is_name(const char *name, bool *temporary)
{
	if (strspn(name, "0123456789abcdef") != HASH_CHARS ||
	    strncmp(name + HASH_CHARS, SUFFIX, strlen(SUFFIX)) != 0)
		return false;
	name += HASH_CHARS + strlen(SUFFIX);
	*temporary = *name == '.';
	return !*name || *temporary;
}

static void look_at(struct cached_files *files, int fd, const char *name)
{
	struct cached_file f = { 0 };
	bool temporary;
	struct stat st;

	if (!is_name(name, &temporary) || strlen(name) >= sizeof(f.name) ||
	    fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
		return;
	if (temporary) {
		if (st.st_mtime < time(NULL) - STALE)
			unlinkat(fd, name, 0);
		return;
	}
	strcpy(f.name, name);
	f.size = (uint64_t)st.st_size;
	f.time = st.st_mtime;
	files->size += f.size;
	vec_push(&files->list, f);
}

static int oldest_first(const void *a, const void *b)
{
	const struct cached_file *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return strcmp(x->name, y->name);
}

void cache_dir_prune(struct cache_dir *d, uint64_t limit)
{
	struct cached_files files = { 0 };
	int fd = d->fd < 0 ? -1 : openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		look_at(&files, fd, entry->d_name);
	if (files.size > limit)
		qsort(files.list.v, files.list.n, sizeof(*files.list.v), oldest_first);
	for (size_t i = 0; i < files.list.n && files.size > limit; i++)
		if (unlinkat(fd, files.list.v[i].name, 0) == 0)
			files.size -= files.list.v[i].size;
	closedir(dir);
	vec_release(&files.list);
}

void cache_dir_name(char name[CACHE_NAME_MAX], const char *key)
{
	uint64_t a = hash_bytes(key, strlen(key));

	snprintf(name, CACHE_NAME_MAX, "%016llx%016llx" SUFFIX, (unsigned long long)a,
		 (unsigned long long)hash_mix(a, hash_u64(strlen(key))));
}
