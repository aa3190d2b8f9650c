/* SPDX-License-Identifier: MIT */
/*
 * The order of work: locations are sorted by (dso, address) and cut into jobs of neighbouring
 * addresses; threads take the jobs one after the other and collect lines in buffers of their own;
 * then the profile gets them, location by location in the order of the ids, so that
 * strings and functions have the same ids whatever the threads did.
 *
 * A thread keeps its DWARF index while it stays at one dso, so a file with many addresses is
 * opened once in each thread, and neighbouring addresses lie mostly in the same unit, which
 * only one thread walks.
 */
#include <perfrep/symbolizer.h>

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/pool.h"
#include "symbol/symbolizer_priv.h"

#define SLICE 1024 /* addresses of a job */

static int by_dso_addr(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->loc < y->loc ? -1 : x->loc > y->loc;
}

/* Those that lie in a dso and have no lines yet. */
static void collect_entries(struct symbolizer *s, const struct profile *p,
			    const struct dso_table *dsos)
{
	s->entries = xcalloc(p->nr_locs ? p->nr_locs : 1, sizeof(*s->entries));
	for (size_t i = 0; dsos && i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		if (l->kind == LOC_DSO && !l->nr_lines && l->dso < dsos->n)
			s->entries[s->n++] = (struct entry){ .loc = (uint32_t)i,
							     .dso = l->dso,
							     .addr = l->addr };
	}
	if (s->n)
		qsort(s->entries, s->n, sizeof(*s->entries), by_dso_addr);
}

/* One for each kernel image, and one for modules when there is none. */
static void make_kernels(struct symbolizer *s, const struct dso_table *dsos)
{
	for (size_t i = 0; dsos && i < dsos->n; i++)
		s->nr_kernels += dsos->v[i]->kind == DSO_KERNEL;
	s->kernels = xcalloc(s->nr_kernels + 1, sizeof(*s->kernels));
	s->nr_kernels = 0;
	for (size_t i = 0; dsos && i < dsos->n; i++)
		if (dsos->v[i]->kind == DSO_KERNEL)
			s->kernels[s->nr_kernels++].dso = dsos->v[i];
	for (size_t i = 0; i <= s->nr_kernels; i++)
		pthread_mutex_init(&s->kernels[i].lock, NULL);
}

static struct target_kernel *kernel_of(struct symbolizer *s, const struct dso *dso)
{
	for (size_t i = 0; i < s->nr_kernels; i++)
		if (s->kernels[i].dso == dso)
			return &s->kernels[i];
	return &s->kernels[0]; /* of a module */
}

static void make_jobs(struct symbolizer *s, const struct dso_table *dsos)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += !i || s->entries[i].dso != s->entries[i - 1].dso;
	s->targets = xcalloc(n + 1, sizeof(*s->targets));
	for (size_t i = 0, end; i < s->n; i = end) {
		struct target *t = &s->targets[s->nr_targets++];

		for (end = i; end < s->n && s->entries[end].dso == s->entries[i].dso;)
			end++;
		t->dso = dsos->v[s->entries[i].dso];
		t->kernel = kernel_of(s, t->dso);
		t->first = i;
		t->n = end - i;
		pthread_mutex_init(&t->lock, NULL);
		for (size_t at = i; at < end; at += SLICE) {
			vec_push(&s->jobs,
				 (struct job){ t, at, end - at < SLICE ? end - at : SLICE });
			t->jobs_left++;
		}
	}
}

static void open_once(struct symbolizer *s, struct target *t)
{
	pthread_mutex_lock(&t->lock);
	if (!t->opened)
		target_open(t, &s->ctx);
	t->opened = true;
	pthread_mutex_unlock(&t->lock);
}

static void run_job(void *arg, unsigned worker, size_t index)
{
	struct symbolizer *s = arg;
	struct target_reader *r = &s->readers[worker];
	struct job *job = &s->jobs.v[index];
	struct target *t = job->target;
	uint64_t done;

	open_once(s, t);
	for (size_t i = job->first; i < job->first + job->n; i++) {
		struct entry *e = &s->entries[i];

		e->worker = worker;
		e->first = (uint32_t)r->lines.lines.n;
		e->cached = target_lookup_cached(t, r, e->addr, &e->reason);
		if (!e->cached)
			e->reason = target_lookup(t, r, s->ctx.opts, e->addr);
		e->n = (uint32_t)(r->lines.lines.n - e->first);
	}
	if (atomic_fetch_sub(&t->jobs_left, 1) == 1)
		target_close(t);
	done = atomic_fetch_add(&s->done, job->n) + job->n;
	if (worker == 0 && s->progress)
		s->progress(s->progress_ctx, done, s->n);
}

