/* SPDX-License-Identifier: MIT */
/*
 * The invariants of a profile, each with the sentence that says which one is broken.
 *
 * That every id is in range comes first: what follows indexes with them.  Then what the numbers
 * promise: an event's weight is the sum over the stacks, the self column adds up to it, and no
 * function has more than all of it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <perfrep/folded.h>

#include "profile/priv.h"

static int check_loc(const struct profile *p, size_t i, struct err *err)
{
	const struct location *l = &p->locs[i];

	if (l->kind > LOC_MARK)
		return err_set(err, ERR_FORMAT, "location %zu is of an unknown kind, %u", i,
			       l->kind);
	if ((l->kind == LOC_NAME || l->kind == LOC_MARK) && l->addr >= intern_count(p->strings))
		return err_set(err, ERR_FORMAT,
			       "location %zu is named by string %" PRIu64 " of %" PRIu32, i,
			       l->addr, intern_count(p->strings));
	if (l->reason >= UNKNOWN_MAX)
		return err_set(err, ERR_FORMAT, "location %zu has the unknown reason %u", i,
			       l->reason);
	if (l->first_line > p->nr_lines || l->nr_lines > p->nr_lines - l->first_line)
		return err_set(err, ERR_FORMAT,
			       "location %zu has lines %" PRIu32 " to %" PRIu64 " of %zu", i,
			       l->first_line, (uint64_t)l->first_line + l->nr_lines, p->nr_lines);
	return 0;
}

static int check_lines(const struct profile *p, struct err *err)
{
	uint32_t strings = intern_count(p->strings);

	for (size_t i = 0; i < p->nr_lines; i++)
		if (p->lines[i].func >= p->nr_funcs || p->lines[i].file >= strings)
			return err_set(err, ERR_FORMAT,
				       "line %zu has function %" PRIu32 " of %zu and file %" PRIu32
				       " of %" PRIu32 " strings",
				       i, p->lines[i].func, p->nr_funcs, p->lines[i].file, strings);
	for (size_t i = 0; i < p->nr_funcs; i++)
		if (p->funcs[i].name >= strings || p->funcs[i].module >= strings)
			return err_set(err, ERR_FORMAT,
				       "function %zu has name %" PRIu32 " and module %" PRIu32
				       " of %" PRIu32 " strings",
				       i, p->funcs[i].name, p->funcs[i].module, strings);
	for (size_t i = 0; i < p->nr_keys; i++)
		if (p->keys[i].comm >= strings)
			return err_set(err, ERR_FORMAT,
				       "key %zu has comm %" PRIu32 " of %" PRIu32 " strings", i,
				       p->keys[i].comm, strings);
	return 0;
}

static int check_node(const struct profile *p, size_t i, struct err *err)
{
	const struct stack_node *n = &p->nodes[i];
	bool root = n->parent == PROFILE_NONE;

	if (!root && n->parent >= i)
		return err_set(err, ERR_FORMAT, "node %zu comes before its parent %" PRIu32, i,
			       n->parent);
	if (n->loc >= (root ? p->nr_keys : p->nr_locs))
		return err_set(err, ERR_FORMAT, "node %zu has %s %" PRIu32 " of %zu", i,
			       root ? "key" : "location", n->loc, root ? p->nr_keys : p->nr_locs);
	if (!p->priv->has_trie && profile_find_child(p, n->parent, n->loc) != i)
		return err_set(err, ERR_FORMAT,
			       "node %zu is not the one that is found for its "
			       "parent and location",
			       i);
	return 0;
}

/* Nodes that the trie has may carry weight, roots may not. */
static int check_columns(const struct profile *p, const struct profile_event *e, struct err *err)
{
	for (size_t i = 0; i < e->node_cap; i++) {
		if (!e->node_weight[i] && !e->node_count[i])
			continue;
		if (i >= p->nr_nodes)
			return err_set(err, ERR_FORMAT, "event %s has weight in node %zu of %zu",
				       profile_str(p, e->name), i, p->nr_nodes);
		if (p->nodes[i].parent == PROFILE_NONE)
			return err_set(err, ERR_FORMAT,
				       "event %s has a stack without a frame "
				       "(node %zu)",
				       profile_str(p, e->name), i);
	}
	return 0;
}

