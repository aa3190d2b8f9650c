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
	void *map = s->total + size > s->limit ? map_in_file(s, size, err)
					       : map_in_memory(size, err);

	if (!map)
		return NULL;
	s->total += size;
	vec_push(s, (struct segment){ map, size });
	return map;
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
