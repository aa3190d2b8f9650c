/* SPDX-License-Identifier: MIT */
/*
 * Beginnings and ends, in order of time, become calls: a thread is in one call at most.  What
 * begins while another has not returned makes that one broken: its return is missing, and it gets
 * no time.
 */
#include <perfrep/syscalls.h>

#include <elf.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/hashidx.h"
#include "base/strbuf.h"
#include "collect/abi32.h"
#include "collect/syscall_names.h"
#include "collect/syscall_read.h"
#include "collect/syscall_stacks.h"
#include "profile/filter.h"

struct group { /* a row to be */
	struct syscall_row row;
	uint16_t machine; /* whose numbers these are: an E_MACHINE of ELF */
	VEC(uint64_t) times;
	const char *name;
};

struct caller {
	int32_t tid, pid;
	bool inside, wanted;
	uint16_t machine;
	struct syscall_record since;
};

struct calls {
	VEC(struct group) groups;
	struct hashidx group_index;
	VEC(struct caller) callers;
	struct hashidx caller_index;
	const struct syscall_options *opts;
	const struct timeline *timeline;
	struct abi32 abi32;
	uint16_t machine; /* of the recording */
	bool timed; /* what the timeline goes by */
	struct syscall_table *table;
};

static const char *comm_of(const struct calls *c, int32_t pid, int32_t tid, uint64_t when)
{
	struct validity valid;

	return timeline_comm_str(c->timeline, timeline_comm(c->timeline, pid, tid, when, &valid));
}

/* ---- numbers ---- */

static uint16_t machine_of(const struct features *f)
{
	static const struct {
		const char *arch;
		uint16_t machine;
	} known[] = {
		{ "x86_64", EM_X86_64 }, { "aarch64", EM_AARCH64 }, { "arm64", EM_AARCH64 },
		{ "i386", EM_386 },      { "i486", EM_386 },        { "i586", EM_386 },
		{ "i686", EM_386 },
	};

	if (f->e_machine)
		return (uint16_t)f->e_machine;
	for (size_t i = 0; f->arch && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(f->arch, known[i].arch))
			return known[i].machine;
	return f->arch && !strncmp(f->arch, "arm", 3) ? EM_ARM : EM_NONE;
}

/* Programs of 32 bits have the numbers of a machine of 32. */
static uint16_t machine_at(const struct calls *c, const struct syscall_record *r)
{
	uint64_t when = timeline_when(c->timed, r->time, r->pos);

	if (c->machine == EM_X86_64 && abi32_at(&c->abi32, r->pid, when))
		return EM_386;
	if (c->machine == EM_AARCH64 && abi32_at(&c->abi32, r->pid, when))
		return EM_ARM;
	return c->machine;
}

/* On x86-64 this bit says that the call is one of the x32 ABI, which has the same numbers. */
enum { X32_BIT = 0x40000000 };

static const char *call_name(uint16_t machine, int64_t nr)
{
	if (machine == EM_X86_64 && nr > 0)
		nr &= ~(int64_t)X32_BIT;
	return syscall_name(machine, (uint64_t)nr);
}

static struct caller *caller_of(struct calls *c, const struct syscall_record *r)
{
	uint64_t hash = hash_u64((uint32_t)r->tid);
	struct hashidx_iter it = hashidx_first(&c->caller_index, hash);
	struct caller t = { .tid = r->tid, .pid = r->pid };
	uint32_t id;

	while ((id = hashidx_next(&c->caller_index, &it)) != HASHIDX_NONE)
		if (c->callers.v[id].tid == r->tid)
			return &c->callers.v[id];
	hashidx_add(&c->caller_index, hash, (uint32_t)c->callers.n);
	vec_push(&c->callers, t);
	return &c->callers.v[c->callers.n - 1];
}

/* The group of what thread T is in. */
static struct group *group_of(struct calls *c, const struct caller *t)
{
	const struct syscall_record *r = &t->since;
	int32_t tid = c->opts->merge_threads ? -1 : r->tid;
	uint64_t hash = hash_mix((uint32_t)tid, (uint64_t)r->nr);
	struct hashidx_iter it = hashidx_first(&c->group_index, hash);
	struct group g = { .row = { .pid = -1, .tid = tid, .nr = r->nr },
			   .machine = t->machine,
			   .name = r->name };
	uint32_t id;

