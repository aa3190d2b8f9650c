/* SPDX-License-Identifier: MIT */
#include "cli/recorded.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

/* Whether a sample of the event carries the counts of its whole group. */
static bool reads_group(const struct evsel *e)
{
	return (e->attr.sample_type & SAMPLE_READ) && (e->attr.read_format & READ_GROUP);
}

/* Members of a group that is read together get its leader's number, others their own. */
static void find_groups(struct recorded *r, const struct session *s)
{
	r->group = xcalloc(s->nr_events + 1, sizeof(*r->group));
	for (uint32_t i = 0; i < s->nr_events; i++) {
		const struct evsel *e = s->events[i].evsel;

		r->group[i] = i;
		if (e && e->leader < s->nr_events && reads_group(s->events[e->leader].evsel))
			r->group[i] = e->leader;
	}
}

/* Counts that were read are exact; sums of periods are not quite. */
static void add_events(struct recorded *r, const struct session *s, bool all)
{
	for (uint32_t i = 0; i < s->nr_events; i++) {
		const struct profile_event *e = &s->profile->events[i];
		const struct evsel *evsel = s->events[i].evsel;
		uint64_t samples = all ? s->events[i].samples : e->samples;
		struct counter_reading reading = {
			.name = profile_str(s->profile, e->name),
			.name_len = profile_strlen(s->profile, e->name),
			.unit = e->unit ? profile_str(s->profile, e->unit) : "",
			.unit_len = e->unit ? profile_strlen(s->profile, e->unit) : 0,
			.time = -1,
			.spread = -1,
			.state = COUNTER_COUNTED,
			.value = (double)(all ? s->events[i].period : e->weight),
			.running = 1,
		};

		counter_set_add(&r->set, &reading);
		if (!evsel || !reads_group(s->events[evsel->leader].evsel))
			r->set.v[i].samples = samples;
		if (!samples)
			r->set.v[i].state = COUNTER_NOT_COUNTED;
	}
}

static void find_roles(struct recorded *r)
{
	const struct counter_analysis *a = &r->analysis;

	for (int role = 0; role < ROLE_MAX; role++) {
		for (size_t k = 0; k < COUNTER_KINDS; k++) {
			const struct counter *c = a->used[role][k];

			r->events.event[role][k] = c ? (uint32_t)(c - r->set.v) : PROFILE_NONE;
		}
	}
	r->time_event = r->events.event[ROLE_CYCLES][0];
	if (r->time_event == PROFILE_NONE)
		r->time_event = r->events.event[ROLE_CPU_TIME][0];
}

void recorded_init(struct recorded *r, const struct session *s, bool all,
		   const struct counter_options *opts)
{
	double ghz;

	*r = (struct recorded){ .time_event = PROFILE_NONE };
	r->set.source = SOURCE_RECORDING;
	if (s->reader)
		r->set.vendor = cpu_vendor_of(s->reader->features.cpuid, s->reader->features.arch);
	find_groups(r, s);
	add_events(r, s, all);
	counter_analyse(&r->analysis, &r->set, opts);
	find_roles(r);
	ghz = r->analysis.ghz.known ? r->analysis.ghz.value : 0;
	r->events.group = r->group;
	r->events.alone = counter_model(opts, ghz, opts->mlp > 0 ? opts->mlp : 1);
	r->events.together =
		counter_model(opts, ghz, opts->mlp > 0 ? opts->mlp : COST_STREAM_MLP_HIGH);
	r->events.topdown = &r->analysis.topdown;
	r->ratios = ratios_shape(&r->events).any;
}

void recorded_release(struct recorded *r)
{
	counter_set_release(&r->set);
	counter_analysis_release(&r->analysis);
	free(r->group);
	*r = (struct recorded){ .time_event = PROFILE_NONE };
}
