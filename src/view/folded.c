/* SPDX-License-Identifier: MIT */
/*
 * Writing folded stacks in the order of whole lines, without a line in memory and without
 * comparing lines.
 *
 * Nodes of the stack trie that name the same frames are walked together: a level of the walk is
 * the set of children of a group of nodes, sorted by frame and cut into the next groups.  Frames
 * are compared by rank, all strings having been sorted once.
 *
 * Sorting lines is not sorting frames.  "a b;x" comes before "a;x" because a blank is below ';',
 * though "a" is below "a b".  So a frame has two ranks: that of "a", for the line that ends
 * there, and that of "a;", for all lines that go on.
 */
#include "view/folded.h"

#include <stdlib.h>
#include <string.h>

#include "base/hashidx.h"
#include "base/hash.h"
#include "view/folded_frames.h"

/* A stack trie with what is to be printed: that of the profile, or one with shorter stacks. */
struct trie {
	const struct stack_node *nodes;
	size_t n;
	uint64_t *value; /* printed for the stack that ends here */
	bool *ends;	 /* one does end here */
	bool *below;	 /* some end below */
	uint8_t *java;
	uint32_t *child, *sibling, root;
};

/* A frame of a node that is to be sorted among its siblings. */
struct entry {
	uint32_t rank;
	uint32_t node;
	uint32_t at; /* which of the node's frames */
};

/* A level of the walk: entries[from … to) is one set of siblings. */
struct level {
	size_t from, at, to;
	size_t text; /* of the path above */
};

struct writer {
	struct frames frames;
	struct trie trie;
	uint32_t *ranks; /* by string id: [2 id] when a line ends there, [2 id + 1] when not */
	VEC(struct entry) entries;
	VEC(struct level) levels;
	VEC(uint32_t) pending; /* nodes whose children are to be gathered */
	struct strbuf path, out;
	fold_sink *sink;
	void *ctx;
};

/* ---- the trie ---------------------------------------------------------------------------- */

static uint64_t value_of(const struct profile_event *e, const struct fold_options *o, size_t node)
{
	/* stackcollapse-perf.pl takes a period of 0 for none, that is for 1 */
	bool no_period = o->compat == FOLD_FLAMEGRAPH && !e->node_weight[node];

	return o->count || no_period ? e->node_count[node] : e->node_weight[node];
}

static void trie_of_profile(struct trie *t, const struct profile *p,
			    const struct profile_event *e, const struct fold_options *o)
{
	t->nodes = p->nodes;
	t->n = p->nr_nodes;
	t->value = xcalloc(t->n, sizeof(*t->value));
	t->ends = xcalloc(t->n, sizeof(*t->ends));
	for (size_t i = 0; i < t->n && i < e->node_cap; i++) {
		t->ends[i] = e->node_count[i] || e->node_weight[i];
		t->value[i] = t->ends[i] ? value_of(e, o, i) : 0;
	}
}

/* While a trie with shorter stacks is made. */
struct shorten {
	VEC(struct stack_node) nodes;
	VEC(uint64_t) value;
	VEC(bool) ends;
	struct hashidx index;
};

static uint32_t shorten_child(struct shorten *s, uint32_t parent, uint32_t loc)
{
	uint64_t hash = hash_pair(parent, loc);
	struct hashidx_iter it = hashidx_first(&s->index, hash);
	uint32_t id = hashidx_next(&s->index, &it);

	if (id != HASHIDX_NONE)
		return id;
	id = (uint32_t)s->nodes.n;
	vec_push(&s->nodes, (struct stack_node){ parent, loc });
	vec_push(&s->value, 0);
	vec_push(&s->ends, false);
	hashidx_add(&s->index, hash, id);
	return id;
}

/* The stack that ends in NODE, with at most MAX locations. */
static void shorten_stack(struct shorten *s, const struct trie *t, uint32_t node, uint32_t max,
			  uint32_t *path)
{
	uint32_t n = 0, root = node, to;

	while (t->nodes[root].parent != PROFILE_NONE) {
		if (n < max)
			path[n++] = t->nodes[root].loc;
		root = t->nodes[root].parent;
	}
	to = shorten_child(s, PROFILE_NONE, t->nodes[root].loc);
	while (n)
		to = shorten_child(s, to, path[--n]);
	if (__builtin_add_overflow(s->value.v[to], t->value[node], &s->value.v[to]))
		s->value.v[to] = UINT64_MAX;
	s->ends.v[to] = true;
}

static bool has_deep_stack(const struct trie *t, uint32_t max)
{
	uint32_t *depth = xcalloc(t->n, sizeof(*depth));
	bool deep = false;

	for (size_t i = 0; i < t->n && !deep; i++) {
		if (t->nodes[i].parent != PROFILE_NONE)
			depth[i] = depth[t->nodes[i].parent] + 1;
		deep = depth[i] > max && t->ends[i];
	}
	free(depth);
	return deep;
}

