/* SPDX-License-Identifier: MIT */
/*
 * A stack is whole when its outermost frame is a place where threads begin: main's callers, a
 * thread's start, or the kernel (whose own unwinder does not lose frames).  Frame pointers are
 * lost inside the C library between main and _start, so main itself counts.  Frames are judged
 * by name; a stack whose outermost frame has no name is judged by the next inner ones.  Stacks that
 * were unwound are whole when they have no mark for a root, whatever their functions are called.
 *
 * Per node the three things that depend on the outer frames are carried from parent to child in
 * one pass in id order, since parents come first.
 */
#include "collect/quality.h"

#include <string.h>

#include "base/intern.h"

enum { ROOT_SEARCH = 4 }; /* so many frames from the root on may hold the start of a thread */

enum node_flags {
	NODE_WHOLE = 1 << 0,
	NODE_UNKNOWN = 1 << 1, /* this frame or one outside of it has no name */
	NODE_CUT = 1 << 2, /* the root is [truncated] */
};

struct judge {
	const struct profile *p;
	uint8_t *func_is_root;
	uint8_t *flags; /* by node: enum node_flags */
	uint8_t *depth; /* by node: frames from the root on, saturating at ROOT_SEARCH + 1 */
	uint32_t *outer; /* by node: location of the outermost frame, PROFILE_NONE for a root */
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
	*j = (struct judge){ .p = p };
	j->func_is_root = xcalloc(p->nr_funcs, 1);
	j->flags = xcalloc(p->nr_nodes, 1);
	j->depth = xcalloc(p->nr_nodes, 1);
	j->outer = xcalloc(p->nr_nodes, sizeof(*j->outer));
	for (size_t i = 0; i < p->nr_funcs; i++)
		j->func_is_root[i] = (p->funcs[i].flags & LINE_KERNEL) ||
				     is_thread_root(profile_str(p, p->funcs[i].name));
}

static void judge_release(struct judge *j)
{
	free(j->func_is_root);
	free(j->flags);
	free(j->depth);
	free(j->outer);
}

/* Whether one of the location's lines is where a thread begins. */
static bool loc_is_root(const struct judge *j, const struct location *loc)
{
	for (uint32_t i = 0; i < loc->nr_lines; i++)
		if (j->func_is_root[j->p->lines[loc->first_line + i].func])
			return true;
	return false;
}

/* Whether a child of PARENT is its stack's outermost frame, but for a mark. */
static bool is_outermost(const struct judge *j, uint32_t parent)
{
	uint32_t outer = j->outer[parent];

	return outer == PROFILE_NONE || j->p->locs[outer].kind == LOC_MARK;
}

