/* SPDX-License-Identifier: MIT */
/*
 * A stack is whole when its outermost frame is a place where threads begin: main's callers, a
 * thread's start, or the kernel (whose own unwinder does not lose frames).  Frame pointers are
 * lost inside the C library between main and _start, so main itself counts.  Frames are judged
 * by name; a stack whose outermost frame has no name is judged by the next inner ones.  Stacks that
 * were unwound are whole when they have no mark for a root, whatever their functions are called.
 */
#include "collect/quality.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/pool.h"

enum { ROOT_SEARCH = 4 }; /* so many frames from the root on may hold the start of a thread */

enum loc_flags {
	LOC_UNKNOWN = 1 << 0,
	LOC_ROOT = 1 << 1, /* one of its lines is where a thread begins */
	LOC_CUT = 1 << 2, /* it stands for frames that are missing */
};

struct judge {
	const struct profile *p;
	uint8_t *locs; /* enum loc_flags */
	bool any_unknown;
};

/* What one thread adds up for one event. */
struct sums {
	uint64_t any_unknown, no_chain, truncated;
	uint64_t *truncated_by; /* by module; NULL: the thread had nothing to do */
	uint64_t *leaves; /* by location */
};

struct job {
	const struct judge *judge;
	uint32_t event;
	bool chains, unwound;
	struct sums *sums; /* by thread */
};

/* Where threads begin, without clone suffixes. */
static bool is_thread_root(const char *name)
{
	static const char *const exact[] = {
		"_start",         "main",
		"_dl_start_user", "_dl_start",
		"start_thread",   "clone",
		"clone3",         "__clone",
		"__clone3",       "thread_start",
		"runtime.goexit", "runtime.rt0_go",
		"runtime.mstart", "[unknown thread]",
	};
	static const char *const prefix[] = {
		"__libc_start",        "_start_main",
		"ret_from_fork",       "kthread",
		"secondary_startup",   "cpu_startup_entry",
		"start_kernel",        "x86_64_start",
		"entry_SYSCALL",       "asm_",
		"std::rt::lang_start", "std::sys::pal::unix::thread::Thread::new::thread_start",
		"runtime.goexit.",     "ret_from_kernel_thread",
	};

	for (size_t i = 0; i < sizeof(exact) / sizeof(*exact); i++)
		if (!strcmp(name, exact[i]))
			return true;
	for (size_t i = 0; i < sizeof(prefix) / sizeof(*prefix); i++)
		if (!strncmp(name, prefix[i], strlen(prefix[i])))
			return true;
	return false;
}

static void judge_init(struct judge *j, const struct profile *p)
{
	bool *root = xcalloc(p->nr_funcs, sizeof(*root));

	*j = (struct judge){ .p = p };
	j->locs = xcalloc(p->nr_locs, sizeof(*j->locs));
	for (size_t i = 0; i < p->nr_funcs; i++)
		root[i] = (p->funcs[i].flags & LINE_KERNEL) ||
			  is_thread_root(profile_str(p, p->funcs[i].name));
	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		if (l->kind == LOC_MARK)
			j->locs[i] |= LOC_CUT;
		else if (l->reason != UNKNOWN_NOT)
			j->locs[i] |= LOC_UNKNOWN;
		for (uint32_t k = 0; k < l->nr_lines; k++)
			if (root[p->lines[l->first_line + k].func])
				j->locs[i] |= LOC_ROOT;
		j->any_unknown |= j->locs[i] & LOC_UNKNOWN;
	}
	free(root);
}

static bool is_whole(const struct judge *j, const struct stack_iter *it, bool unwound)
{
	size_t search = it->n < ROOT_SEARCH ? it->n : ROOT_SEARCH;

	if (unwound && !(j->locs[it->locs[0]] & LOC_CUT))
		return true;
	for (size_t i = 0; i < search; i++)
		if (j->locs[it->locs[i]] & LOC_ROOT)
			return true;
	return false;
}

static bool has_unknown(const struct judge *j, const struct stack_iter *it)
{
	uint8_t flags = 0;

	for (size_t i = 0; j->any_unknown && i < it->n; i++)
		flags |= j->locs[it->locs[i]];
	return flags & LOC_UNKNOWN;
}

/* The module (a string id) on which most of a weight falls; ties: the smallest name. */
static uint32_t heaviest(const struct profile *p, const uint64_t *by_module, uint64_t *weight)
{
	uint32_t best = 0;

	*weight = 0;
	for (uint32_t i = 0; i < intern_count(p->strings); i++) {
		if (!by_module[i])
			continue;
		if (by_module[i] > *weight ||
		    (by_module[i] == *weight &&
		     strcmp(profile_str(p, i), profile_str(p, best)) < 0)) {
			best = i;
			*weight = by_module[i];
		}
	}
	return best;
}

static uint32_t module_of(const struct profile *p, uint32_t loc)
{
	const struct location *l = &p->locs[loc];

	return l->nr_lines ? p->funcs[p->lines[l->first_line + l->nr_lines - 1].func].module : 0;
}

/* The location of the outermost frame, which may stand behind a mark. */
static uint32_t outermost(const struct judge *j, const struct stack_iter *it)
{
	return it->locs[j->locs[it->locs[0]] & LOC_CUT && it->n > 1];
}

