/* SPDX-License-Identifier: MIT */
/*
 * What accounts for the change of one function: the paths that lead to it, and what it calls.
 *
 * A stack counts once.  Its path is that to the outermost frame of the function, and what it does
 * there is told by the frame inside of the innermost one: so both lists add up to the function's
 * total.
 */
#include <perfrep/diff.h>

#include <math.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "base/intern.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "diff/judge.h"
#include "diff/measure.h"

struct amount {
	uint64_t weight, samples;
	uint64_t *block; /* weights by slice of time; NULL: none yet */
};

/* Texts, and what each recording has of them. */
struct group {
	struct intern texts;
	VEC(struct amount) amounts; /* [text * recordings + recording] */
};

struct build {
	const struct diff_side *side;
	struct scales scales;
	size_t recordings;
	struct row_blocks *all; /* by recording: everything by slice of time */
	const char *function;
	struct group above, below, whole;
	struct strbuf text;
	VEC(uint32_t) frames; /* functions of a stack, innermost first */
};

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static void group_add(struct build *b, struct group *g, size_t recording, const char *text,
		      size_t len, const struct stack_iter *it)
{
	uint32_t id = intern_add(&g->texts, text, len);
	size_t need = (size_t)intern_count(&g->texts) * b->recordings;
	struct amount *a;

	if (g->amounts.n < need)
		vec_resize(&g->amounts, need);
	a = &g->amounts.v[id * b->recordings + recording];
	a->weight = add(a->weight, it->weight);
	a->samples = add(a->samples, it->count);
	if (!b->all[recording].n)
		return;
	if (!a->block)
		a->block = xcalloc(PROFILE_BLOCKS, sizeof(*a->block));
	a->block[it->block] = add(a->block[it->block], it->weight);
}

static void group_release(struct group *g)
{
	for (size_t i = 0; i < g->amounts.n; i++)
		free(g->amounts.v[i].block);
	intern_release(&g->texts);
	vec_release(&g->amounts);
}

/* ---- which function ---- */

static const char *name_of(const struct profile *p, uint32_t func)
{
	return profile_str(p, p->funcs[func].name);
}

/* Names that are NAME (EXACT) or have it in them, once each. */
static void find_names(const struct diff_side side[2], const char *name, bool exact,
		       struct intern *found)
{
	for (int s = 0; s < 2; s++) {
		for (size_t k = 0; k < side[s].n; k++) {
			const struct profile *p = side[s].v[k].profile;

			for (size_t i = 0; i < p->nr_lines; i++) {
				const char *n = name_of(p, p->lines[i].func);

				if (exact ? !strcmp(n, name) : strstr(n, name) != NULL)
					intern_adds(found, n);
			}
		}
	}
}

static int refuse(const struct intern *found, const char *name, struct err *err)
{
	struct strbuf list = STRBUF_INIT;
	size_t n = intern_count(found) - 1;
	int r;

	if (!n)
		return err_set(err, ERR_NOT_FOUND,
			       "No function of either side has \"%s\" in its name.", name);
	for (uint32_t i = 1; i <= n && i <= 5; i++)
		strbuf_addf(&list, "%s%s", i > 1 ? ", " : "", intern_str(found, i));
	if (n > 5)
		strbuf_addf(&list, " and %zu more", n - 5);
	r = err_set(err, ERR_NOT_FOUND,
		    "No function is called \"%s\"; it is part of the names of %s.", name,
		    strbuf_str(&list));
	strbuf_release(&list);
	return r;
}

/* The name, as the first profile that has it holds it. */
static const char *borrow_name(const struct diff_side side[2], const char *name)
{
	for (int s = 0; s < 2; s++)
		for (size_t k = 0; k < side[s].n; k++) {
			const struct profile *p = side[s].v[k].profile;

			for (size_t i = 0; i < p->nr_lines; i++)
				if (!strcmp(name_of(p, p->lines[i].func), name))
					return name_of(p, p->lines[i].func);
		}
	return NULL;
}

static const char *choose(const struct diff_side side[2], const char *name, struct err *err)
{
	char *identity = diff_identity(name, NULL);
	struct intern found = { 0 };
	const char *result = NULL;

	find_names(side, identity, true, &found);
	if (intern_count(&found) == 1)
		find_names(side, identity, false, &found);
	if (intern_count(&found) == 2)
		result = borrow_name(side, intern_str(&found, 1));
	else
		refuse(&found, name, err);
	intern_release(&found);
	free(identity);
	return result;
}

/* ---- stacks ---- */

static void collect_frames(struct build *b, const struct profile *p, const struct stack_iter *it)
{
	b->frames.n = 0;
	for (size_t at = it->n; at-- > 0;) {
		const struct location *l = &p->locs[it->locs[at]];

		for (uint32_t i = 0; i < l->nr_lines; i++)
			vec_push(&b->frames, p->lines[l->first_line + i].func);
	}
}

static bool is_function(const struct build *b, const struct profile *p, uint32_t func)
{
	return !strcmp(name_of(p, func), b->function);
}

