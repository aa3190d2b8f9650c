/* SPDX-License-Identifier: MIT */
/*
 * Fields stand in a list of their own, since an event may call one "pid" or "time".  Those that all
 * tracepoints have (common_…) are left out: they repeat the sample.
 */
#include "cli/dump_fields.h"

#include <string.h>

void dump_fields_init(struct dump_fields *f, const char *path, const struct objfile_search *where)
{
	*f = (struct dump_fields){ .path = strcmp(path, "-") ? path : NULL,
				   .where = *where,
				   .formats = { .options = TP_PRINTABLE } };
}

void dump_fields_release(struct dump_fields *f)
{
	formats_release(&f->formats);
	kernel_names_free(f->names);
}

/* Names are looked for when some text has them: it costs another pass through the file. */
static void open_names(struct dump_fields *f, const struct tracepoints *t)
{
	if (f->opened || !t)
		return;
	f->opened = true;
	if (f->path && tracepoints_want_names(t))
		f->names = kernel_names_new(f->path, &f->where, NULL);
}

static void emit_values(struct emit *e, const struct tp_event *ev, const struct sample *s,
			struct strbuf *sb)
{
	emit_list(e, "fields");
	for (size_t i = 0; i < ev->nr_fields; i++) {
		if (ev->fields[i].flags & TP_COMMON)
			continue;
		strbuf_clear(sb);
		strbuf_adds(sb, ev->fields[i].name);
		strbuf_addc(sb, '=');
		if (tp_text(&ev->fields[i], s->raw, s->raw_size, sb))
			emit_text(e, NULL, sb->s);
	}
	emit_list_end(e);
}

void emit_fields(struct emit *e, struct dump_fields *f, const struct reader *r,
		 const struct evsel *evsel, const struct sample *s)
{
	const struct tp_event *ev = s->raw ? formats_event(&f->formats, r, evsel) : NULL;
	const struct tracepoints *t = formats_get(&f->formats, r);
	struct tp_names names = { kernel_names_find, NULL };
	struct strbuf sb = STRBUF_INIT;

	if (!ev || ev->refused)
		return;
	open_names(f, t);
	names.ctx = f->names;
	emit_values(e, ev, s, &sb);
	strbuf_clear(&sb);
	if (tracepoints_print(t, ev, s->raw, s->raw_size, f->names ? &names : NULL, &sb) && sb.n)
		emit_text(e, "text", strbuf_str(&sb));
	strbuf_release(&sb);
}
