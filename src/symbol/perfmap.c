/* SPDX-License-Identifier: MIT */
/*
 * The lines are cut into disjoint stretches by a sweep over their starts and ends, in order of
 * address: a heap holds the lines that have begun, the last one written on top; lines that have
 * ended are taken off when they come to the top.
 *
 *	line 1     |=================|
 *	line 2          |=====|
 *	result     |-1--|--2--|--1---|
 *
 * So looking up is one binary search however wildly the lines overlap.
 */
#include "symbol/perfmap.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/vec.h"

struct lines {
	VEC(struct perfmap_range) v;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* A hexadecimal number, 0x allowed, and the blanks behind it. */
static bool parse_hex(const char **p, const char *end, uint64_t *value)
{
	unsigned digits = 0;
	int d;

	if (end - *p > 2 && (*p)[0] == '0' && ((*p)[1] | 0x20) == 'x')
		*p += 2;
	for (*value = 0; *p < end && (d = hex_digit(**p)) >= 0; (*p)++) {
		if (*value >> 60)
			return false;
		*value = *value << 4 | (uint64_t)d;
		digits++;
	}
	if (!digits || *p == end || !is_blank(**p))
		return false;
	while (*p < end && is_blank(**p))
		(*p)++;
	return true;
}

/* The name is the rest of the line, blanks and all. */
static bool parse_line(const char *p, const char *end, struct perfmap_range *r)
{
	uint64_t size;

	if (p < end && end[-1] == '\r')
		end--;
	while (p < end && is_blank(*p))
		p++;
	if (!parse_hex(&p, end, &r->start) || !parse_hex(&p, end, &size))
		return false;
	if (!size || size > UINT64_MAX - r->start || p == end)
		return false;
	r->end = r->start + size;
	r->name = p;
	r->len = (size_t)(end - p);
	return true;
}

static void parse_lines(struct perfmap *pm, struct lines *lines, const char *text, size_t len)
{
	const char *end = text + len;

	for (const char *p = text; p < end;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		struct perfmap_range r;

		eol = eol ? eol : end;
		if (parse_line(p, eol, &r))
			vec_push(&lines->v, r);
		else
			pm->malformed += eol != p;
		p = eol + 1;
	}
	pm->lines = lines->v.n;
}

/* An index of a line by its start; the number of the line decides who wins. */
struct begin {
	uint64_t start;
	uint32_t line;
};

static int by_start(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;

	return x->start != y->start ? (x->start < y->start ? -1 : 1)
				    : (x->line < y->line ? -1 : x->line > y->line);
}

/* Line numbers, the highest on top. */
struct heap {
	VEC(uint32_t) v;
};

static void heap_push(struct heap *h, uint32_t line)
{
	size_t i = h->v.n;

	vec_push(&h->v, line);
	for (; i && h->v.v[(i - 1) / 2] < line; i = (i - 1) / 2)
		h->v.v[i] = h->v.v[(i - 1) / 2];
	h->v.v[i] = line;
}

static void heap_pop(struct heap *h)
{
	uint32_t last = h->v.v[--h->v.n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->v.n) {
		if (child + 1 < h->v.n && h->v.v[child + 1] > h->v.v[child])
			child++;
		if (h->v.v[child] <= last)
			break;
		h->v.v[i] = h->v.v[child];
		i = child;
	}
	if (h->v.n)
		h->v.v[i] = last;
}

/* Append [start, end) of LINE; a stretch that goes on is made longer. */
static void emit(struct lines *out, const struct perfmap_range *line, uint64_t start, uint64_t end)
{
	struct perfmap_range *last = out->v.n ? &out->v.v[out->v.n - 1] : NULL;

	if (last && last->name == line->name && last->end == start)
		last->end = end;
	else
		vec_push(&out->v, (struct perfmap_range){ start, end, line->name, line->len });
}

/* From AT, the top of the heap has the addresses up to its end or UNTIL. */
static void sweep_until(struct lines *out, const struct lines *lines, struct heap *h, uint64_t *at,
			uint64_t until)
{
	while (h->v.n && *at < until) {
		const struct perfmap_range *top = &lines->v.v[h->v.v[0]];
		uint64_t end = top->end < until ? top->end : until;

		if (top->end > *at) {
			emit(out, top, *at, end);
			*at = end;
		}
		if (top->end <= *at)
			heap_pop(h);
	}
	*at = until;
}

static void flatten(struct perfmap *pm, const struct lines *lines)
{
	size_t n = lines->v.n < UINT32_MAX ? lines->v.n : UINT32_MAX;
	struct begin *begins = xreallocarray(NULL, n, sizeof(*begins));
	struct lines out = { 0 };
	struct heap h = { 0 };
	uint64_t at = 0;

	for (size_t i = 0; i < n; i++)
		begins[i] = (struct begin){ lines->v.v[i].start, (uint32_t)i };
	qsort(begins, n, sizeof(*begins), by_start);
	for (size_t i = 0; i < n; i++) {
		sweep_until(&out, lines, &h, &at, begins[i].start);
		heap_push(&h, begins[i].line);
	}
	sweep_until(&out, lines, &h, &at, UINT64_MAX);
	free(begins);
	vec_release(&h.v);
	pm->v = out.v.v;
	pm->n = out.v.n;
}

void perfmap_parse(struct perfmap *pm, const char *text, size_t len)
{
	struct lines lines = { 0 };

	memset(pm, 0, sizeof(*pm));
	parse_lines(pm, &lines, text, len);
	if (lines.v.n)
		flatten(pm, &lines);
	vec_release(&lines.v);
}

void perfmap_release(struct perfmap *pm)
{
	free(pm->v);
	memset(pm, 0, sizeof(*pm));
}

const struct perfmap_range *perfmap_find(const struct perfmap *pm, uint64_t addr)
{
	size_t at = bisect(i, pm->n, pm->v[i].start <= addr);

	return at && addr < pm->v[at - 1].end ? &pm->v[at - 1] : NULL;
}
