/* SPDX-License-Identifier: MIT */
/*
 * The speed of unwinding alone: bench/unwind FILE [SAMPLES].
 *
 * Three passes over the recording's stack dumps in one thread: one that decodes the samples and
 * touches the pages of the dumps, one that unwinds, with every rule still to be found, and one
 * that unwinds again.  The first is taken off the others; times are CPU times.
 */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <perfrep/reader.h>
#include <perfrep/unwind.h>

struct bench {
	struct reader *reader;
	struct timeline *timeline;
	struct unwinder *unwinder; /* NULL: decode only */
	struct chunk *chunks;
	size_t nr_chunks;
	uint64_t max;
	uint64_t samples, frames, whole;
	uint64_t touched;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void take(struct bench *b, const struct sample *s, uint64_t when, struct stack *st,
		 struct unwind_info *info)
{
	struct validity v;
	const struct process *proc = timeline_process(b->timeline, s->pid, when, &v);

	b->samples++;
	for (uint64_t i = 0; i < s->stack_size; i += 4096)
		b->touched += s->stack[i];
	if (!b->unwinder)
		return;
	st->n = 0;
	st->flags = 0;
	unwinder_run(b->unwinder, s, proc, when, st, info);
	b->frames += info->n;
	b->whole += info->end == UNWIND_WHOLE;
}

static double pass(struct bench *b)
{
	const struct evlist *list = &b->reader->evlist;
	struct unwind_info info = { 0 };
	struct stack st = { 0 };
	double start = now();

	b->samples = b->frames = b->whole = 0;
	for (size_t i = 0; i < b->nr_chunks && b->samples < b->max; i++) {
		struct chunk chunk = b->chunks[i];
		struct record rec;

		while (chunk_next(&chunk, &rec) == 0 && b->samples < b->max) {
			const struct evsel *evsel;
			struct sample s;

			if (rec.type != RECORD_SAMPLE)
				continue;
			evsel = evlist_evsel(list, &rec);
			if (evsel && sample_decode(&rec, evsel, &s, NULL) == 0 && s.stack)
				take(b, &s, timeline_when(list->timed, s.time, rec.pos), &st,
				     &info);
		}
	}
	stack_release(&st);
	unwind_info_release(&info);
	return now() - start;
}

static void run(struct bench *b, struct unwind_modules *modules)
{
	double decode, first, second;

	pass(b); /* the file comes into memory */
	decode = pass(b);
	b->unwinder = unwinder_new(modules);
	first = pass(b) - decode;
	second = pass(b) - decode;
	printf("%" PRIu64 " samples, %" PRIu64 " frames, %.1f a sample, %.2f %% whole\n",
	       b->samples, b->frames, (double)b->frames / (double)(b->samples + !b->samples),
	       100.0 * (double)b->whole / (double)(b->samples + !b->samples));
	printf("unwinding %.1f ns/frame, once the rules are known %.1f; "
	       "decoding %.0f ns/sample\n",
	       first * 1e9 / (double)(b->frames + !b->frames),
	       second * 1e9 / (double)(b->frames + !b->frames),
	       decode * 1e9 / (double)(b->samples + !b->samples));
	unwinder_free(b->unwinder);
}

/* New recordings say it; old ones are taken to be of a machine like this. */
static uint16_t machine(const struct features *f)
{
#ifdef __aarch64__
	const uint16_t ours = EM_AARCH64;
#else
	const uint16_t ours = EM_X86_64;
#endif

	return f->e_machine ? (uint16_t)f->e_machine : ours;
}

int main(int argc, char **argv)
{
	struct objfile_search where = { 0 };
	struct bench b = { .max = UINT64_MAX };
	struct unwind_modules *modules;
	struct record rec;
	struct err err;

	if (argc < 2)
		return 64;
	if (argc > 2)
		b.max = strtoull(argv[2], NULL, 10);
	if (reader_open(&b.reader, argv[1], &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	b.timeline = timeline_new(&b.reader->evlist);
	while (reader_next(b.reader, &rec) == 0)
		timeline_add(b.timeline, &rec);
	timeline_finish(b.timeline);
	b.nr_chunks = reader_chunks(b.reader, 1 << 22, &b.chunks);
	modules = unwind_modules_new(&where, machine(&b.reader->features));
	run(&b, modules);
	unwind_modules_free(modules);
	free(b.chunks);
	timeline_free(b.timeline);
	reader_free(b.reader);
	return 0;
}