	while ((id = hashidx_next(&c->group_index, &it)) != HASHIDX_NONE)
		if (c->groups.v[id].row.tid == tid && c->groups.v[id].row.nr == r->nr &&
		    c->groups.v[id].machine == t->machine)
			return &c->groups.v[id];
	if (tid >= 0)
		g.row.pid = r->pid;
	hashidx_add(&c->group_index, hash, (uint32_t)c->groups.n);
	vec_push(&c->groups, g);
	return &c->groups.v[c->groups.n - 1];
}

/* ---- pairs ---- */

static bool is_error(int64_t ret)
{
	return ret < 0 && ret >= -4095;
}

static void begin_call(struct calls *c, const struct syscall_record *r)
{
	struct caller *t = caller_of(c, r);
	const struct filter *f = c->opts->filter;

	if (t->inside && t->wanted)
		group_of(c, t)->row.broken++;
	t->inside = true;
	t->since = *r;
	t->machine = machine_at(c, r);
	t->wanted = !f || filter_sample(f, comm_of(c, r->pid, r->tid, r->time), r->pid, r->tid,
					r->cpu, r->time);
	if (t->wanted)
		group_of(c, t)->row.calls++;
}

/* Whether R returns from what T is in; exec() may return to another machine's number for it. */
static bool returns(const struct calls *c, const struct caller *t, const struct syscall_record *r)
{
	const char *a, *b;

	if (r->kind != SYSCALL_RETURN || r->nr < 0 || r->nr == t->since.nr)
		return true;
	a = call_name(t->machine, t->since.nr);
	b = call_name(machine_at(c, r), r->nr);
	return a && b && !strcmp(a, b);
}

static void end_call(struct calls *c, const struct syscall_record *r)
{
	struct caller *t = caller_of(c, r);
	struct group *g;
	uint64_t time;

	if (!t->inside || !returns(c, t, r)) {
		c->table->unmatched += r->kind == SYSCALL_RETURN;
		return;
	}
	t->inside = false;
	if (!t->wanted)
		return;
	g = group_of(c, t);
	time = r->time - t->since.time;
	vec_push(&g->times, time);
	g->row.total += time;
	g->row.errors += r->kind == SYSCALL_RETURN && is_error(r->ret);
	if (time >= g->row.max) {
		g->row.max = time;
		g->row.max_at = t->since.time;
		g->row.max_pos = t->since.pos;
	}
}

static void end_recording(struct calls *c, uint64_t end)
{
	for (size_t i = 0; i < c->callers.n; i++) {
		struct caller *t = &c->callers.v[i];
		struct group *g;

		if (!t->inside || !t->wanted)
			continue;
		g = group_of(c, t);
		g->row.open++;
		g->row.total += end - t->since.time;
		if (!g->row.max_pos)
			g->row.max_pos = t->since.pos;
	}
}

/* ---- rows ---- */

static int ascending(const void *va, const void *vb)
{
	const uint64_t *a = va, *b = vb;

	return *a < *b ? -1 : *a > *b;
}

static uint64_t percentile(const uint64_t *v, size_t n, unsigned percent)
{
	return n ? v[(n * percent + 99) / 100 - 1] : 0;
}

static char *name_of(const struct calls *c, const struct group *g)
{
	const char *name = g->name ? g->name : call_name(g->machine, g->row.nr);
	bool x32 = g->machine == EM_X86_64 && g->row.nr > 0 && g->row.nr & X32_BIT;
	struct strbuf sb = STRBUF_INIT;

	if (name)
		strbuf_adds(&sb, name);
	else
		strbuf_addf(&sb, "syscall %lld", (long long)g->row.nr);
	if (!g->name && x32)
		strbuf_adds(&sb, " (x32)");
	else if (!g->name && g->machine != c->machine)
		strbuf_adds(&sb, " (32-bit)");
	return strbuf_detach(&sb);
}

