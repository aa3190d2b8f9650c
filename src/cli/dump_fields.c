/* SPDX-License-Identifier: MIT */
/*
 * Fields stand in a list of their own, since an event may call one "pid" or "time".  Those that all
 * tracepoints have (common_…) are left out: they repeat the sample.
 */
#include "cli/dump_fields.h"

void emit_fields(struct emit *e, struct formats *f, const struct reader *r,
		 const struct evsel *evsel, const struct sample *s)
{
	const struct tp_event *ev = s->raw ? formats_event(f, r, evsel) : NULL;
	struct strbuf sb = STRBUF_INIT;

	if (!ev || ev->refused)
		return;
	emit_list(e, "fields");
	for (size_t i = 0; i < ev->nr_fields; i++) {
		if (ev->fields[i].flags & TP_COMMON)
			continue;
		strbuf_clear(&sb);
		strbuf_adds(&sb, ev->fields[i].name);
		strbuf_addc(&sb, '=');
		if (tp_text(&ev->fields[i], s->raw, s->raw_size, &sb))
			emit_text(e, NULL, sb.s);
	}
	emit_list_end(e);
	strbuf_clear(&sb);
	if (tracepoints_print(formats_get(f, r), ev, s->raw, s->raw_size, NULL, &sb) && sb.n)
		emit_text(e, "text", strbuf_str(&sb));
	strbuf_release(&sb);
}
