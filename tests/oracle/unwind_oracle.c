/* SPDX-License-Identifier: MIT */
/*
 * Compare perfrep's unwinder with elfutils' own, dwfl_thread_getframes(), on every dumped stack of
 * a recording: unwind-oracle FILE [MAX-SAMPLES].
 *
 * Prints how many stacks are equal, longer (elfutils' frames are the first of ours), shorter (the
 * reverse) or otherwise different, how many of elfutils' frames stand at the same place in ours,
 * and the time of both per frame; then the stacks that differ, by what one of both says where it
 * ends and in which module that is.  Shorter and other ones are printed with -v.  Exit status
 * 1 when fewer than 99.99 % of elfutils' frames are reproduced, or 0.01 % of the stacks or more
 * are shorter.
 */
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cursor.h"

#include <perfrep/reader.h>
#include <perfrep/unwind.h>

enum { MAX_FRAMES = 4096, MAX_PROCESSES = 64, MAX_CLASSES = 64 };

struct dwfl_process {
	int32_t pid;
	Dwfl *dwfl;
};

struct oracle {
	struct dwfl_process processes[MAX_PROCESSES];
	size_t n;
	const struct sample *s;
	uint64_t sp;
	uint64_t pcs[MAX_FRAMES];
	size_t nr_pcs;
	const char *error; /* of elfutils, after its last frame */
	bool below; /* it asked for a word below the stack pointer, which is not dumped */
};

/* Stacks that differ in the same way. */
struct difference {
	char text[160];
	uint64_t stacks;
};

struct totals {
	uint64_t stacks, same, longer, shorter, other, none;
	uint64_t frames, in_place, ours;
	uint64_t root_ours;
	double seconds_ours, seconds_theirs;
	struct difference classes[MAX_CLASSES];
	size_t nr_classes;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	struct oracle *o = arg;

	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = o;
	return 1;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *out, void *arg)
{
	struct oracle *o = arg;
	uint64_t at = addr - o->sp;

	(void)dwfl;
	o->below |= addr < o->sp;
	if (at >= o->s->stack_size || o->s->stack_size - at < 8)
		return false;
	*out = get_u64(o->s->stack + at, o->s->be);
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	/* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip, by perf's numbers */
	static const unsigned from_perf[17] = { 0,  3,  2,  1,  4,  5,  6,  7, 16,
						17, 18, 19, 20, 21, 22, 23, 8 };
	const struct oracle *o = arg;
	Dwarf_Word regs[17];

	for (int i = 0; i < 17; i++) {
		uint64_t v = 0;

		sample_user_reg(o->s, from_perf[i], &v);
		regs[i] = v;
	}
	return dwfl_thread_state_registers(thread, 0, 17, regs);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = read_memory,
	.set_initial_registers = set_registers,
};

static const Dwfl_Callbacks dwfl_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

struct report_ctx {
	Dwfl *dwfl;
	int32_t pid;
};

/* dwfl_report_elf() places a module by what its addresses are shifted by. */
static void report_module(void *ctx, int32_t pid, const struct map *map)
{
	struct report_ctx *rc = ctx;
	struct objfile *obj;
	uint64_t vaddr, middle;
	GElf_Addr base;

	if (pid != rc->pid || map->dso->kind != DSO_FILE || !(map->prot & 4 /* PROT_EXEC */))
		return;
	if (objfile_open_path(map->dso->path, &obj, NULL) < 0)
		return;
	/* the middle: a map begins at a page, its segment need not */
	middle = (map->end - map->start) / 2;
	if (objfile_vaddr(obj, map->pgoff + middle, &vaddr)) {
		base = map->start + middle - vaddr; /* 0 for ET_EXEC */
		dwfl_report_elf(rc->dwfl, map->dso->name, map->dso->path, -1, base, true);
	}
	objfile_free(obj);
}

