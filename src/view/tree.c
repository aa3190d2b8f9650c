/* SPDX-License-Identifier: MIT */
/*
 * Call trees by function: the trie's locations become their lines (an inlined function is a frame
 * of its own), and paths with the same functions become one.
 *
 * From the outermost frame inwards, a node of the trie adds its whole subtree to the tree nodes
 * of its lines: one visit per node.  In the other direction a path has to be walked once for
 * every node in which samples end.
 */
#include "view/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "view/json.h"
#include "view/tree_detail.h"

static struct path_frame frame_of(const struct walk *w, const struct line *line)
{
	const struct profile *p = w->profile;

	return (struct path_frame){ line->func, line->flags & LINE_INLINED,
				    p->locs[p->nodes[w->node].loc].repaired };
}

void path_step(struct path *path, const struct walk *w)
{
	size_t n;
	const struct line *lines = walk_lines(w, w->node, &n);

	if (!w->entering) {
		path->frames.n -= n;
		return;
	}
	for (size_t i = n; i-- > 0;)
		vec_push(&path->frames, frame_of(w, &lines[i]));
}

void path_release(struct path *path)
{
	vec_release(&path->frames);
}

void tree_builder_init(struct tree_builder *b, struct tree *t)
{
	*b = (struct tree_builder){ .tree = t };
	vec_push(&b->nodes, (struct tree_node){ .func = PROFILE_NONE,
						.parent = PROFILE_NONE,
						.first_child = PROFILE_NONE,
						.next = PROFILE_NONE });
}

static uint32_t child_of(struct tree_builder *b, uint32_t node, struct path_frame frame)
{
	uint64_t hash = hash_u64((uint64_t)node << 32 | frame.func);
	struct hashidx_iter it = hashidx_first(&b->index, hash);
	uint32_t id;

	while ((id = hashidx_next(&b->index, &it)) != HASHIDX_NONE) {
		if (b->nodes.v[id].parent == node && b->nodes.v[id].func == frame.func) {
			b->nodes.v[id].inlined &= frame.inlined;
			return id;
		}
	}
	id = (uint32_t)b->nodes.n;
	vec_push(&b->nodes, (struct tree_node){ .func = frame.func,
						.parent = node,
						.first_child = PROFILE_NONE,
						.next = PROFILE_NONE,
						.inlined = frame.inlined });
	hashidx_add(&b->index, hash, id);
	return id;
}

void tree_add(struct tree_builder *b, uint32_t node, uint64_t total, uint64_t samples,
	      uint64_t self)
{
	struct tree_node *n = &b->nodes.v[node];

	n->total += total;
	n->total_samples += samples;
	n->self += self;
}

uint32_t tree_pass(struct tree_builder *b, uint32_t node, struct path_frame frame, uint64_t total,
		   uint64_t samples)
{
	uint32_t at = child_of(b, node, frame);

	tree_add(b, at, total, samples, 0);
	if (frame.repaired)
		b->nodes.v[at].repaired += total;
	return at;
}

static int compare_nodes(const void *va, const void *vb, void *ctx)
{
	const struct tree *t = ctx;
	const struct profile *p = t->profile;
	const struct tree_node *a = &t->nodes[*(const uint32_t *)va];
	const struct tree_node *b = &t->nodes[*(const uint32_t *)vb];
	int r;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	r = strcmp(profile_str(p, p->funcs[a->func].name), profile_str(p, p->funcs[b->func].name));
	if (!r)
		r = strcmp(profile_str(p, p->funcs[a->func].module),
			   profile_str(p, p->funcs[b->func].module));
	return r ? r : a->func < b->func ? -1 : 1;
}

