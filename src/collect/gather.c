/* SPDX-License-Identifier: MIT */
/*
 * The parallel pass.  A worker takes chunks of the recording into a profile of its own: it counts
 * each sample, rebuilds its stack, finds the location of each frame, and adds the stack.  The
 * profiles are put together at the end, without comparing their stacks.
 */
#include "collect/gather.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "collect/gather_offcpu.h"
#include "collect/observe.h"
#include "collect/sample_stack.h"

enum {
	CHUNK_BYTES = 4 << 20,
	BYTES_PER_THREAD = 2 << 20, /* below this a further thread costs more than it brings */
};

struct job {
	struct collapse *c;
	bool repair; /* cut stacks are kept to be completed */
};

static void note_flags(struct collapse_flags *f, unsigned flags, uint64_t weight)
{
	if (flags & STACK_TRUNCATED)
		f->truncated += weight;
	if (flags & STACK_REPAIRED)
		f->repaired += weight;
	if (flags & STACK_GARBAGE)
		f->garbage += weight;
	if (flags & STACK_NO_CHAIN)
		f->no_chain += weight;
	if (flags & STACK_DEFERRED)
		f->deferred += weight;
	if (flags & STACK_NOT_UNWOUND)
		f->not_unwound += weight;
}

/* Add the stack that is at hand, with w->weights. */
static void store(struct gather_worker *w, const struct process *proc, uint64_t when, uint64_t pos,
		  uint32_t key)
{
	const struct stack *st = &w->stack;
	size_t n = 0, plain = 0;

	w->locs.n = 0;
	vec_reserve(&w->locs, st->n + 2);
	if (st->flags & STACK_TRUNCATED)
		w->locs.v[n++] = w->mark;
	locator_find(&w->locator, proc, st->frames, st->n, when, w->locs.v + n);
	n += st->n;
	while (plain < w->weights.n && !w->weights.v[plain].mark)
		plain++;
	if (plain)
		profile_add_stack(w->profile, w->locs.v, n, key, w->weights.v, plain);
	for (size_t i = 0; i < plain && w->intake.shared->opts->keep_order; i++)
		profile_add_moment(w->profile, when, pos, w->weights.v[i].event);
	if (plain < w->weights.n)
		gather_offcpu_store(w, n, plain, pos, key);
	for (size_t i = 0; st->flags && i < w->weights.n; i++)
		note_flags(&w->flags[w->weights.v[i].event], st->flags, w->weights.v[i].weight);
}

static void store_sample(struct gather_worker *w)
{
	const struct intake *in = &w->intake;

	w->weights.n = 0;
	for (size_t i = 0; i < in->nr_weights; i++)
		if (intake_wants(in, in->weights[i].event))
			vec_push(&w->weights,
				 (struct stack_weight){ in->weights[i].weight, in->weights[i].event,
							in->block, in->weights[i].mark });
	if (w->weights.n)
		store(w, in->image->process, in->when, in->pos, in->key);
}

static void count_end(struct gather_worker *w, bool repair)
{
	w->unwind.samples++;
	w->unwind.ends[w->info.end]++;
	if (!repair && w->info.end != UNWIND_WHOLE)
		w->unwind.cut[w->info.end]++;
	w->unwind.frames += w->info.n;
	if (w->intake.s.stack_dumped > w->unwind.dump_size)
		w->unwind.dump_size = w->intake.s.stack_dumped;
}

/* Whether the sample's stack is wanted beyond the kernel's frame that it was taken in. */
static bool wants_user_part(const struct gather_worker *w)
{
	return !w->intake.shared->opts->no_stacks || w->intake.s.cpumode == CPUMODE_USER;
}

bool gather_unwind(struct gather_worker *w, bool repair)
{
	struct intake *in = &w->intake;
	const struct session_options *opts = in->shared->opts;
	size_t first_user;

	sample_stack(&in->s, in->evsel, intake_deferred(in), opts, &w->stack);
	if (!wants_user_part(w))
		return true;
	w->stack.flags &= ~(unsigned)(STACK_NO_CHAIN | STACK_TRUNCATED);
	sample_stack_kernel_part(&w->stack);
	first_user = w->stack.n;
	unwinder_run(w->unwinder, &in->s, in->image->process, in->when, &w->stack, &w->info);
	if (repair)
		watch_stack(&w->watch, &w->repair, in->s.tid, in->when, &w->stack, first_user,
			    &w->info);
	w->watched = in->pos;
	if (!w->info.n) { /* nothing was known: back to what the sample tells */
		sample_stack(&in->s, in->evsel, intake_deferred(in), opts, &w->stack);
		w->stack.flags |= STACK_NOT_UNWOUND;
	} else if (repair && w->stack.flags & STACK_TRUNCATED) {
		return false;
	}
	sample_stack_limit(&w->stack, opts);
	return true;
}

