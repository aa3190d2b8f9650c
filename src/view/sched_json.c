/* SPDX-License-Identifier: MIT */
#include "view/json.h"
#include "view/sched.h"

static struct json_object *delays_json(const struct sched_delays *d)
{
	struct json_object *o = json_new();

	json_put_uint(o, "n", d->n);
	json_put_uint(o, "sum_ns", d->sum);
	json_put_uint(o, "mean_ns", d->n ? d->sum / d->n : 0);
	json_put_uint(o, "p50_ns", d->p50);
	json_put_uint(o, "p99_ns", d->p99);
	json_put_uint(o, "max_ns", d->max);
	json_put_uint(o, "max_at_ns", d->max_at);
	return o;
}

static void put_thread(struct json_object *o, const struct sched_row *r)
{
	json_put_text(o, "comm", r->comm);
	if (r->pid >= 0)
		json_put_int(o, "pid", r->pid);
	else
		json_put_null(o, "pid");
	json_put_int(o, "tid", r->tid);
}

static struct json_object *row_json(const struct sched_row *r)
{
	static const char *const keys[PART_MAX] = {
		"run_ns",   "sleeping_ns",  "disk_ns",    "blocked_ns",
		"woken_ns", "preempted_ns", "unknown_ns",
	};
	struct json_object *o = json_new();

	put_thread(o, r);
	json_put_uint(o, "life_ns", r->life);
	for (int i = 0; i < PART_MAX; i++)
		json_put_uint(o, keys[i], r->time[i]);
	json_put_uint(o, "doubtful_ns", r->doubtful);
	json_put_uint(o, "switches", r->switches);
	json_put_uint(o, "preempted", r->preempted);
	json_put_uint(o, "migrations", r->migrations);
	json_put(o, "delays", delays_json(&r->delays));
	return o;
}

static struct json_object *histogram_json(const struct sched_table *t)
{
	struct json_object *list = json_new_array();

	for (unsigned b = 0; b < SCHED_BUCKETS; b++) {
		struct json_object *o;

		if (!t->histogram[b].n)
			continue;
		o = json_new();
		json_put_uint(o, "from_us", b ? (uint64_t)1 << b : 0);
		json_put_uint(o, "to_us", (uint64_t)2 << b);
		json_put_uint(o, "delays", t->histogram[b].n);
		json_put_uint(o, "sum_ns", t->histogram[b].sum);
		json_append(list, o);
	}
	return list;
}

static struct json_object *wait_json(const struct sched_table *t, const struct sched_wait *w)
{
	struct json_object *o = json_new(), *list = json_new_array(), *who;

	put_thread(o, &t->rows[w->row]);
	json_put_uint(o, "wait_ns", w->until - w->from);
	json_put_uint(o, "from_ns", w->from);
	if (w->cpu >= 0)
		json_put_int(o, "cpu", w->cpu);
	else
		json_put_null(o, "cpu"); /* it waits on when the recording ends */
	json_put_text(o, "why", w->was_preempted ? "preempted" : "woken");
	json_put_bool(o, "irq", w->irq);
	if (w->waker < t->nr_all) {
		who = json_new();
		put_thread(who, &t->rows[w->waker]);
		json_put(o, "waker", who);
	} else {
		json_put_null(o, "waker");
	}
	for (unsigned i = 0; i < w->nr_instead; i++) {
		who = json_new();
		put_thread(who, &t->rows[w->instead[i].row]);
		json_put_uint(who, "run_ns", w->instead[i].time);
		json_append(list, who);
	}
	json_put(o, "instead", list);
	return o;
}

struct json_object *sched_json(const struct sched_table *t, const struct sched_view *v)
{
	struct json_object *o = json_new(), *rows = json_new_array(), *waits;

	json_put_text(o, "file", v->file);
	json_put_uint(o, "begin_ns", t->begin);
	json_put_uint(o, "end_ns", t->end);
	json_put_uint(o, "cpus", t->nr_cpus);
	json_put_uint(o, "switches", t->switches);
	json_put_uint(o, "wakings", t->wakes);
	json_put_bool(o, "states_recorded", t->has_states);
	json_put_bool(o, "wakings_recorded", t->has_wakes);
	json_put_uint(o, "switches_missing", t->missing_in + t->missing_out);
	json_put_uint(o, "holes", t->holes);
	json_put_uint(o, "unreadable", t->unreadable);
	json_put_uint(o, "untimed", t->untimed);
	json_put(o, "delays", delays_json(&t->delays));
	for (size_t i = 0; i < t->n && (!v->limit || i < v->limit); i++)
		json_append(rows, row_json(&t->rows[i]));
	json_put(o, "threads", rows);
	json_put(o, "histogram", histogram_json(t));
	if (v->over) {
		waits = json_new_array();
		for (size_t i = 0; i < t->nr_worst; i++)
			json_append(waits, wait_json(t, &t->worst[i]));
		json_put(o, "waits", waits);
		json_put_uint(o, "waits_over", t->nr_over);
	}
	return o;
}
