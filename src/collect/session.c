/* SPDX-License-Identifier: MIT */
/*
 * A list of calls: open, scan, collapse, symbolise, filter, judge.  What the stages do is theirs.
 */
#include <perfrep/session.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "collect/collapse.h"
#include "collect/longnames.h"
#include "collect/problems.h"
#include "collect/quality.h"
#include "collect/trust.h"
#include "profile/filter.h"

#include <perfrep/folded.h>
#include <perfrep/source.h>

static void read_folded(struct session *s, const struct source *src)
{
	s->profile = profile_new();
	folded_read(s->profile, (const char *)src->data, src->size, "samples", &s->folded_skipped);
	s->nr_events = s->profile->nr_events;
	s->events = xcalloc(s->nr_events, sizeof(*s->events));
	for (size_t i = 0; i < s->nr_events; i++) {
		s->events[i].samples = s->profile->events[i].samples;
		s->events[i].period = s->profile->events[i].weight;
		s->samples += s->events[i].samples;
	}
	s->threads = 1;
}

static void close_input(struct session *s)
{
	if (s->input)
		source_release(s->input);
	free(s->input);
	s->input = NULL;
}

/*
 * Open the input.  0: a recording, in s->reader; 1: folded text, in s->profile.  What it is shows
 * in its bytes, and a pipe gives them only once: they stay in s->input.
 */
static int open_input(struct session *s, const struct session_options *opts, struct err *err)
{
	const struct source *src = opts->source;
	struct stat st;
	int rc;

	if (!src) {
		if (strcmp(opts->path, "-") && stat(opts->path, &st) == 0 && S_ISDIR(st.st_mode))
			return reader_open(&s->reader, opts->path, err);
		s->input = xcalloc(1, sizeof(*s->input));
		rc = source_open(s->input, opts->path, err);
		if (rc < 0)
			return rc;
		src = s->input;
	}
	if (reader_recognises(src) || !folded_begins((const char *)src->data, src->size))
		return reader_open_source(&s->reader, src, opts->path, err);
	s->input_bytes = src->size;
	read_folded(s, src);
	close_input(s);
	return 1;
}

/* A directory made by perf record --kcore holds the kernel's symbols. */
static char *kcore_kallsyms(const struct session_options *opts)
{
	struct strbuf path = STRBUF_INIT;
	struct stat st;

	if (opts->symbols.where.kallsyms)
		return NULL;
	strbuf_addf(&path, "%s/kcore_dir/kallsyms", opts->path);
	if (stat(path.s, &st) == 0 && S_ISREG(st.st_mode))
		return strbuf_detach(&path);
	strbuf_release(&path);
	return NULL;
}

static void on_symbolize(void *ctx, uint64_t done, uint64_t total)
{
	const struct session_options *opts = ctx;

	if (done < total)
		opts->progress(opts->progress_ctx, SESSION_SYMBOLIZE, done, total);
	else
		opts->progress(opts->progress_ctx, SESSION_JUDGE, 0, 0);
}

static void run_symbolizer(struct session *s, const struct session_options *opts)
{
	struct symbolizer_options so = opts->symbols;
	const struct dso_table *dsos = s->timeline ? timeline_dsos(s->timeline) : NULL;
	char *kallsyms = s->reader ? kcore_kallsyms(opts) : NULL;

	if (kallsyms)
		so.where.kallsyms = kallsyms;
	if (!so.threads)
		so.threads = opts->threads;
	symbolize(s->profile, dsos, s->reader ? &s->reader->features : NULL, &so, &s->symbols,
		  opts->progress ? on_symbolize : NULL, (void *)opts);
	free(kallsyms);
}

/* The event whose samples have the stacks of time off the CPU. */
static const struct evsel *switch_event(const struct scan *sc, const struct evlist *list)
{
	uint32_t i = sched_read_switch(&sc->offcpu.read);

	return &list->v[i < list->n ? i : 0];
}

static void take_events(struct session *s, const struct scan *sc, struct collapse *c)
{
	const struct evlist *list = &s->reader->evlist;

	s->nr_events = c->shared.nr_events;
	s->events = xcalloc(s->nr_events, sizeof(*s->events));
	for (size_t i = 0; i < s->nr_events; i++) {
		struct session_event *e = &s->events[i];

		e->derived = i >= list->n;
		e->evsel = e->derived ? switch_event(sc, list) : &list->v[i];
		e->raw_samples = c->tally.events[i].raw_samples;
		e->samples = c->tally.events[i].samples;
		e->period = c->tally.events[i].period;
		e->lost = i < sc->nr_events ? sc->lost_by_event[i] : 0;
		if (!e->derived)
			s->samples += e->samples;
	}
	s->lost_events = sc->lost_events;
	s->lost_samples = sc->lost_samples;
	s->throttled = sc->throttled;
	s->unwind = c->unwind;
	s->threads = c->threads;
}

