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

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/pool.h"
#include "view/folded_frames.h"

enum {
	SEGMENT = 256, /* stacks that are written in one go: some hundred kB of text */
	WAVE = 16, /* segments of each thread before all is passed on */
	AHEAD = 8, /* stacks that are asked for before they are written */
};

/* What a root or a location adds to a line: its frames, each behind a ';'. */
struct text {
	size_t at; /* in writer.text */
	uint32_t len;
};

struct writer {
	struct frames frames;
	const struct fold_options *opts;
	uint32_t *ranks; /* by string id: [2 id] when a line ends there, [2 id + 1] when not */
	uint32_t nr_ranks;
	struct stack_order order;
	/* texts; those that say the same have the same number: */
	struct strbuf text;
	VEC(struct text) texts;
	struct hashidx text_index;
	uint32_t *keys, *locs[2]; /* numbers of texts, by root and by location */
	struct lines *lines; /* by segment of a wave */
	size_t wave; /* the first stack of the wave */
	fold_sink *sink;
	void *ctx;
};

/* A segment being written, and the line at hand. */
struct lines {
	struct strbuf path; /* begins with a ';' that is not written */
	VEC(uint32_t) parts; /* texts that it is made of */
	VEC(size_t) ends; /* the length of `path` behind each */
	uint32_t *stack; /* locations of the stack that comes */
	size_t stack_cap;
	VEC(uint32_t) next; /* its texts */
	uint64_t sum;
	struct strbuf out;
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
	for (uint32_t i = 0; i < n; i++) {
		/* nothing between "a" and "a;": they may be one, a line that ends is first */
		if (!i || keys[i] != keys[i - 1] + 1 || !(keys[i] & 1))
			w->nr_ranks++;
		w->ranks[keys[i]] = w->nr_ranks - 1;
	}
	free(keys);
}

/* ---- texts ------------------------------------------------------------------------------- */

/* The number of the text that stands behind AT in w->text; it is taken off when it is known. */
static uint32_t text_number(struct writer *w, size_t at)
{
	uint64_t hash = hash_bytes(w->text.s + at, w->text.n - at);
	struct hashidx_iter it = hashidx_first(&w->text_index, hash);
	uint32_t len = (uint32_t)(w->text.n - at), id;

	while ((id = hashidx_next(&w->text_index, &it)) != HASHIDX_NONE) {
		const struct text *t = &w->texts.v[id];

		if (t->len == len && !memcmp(w->text.s + t->at, w->text.s + at, len)) {
			w->text.n = at;
			return id;
		}
	}
	id = (uint32_t)w->texts.n;
	hashidx_add(&w->text_index, hash, id);
	vec_push(&w->texts, (struct text){ at, len });
	return id;
}

static uint32_t *make_texts(struct writer *w, const struct frames_range *ranges, size_t n)
{
	uint32_t *numbers = xreallocarray(NULL, n, sizeof(*numbers));
	const struct intern *names = &w->frames.names;

	for (size_t i = 0; i < n; i++) {
		size_t at = w->text.n;

		strbuf_addc(&w->text, '\0'); /* the text of no frame is somewhere too */
		for (uint32_t k = 0; k < ranges[i].n; k++) {
			uint32_t id = w->frames.v.v[ranges[i].first + k];

			strbuf_addc(&w->text, ';');
			strbuf_add(&w->text, intern_str(names, id), intern_len(names, id));
		}
		numbers[i] = text_number(w, at + 1);
	}
	return numbers;
}

/* ---- lines ------------------------------------------------------------------------------- */

static void write_line(struct lines *l)
{
	if (l->path.n)
		strbuf_add(&l->out, l->path.s + 1, l->path.n - 1);
	strbuf_addc(&l->out, ' ');
	strbuf_addu(&l->out, l->sum);
	strbuf_addc(&l->out, '\n');
}

/* Make the line that of the stack that comes; its SAME first parts are there. */
static void set_line(const struct writer *w, struct lines *l, size_t same)
{
	size_t n = l->next.n, len = same ? l->ends.v[same - 1] : 0;
	char *to;

	l->path.n = len;
	for (size_t i = same; i < n; i++)
		len += w->texts.v[l->next.v[i]].len;
	strbuf_grow(&l->path, len - l->path.n);
	to = l->path.s + l->path.n;
	l->parts.n = l->ends.n = 0;
	vec_reserve(&l->parts, n);
	vec_reserve(&l->ends, n);
	for (size_t i = same; i < n; i++) {
		struct text t = w->texts.v[l->next.v[i]];

		memcpy(to, w->text.s + t.at, t.len);
		to += t.len;
		l->parts.v[i] = l->next.v[i];
		l->ends.v[i] = (size_t)(to - l->path.s);
	}
	l->parts.n = l->ends.n = n;
	l->path.n = len;
	l->sum = 0;
}