void tree_builder_finish(struct tree_builder *b)
{
	struct tree *t = b->tree;
	uint32_t *order;

	t->nodes = b->nodes.v;
	t->n = b->nodes.n;
	order = xreallocarray(NULL, t->n, sizeof(*order));
	for (size_t i = 1; i < t->n; i++)
		order[i - 1] = (uint32_t)i;
	qsort_r(order, t->n - 1, sizeof(*order), compare_nodes, t);
	for (size_t i = t->n - 1; i-- > 0;) {
		struct tree_node *n = &t->nodes[order[i]], *parent = &t->nodes[n->parent];

		n->next = parent->first_child;
		parent->first_child = order[i];
	}
	free(order);
	hashidx_release(&b->index);
}

struct build {
	struct tree_builder builder;
	struct walk walk;
	struct path path;
	bool by_count;
};

static uint64_t chosen(const struct build *b, uint64_t weight, uint64_t samples)
{
	return b->by_count ? samples : weight;
}

/* Outermost first; OF_NODE is for each node of the trie its innermost line's tree node. */
static void build_inwards(struct build *b)
{
	uint32_t *of_node = xcalloc(b->walk.profile->nr_nodes + 1, sizeof(*of_node));
	struct tree_builder *tb = &b->builder;

	while (walk_next(&b->walk)) {
		uint32_t node = b->walk.node, parent = b->walk.profile->nodes[node].parent, at;
		uint64_t samples = b->walk.samples[node];
		uint64_t total = chosen(b, b->walk.weight[node], samples);
		size_t n;
		const struct line *lines = walk_lines(&b->walk, node, &n);

		if (!b->walk.entering)
			continue;
		at = parent == PROFILE_NONE ? 0 : of_node[parent];
		if (parent == PROFILE_NONE)
			tree_add(tb, 0, total, samples, 0);
		for (size_t i = n; i-- > 0;)
			at = tree_pass(tb, at, frame_of(&b->walk, &lines[i]), total, samples);
		of_node[node] = at;
		tree_add(tb, at, 0, 0,
			 chosen(b, walk_self(&b->walk, node), walk_self_samples(&b->walk, node)));
	}
	free(of_node);
}

/* Self weight by function: branches that can't reach the threshold need not be built. */
static uint64_t *leaf_weights(const struct build *b)
{
	const struct profile *p = b->walk.profile;
	uint64_t *sum = xcalloc(p->nr_funcs + 1, sizeof(*sum));

	for (uint32_t i = 0; i < p->nr_nodes; i++) {
		size_t n;
		const struct line *lines = walk_lines(&b->walk, i, &n);

		if (n)
			sum[lines[0].func] +=
				chosen(b, walk_self(&b->walk, i), walk_self_samples(&b->walk, i));
	}
	return sum;
}

static void add_outwards(struct build *b, uint64_t total, uint64_t samples, uint64_t *leaves)
{
	const struct tree *t = b->builder.tree;
	size_t n = b->path.frames.n;
	uint32_t at = 0;

	tree_add(&b->builder, 0, total, samples, 0);
	if (!n || (double)leaves[b->path.frames.v[n - 1].func] * 100 <
			  t->opts.threshold * (double)t->base) {
		if (!n)
			tree_add(&b->builder, 0, 0, 0, total);
		else
			tree_pass(&b->builder, 0, b->path.frames.v[n - 1], total, samples);
		return;
	}
	for (size_t i = n; i-- > 0;)
		at = tree_pass(&b->builder, at, b->path.frames.v[i], total, samples);
	tree_add(&b->builder, at, 0, 0, total);
}

static void build_outwards(struct build *b)
{
	uint64_t *leaves = leaf_weights(b);

	while (walk_next(&b->walk)) {
		uint32_t node = b->walk.node;
		uint64_t samples = walk_self_samples(&b->walk, node);
		uint64_t total = chosen(b, walk_self(&b->walk, node), samples);

		path_step(&b->path, &b->walk);
		if (b->walk.entering && (samples || total))
			add_outwards(b, total, samples, leaves);
	}
	free(leaves);
}

