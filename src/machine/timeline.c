/* SPDX-License-Identifier: MIT */
/*
 * The timeline: gather the side-band records, put them in order, hand each to the part of the
 * machine that it is about.
 *
 *	timeline_add()		keeps (time, pos, where the bytes are) of each
 *	timeline_finish()	sorts by (time, pos), decodes, applies:
 *		MMAP, MMAP2	-> dso.c, then process.c, or kernel.c for the kernel's
 *		COMM		-> comm.c; with an exec also processes.c
 *		FORK, EXIT	-> comm.c, thread.c; FORK of a process also processes.c
 *		KSYMBOL		-> kernel.c
 *
 * perf writes records for what was there before the recording began; they have time 0, wherever
 * in the file they are, and so come first.  So do the few that have no time at all.  If the
 * events of a recording have no time, the order in the file is the only one there is.
 */
#include "machine/timeline_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/xmalloc.h"

struct timeline *timeline_new(const struct evlist *evlist)
{
	struct timeline *tl = xcalloc(1, sizeof(*tl));

	tl->evlist = evlist;
	dso_table_init(&tl->dsos);
	tl->comms = xcalloc(1, sizeof(*tl->comms));
	comms_init(tl->comms);
	kernel_init(&tl->kernel, 1);
	kernel_init(&tl->guest, 2);
	processes_init(&tl->processes, 3);
	return tl;
}

void timeline_free(struct timeline *tl)
{
	if (!tl)
		return;
	vec_release(&tl->entries);
	for (size_t i = 0; i < tl->code.n; i++) {
		free(tl->code.v[i].symbol);
		free(tl->code.v[i].path);
	}
	vec_release(&tl->code);
	processes_release(&tl->processes);
	kernel_release(&tl->kernel);
	kernel_release(&tl->guest);
	threads_release(&tl->threads);
	comms_release(tl->comms);
	free(tl->comms);
	dso_table_release(&tl->dsos);
	free(tl);
}

/* ---- gathering -------------------------------------------------------------------------- */

/* A record whose id nobody knows is most likely like those of the first event. */
static const struct evsel *evsel_of(const struct timeline *tl, const struct record *rec)
{
	const struct evsel *evsel = evlist_evsel(tl->evlist, rec);

	return evsel || !tl->evlist->n ? evsel : &tl->evlist->v[0];
}

void timeline_add(struct timeline *tl, const struct record *rec)
{
	uint64_t time;

	switch (rec->type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
	case RECORD_COMM:
	case RECORD_FORK:
	case RECORD_EXIT:
	case RECORD_KSYMBOL:
		time = record_sample_id(rec, evsel_of(tl, rec)).time;
		if (!time && (rec->type == RECORD_FORK || rec->type == RECORD_EXIT) &&
		    rec->size >= record_min_size(rec->type))
			time = get_u64(rec->data + 24, rec->be);
		vec_push(&tl->entries,
			 (struct timeline_entry){ .time = time == UINT64_MAX ? 0 : time,
						  .pos = rec->pos,
						  .data = rec->data,
						  .code = CODE_NONE });
	}
}

void timeline_add_code(struct timeline *tl, int32_t pid, uint64_t when, uint64_t addr, uint64_t len,
		       const char *symbol, const char *path)
{
	struct timeline_code code = { .pid = pid, .addr = addr, .len = len };

	if (!len || addr + len < addr)
		return;
	code.symbol = xstrdup(symbol);
	code.path = xstrdup(path ? path : "");
	vec_push(&tl->entries, (struct timeline_entry){ .time = when,
							.pos = UINT64_MAX,
							.code = (uint32_t)tl->code.n });
	vec_push(&tl->code, code);
}

static int in_order(const void *pa, const void *pb)
{
	const struct timeline_entry *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->pos != b->pos)
		return a->pos < b->pos ? -1 : 1;
	return a->code < b->code ? -1 : a->code > b->code;
}

/* ---- applying one record ---------------------------------------------------------------- */