/* Whether the stack that comes says what the line says; *SAME: how many parts are the same. */
static bool says_the_same(const struct writer *w, const struct lines *l, size_t *same)
{
	size_t at, len, n = 0;

	while (n < l->next.n && n < l->parts.n && l->next.v[n] == l->parts.v[n])
		n++;
	*same = n;
	len = at = n ? l->ends.v[n - 1] : 0;
	for (size_t i = n; i < l->next.n; i++)
		len += w->texts.v[l->next.v[i]].len;
	if (len != l->path.n)
		return false;
	for (size_t i = n; i < l->next.n; i++) {
		struct text t = w->texts.v[l->next.v[i]];

		if (memcmp(l->path.s + at, w->text.s + t.at, t.len))
			return false;
		at += t.len;
	}
	return true;
}

static void take_stack(const struct writer *w, struct lines *l, size_t at)
{
	uint32_t key;
	size_t n = stack_order_locs(&w->order, at, &key, &l->stack, &l->stack_cap);
	const uint32_t *locs = w->locs[w->locs[1] && w->frames.java[key]];

	l->next.n = 0;
	vec_reserve(&l->next, n + 1);
	l->next.v[0] = w->keys[key];
	for (size_t i = 0; i < n; i++)
		l->next.v[i + 1] = locs[l->stack[i]];
	l->next.n = n + 1;
}

static uint64_t value_of(const struct writer *w, size_t at)
{
	uint64_t samples, weight = stack_order_weight(&w->order, at, &samples);
	/* stackcollapse-perf.pl takes a period of 0 for none, that is for 1 */
	bool no_period = w->opts->compat == FOLD_FLAMEGRAPH && !weight;

	return w->opts->count || no_period ? samples : weight;
}

static void add_value(const struct writer *w, struct lines *l, size_t at)
{
	if (__builtin_add_overflow(l->sum, value_of(w, at), &l->sum))
		l->sum = UINT64_MAX;
}

/*
 * The lines of stacks AT … TO - 1.  One that began before is another segment's; one that goes on
 * behind TO is whole here.
 */
static void write_segment(const struct writer *w, struct lines *l, size_t at, size_t to)
{
	bool first = at == 0;
	size_t same = 0;

	l->parts.n = l->path.n = 0;
	if (!first) {
		take_stack(w, l, at - 1);
		set_line(w, l, 0);
	}
	for (bool open = false;; at++) {
		if (at < w->order.n) {
			stack_order_prefetch(&w->order, at + AHEAD);
			take_stack(w, l, at);
			if (!first && says_the_same(w, l, &same)) {
				if (open)
					add_value(w, l, at);
				continue;
			}
		}
		if (open)
			write_line(l);
		if (at >= to)
			return;
		set_line(w, l, first ? 0 : same);
		add_value(w, l, at);
		open = true;
		first = false;
	}
}

static void write_job(void *ctx, unsigned worker, size_t index)
{
	struct writer *w = ctx;
	size_t at = w->wave + index * SEGMENT;

	(void)worker;
	write_segment(w, &w->lines[index], at,
		      at + SEGMENT < w->order.n ? at + SEGMENT : w->order.n);
}

static void lines_release(struct lines *l)
{
	strbuf_release(&l->path);
	strbuf_release(&l->out);
	vec_release(&l->parts);
	vec_release(&l->ends);
	vec_release(&l->next);
	free(l->stack);
}

/* Segments are made ready by several threads, wave by wave, and passed on in order. */
static int write_all(struct writer *w, unsigned threads)
{
	size_t wave = threads > 1 ? (size_t)threads * WAVE : 1;
	int ret = 0;

	w->lines = xcalloc(wave, sizeof(*w->lines));
	for (w->wave = 0; w->wave < w->order.n && !ret; w->wave += wave * SEGMENT) {
		size_t left = (w->order.n - w->wave + SEGMENT - 1) / SEGMENT;
		size_t n = left < wave ? left : wave;

		pool_run(threads, n, write_job, w);
		for (size_t i = 0; i < n; i++) {
			struct strbuf *out = &w->lines[i].out;

			if (!ret && out->n)
				ret = w->sink(w->ctx, out->s, out->n);
			strbuf_clear(out);
		}
	}
	for (size_t i = 0; i < wave; i++)
		lines_release(&w->lines[i]);
	free(w->lines);
	return ret;
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
	w.keys = make_texts(&w, w.frames.keys, p->nr_keys);
	for (int k = 0; k < 2; k++)
		if (w.frames.locs[k])
			w.locs[k] = make_texts(&w, w.frames.locs[k], p->nr_locs);
	f.frames = w.frames.v.v;
	f.keys = w.frames.keys;
	f.locs[0] = w.frames.locs[0];
	f.locs[1] = w.frames.locs[1];
	f.other = f.locs[1] ? w.frames.java : NULL;
	f.dropped = w.frames.dropped;
	f.ranks = w.ranks;
	f.nr_ranks = w.nr_ranks;
	stack_order_init(&w.order, p, event == FOLD_ALL_EVENTS ? PROFILE_NONE : event, &f);
	ret = write_all(&w, p->threads > 1 ? p->threads : 1);
	stack_order_release(&w.order);
	frames_release(&w.frames);
	free(w.ranks);
	free(w.keys);
	free(w.locs[0]);
	free(w.locs[1]);
	hashidx_release(&w.text_index);
	vec_release(&w.texts);
	strbuf_release(&w.text);
	return ret;
}
