/* SPDX-License-Identifier: MIT */
/*
 * Lines from the buffers of the threads into the profile.  A string has one id in each buffer and
 * one in the profile; the latter is asked for once.
 */
#include "symbol/symbolizer_priv.h"

#include <stdlib.h>
#include <string.h>

#define FUNC_FLAGS (LINE_KERNEL | LINE_JIT | LINE_UNKNOWN | LINE_GUEST)

/* By id in the buffer of one thread; 0 where it was not needed yet. */
struct string_ids {
	VEC(uint32_t) v;
};

struct writer {
	struct symbolizer *s;
	struct profile *p;
	const struct dso_table *dsos;
	struct string_ids *ids; /* by thread */
	VEC(struct line) lines;
	uint32_t *entry_of; /* by location, its entry + 1 */
	bool has_kernel;
};

static uint32_t profile_id(struct writer *w, uint32_t worker, uint32_t id)
{
	const struct intern *strings = &w->s->readers[worker].lines.strings;
	struct string_ids *ids = &w->ids[worker];

	if (!id)
		return 0;
	if (ids->v.n <= id)
		vec_resize(&ids->v, intern_count(strings));
	if (!ids->v.v[id])
		ids->v.v[id] =
			profile_string(w->p, intern_str(strings, id), intern_len(strings, id));
	return ids->v.v[id];
}

static void write_entry(struct writer *w, const struct entry *e)
{
	const char *name = w->dsos->v[e->dso]->name;
	uint32_t module = profile_string(w->p, name, strlen(name));

	w->lines.n = 0;
	for (uint32_t i = 0; i < e->n; i++) {
		struct line l = w->s->readers[e->worker].lines.lines.v[e->first + i];

		l.func = profile_func(w->p, profile_id(w, e->worker, l.func), module,
				      l.flags & FUNC_FLAGS);
		l.file = profile_id(w, e->worker, l.file);
		vec_push(&w->lines, l);
	}
	profile_set_lines(w->p, e->loc, w->lines.v, w->lines.n);
	w->p->locs[e->loc].reason = (uint8_t)e->reason;
}

/* What lies in no dso: a name of its own, or an address without a map. */
static void write_other(struct writer *w, uint32_t loc)
{
	struct location *l = &w->p->locs[loc];
	struct line line = { 0 };

	if (l->kind == LOC_NAME || l->kind == LOC_MARK) {
		line.func = profile_func(w->p, (uint32_t)l->addr, 0, 0);
	} else {
		bool kernel = l->kind == LOC_ADDR &&
			      (l->dso == CPUMODE_KERNEL || l->dso == CPUMODE_GUEST_KERNEL);
		const char *name = kernel ? "[kernel]" : "[unknown]";

		line.flags = LINE_UNKNOWN | (kernel ? LINE_KERNEL : 0) |
			     (kernel && l->dso == CPUMODE_GUEST_KERNEL ? LINE_GUEST : 0);
		line.func =
			profile_func(w->p, profile_string(w->p, name, strlen(name)), 0, line.flags);
		l->reason = kernel && !w->has_kernel ? UNKNOWN_KERNEL : UNKNOWN_NO_MAP;
	}
	profile_set_lines(w->p, loc, &line, 1);
}

void symbolizer_write(struct symbolizer *s, struct profile *p, const struct dso_table *dsos)
{
	struct writer w = { .s = s, .p = p, .dsos = dsos, .has_kernel = s->nr_kernels };

	w.ids = xcalloc(s->nr_readers, sizeof(*w.ids));
	w.entry_of = xcalloc(p->nr_locs ? p->nr_locs : 1, sizeof(*w.entry_of));
	for (size_t i = 0; i < s->n; i++)
		w.entry_of[s->entries[i].loc] = (uint32_t)i + 1;
	for (uint32_t loc = 0; loc < p->nr_locs; loc++) {
		if (w.entry_of[loc])
			write_entry(&w, &s->entries[w.entry_of[loc] - 1]);
		else if (!p->locs[loc].nr_lines)
			write_other(&w, loc);
	}
	for (unsigned i = 0; i < s->nr_readers; i++)
		vec_release(&w.ids[i].v);
	free(w.ids);
	free(w.entry_of);
	vec_release(&w.lines);
}
