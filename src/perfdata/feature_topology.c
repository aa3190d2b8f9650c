/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs are of one core, die, socket, memory node or cache: what perf stat adds counts up by.
 *
 * CPU_TOPOLOGY has two lists of texts for eyes, then a core and a socket for each available CPU, then
 * another list and a die for each.  Older perfs end after any of these parts, so what is missing is
 * not damage.  Source: tools/perf/util/header.c (process_cpu_topology and its neighbours).
 */
#include "perfdata/feature_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"

static void skip_strings(struct cursor *c)
{
	uint32_t nr = cursor_u32(c);

	for (uint32_t i = 0; i < nr && !c->bad; i++)
		cursor_bytes(c, cursor_u32(c));
}

static void free_cpus(struct features *f)
{
	free(f->cpus);
	f->cpus = NULL;
	f->nr_cpus = 0;
}

void feature_cpu_topology(struct features *f, struct cursor *c, struct evlist *list)
{
	uint32_t nr = f->cpus_available;
	struct feature_cpu *cpus;
	bool dies;

	(void)list;
	skip_strings(c);
	skip_strings(c);
	if (c->bad || !nr || !cursor_has(c, nr, 8))
		return;
	cpus = xcalloc(nr, sizeof(*cpus));
	for (uint32_t i = 0; i < nr; i++) {
		cpus[i].core = cursor_u32(c);
		cpus[i].socket = cursor_u32(c);
		cpus[i].die = 0; /* one a socket: as all had before perf knew of dies */
	}
	if (cursor_has(c, 1, 4)) {
		skip_strings(c);
		dies = cursor_has(c, nr, 4);
		for (uint32_t i = 0; dies && i < nr; i++)
			cpus[i].die = cursor_u32(c);
	}
	if (c->bad) {
		free(cpus);
		return;
	}
	free_cpus(f);
	f->cpus = cpus;
	f->nr_cpus = nr;
}

static void free_nodes(struct feature_node *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i].cpus);
	free(v);
}

void feature_numa_topology(struct features *f, struct cursor *c, struct evlist *list)
{
	uint32_t nr = cursor_u32(c);
	VEC(struct feature_node) v = { 0 };

	(void)list;
	for (uint32_t i = 0; i < nr && !c->bad; i++) {
		struct feature_node n = { .node = cursor_u32(c) };

		cursor_u64(c); /* memory */
		cursor_u64(c); /* of it free */
		n.cpus = feature_string(c);
		if (n.cpus)
			vec_push(&v, n);
	}
	if (c->bad) {
		free_nodes(v.v, v.n);
		return;
	}
	free_nodes(f->nodes, f->nr_nodes);
	f->nodes = v.v;
	f->nr_nodes = v.n;
}

static void free_caches(struct feature_cache *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i].cpus);
	free(v);
}

void feature_cache(struct features *f, struct cursor *c, struct evlist *list)
{
	uint32_t version = cursor_u32(c), nr = cursor_u32(c);
	VEC(struct feature_cache) v = { 0 };

	(void)list;
	for (uint32_t i = 0; i < nr && version == 1 && !c->bad; i++) {
		struct feature_cache cache = { .level = cursor_u32(c) };
		char *type, *size;

		cursor_bytes(c, 12); /* line size, sets, ways */
		type = feature_string(c);
		size = feature_string(c);
		cache.cpus = feature_string(c);
		if (cache.cpus && strcmp(type, "Instruction") != 0)
			vec_push(&v, cache);
		else
			free(cache.cpus);
		free(type);
		free(size);
	}
	if (c->bad) {
		free_caches(v.v, v.n);
		return;
	}
	free_caches(f->caches, f->nr_caches);
	f->caches = v.v;
	f->nr_caches = v.n;
}

void feature_free_topology(struct features *f)
{
	free_cpus(f);
	free_nodes(f->nodes, f->nr_nodes);
	free_caches(f->caches, f->nr_caches);
}

/* Whether CPU is in a list such as "0-3,8"; *FIRST is the smallest number in it. */
static bool list_has(const char *list, uint32_t cpu, uint32_t *first)
{
	bool has = false;

	*first = UINT32_MAX;
	while (*list) {
		char *end;
		unsigned long from = strtoul(list, &end, 10), to = from;

		if (end == list)
			return has;
		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		*first = from < *first ? (uint32_t)from : *first;
		has |= cpu >= from && cpu <= to;
		list = *end == ',' ? end + 1 : end;
	}
	return has;
}

uint32_t features_node(const struct features *f, uint32_t cpu)
{
	uint32_t first;

	for (size_t i = 0; i < f->nr_nodes; i++)
		if (list_has(f->nodes[i].cpus, cpu, &first))
			return f->nodes[i].node;
	return UINT32_MAX;
}

uint32_t features_cache(const struct features *f, uint32_t cpu, uint32_t *level)
{
	uint32_t last = 0, first;

	for (size_t i = 0; i < f->nr_caches; i++)
		last = f->caches[i].level > last ? f->caches[i].level : last;
	if (!*level || *level > last)
		*level = last;
	for (size_t i = 0; i < f->nr_caches; i++)
		if (f->caches[i].level == *level && list_has(f->caches[i].cpus, cpu, &first))
			return first;
	return UINT32_MAX;
}
