/* SPDX-License-Identifier: MIT */
#include "collect/intake.h"

#include <stdlib.h>

#include "profile/filter.h"

void intake_shared_init(struct intake_shared *sh, const struct reader *r, const struct scan *sc,
			const struct session_options *opts, const struct fields *fields)
{
	*sh = (struct intake_shared){ .reader = r, .scan = sc, .opts = opts };
	sh->fields = fields && fields->names.n ? fields : NULL;
	sh->nr_events = scan_nr_events(sc, &r->evlist);
	sh->left_state = xcalloc(r->evlist.n, sizeof(*sh->left_state));
	for (size_t i = 0; i < r->evlist.n; i++)
		sh->left_state[i] =
			sched_read_state(formats_event(&sh->formats, r, &r->evlist.v[i]));
	sh->wanted = xcalloc(sh->nr_events, sizeof(*sh->wanted));
	for (size_t i = 0; i < r->evlist.n; i++)
		sh->wanted[i] = !opts->filter || filter_event(opts->filter, r->evlist.v[i].name);
	if (sc->has_time && sc->last_ns > sc->first_ns) {
		sh->has_blocks = true;
		sh->blocks_per_ns = PROFILE_BLOCKS / ((double)(sc->last_ns - sc->first_ns) + 1);
	}
	if (sc->offcpu.there)
		sh->wanted[sc->offcpu.event] = !opts->filter ||
					       filter_event(opts->filter, OFFCPU_EVENT);
	if (sc->offcpu.there && sc->offcpu.wall != PROFILE_NONE)
		sh->wanted[sc->offcpu.wall] = true; /* made only when it was asked for */
}

void intake_shared_release(struct intake_shared *sh)
{
	free(sh->wanted);
	free(sh->left_state);
	formats_release(&sh->formats);
}

void intake_init(struct intake *in, const struct intake_shared *sh, struct profile *p,
		 struct tally *tally)
{
	*in = (struct intake){ .shared = sh, .tally = tally };
	who_init(&in->who, sh->scan->timeline, p, sh->opts->keys);
}

void intake_release(struct intake *in)
{
	vec_release(&in->many);
	strbuf_release(&in->text);
}

/* The weights of what the recording counted: the period, or what each counter of a group moved. */
static void own_weights(struct intake *in)
{
	const struct sample *s = &in->s;

	if (s->present & SAMPLE_READ) {
		in->nr_weights = deltas_find(&in->shared->scan->deltas, in->pos, &in->delta_hint,
					     &in->weights);
		return;
	}
	in->one = (struct delta){ in->evsel->index, 0,
				  s->present & SAMPLE_PERIOD ? s->period
							     : in->evsel->attr.sample_period };
	in->weights = &in->one;
	in->nr_weights = 1;
}

/* Times outside the span (it may come from the header) fall into the slice that is nearest. */
static uint8_t block_of(const struct intake *in, uint64_t time)
{
	const struct intake_shared *sh = in->shared;
	uint64_t first = sh->scan->first_ns;
	double block;

	if (!sh->has_blocks || time <= first)
		return 0;
	block = (double)(time - first) * sh->blocks_per_ns;
	return block < PROFILE_BLOCKS ? (uint8_t)block : PROFILE_BLOCKS - 1;
}

bool intake_blocks(const struct intake *in)
{
	const struct tp_field *f = in->shared->left_state[in->evsel->index];
	uint64_t number;
	enum sched_state state;

	if (!f || !tp_number(f, in->s.raw, in->s.raw_size, &number))
		return false;
	state = sched_state_of(number);
	return state != STATE_READY && state != STATE_DEAD;
}

/* Of an absence what is outside of the wanted time counts as filtered. */
static void count_outside(struct intake *in, uint32_t event, const struct offcpu_part *part)
{
	struct profile_event *e = &in->who.profile->events[event];

	e->filtered_weight += part->outside;
	in->tally->events[event].period += part->outside;
	if (part->ns)
		return;
	e->filtered_samples++;
	in->tally->events[event].samples++;
}

