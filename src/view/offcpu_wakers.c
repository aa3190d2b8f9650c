/* SPDX-License-Identifier: MIT */
/*
 * Who ended waits: the waking's stack, joined to the stack that it ended.  A waking out of an
 * interrupt has the stack of whoever was interrupted, which has nothing to do with it: that is
 * marked, and no function is named for it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "view/cell.h"
#include "view/json.h"
#include "view/offcpu.h"

struct waker_row {
	uint32_t func; /* that waited; PROFILE_NONE: no stack */
	uint32_t waker; /* that woke it; PROFILE_NONE: an interrupt, or no stack */
	uint32_t comm; /* string id; 0 for interrupts */
	bool irq;
	uint64_t count, ns;
};

struct waker_rows {
	VEC(struct waker_row) v;
	struct hashidx index;
};

static void add(struct waker_rows *rows, const struct waker_row *row)
{
	uint64_t hash = hash_mix((uint64_t)row->func << 32 | row->waker,
				 (uint64_t)row->comm << 1 | row->irq);
	struct hashidx_iter it = hashidx_first(&rows->index, hash);
	uint32_t id;

	while ((id = hashidx_next(&rows->index, &it)) != HASHIDX_NONE) {
		struct waker_row *r = &rows->v.v[id];

		if (r->func == row->func && r->waker == row->waker && r->comm == row->comm &&
		    r->irq == row->irq) {
			r->count++;
			r->ns += row->ns;
			return;
		}
	}
	hashidx_add(&rows->index, hash, (uint32_t)rows->v.n);
	vec_push(&rows->v, *row);
}

static const char *name(const struct profile *p, uint32_t func, const char *none)
{
	return func == PROFILE_NONE ? none : profile_str(p, p->funcs[func].name);
}

static int compare(const void *pa, const void *pb, void *ctx)
{
	const struct waker_row *a = pa, *b = pb;
	const struct profile *p = ctx;
	int cmp;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	cmp = strcmp(name(p, a->func, ""), name(p, b->func, ""));
	if (!cmp)
		cmp = strcmp(profile_str(p, a->comm), profile_str(p, b->comm));
	return cmp ? cmp : strcmp(name(p, a->waker, ""), name(p, b->waker, ""));
}

static void collect(struct waker_rows *rows, const struct offcpu_groups *g)
{
	const struct offcpu_detail *d = g->detail;

	for (size_t i = 0; i < d->nr_waits; i++) {
		const struct offcpu_wait *w = &d->waits[i];
		struct waker_row row = { .func = PROFILE_NONE, .waker = PROFILE_NONE };

		if (w->waker == PROFILE_NONE)
			continue;
		if (w->stack != PROFILE_NONE)
			row.func = g->funcs[w->stack];
		row.irq = w->irq;
		if (!w->irq) {
			row.waker = g->funcs[w->waker];
			row.comm = g->profile->keys[w->waker_key].comm;
		}
		row.count = 1;
		row.ns = w->mark[1] ? w->ns[0] : 0; /* one part: it was new */
		add(rows, &row);
	}
}

static void rows_init(struct waker_rows *rows, const struct profile *p,
		      const struct offcpu_detail *d)
{
	struct offcpu_groups groups;

	*rows = (struct waker_rows){ 0 };
	offcpu_groups_build(&groups, p, d, OFFCPU_BY_FUNCTION);
	collect(rows, &groups);
	if (rows->v.n)
		qsort_r(rows->v.v, rows->v.n, sizeof(*rows->v.v), compare, (void *)p);
	offcpu_groups_release(&groups);
}

static void rows_release(struct waker_rows *rows)
{
	vec_release(&rows->v);
	hashidx_release(&rows->index);
}

static void add_row(struct grid *g, const struct profile *p, const struct waker_row *r, bool eyes)
{
	cell_time(g, r->ns, eyes);
	cell_count(g, r->count, eyes, COLOUR_NONE);
	grid_cell(g, name(p, r->func, "[no stack]"), COLOUR_NONE);
	grid_cell(g, r->irq ? "[interrupt]" : profile_str(p, r->comm), COLOUR_NONE);
	grid_cell(g, r->irq ? "" : name(p, r->waker, "[no stack]"), COLOUR_NONE);
}

