/* SPDX-License-Identifier: MIT */
/*
 * Fields stand in a list of their own, since an event may call one "pid" or "time".  Those that all
 * tracepoints have (common_…) are left out: they repeat the sample.
 */
#include "cli/dump_fields.h"

/* In a pipe the formats come before the first sample. */
static void open_formats(struct dump_fields *f, const struct reader *r)
{
	if (f->tried || !r->features.tracing_data)
		return;
	f->tried = true;
	tracepoints_new(&f->tracepoints, r->features.tracing_data, r->features.tracing_size,
			TP_PRINTABLE, NULL);
}

void emit_fields(struct emit *e, struct dump_fields *f, const struct reader *r,
		 const struct evsel *evsel, const struct sample *s)
{
	const struct tp_event *ev;
	struct strbuf sb = STRBUF_INIT;

	if (evsel->attr.type != PERF_TYPE_TRACEPOINT || !s->raw)
		return;
	open_formats(f, r);
	ev = tracepoints_event(f->tracepoints, evsel->attr.config);
	if (!ev || ev->refused)
		return;
	emit_list(e, "fields");
	for (size_t i = 0; i < ev->nr_fields; i++) {
		if (ev->fields[i].flags & TP_COMMON)
			continue;
		strbuf_clear(&sb);
		strbuf_addf(&sb, "%s=", ev->fields[i].name);
		if (tp_text(&ev->fields[i], s->raw, s->raw_size, &sb))
			emit_text(e, NULL, sb.s);
	}
	emit_list_end(e);
	strbuf_clear(&sb);
	if (tracepoints_print(f->tracepoints, ev, s->raw, s->raw_size, &sb) && sb.n)
		emit_text(e, "text", strbuf_str(&sb));
	strbuf_release(&sb);
}

void dump_fields_release(struct dump_fields *f)
{
	tracepoints_free(f->tracepoints);
	*f = (struct dump_fields){ 0 };
}
