/* SPDX-License-Identifier: MIT */
/*
 * The pass is bound by memory: for a sample only the header is read, unless its group reads or
 * its time are needed.  Everything else is rare and goes through record_decode().
 */
#include "collect/scan.h"

#include <string.h>

#include "base/pool.h"
#include "collect/jit.h"

enum { PROGRESS_BYTES = 4 << 20 };

struct pass {
	struct scan *sc;
	struct reader *r;
	bool reads; /* some event has PERF_SAMPLE_READ */
	bool want_times, stitch;
	bool samples; /* one of these three: samples are looked at */
	const struct session *offcpu; /* NULL: not wanted, or the events don't tell it */
	struct jit_dumps dumps;
};

static void note_lost(struct pass *p, const struct record *rec, uint64_t id, uint64_t lost)
{
	struct scan *sc = p->sc;
	const struct evsel *evsel = id ? evlist_by_id(&p->r->evlist, id)
				       : evlist_evsel(&p->r->evlist, rec);

	if (!evsel)
		return;
	if (evsel->index >= sc->nr_events) {
		sc->lost_by_event = xreallocarray(sc->lost_by_event, p->r->evlist.n,
						  sizeof(*sc->lost_by_event));
		memset(sc->lost_by_event + sc->nr_events, 0,
		       (p->r->evlist.n - sc->nr_events) * sizeof(*sc->lost_by_event));
		sc->nr_events = p->r->evlist.n;
	}
	sc->lost_by_event[evsel->index] += lost;
}

static void note_time(struct scan *sc, uint64_t time)
{
	if (!sc->has_time || time < sc->first_ns)
		sc->first_ns = time;
	if (!sc->has_time || time > sc->last_ns)
		sc->last_ns = time;
	sc->has_time = true;
}

static void take_sample(struct pass *p, const struct record *rec)
{
	const struct evsel *evsel;
	struct sample s;

	evsel = evlist_evsel(&p->r->evlist, rec);
	if (!evsel || sample_decode(rec, evsel, &s, NULL) < 0)
		return;
	if (p->want_times && s.present & SAMPLE_TIME)
		note_time(p->sc, s.time);
	if (s.present & SAMPLE_READ)
		deltas_add(&p->sc->deltas, &p->r->evlist, evsel, &s, rec->pos);
	if (p->stitch && sample_has_call_stack(&s, evsel))
		stitch_add(&p->sc->stitch, &s, timeline_when(p->r->evlist.timed, s.time, rec->pos),
			   rec->pos);
}

/* Whether the recording may tell when threads left their CPUs. */
static bool has_switches(const struct evlist *list)
{
	const uint64_t need = SAMPLE_RAW | SAMPLE_TIME;

	for (size_t i = 0; i < list->n; i++) {
		const struct attr *a = &list->v[i].attr;

		if (attr_has(a, ATTR_CONTEXT_SWITCH) ||
		    (a->type == PERF_TYPE_TRACEPOINT && (a->sample_type & need) == need))
			return true;
	}
	return false;
}

/* Whether some event reads counters in its samples; attrs of a pipe may come late. */
static bool has_reads(const struct evlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].attr.sample_type & SAMPLE_READ)
			return true;
	return false;
}

static void take_side_band(struct pass *p, const struct record *rec)
{
	struct scan *sc = p->sc;
	struct record_body body;
	const struct evsel *evsel;

	timeline_add(sc->timeline, rec);
	evsel = rec->type < RECORD_USER_FIRST ? evlist_evsel(&p->r->evlist, rec) : NULL;
	if (record_decode(rec, evsel, &body, NULL) != 0)
		return;
	switch (rec->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		jit_note_map(&p->dumps, &body.mmap);
		break;
	case RECORD_LOST:
		sc->lost_events += body.lost.lost;
		note_lost(p, rec, body.lost.id, body.lost.lost);
		break;
	case RECORD_LOST_SAMPLES:
		sc->lost_samples += body.lost.lost;
		note_lost(p, rec, 0, body.lost.lost);
		break;
	case RECORD_THROTTLE:
		sc->throttled++;
		break;
	case RECORD_CALLCHAIN_DEFERRED:
		deferred_add(&sc->deferred, body.id.tid, rec->pos, &body.deferred, rec->be);
		break;
	default:
		break;
	}
}

size_t scan_nr_events(const struct scan *sc, const struct evlist *list)
{
	return list->n + sc->offcpu.there + (sc->offcpu.there && sc->offcpu.wall != PROFILE_NONE);
}

static void take_for_offcpu(struct pass *p, const struct record *rec)
{
	const struct evsel *evsel = NULL;

	if (rec->type < RECORD_USER_FIRST)
		evsel = evlist_evsel(&p->r->evlist, rec);
	sched_read_record(&p->sc->offcpu.read, p->offcpu, rec, evsel);
}

/* The events are known, or have become more. */
static void note_events(struct pass *p, const struct session *s, bool want_offcpu)
{
	struct reader *r = p->r;

	p->reads = has_reads(&r->evlist);
	p->offcpu = want_offcpu && has_switches(&r->evlist) ? s : NULL;
	p->samples = p->reads || p->want_times || p->stitch;
	reader_skip_samples(r, !p->samples && !p->offcpu);
}

void scan_run(struct scan *sc, const struct session *s, const struct session_options *opts,
	      bool want_times, bool want_offcpu)
{
	struct reader *r = s->reader;
	struct pass p = { .sc = sc, .r = r, .want_times = want_times, .stitch = opts->stitch_lbr };
	uint64_t next = PROGRESS_BYTES;
	struct record rec;

	*sc = (struct scan){ .timeline = timeline_new(&r->evlist) };
	reader_threads(r, opts->threads ? opts->threads : pool_cpus());
	note_events(&p, s, want_offcpu);
	while (reader_next(r, &rec) == 0) {
		if (p.offcpu)
			take_for_offcpu(&p, &rec);
		if (rec.type == RECORD_SAMPLE) {
			if (p.samples)
				take_sample(&p, &rec);
		} else if (rec.type == RECORD_HEADER_ATTR) {
			note_events(&p, s, want_offcpu);
		} else if (rec.type != RECORD_FINISHED_ROUND) {
			take_side_band(&p, &rec);
		}
		if (opts->progress && reader_progress(r) >= next) {
			next = reader_progress(r) + PROGRESS_BYTES;
			opts->progress(opts->progress_ctx, SESSION_READ, reader_progress(r),
				       r->file_size);
		}
	}
	for (size_t i = 0; i < r->evlist.n; i++)
		if (attr_has(&r->evlist.v[i].attr, ATTR_DEFER_CALLCHAIN))
			sc->deferred.announced = true;
	sc->deferred.announced |= sc->deferred.entries.n != 0;
	jit_load_dumps(&p.dumps, sc->timeline, &opts->symbols.where);
	timeline_finish(sc->timeline);
	offcpu_begin(&sc->offcpu, &r->evlist);
	stitch_finish(&sc->stitch);
	for (size_t i = 0; i < r->features.nr_build_ids; i++)
		dso_table_build_id(timeline_dsos(sc->timeline), r->features.build_ids[i].filename,
				   &r->features.build_ids[i].id);
}

void scan_release(struct scan *sc)
{
	deltas_release(&sc->deltas);
	deferred_release(&sc->deferred);
	offcpu_release(&sc->offcpu);
	stitch_release(&sc->stitch);
	free(sc->lost_by_event);
}
