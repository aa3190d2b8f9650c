/* SPDX-License-Identifier: MIT */
/*
 * raw_syscalls:sys_enter and sys_exit tell all calls by number; syscalls:sys_enter_NAME and
 * sys_exit_NAME are one call each, and know its name.
 */
#include "collect/syscall_read.h"

static const char *behind(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(s, prefix, n) ? NULL : s + n;
}

static struct syscall_event plan_raw(const struct tp_event *ev)
{
	struct syscall_event e = { .nr = tp_event_field(ev, "id") };

	if (!strcmp(ev->name, "sys_enter"))
		e.kind = SYSCALL_ENTER;
	else if (!strcmp(ev->name, "sys_exit"))
		e.kind = SYSCALL_RETURN;
	return e;
}

static struct syscall_event plan_named(const struct tp_event *ev)
{
	struct syscall_event e = { .name = behind(ev->name, "sys_enter_") };

	if (e.name) {
		e.kind = SYSCALL_ENTER;
	} else {
		e.name = behind(ev->name, "sys_exit_");
		e.kind = e.name ? SYSCALL_RETURN : SYSCALL_NONE;
	}
	e.nr = tp_event_field(ev, "__syscall_nr");
	if (!e.nr)
		e.nr = tp_event_field(ev, "nr"); /* before Linux 4.7 */
	return e;
}

static struct syscall_event plan_event(const struct tp_event *ev)
{
	struct syscall_event e = { .kind = SYSCALL_NONE };

	if (ev && !strcmp(ev->system, "raw_syscalls"))
		e = plan_raw(ev);
	else if (ev && !strcmp(ev->system, "syscalls"))
		e = plan_named(ev);
	if (e.kind == SYSCALL_RETURN)
		e.ret = tp_event_field(ev, "ret");
	return e;
}

static const struct syscall_event *event_of(struct syscall_read *sr, const struct session *s,
					    const struct evsel *evsel)
{
	const struct evlist *list = &s->reader->evlist;

	for (size_t i = sr->events.n; formats_get(&sr->formats, s->reader) && i < list->n; i++)
		vec_push(&sr->events,
			 plan_event(formats_event(&sr->formats, s->reader, &list->v[i])));
	return evsel->index < sr->events.n ? &sr->events.v[evsel->index] : NULL;
}

static void note_time(struct syscall_read *sr, uint64_t time)
{
	if (time > sr->end)
		sr->end = time;
	if (time && (!sr->begin || time < sr->begin))
		sr->begin = time;
}

static void take_sample(struct syscall_read *sr, const struct session *ses,
			const struct record *rec, const struct evsel *evsel)
{
	const struct syscall_event *e;
	struct syscall_record r;
	struct sample s;
	uint64_t nr, ret = 0;

	if (evsel->attr.type != PERF_TYPE_TRACEPOINT || sample_decode(rec, evsel, &s, NULL) < 0)
		return;
	note_time(sr, s.time);
	e = event_of(sr, ses, evsel);
	if (!e || e->kind == SYSCALL_NONE)
		return;
	sr->there = true;
	if (!e->nr || !tp_number(e->nr, s.raw, s.raw_size, &nr) || !s.time ||
	    (e->kind == SYSCALL_RETURN &&
	     (!e->ret || !tp_number(e->ret, s.raw, s.raw_size, &ret)))) {
		sr->unreadable++;
		return;
	}
	r = (struct syscall_record){ .time = s.time,
				     .pos = rec->pos,
				     .pid = s.pid,
				     .tid = s.tid,
				     .cpu = s.present & SAMPLE_CPU ? (int32_t)s.cpu : -1,
				     .nr = (int64_t)nr,
				     .ret = (int64_t)ret,
				     .name = e->name,
				     .kind = e->kind };
	vec_push(&sr->v, r);
}

void syscall_read_record(void *ctx, const struct session *s, const struct record *rec,
			 const struct evsel *evsel)
{
	struct syscall_read *sr = ctx;
	struct record_body body;

	if (rec->type == RECORD_SAMPLE && evsel) {
		take_sample(sr, s, rec, evsel);
	} else if (rec->type == RECORD_EXIT && record_decode(rec, evsel, &body, NULL) == 0) {
		note_time(sr, body.task.time);
		vec_push(&sr->v, (struct syscall_record){ .time = body.task.time,
							  .pos = rec->pos,
							  .pid = body.task.pid,
							  .tid = body.task.tid,
							  .kind = SYSCALL_THREAD_EXIT });
	}
}

static int by_time(const void *va, const void *vb)
{
	const struct syscall_record *a = va, *b = vb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

void syscall_read_finish(struct syscall_read *sr)
{
	if (sr->v.n)
		qsort(sr->v.v, sr->v.n, sizeof(*sr->v.v), by_time);
}

void syscall_read_release(struct syscall_read *sr)
{
	vec_release(&sr->v);
	vec_release(&sr->events);
	formats_release(&sr->formats);
}
