/* SPDX-License-Identifier: MIT */
/*
 * generate OPTION... FILE: writes a recording of a chosen shape, to see what time and memory grow
 * with.  It streams: a recording of 10 GB needs no memory.
 *
 *	--samples N	(100000)
 *	--depth N	frames of a stack (24)
 *	--stacks N	distinct stacks of a process (1000); neighbours share their outer frames
 *	--functions N	distinct functions they are made of (5000)
 *	--processes N	each with a fork, a name and a map of the program (1)
 *	--jit N		maps of anonymous code in the first process, one leaf function in each (0)
 *	--files N	the same as maps of N files (0)
 *	--remap N	times that a file is mapped over the one before, while samples go on (0)
 *	--program PATH --text OFFSET,SIZE
 *			addresses in the code of a real program, so that they have names
 *	--print N	no recording: print the leaves' offsets in the program plus N, in hexadecimal
 *
 * The layout is the kernel's (include/uapi/linux/perf_event.h) and perf's
 * (tools/perf/Documentation/perf.data-file-format.txt): a header, one attr, the records; no ids, no
 * features, everything in the machine's byte order.
 */
#include <getopt.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE   UINT64_C(0x555555000000) /* where the program is mapped */
#define LIMIT  UINT64_C(0x10000000)
#define REGION UINT64_C(0x7f0000000000) /* where further maps are, a page each */
#define PAGE   UINT64_C(4096)
#define OVER   UINT64_C(0x7e0000000000) /* what is mapped again and again */
#define SPAN   (64 * PAGE)
#define STEP   16 /* bytes of a function */

struct shape {
	uint64_t samples, depth, stacks, functions, processes, jit, files, remap;
	const char *program;
	uint64_t text, text_size;
	uint64_t print; /* plus 1; 0: don't */
};

struct section {
	uint64_t offset, size;
};

struct header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

static uint64_t mix(uint64_t v)
{
	v ^= v >> 32;
	v *= UINT64_C(0x9e3779b97f4a7c15);
	v ^= v >> 29;
	v *= UINT64_C(0xbf58476d1ce4e5b9);
	return v ^ v >> 32;
}

static uint64_t written; /* bytes of records */
static FILE *out;

static void put(const void *data, size_t size)
{
	if (fwrite(data, 1, size, out) != size) {
		perror("generate");
		exit(2);
	}
	written += size;
}

static void put64(uint64_t v)
{
	put(&v, sizeof(v));
}

static void put32s(uint32_t a, uint32_t b)
{
	const uint32_t v[2] = { a, b };

	put(v, sizeof(v));
}

static void put_head(uint32_t type, uint16_t misc, size_t size)
{
	const struct perf_event_header h = { type, misc, (uint16_t)size };

	put(&h, sizeof(h));
}

/* What every record but a sample ends with: sample_id_all of TID and TIME. */
static void put_id(uint32_t pid, uint64_t time)
{
	put32s(pid, pid);
	put64(time);
}

static void put_name(const char *name, size_t room)
{
	char padded[256] = "";

	snprintf(padded, sizeof(padded), "%s", name);
	put(padded, room);
}

static size_t padded(const char *name)
{
	return (strlen(name) + 8) / 8 * 8;
}

static void put_comm(uint32_t pid, const char *name, uint64_t time)
{
	put_head(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, 8 + 8 + padded(name) + 16);
	put32s(pid, pid);
	put_name(name, padded(name));
	put_id(pid, time);
}

static void put_fork(uint32_t pid, uint32_t parent, uint64_t time)
{
	put_head(PERF_RECORD_FORK, 0, 8 + 24 + 16);
	put32s(pid, parent);
	put32s(pid, parent);
	put64(time);
	put_id(parent, time);
}

static void put_exit(uint32_t pid, uint64_t time)
{
	put_head(PERF_RECORD_EXIT, 0, 8 + 24 + 16);
	put32s(pid, 1);
	put32s(pid, 1);
	put64(time);
	put_id(pid, time);
}

static void put_map(uint32_t pid, uint64_t start, uint64_t len, uint64_t offset, const char *name,
		    uint64_t time)
{
	put_head(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 8 + 8 + 24 + 32 + padded(name) + 16);
	put32s(pid, pid);
	put64(start);
	put64(len);
	put64(offset);
	put32s(0, 0); /* device */
	put64(0); /* inode */
	put64(0); /* generation */
	put32s(5, 2); /* PROT_READ | PROT_EXEC, MAP_PRIVATE */
	put_name(name, padded(name));
	put_id(pid, time);
}

/* The function at DEPTH from the leaf: stacks whose numbers differ in low bits share the rest. */
static uint64_t frame(const struct shape *s, uint64_t stack, uint64_t depth)
{
	uint64_t id = depth < 63 ? stack >> depth : 0;
	uint64_t function = mix(id * 64 + (depth & 63)) % s->functions;

	return BASE + s->text + function * STEP % s->text_size + 4;
}

static void put_sample(const struct shape *s, uint64_t nr, uint64_t time)
{
	uint32_t pid = 1000 + (uint32_t)(nr % s->processes);
	uint64_t stack = mix(nr / s->processes) % s->stacks, extra = s->jit + s->files;
	uint64_t leaf = frame(s, stack, 0);

	if (s->remap && nr % 2)
		leaf = OVER + mix(nr) % SPAN / STEP * STEP;
	else if (extra && pid == 1000)
		leaf = REGION + mix(nr) % extra * PAGE + 64;
	put_head(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 8 + 8 * (5 + 1 + s->depth));
	put64(leaf);
	put32s(pid, pid);
	put64(time);
	put64(1000000); /* period */
	put64(s->depth + 1);
	put64(PERF_CONTEXT_USER);
	put64(leaf);
	for (uint64_t d = 1; d < s->depth; d++)
		put64(frame(s, stack, d));
}

