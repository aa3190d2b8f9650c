/* SPDX-License-Identifier: MIT */
#include "collect/restack.h"

#include <stdlib.h>

#include "base/xmalloc.h"
#include "collect/gather.h"
#include "collect/sample_stack.h"
#include "collect/timeline_only.h"
#include "stack/repair.h"

enum { CHUNK_BYTES = 4 << 20 };

struct restack {
	struct reader *reader;
	struct timeline *timeline;
	struct objfile_search where;
	struct unwind_modules *modules; /* borrows `where` */
	struct unwinder *unwinder;
	struct unwind_info info;
	struct stack stack;
	struct repair repair;
	bool repairs;
};

/* Kernel frames from the chain, then the unwound ones; the number of the first. */
static size_t unwind(struct restack *rs, const struct sample *s, uint64_t when)
{
	struct validity v;
	const struct process *proc = timeline_process(rs->timeline, s->pid, when, &v);
	size_t kernel;

	stack_from_callchain(s, NULL, &rs->stack);
	sample_stack_kernel_part(&rs->stack);
	rs->stack.flags = 0;
	kernel = rs->stack.n;
	unwinder_run(rs->unwinder, s, proc, when, &rs->stack, &rs->info);
	return kernel;
}

static void observe(struct restack *rs, const struct record *rec)
{
	const struct evlist *list = &rs->reader->evlist;
	const struct evsel *evsel;
	struct sample s;
	uint64_t when;
	size_t kernel;

	if (rec->type != RECORD_SAMPLE)
		return;
	evsel = evlist_evsel(list, rec);
	if (!evsel || sample_decode(rec, evsel, &s, NULL) < 0 || !sample_has_dump(&s))
		return;
	when = timeline_when(list->timed, s.time, rec->pos);
	kernel = unwind(rs, &s, when);
	repair_observe(&rs->repair, s.tid, when, &rs->stack, kernel, &rs->info, 0);
}

static void observe_all(struct restack *rs)
{
	struct chunk *chunks;
	size_t n = reader_chunks(rs->reader, CHUNK_BYTES, &chunks);
	struct record rec;

	for (size_t i = 0; i < n; i++) {
		while (chunk_next(&chunks[i], &rec) == 0)
			observe(rs, &rec);
		repair_cut(&rs->repair); /* where the parallel pass does it */
	}
	free(chunks);
	repair_finish(&rs->repair);
}

struct restack *restack_new(const char *path, const struct objfile_search *where, bool repair,
			    struct err *err)
{
	struct restack *rs = xcalloc(1, sizeof(*rs));

	if (reader_open(&rs->reader, path, err) < 0) {
		free(rs);
		return NULL;
	}
	rs->repairs = repair;
	rs->where = *where;
	rs->timeline = timeline_only(rs->reader);
	rs->modules = unwind_modules_new(&rs->where, gather_machine(&rs->reader->features));
	rs->unwinder = unwinder_new(rs->modules);
	if (repair)
		observe_all(rs);
	return rs;
}

bool restack_sample(struct restack *rs, const struct sample *s, uint64_t pos,
		    const struct stack **st, size_t *repaired, enum unwind_end *end)
{
	uint64_t when = timeline_when(rs->reader->evlist.timed, s->time, pos);
	const struct unwind_frame *last;
	bool whole;

	if (!sample_has_dump(s))
		return false;
	unwind(rs, s, when);
	*st = &rs->stack;
	*repaired = 0;
	*end = rs->info.end;
	if (!rs->repairs || !rs->info.n || *end == UNWIND_WHOLE)
		return true;
	last = &rs->info.frames[rs->info.n - 1];
	*repaired = repair_complete(&rs->repair, s->tid, when, last->slot, last->func, &rs->stack,
				    &whole);
	if (whole)
		*end = UNWIND_WHOLE;
	return true;
}

void restack_free(struct restack *rs)
{
	if (!rs)
		return;
	repair_release(&rs->repair);
	stack_release(&rs->stack);
	unwind_info_release(&rs->info);
	unwinder_free(rs->unwinder);
	unwind_modules_free(rs->modules);
	timeline_free(rs->timeline);
	reader_free(rs->reader);
	free(rs);
}