static void judge_nodes(struct judge *j)
{
	const struct profile *p = j->p;

	for (size_t n = 0; n < p->nr_nodes; n++) {
		uint32_t parent = p->nodes[n].parent, loc = p->nodes[n].loc;

		if (parent == PROFILE_NONE) {
			j->outer[n] = PROFILE_NONE;
			continue;
		}
		j->flags[n] = j->flags[parent];
		j->outer[n] = is_outermost(j, parent) ? loc : j->outer[parent];
		j->depth[n] = j->depth[parent] > ROOT_SEARCH ? ROOT_SEARCH + 1
							     : (uint8_t)(j->depth[parent] + 1);
		if (p->locs[loc].kind == LOC_MARK)
			j->flags[n] |= NODE_CUT;
		else if (p->locs[loc].reason != UNKNOWN_NOT)
			j->flags[n] |= NODE_UNKNOWN;
		if (j->depth[n] <= ROOT_SEARCH && loc_is_root(j, &p->locs[loc]))
			j->flags[n] |= NODE_WHOLE;
	}
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

/* A node's stack is cut when these of its flags are so. */
struct criterion {
	bool none; /* no stacks were recorded: nothing is cut */
	uint8_t mask, value;
};

static void add_node(const struct judge *j, struct quality *q, size_t n, uint64_t weight,
		     struct criterion cut, uint64_t *truncated_by, uint64_t *unknown_by)
{
	const struct profile *p = j->p;
	uint32_t loc = p->nodes[n].loc;
	enum unknown_reason reason;

	if (p->nodes[n].parent == PROFILE_NONE)
		return; /* a sample without a frame */
	reason = (enum unknown_reason)p->locs[loc].reason;
	q->reason_weight[reason] += weight;
	if (reason != UNKNOWN_NOT) {
		q->leaf_unknown_weight += weight;
		unknown_by[module_of(p, loc)] += weight;
	}
	if (j->flags[n] & NODE_UNKNOWN)
		q->any_unknown_weight += weight;
	if (!cut.none && (j->flags[n] & cut.mask) == cut.value) {
		q->truncated_weight += weight;
		truncated_by[module_of(p, j->outer[n])] += weight;
	}
}

/* The commonest reason why leaves in MODULE have no name. */
static enum unknown_reason reason_in(const struct profile *p, const struct profile_event *e,
				     uint32_t module)
{
	uint64_t by_reason[UNKNOWN_MAX] = { 0 };
	enum unknown_reason best = UNKNOWN_NOT;

	for (size_t n = 0; n < p->nr_nodes && n < e->node_cap; n++)
		if (e->node_weight[n] && p->nodes[n].parent != PROFILE_NONE &&
		    module_of(p, p->nodes[n].loc) == module)
			by_reason[p->locs[p->nodes[n].loc].reason] += e->node_weight[n];
	for (int r = UNKNOWN_NOT + 1; r < UNKNOWN_MAX; r++)
		if (by_reason[r] > (best == UNKNOWN_NOT ? 0 : by_reason[best]))
			best = (enum unknown_reason)r;
	return best;
}

static void judge_event(const struct judge *j, const struct session *s,
			const struct profile_event *e, struct session_event *se,
			const struct collapse_flags *flags)
{
	const struct profile *p = j->p;
	struct quality *q = &se->quality;
	bool chains = se->evsel && se->evsel->attr.sample_type & SAMPLE_CALLCHAIN;
	bool unwound = se->evsel && se->evsel->attr.sample_type & SAMPLE_STACK_USER &&
		       s->unwind.samples;
	struct criterion cut = { .none = !chains };
	uint64_t *truncated_by = xcalloc(intern_count(p->strings), sizeof(*truncated_by));
	uint64_t *unknown_by = xcalloc(intern_count(p->strings), sizeof(*unknown_by));

	cut.mask = unwound ? NODE_WHOLE | NODE_CUT : NODE_WHOLE;
	cut.value = unwound ? NODE_CUT : 0;
	q->weight = e->weight;
	q->samples = e->samples;
	q->no_chain_weight = chains ? flags->no_chain : 0;
	q->not_unwound_weight = flags->not_unwound;
	q->repaired_weight = flags->repaired;
	for (size_t n = 0; n < p->nr_nodes && n < e->node_cap; n++)
		if (e->node_weight[n])
			add_node(j, q, n, e->node_weight[n], cut, truncated_by, unknown_by);
	q->truncated_module = heaviest(p, truncated_by, &q->truncated_module_weight);
	q->unknown_module = heaviest(p, unknown_by, &q->unknown_module_weight);
	if (q->unknown_module_weight)
		q->unknown_module_reason = reason_in(p, e, q->unknown_module);
	free(truncated_by);
	free(unknown_by);
}

void quality_judge(struct session *s, const struct collapse_flags *flags)
{
	struct judge j;

	judge_init(&j, s->profile);
	judge_nodes(&j);
	for (size_t i = 0; i < s->nr_events; i++)
		judge_event(&j, s, &s->profile->events[i], &s->events[i], &flags[i]);
	judge_release(&j);
}