static void unwind_sample(struct job *job, struct gather_worker *w)
{
	bool done = gather_unwind(w, job->repair);

	if (wants_user_part(w))
		count_end(w, job->repair);
	gather_offcpu_caller(w);
	if (done)
		store_sample(w);
	else
		cut_add(&w->cut, &w->intake, &w->stack, &w->info, false);
}

/* The caller of a leaf function without a frame, where the registers tell it. */
static void add_link(struct gather_worker *w)
{
	const struct intake *in = &w->intake;
	struct stack *st = &w->stack;
	size_t leaf = 0;
	uint64_t caller;

	while (leaf < st->n && st->frames[leaf].cpumode != CPUMODE_USER)
		leaf++;
	if (leaf < st->n && unwinder_link(w->unwinder, &in->s, in->image->process, in->when,
					  st->frames[leaf].addr, &caller))
		stack_insert_caller(st, leaf, caller);
}

static void gather_sample(struct job *job, struct gather_worker *w)
{
	struct intake *in = &w->intake;

	if (w->unwinder && sample_has_dump(&in->s)) {
		unwind_sample(job, w);
		return;
	}
	if (job->c->shared.opts->no_symbols || !intake_wants_any(in))
		return; /* only numbers are wanted, or other events */
	sample_stack(&in->s, in->evsel, intake_deferred(in), job->c->shared.opts, &w->stack);
	if (job->c->shared.opts->stitch_lbr)
		sample_stack_stitch(&in->s, in->evsel, &job->c->shared.scan->stitch, in->pos,
				    job->c->shared.opts, &w->stack);
	gather_offcpu_caller(w);
	if (sample_has_dump(&in->s))
		w->stack.flags |= STACK_NOT_UNWOUND;
	else if (w->unwinder && in->s.user_regs && !(w->stack.flags & STACK_NO_CHAIN))
		add_link(w);
	store_sample(w);
}

/* Stacks that are not wanted, but may tell how others of their threads go on. */
static void note_missed(struct gather_worker *w, const struct record *rec)
{
	if (rec->type == RECORD_SAMPLE && w->intake.pos == rec->pos && w->watched != rec->pos &&
	    sample_has_dump(&w->intake.s))
		watch_miss(&w->watch, w->intake.s.tid);
}

static void gather_chunk(void *ctx, unsigned worker, size_t index)
{
	struct job *job = ctx;
	struct collapse *c = job->c;
	struct gather_worker *w = &c->workers[worker];
	const struct session_options *opts = c->shared.opts;
	struct chunk chunk = c->chunks[index];
	struct record rec;

	watch_begin(&w->watch, index, &w->repair);
	while (chunk_next(&chunk, &rec) == 0) {
		if (intake_take(&w->intake, &rec))
			gather_sample(job, w);
		if (opts->offcpu_wakers && rec.type == RECORD_SAMPLE && w->intake.pos == rec.pos)
			gather_offcpu_waker(w, job->repair);
		note_missed(w, &rec);
	}
	watch_end(&w->watch, &w->repair);
	if (!w->cut.samples.n || watch_suffices(&w->watch)) /* else it will be looked at again */
		reader_drop(c->shared.reader, &c->chunks[index]);
	if (worker == 0 && opts->progress)
		opts->progress(opts->progress_ctx, SESSION_COLLAPSE, index + 1, c->nr_chunks);
}

