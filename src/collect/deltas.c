/* SPDX-License-Identifier: MIT */
/*
 * The kernel writes running totals (perf_output_read() in kernel/events/core.c).  A total is
 * that of one event id; when the event is inherited, each thread that inherited it counts on its
 * own under the same id.  A total that went down was reset: then it is the difference itself.
 */
#include "collect/deltas.h"

#include "base/bisect.h"
#include "base/hash.h"

static struct delta_total *total_of(struct deltas *d, uint64_t id, int32_t tid)
{
	uint64_t hash = hash_mix(id, (uint32_t)tid);
	struct hashidx_iter it = hashidx_first(&d->index, hash);
	uint32_t i;

	while ((i = hashidx_next(&d->index, &it)) != HASHIDX_NONE)
		if (d->totals.v[i].id == id && d->totals.v[i].tid == tid)
			return &d->totals.v[i];
	hashidx_add(&d->index, hash, (uint32_t)d->totals.n);
	vec_push(&d->totals, (struct delta_total){ .id = id, .tid = tid });
	return &d->totals.v[d->totals.n - 1];
}

void deltas_add(struct deltas *d, const struct evlist *list, const struct evsel *evsel,
		const struct sample *s, uint64_t pos)
{
	struct delta_sample ds = { .pos = pos, .first = (uint32_t)d->deltas.n };
	bool has_id = evsel->attr.read_format & READ_ID;
	int32_t tid = attr_has(&evsel->attr, ATTR_INHERIT) ? s->tid : -1;

	for (uint64_t i = 0; i < s->read_nr; i++) {
		struct record_read_value v = sample_read_value(s, i);
		const struct evsel *of = has_id ? evlist_by_id(list, v.id) : evsel;
		struct delta_total *total;
		uint64_t moved;

		if (!of)
			continue;
		total = total_of(d, has_id ? v.id : UINT64_MAX - evsel->index, tid);
		moved = v.value >= total->value ? v.value - total->value : v.value;
		total->value = v.value;
		if (moved)
			vec_push(&d->deltas, (struct delta){ of->index, 0, moved });
	}
	ds.n = (uint32_t)d->deltas.n - ds.first;
	if (ds.n)
		vec_push(&d->samples, ds);
}

/* The first sample at or behind POS, from LO on. */
static size_t lower_bound(const struct deltas *d, uint64_t pos, size_t lo)
{
	return lo + bisect(i, d->samples.n - lo, d->samples.v[lo + i].pos < pos);
}

size_t deltas_find(const struct deltas *d, uint64_t pos, size_t *hint, const struct delta **out)
{
	size_t at = *hint;

	if (at >= d->samples.n || d->samples.v[at].pos != pos) {
		/* out of step (a new chunk, or samples that moved nothing): look for it */
		at = at < d->samples.n && d->samples.v[at].pos < pos ? at : 0;
		at = lower_bound(d, pos, at);
		*hint = at;
		if (at == d->samples.n || d->samples.v[at].pos != pos)
			return 0;
	}
	*hint = at + 1;
	*out = d->deltas.v + d->samples.v[at].first;
	return d->samples.v[at].n;
}

void deltas_release(struct deltas *d)
{
	vec_release(&d->samples);
	vec_release(&d->deltas);
	vec_release(&d->totals);
	hashidx_release(&d->index);
}
