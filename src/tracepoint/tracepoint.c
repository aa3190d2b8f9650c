/* SPDX-License-Identifier: MIT */
/*
 * The formats of a recording's tracepoints (perfdata/tracing_blob.h).  libtraceevent gets one
 * format text at a time, and what it makes of it is copied into plain arrays.  The library was not
 * written for hostile input: it never sees a size that is not true, no text that is not of the
 * form in which the kernel writes (tracepoint/plain.h), and no print format, with which it would
 * do what it says (tracepoint/print.c).
 *
 * Behind the formats are the texts that fields point to; the names of threads that come then are of
 * no use here.
 */
#include <perfrep/tracepoint.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <traceevent/event-parse.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xmalloc.h"
#include "perfdata/tracing_blob.h"
#include "tracepoint/plain.h"
#include "tracepoint/print.h"

enum {
	MAX_EVENTS = 1 << 14, /* a kernel has some 3,000; the library looks them up by walking */
	MAX_FORMAT = 1 << 18, /* bytes of one text; a page in the kernel */
	MAX_FIELDS = 1 << 10,
	MAX_EXTENT = 1 << 16, /* raw data is no longer than a record */
};

struct tracepoints {
	struct tep_handle *tep;
	VEC(struct tp_event) events; /* by id */
	struct print_texts texts;
	struct arena arena; /* of print formats */
	unsigned options, long_size;
	bool be;
};

/* ---- one format -------------------------------------------------------------------------- */

static uint16_t flags_of(const struct tep_format_field *f, bool be, bool common)
{
	unsigned flags = (be ? TP_BE : 0) | (common ? TP_COMMON : 0);

	if (f->flags & TEP_FIELD_IS_SIGNED)
		flags |= TP_SIGNED;
	if (f->flags & TEP_FIELD_IS_STRING && strstr(f->type, "char")) /* not __u8 addr[6] */
		flags |= TP_STRING;
	if (f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC))
		flags |= TP_ARRAY;
	if (f->flags & TEP_FIELD_IS_DYNAMIC)
		flags |= TP_DYNAMIC;
	if (f->flags & TEP_FIELD_IS_RELATIVE)
		flags |= TP_RELATIVE;
	if (f->flags & TEP_FIELD_IS_POINTER)
		flags |= TP_POINTER;
	return (uint16_t)flags;
}

static bool usable(const struct tep_format_field *f)
{
	return f->name && f->offset >= 0 && f->offset < MAX_EXTENT && f->size > 0 &&
	       f->size < MAX_EXTENT;
}

static size_t copy_fields(struct tp_field *to, size_t room, const struct tep_format_field *f,
			  bool be, bool common)
{
	size_t n = 0;

	for (; f && n < room; f = f->next) {
		bool array = f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_DYNAMIC);

		if (!usable(f))
			continue;
		to[n++] = (struct tp_field){
			.name = xstrdup(f->name),
			.type = xstrdup(f->type ? f->type : ""),
			.offset = (uint32_t)f->offset,
			.size = (uint32_t)f->size,
			.elem = array ? f->elementsize : (uint32_t)f->size,
			.flags = flags_of(f, be, common),
		};
	}
	return n;
}

static void take_fields(struct tracepoints *t, struct tp_event *ev, const struct tep_event *te)
{
	struct tp_field *fields = xcalloc(MAX_FIELDS, sizeof(*fields));
	size_t n = copy_fields(fields, MAX_FIELDS, te->format.common_fields, t->be, true);

	n += copy_fields(fields + n, MAX_FIELDS - n, te->format.fields, t->be, false);
	ev->fields = xreallocarray(fields, n ? n : 1, sizeof(*fields));
	ev->nr_fields = n;
}

/* Where the print format begins; LEN when there is none. */
static size_t head_length(const char *text, size_t len)
{
	static const char mark[] = "\nprint fmt:";
	const char *print = memmem(text, len, mark, sizeof(mark) - 1);

	return print ? (size_t)(print - text) + 1 : len;
}

/* The text without its print format: one that prints nothing takes its place. */
static void without_print(const char *text, size_t head, struct strbuf *out)
{
	strbuf_clear(out);
	strbuf_add(out, text, head);
	strbuf_adds(out, "print fmt: \"\"\n");
}

/* The decimal number behind KEY at the start of a line. */
static bool number_line(const char *text, const char *key, uint32_t *out)
{
	const char *at = strstr(text, key);
	uint64_t v = 0;

	if (!at || (at != text && at[-1] != '\n'))
		return false;
	for (at += strlen(key); *at >= '0' && *at <= '9' && v <= UINT32_MAX; at++)
		v = v * 10 + (uint64_t)(*at - '0');
	*out = (uint32_t)v;
	return v <= INT32_MAX && (*at == '\n' || *at == '\r');
}

static char *name_line(const char *text)
{
	const char *at = strstr(text, "name: ");

	if (!at || (at != text && at[-1] != '\n'))
		return NULL;
	at += strlen("name: ");
	return xstrndup(at, strcspn(at, "\r\n"));
}

static bool known(const struct tracepoints *t, uint32_t id)
{
	for (size_t i = 0; i < t->events.n; i++)
		if (t->events.v[i].id == id)
			return true;
	return false;
}

static void refuse(struct tracepoints *t, struct tp_event *ev, const char *why)
{
	ev->refused = xstrdup(why);
	vec_push(&t->events, *ev);
}

