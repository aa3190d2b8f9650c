/* SPDX-License-Identifier: MIT */
/* What was asked of the sampler is in the event's attr; what it did, in the times of its samples. */
#include "collect/trust.h"

#include <stdlib.h>

#include "base/xmalloc.h"
#include "collect/locate.h"

enum { CONFIG_CPU_CLOCK = 0, CONFIG_TASK_CLOCK = 1 }; /* of PERF_TYPE_SOFTWARE */

static bool is_clock(const struct attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == CONFIG_CPU_CLOCK || a->config == CONFIG_TASK_CLOCK);
}

/* A clock's samples are a timer's, also when a frequency was asked for. */
static struct sampling_wish wish_of(const struct attr *a)
{
	struct sampling_wish w = { 0 };
	double value = (double)a->sample_period;

	if (!a->sample_period)
		return w;
	if (attr_has(a, ATTR_FREQ))
		w.frequency = value;
	if (is_clock(a))
		w.interval = w.frequency > 0 ? 1e9 / w.frequency : value;
	return w;
}

/* The function of the innermost line, or UINT32_MAX. */
static uint32_t func_at(const struct session *s, const struct sample_point *at, bool keep_ip)
{
	const struct profile *p = s->profile;
	uint32_t loc = locate_known(s->timeline, p, at, keep_ip);

	if (loc == PROFILE_NONE || !p->locs[loc].nr_lines)
		return UINT32_MAX;
	return p->lines[p->locs[loc].first_line].func;
}

static void judge_shares(const struct session *s, struct session_event *e, const struct times *t,
			 bool keep_ip)
{
	struct sample_hit *hits = xreallocarray(NULL, t->v.n + 1, sizeof(*hits));

	for (size_t i = 0; i < t->v.n; i++) {
		const struct sample_point *at = &t->v.v[i];

		hits[i] = (struct sample_hit){ at->time, at->ip, at->thread, at->cpu,
					       func_at(s, at, keep_ip) };
	}
	sampling_judge_shares(&e->sampling, hits, t->v.n, s->profile->nr_funcs, &e->wish);
	free(hits);
}

void trust_judge(const struct session *s, struct session_event *e, struct times *t, bool keep_ip)
{
	if (!e->evsel || e->derived)
		return;
	e->wish = wish_of(&e->evsel->attr);
	sampling_judge(&e->sampling, t->v.v, t->v.n, t->level > 0, &e->wish);
	judge_shares(s, e, t, keep_ip);
}