/* Events that are named by the filter, and that there are besides the recording's own. */
static bool filter_derived(const struct session_options *opts, const struct scan *sc)
{
	return sc->offcpu.there &&
	       (filter_event(opts->filter, OFFCPU_EVENT) || sc->offcpu.wall != PROFILE_NONE);
}

/* Whether time off the CPU is wanted: unless only numbers are, or other events. */
static bool wants_offcpu(const struct session_options *opts)
{
	const struct filter *f = opts->filter;

	return !opts->no_symbols &&
	       (!f || filter_event(f, OFFCPU_EVENT) || filter_event(f, WALL_EVENT));
}

static bool takes_all(const struct filter *f)
{
	bool has = filter_condition(f) != NULL;

	for (int kind = 0; f && kind < FILTER_KINDS && !has; kind++)
		has = filter_has(f, (enum filter_kind)kind);
	return !has;
}

/* Where there are samples of sched_switch, and all are taken, time off the CPU is not the first event. */
static void leave_out_offcpu(struct session *s, struct scan *sc, const struct session_options *opts)
{
	s->offcpu_left_out = opts->one_event && sc->offcpu.there && sc->offcpu.read.has_states &&
			     takes_all(opts->filter);
	if (s->offcpu_left_out)
		sc->offcpu.there = false;
}

/* Wall-clock time, the sum of time on and off the CPU, is there when it is asked for by name. */
static void add_wall(struct scan *sc, const struct session_options *opts)
{
	struct offcpu *o = &sc->offcpu;

	if (o->there && o->on_cpu != PROFILE_NONE && opts->filter &&
	    filter_has(opts->filter, FILTER_EVENT) && filter_event(opts->filter, WALL_EVENT))
		o->wall = o->event + 1;
}

static bool has_offcpu_time(const struct evlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (evsel_is_offcpu_time(&list->v[i]))
			return true;
	return false;
}

/* What a derived event that was asked for lacks; 0 when none was. */
static int lacks_derived(const struct session_options *opts, const struct scan *sc,
			 const struct evlist *list, struct err *err)
{
	bool wall = filter_event(opts->filter, WALL_EVENT);

	if (!wall && !filter_event(opts->filter, OFFCPU_EVENT))
		return 0;
	if (!sc->offcpu.there)
		return err_set(err, ERR_NOT_FOUND,
			       "%s does not tell when threads left their CPUs; record with -e "
			       "sched:sched_switch,sched:sched_waking -a -g, or with "
			       "--switch-events%s",
			       opts->path,
			       has_offcpu_time(list) ? "; what perf record --off-cpu summed up is "
						       "the event offcpu-time"
						     : "");
	return err_set(err, ERR_NOT_FOUND,
		       "%s has no time on the CPU to add to that off it; record cpu-clock or "
		       "task-clock too",
		       opts->path);
}

/* The filters that need the recording's span, and the events that they name. */
static int bind_filter(const struct session_options *opts, const struct scan *sc,
		       const struct evlist *list, struct err *err)
{
	struct strbuf names = STRBUF_INIT;
	int rc = 0;

	if (!opts->filter)
		return 0;
	if (sc->has_time)
		filter_set_span(opts->filter, sc->first_ns, sc->last_ns);
	if (!filter_has(opts->filter, FILTER_EVENT) || filter_derived(opts, sc))
		return 0;
	for (size_t i = 0; i < list->n; i++) {
		if (filter_event(opts->filter, list->v[i].name)) {
			strbuf_release(&names);
			return 0;
		}
		strbuf_addf(&names, "%s%s", i ? ", " : "", list->v[i].name);
	}
	rc = lacks_derived(opts, sc, list, err);
	if (!rc)
		rc = err_set(err, ERR_NOT_FOUND,
			     "%s: none of its events is the one asked for; it has: %s", opts->path,
			     strbuf_str(&names));
	strbuf_release(&names);
	return rc;
}

