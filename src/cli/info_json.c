/* SPDX-License-Identifier: MIT */
/*
 * The JSON form of perfrep info.  Keys, all always there; null where the file does not say:
 *
 *	file, mode "file" "pipe" "directory", endian "little" "big", complete (false: damaged, cut
 *	or never finalised), simpleperf, file_size, data_size, bytes_lost, arch, kernel,
 *	perf_version, hostname, cpu, cpuid, cpus_online, cpus_available, memory_kb, cmdline [words]
 *	events [{name, samples, period, raw_samples, lost, leader, ids, attr {…}}] in the order of
 *	the file; samples and period count a group read once for each counter that moved
 *	samples, lost_events, lost_samples, throttled, bad_samples, unknown_id_samples
 *	comms {name: samples}, pids {pid: samples}
 *	time {first_ns, last_ns} of samples, null without
 *	records {TYPE: count}, features [names], damaged_features [names]
 *	processes [{pid, tid, ppid, comm}], build_ids [{build_id, path}]
 *	problems [sentences]
 */
#include "cli/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "view/json.h"

static void put_header(struct json_object *o, const struct reader *r)
{
	const struct features *f = &r->features;
	struct json_object *words = json_new_array();

	json_put_text(o, "file", r->name);
	json_put_text(o, "mode", info_mode(r));
	json_put_text(o, "endian", r->be ? "big" : "little");
	json_put_bool(o, "complete", r->complete);
	json_put_bool(o, "simpleperf", r->simpleperf);
	json_put_uint(o, "file_size", r->file_size);
	json_put_uint(o, "data_size", r->data_size);
	json_put_uint(o, "bytes_lost", r->bytes_lost);
	json_put_text(o, "arch", f->arch);
	json_put_text(o, "kernel", f->osrelease);
	json_put_text(o, "perf_version", f->version);
	json_put_text(o, "hostname", f->hostname);
	json_put_text(o, "cpu", f->cpudesc);
	json_put_text(o, "cpuid", f->cpuid);
	json_put_uint(o, "cpus_online", f->cpus_online);
	json_put_uint(o, "cpus_available", f->cpus_available);
	json_put_uint(o, "memory_kb", f->total_mem_kb);
	json_append_texts(words, f->cmdline, f->nr_cmdline);
	json_put(o, "cmdline", words);
}

static struct json_object *attr_json(const struct attr *a)
{
	struct json_object *o = json_new();
	struct strbuf words = STRBUF_INIT;

	json_put_uint(o, "type", a->type);
	json_put_uint(o, "config", a->config);
	json_put_uint(o, "size", a->size);
	json_put_bool(o, "freq", attr_has(a, ATTR_FREQ));
	json_put_uint(o, "sample_period", a->sample_period);
	json_put_uint(o, "sample_type", a->sample_type);
	json_put_uint(o, "read_format", a->read_format);
	json_put_uint(o, "flags", a->flags);
	json_put_uint(o, "branch_sample_type", a->branch_sample_type);
	json_put_uint(o, "sample_regs_user", a->sample_regs_user);
	json_put_uint(o, "sample_stack_user", a->sample_stack_user);
	json_put_int(o, "clockid", a->clockid);
	info_attr_text(a, &words);
	json_put_text(o, "words", strbuf_str(&words));
	strbuf_release(&words);
	return o;
}

static struct json_object *events_json(const struct session *s)
{
	struct json_object *list = json_new_array();

	for (size_t i = 0; i < s->nr_events; i++) {
		const struct session_event *e = &s->events[i];
		struct json_object *o = json_new();

		json_put_text(o, "name", e->evsel->name);
		json_put_uint(o, "samples", e->samples);
		json_put_uint(o, "period", e->period);
		json_put_uint(o, "raw_samples", e->raw_samples);
		json_put_uint(o, "lost", e->lost);
		json_put_uint(o, "leader", e->evsel->leader);
		json_put_uint(o, "ids", e->evsel->nr_ids);
		json_put(o, "attr", attr_json(&e->evsel->attr));
		json_append(list, o);
	}
	return list;
}