void offcpu_wakers_print(const struct profile *p, const struct offcpu_detail *d, size_t limit,
			 const struct view_style *style, struct strbuf *sb)
{
	static const struct grid_column columns[] = {
		{ .name = "off_ns", .header = "until woken", .right = true },
		{ .name = "count", .header = "times", .right = true },
		{ .name = "function", .header = "waited in", .symbol = true, .shrink = 16 },
		{ .name = "waker", .header = "woken by", .shrink = 8 },
		{ .name = "waker_function", .header = "in", .symbol = true, .shrink = 16 },
	};
	bool eyes = view_for_eyes(style);
	struct waker_rows rows;
	struct grid g = { 0 };
	size_t n;

	rows_init(&rows, p, d);
	GRID_COLUMNS(&g, columns);
	n = limit && limit < rows.v.n ? limit : rows.v.n;
	for (size_t i = 0; i < n; i++)
		add_row(&g, p, &rows.v.v[i], eyes);
	grid_print(&g, style, sb);
	if (n < rows.v.n && eyes)
		strbuf_addf(sb, "… %zu more wakers\n", rows.v.n - n);
	grid_release(&g);
	rows_release(&rows);
}

struct json_object *offcpu_wakers_json(const struct profile *p, const struct offcpu_detail *d,
				       size_t limit)
{
	struct json_object *list = json_new_array();
	struct waker_rows rows;

	rows_init(&rows, p, d);
	for (size_t i = 0; i < rows.v.n && !(limit && i >= limit); i++) {
		const struct waker_row *r = &rows.v.v[i];
		struct json_object *o = json_new();

		json_put_uint(o, "off_ns", r->ns);
		json_put_uint(o, "count", r->count);
		json_put_text(o, "function", name(p, r->func, NULL));
		json_put_bool(o, "interrupt", r->irq);
		json_put_text(o, "waker", r->irq ? NULL : profile_str(p, r->comm));
		json_put_text(o, "waker_function", r->irq ? NULL : name(p, r->waker, NULL));
		json_append(list, o);
	}
	rows_release(&rows);
	return list;
}

/* ---- folded ---- */

/* A frame holds neither what separates frames nor what ends a line. */
static void add_frame(struct strbuf *sb, const char *s)
{
	if (sb->n)
		strbuf_addc(sb, ';');
	for (; *s; s++)
		strbuf_addc(sb, *s == ';' ? ':' : (unsigned char)*s < ' ' ? '?' : *s);
}

static void add_stack(struct strbuf *sb, const struct profile *p, const struct offcpu_detail *d,
		      uint32_t stack, bool leaf_first)
{
	struct offcpu_stack st = d->stacks[stack];

	for (uint32_t i = 0; i < st.n; i++) {
		uint32_t at = leaf_first ? st.n - 1 - i : i;
		const struct location *l = &p->locs[d->locs[st.first + at]];

		for (uint32_t k = 0; k < l->nr_lines; k++) {
			uint32_t line = leaf_first ? k : l->nr_lines - 1 - k;
			uint32_t func = p->lines[l->first_line + line].func;

			add_frame(sb, profile_str(p, p->funcs[func].name));
		}
	}
}

struct folded {
	char *text;
	uint64_t ns;
};

static int by_text(const void *pa, const void *pb)
{
	return strcmp(((const struct folded *)pa)->text, ((const struct folded *)pb)->text);
}

/* What a part of a wait is folded to, but for its time.  A woken thread has the stacks of both. */
static void fold_part(struct strbuf *sb, const struct profile *p, const struct offcpu_detail *d,
		      const struct offcpu_wait *w, int part, bool wakers)
{
	strbuf_clear(sb);
	add_frame(sb, profile_str(p, p->keys[w->key].comm));
	if (w->stack != PROFILE_NONE)
		add_stack(sb, p, d, w->stack, false);
	add_frame(sb, offcpu_mark_name(w->mark[part]));
	if (!wakers || w->waker == PROFILE_NONE)
		return;
	add_frame(sb, "--");
	if (w->irq) {
		add_frame(sb, "[interrupt]");
		return;
	}
	add_stack(sb, p, d, w->waker, true);
	add_frame(sb, profile_str(p, p->keys[w->waker_key].comm));
}

void offcpu_fold(const struct profile *p, const struct offcpu_detail *d, bool wakers,
		 struct strbuf *out)
{
	struct folded *lines = xcalloc(2 * d->nr_waits, sizeof(*lines));
	struct strbuf sb = STRBUF_INIT;
	uint64_t sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < 2 * d->nr_waits; i++) {
		const struct offcpu_wait *w = &d->waits[i / 2];

		if (!w->ns[i % 2])
			continue;
		fold_part(&sb, p, d, w, i % 2, wakers);
		lines[n++] = (struct folded){ xstrdup(strbuf_str(&sb)), w->ns[i % 2] };
	}
	if (n)
		qsort(lines, n, sizeof(*lines), by_text);
	for (size_t i = 0; i < n; i++) {
		sum += lines[i].ns;
		if (i + 1 == n || strcmp(lines[i].text, lines[i + 1].text)) {
			strbuf_addf(out, "%s %" PRIu64 "\n", lines[i].text, sum);
			sum = 0;
		}
	}
	for (size_t i = 0; i < n; i++)
		free(lines[i].text);
	free(lines);
	strbuf_release(&sb);
}