static const char *module_path(const void *ctx, uint32_t dso)
{
	const struct session *s = ctx;

	return dso < s->nr_long_names ? s->long_names[dso] : NULL;
}

struct profile_modules session_modules(const struct session *s)
{
	return (struct profile_modules){ .path = module_path, .ctx = s };
}

static void filter_stacks(struct session *s, const struct session_options *opts)
{
	struct profile_modules modules = session_modules(s);

	if (opts->filter && filter_on_stacks(opts->filter))
		filter_profile(s->profile, opts->filter, &modules);
}

/* The span of the samples' times, for a filter, and to cut it into slices. */
static void scan(struct scan *sc, const struct session *s, const struct session_options *opts)
{
	const struct features *f = &s->reader->features;
	bool known = f->last_sample_ns > f->first_sample_ns;

	scan_run(sc, s, opts,
		 (opts->filter && filter_needs_span(opts->filter)) || (!known && !opts->no_symbols),
		 wants_offcpu(opts));
	if (!sc->has_time && known) {
		sc->has_time = true;
		sc->first_ns = f->first_sample_ns;
		sc->last_ns = f->last_sample_ns;
	}
}

/* How far the result can be trusted. */
static void judge(struct session *s, const struct collapse *c, const struct session_options *opts)
{
	quality_judge(s, c->flags);
	for (size_t i = 0; i < s->nr_events; i++)
		trust_judge(s, &s->events[i], &c->tally.events[i].times, opts->keep_ip);
}

static int run_recording(struct session *s, const struct session_options *opts, struct err *err)
{
	struct fields fields = { 0 };
	struct collapse c;
	struct scan sc;
	int rc;

	s->input_bytes = s->reader->file_size;
	scan(&sc, s, opts);
	leave_out_offcpu(s, &sc, opts);
	add_wall(&sc, opts);
	s->timeline = sc.timeline;
	s->long_names = longnames_new(timeline_dsos(s->timeline));
	s->nr_long_names = timeline_dsos(s->timeline)->n;
	rc = bind_filter(opts, &sc, &s->reader->evlist, err);
	offcpu_finish(&sc.offcpu, sc.timeline, opts->filter);
	if (rc >= 0)
		rc = fields_init(&fields, s->reader, opts, err);
	if (rc < 0) {
		fields_release(&fields);
		scan_release(&sc);
		return rc;
	}
	timings_step(&s->timings, STEP_SCAN);
	collapse_run(&c, s->reader, &sc, opts, &fields);
	s->profile = c.profile;
	s->offcpu = c.offcpu;
	take_events(s, &sc, &c);
	tally_finish(&c.tally, s);
	timings_step(&s->timings, STEP_COLLAPSE);
	if (!opts->no_symbols) {
		run_symbolizer(s, opts);
		timings_step(&s->timings, STEP_SYMBOLIZE);
		if (opts->progress) /* a worker that was behind may have had the last word */
			opts->progress(opts->progress_ctx, SESSION_JUDGE, 0, 0);
		filter_stacks(s, opts);
		if (!opts->no_hints)
			judge(s, &c, opts);
	}
	c.profile = NULL; /* it is the session's now */
	collapse_release(&c);
	fields_release(&fields);
	scan_release(&sc);
	return 0;
}

int session_run(struct session *s, const struct session_options *opts, struct err *err)
{
	int rc;

	*s = (struct session){ 0 };
	timings_start(&s->timings);
	rc = open_input(s, opts, err);
	timings_step(&s->timings, STEP_OPEN);
	if (rc == 0) {
		rc = run_recording(s, opts, err);
	} else if (rc == 1) {
		run_symbolizer(s, opts);
		timings_step(&s->timings, STEP_SYMBOLIZE);
		filter_stacks(s, opts);
		rc = 0;
	}
	if (rc < 0) {
		session_release(s);
		return rc;
	}
	problems_collect(s);
	timings_step(&s->timings, STEP_JUDGE);
	return 0;
}

void session_release(struct session *s)
{
	for (size_t i = 0; i < s->nr_problems; i++)
		free(s->problems[i]);
	free(s->problems);
	free(s->events);
	free(s->comms);
	free(s->pids);
	longnames_free(s->long_names, s->nr_long_names);
	symbolizer_result_release(&s->symbols);
	offcpu_detail_free(s->offcpu);
	profile_free(s->profile);
	timeline_free(s->timeline);
	reader_free(s->reader);
	close_input(s);
	*s = (struct session){ 0 };
}
