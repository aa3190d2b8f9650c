/* SPDX-License-Identifier: MIT */
/*
 * Few stacks are wanted of many: the records are looked for by their place, and only the addresses
 * of theirs are symbolised.
 */
#include "collect/syscall_stacks.h"

#include <stdlib.h>

#include "base/vec.h"
#include "collect/locate.h"

#include <perfrep/stack.h>

struct wanted {
	uint64_t pos;
	uint32_t row;
	uint32_t first, n; /* in `locs`, root first */
};

struct finder {
	const struct session *s;
	struct profile *profile;
	struct locator locator;
	struct wanted *v; /* by pos */
	size_t n;
	VEC(uint32_t) locs;
	struct stack stack;
};

static int by_pos(const void *va, const void *vb)
{
	const struct wanted *a = va, *b = vb;

	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	return a->row < b->row ? -1 : a->row > b->row;
}

/*
 * The address at which a program will go on is behind the instruction that called the kernel, and
 * may belong to another inlined function already.
 */
static void mark_caller(struct stack *st)
{
	for (size_t i = 0; i < st->n; i++) {
		if (st->frames[i].cpumode != CPUMODE_USER)
			continue;
		st->frames[i].is_return = true;
		return;
	}
}

static void locate(struct finder *f, struct wanted *w, const struct record *rec)
{
	const struct evlist *list = &f->s->reader->evlist;
	const struct evsel *evsel = evlist_evsel(list, rec);
	struct validity valid;
	struct sample s;
	uint64_t when;

	if (!evsel || sample_decode(rec, evsel, &s, NULL) < 0 || !s.chain_nr)
		return;
	when = timeline_when(list->timed, s.time, rec->pos);
	stack_from_callchain(&s, NULL, &f->stack);
	mark_caller(&f->stack);
	w->first = (uint32_t)f->locs.n;
	w->n = (uint32_t)f->stack.n;
	vec_resize(&f->locs, f->locs.n + f->stack.n);
	locator_find(&f->locator, timeline_process(f->s->timeline, s.pid, when, &valid),
		     f->stack.frames, f->stack.n, when, f->locs.v + w->first);
}

static void find_all(struct finder *f)
{
	struct chunk *chunks;
	struct record rec;
	size_t n = reader_chunks(f->s->reader, 16 << 20, &chunks), at = 0;

	for (size_t i = 0; i < n && at < f->n; i++) {
		while (at < f->n && chunk_next(&chunks[i], &rec) == 0) {
			while (at < f->n && f->v[at].pos < rec.pos)
				at++;
			for (; at < f->n && f->v[at].pos == rec.pos; at++)
				locate(f, &f->v[at], &rec);
		}
	}
	free(chunks);
}

/* The names of a location's functions go to ROW, innermost inlined first. */
static void add_names(const struct profile *p, uint32_t loc, struct syscall_row *row)
{
	const struct location *l = &p->locs[loc];

	for (uint32_t k = 0; k < l->nr_lines; k++) {
		const struct line *line = &p->lines[l->first_line + k];

		if (line->flags & LINE_KERNEL)
			continue;
		row->stack = xreallocarray(row->stack, row->nr_stack + 1, sizeof(*row->stack));
		row->stack[row->nr_stack++] = xstrdup(profile_str(p, p->funcs[line->func].name));
	}
}

static void name_all(struct finder *f, struct syscall_table *t, const struct session_options *so)
{
	struct symbolizer_result result = { 0 };

	symbolize(f->profile, timeline_dsos(f->s->timeline), &f->s->reader->features, &so->symbols,
		  &result, NULL, NULL);
	symbolizer_result_release(&result);
	for (size_t i = 0; i < f->n; i++)
		for (uint32_t k = f->v[i].n; k-- > 0;)
			add_names(f->profile, f->locs.v[f->v[i].first + k], &t->rows[f->v[i].row]);
}

void syscall_stacks(struct syscall_table *t, const struct session *s,
		    const struct session_options *so, size_t n)
{
	struct finder f = { .s = s, .profile = profile_new() };

	f.v = xcalloc(n + 1, sizeof(*f.v));
	for (size_t i = 0; i < n && i < t->n; i++)
		if (t->rows[i].max_pos)
			f.v[f.n++] =
				(struct wanted){ .pos = t->rows[i].max_pos, .row = (uint32_t)i };
	if (f.n)
		qsort(f.v, f.n, sizeof(*f.v), by_pos);
	locator_init(&f.locator, s->timeline, f.profile, false);
	find_all(&f);
	t->has_stacks = f.locs.n != 0;
	if (t->has_stacks)
		name_all(&f, t, so);
	locator_release(&f.locator);
	profile_free(f.profile);
	stack_release(&f.stack);
	vec_release(&f.locs);
	free(f.v);
}
