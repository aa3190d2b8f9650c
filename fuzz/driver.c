/* SPDX-License-Identifier: MIT */
/*
 * A main() for the fuzz targets where libFuzzer isn't: it runs the files, and those of the
 * folders, that are given through the target.  With --runs or --seconds it goes on with mutations
 * of them, whose sequence depends on --seed alone:
 *
 *	fuzz_reader fuzz/corpus/reader                          each file once
 *	fuzz_reader --seconds 60 --seed 7 fuzz/corpus/reader    and then mutations of them
 *
 * The input in hand is kept in a file when the target crashes, a sanitizer ends it, or one run
 * takes over ten seconds.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* There with a sanitizer. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

#define INPUT_CAP   ((size_t)1 << 20)
#define RUN_SECONDS 10

struct input {
	uint8_t *data;
	size_t size;
};

struct corpus {
	struct input *v;
	size_t n;
};

/* What the signal handlers need; the one thing that is not a parameter. */
static struct {
	const uint8_t *data;
	size_t size;
	char file[64];
} current;

static void keep_input(void)
{
	int fd = open(current.file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	ssize_t n = -1;

	if (fd >= 0)
		n = write(fd, current.data, current.size);
	if (n == (ssize_t)current.size) {
		static const char text[] = "the input is in ";

		n = write(STDERR_FILENO, text, sizeof(text) - 1);
		n = write(STDERR_FILENO, current.file, strlen(current.file));
		n = write(STDERR_FILENO, "\n", 1);
	}
	(void)n;
}

static void on_signal(int sig)
{
	static const char slow[] = "one input takes too long\n";

	if (sig == SIGALRM && write(STDERR_FILENO, slow, sizeof(slow) - 1) < 0)
		_exit(1);
	keep_input();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void watch(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM };

	snprintf(current.file, sizeof(current.file), "crash-%ld", (long)getpid());
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(keep_input);
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], on_signal);
}

/* From memory of just this size, so that a sanitizer sees each read behind it. */
static void run_one(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	if (size)
		memcpy(copy, data, size);
	current.data = copy;
	current.size = size;
	alarm(RUN_SECONDS);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

/* ---- inputs ------------------------------------------------------------------------------ */

static void add_file(struct corpus *c, const char *path)
{
	struct input in = { malloc(INPUT_CAP), 0 };
	FILE *f = fopen(path, "rb");

	if (!f || !in.data) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(2);
	}
	in.size = fread(in.data, 1, INPUT_CAP, f);
	fclose(f);
	c->v = realloc(c->v, (c->n + 1) * sizeof(*c->v));
	if (!c->v)
		abort();
	c->v[c->n++] = in;
}

