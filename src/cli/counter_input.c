/* SPDX-License-Identifier: MIT */
#include "cli/counter_input.h"

#include <string.h>
#include <sys/stat.h>

#include <perfrep/folded.h>
#include <perfrep/reader.h>
#include <perfrep/source.h>

/* A line of folded text looks like nothing that perf stat writes, but for a name and a number. */
static bool is_folded(const struct source *src)
{
	const char *text = (const char *)src->data, *end = memchr(text, '\n', src->size);
	struct folded_line line = { 0 };
	bool yes = folded_parse_line(text, end ? (size_t)(end - text) : src->size, &line);

	folded_line_release(&line);
	return yes;
}

bool counter_input_read(struct counter_set *set, const char *path)
{
	struct source src;
	struct stat st;
	struct err none;
	int r = -1;

	*set = (struct counter_set){ 0 };
	/* what is no file can be read only once, and a recording is likelier */
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || source_open(&src, path, &none) < 0)
		return false;
	if (src.size && !reader_recognises(&src) && !is_folded(&src))
		r = counter_set_parse(set, (const char *)src.data, src.size, path, &none);
	source_release(&src);
	if (r >= 0 && set->n)
		return true;
	counter_set_release(set);
	*set = (struct counter_set){ 0 };
	return false;
}
