/* SPDX-License-Identifier: MIT */
/* Building trees, for the views that have one. */
#ifndef PERFREP_VIEW_TREE_H
#define PERFREP_VIEW_TREE_H

#include <perfrep/view.h>

#include "base/hashidx.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "view/walk.h"

struct tree_builder {
	struct tree *tree;
	VEC(struct tree_node) nodes;
	struct hashidx index; /* (parent, func) -> node */
};

/* One frame of a path from a root of the trie to where the walk is. */
struct path_frame {
	uint32_t func;
	bool inlined, repaired;
};

struct path {
	VEC(struct path_frame) frames; /* outermost first */
};

/* Keep PATH at where W is: call it for each step of the walk. */
void path_step(struct path *path, const struct walk *w);
void path_release(struct path *path);

/* The tree has a root; its opts, profile and event must be set. */
void tree_builder_init(struct tree_builder *b, struct tree *t);
/* TOTAL and SAMPLES go through FRAME, below NODE; the node of the frame. */
uint32_t tree_pass(struct tree_builder *b, uint32_t node, struct path_frame frame, uint64_t total,
		   uint64_t samples);
void tree_add(struct tree_builder *b, uint32_t node, uint64_t total, uint64_t samples,
	      uint64_t self);
/* Order the children and hand the nodes to the tree. */
void tree_builder_finish(struct tree_builder *b);

/* What one row of a printed tree shows in its second column. */
enum tree_second {
	TREE_SHOW_SELF,
	TREE_SHOW_OF_ROOT, /* the share of the tree's root */
	TREE_SHOW_NOTHING,
};

struct tree_titles { /* what stands above the columns */
	const char *first, *second; /* of shares */
	const char *names;
	const char *rest; /* what of the root is in no child, below them; NULL: not shown */
};

/* The nodes below the root. */
void tree_print_nodes(const struct tree *t, enum tree_second what, const struct tree_titles *titles,
		      const struct view_style *style, struct strbuf *sb);
/* Whether a node is big enough to be shown. */
bool tree_visible(const struct tree *t, uint32_t node);
unsigned tree_depth(const struct tree *t, uint32_t node);

/* ---- for csv and its like: trees of several events, one after the other ---- */

struct grid;

void tree_fields_columns(struct grid *g);
/*
 * The root, when it stands for FUNC, of which SELF ends in it; PART tells what the row is.  EFFECTIVE
 * samples its total is as good as; NULL: not known.
 */
void tree_fields_root(struct grid *g, const struct tree *t, const char *part, uint32_t func,
		      uint64_t self, const double *effective);
/* The nodes below it that are big enough, as deep as the options say. */
void tree_fields_nodes(struct grid *g, const struct tree *t, const char *part);
/* Callers, the function, and what it calls; callers are found from the function outwards. */
void callers_fields(const struct callers *c, struct grid *g);

#endif