/* The frames of CS, and those that R knows to be behind them: w->stack. */
static void complete_cut(struct gather_worker *w, const struct cut_sample *cs,
			 const struct repair *r)
{
	bool whole;
	size_t added;

	w->stack.n = 0;
	w->stack.flags = cs->flags;
	for (uint32_t k = 0; k < cs->n; k++) {
		struct frame_addr f = w->cut.frames.v[cs->first + k];

		stack_push(&w->stack, f.addr, (enum cpumode)f.cpumode, f.is_return);
	}
	added = repair_complete(r, cs->tid, cs->when, cs->slot, cs->func, &w->stack, &whole);
	if (added)
		w->stack.flags |= STACK_REPAIRED;
	if (whole)
		w->stack.flags &= ~(unsigned)STACK_TRUNCATED;
	if (cs->waking)
		return;
	w->unwind.repaired += added != 0;
	w->unwind.repaired_frames += added;
	w->unwind.repaired_whole += whole;
	w->unwind.cut[cs->end] += !whole;
}

/* Complete the cut stacks of W as far as R can, and store them. */
static void complete_cuts(struct gather_worker *w, const struct repair *r,
			  const struct session_options *opts)
{
	for (size_t i = 0; i < w->cut.samples.n; i++) {
		const struct cut_sample *cs = &w->cut.samples.v[i];

		complete_cut(w, cs, r);
		sample_stack_limit(&w->stack, opts);
		if (cs->waking) {
			gather_offcpu_waking(w, cs->process, cs->when, cs->pos, cs->key);
			continue;
		}
		w->weights.n = 0;
		for (uint32_t k = 0; k < cs->nr_weights; k++)
			vec_push(&w->weights, w->cut.weights.v[cs->first_weight + k]);
		store(w, cs->process, cs->when, cs->pos, cs->key);
	}
	cut_release(&w->cut);
	w->cut = (struct cut){ 0 };
}

/* Stack dumps, or chains by frame pointers that come with user registers. */
static bool needs_unwinder(const struct evlist *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i].attr.sample_type & (SAMPLE_STACK_USER | SAMPLE_REGS_USER))
			return true;
	return false;
}

/* The machine of the recording: its E_MACHINE feature, else the name that uname gave. */
uint16_t gather_machine(const struct features *f)
{
	static const struct {
		const char *arch;
		uint16_t machine;
	} names[] = {
		{ "x86_64", EM_X86_64 }, { "i386", EM_386 }, { "i486", EM_386 },
		{ "i586", EM_386 },      { "i686", EM_386 }, { "aarch64", EM_AARCH64 },
		{ "arm64", EM_AARCH64 },
	};

	if (f->e_machine)
		return (uint16_t)f->e_machine;
	for (size_t i = 0; f->arch && i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(f->arch, names[i].arch))
			return names[i].machine;
	return EM_NONE;
}

/* What a weight of the event counts. */
static const char *unit_of(const struct evsel *evsel)
{
	if (evsel->attr.type == PERF_TYPE_SOFTWARE && evsel->attr.config < 2)
		return "ns"; /* cpu-clock, task-clock: the period is in ns, whatever the unit
			      * that perf stat scales to */
	if (evsel_is_offcpu_time(evsel))
		return "ns";
	return evsel->unit ? evsel->unit : "";
}

static void worker_init(struct gather_worker *w, const struct collapse *c,
			struct unwind_modules *modules)
{
	const struct evlist *list = &c->shared.reader->evlist;

	w->profile = profile_new();
	for (size_t i = 0; i < list->n; i++)
		profile_event_add(w->profile, list->v[i].name, unit_of(&list->v[i]));
	gather_offcpu_events(w, &c->shared.scan->offcpu);
	tally_init(&w->tally, c->shared.nr_events);
	intake_init(&w->intake, &c->shared, w->profile, &w->tally);
	locator_init(&w->locator, c->shared.scan->timeline, w->profile, c->shared.opts->keep_ip);
	w->mark = profile_loc(w->profile, LOC_MARK, 0,
			      profile_string(w->profile, "[truncated]", 11), 0);
	w->flags = xcalloc(c->shared.nr_events, sizeof(*w->flags));
	w->watched = UINT64_MAX;
	if (modules)
		w->unwinder = unwinder_new(modules);
}

static void add_flags(struct collapse_flags *a, const struct collapse_flags *b)
{
	a->truncated += b->truncated;
	a->repaired += b->repaired;
	a->garbage += b->garbage;
	a->no_chain += b->no_chain;
	a->deferred += b->deferred;
	a->not_unwound += b->not_unwound;
}