static void run_jobs(struct symbolizer *s)
{
	unsigned threads = s->ctx.opts->threads ? s->ctx.opts->threads : pool_cpus();

	if (threads > s->jobs.n)
		threads = s->jobs.n ? (unsigned)s->jobs.n : 1;
	s->nr_readers = threads;
	s->readers = xcalloc(threads, sizeof(*s->readers));
	for (unsigned i = 0; i < threads; i++)
		s->readers[i].lines.no_demangle = s->ctx.opts->no_demangle;
	pool_run(threads, s->jobs.n, run_job, s);
	for (unsigned i = 0; i < threads; i++)
		target_reader_leave(&s->readers[i]);
}

static void count(struct symbolizer *s, struct symbolizer_counts *c)
{
	c->addresses = s->n;
	for (size_t i = 0; i < s->n; i++)
		c->cached += s->entries[i].cached;
	for (unsigned i = 0; i < s->nr_readers; i++) {
		c->units += s->readers[i].units;
		c->units_walked += s->readers[i].units_walked;
		c->dies += s->readers[i].dies;
	}
	for (size_t i = 0; i < s->nr_targets; i++)
		c->cache_files += s->targets[i].cache.used;
}

static void tell(struct symbolizer *s, struct symbolizer_result *result)
{
	count(s, &s->counts);
	result->counts = s->counts;
	result->n = s->nr_targets;
	result->dsos = xcalloc(result->n ? result->n : 1, sizeof(*result->dsos));
	for (size_t i = 0; i < s->nr_targets; i++) {
		struct target *t = &s->targets[i];
		struct symbolizer_dso *d = &result->dsos[i];

		d->dso = t->dso->id;
		d->locations = (uint32_t)t->n;
		for (size_t j = t->first; j < t->first + t->n; j++)
			d->unknown += s->entries[j].reason != UNKNOWN_NOT;
		d->reason = t->reason;
		d->path = t->path;
		d->debug_path = t->debug_path;
		d->note = t->note;
	}
}

static void release(struct symbolizer *s)
{
	for (unsigned i = 0; i < s->nr_readers; i++)
		target_reader_release(&s->readers[i]);
	for (size_t i = 0; i < s->nr_targets; i++)
		target_cache_close(&s->targets[i]);
	for (size_t i = 0; i < s->nr_targets; i++)
		pthread_mutex_destroy(&s->targets[i].lock);
	for (size_t i = 0; i <= s->nr_kernels; i++) {
		pthread_mutex_destroy(&s->kernels[i].lock);
		if (s->kernels[i].opened)
			kernelsyms_release(&s->kernels[i].syms);
	}
	free(s->readers);
	free(s->targets);
	free(s->kernels);
	free(s->entries);
	vec_release(&s->jobs);
}

void symbolize(struct profile *p, const struct dso_table *dsos, const struct features *features,
	       const struct symbolizer_options *opts, struct symbolizer_result *result,
	       void (*progress)(void *ctx, uint64_t done, uint64_t total), void *ctx)
{
	struct symbolizer s = { .ctx = { opts, features, NULL, NULL },
				.progress = progress,
				.progress_ctx = ctx };
	struct kernelsyms_live live = { 0 };
	struct cache_dir cache;
	struct utsname running;

	if (!opts->where.no_system && uname(&running) == 0)
		live = (struct kernelsyms_live){ "/proc/kallsyms", "/sys/kernel/notes",
						 running.release, running.machine };
	s.ctx.live = &live;
	if (opts->cache_dir) {
		cache_dir_open(&cache, opts->cache_dir);
		s.ctx.cache = &cache;
	}
	collect_entries(&s, p, dsos);
	make_kernels(&s, dsos);
	make_jobs(&s, dsos);
	run_jobs(&s);
	symbolizer_write(&s, p, dsos);
	if (s.ctx.cache) {
		symbolizer_save(&s);
		cache_dir_close(&cache);
	}
	tell(&s, result);
	release(&s);
}

void symbolizer_result_release(struct symbolizer_result *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->dsos[i].path);
		free(r->dsos[i].debug_path);
		free(r->dsos[i].note);
	}
	free(r->dsos);
	*r = (struct symbolizer_result){ 0 };
}
