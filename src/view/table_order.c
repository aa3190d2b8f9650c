/* SPDX-License-Identifier: MIT */
/*
 * What a row is called, where it stands, and which rows share a rank because nothing tells them
 * apart.
 */
#include "view/table_order.h"

#include <stdlib.h>
#include <string.h>

#include <perfrep/statistics.h>

#include "base/strbuf.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void frame_text(const struct table *t, const struct line *l, enum view_key key, bool full,
		       struct strbuf *sb)
{
	const struct profile *p = t->profile;
	const struct func *f = &p->funcs[l->func];
	const char *file = l->file ? profile_str(p, l->file) : "??";

	switch (key) {
	case KEY_DSO:
		strbuf_adds(sb, f->module ? profile_str(p, f->module) : "[unknown]");
		break;
	case KEY_SYM:
		strbuf_adds(sb, profile_str(p, f->name));
		break;
	case KEY_SRCLINE:
		strbuf_adds(sb, full ? file : base_name(file));
		strbuf_addf(sb, ":%u", l->line);
		break;
	default:
		strbuf_adds(sb, full ? file : base_name(file));
	}
}

static void number_text(int32_t v, struct strbuf *sb)
{
	if (v >= 0)
		strbuf_addu(sb, (uint64_t)v);
	else
		strbuf_addc(sb, '?');
}

void table_key_text(const struct table *t, const struct table_row *row, enum view_key key,
		    bool full, struct strbuf *sb)
{
	const struct profile *p = t->profile;
	const struct stack_key *k = &p->keys[row->key];

	switch (key) {
	case KEY_COMM:
		strbuf_adds(sb, profile_str(p, k->comm));
		break;
	case KEY_PID:
		number_text(k->pid, sb);
		break;
	case KEY_TID:
		number_text(k->tid, sb);
		break;
	case KEY_CPU:
		number_text(k->cpu, sb);
		break;
	case KEY_FIELDS:
		strbuf_adds(sb, profile_str(p, k->fields));
		break;
	case KEY_EVENT:
		strbuf_adds(sb, profile_str(p, p->events[t->event].name));
		break;
	default:
		if (row->line == PROFILE_NONE)
			strbuf_adds(sb, "[no frame]");
		else
			frame_text(t, &p->lines[row->line], key, full, sb);
	}
}

static int compare_u64_down(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static int compare_i32(int32_t a, int32_t b)
{
	return a < b ? -1 : a > b ? 1 : 0;
}

static int compare_key(const struct table *t, const struct table_row *a, const struct table_row *b,
		       enum view_key key)
{
	const struct stack_key *ka = &t->profile->keys[a->key], *kb = &t->profile->keys[b->key];
	struct strbuf ta = STRBUF_INIT, tb = STRBUF_INIT;
	int r;

	if (key == KEY_PID)
		return compare_i32(ka->pid, kb->pid);
	if (key == KEY_TID)
		return compare_i32(ka->tid, kb->tid);
	if (key == KEY_CPU)
		return compare_i32(ka->cpu, kb->cpu);
	table_key_text(t, a, key, true, &ta);
	table_key_text(t, b, key, true, &tb);
	r = strcmp(strbuf_str(&ta), strbuf_str(&tb));
	strbuf_release(&ta);
	strbuf_release(&tb);
	return r;
}

/* Ties: the smaller name of the function first, then the keys as they come. */
static int compare_rows(const void *va, const void *vb, void *ctx)
{
	const struct table_row *a = va, *b = vb;
	const struct table *t = ctx;
	const struct view_keys *keys = &t->opts.keys;
	bool by_total = t->opts.by_total;
	int r = by_total ? compare_u64_down(a->total, b->total)
			 : compare_u64_down(a->self, b->self);

	if (!r)
		r = by_total ? compare_u64_down(a->self, b->self)
			     : compare_u64_down(a->total, b->total);
	if (!r && view_keys_have(keys, KEY_SYM))
		r = compare_key(t, a, b, KEY_SYM);
	for (size_t i = 0; !r && i < keys->n; i++)
		r = compare_key(t, a, b, keys->v[i]);
	return r;
}

static double row_share(const struct table *t, const struct table_row *row)
{
	uint64_t v = t->opts.by_total ? row->total : row->self;

	return t->base ? (double)v / (double)t->base : 0;
}

/* Rows that were not hit at all have a group of their own. */
static bool in_the_noise(const struct table *t, const struct table_row *a,
			 const struct table_row *b)
{
	double sa = row_share(t, a), sb = row_share(t, b);
	double na = t->opts.by_total ? a->total_n : a->self_n;
	double nb = t->opts.by_total ? b->total_n : b->self_n;

	return (sa > 0) == (sb > 0) && !shares_differ(sa, sb, na < nb ? na : nb);
}

void table_order(struct table *t)
{
	if (t->n)
		qsort_r(t->rows, t->n, sizeof(*t->rows), compare_rows, t);
}

/*
 * A row shares the rank of the first row of the group above it that it is not significantly
 * below.  Comparing with the first, not with the neighbour, keeps a long slope of small steps
 * from becoming one group.
 */
void table_rank(struct table *t)
{
	size_t first = 0;

	for (size_t i = 1; i <= t->n; i++) {
		if (i < t->n && in_the_noise(t, &t->rows[first], &t->rows[i]))
			continue;
		for (size_t k = first; k < i; k++) {
			t->rows[k].rank = (uint32_t)first + 1;
			t->rows[k].rank_last = (uint32_t)i;
		}
		first = i;
	}
}
