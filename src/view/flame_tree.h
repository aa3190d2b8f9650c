/* SPDX-License-Identifier: MIT */
/*
 * The tree that a flame graph draws: stacks from their outermost frame on (or from the innermost:
 * reversed), with equal paths merged, for one profile or for two that are compared.
 *
 * Node 0 is "all".  A frame is a name, its module and what it is; two profiles share frames by
 * name and module.  Each side (0, or before and after) has its weight and samples by node.
 */
#ifndef PERFREP_VIEW_FLAME_TREE_H
#define PERFREP_VIEW_FLAME_TREE_H

#include <stdbool.h>

#include <perfrep/err.h>
#include <perfrep/profile.h>

#include "base/hashidx.h"
#include "base/intern.h"
#include "base/vec.h"

enum flame_flags {
	FLAME_COMM = 1 << 8, /* above enum line_flags: a command, not a function */
	FLAME_MARKED = 1 << 9, /* the name ends with a mark such as _[k], which is not shown */
};

struct flame_frame {
	uint32_t name, module; /* in flame_tree.names */
	uint16_t flags; /* enum line_flags and flame_flags; LINE_INLINED of a mark only */
};

struct flame_node {
	uint32_t parent, frame;
	uint32_t child, next; /* PROFILE_NONE: none */
	bool inlined; /* always inlined into its caller */
	bool cut; /* it was narrow, and what is below it was left out */
};

/* Weight and samples of all stacks through a node. */
struct flame_cost {
	uint64_t weight, samples;
};

struct flame_side {
	VEC(struct flame_cost) cost; /* by node; may be shorter: the rest is 0 */
	bool summed; /* costs are of all stacks through a node already */
	uint64_t base, samples; /* of the whole event: what 100 % is */
	double effective; /* number of samples: what ± comes from … */
	VEC(double) of_frame; /* … by frame: of fewer where its samples come in bursts */
};

struct flame_tree {
	struct intern names;
	VEC(struct flame_frame) frames;
	struct hashidx frame_index, child_index;
	VEC(struct flame_node) nodes;
	size_t left_out; /* frames that have no node, since they are in narrow ones */
	struct flame_side side[2];
};

struct flame_source {
	const struct profile *profile; /* symbolised */
	uint32_t event;
	bool by_count; /* a sample weighs 1 */
	bool alone; /* no other profile will be added */
	double least; /* a lone profile's nodes below narrower ones are left out */
	bool reverse; /* innermost frame first */
	const char *root; /* only stacks with this function, from its outermost place on (reversed:
			   * its callers, from its innermost place); or NULL */
};

void flame_tree_init(struct flame_tree *t);
void flame_tree_release(struct flame_tree *t);
/* The frame of that name, made when it is new; and that of a function. */
uint32_t flame_tree_frame(struct flame_tree *t, const char *name, size_t len, const char *module,
			  uint16_t flags);
uint32_t flame_tree_function(struct flame_tree *t, const struct profile *p, const struct func *f);
/*
 * Add an event's stacks to a side.  Fails when no stack has the function ROOT, and names some that
 * contain the word.
 */
int flame_tree_add(struct flame_tree *t, unsigned side, const struct flame_source *src,
		   struct err *err);
/* After the last: sum up.  Nodes must not be added any more. */
void flame_tree_finish(struct flame_tree *t);

static inline struct flame_cost flame_cost(const struct flame_tree *t, unsigned side, uint32_t node)
{
	const struct flame_side *s = &t->side[side];

	return node < s->cost.n ? s->cost.v[node] : (struct flame_cost){ 0 };
}

/* WEIGHT as a share of all of its side. */
static inline double flame_share_of(const struct flame_side *s, uint64_t weight)
{
	return s->base ? (double)weight / (double)s->base : 0;
}

/*
 * How many independent samples would tell the share of a node as well.  A path is taken to be as
 * bursty as its function.
 */
static inline double flame_effective(const struct flame_tree *t, unsigned side, uint32_t node)
{
	const struct flame_side *s = &t->side[side];
	uint32_t frame = t->nodes.v[node].frame;

	return frame < s->of_frame.n && s->of_frame.v[frame] < s->effective ? s->of_frame.v[frame]
									    : s->effective;
}

/* The length of a frame's name without its mark. */
static inline size_t flame_name_len(const struct flame_tree *t, const struct flame_frame *f)
{
	return intern_len(&t->names, f->name) - (f->flags & FLAME_MARKED ? 4 : 0);
}

static inline const struct flame_frame *flame_frame_of(const struct flame_tree *t, uint32_t node)
{
	return &t->frames.v[t->nodes.v[node].frame];
}

#endif