static void finish_group(struct calls *c, struct group *g, uint64_t end)
{
	struct syscall_row *r = &g->row;

	if (g->times.n)
		qsort(g->times.v, g->times.n, sizeof(*g->times.v), ascending);
	r->p50 = percentile(g->times.v, g->times.n, 50);
	r->p99 = percentile(g->times.v, g->times.n, 99);
	r->name = name_of(c, g);
	if (r->tid >= 0)
		r->comm = xstrdup(comm_of(c, r->pid, r->tid, end));
	c->table->calls += r->calls;
	c->table->errors += r->errors;
	c->table->open += r->open;
	c->table->broken += r->broken;
}

static int descending(uint64_t a, uint64_t b)
{
	return a > b ? -1 : a < b;
}

static int compare(const void *va, const void *vb, void *ctx)
{
	const struct syscall_row *a = va, *b = vb;
	int r = 0;

	switch (*(const enum syscall_sort *)ctx) {
	case SYSCALL_BY_TOTAL:
		break;
	case SYSCALL_BY_CALLS:
		r = descending(a->calls, b->calls);
		break;
	case SYSCALL_BY_ERRORS:
		r = descending(a->errors, b->errors);
		break;
	case SYSCALL_BY_MAX:
		r = descending(a->max, b->max);
		break;
	}
	if (!r)
		r = descending(a->total, b->total);
	if (!r && a->tid != b->tid)
		r = a->tid < b->tid ? -1 : 1;
	return r ? r : a->nr < b->nr ? -1 : a->nr > b->nr;
}

static void make_rows(struct calls *c, uint64_t end)
{
	struct syscall_table *t = c->table;
	enum syscall_sort sort = c->opts->sort;

	t->rows = xcalloc(c->groups.n + 1, sizeof(*t->rows));
	for (size_t i = 0; i < c->groups.n; i++) {
		finish_group(c, &c->groups.v[i], end);
		t->rows[t->n++] = c->groups.v[i].row;
		vec_release(&c->groups.v[i].times);
	}
	if (t->n)
		qsort_r(t->rows, t->n, sizeof(*t->rows), compare, &sort);
	for (size_t i = 0; i < c->callers.n; i++)
		t->nr_threads += c->callers.v[i].since.kind == SYSCALL_ENTER &&
				 c->callers.v[i].wanted;
}

static void build(struct syscall_table *t, const struct session *s, const struct syscall_read *sr,
		  const struct syscall_options *o)
{
	struct calls c = { .opts = o, .timeline = s->timeline, .table = t };

	c.machine = machine_of(&s->reader->features);
	c.timed = s->reader->evlist.timed;
	abi32_init(&c.abi32, s->timeline);
	if (o->filter)
		filter_set_span(o->filter, sr->begin, sr->end);
	for (size_t i = 0; i < sr->v.n; i++) {
		if (sr->v.v[i].kind == SYSCALL_ENTER)
			begin_call(&c, &sr->v.v[i]);
		else
			end_call(&c, &sr->v.v[i]);
	}
	end_recording(&c, sr->end);
	make_rows(&c, sr->end);
	t->begin = sr->begin;
	t->end = sr->end;
	t->unreadable = sr->unreadable;
	vec_release(&c.groups);
	vec_release(&c.callers);
	hashidx_release(&c.group_index);
	hashidx_release(&c.caller_index);
	abi32_release(&c.abi32);
}

int syscall_table_build(struct syscall_table *t, struct session *s,
			const struct session_options *so, const struct syscall_options *o,
			struct err *err)
{
	struct syscall_read sr = { 0 };
	int rc;

	*t = (struct syscall_table){ 0 };
	rc = session_walk(s, so, syscall_read_record, &sr, err);
	if (rc == 0 && !sr.there) {
		rc = err_set(err, ERR_NOT_FOUND,
			     "%s has no system calls; record with "
			     "-e raw_syscalls:sys_enter,raw_syscalls:sys_exit",
			     so->path);
		session_release(s);
	}
	if (rc == 0) {
		syscall_read_finish(&sr);
		build(t, s, &sr, o);
		if (!o->no_stacks)
			syscall_stacks(t, s, so, o->limit ? o->limit : t->n);
	}
	syscall_read_release(&sr);
	return rc;
}
