/* SPDX-License-Identifier: MIT */
/* The sequential pass for those who want records: see session_walk(). */
#include <perfrep/session.h>

#include "collect/problems.h"

enum { PROGRESS_RECORDS = 1 << 14 };

static void note_lost(struct session *s, const struct record *rec, const struct evsel *evsel)
{
	struct record_body body;

	if (rec->type == RECORD_THROTTLE) {
		s->throttled++;
		return;
	}
	if (record_decode(rec, evsel, &body, NULL) != 0)
		return;
	if (rec->type == RECORD_LOST)
		s->lost_events += body.lost.lost;
	else
		s->lost_samples += body.lost.lost;
}

static void take(struct session *s, const struct record *rec, session_record_fn *fn, void *ctx)
{
	const struct evsel *evsel = NULL;

	if (rec->type < RECORD_USER_FIRST)
		evsel = evlist_evsel(&s->reader->evlist, rec);
	switch (rec->type) {
	case RECORD_SAMPLE:
		if (!evsel)
			s->unknown_id_samples++;
		break;
	case RECORD_COMPRESSED:
	case RECORD_COMPRESSED2:
		return;
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
	case RECORD_THROTTLE:
		note_lost(s, rec, evsel);
		break;
	default:
		timeline_add(s->timeline, rec);
		break;
	}
	fn(ctx, s, rec, evsel);
}

int session_walk(struct session *s, const struct session_options *opts, session_record_fn *fn,
		 void *ctx, struct err *err)
{
	uint64_t count = 0;
	struct record rec;
	int rc;

	*s = (struct session){ 0 };
	rc = reader_open(&s->reader, opts->path, err);
	if (rc < 0)
		return rc;
	s->timeline = timeline_new(&s->reader->evlist);
	while (reader_next(s->reader, &rec) == 0) {
		take(s, &rec, fn, ctx);
		if (opts->progress && ++count % PROGRESS_RECORDS == 0)
			opts->progress(opts->progress_ctx, SESSION_READ, reader_progress(s->reader),
				       s->reader->file_size);
	}
	timeline_finish(s->timeline);
	problems_collect(s);
	return 0;
}