void tree_build(struct tree *t, const struct profile *p, uint32_t event,
		const struct tree_options *opts)
{
	const struct profile_event *e = &p->events[event];
	struct build b = { .by_count = opts->by_count };

	*t = (struct tree){ .profile = p, .event = event, .opts = *opts };
	t->base = opts->by_count ? e->samples : e->weight;
	walk_init(&b.walk, p, event);
	tree_builder_init(&b.builder, t);
	if (opts->callees)
		build_outwards(&b);
	else
		build_inwards(&b);
	tree_builder_finish(&b.builder);
	walk_release(&b.walk);
	path_release(&b.path);
}

void tree_release(struct tree *t)
{
	free(t->nodes);
	tree_detail_free(t->detail);
	memset(t, 0, sizeof(*t));
}

unsigned tree_depth(const struct tree *t, uint32_t node)
{
	unsigned depth = 0;

	for (; t->nodes[node].parent != PROFILE_NONE; node = t->nodes[node].parent)
		depth++;
	return depth;
}

bool tree_visible(const struct tree *t, uint32_t node)
{
	const struct tree_node *n = &t->nodes[node];
	uint64_t base = t->opts.type == TREE_FRACTAL ? t->nodes[n->parent].total : t->base;

	return n->total && (double)n->total * 100 >= t->opts.threshold * (double)base;
}

/* ---- options ---- */

void tree_options_init(struct tree_options *o)
{
	*o = (struct tree_options){ .type = TREE_GRAPH, .threshold = 0.5 };
}

static const struct {
	const char *word;
	int type, callees, value; /* -1: says nothing about it */
} words[] = {
	{ "none", TREE_NONE, -1, -1 },
	{ "graph", TREE_GRAPH, -1, -1 },
	{ "fractal", TREE_FRACTAL, -1, -1 },
	{ "flat", TREE_FLAT, -1, -1 },
	{ "folded", TREE_FOLDED, -1, -1 },
	{ "caller", -1, 0, -1 },
	{ "callee", -1, 1, -1 },
	{ "percent", -1, -1, TREE_PERCENT },
	{ "period", -1, -1, TREE_PERIOD },
	{ "count", -1, -1, TREE_COUNT },
	{ "function", -1, -1, -1 },
	{ "address", -1, -1, -1 },
	{ "srcline", -1, -1, -1 },
	{ "branch", -1, -1, -1 },
};

static int find_word(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i].word) == len && !memcmp(words[i].word, s, len))
			return (int)i;
	return -1;
}

/* The number that the LEN bytes at S are, or -1. */
static double number_of(const char *s, size_t len)
{
	char *end;
	double v;

	if (!len || *s < '0' || *s > '9')
		return -1;
	v = strtod(s, &end);
	if (end == s + len - 1 && *end == '%')
		end++;
	return end == s + len ? v : -1;
}

int tree_options_parse(struct tree_options *o, const char *text, struct err *err)
{
	bool threshold = false;

	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		int w = find_word(p, len);
		double v = number_of(p, len);

		if (w < 0 && v < 0)
			return err_set(
				err, ERR_USAGE,
				"\"%.*s\" says nothing about a call graph; known are graph, "
				"fractal, flat, folded, none, caller, callee, percent, period, "
				"count, and numbers for the threshold and the limit.",
				(int)len, p);
		if (w >= 0 && words[w].type >= 0)
			o->type = (enum tree_type)words[w].type;
		if (w >= 0 && words[w].callees >= 0)
			o->callees = words[w].callees;
		if (w >= 0 && words[w].value >= 0)
			o->value = words[w].value;
		if (v >= 0 && threshold)
			o->limit = (size_t)v;
		else if (v >= 0)
			o->threshold = v;
		threshold |= v >= 0;
		p += len;
		if (!*p)
			return 0;
	}
}

bool tree_options_plausible(const char *text)
{
	struct tree_options o;

	tree_options_init(&o);
	return tree_options_parse(&o, text, NULL) == 0;
}
