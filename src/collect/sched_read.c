/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's tracepoints are found by name in the recording's own formats, never by number:
 * numbers are those of one boot of one kernel.
 */
#include "collect/sched_read.h"

#include "base/hash.h"

enum { TRACE_FLAG_HARDIRQ = 0x08, TRACE_FLAG_SOFTIRQ = 0x10 }; /* of common_flags */

/* ---- events ---- */

static enum sched_role role_of(const struct tp_event *ev)
{
	static const struct {
		const char *name;
		enum sched_role role;
	} roles[] = {
		{ "sched_switch", ROLE_SWITCH },
		{ "sched_waking", ROLE_WAKE },
		{ "sched_wakeup", ROLE_WAKE },
		{ "sched_wakeup_new", ROLE_NEW },
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
		if (!strcmp(ev->system, "sched") && !strcmp(ev->name, roles[i].name))
			return roles[i].role;
	return ROLE_NONE;
}

const struct tp_field *sched_read_state(const struct tp_event *ev)
{
	return ev && role_of(ev) == ROLE_SWITCH ? tp_event_field(ev, "prev_state") : NULL;
}

static struct sched_event plan_event(const struct tp_event *ev)
{
	struct sched_event e = { .role = ROLE_NONE };

	if (!ev)
		return e;
	e.role = (uint8_t)role_of(ev);
	e.flags = tp_event_field(ev, "common_flags");
	if (e.role == ROLE_SWITCH) {
		e.tid = tp_event_field(ev, "prev_pid");
		e.comm = tp_event_field(ev, "prev_comm");
		e.state = tp_event_field(ev, "prev_state");
		e.next_tid = tp_event_field(ev, "next_pid");
		e.next_comm = tp_event_field(ev, "next_comm");
	} else if (e.role != ROLE_NONE) {
		e.tid = tp_event_field(ev, "pid");
		e.comm = tp_event_field(ev, "comm");
	}
	return e;
}

static const struct sched_event *event_of(struct sched_read *sr, const struct session *s,
					  const struct evsel *evsel)
{
	const struct evlist *list = &s->reader->evlist;

	for (size_t i = sr->events.n; formats_get(&sr->formats, s->reader) && i < list->n; i++)
		vec_push(&sr->events,
			 plan_event(formats_event(&sr->formats, s->reader, &list->v[i])));
	return evsel->index < sr->events.n ? &sr->events.v[evsel->index] : NULL;
}

/* ---- records ---- */

static void add(struct sched_read *sr, const struct sched_record *r)
{
	if (!r->time) {
		sr->untimed++;
		return;
	}
	if (r->time > sr->end)
		sr->end = r->time;
	if (r->kind <= SCHED_WAKE && (!sr->has_time || r->time < sr->begin)) {
		sr->begin = r->time;
		sr->has_time = true;
	}
	sched_records_add(&sr->records, r);
}

static void take_name(struct sched_read *sr, int32_t tid, const struct tp_field *f,
		      const struct sample *s)
{
	uint64_t hash = hash_u64((uint32_t)tid);
	struct hashidx_iter it = hashidx_first(&sr->name_index, hash);
	struct sched_name name = { .tid = tid };
	const char *text;
	uint32_t id;
	size_t len;

	while ((id = hashidx_next(&sr->name_index, &it)) != HASHIDX_NONE)
		if (sr->names.v[id].tid == tid)
			return;
	if (!f || !tp_string(f, s->raw, s->raw_size, &text, &len))
		return;
	memcpy(name.comm, text, len < sizeof(name.comm) ? len : sizeof(name.comm) - 1);
	hashidx_add(&sr->name_index, hash, (uint32_t)sr->names.n);
	vec_push(&sr->names, name);
}

static void note_name(struct sched_read *sr, int32_t tid, const struct tp_field *f,
		      const struct sample *s)
{
	uint32_t *named = &sr->named[(uint32_t)tid % SCHED_NAMED], tid1 = (uint32_t)tid + 1;

	if (*named == tid1)
		return;
	take_name(sr, tid, f, s);
	*named = tid1;
}

static bool read_tid(const struct tp_field *f, const struct sample *s, int32_t *tid)
{
	uint64_t v;

	if (!f || !tp_number(f, s->raw, s->raw_size, &v))
		return false;
	*tid = (int32_t)v;
	return true;
}

static bool in_interrupt(const struct sched_event *e, const struct sample *s)
{
	uint64_t v;

	return e->flags && tp_number(e->flags, s->raw, s->raw_size, &v) &&
	       v & (TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ);
}

static void take_tracepoint(struct sched_read *sr, const struct sched_event *e,
			    const struct sample *s, uint64_t pos)
{
	struct sched_record r = { .time = s->time, .pos = pos, .cpu = s->cpu, .other = s->tid };
	uint64_t state;

	if (!read_tid(e->tid, s, &r.tid)) {
		sr->unreadable++;
		return;
	}
	note_name(sr, r.tid, e->comm, s);
	sr->wide |= s->present & SAMPLE_TID && s->tid == 0;
	if (e->role == ROLE_SWITCH) {
		if (!read_tid(e->next_tid, s, &r.other) || !e->state ||
		    !tp_number(e->state, s->raw, s->raw_size, &state)) {
			sr->unreadable++;
			return;
		}
		note_name(sr, r.other, e->next_comm, s);
		r.kind = SCHED_SWITCH;
		r.state = (uint8_t)sched_state_of(state);
		sr->has_switch = sr->has_states = true;
	} else {
		r.kind = e->role == ROLE_NEW ? SCHED_BORN : SCHED_WAKE;
		r.irq = in_interrupt(e, s);
		sr->has_wake = true;
	}
	add(sr, &r);
}

static void take_sample(struct sched_read *sr, const struct session *ses, const struct record *rec,
			const struct evsel *evsel)
{
	const struct sched_event *e;
	struct sample s;

	if (sample_decode(rec, evsel, &s, NULL) < 0)
		return;
	if (s.time > sr->end)
		sr->end = s.time;
	if (evsel->attr.type != PERF_TYPE_TRACEPOINT)
		return;
	e = event_of(sr, ses, evsel);
	if (e && e->role != ROLE_NONE)
		take_tracepoint(sr, e, &s, rec->pos);
}

/*
 * A switch of a CPU is two records, and what the kernel does between them, some microseconds with
 * events to be taken off and put on, is by its own clocks of threads the time of the one that comes:
 * it runs from when the other left.  sched_switch has that one time for both.
 */
static void take_switch(struct sched_read *sr, struct sched_record *r,
			const struct record_switch *sw)
{
	struct sched_left *left;

	r->kind = sw->out ? SCHED_OUT : SCHED_IN;
	r->state = sw->preempt ? STATE_READY : STATE_BLOCKED;
	if (r->cpu >= SCHED_CPU_LIMIT)
		return;
	if (r->cpu >= sr->left.n)
		vec_resize(&sr->left, (size_t)r->cpu + 1);
	left = &sr->left.v[r->cpu];
	if (sw->out) {
		*left = (struct sched_left){ r->time, sw->next_prev_tid };
		return;
	}
	if (left->time && left->next == r->tid && left->time < r->time)
		r->time = left->time;
	left->time = 0;
}

static void take_other(struct sched_read *sr, const struct record *rec, const struct evsel *evsel)
{
	struct sched_record r = { .pos = rec->pos, .other = -1, .cpu = UINT32_MAX };
	struct record_body body;

	if (record_decode(rec, evsel, &body, NULL) != 0)
		return;
	r.time = body.id.time;
	r.tid = body.id.tid;
	if (body.id.has_cpu)
		r.cpu = body.id.cpu;
	switch (rec->type) {
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
		if (r.tid < 0 && !body.sw.out)
			return;
		sr->has_switch = true;
		sr->wide |= rec->type == RECORD_SWITCH_CPU_WIDE;
		take_switch(sr, &r, &body.sw);
		break;
	case RECORD_FORK:
	case RECORD_EXIT:
		if (!body.task.time)
			return; /* was there before the recording */
		r.time = body.task.time;
		r.tid = body.task.tid;
		r.other = body.task.ptid;
		r.kind = rec->type == RECORD_FORK ? SCHED_BORN : SCHED_EXIT;
		break;
	default:
		if (!body.lost.lost)
			return; /* none was wanted that is not there */
		r.kind = SCHED_LOST;
		r.tid = -1;
		break;
	}
	add(sr, &r);
}

void sched_read_record(void *ctx, const struct session *s, const struct record *rec,
		       const struct evsel *evsel)
{
	struct sched_read *sr = ctx;

	switch (rec->type) {
	case RECORD_SAMPLE:
		if (evsel)
			take_sample(sr, s, rec, evsel);
		break;
	case RECORD_SWITCH:
	case RECORD_SWITCH_CPU_WIDE:
	case RECORD_FORK:
	case RECORD_EXIT:
	case RECORD_LOST:
	case RECORD_LOST_SAMPLES:
		take_other(sr, rec, evsel);
		break;
	default:
		break;
	}
}

void sched_read_finish(struct sched_read *sr)
{
	sched_records_sort(&sr->records);
}

const char *sched_read_name(const struct sched_read *sr, int32_t tid)
{
	struct hashidx_iter it = hashidx_first(&sr->name_index, hash_u64((uint32_t)tid));
	uint32_t id;

	while ((id = hashidx_next(&sr->name_index, &it)) != HASHIDX_NONE)
		if (sr->names.v[id].tid == tid)
			return sr->names.v[id].comm;
	return NULL;
}

uint32_t sched_read_switch(const struct sched_read *sr)
{
	for (size_t i = 0; i < sr->events.n; i++)
		if (sr->events.v[i].role == ROLE_SWITCH)
			return (uint32_t)i;
	return UINT32_MAX;
}

void sched_read_release(struct sched_read *sr)
{
	sched_records_release(&sr->records);
	formats_release(&sr->formats);
	vec_release(&sr->events);
	vec_release(&sr->names);
	vec_release(&sr->left);
	hashidx_release(&sr->name_index);
}
