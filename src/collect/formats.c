/* SPDX-License-Identifier: MIT */
/*
 * A file has its tracing data from the start.  In a pipe it is a record, which comes before the
 * first sample that needs it; until then each question is asked anew.  Data that makes no sense is
 * tried once.
 */
#include "collect/formats.h"

const struct tracepoints *formats_get(struct formats *f, const struct reader *r)
{
	const struct features *features = &r->features;

	if (!f->tried && features->tracing_data) {
		f->tried = true;
		tracepoints_new(&f->tracepoints, features->tracing_data, features->tracing_size,
				f->options, NULL);
	}
	return f->tracepoints;
}

const struct tp_event *formats_event(struct formats *f, const struct reader *r,
				     const struct evsel *evsel)
{
	if (evsel->attr.type != PERF_TYPE_TRACEPOINT)
		return NULL;
	return tracepoints_event(formats_get(f, r), evsel->attr.config);
}

void formats_release(struct formats *f)
{
	tracepoints_free(f->tracepoints);
	*f = (struct formats){ 0 };
}