static Dwfl *dwfl_of(struct oracle *o, const struct timeline *tl, int32_t pid)
{
	struct report_ctx rc = { .pid = pid };
	struct dwfl_process *p;

	for (size_t i = 0; i < o->n; i++)
		if (o->processes[i].pid == pid)
			return o->processes[i].dwfl;
	if (o->n == MAX_PROCESSES)
		return NULL;
	p = &o->processes[o->n++];
	p->pid = pid;
	p->dwfl = rc.dwfl = dwfl_begin(&dwfl_callbacks);
	dwfl_report_begin(p->dwfl);
	timeline_each_map(tl, report_module, &rc);
	dwfl_report_end(p->dwfl, NULL, NULL);
	if (!dwfl_attach_state(p->dwfl, NULL, 1, &thread_callbacks, o))
		fprintf(stderr, "dwfl_attach_state: %s\n", dwfl_errmsg(-1));
	return p->dwfl;
}

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct oracle *o = arg;
	Dwarf_Addr pc;
	bool activation;

	if (!dwfl_frame_pc(frame, &pc, &activation) || o->nr_pcs == MAX_FRAMES)
		return DWARF_CB_ABORT;
	o->pcs[o->nr_pcs++] = pc;
	return DWARF_CB_OK;
}

static void print_difference(const struct oracle *o, const struct stack *st,
			     const struct unwind_info *info)
{
	printf("theirs %zu, ours %zu (%s):\n", o->nr_pcs, st->n, unwind_end_text(info->end));
	for (size_t i = 0; i < o->nr_pcs || i < st->n; i++)
		printf("  %16" PRIx64 " %16" PRIx64 "\n", i < o->nr_pcs ? o->pcs[i] : 0,
		       i < st->n ? st->frames[i].addr : 0);
}

static void count_difference(struct totals *t, const char *text)
{
	size_t i = 0;

	while (i < t->nr_classes && strcmp(t->classes[i].text, text))
		i++;
	if (i == MAX_CLASSES)
		return;
	if (i == t->nr_classes)
		snprintf(t->classes[t->nr_classes++].text, sizeof(t->classes[i].text), "%s", text);
	t->classes[i].stacks++;
}

/* WHERE: the place of the last frame that both have, and what ended the shorter one there. */
static void classify(const struct oracle *o, const struct process *proc, uint64_t when,
		     const struct stack *st, const struct unwind_info *info, size_t same,
		     struct totals *t)
{
	struct validity v;
	const struct map *map = same ? process_map(proc, o->pcs[same - 1], when, &v) : NULL;
	const char *module = map ? map->dso->name : "no module";
	char text[160];

	if (same < o->nr_pcs && same < st->n)
		snprintf(text, sizeof(text), "other    they part in %s", module);
	else if (same < st->n)
		snprintf(
			text, sizeof(text), "longer   elfutils ends in %s: %s", module,
			o->below
				? "a register restored already, its slot is below the stack pointer"
			: o->error ? o->error
				   : "no error");
	else
		snprintf(text, sizeof(text), "shorter  perfrep ends in %s: %s", module,
			 unwind_end_text(info->end));
	count_difference(t, text);
}

static void compare(struct oracle *o, const struct process *proc, uint64_t when,
		    const struct stack *st, const struct unwind_info *info, struct totals *t,
		    bool verbose)
{
	size_t same = 0, common = o->nr_pcs < st->n ? o->nr_pcs : st->n;

	for (size_t i = 0; i < common; i++)
		t->in_place += o->pcs[i] == st->frames[i].addr;
	while (same < common && o->pcs[same] == st->frames[same].addr)
		same++;
	t->stacks++;
	t->frames += o->nr_pcs;
	t->ours += st->n;
	if (same == o->nr_pcs && same == st->n) {
		t->same++;
		return;
	}
	classify(o, proc, when, st, info, same, t);
	if (same < common)
		t->other++;
	else if (same < st->n)
		t->longer++;
	else
		t->shorter++;
	if (verbose && (same < common || same == st->n))
		print_difference(o, st, info);
}

