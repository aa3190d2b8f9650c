/* SPDX-License-Identifier: MIT */
/*
 * The order of work: locations are sorted by (dso, address); the first thread that comes to a dso
 * opens it and puts its addresses in groups, each with all addresses of some units of its DWARF,
 * so that no unit is read by two threads, each of which has an index of its own.  Threads take
 * groups and collect lines in buffers of their own; then the profile gets them, location by
 * location in the order of the ids, so that strings and functions have the same ids whatever the
 * threads did.
 *
 * The dsos with the most addresses come first.  Each is on the list again for every further thread
 * that it is worth: a thread that has nothing else to do joins those that work on it.
 */
#include <perfrep/symbolizer.h>

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/keyed.h"
#include "base/pool.h"
#include "symbol/symbolizer_priv.h"

#define GROUP     64 /* addresses: about as many as make a unit worth another thread's time */
#define GROUP_MAX 1024 /* of those that are in no unit */
#define SHARE     1024 /* addresses that are worth a further thread, which has to open the file too */

int symbolizer_by_address(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->dso != y->dso)
		return x->dso < y->dso ? -1 : 1;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return x->loc < y->loc ? -1 : x->loc > y->loc;
}

/* By dso and address, as symbolizer_by_address() has it: they come by location. */
static void sort_entries(struct symbolizer *s)
{
	struct entry *sorted = xcalloc(s->n + 1, sizeof(*sorted));
	struct keyed *keys = xcalloc(s->n + 1, sizeof(*keys));

	for (size_t i = 0; i < s->n; i++)
		keys[i] = (struct keyed){ s->entries[i].addr, (uint32_t)i };
	keyed_sort(keys, s->n);
	for (size_t i = 0; i < s->n; i++)
		keys[i].key = s->entries[keys[i].at].dso;
	keyed_sort(keys, s->n);
	for (size_t i = 0; i < s->n; i++)
		sorted[i] = s->entries[keys[i].at];
	free(keys);
	free(s->entries);
	s->entries = sorted;
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
	sort_entries(s);
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

static void make_targets(struct symbolizer *s, const struct dso_table *dsos)
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
		target_init(t);
	}
}

static int most_first(const void *a, const void *b)
{
	const struct target *x = *(struct target *const *)a, *y = *(struct target *const *)b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void make_jobs(struct symbolizer *s, unsigned threads)
{
	size_t nr_targets = s->nr_targets;

	for (size_t i = 0; i < nr_targets; i++)
		vec_push(&s->jobs, &s->targets[i]);
	if (nr_targets)
		qsort(s->jobs.v, nr_targets, sizeof(*s->jobs.v), most_first);
	for (unsigned share = 1; share < threads; share++)
		for (size_t i = 0; i < nr_targets && s->jobs.v[i]->n / SHARE >= share; i++)
			vec_push(&s->jobs, s->jobs.v[i]);
	for (size_t i = 0; i < s->jobs.n; i++)
		s->jobs.v[i]->jobs_left++;
}

static int by_unit(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return symbolizer_by_address(a, b);
}

/* Ask for units only when some address has to be looked up in them, by more than one thread. */
static void sort_by_unit(struct symbolizer *s, struct target *t, struct target_reader *r)
{
	const struct cache_entry *cached;

	for (size_t i = t->first; i < t->first + t->n; i++) {
		struct entry *e = &s->entries[i];

		e->unit = UINT32_MAX;
		if (!t->cache.used || !cache_table_find(&t->cache.table, e->addr, &cached))
			e->unit = target_unit(t, r, s->ctx.opts, e->addr);
	}
	qsort(&s->entries[t->first], t->n, sizeof(*s->entries), by_unit);
}

static void make_groups(struct symbolizer *s, struct target *t, struct target_reader *r)
{
	size_t end = t->first + t->n;

	if (atomic_load(&t->jobs_left) > 1)
		sort_by_unit(s, t, r);
	for (size_t i = t->first, first = i; i < end; i++) {
		const struct entry *e = &s->entries[i];
		bool last = i + 1 == end || e[1].unit != e->unit || e->unit == UINT32_MAX;

		if (i + 1 < end &&
		    (!last || i + 1 - first < (e->unit == UINT32_MAX ? GROUP_MAX : GROUP)))
			continue;
		vec_push(&t->groups, (struct target_group){ first, i + 1 - first });
		first = i + 1;
	}
}

static void open_once(struct symbolizer *s, struct target *t, struct target_reader *r)
{
	pthread_mutex_lock(&t->open_lock);
	if (!t->opened) {
		target_open(t, &s->ctx);
		make_groups(s, t, r);
	}
	t->opened = true;
	pthread_mutex_unlock(&t->open_lock);
}

static void run_group(struct symbolizer *s, struct target *t, unsigned worker,
		      const struct target_group *g)
{
	struct target_reader *r = &s->readers[worker];
	uint64_t done;

	for (size_t i = g->first; i < g->first + g->n; i++) {
		struct entry *e = &s->entries[i];

		e->worker = worker;
		e->first = (uint32_t)r->lines.lines.n;
		e->cached = target_lookup_cached(t, r, e->addr, &e->reason);
		if (!e->cached)
			e->reason = target_lookup(t, r, s->ctx.opts, e->addr);
		e->n = (uint32_t)(r->lines.lines.n - e->first);
	}
	done = atomic_fetch_add(&s->done, g->n) + g->n;
	if (worker == 0 && s->progress)
		s->progress(s->progress_ctx, done, s->n);
}

static void run_job(void *arg, unsigned worker, size_t index)
{
	struct symbolizer *s = arg;
	struct target *t = s->jobs.v[index];
	size_t group;

	open_once(s, t, &s->readers[worker]);
	while ((group = atomic_fetch_add(&t->next_group, 1)) < t->groups.n)
		run_group(s, t, worker, &t->groups.v[group]);
	if (atomic_fetch_sub(&t->jobs_left, 1) == 1)
		target_close(t);
}

static void run_jobs(struct symbolizer *s)
{
	unsigned threads = s->ctx.opts->threads ? s->ctx.opts->threads : pool_cpus();

	make_jobs(s, threads);
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
		target_release(&s->targets[i]);
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
	struct kernelsyms_live live;
	struct cache_dir cache;
	struct utsname running;

	kernelsyms_live_init(&live, &opts->where, &running);
	s.ctx.live = &live;
	if (opts->cache_dir) {
		cache_dir_open(&cache, opts->cache_dir);
		s.ctx.cache = &cache;
	}
	collect_entries(&s, p, dsos);
	make_kernels(&s, dsos);
	make_targets(&s, dsos);
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