void timeline_apply_mmap(struct timeline *tl, const struct record_mmap *m, uint16_t misc,
			 uint64_t when)
{
	enum cpumode mode = (enum cpumode)(misc & MISC_CPUMODE_MASK);
	struct map map = { .start = m->addr,
			   .end = m->addr + m->len,
			   .pgoff = m->pgoff,
			   .prot = m->prot,
			   .valid.from = when };

	if (misc & MISC_PROC_MAP_PARSE_TIMEOUT) {
		tl->stats.maps_timed_out++; /* the record itself is cut off somewhere */
		return;
	}
	if (mode == CPUMODE_UNKNOWN)
		mode = m->pid == -1 ? CPUMODE_KERNEL : CPUMODE_USER;
	if (mode == CPUMODE_KERNEL || mode == CPUMODE_GUEST_KERNEL) {
		kernel_add_map(mode == CPUMODE_KERNEL ? &tl->kernel : &tl->guest, &tl->dsos, m,
			       mode);
		tl->stats.maps++;
	}
	if (mode != CPUMODE_USER)
		return;
	threads_seen(&tl->threads, m->pid, m->tid);
	if (!map.end) /* to the very end of the address space */
		map.end = UINT64_MAX;
	if (map.end < map.start || !m->len) {
		tl->stats.malformed += m->len != 0;
		return;
	}
	map.dso = dso_table_add(&tl->dsos, m, mode);
	process_add_map(processes_current(&tl->processes, m->pid), &map);
	tl->stats.maps++;
}

void timeline_apply_comm(struct timeline *tl, const struct record_comm *c, uint64_t when)
{
	threads_seen(&tl->threads, c->pid, c->tid);
	comms_set(tl->comms, c->tid, c->comm, when);
	if (c->exec)
		processes_exec(&tl->processes, c->pid, when);
	tl->stats.comms++;
}

/* SYNTHESIZED: perf found the task there; its maps come in records of their own. */
void timeline_apply_fork(struct timeline *tl, const struct record_task *t, uint64_t when,
			 bool synthesized)
{
	comms_fork(tl->comms, t->tid, t->ptid, when);
	threads_fork(&tl->threads, t, synthesized ? 0 : when);
	tl->stats.tasks++;
	if (t->pid == t->ppid)
		return;
	if (synthesized)
		processes_current(&tl->processes, t->pid);
	else
		processes_fork(&tl->processes, t->pid, t->ppid, when, true);
}

void timeline_apply_exit(struct timeline *tl, const struct record_task *t, uint64_t when)
{
	threads_exit(&tl->threads, t, when);
	tl->stats.tasks++;
}

static void apply_record(struct timeline *tl, const struct timeline_entry *e)
{
	bool be = tl->evlist->be;
	struct record rec = {
		.data = e->data,
		.type = get_u32(e->data, be),
		.misc = get_u16(e->data + 4, be),
		.size = get_u16(e->data + 6, be),
		.be = be,
		.pos = e->pos,
	};
	struct record_body body;

	if (record_decode(&rec, evsel_of(tl, &rec), &body, NULL)) {
		tl->stats.malformed++;
		return;
	}
	switch (rec.type) {
	case RECORD_MMAP:
	case RECORD_MMAP2:
		timeline_apply_mmap(tl, &body.mmap, rec.misc, e->time);
		break;
	case RECORD_COMM:
		timeline_apply_comm(tl, &body.comm, e->time);
		break;
	case RECORD_FORK:
		timeline_apply_fork(tl, &body.task, e->time,
				    rec.misc & MISC_FORK_EXEC ||
					    (!body.task.time && !body.id.time));
		break;
	case RECORD_EXIT:
		timeline_apply_exit(tl, &body.task, e->time);
		break;
	case RECORD_KSYMBOL:
		kernel_add_symbol(&tl->kernel, &tl->dsos, &body.ksymbol, e->time);
		break;
	}
}

static void apply_code(struct timeline *tl, const struct timeline_code *c, uint64_t when)
{
	struct map map = { .start = c->addr,
			   .end = c->addr + c->len,
			   .pgoff = c->addr,
			   .prot = 4,
			   .valid.from = when };

	map.dso = dso_table_add_code(&tl->dsos, c->symbol, c->path, c->pid, c->addr, c->len);
	process_add_code(processes_current(&tl->processes, c->pid), &map);
}

void timeline_finish(struct timeline *tl)
{
	for (size_t i = 0; i < tl->entries.n; i++) {
		struct timeline_entry *e = &tl->entries.v[i];

		if (!tl->evlist->timed && e->code == CODE_NONE)
			e->time = e->pos;
	}
	if (tl->entries.n)
		qsort(tl->entries.v, tl->entries.n, sizeof(*tl->entries.v), in_order);
	for (size_t i = 0; i < tl->entries.n; i++) {
		const struct timeline_entry *e = &tl->entries.v[i];

		if (e->code == CODE_NONE)
			apply_record(tl, e);
		else
			apply_code(tl, &tl->code.v[e->code], e->time);
	}
	vec_release(&tl->entries);
	comms_finish(tl->comms);
	kernel_finish(&tl->kernel);
	kernel_finish(&tl->guest);
	processes_finish(&tl->processes);
	tl->stats.forks_cut = tl->processes.forks_cut;
}
