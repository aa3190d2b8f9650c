/* SPDX-License-Identifier: MIT */
/*
 * A recording in a directory: `data` is an ordinary file with the header, data.0, data.1 and so
 * on have records only, one file for each of the recorder's threads.  Other things may be there
 * too, such as a copy of the kernel's memory; they are not records.
 */
#include "perfdata/reader_priv.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

#define MAX_FILES 65536

/* The N of "data.N", or -1. */
static long file_number(const char *name)
{
	const char *digits = name + 5;
	size_t len;

	if (strncmp(name, "data.", 5))
		return -1;
	len = strspn(digits, "0123456789");
	if (!len || len > 6 || digits[len])
		return -1;
	return strtol(digits, NULL, 10);
}

static int compare_numbers(const void *va, const void *vb)
{
	long a = *(const long *)va, b = *(const long *)vb;

	return a < b ? -1 : a > b;
}

/* The numbers of the data.N files of DIR, ascending. */
static int list_files(const char *path, long **numbers, size_t *n, struct err *err)
{
	DIR *dir = opendir(path);
	VEC(long) all = { 0 };
	struct dirent *e;

	if (!dir)
		return err_set(err, ERR_IO, "the directory %s cannot be read: %s", path,
			       strerror(errno));
	while ((e = readdir(dir)) && all.n < MAX_FILES)
		if (file_number(e->d_name) >= 0)
			vec_push(&all, file_number(e->d_name));
	closedir(dir);
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), compare_numbers);
	*numbers = all.v;
	*n = all.n;
	return 0;
}

static int open_member(struct reader *r, const char *dir, const char *name, struct err *err)
{
	struct strbuf path = STRBUF_INIT;
	int rc;

	strbuf_addf(&path, "%s/%s", dir, name);
	rc = source_open(&r->priv->sources[r->priv->nr_sources], path.s, err);
	if (!rc)
		r->priv->nr_sources++;
	strbuf_release(&path);
	return rc;
}

int directory_open(struct reader *r, const char *path, struct err *err)
{
	long *numbers = NULL;
	size_t n = 0;
	int rc = list_files(path, &numbers, &n, err);

	if (rc)
		return rc;
	r->priv->sources = xcalloc(n + 1, sizeof(*r->priv->sources));
	rc = open_member(r, path, "data", err);
	if (rc)
		err_prefix(err, "%s is a directory, but not a recording: ", path);
	for (size_t i = 0; !rc && i < n; i++) {
		char name[32];
		struct err member;

		snprintf(name, sizeof(name), "data.%ld", numbers[i]);
		if (open_member(r, path, name, &member))
			reader_damage(r, 0, 0, "%s", member.text);
	}
	free(numbers);
	return rc;
}
