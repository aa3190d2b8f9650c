/* SPDX-License-Identifier: MIT */
#include "collect/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

void tally_init(struct tally *t, size_t nr_events)
{
	*t = (struct tally){ .nr_events = nr_events };
	t->events = xcalloc(nr_events, sizeof(*t->events));
}

uint32_t tally_row(struct tally *t, uint32_t comm, int32_t pid, int32_t tid)
{
	uint64_t hash = hash_mix((uint64_t)(uint32_t)pid << 32 | (uint32_t)tid, comm);
	struct hashidx_iter it = hashidx_first(&t->row_index, hash);
	uint32_t i;

	while ((i = hashidx_next(&t->row_index, &it)) != HASHIDX_NONE) {
		const struct tally_row *r = &t->rows.v[i];

		if (r->comm == comm && r->pid == pid && r->tid == tid)
			return i;
	}
	i = (uint32_t)t->rows.n;
	hashidx_add(&t->row_index, hash, i);
	vec_push(&t->rows, (struct tally_row){ .comm = comm, .pid = pid, .tid = tid });
	return i;
}

static void note_cpu(struct tally *t, uint32_t cpu)
{
	struct hashidx_iter it;
	uint32_t i;

	if (t->cpus.n && t->cpus.v[t->cpus.n - 1] == cpu)
		return;
	it = hashidx_first(&t->cpu_index, hash_u64(cpu));
	while ((i = hashidx_next(&t->cpu_index, &it)) != HASHIDX_NONE)
		if (t->cpus.v[i] == cpu)
			return;
	hashidx_add(&t->cpu_index, hash_u64(cpu), (uint32_t)t->cpus.n);
	vec_push(&t->cpus, cpu);
}

static void note_span(struct tally *t, uint64_t first, uint64_t last)
{
	if (!t->has_time || first < t->first_ns)
		t->first_ns = first;
	if (!t->has_time || last > t->last_ns)
		t->last_ns = last;
	t->has_time = true;
}

void tally_sample(struct tally *t, const struct sample *s)
{
	if (s->left >= 8)
		t->leftover++;
	if (s->present & SAMPLE_CPU)
		note_cpu(t, s->cpu);
	if (s->present & SAMPLE_TIME)
		note_span(t, s->time, s->time);
}

void tally_merge(struct tally *dst, const struct tally *src)
{
	for (size_t i = 0; i < src->nr_events; i++) {
		dst->events[i].raw_samples += src->events[i].raw_samples;
		dst->events[i].samples += src->events[i].samples;
		dst->events[i].period += src->events[i].period;
		times_merge(&dst->events[i].times, &src->events[i].times);
	}
	for (size_t i = 0; i < src->rows.n; i++) {
		const struct tally_row *r = &src->rows.v[i];

		uint32_t row = tally_row(dst, r->comm, r->pid, r->tid); /* may move the rows */

		dst->rows.v[row].samples += r->samples;
	}
	for (size_t i = 0; i < src->cpus.n; i++)
		note_cpu(dst, src->cpus.v[i]);
	if (src->has_time)
		note_span(dst, src->first_ns, src->last_ns);
	dst->bad += src->bad;
	dst->unknown_id += src->unknown_id;
	dst->leftover += src->leftover;
	dst->deferred_missing += src->deferred_missing;
}

/* Sums over rows that are equal in one thing. */
struct groups {
	VEC(struct session_count) v;
	struct hashidx index;
};

static void add_group(struct groups *g, struct session_count key, uint64_t samples)
{
	uint64_t hash = hash_mix(key.comm, (uint32_t)key.pid);
	struct hashidx_iter it = hashidx_first(&g->index, hash);
	uint32_t i;

	while ((i = hashidx_next(&g->index, &it)) != HASHIDX_NONE) {
		if (g->v.v[i].comm == key.comm && g->v.v[i].pid == key.pid) {
			g->v.v[i].samples += samples;
			return;
		}
	}
	hashidx_add(&g->index, hash, (uint32_t)g->v.n);
	key.samples = samples;
	vec_push(&g->v, key);
}

static int by_samples(const void *pa, const void *pb, void *ctx)
{
	const struct session_count *a = pa, *b = pb;
	const struct profile *p = ctx;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return strcmp(profile_str(p, a->comm), profile_str(p, b->comm));
}

static struct session_count *take(struct groups *g, struct profile *p, size_t *n)
{
	hashidx_release(&g->index);
	if (g->v.n)
		qsort_r(g->v.v, g->v.n, sizeof(*g->v.v), by_samples, p);
	*n = g->v.n;
	return g->v.v;
}

static int by_thread(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* One thread may have had several names. */
static unsigned distinct_threads(const struct tally *t)
{
	uint64_t *ids = xcalloc(t->rows.n, sizeof(*ids));
	unsigned n = 0;

	for (size_t i = 0; i < t->rows.n; i++)
		ids[i] = (uint64_t)(uint32_t)t->rows.v[i].pid << 32 | (uint32_t)t->rows.v[i].tid;
	if (t->rows.n)
		qsort(ids, t->rows.n, sizeof(*ids), by_thread);
	for (size_t i = 0; i < t->rows.n; i++)
		n += !i || ids[i] != ids[i - 1];
	free(ids);
	return n;
}

void tally_finish(const struct tally *t, struct session *s)
{
	struct groups comms = { 0 }, pids = { 0 };

	for (size_t i = 0; i < t->rows.n; i++) {
		const struct tally_row *r = &t->rows.v[i];
		const char *name = timeline_comm_str(s->timeline, r->comm);
		struct session_count comm = {
			.comm = profile_string(s->profile, name, strlen(name)), .pid = -1
		};

		add_group(&comms, comm, r->samples);
		add_group(&pids, (struct session_count){ .pid = r->pid }, r->samples);
	}
	s->comms = take(&comms, s->profile, &s->nr_comms);
	s->pids = take(&pids, s->profile, &s->nr_pids);
	s->nr_threads = distinct_threads(t);
	s->nr_cpus = (unsigned)t->cpus.n;
	s->first_ns = t->first_ns;
	s->last_ns = t->last_ns;
	s->has_time = t->has_time;
	s->bad_samples = t->bad;
	s->unknown_id_samples = t->unknown_id;
	s->leftover_samples = t->leftover;
	s->deferred_missing = t->deferred_missing;
}

void tally_release(struct tally *t)
{
	for (size_t i = 0; i < t->nr_events; i++)
		times_release(&t->events[i].times);
	free(t->events);
	vec_release(&t->rows);
	hashidx_release(&t->row_index);
	vec_release(&t->cpus);
	hashidx_release(&t->cpu_index);
}