static void run_sample(struct oracle *o, const struct timeline *tl, struct unwinder *u,
		       uint64_t when, struct stack *st, struct unwind_info *info, struct totals *t,
		       bool verbose)
{
	struct validity v;
	const struct process *proc = timeline_process(tl, o->s->pid, when, &v);
	Dwfl *dwfl = dwfl_of(o, tl, o->s->pid);
	double start = now(), middle;

	st->n = 0;
	st->flags = 0;
	unwinder_run(u, o->s, proc, when, st, info);
	middle = now();
	t->seconds_ours += middle - start;
	o->nr_pcs = 0;
	sample_user_reg(o->s, 7, &o->sp);
	o->error = NULL;
	o->below = false;
	if (dwfl && dwfl_getthread_frames(dwfl, 1, on_frame, o) != 0)
		o->error = dwfl_errmsg(-1);
	t->seconds_theirs += now() - middle;
	t->root_ours += info->end == UNWIND_WHOLE;
	if (!o->nr_pcs)
		t->none++;
	else
		compare(o, proc, when, st, info, t, verbose);
}

static int report(const struct totals *t)
{
	double in_place = t->frames ? 100.0 * (double)t->in_place / (double)t->frames : 100;
	double shorter = t->stacks ? 100.0 * (double)t->shorter / (double)t->stacks : 0;

	printf("stacks    %" PRIu64 ": same %" PRIu64 ", longer %" PRIu64 ", shorter %" PRIu64
	       ", other %" PRIu64 "; elfutils found nothing in %" PRIu64 "\n",
	       t->stacks, t->same, t->longer, t->shorter, t->other, t->none);
	printf("frames    elfutils %" PRIu64 ", in place %" PRIu64 " (%.4f %%), perfrep %" PRIu64
	       "\n",
	       t->frames, t->in_place, in_place, t->ours);
	printf("whole     perfrep %" PRIu64 "\n", t->root_ours);
	for (size_t i = 0; i < t->nr_classes; i++)
		printf("%8" PRIu64 "  %s\n", t->classes[i].stacks, t->classes[i].text);
	printf("time      perfrep %.1f ns a frame, elfutils %.1f\n",
	       t->seconds_ours * 1e9 / (double)(t->ours ? t->ours : 1),
	       t->seconds_theirs * 1e9 / (double)(t->frames ? t->frames : 1));
	return in_place < 99.99 || shorter >= 0.01;
}

int main(int argc, char **argv)
{
	bool verbose = argc > 1 && !strcmp(argv[1], "-v");
	struct objfile_search where = { 0 };
	struct oracle o = { 0 };
	struct totals t = { 0 };
	struct unwind_info info = { 0 };
	struct unwind_modules *modules;
	struct unwinder *u;
	struct timeline *tl;
	struct stack st = { 0 };
	struct reader *r;
	struct record rec;
	struct chunk *chunks;
	struct err err;
	uint64_t max = UINT64_MAX;
	size_t n;

	argv += verbose;
	argc -= verbose;
	if (argc < 2)
		return 64;
	if (argc > 2)
		max = strtoull(argv[2], NULL, 10);
	if (reader_open(&r, argv[1], &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	tl = timeline_new(&r->evlist);
	while (reader_next(r, &rec) == 0)
		timeline_add(tl, &rec);
	timeline_finish(tl);
	modules = unwind_modules_new(&where, 62 /* EM_X86_64 */);
	u = unwinder_new(modules);
	n = reader_chunks(r, 1 << 22, &chunks);
	for (size_t i = 0; i < n && t.stacks < max; i++) {
		while (chunk_next(&chunks[i], &rec) == 0 && t.stacks < max) {
			const struct evsel *evsel;
			struct sample s;

			if (rec.type != RECORD_SAMPLE)
				continue;
			evsel = evlist_evsel(&r->evlist, &rec);
			if (!evsel || sample_decode(&rec, evsel, &s, NULL) < 0 || !s.stack ||
			    s.user_abi != 2)
				continue;
			o.s = &s;
			run_sample(&o, tl, u, timeline_when(r->evlist.timed, s.time, rec.pos), &st,
				   &info, &t, verbose);
		}
	}
	for (size_t i = 0; i < o.n; i++)
		dwfl_end(o.processes[i].dwfl);
	free(chunks);
	stack_release(&st);
	unwind_info_release(&info);
	unwinder_free(u);
	unwind_modules_free(modules);
	timeline_free(tl);
	reader_free(r);
	return report(&t);
}
