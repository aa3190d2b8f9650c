/* SPDX-License-Identifier: MIT */
/*
 * Each segment is a mapping of its own: anonymous while the total is below the limit, then a
 * piece of an unlinked file.  The file's blocks are allocated before it is mapped: writing to a
 * hole when the disk is full would be a signal, not an error.
 */
#include "perfdata/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"
#include "perfdata/tmpfile.h"

void segments_init(struct segments *s, uint64_t limit)
{
	memset(s, 0, sizeof(*s));
	s->limit = limit;
	s->fd = -1;
}

static void *map_in_file(struct segments *s, size_t size, struct err *err)
{
	void *map;
	int rc;

	if (s->fd < 0)
		s->fd = tmpfile_open(err);
	if (s->fd < 0)
		return NULL;
	rc = posix_fallocate(s->fd, (off_t)s->fd_size, (off_t)size);
	if (rc) {
		err_set(err, ERR_IO,
			"the temporary file for decompressed data cannot grow to %llu bytes: %s",
			(unsigned long long)(s->fd_size + size), strerror(rc));
		return NULL;
	}
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, (off_t)s->fd_size);
	if (map == MAP_FAILED) {
		err_set(err, ERR_IO,
			"the temporary file for decompressed data cannot be mapped: %s",
			strerror(errno));
		return NULL;
	}
	s->fd_size += size;
	return map;
}

static void *map_in_memory(size_t size, struct err *err)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map != MAP_FAILED)
		return map;
	err_set(err, ERR_IO, "%zu bytes of memory for decompressed data cannot be had: %s", size,
		strerror(errno));
	return NULL;
}

uint8_t *segments_add(struct segments *s, size_t size, struct err *err)
{
	bool in_file = s->total + size > s->limit;
	void *map = in_file ? map_in_file(s, size, err) : map_in_memory(size, err);

	if (!map)
		return NULL;
	s->total += size;
	vec_push(s, (struct segment){ map, size, in_file });
	return map;
}

static uintptr_t later(uintptr_t a, uintptr_t b)
{
	return a > b ? a : b;
}

/* The mapping is shared: a page that is dropped stays in the file, and comes back from there. */
static void drop_part(const struct segment *seg, uintptr_t from, uintptr_t to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)seg->map;
	uintptr_t end = start + seg->size;

	from = (later(from, start) + page - 1) / page * page;
	to = (to < end ? to : end) / page * page;
	if (from < to)
		madvise(seg->map + (from - start), to - from, MADV_DONTNEED);
}

void segments_drop(const struct segments *s, const uint8_t *from, uint64_t size)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].in_file)
			drop_part(&s->v[i], (uintptr_t)from, (uintptr_t)from + size);
}

void segments_release(struct segments *s)
{
	for (size_t i = 0; i < s->n; i++)
		munmap(s->v[i].map, s->v[i].size);
	vec_release(s);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}