static void put_counts(struct json_object *o, const struct session *s)
{
	struct json_object *comms = json_new(), *pids = json_new();

	json_put_uint(o, "samples", s->samples);
	json_put_uint(o, "lost_events", s->lost_events);
	json_put_uint(o, "lost_samples", s->lost_samples);
	json_put_uint(o, "throttled", s->throttled);
	json_put_uint(o, "bad_samples", s->bad_samples);
	json_put_uint(o, "unknown_id_samples", s->unknown_id_samples);
	for (size_t i = 0; i < s->nr_comms; i++)
		json_add_uint(comms, profile_str(s->profile, s->comms[i].comm),
			      s->comms[i].samples);
	for (size_t i = 0; i < s->nr_pids; i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%" PRId32, s->pids[i].pid);
		json_add_uint(pids, pid, s->pids[i].samples);
	}
	json_put(o, "comms", comms);
	json_put(o, "pids", pids);
}

static struct json_object *time_json(const struct session *s)
{
	struct json_object *o = json_new();

	if (s->has_time) {
		json_put_uint(o, "first_ns", s->first_ns);
		json_put_uint(o, "last_ns", s->last_ns);
	} else {
		json_put_null(o, "first_ns");
		json_put_null(o, "last_ns");
	}
	return o;
}

static struct json_object *records_json(const struct reader *r)
{
	struct json_object *o = json_new();

	for (uint32_t t = 0; t < sizeof(r->nr_by_type) / sizeof(*r->nr_by_type); t++)
		if (r->nr_by_type[t])
			json_put_uint(o, record_type_name(t), r->nr_by_type[t]);
	for (size_t i = 0; i < r->nr_other_types; i++)
		json_put_uint(o, record_type_name(r->other_types[i].type), r->other_types[i].count);
	return o;
}

static struct json_object *features_json(const uint8_t *bits)
{
	struct json_object *list = json_new_array();

	for (unsigned id = 0; id < FEATURE_MAX; id++)
		if (bits[id / 8] >> (id % 8) & 1)
			json_append_text(list, feature_name(id));
	return list;
}

static struct json_object *processes_json(const struct session *s)
{
	struct json_object *list = json_new_array();
	struct timeline_thread *threads;
	size_t n = timeline_threads(s->timeline, &threads);

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_new();

		json_put_int(o, "pid", threads[i].pid);
		json_put_int(o, "tid", threads[i].tid);
		if (threads[i].ppid >= 0)
			json_put_int(o, "ppid", threads[i].ppid);
		else
			json_put_null(o, "ppid");
		json_put_text(o, "comm", timeline_comm_str(s->timeline, threads[i].comm));
		json_append(list, o);
	}
	free(threads);
	return list;
}

static struct json_object *build_ids_json(const struct session *s)
{
	struct json_object *list = json_new_array();
	const struct dso_table *dsos = timeline_dsos(s->timeline);

	for (size_t i = 0; i < dsos->n; i++) {
		struct strbuf hex = STRBUF_INIT;
		struct json_object *o;

		if (!dsos->v[i]->build_id.size)
			continue;
		o = json_new();
		info_build_id_text(&dsos->v[i]->build_id, &hex);
		json_put_text(o, "build_id", strbuf_str(&hex));
		json_put_text(o, "path", dsos->v[i]->path);
		json_append(list, o);
		strbuf_release(&hex);
	}
	return list;
}

struct json_object *info_json(const struct session *s)
{
	struct json_object *o = json_new(), *problems = json_new_array();

	put_header(o, s->reader);
	json_put(o, "events", events_json(s));
	put_counts(o, s);
	json_put(o, "time", time_json(s));
	json_put(o, "records", records_json(s->reader));
	json_put(o, "features", features_json(s->reader->features.present));
	json_put(o, "damaged_features", features_json(s->reader->features.damaged));
	json_put(o, "processes", processes_json(s));
	json_put(o, "build_ids", build_ids_json(s));
	json_append_texts(problems, s->problems, s->nr_problems);
	json_put(o, "problems", problems);
	return o;
}
