/* SPDX-License-Identifier: MIT */
/*
 * Writing folded stacks in the order of whole lines, without comparing lines.
 *
 * Frames are compared by rank, all names having been sorted once; see order.h for how stacks are.
 * Neighbours share most of their text: only what differs is written anew into the line at hand.
 *
 * Sorting lines is not sorting frames.  "a b;x" comes before "a;x" because a blank is below ';',
 * though "a" is below "a b".  So a frame has two ranks: that of "a", for the line that ends
 * there, and that of "a;", for all lines that go on.
 */
#include "view/folded.h"

#include <stdlib.h>
#include <string.h>

#include "view/folded_frames.h"

enum {
	FLUSH = 256 * 1024,
	AHEAD = 8, /* stacks that are asked for before they are written */
};

struct writer {
	struct frames frames;
	const struct fold_options *opts;
	uint32_t *ranks; /* by string id: [2 id] when a line ends there, [2 id + 1] when not */
	struct stack_order order;
	/* the line at hand: */
	struct strbuf path;
	VEC(uint32_t) ids;  /* its frames */
	VEC(size_t) ends;   /* the length of `path` behind each */
	uint32_t *next;	    /* frames of the stack that comes */
	size_t next_cap;
	uint64_t sum;
	bool has_line;
	struct strbuf out;
	fold_sink *sink;
	void *ctx;
};

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

/* ---- lines ------------------------------------------------------------------------------- */

static int flush(struct writer *w)
{
	int ret = w->out.n ? w->sink(w->ctx, w->out.s, w->out.n) : 0;

	strbuf_clear(&w->out);
	return ret;
}

static int write_line(struct writer *w)
{
	if (!w->has_line)
		return 0;
	strbuf_add(&w->out, w->path.s, w->path.n);
	strbuf_addc(&w->out, ' ');
	strbuf_addu(&w->out, w->sum);
	strbuf_addc(&w->out, '\n');
	w->sum = 0;
	return w->out.n > FLUSH ? flush(w) : 0;
}

static void set_line(struct writer *w, size_t same, size_t n)
{
	const struct intern *names = &w->frames.names;

	w->ids.n = w->ends.n = same;
	w->path.n = same ? w->ends.v[same - 1] : 0;
	vec_reserve(&w->ids, n - same);
	vec_reserve(&w->ends, n - same);
	for (size_t i = same; i < n; i++) {
		uint32_t id = w->next[i];

		if (i)
			strbuf_addc(&w->path, ';');
		strbuf_add(&w->path, intern_str(names, id), intern_len(names, id));
		w->ids.v[w->ids.n++] = id;
		w->ends.v[w->ends.n++] = w->path.n;
	}
	w->has_line = true;
}

static uint64_t value_of(const struct writer *w, size_t at)
{
	uint64_t samples, weight = stack_order_weight(&w->order, at, &samples);
	/* stackcollapse-perf.pl takes a period of 0 for none, that is for 1 */
	bool no_period = w->opts->compat == FOLD_FLAMEGRAPH && !weight;

	return w->opts->count || no_period ? samples : weight;
}

static int write_stack(struct writer *w, size_t at)
{
	size_t n = stack_order_frames(&w->order, at, &w->next, &w->next_cap), same = 0;
	uint64_t value = value_of(w, at);
	int ret = 0;

	while (same < n && same < w->ids.n && w->next[same] == w->ids.v[same])
		same++;
	if (!w->has_line || same < n || same < w->ids.n) {
		ret = write_line(w);
		set_line(w, same, n);
	}
	if (__builtin_add_overflow(w->sum, value, &w->sum))
		w->sum = UINT64_MAX;
	return ret;
}

static int write_all(struct writer *w)
{
	int ret = 0;

	for (size_t i = 0; i < w->order.n && !ret; i++) {
		stack_order_prefetch(&w->order, i + AHEAD);
		ret = write_stack(w, i);
	}
	if (!ret)
		ret = write_line(w);
	return ret ? ret : flush(w);
}

int fold_write(const struct profile *p, uint32_t event, const struct fold_options *opts,
	       fold_sink *sink, void *ctx)
{
	struct writer w = { .opts = opts, .sink = sink, .ctx = ctx };
	struct stack_frames f = { .max_locs = opts->max_stack,
				  .rootless = opts->compat == FOLD_FLAMEGRAPH };
	int ret;

	/* perf script puts a sample without a chain on one line, which the script passes over */
	if (opts->no_chains && opts->compat == FOLD_FLAMEGRAPH)
		return 0;
	frames_init(&w.frames, p, opts);
	make_ranks(&w);
	f.frames = w.frames.v.v;
	f.keys = w.frames.keys;
	f.locs[0] = w.frames.locs[0];
	f.locs[1] = w.frames.locs[1];
	f.other = f.locs[1] ? w.frames.java : NULL;
	f.dropped = w.frames.dropped;
	f.ranks = w.ranks;
	f.nr_ranks = 2 * intern_count(&w.frames.names);
	stack_order_init(&w.order, p, event == FOLD_ALL_EVENTS ? PROFILE_NONE : event, &f);
	ret = write_all(&w);
	stack_order_release(&w.order);
	frames_release(&w.frames);
	free(w.ranks);
	free(w.next);
	vec_release(&w.ids);
	vec_release(&w.ends);
	strbuf_release(&w.path);
	strbuf_release(&w.out);
	return ret;
}