static void put_maps(const struct shape *s, uint64_t time)
{
	char name[64];

	for (uint64_t i = 0; i < s->jit + s->files; i++) {
		snprintf(name, sizeof(name), i < s->jit ? "//anon" : "/bench/plugin-%" PRIu64 ".so",
			 i);
		put_map(1000, REGION + i * PAGE, PAGE, 0, name, time + i);
	}
}

/* A part of the range each time, so that what was there is cut. */
static void put_remap(uint64_t nr, uint64_t time)
{
	uint64_t first = mix(nr) % 32;
	char name[64];

	snprintf(name, sizeof(name), "/bench/plugin-%" PRIu64 ".so", nr % 100);
	put_map(1000, OVER + first * PAGE, (1 + mix(nr + 1) % 32) * PAGE, 0, name, time);
}

/* Processes begin one after the other, each just before its first sample. */
static void put_records(const struct shape *s)
{
	const char *name = s->program ? s->program : "/bench/program";
	uint64_t time = 1000000;

	for (uint64_t i = 0; i < s->samples; i++, time += 1000) {
		uint32_t pid = 1000 + (uint32_t)i;

		if (i < s->processes) {
			put_fork(pid, 1, time - 400);
			put_comm(pid, "program", time - 300);
			put_map(pid, BASE, LIMIT, 0, name, time - 200);
		}
		if (!i) {
			put_maps(s, time);
			time += s->jit + s->files;
		}
		if (s->remap && (i + 1) * s->remap / s->samples != i * s->remap / s->samples)
			put_remap(i * s->remap / s->samples, time - 100);
		put_sample(s, i, time);
	}
	for (uint64_t i = 0; i < s->processes && s->processes > 1; i++)
		put_exit(1000 + (uint32_t)i, time++);
}

static void put_header(uint64_t data_size)
{
	const struct header h = {
		.magic = UINT64_C(0x32454c4946524550), /* "PERFILE2" */
		.size = sizeof(h),
		.attr_size = sizeof(struct file_attr),
		.attrs = { sizeof(h), sizeof(struct file_attr) },
		.data = { sizeof(h) + sizeof(struct file_attr), data_size },
	};
	struct file_attr a = { .attr = {
				       .type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(a.attr),
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .sample_period = 1000000,
				       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						      PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
						      PERF_SAMPLE_PERIOD,
				       .mmap = 1,
				       .comm = 1,
				       .task = 1,
				       .sample_id_all = 1,
				       .mmap2 = 1,
			       } };

	put(&h, sizeof(h));
	put(&a, sizeof(a));
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 0);

	if (*end || end == text || !v) {
		fprintf(stderr, "generate: expected a number above 0, found \"%s\"\n", text);
		exit(64);
	}
	return v;
}

static void parse(struct shape *s, int argc, char **argv)
{
	static const struct option options[] = {
		{ "samples", 1, NULL, 's' },   { "depth", 1, NULL, 'd' },
		{ "stacks", 1, NULL, 'k' },    { "functions", 1, NULL, 'f' },
		{ "processes", 1, NULL, 'p' }, { "jit", 1, NULL, 'j' },
		{ "files", 1, NULL, 'm' },     { "remap", 1, NULL, 'r' },
		{ "program", 1, NULL, 'P' },   { "print", 1, NULL, 'L' },
		{ "text", 1, NULL, 't' },      { NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		uint64_t *fields[128] = {
			['s'] = &s->samples,   ['d'] = &s->depth,     ['k'] = &s->stacks,
			['f'] = &s->functions, ['p'] = &s->processes, ['j'] = &s->jit,
			['m'] = &s->files,     ['r'] = &s->remap,
		};

		if (c == 'P')
			s->program = optarg;
		else if (c == 'L')
			s->print = strtoull(optarg, NULL, 0) + 1;
		else if (c == 't' && sscanf(optarg, "%" SCNi64 ",%" SCNi64, (int64_t *)&s->text,
					    (int64_t *)&s->text_size) == 2)
			continue;
		else if (c > 0 && c < 128 && fields[c])
			*fields[c] = number(optarg);
		else
			exit(64);
	}
	if (s->depth > 1000 || !s->text_size || optind + !s->print != argc) {
		fprintf(stderr, "usage: generate [OPTION...] FILE (see the top of the source)\n");
		exit(64);
	}
}

int main(int argc, char **argv)
{
	struct shape s = { .samples = 100000,
			   .depth = 24,
			   .stacks = 1000,
			   .functions = 5000,
			   .processes = 1,
			   .text = 0x1000,
			   .text_size = LIMIT - 0x1000 };

	parse(&s, argc, argv);
	for (uint64_t i = 0; s.print && i < s.stacks; i++)
		printf("0x%" PRIx64 "\n", frame(&s, i, 0) - BASE + s.print - 1);
	if (s.print)
		return 0;
	out = fopen(argv[optind], "wb");
	if (!out) {
		perror(argv[optind]);
		return 2;
	}
	put_header(0);
	written = 0;
	put_records(&s);
	rewind(out);
	put_header(written);
	if (fclose(out)) {
		perror(argv[optind]);
		return 2;
	}
	return 0;
}