static void add_absence(struct intake *in, const struct offcpu *o, const struct offcpu_absence *a)
{
	uint32_t events[] = { o->event, o->wall };
	struct offcpu_part parts[2];
	unsigned n = offcpu_parts(o, a, parts);

	in->absent_from = parts[n > 1 && !parts[0].ns].from;
	for (unsigned i = 0; i < n; i++) {
		uint8_t mark = (uint8_t)(1 + parts[i].mark);

		for (int k = 0; k < 2 && events[k] != PROFILE_NONE; k++) {
			if (parts[i].outside)
				count_outside(in, events[k], &parts[i]);
			if (parts[i].ns)
				vec_push(&in->many, (struct delta){ events[k], mark, parts[i].ns });
		}
	}
}

/* Time off the CPU after the sample, and time on it, for the derived events. */
static void more_weights(struct intake *in)
{
	const struct offcpu *o = &in->shared->scan->offcpu;
	const struct offcpu_absence *a = offcpu_find(o, in->pos, &in->offcpu_hint);
	bool on_cpu = o->wall != PROFILE_NONE && in->nr_own && in->weights[0].event == o->on_cpu;

	if (!a && !on_cpu)
		return;
	in->many.n = 0;
	for (size_t i = 0; i < in->nr_own; i++)
		vec_push(&in->many, in->weights[i]);
	if (on_cpu)
		vec_push(&in->many, (struct delta){ o->wall, 0, in->weights[0].weight });
	in->nr_timed = in->many.n;
	if (a)
		add_absence(in, o, a);
	in->weights = in->many.v;
	in->nr_weights = in->many.n;
}

static void find_weights(struct intake *in)
{
	own_weights(in);
	in->nr_own = in->nr_timed = in->nr_weights;
	if (in->shared->scan->offcpu.there)
		more_weights(in);
}

static const char *comm_of(const struct intake *in)
{
	return timeline_comm_str(in->who.timeline, in->thread->comm);
}

static bool wanted_fields(const struct intake *in)
{
	return !in->shared->fields || fields_accept(in->shared->fields, in->evsel, &in->s);
}

static bool wanted_sample(const struct intake *in)
{
	const struct filter *filter = in->shared->opts->filter;
	const struct sample *s = &in->s;

	return wanted_fields(in) &&
	       (!filter || filter_sample(filter, comm_of(in), s->pid, s->tid,
					 s->present & SAMPLE_CPU ? (int32_t)s->cpu : -1, s->time));
}

/* Absences are wanted whenever and wherever: they were cut to the times and CPUs that are wanted. */
static bool wanted_absence(const struct intake *in)
{
	const struct filter *filter = in->shared->opts->filter;

	return wanted_fields(in) &&
	       (!filter || filter_thread(filter, comm_of(in), in->s.pid, in->s.tid));
}

/* Tracepoints and the like, which are sampled each time, are at no rate. */
static bool has_rate(const struct attr *a)
{
	return a->type != PERF_TYPE_TRACEPOINT && a->sample_period > 1;
}

static void note_time(struct times *t, const struct sample *s, const struct attr *a)
{
	times_add(t, (struct sample_point){
			     .time = s->time,
			     .period = s->present & SAMPLE_PERIOD ? s->period : a->sample_period,
			     .ip = s->ip,
			     .thread = (uint32_t)s->tid,
			     .cpu = s->cpu,
			     .pid = s->pid,
			     .cpumode = (uint8_t)s->cpumode,
		     });
}

static uint32_t key_of(struct intake *in)
{
	struct profile *p = in->who.profile;
	struct stack_key key = p->keys[in->thread->key];

	strbuf_clear(&in->text);
	fields_key(in->shared->fields, in->evsel, &in->s, &in->text);
	key.fields = profile_string(p, strbuf_str(&in->text), in->text.n);
	return profile_key(p, &key);
}