/* As perf script does, keep the innermost frames of a deep stack. */
static void trie_shorten(struct trie *t, uint32_t max)
{
	struct shorten s = { 0 };
	uint32_t *path;

	if (!max || !has_deep_stack(t, max))
		return;
	path = xreallocarray(NULL, max, sizeof(*path));
	for (size_t i = 0; i < t->n; i++)
		if (t->ends[i])
			shorten_stack(&s, t, (uint32_t)i, max, path);
	free(path);
	free(t->value);
	free(t->ends);
	hashidx_release(&s.index);
	t->nodes = s.nodes.v;
	t->n = s.nodes.n;
	t->value = s.value.v;
	t->ends = s.ends.v;
}

static struct frames_range node_frames(const struct writer *w, uint32_t node)
{
	const struct stack_node *n = &w->trie.nodes[node];

	if (n->parent == PROFILE_NONE)
		return w->frames.keys[n->loc];
	return w->frames.locs[w->trie.java[node]][n->loc];
}

static void find_java(struct writer *w)
{
	struct trie *t = &w->trie;

	t->java = xcalloc(t->n, sizeof(*t->java));
	for (size_t i = 0; i < t->n; i++) {
		uint32_t parent = t->nodes[i].parent;

		t->java[i] = parent == PROFILE_NONE ? w->frames.java[t->nodes[i].loc] :
						      t->java[parent];
	}
}

static void push_up(struct trie *t, size_t node, uint32_t parent)
{
	if (!t->ends[node])
		return;
	if (__builtin_add_overflow(t->value[parent], t->value[node], &t->value[parent]))
		t->value[parent] = UINT64_MAX;
	t->ends[parent] = true;
	t->ends[node] = false;
}

/*
 * Backwards, children before parents: link them, tell what ends below, and let a node that names
 * no frame (the peers drop some) end where its parent does.
 */
static void link_trie(struct writer *w)
{
	struct trie *t = &w->trie;
	bool empty_stacks = w->frames.opts->compat == FOLD_FLAMEGRAPH;

	t->below = xcalloc(t->n, sizeof(*t->below));
	t->child = xreallocarray(NULL, t->n, sizeof(*t->child));
	t->sibling = xreallocarray(NULL, t->n, sizeof(*t->sibling));
	memset(t->child, 0xff, t->n * sizeof(*t->child));
	t->root = PROFILE_NONE;
	for (size_t i = t->n; i-- > 0;) {
		uint32_t parent = t->nodes[i].parent;
		uint32_t *head = parent == PROFILE_NONE ? &t->root : &t->child[parent];

		if (parent == PROFILE_NONE) {
			if (w->frames.dropped[t->nodes[i].loc])
				continue;
			t->ends[i] &= empty_stacks; /* of a stack without frames */
		} else {
			if (!node_frames(w, (uint32_t)i).n)
				push_up(t, i, parent);
			t->below[parent] |= t->ends[i] || t->below[i];
		}
		if (!t->ends[i] && !t->below[i])
			continue;
		t->sibling[i] = *head;
		*head = (uint32_t)i;
	}
}

static void trie_release(struct trie *t, const struct profile *p)
{
	if (t->nodes != p->nodes)
		free((void *)t->nodes);
	free(t->value);
	free(t->ends);
	free(t->below);
	free(t->java);
	free(t->child);
	free(t->sibling);
}

/* ---- ranks ------------------------------------------------------------------------------- */

/* The bytes of a frame, and then nothing (KEY even) or ';' (odd). */
static int char_at(const struct intern *names, uint32_t key, size_t at)
{
	size_t len = intern_len(names, key / 2);

	if (at < len)
		return (unsigned char)intern_str(names, key / 2)[at];
	return at == len && key % 2 ? ';' : -1;
}

static int compare_keys(const void *va, const void *vb, void *arg)
{
	const struct intern *names = arg;
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;
	size_t la = intern_len(names, a / 2), lb = intern_len(names, b / 2);
	size_t n = la < lb ? la : lb;
	int cmp = memcmp(intern_str(names, a / 2), intern_str(names, b / 2), n);

	/* no frame holds a ';': what follows the common part decides */
	return cmp ? cmp : char_at(names, a, n) - char_at(names, b, n);
}

static void make_ranks(struct writer *w)
{
	uint32_t n = 2 * intern_count(&w->frames.names);
	uint32_t *keys = xreallocarray(NULL, n, sizeof(*keys));

	for (uint32_t i = 0; i < n; i++)
		keys[i] = i;
	qsort_r(keys, n, sizeof(*keys), compare_keys, &w->frames.names);
	w->ranks = xreallocarray(NULL, n, sizeof(*w->ranks));
	for (uint32_t i = 0; i < n; i++)
		w->ranks[keys[i]] = i;
	free(keys);
}

/* ---- the walk ---------------------------------------------------------------------------- */

static void add_entries(struct writer *w, uint32_t node, uint32_t at)
{
	struct frames_range r = node_frames(w, node);
	uint32_t name = w->frames.v.v[r.first + at];
	bool last = at + 1 == r.n;

	if (last && w->trie.ends[node])
		vec_push(&w->entries, (struct entry){ w->ranks[2 * name], node, at });
	if (!last || w->trie.below[node])
		vec_push(&w->entries, (struct entry){ w->ranks[2 * name + 1], node, at });
}