static void add_unwind(struct session_unwind *to, const struct session_unwind *from)
{
	to->samples += from->samples;
	to->frames += from->frames;
	to->repaired += from->repaired;
	to->repaired_whole += from->repaired_whole;
	to->repaired_frames += from->repaired_frames;
	for (int i = 0; i < UNWIND_END_MAX; i++) {
		to->ends[i] += from->ends[i];
		to->cut[i] += from->cut[i];
	}
	if (from->dump_size > to->dump_size)
		to->dump_size = from->dump_size;
}

struct finish {
	struct collapse *c;
	const struct repair *repair;
};

/* The cuts of one worker, whoever does it. */
static void finish_worker(void *ctx, unsigned by, size_t worker)
{
	struct finish *f = ctx;

	(void)by;
	complete_cuts(&f->c->workers[worker], f->repair, f->c->shared.opts);
}

static void finish_cuts(struct collapse *c)
{
	struct repair all = { 0 };

	observe_run(c, &all);
	pool_run(c->threads, c->threads, finish_worker, &(struct finish){ c, &all });
	repair_release(&all);
}

static unsigned threads_for(const struct collapse *c)
{
	unsigned want = c->shared.opts->threads ? c->shared.opts->threads : pool_cpus();
	uint64_t bytes = 0, useful;

	for (size_t i = 0; i < c->nr_chunks; i++)
		bytes += c->chunks[i].size;
	useful = bytes / BYTES_PER_THREAD + 1;
	return want < useful ? want : (unsigned)useful;
}

/* Put what the workers counted together; the first one's profile becomes the result. */
static void merge_workers(struct collapse *c)
{
	c->profile = c->workers[0].profile;
	c->tally = c->workers[0].tally;
	for (unsigned i = 0; i < c->threads; i++) {
		struct gather_worker *w = &c->workers[i];

		add_unwind(&c->unwind, &w->unwind);
		for (size_t k = 0; k < c->profile->nr_events; k++)
			add_flags(&c->flags[k], &w->flags[k]);
		free(w->flags);
		locator_release(&w->locator);
		unwinder_free(w->unwinder);
		unwind_info_release(&w->info);
		stack_release(&w->stack);
		vec_release(&w->locs);
		intake_release(&w->intake);
		watch_release(&w->watch);
		vec_release(&w->weights);
		profile_end_stacks(w->profile);
		if (!i)
			continue;
		offcpu_seen_move(&c->workers[0].seen, c->profile, &w->seen, w->profile);
		profile_adopt(c->profile, w->profile);
		tally_merge(&c->tally, &w->tally);
		tally_release(&w->tally);
	}
	for (size_t i = 0; i < c->shared.reader->evlist.n; i++) /* no sample, but the sum of all */
		c->profile->events[i].exact = evsel_is_offcpu_time(&c->shared.reader->evlist.v[i]);
	gather_offcpu_finish(c);
	c->profile->timed = c->shared.has_blocks;
	c->profile->threads = c->threads;
}

void collapse_run(struct collapse *c, const struct reader *r, const struct scan *sc,
		  const struct session_options *opts, const struct fields *fields)
{
	struct job job = { .c = c, .repair = !opts->no_repair };
	struct unwind_modules *modules = NULL;

	*c = (struct collapse){ 0 };
	intake_shared_init(&c->shared, r, sc, opts, fields);
	c->flags = xcalloc(c->shared.nr_events, sizeof(*c->flags));
	c->nr_chunks = reader_chunks(r, CHUNK_BYTES, &c->chunks);
	c->threads = threads_for(c);
	c->workers = xcalloc(c->threads, sizeof(*c->workers));
	if (needs_unwinder(&r->evlist) && !opts->no_symbols && !opts->no_unwind)
		modules = unwind_modules_new(&opts->symbols.where, gather_machine(&r->features));
	for (unsigned i = 0; i < c->threads; i++)
		worker_init(&c->workers[i], c, modules);
	gather_offcpu_begin(c);
	pool_run(c->threads, c->nr_chunks, gather_chunk, &job);
	if (opts->progress)
		opts->progress(opts->progress_ctx, SESSION_MERGE, 0, 0);
	finish_cuts(c);
	if (!opts->no_symbols)
		gather_offcpu_stackless(c);
	merge_workers(c);
	unwind_modules_free(modules);
}

void collapse_release(struct collapse *c)
{
	free(c->workers);
	free(c->chunks);
	free(c->flags);
	tally_release(&c->tally);
	profile_free(c->profile);
	intake_shared_release(&c->shared);
}