static void parse_format(struct tracepoints *t, const char *system, const char *data, size_t len,
			 struct strbuf *buf)
{
	struct tp_event ev = { 0 };
	struct tep_event *te;
	size_t head = head_length(data, len);
	char why[256];
	enum tep_errno rc;

	if (len > MAX_FORMAT || t->events.n >= MAX_EVENTS || memchr(data, '\0', len))
		return;
	without_print(data, head, buf);
	if (!number_line(buf->s, "ID: ", &ev.id) || known(t, ev.id))
		return;
	ev.name = name_line(buf->s);
	if (!ev.name)
		return;
	ev.system = xstrdup(system);
	if (!plain_head(data, head)) {
		refuse(t, &ev, "its format is not of the kernel's form");
		return;
	}
	rc = tep_parse_event(t->tep, buf->s, buf->n, system);
	te = tep_find_event(t->tep, (int)ev.id);
	if (!te || te->format.nr_fields + te->format.nr_common <= 0) {
		if (tep_strerror(t->tep, rc, why, sizeof(why)) || !rc)
			snprintf(why, sizeof(why), "it has no fields");
		refuse(t, &ev, why);
		return;
	}
	take_fields(t, &ev, te);
	if (t->options & TP_PRINTABLE && head < len)
		ev.print = print_format_new(&t->arena, &ev, t->long_size, data + head, len - head);
	vec_push(&t->events, ev);
}

/* ---- the blob ---------------------------------------------------------------------------- */

static bool is_host_be(void)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
}

static void take_head(struct tracepoints *t, const struct tracing_blob *blob)
{
	uint32_t page = blob->page_size;

	t->be = blob->c.be;
	t->long_size = blob->long_size == 4 ? 4 : 8;
	tep_set_file_bigendian(t->tep, t->be ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(t->tep, is_host_be() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(t->tep, (int)t->long_size);
	tep_set_page_size(t->tep, page && page <= MAX_EXTENT ? (int)page : 4096);
}

static void read_formats(struct tracepoints *t, struct tracing_blob *blob)
{
	struct strbuf buf = STRBUF_INIT;
	const char *text;
	size_t len;

	while (tracing_blob_next(blob, &text, &len))
		parse_format(t, blob->system, text, len, &buf);
	strbuf_release(&buf);
}

/* The texts that the kernel keeps in one place, which some formats print by their address. */
static void read_texts(struct tracepoints *t, struct cursor *c)
{
	const uint8_t *p;
	uint32_t size;

	cursor_bytes(c, cursor_u32(c)); /* symbols of the kernel; perf writes none */
	size = cursor_u32(c);
	p = cursor_bytes(c, size);
	if (p && t->options & TP_PRINTABLE)
		print_texts_read(&t->texts, (const char *)p, size);
}

static int by_id(const void *pa, const void *pb)
{
	const struct tp_event *a = pa, *b = pb;

	return a->id < b->id ? -1 : a->id > b->id;
}

int tracepoints_new(struct tracepoints **out, const uint8_t *data, size_t size, unsigned options,
		    struct err *err)
{
	struct tracing_blob blob;
	struct tracepoints *t = xcalloc(1, sizeof(*t));

	*out = NULL;
	tep_set_loglevel(TEP_LOG_NONE);
	t->tep = tep_alloc();
	t->options = options;
	if (!t->tep || !tracing_blob_open(&blob, data, size)) {
		tracepoints_free(t);
		return err_set(err, ERR_FORMAT,
			       "the tracing data (%zu bytes) does not begin as tracing data does",
			       size);
	}
	take_head(t, &blob);
	read_formats(t, &blob);
	if (!blob.c.bad)
		read_texts(t, &blob.c);
	if (t->events.n)
		qsort(t->events.v, t->events.n, sizeof(*t->events.v), by_id);
	*out = t;
	return 0;
}

void tracepoints_free(struct tracepoints *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->events.n; i++) {
		struct tp_event *ev = &t->events.v[i];

		for (size_t k = 0; k < ev->nr_fields; k++) {
			free((char *)ev->fields[k].name);
			free((char *)ev->fields[k].type);
		}
		free((struct tp_field *)ev->fields);
		free((char *)ev->system);
		free((char *)ev->name);
		free((char *)ev->refused);
	}
	vec_release(&t->events);
	if (t->tep)
		tep_free(t->tep);
	print_texts_release(&t->texts);
	arena_release(&t->arena);
	free(t);
}

size_t tracepoints_count(const struct tracepoints *t)
{
	return t->events.n;
}

const struct tp_event *tracepoints_at(const struct tracepoints *t, size_t i)
{
	return &t->events.v[i];
}

const struct tp_event *tracepoints_event(const struct tracepoints *t, uint64_t id)
{
	size_t at = bisect(i, t ? t->events.n : 0, t->events.v[i].id < id);

	return t && at < t->events.n && t->events.v[at].id == id ? &t->events.v[at] : NULL;
}

bool tracepoints_print(const struct tracepoints *t, const struct tp_event *ev, const uint8_t *raw,
		       size_t size, const struct tp_names *names, struct strbuf *out)
{
	struct print_input in = { .raw = raw, .size = size, .names = names };

	if (!t || !ev || !ev->print || !raw)
		return false;
	in.long_size = t->long_size;
	in.be = t->be;
	in.texts = &t->texts;
	return print_sample(ev->print, &in, out);
}

bool tracepoints_want_names(const struct tracepoints *t)
{
	for (size_t i = 0; t && i < t->events.n; i++)
		if (print_format_has_names(t->events.v[i].print))
			return true;
	return false;
}