static int not_hidden(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void add_path(struct corpus *c, const char *path)
{
	struct dirent **names;
	struct stat st;
	int n;

	if (stat(path, &st) || !S_ISDIR(st.st_mode)) {
		add_file(c, path);
		return;
	}
	n = scandir(path, &names, not_hidden, alphasort);
	for (int i = 0; i < n; i++) {
		char name[4096];

		snprintf(name, sizeof(name), "%s/%s", path, names[i]->d_name);
		add_file(c, name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

/* ---- mutations --------------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t below(uint64_t *rng, size_t n)
{
	return n ? (size_t)(next_random(rng) % n) : 0;
}

/* A number that lengths and counts are wrong with. */
static uint64_t bad_number(uint64_t *rng, size_t size)
{
	static const uint64_t numbers[] = { 0,          1,          7,          8,
					    0x7f,       0x80,       0xff,       0x7fff,
					    0x8000,     0xffff,     1 << 16,    0x7fffffff,
					    0x80000000, 0xffffffff, 1ull << 61, 1ull << 63 };

	switch (below(rng, 3)) {
	case 0:
		return size + below(rng, 17) - 8;
	case 1:
		return -(uint64_t)below(rng, 5000);
	default:
		return numbers[below(rng, sizeof(numbers) / sizeof(*numbers))];
	}
}

static void put_number(uint64_t *rng, uint8_t *p, size_t size)
{
	size_t width = (size_t)1 << below(rng, 4);
	uint64_t v = bad_number(rng, size);
	bool big = below(rng, 2);
	size_t at;

	if (width > size)
		return;
	at = below(rng, size - width + 1);
	for (size_t i = 0; i < width; i++)
		p[at + i] = (uint8_t)(v >> 8 * (big ? width - 1 - i : i));
}

/* Move the bytes from FROM on to TO, as in deleting or inserting; the new size. */
static size_t shift(uint8_t *p, size_t size, size_t from, size_t to)
{
	size_t len = size - from;

	if (to + len > INPUT_CAP)
		len = INPUT_CAP - to;
	memmove(p + to, p + from, len);
	return to + len;
}

/* Overwrite with a piece of another input. */
static void take_piece(uint64_t *rng, uint8_t *p, size_t size, const struct input *other)
{
	size_t len = below(rng, other->size < size ? other->size : size);

	memcpy(p + below(rng, size - len), other->data + below(rng, other->size - len), len);
}

static size_t mutate_once(uint64_t *rng, uint8_t *p, size_t size, const struct corpus *c)
{
	size_t at = below(rng, size);

	if (!size) {
		p[0] = (uint8_t)next_random(rng);
		return 1;
	}
	switch (below(rng, 8)) {
	case 0:
		p[at] ^= (uint8_t)(1 << below(rng, 8));
		return size;
	case 1:
		p[at] = (uint8_t)next_random(rng);
		return size;
	case 2: /* delete */
		return shift(p, size, at + below(rng, size - at), at);
	case 3: /* repeat */
		return shift(p, size, at, at + below(rng, size - at + 1));
	case 4:
		return at; /* cut */
	case 5:
		take_piece(rng, p, size, &c->v[below(rng, c->n)]);
		return size;
	default:
		put_number(rng, p, size);
		return size;
	}
}

static void mutate(uint64_t *rng, const struct corpus *c, uint8_t *buf)
{
	const struct input *in = &c->v[below(rng, c->n)];
	size_t size = in->size;

	if (size)
		memcpy(buf, in->data, size);
	for (size_t n = 1 + below(rng, 6); n; n--)
		size = mutate_once(rng, buf, size, c);
	run_one(buf, size);
}

/* ---- main -------------------------------------------------------------------------------- */

struct options {
	uint64_t runs, seconds, seed;
};

static bool take_option(struct options *o, const char *name, const char *value)
{
	uint64_t v = value ? strtoull(value, NULL, 10) : 0;

	if (!strcmp(name, "--runs"))
		o->runs = v;
	else if (!strcmp(name, "--seconds"))
		o->seconds = v;
	else if (!strcmp(name, "--seed"))
		o->seed = v;
	else
		return false;
	return value != NULL;
}

static double cpu_seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static uint64_t run_mutations(const struct options *o, const struct corpus *c)
{
	uint8_t *buf = malloc(INPUT_CAP);
	uint64_t rng = o->seed, n = 0;
	double end = cpu_seconds() + (double)o->seconds;

	if (!buf)
		abort();
	while (n < o->runs || (o->seconds && cpu_seconds() < end)) {
		mutate(&rng, c, buf);
		n++;
	}
	free(buf);
	return n;
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1 };
	struct corpus c = { 0 };
	uint64_t mutations = 0;

	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--", 2)) {
			add_path(&c, argv[i]);
			continue;
		}
		if (!take_option(&o, argv[i], argv[i + 1])) {
			fprintf(stderr,
				"usage: %s [--runs N] [--seconds N] [--seed N] FILE|FOLDER...\n",
				argv[0]);
			return 64;
		}
		i++;
	}
	watch();
	for (size_t i = 0; i < c.n; i++)
		run_one(c.v[i].data, c.v[i].size);
	if (c.n)
		mutations = run_mutations(&o, &c);
	printf("%s: %zu inputs", argv[0], c.n);
	if (mutations)
		printf(", %llu mutations of them, seed %llu", (unsigned long long)mutations,
		       (unsigned long long)o.seed);
	putchar('\n');
	for (size_t i = 0; i < c.n; i++)
		free(c.v[i].data);
	free(c.v);
	return c.n ? 0 : 2;
}
