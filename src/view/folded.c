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
#include "view/folded_frames.h"

enum {
	FLUSH = 256 * 1024,
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
	/* the line at hand: */
	struct strbuf path; /* begins with a ';' that is not written */
	VEC(uint32_t) parts; /* texts that it is made of */
	VEC(size_t) ends; /* the length of `path` behind each */
	uint32_t *stack; /* locations of the stack that comes */
	size_t stack_cap;
	VEC(uint32_t) next; /* its texts */
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
	if (w->path.n)
		strbuf_add(&w->out, w->path.s + 1, w->path.n - 1);
	strbuf_addc(&w->out, ' ');
	strbuf_addu(&w->out, w->sum);
	strbuf_addc(&w->out, '\n');
	w->sum = 0;
	return w->out.n > FLUSH ? flush(w) : 0;
}

/* Add what comes behind the SAME first parts of the line. */
static void set_line(struct writer *w, size_t same)
{
	size_t n = w->next.n, len = same ? w->ends.v[same - 1] : 0;
	char *to;

	w->path.n = len;
	for (size_t i = same; i < n; i++)
		len += w->texts.v[w->next.v[i]].len;
	strbuf_grow(&w->path, len - w->path.n);
	to = w->path.s + w->path.n;
	w->parts.n = w->ends.n = 0;
	vec_reserve(&w->parts, n);
	vec_reserve(&w->ends, n);
	for (size_t i = same; i < n; i++) {
		struct text t = w->texts.v[w->next.v[i]];

		memcpy(to, w->text.s + t.at, t.len);
		to += t.len;
		w->parts.v[i] = w->next.v[i];
		w->ends.v[i] = (size_t)(to - w->path.s);
	}
	w->parts.n = w->ends.n = n;
	w->path.n = len;
	w->has_line = true;
}

/* Whether the texts from part SAME on say what the line says there, though they are others. */
static bool says_the_same(const struct writer *w, size_t same)
{
	size_t at = same ? w->ends.v[same - 1] : 0, len = at;

	for (size_t i = same; i < w->next.n; i++)
		len += w->texts.v[w->next.v[i]].len;
	if (len != w->path.n)
		return false;
	for (size_t i = same; i < w->next.n; i++) {
		struct text t = w->texts.v[w->next.v[i]];

		if (memcmp(w->path.s + at, w->text.s + t.at, t.len))
			return false;
		at += t.len;
	}
	return true;
}

static void next_stack(struct writer *w, size_t at)
{
	uint32_t key;
	size_t n = stack_order_locs(&w->order, at, &key, &w->stack, &w->stack_cap);
	const uint32_t *locs = w->locs[w->locs[1] && w->frames.java[key]];

	w->next.n = 0;
	vec_reserve(&w->next, n + 1);
	w->next.v[0] = w->keys[key];
	for (size_t i = 0; i < n; i++)
		w->next.v[i + 1] = locs[w->stack[i]];
	w->next.n = n + 1;
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
	uint64_t value = value_of(w, at);
	size_t same = 0;
	int ret = 0;

	next_stack(w, at);
	while (same < w->next.n && same < w->parts.n && w->next.v[same] == w->parts.v[same])
		same++;
	if (!w->has_line || !says_the_same(w, same)) {
		ret = write_line(w);
		set_line(w, same);
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
	ret = write_all(&w);
	stack_order_release(&w.order);
	frames_release(&w.frames);
	free(w.ranks);
	free(w.keys);
	free(w.locs[0]);
	free(w.locs[1]);
	free(w.stack);
	hashidx_release(&w.text_index);
	vec_release(&w.texts);
	vec_release(&w.parts);
	vec_release(&w.ends);
	vec_release(&w.next);
	strbuf_release(&w.text);
	strbuf_release(&w.path);
	strbuf_release(&w.out);
	return ret;
}
