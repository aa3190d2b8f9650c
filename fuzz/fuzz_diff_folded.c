/* SPDX-License-Identifier: MIT */
/*
 * Two folded texts with a NUL between them: their stacks with two counts are sorted, each once, and
 * exchanging the sides exchanges the counts.
 */
#include <perfrep/diff.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* "stack COUNT1 COUNT2": where the parts of a line begin. */
struct counted {
	const char *stack, *count[2], *end;
};

static const char *blank_before(const char *start, const char *p)
{
	while (p > start && p[-1] != ' ')
		p--;
	must(p > start);
	return p;
}

static const char *next_line(const char *p, struct counted *l)
{
	l->stack = p;
	l->end = strchr(p, '\n');
	must(l->end != NULL);
	l->count[1] = blank_before(p, l->end);
	l->count[0] = blank_before(p, l->count[1] - 1);
	return l->end + 1;
}

static bool same(const char *a, const char *a_end, const char *b, const char *b_end)
{
	return a_end - a == b_end - b && !memcmp(a, b, (size_t)(a_end - a));
}

static void compare(const char *text, const char *exchanged)
{
	struct counted last = { 0 }, a, b;

	while (*text && *exchanged) {
		text = next_line(text, &a);
		exchanged = next_line(exchanged, &b);
		must(same(a.stack, a.count[0], b.stack, b.count[0]));
		must(same(a.count[0], a.count[1] - 1, b.count[1], b.end));
		must(same(a.count[1], a.end, b.count[0], b.count[1] - 1));
		must(!last.stack || !same(last.stack, last.count[0], a.stack, a.count[0]));
		last = a;
	}
	must(!*text && !*exchanged);
}

static char *join(const char *first, size_t n, const char *second, size_t m, bool strip,
		  const struct diff_folded_options *o, size_t *len)
{
	struct diff_folded *f = diff_folded_new(strip);
	char *text;

	diff_folded_add(f, 0, first, n);
	diff_folded_add(f, 1, second, m);
	text = diff_folded_text(f, o, len);
	diff_folded_free(f);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *first = (const char *)data, *end = memchr(data, 0, size), *second;
	size_t n = end ? (size_t)(end - first) : size, m = end ? size - n - 1 : 0, len, len2;
	struct diff_folded_options plain = { 0 }, all = { .normalise = true, .keep_gone = true };
	char *a, *b;

	second = end ? end + 1 : first;
	if (end && memchr(second, 0, m)) /* the lines that come out are read as text */
		return 0;
	a = join(first, n, second, m, false, &plain, &len);
	b = join(second, m, first, n, false, &plain, &len2);
	compare(a, b);
	must(len == len2 && len == strlen(a));
	free(a);
	free(b);
	a = join(first, n, second, m, true, &all, &len);
	must(!len || a[len - 1] == '\n');
	free(a);
	return 0;
}