static void add_stack(const struct job *job, struct sums *sums, const struct stack_iter *it)
{
	const struct judge *j = job->judge;

	if (has_unknown(j, it))
		sums->any_unknown += it->weight;
	if (it->n == 1 && j->locs[it->locs[0]] & LOC_CUT) { /* the state of a thread alone */
		sums->no_chain += it->weight;
	} else if (job->chains && !is_whole(j, it, job->unwound)) {
		sums->truncated += it->weight;
		sums->truncated_by[module_of(j->p, outermost(j, it))] += it->weight;
	}
	sums->leaves[it->locs[it->n - 1]] += it->weight;
}

static void sums_init(struct sums *s, const struct profile *p)
{
	s->truncated_by = xcalloc(intern_count(p->strings), sizeof(*s->truncated_by));
	s->leaves = xcalloc(p->nr_locs, sizeof(*s->leaves));
}

static void sums_release(struct sums *s)
{
	free(s->truncated_by);
	free(s->leaves);
}

static void judge_piece(void *ctx, unsigned worker, size_t piece)
{
	struct job *job = ctx;
	struct sums *sums = &job->sums[worker];
	struct stack_iter it;

	if (!sums->truncated_by)
		sums_init(sums, job->judge->p);
	stack_iter_init(&it, job->judge->p, job->event);
	stack_iter_piece(&it, piece);
	while (stack_iter_next(&it))
		add_stack(job, sums, &it);
	stack_iter_release(&it);
}

static void add_array(uint64_t *to, const uint64_t *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

/* All stacks of the event, by as many threads as are worth it. */
static struct sums sum_up(struct job *job)
{
	const struct profile *p = job->judge->p;
	unsigned threads = stack_threads(p);
	struct sums all = { 0 };

	job->sums = xcalloc(threads, sizeof(*job->sums));
	sums_init(&all, p);
	pool_run(threads, stack_pieces(p), judge_piece, job);
	for (unsigned i = 0; i < threads; i++) {
		struct sums *s = &job->sums[i];

		if (!s->truncated_by)
			continue;
		all.any_unknown += s->any_unknown;
		all.no_chain += s->no_chain;
		all.truncated += s->truncated;
		add_array(all.truncated_by, s->truncated_by, intern_count(p->strings));
		add_array(all.leaves, s->leaves, p->nr_locs);
		sums_release(s);
	}
	free(job->sums);
	return all;
}

/* The commonest reason why leaves in MODULE have no name. */
static enum unknown_reason reason_in(const struct profile *p, const uint64_t *leaves,
				     uint32_t module)
{
	uint64_t by_reason[UNKNOWN_MAX] = { 0 };
	enum unknown_reason best = UNKNOWN_NOT;

	for (uint32_t i = 0; i < p->nr_locs; i++)
		if (leaves[i] && module_of(p, i) == module)
			by_reason[p->locs[i].reason] += leaves[i];
	for (int r = UNKNOWN_NOT + 1; r < UNKNOWN_MAX; r++)
		if (by_reason[r] > (best == UNKNOWN_NOT ? 0 : by_reason[best]))
			best = (enum unknown_reason)r;
	return best;
}

/* Leaves without a name: their weight, by reason and by module. */
static void judge_leaves(const struct profile *p, struct quality *q, const uint64_t *leaves)
{
	uint64_t *by_module = xcalloc(intern_count(p->strings), sizeof(*by_module));

	for (uint32_t i = 0; i < p->nr_locs; i++) {
		enum unknown_reason reason = (enum unknown_reason)p->locs[i].reason;

		q->reason_weight[reason] += leaves[i];
		if (reason != UNKNOWN_NOT) {
			q->leaf_unknown_weight += leaves[i];
			by_module[module_of(p, i)] += leaves[i];
		}
	}
	q->unknown_module = heaviest(p, by_module, &q->unknown_module_weight);
	if (q->unknown_module_weight)
		q->unknown_module_reason = reason_in(p, leaves, q->unknown_module);
	free(by_module);
}

static void judge_event(const struct judge *j, struct session *s, uint32_t event,
			const struct collapse_flags *flags)
{
	const struct session_event *se = &s->events[event];
	const struct profile_event *e = &j->p->events[event];
	struct quality *q = &s->events[event].quality;
	struct job job = { .judge = j, .event = event };
	struct sums sums;

	job.chains = se->evsel && evsel_has_chains(se->evsel);
	job.unwound = se->evsel && se->evsel->attr.sample_type & SAMPLE_STACK_USER &&
		      s->unwind.samples;
	sums = sum_up(&job);
	q->weight = e->weight;
	q->samples = e->samples;
	q->not_unwound_weight = flags->not_unwound;
	q->repaired_weight = flags->repaired;
	q->no_chain_weight = sums.no_chain + (job.chains ? flags->no_chain : 0);
	q->any_unknown_weight = sums.any_unknown;
	q->truncated_weight = sums.truncated;
	q->truncated_module = heaviest(j->p, sums.truncated_by, &q->truncated_module_weight);
	judge_leaves(j->p, q, sums.leaves);
	sums_release(&sums);
}

void quality_judge(struct session *s, const struct collapse_flags *flags)
{
	struct judge j;

	judge_init(&j, s->profile);
	for (size_t i = 0; i < s->nr_events; i++)
		judge_event(&j, s, (uint32_t)i, &flags[i]);
	free(j.locs);
}
