/* SPDX-License-Identifier: MIT */
/*
 * Filters by what a stack has in it: functions, and the module and the symbol of its leaf.
 *
 * Each function is matched against each expression once; a stack's matches are those of its
 * frames, whatever the number of samples.  In a trie a node's matches are its parent's and its
 * own, one pass in the order of ids.
 */
#include <assert.h>
#include <stdlib.h>

#include "profile/filter_priv.h"
#include "profile/priv.h"

/* A bit of a stack's matches for each --focus, and one for all of --ignore. */
#define IGNORED (UINT32_C(1) << FILTER_MAX_FOCUS)

static uint32_t *match_funcs(const struct profile *p, const struct filter *f)
{
	uint32_t *match = xcalloc(p->nr_funcs, sizeof(*match));

	for (size_t i = 0; i < p->nr_funcs; i++) {
		const char *name = profile_str(p, p->funcs[i].name);

		for (size_t k = 0; k < f->regexes[FILTER_FOCUS].n; k++)
			if (!regexec(&f->regexes[FILTER_FOCUS].v[k], name, 0, NULL, 0))
				match[i] |= UINT32_C(1) << k;
		for (size_t k = 0; k < f->regexes[FILTER_IGNORE].n; k++)
			if (!regexec(&f->regexes[FILTER_IGNORE].v[k], name, 0, NULL, 0))
				match[i] |= IGNORED;
	}
	return match;
}

/* Whether a stack may end in this location. */
static bool leaf_wanted(const struct profile *p, const struct filter *f,
			const struct profile_modules *modules, const struct location *l)
{
	const struct func *func = NULL;
	const char *path = NULL;

	if (l->nr_lines)
		func = &p->funcs[p->lines[l->first_line].func];
	if (f->names[FILTER_SYMBOL].n &&
	    !(func && filter_has_name(f, FILTER_SYMBOL, profile_str(p, func->name))))
		return false;
	if (!f->names[FILTER_DSO].n)
		return true;
	if (l->kind == LOC_DSO && modules)
		path = modules->path(modules->ctx, l->dso);
	return filter_has_name(f, FILTER_DSO, path) ||
	       (func && filter_has_name(f, FILTER_DSO, profile_str(p, func->module)));
}

struct loc_match {
	uint32_t frames; /* which expressions some function of it matches */
	bool leaf;
};

static struct loc_match *match_locs(const struct profile *p, const struct filter *f,
				    const struct profile_modules *modules)
{
	struct loc_match *match = xcalloc(p->nr_locs, sizeof(*match));
	uint32_t *funcs = match_funcs(p, f);

	for (size_t i = 0; i < p->nr_locs; i++) {
		const struct location *l = &p->locs[i];

		match[i].leaf = leaf_wanted(p, f, modules, l);
		for (uint32_t k = 0; k < l->nr_lines; k++)
			match[i].frames |= funcs[p->lines[l->first_line + k].func];
	}
	free(funcs);
	return match;
}

/* What an event has lost and kept. */
struct kept {
	uint64_t weight, count;
	uint64_t lost_weight, lost_count;
};

static void keep(struct kept *k, uint64_t weight, uint64_t count, bool wanted)
{
	uint64_t *w = wanted ? &k->weight : &k->lost_weight;
	uint64_t *c = wanted ? &k->count : &k->lost_count;

	*w = add_saturating(*w, weight);
	*c = add_saturating(*c, count);
}

static void keep_event(struct profile_event *e, const struct kept *k)
{
	unsigned __int128 sq = (unsigned __int128)e->sum_sq_hi << 64 | e->sum_sq_lo;

	if (k->weight != e->weight) {
		long double part = (long double)k->weight / (long double)e->weight;
		long double scaled = (long double)sq * part + 0.5L;

		sq = scaled < 0x1p128L ? (unsigned __int128)scaled : sq;
	}
	e->sum_sq_hi = (uint64_t)(sq >> 64);
	e->sum_sq_lo = (uint64_t)sq;
	e->weight = k->weight;
	e->samples = k->count;
	e->filtered_weight = add_saturating(e->filtered_weight, k->lost_weight);
	e->filtered_samples = add_saturating(e->filtered_samples, k->lost_count);
}

static void filter_nodes(struct profile *p, const struct loc_match *locs, uint32_t all,
			 struct kept *kept)
{
	uint32_t *frames = xcalloc(p->nr_nodes, sizeof(*frames));

	for (size_t i = 0; i < p->nr_nodes; i++) {
		struct stack_node n = p->nodes[i];
		bool wanted;

		if (n.parent == PROFILE_NONE)
			continue;
		frames[i] = frames[n.parent] | locs[n.loc].frames;
		wanted = frames[i] == all && locs[n.loc].leaf;
		for (size_t k = 0; k < p->nr_events; k++) {
			struct profile_event *e = &p->events[k];

			if (i >= e->node_cap)
				continue;
			keep(&kept[k], e->node_weight[i], e->node_count[i], wanted);
			if (!wanted)
				e->node_weight[i] = e->node_count[i] = 0;
		}
	}
	free(frames);
}

static bool stack_wanted(const struct loc_match *locs, uint32_t all, const uint32_t *stack,
			 size_t n)
{
	uint32_t frames = 0;

	if (!n || !locs[stack[n - 1]].leaf)
		return false;
	for (size_t i = 0; i < n; i++)
		frames |= locs[stack[i]].frames;
	return frames == all;
}

static void filter_set(struct stack_set *s, const struct loc_match *locs, uint32_t all,
		       struct kept *kept)
{
	uint32_t *stack = NULL;
	size_t cap = 0;

	for (uint32_t i = stack_set_first(s, 0); i != STACK_NONE; i = stack_set_next(s, i)) {
		struct stack_rec *rec = stack_set_rec(s, i);
		bool wanted;

		profile_reserve(&stack, 0, &cap, rec->n + 1);
		wanted = stack_wanted(locs, all, stack, stack_set_locs(s, rec, stack));
		for (uint32_t at = CELL_FIRST; at != CELL_NONE;) {
			struct stack_cell c = stack_set_cell(s, rec, at);

			keep(&kept[c.event], c.weight, c.count, wanted);
			at = c.next;
		}
		if (!wanted)
			stack_set_leave_out(s, rec);
	}
	free(stack);
}

void filter_profile(struct profile *p, const struct filter *f,
		    const struct profile_modules *modules)
{
	uint32_t all = (UINT32_C(1) << f->regexes[FILTER_FOCUS].n) - 1;
	struct kept *kept;
	struct loc_match *locs;

	if (!filter_on_stacks(f))
		return;
	assert(!p->priv->has_trie); /* it would have to be filtered too */
	locs = match_locs(p, f, modules);
	kept = xcalloc(p->nr_events, sizeof(*kept));
	if (!p->priv->sets.n)
		filter_nodes(p, locs, all, kept);
	for (size_t i = 0; i < p->priv->sets.n; i++)
		filter_set(&p->priv->sets.v[i], locs, all, kept);
	for (size_t i = 0; i < p->nr_events; i++)
		keep_event(&p->events[i], &kept[i]);
	free(kept);
	free(locs);
}