static int check_stack(const struct profile *p, const struct stack_iter *it, struct err *err)
{
	if (it->key >= p->nr_keys)
		return err_set(err, ERR_FORMAT, "a stack has key %" PRIu32 " of %zu", it->key,
			       p->nr_keys);
	if (!it->n)
		return err_set(err, ERR_FORMAT, "a stack has no frame");
	for (size_t i = 0; i < it->n; i++)
		if (it->locs[i] >= p->nr_locs)
			return err_set(err, ERR_FORMAT, "a stack has location %" PRIu32 " of %zu",
				       it->locs[i], p->nr_locs);
	return 0;
}

static int check_sums(const struct profile *p, uint32_t event, struct err *err)
{
	const struct profile_event *e = &p->events[event];
	uint64_t weight = 0, count = 0;
	int ret = check_columns(p, e, err);
	struct stack_iter it;

	if (ret)
		return ret;
	stack_iter_init(&it, p, event);
	while (!ret && stack_iter_next(&it)) {
		ret = check_stack(p, &it, err);
		weight = add_saturating(weight, it.weight);
		count = add_saturating(count, it.count);
	}
	stack_iter_release(&it);
	if (!ret && (weight != e->weight || count != e->samples))
		ret = err_set(err, ERR_FORMAT,
			      "event %s: the stacks add up to %" PRIu64
			      " samples of weight %" PRIu64 ", not to %" PRIu64 " of %" PRIu64,
			      profile_str(p, e->name), count, weight, e->samples, e->weight);
	return ret;
}

/* Rows can be checked once every location has its lines. */
static bool symbolised(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_locs; i++)
		if (!p->locs[i].nr_lines)
			return false;
	return true;
}

static int check_row(const struct profile *p, const struct profile_event *e,
		     const struct profile_row *r, struct err *err)
{
	const char *func = profile_str(p, p->funcs[r->func].name);

	if (r->total > e->weight || r->total_count > e->samples)
		return err_set(err, ERR_FORMAT,
			       "event %s: the total of %s is %" PRIu64 " samples of weight %" PRIu64
			       ", more than all: %" PRIu64 " of %" PRIu64,
			       profile_str(p, e->name), func, r->total_count, r->total, e->samples,
			       e->weight);
	if (r->self > r->total || r->self_count > r->total_count)
		return err_set(err, ERR_FORMAT,
			       "event %s: %s has more self weight (%" PRIu64
			       ") than total (%" PRIu64 ")",
			       profile_str(p, e->name), func, r->self, r->total);
	return 0;
}

static int check_rows(const struct profile *p, uint32_t event, struct err *err)
{
	const struct profile_event *e = &p->events[event];
	struct profile_row *rows;
	size_t n = profile_rows(p, event, &rows);
	uint64_t weight = 0, count = 0;
	int ret = 0;

	for (size_t i = 0; i < n && !ret; i++) {
		ret = check_row(p, e, &rows[i], err);
		weight = add_saturating(weight, rows[i].self);
		count = add_saturating(count, rows[i].self_count);
	}
	free(rows);
	if (!ret && (weight != e->weight || count != e->samples))
		ret = err_set(err, ERR_FORMAT,
			      "event %s: the self column adds up to %" PRIu64
			      " samples of weight %" PRIu64 ", not to %" PRIu64 " of %" PRIu64,
			      profile_str(p, e->name), count, weight, e->samples, e->weight);
	return ret;
}

int profile_check(const struct profile *p, struct err *err)
{
	bool rows = symbolised(p);
	int ret = check_lines(p, err);

	for (size_t i = 0; i < p->nr_locs && !ret; i++)
		ret = check_loc(p, i, err);
	for (size_t i = 0; i < p->nr_nodes && !ret; i++)
		ret = check_node(p, i, err);
	for (size_t i = 0; i < p->nr_events && !ret; i++)
		ret = check_sums(p, (uint32_t)i, err);
	for (size_t i = 0; i < p->nr_events && rows && !ret; i++)
		ret = check_rows(p, (uint32_t)i, err);
	return ret;
}