static void count(struct intake *in, bool wanted, bool absence)
{
	struct tally *t = in->tally;
	struct who_thread *th = (struct who_thread *)in->thread;

	tally_sample(t, &in->s);
	t->events[in->evsel->index].raw_samples++;
	if (!in->shared->opts->no_hints && (in->s.present & SAMPLE_TIME) &&
	    has_rate(&in->evsel->attr))
		note_time(&t->events[in->evsel->index].times, &in->s, &in->evsel->attr);
	if (in->s.present & SAMPLE_TID) {
		if (th->fresh)
			th->slot = tally_row(t, th->comm, th->pid, th->tid);
		th->fresh = false;
		t->rows.v[th->slot].samples += in->nr_own;
	}
	for (size_t i = 0; i < in->nr_weights; i++) {
		struct profile_event *e = &in->who.profile->events[in->weights[i].event];

		t->events[in->weights[i].event].samples++;
		t->events[in->weights[i].event].period += in->weights[i].weight;
		if (!(i < in->nr_timed ? wanted : absence) ||
		    !intake_wants(in, in->weights[i].event)) {
			e->filtered_samples++;
			e->filtered_weight += in->weights[i].weight;
		}
	}
}

/* Only the absence is left. */
static void drop_timed(struct intake *in)
{
	in->weights += in->nr_timed;
	in->nr_weights -= in->nr_timed;
	in->nr_own = in->nr_timed = 0;
}

bool intake_take(struct intake *in, const struct record *rec)
{
	const struct reader *r = in->shared->reader;
	bool wanted, absence;

	if (rec->type != RECORD_SAMPLE)
		return false;
	in->evsel = evlist_evsel(&r->evlist, rec);
	if (!in->evsel) {
		in->tally->unknown_id++;
		return false;
	}
	if (sample_decode(rec, in->evsel, &in->s, NULL) < 0) {
		in->tally->bad++;
		return false;
	}
	in->pos = rec->pos;
	in->when = timeline_when(r->evlist.timed, in->s.time, rec->pos);
	find_weights(in);
	in->thread = who_thread(&in->who, &in->s, in->when);
	in->image = who_image(&in->who, in->s.pid, in->when);
	wanted = wanted_sample(in);
	absence = wanted || (in->nr_timed < in->nr_weights && wanted_absence(in));
	in->block = block_of(in, wanted || !absence ? in->s.time : in->absent_from);
	in->key = absence && in->shared->fields && fields_are_keys(in->shared->fields)
			  ? key_of(in)
			  : in->thread->key;
	count(in, wanted, absence);
	if (!wanted)
		drop_timed(in);
	return absence && in->nr_weights;
}

bool intake_stackless(struct intake *in, const struct offcpu_absence *a,
		      const struct offcpu_part *part, uint32_t *key)
{
	uint64_t when = timeline_when(in->shared->reader->evlist.timed, part->from, 0);
	const struct offcpu_thread *t = &in->shared->scan->offcpu.threads.v[a->thread];

	in->s = (struct sample){
		.pid = t->pid,
		.tid = t->tid,
		.time = part->from,
	};
	in->thread = who_thread(&in->who, &in->s, when);
	*key = in->thread->key;
	in->block = block_of(in, part->from);
	if (in->shared->fields && in->shared->fields->steps.n)
		return false; /* it has no fields */
	in->evsel = &in->shared->reader->evlist.v[0];
	return wanted_absence(in);
}

const struct deferred_chain *intake_deferred(struct intake *in)
{
	const struct deferred_chain *chain;
	uint64_t cookie;

	if (!in->shared->scan->deferred.announced || !sample_deferred_cookie(&in->s, &cookie))
		return NULL;
	chain = deferred_find(&in->shared->scan->deferred, in->s.tid, cookie, in->pos);
	if (!chain)
		in->tally->deferred_missing++;
	return chain;
}
