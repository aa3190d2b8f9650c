/* SPDX-License-Identifier: MIT */
/*
 * Opening a recording, which is a file, a pipe, a directory or bytes in memory, and giving it
 * back.  What opening reads is the header; the records are the walk's (reader.c).
 */
#include "perfdata/reader_priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xmalloc.h"
#include "perfdata/source_kind.h"

/* Decompressed records beyond this are in a temporary file. */
#define MEMORY_LIMIT ((uint64_t)256 << 20)
#define FIRST_POS    8

static struct reader *new_reader(const char *name)
{
	struct reader *r = xcalloc(1, sizeof(*r));

	r->name = xstrdup(name);
	r->complete = true;
	r->priv = xcalloc(1, sizeof(*r->priv));
	r->priv->pos = FIRST_POS;
	r->priv->coarsen_at = MAX_PIECES;
	r->priv->part_size = PARTS_SIZE;
	r->priv->parts_worth = PARTS_WORTH;
	segments_init(&r->priv->segments, MEMORY_LIMIT);
	return r;
}

void reader_limit_memory(struct reader *r, uint64_t bytes)
{
	r->priv->segments.limit = bytes;
}

/*
 * Pages of large files are given back behind the walk: the second walk will have to map them
 * again, which costs a smaller file more than it gains.
 */
static bool fills_memory(uint64_t file_size)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 && file_size > (uint64_t)pages * (uint64_t)page / 4;
}

static int begin(struct reader *r, struct err *err)
{
	int rc = header_read(r, &r->priv->sources[0], err);

	if (rc)
		return rc;
	for (size_t i = 0; i < r->priv->nr_sources; i++)
		r->file_size += r->priv->sources[i].size;
	r->priv->drop = fills_memory(r->file_size);
	r->priv->grain = r->file_size >> 14;
	if (r->priv->grain < 4096)
		r->priv->grain = 4096;
	return 0;
}

static int open_one(struct reader *r, const char *path, struct err *err)
{
	int rc;

	r->priv->sources = xcalloc(1, sizeof(*r->priv->sources));
	rc = source_open(&r->priv->sources[0], path, err);
	if (rc)
		return rc;
	r->priv->nr_sources = 1;
	return begin(r, err);
}

int reader_open(struct reader **out, const char *path, struct err *err)
{
	struct reader *r = new_reader(path);
	struct stat st;
	int rc;

	if (strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode)) {
		rc = directory_open(r, path, err);
		if (!rc)
			rc = begin(r, err);
		if (!rc) {
			r->mode = READER_DIRECTORY;
			for (size_t i = 1; i < r->priv->nr_sources; i++)
				reader_add_stream(r, &r->priv->sources[i], 0,
						  r->priv->sources[i].size);
		}
	} else {
		rc = open_one(r, path, err);
	}
	if (rc)
		reader_free(r);
	else
		*out = r;
	return rc;
}

int reader_open_memory(struct reader **out, const void *data, size_t size, const char *name,
		       struct err *err)
{
	struct source src = { .data = data, .size = size, .kind = SOURCE_BORROWED };

	return reader_open_source(out, &src, name, err);
}

int reader_open_source(struct reader **out, const struct source *src, const char *name,
		       struct err *err)
{
	struct reader *r = new_reader(name);
	int rc;

	r->priv->sources = xcalloc(1, sizeof(*r->priv->sources));
	source_lend(&r->priv->sources[0], src, name);
	r->priv->nr_sources = 1;
	rc = begin(r, err);
	if (rc)
		reader_free(r);
	else
		*out = r;
	return rc;
}

static void free_texts(struct reader *r)
{
	for (size_t i = 0; r->damages && i < r->nr_damages && i < 100; i++)
		free(r->damages[i].text);
	for (size_t i = 0; i < r->nr_warnings; i++)
		free(r->warnings[i]);
	free(r->damages);
	free(r->warnings);
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	parts_stop(r->priv->parts);
	for (size_t i = 0; i < r->priv->streams.n; i++)
		inflater_free(r->priv->streams.v[i].zstd);
	for (size_t i = 0; i < r->priv->nr_sources; i++)
		source_release(&r->priv->sources[i]);
	free(r->priv->sources);
	segments_release(&r->priv->segments);
	vec_release(&r->priv->streams);
	vec_release(&r->priv->pieces);
	free_texts(r);
	evlist_release(&r->evlist);
	features_release(&r->features);
	free(r->other_types);
	free(r->priv);
	free(r->name);
	free(r);
}
