/* SPDX-License-Identifier: MIT */
/*
 * Names of tracepoints out of the tracing data: a blob with the texts of the format files of
 * all events that were recorded.  Only "name:" and "ID:" are read here; fields of an event are
 * another part's work.
 */
#include "perfdata/evlist.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "perfdata/tracing_blob.h"

/* The value after KEY at the start of a line of the LEN bytes at TEXT, or NULL. */
static const char *find_line(const char *text, size_t len, const char *key, size_t *value_len)
{
	size_t key_len = strlen(key);
	const char *end = text + len;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((eol ? eol : end) - text);

		if (line >= key_len && !memcmp(text, key, key_len)) {
			*value_len = line - key_len;
			return text + key_len;
		}
		text += line + 1;
	}
	return NULL;
}

static bool parse_id(const char *s, size_t len, uint64_t *id)
{
	*id = 0;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9' || *id > UINT32_MAX)
			return false;
		*id = *id * 10 + (uint64_t)(s[i] - '0');
	}
	return len > 0;
}

/* The recording's tracepoints by id, so that a long blob costs a search and not a walk. */
struct wanted {
	struct wanted_event {
		uint64_t id;
		uint32_t index;
	} * v;
	size_t n;
	struct evlist *list;
};

static int compare_wanted(const void *va, const void *vb)
{
	const struct wanted_event *a = va, *b = vb;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static struct wanted wanted_tracepoints(struct evlist *list)
{
	struct wanted w = { .list = list };

	w.v = xcalloc(list->n, sizeof(*w.v));
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].attr.type == PERF_TYPE_TRACEPOINT)
			w.v[w.n++] = (struct wanted_event){ list->v[i].attr.config, (uint32_t)i };
	if (w.n)
		qsort(w.v, w.n, sizeof(*w.v), compare_wanted);
	return w;
}

/* The first of those that have ID; W.n when there is none. */
static size_t find_wanted(const struct wanted *w, uint64_t id)
{
	return bisect(i, w->n, w->v[i].id < id);
}

static void name_event(const struct wanted *w, const char *system, const char *text, size_t len)
{
	struct strbuf full = STRBUF_INIT;
	const char *name, *number;
	size_t name_len = 0, number_len = 0;
	uint64_t id;

	name = find_line(text, len, "name: ", &name_len);
	number = find_line(text, len, "ID: ", &number_len);
	if (!name || !number || !parse_id(number, number_len, &id))
		return;
	for (size_t i = find_wanted(w, id); i < w->n && w->v[i].id == id; i++) {
		strbuf_clear(&full);
		strbuf_addf(&full, "%s:", system);
		strbuf_add(&full, name, name_len);
		evsel_set_name(&w->list->v[w->v[i].index], full.s, full.n, NAME_TRACEPOINT);
	}
	strbuf_release(&full);
}

bool evlist_name_tracepoints(struct evlist *list, const uint8_t *data, size_t size)
{
	struct tracing_blob blob;
	struct wanted w;
	const char *text;
	size_t len;

	if (!tracing_blob_open(&blob, data, size))
		return !blob.c.bad;
	w = wanted_tracepoints(list);
	while (tracing_blob_next(&blob, &text, &len))
		name_event(&w, blob.system, text, len);
	free(w.v);
	return !blob.c.bad;
}
