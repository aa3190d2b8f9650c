/* SPDX-License-Identifier: MIT */
/* Output of perf stat: what is read has sane numbers, and its parts add up to it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include <perfrep/counters.h>

#include "base/strbuf.h"
#include "view/counters.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_counter(const struct counter_set *set, size_t i)
{
	const struct counter *c = &set->v[i];
	double sum = 0;
	unsigned parts = 0;

	for (size_t k = 0; k < set->nr_parts; k++) {
		const struct counter_part *p = &set->parts[k];

		if (p->counter >= set->n || p->where >= set->nr_wheres)
			abort();
		if (p->counter != i)
			continue;
		parts++;
		if (p->state == COUNTER_COUNTED)
			sum += p->value;
		else if (p->value != 0)
			abort();
	}
	if (parts != c->parts || fabs(sum - c->value) > 1e-9 * fabs(sum))
		abort();
	if (!(c->value >= 0) || !isfinite(c->value) || !(c->running >= 0 && c->running <= 1))
		abort();
	if (c->state != COUNTER_COUNTED && c->value != 0)
		abort();
}

static void check_metrics(const struct counter_set *set)
{
	if (!set->nr_metrics == !set->n)
		abort(); /* one or the other */
	for (size_t i = 0; i < set->nr_metrics; i++) {
		const struct counter_metric *m = &set->metric[i];

		if (m->where >= set->nr_wheres || !(m->value >= 0) || !isfinite(m->value))
			abort();
	}
}

static void check_share(double v)
{
	if (!(v >= 0 && v <= 1))
		abort();
}

static void check_analysis(const struct counter_set *set)
{
	const struct counter_options opts = { .mlp = 0 };
	const struct view_style style = { .format = VIEW_TEXT };
	struct strbuf sb = STRBUF_INIT;
	struct counter_analysis a;

	counter_analyse(&a, set, &opts);
	for (unsigned i = 0; i < a.verdict.n; i++)
		check_share(a.verdict.memory[i]);
	check_share(a.verdict.branch);
	if (a.ipc.known && !(a.ipc.value >= 0))
		abort();
	counters_table(set, &style, &sb);
	counters_metrics(set, &style, &sb);
	counters_parts(set, &opts, &style, 10, &sb);
	counters_print(&a, &style, &sb);
	strbuf_release(&sb);
	counter_analysis_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct counter_set set;
	struct err err;

	if (counter_set_parse(&set, (const char *)data, size, "fuzz", &err) < 0)
		return 0;
	check_metrics(&set);
	for (size_t i = 0; i < set.n && i < 50; i++)
		check_counter(&set, i);
	check_analysis(&set);
	counter_set_release(&set);
	return 0;
}
