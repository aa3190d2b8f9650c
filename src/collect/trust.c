/* SPDX-License-Identifier: MIT */
/* What was asked of the sampler is in the event's attr; what it did, in the times of its samples. */
#include "collect/trust.h"

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

void trust_judge(struct session_event *e, struct times *t)
{
	if (!e->evsel || e->derived)
		return;
	e->wish = wish_of(&e->evsel->attr);
	sampling_judge(&e->sampling, t->v.v, t->v.n, &e->wish);
}