static void add_stack(struct build *b, const struct profile *p, size_t recording, const uint8_t *is,
		      const struct stack_iter *it)
{
	size_t n = b->frames.n, inner = 0, outer = n;
	const char *below = "[self]";

	while (inner < n && !is[b->frames.v[inner]])
		inner++;
	if (inner == n)
		return;
	while (!is[b->frames.v[outer - 1]])
		outer--;
	strbuf_clear(&b->text);
	for (size_t i = n; i >= outer; i--)
		strbuf_addf(&b->text, "%s%s", i < n ? ";" : "", name_of(p, b->frames.v[i - 1]));
	group_add(b, &b->above, recording, b->text.s, b->text.n, it);
	if (inner)
		below = name_of(p, b->frames.v[inner - 1]);
	group_add(b, &b->below, recording, below, strlen(below), it);
	group_add(b, &b->whole, recording, b->function, strlen(b->function), it);
}

/* Everything by slice of time; no blocks when stacks have no times. */
static void sum_all(struct row_blocks *all, const struct profile *p, uint32_t event)
{
	uint32_t *row_of = xcalloc(p->nr_lines + 1, sizeof(*row_of));
	struct row_sums sums;

	row_sums(&sums, p, event, row_of, 1, true);
	*all = sums.blocks;
	sums.blocks = (struct row_blocks){ 0 };
	row_sums_release(&sums);
	free(row_of);
}

static void add_recording(struct build *b, const struct diff_recording *r, size_t at)
{
	const struct profile *p = r->profile;
	uint8_t *is = xcalloc(p->nr_funcs + 1, 1);
	struct stack_iter it;

	sum_all(&b->all[at], p, r->event);
	for (size_t i = 0; i < p->nr_lines; i++)
		is[p->lines[i].func] = is_function(b, p, p->lines[i].func);
	stack_iter_init(&it, p, r->event);
	it.by_block = b->all[at].n > 0;
	while (stack_iter_next(&it)) {
		collect_frames(b, p, &it);
		add_stack(b, p, at, is, &it);
	}
	stack_iter_release(&it);
	free(is);
}

/* ---- measures ---- */

static void measure(struct build *b, const struct group *g, uint32_t id, struct diff_measure *m)
{
	struct estimate *e = xcalloc(b->recordings, sizeof(*e));
	const struct estimate *const sides[2] = { e, e + b->side[0].n };
	size_t at = 0;

	for (int s = 0; s < 2; s++) {
		for (size_t k = 0; k < b->side[s].n; k++, at++) {
			struct amount a = g->amounts.v[id * b->recordings + at];

			e[at] = estimate_of(&b->side[s].v[k], &b->scales.v[s][k], a.weight,
					    a.samples, a.block, &b->all[at]);
		}
	}
	measure_compute(m, &b->scales, sides);
	free(e);
}

static int compare_paths(const void *va, const void *vb)
{
	const struct diff_path *a = va, *b = vb;
	double da = fabs(a->m.delta), db = fabs(b->m.delta);

	if (da != db)
		return da < db ? 1 : -1;
	return strcmp(a->text, b->text);
}

static struct diff_path *make_paths(struct build *b, const struct group *g, size_t *nr)
{
	size_t n = intern_count(&g->texts) - 1;
	struct diff_path *paths = xcalloc(n + 1, sizeof(*paths));
	struct diff_measure **m = xcalloc(n + 1, sizeof(*m));

	for (uint32_t i = 0; i < n; i++) {
		paths[i].text =
			xstrndup(intern_str(&g->texts, i + 1), intern_len(&g->texts, i + 1));
		measure(b, g, i + 1, &paths[i].m);
		m[i] = &paths[i].m;
	}
	judge_adjust(m, n);
	for (size_t i = 0; i < n; i++)
		paths[i].kind = (uint8_t)judge_kind(&paths[i].m, &paths[i].m, 1);
	if (n)
		qsort(paths, n, sizeof(*paths), compare_paths);
	free(m);
	*nr = n;
	return paths;
}

int diff_paths_build(struct diff_paths *dp, const struct diff_side side[2],
		     const struct diff_options *o, const char *function, struct err *err)
{
	struct build b = { .side = side, .recordings = side[0].n + side[1].n };
	size_t at = 0;

	*dp = (struct diff_paths){ 0 };
	b.function = choose(side, function, err);
	if (!b.function)
		return -ERR_NOT_FOUND;
	dp->function = b.function;
	scales_init(&b.scales, side, o->norm);
	b.all = xcalloc(b.recordings, sizeof(*b.all));
	for (int s = 0; s < 2; s++)
		for (size_t k = 0; k < side[s].n; k++)
			add_recording(&b, &side[s].v[k], at++);
	if (intern_count(&b.whole.texts) > 1)
		measure(&b, &b.whole, 1, &dp->m);
	else
		dp->m.p = dp->m.q = 1;
	dp->above = make_paths(&b, &b.above, &dp->nr_above);
	dp->below = make_paths(&b, &b.below, &dp->nr_below);
	group_release(&b.above);
	group_release(&b.below);
	group_release(&b.whole);
	for (size_t i = 0; i < b.recordings; i++)
		row_blocks_release(&b.all[i]);
	free(b.all);
	scales_release(&b.scales);
	strbuf_release(&b.text);
	vec_release(&b.frames);
	return 0;
}

static void release(struct diff_path *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(paths[i].text);
	free(paths);
}

void diff_paths_release(struct diff_paths *dp)
{
	release(dp->above, dp->nr_above);
	release(dp->below, dp->nr_below);
	memset(dp, 0, sizeof(*dp));
}