/* The frames that follow NODE: those of its children, of theirs if one names no frame. */
static void add_children(struct writer *w, uint32_t first)
{
	vec_push(&w->pending, first);
	while (w->pending.n) {
		uint32_t node = w->pending.v[--w->pending.n];

		for (; node != PROFILE_NONE; node = w->trie.sibling[node]) {
			if (node_frames(w, node).n)
				add_entries(w, node, 0);
			else if (w->trie.child[node] != PROFILE_NONE)
				vec_push(&w->pending, w->trie.child[node]);
		}
	}
}

static int compare_entries(const void *va, const void *vb)
{
	const struct entry *a = va, *b = vb;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Most sets are tiny. */
static void sort_entries(struct entry *v, size_t n)
{
	if (n > 24) {
		qsort(v, n, sizeof(*v), compare_entries);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		struct entry e = v[i];
		size_t k = i;

		for (; k && v[k - 1].rank > e.rank; k--)
			v[k] = v[k - 1];
		v[k] = e;
	}
}

/* Start on the entries that were added from FROM on. */
static void push_level(struct writer *w, size_t from)
{
	sort_entries(w->entries.v + from, w->entries.n - from);
	vec_push(&w->levels, (struct level){ from, from, w->entries.n, w->path.n });
}

static int flush(struct writer *w)
{
	int ret = w->out.n ? w->sink(w->ctx, w->out.s, w->out.n) : 0;

	strbuf_clear(&w->out);
	return ret;
}

static int write_line(struct writer *w, size_t from, size_t to)
{
	uint64_t sum = 0;

	for (size_t i = from; i < to; i++)
		if (__builtin_add_overflow(sum, w->trie.value[w->entries.v[i].node], &sum))
			sum = UINT64_MAX;
	strbuf_add(&w->out, w->path.s, w->path.n);
	strbuf_addc(&w->out, ' ');
	strbuf_addu(&w->out, sum);
	strbuf_addc(&w->out, '\n');
	return w->out.n > 256 * 1024 ? flush(w) : 0;
}

/* The entries from FROM to TO name the same frame and go on: what follows them is a level. */
static void descend(struct writer *w, size_t from, size_t to)
{
	size_t start = w->entries.n;

	for (size_t i = from; i < to; i++) {
		struct entry e = w->entries.v[i];

		if (e.at + 1 < node_frames(w, e.node).n)
			add_entries(w, e.node, e.at + 1);
		else if (w->trie.child[e.node] != PROFILE_NONE)
			add_children(w, w->trie.child[e.node]);
	}
	push_level(w, start);
}

/* Put the frame of an entry behind the path of its level. */
static void set_path(struct writer *w, const struct level *l, uint32_t name)
{
	w->path.n = l->text;
	if (w->levels.n > 1)
		strbuf_addc(&w->path, ';');
	strbuf_add(&w->path, intern_str(&w->frames.names, name),
		   intern_len(&w->frames.names, name));
}

static int walk(struct writer *w)
{
	int ret = 0;

	add_children(w, w->trie.root);
	push_level(w, 0);
	while (w->levels.n && !ret) {
		struct level *l = &w->levels.v[w->levels.n - 1];
		size_t from = l->at, to = from;
		size_t at;
		uint32_t name;

		if (from == l->to) {
			w->entries.n = l->from;
			w->levels.n--;
			continue;
		}
		while (to < l->to && w->entries.v[to].rank == w->entries.v[from].rank)
			to++;
		l->at = to;
		at = node_frames(w, w->entries.v[from].node).first + w->entries.v[from].at;
		name = w->frames.v.v[at]; /* node_frames() may move the frames */
		set_path(w, l, name);
		if (w->entries.v[from].rank == w->ranks[2 * name])
			ret = write_line(w, from, to);
		else
			descend(w, from, to);
	}
	return ret ? ret : flush(w);
}

int fold_write(const struct profile *p, uint32_t event, const struct fold_options *opts,
	       fold_sink *sink, void *ctx)
{
	struct writer w = { .sink = sink, .ctx = ctx };
	int ret;

	/* perf script puts a sample without a chain on one line, which the script passes over */
	if (opts->no_chains && opts->compat == FOLD_FLAMEGRAPH)
		return 0;
	trie_of_profile(&w.trie, p, &p->events[event], opts);
	trie_shorten(&w.trie, opts->max_stack);
	frames_init(&w.frames, p, opts);
	find_java(&w);
	link_trie(&w);
	make_ranks(&w);
	ret = walk(&w);
	trie_release(&w.trie, p);
	frames_release(&w.frames);
	free(w.ranks);
	vec_release(&w.entries);
	vec_release(&w.levels);
	vec_release(&w.pending);
	strbuf_release(&w.path);
	strbuf_release(&w.out);
	return ret;
}
