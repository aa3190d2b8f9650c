/* SPDX-License-Identifier: MIT */
/*
 * Two folded texts as one with two counts: "stack COUNT1 COUNT2", which flamegraph.pl and
 * inferno-flamegraph draw as a differential flame graph.
 *
 * The rules are those of difffolded.pl: a line is a stack, one blank and a decimal number, whose
 * fraction counts; stacks are compared as they are; a stack that one side lacks has 0 there.
 * Normalising scales the first counts to the second total and drops their fractions.
 */
#include <perfrep/diff.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct counts {
	double v[2];
	uint64_t whole[2]; /* the same, exact, as long as no count had a fraction */
};

struct diff_folded {
	bool strip_hex;
	bool fractions;
	struct intern stacks;
	VEC(struct counts) counts; /* by stack */
	double total[2];
	uint64_t whole_total[2];
};

struct diff_folded *diff_folded_new(bool strip_hex)
{
	struct diff_folded *f = xcalloc(1, sizeof(*f));

	f->strip_hex = strip_hex;
	return f;
}

void diff_folded_free(struct diff_folded *f)
{
	if (!f)
		return;
	intern_release(&f->stacks);
	vec_release(&f->counts);
	free(f);
}

/* Where the count of a line begins; 0: it has none, and is no line. */
static size_t find_count(const char *line, size_t len)
{
	size_t at = len;

	while (at && isdigit((unsigned char)line[at - 1]))
		at--;
	if (at && line[at - 1] == '.') {
		size_t point = at - 1;

		for (at = point; at && isdigit((unsigned char)line[at - 1]);)
			at--;
		if (at == point)
			return 0;
	}
	if (at == len || !at || !isspace((unsigned char)line[at - 1]))
		return 0;
	return at;
}

/* Every 0x and hexadecimal digits become "0x...". */
static void strip_hex(const char *s, size_t len, struct strbuf *sb)
{
	for (size_t i = 0; i < len; i++) {
		size_t end = i + 2;

		if (i + 2 < len && s[i] == '0' && s[i + 1] == 'x' &&
		    isxdigit((unsigned char)s[end])) {
			while (end < len && isxdigit((unsigned char)s[end]))
				end++;
			strbuf_adds(sb, "0x...");
			i = end - 1;
		} else {
			strbuf_addc(sb, s[i]);
		}
	}
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* By its digits: the nearest double of 0.99999999999999999 is 1. */
static bool has_fraction(const char *count)
{
	const char *point = strchr(count, '.');

	return point && point[1 + strspn(point + 1, "0")];
}

static void add_count(struct diff_folded *f, unsigned side, uint32_t stack, const char *count)
{
	double v = strtod(count, NULL);
	uint64_t whole = strtoull(count, NULL, 10);

	vec_resize(&f->counts, f->counts.n > stack ? f->counts.n : (size_t)stack + 1);
	f->counts.v[stack].v[side] += v;
	f->counts.v[stack].whole[side] = add(f->counts.v[stack].whole[side], whole);
	f->total[side] += v;
	f->whole_total[side] = add(f->whole_total[side], whole);
	f->fractions |= has_fraction(count);
}

static void add_line(struct diff_folded *f, unsigned side, const char *line, size_t len)
{
	size_t at = find_count(line, len);
	struct strbuf stack = STRBUF_INIT;
	char count[64];

	if (!at || len - at >= sizeof(count))
		return;
	memcpy(count, line + at, len - at);
	count[len - at] = '\0';
	if (f->strip_hex)
		strip_hex(line, at - 1, &stack);
	else
		strbuf_add(&stack, line, at - 1);
	add_count(f, side, intern_add(&f->stacks, strbuf_str(&stack), stack.n), count);
	strbuf_release(&stack);
}

void diff_folded_add(struct diff_folded *f, unsigned side, const char *text, size_t len)
{
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		add_line(f, side, text, n);
		text += end ? n + 1 : n;
		len -= end ? n + 1 : n;
	}
}

/* ---- writing ---- */

static void number(const struct diff_folded *f, double v, uint64_t whole, struct strbuf *sb)
{
	if (f->fractions)
		strbuf_addf(sb, "%.15g", v);
	else
		strbuf_addu(sb, whole);
}

/* first · total 2 / total 1 without its fraction; in whole numbers while they suffice. */
static uint64_t scaled(const struct diff_folded *f, const struct counts *c)
{
	uint64_t product;
	double v;

	if (!(f->total[0] > 0))
		return 0;
	if (!f->fractions && !__builtin_mul_overflow(c->whole[0], f->whole_total[1], &product))
		return product / f->whole_total[0];
	v = c->v[0] * f->total[1] / f->total[0];
	return v >= 18446744073709551615.0 ? UINT64_MAX : (uint64_t)v;
}

static void write_counts(const struct diff_folded *f, const struct diff_folded_options *o,
			 const struct counts *c, struct strbuf *sb)
{
	bool scale = o->normalise && f->total[0] != f->total[1];

	if (scale)
		strbuf_addu(sb, scaled(f, c));
	else
		number(f, c->v[0], c->whole[0], sb);
	strbuf_addc(sb, ' ');
	number(f, c->v[1], c->whole[1], sb);
	strbuf_addc(sb, '\n');
}

/*
 * A drawing is as wide as the second count and coloured by second - first: a stack that is gone is
 * not there.  Below [gone] it is as wide as it was, and has lost all of that.
 */
static void write_gone(const struct diff_folded *f, const struct diff_folded_options *o,
		       const struct counts *c, const char *stack, struct strbuf *sb)
{
	bool scale = o->normalise && f->total[0] != f->total[1];
	double was = scale ? (double)scaled(f, c) : c->v[0];

	if (was > 0 && !(c->v[1] > 0))
		strbuf_addf(sb, "[gone];%s %.15g %.15g\n", stack, 2 * was, was);
}

static int compare_stacks(const void *va, const void *vb, void *arg)
{
	uint32_t a = *(const uint32_t *)va, b = *(const uint32_t *)vb;

	return strcmp(intern_str(arg, a), intern_str(arg, b));
}

char *diff_folded_text(const struct diff_folded *f, const struct diff_folded_options *o,
		       size_t *len)
{
	uint32_t *order = xreallocarray(NULL, f->counts.n + 1, sizeof(*order)), n = 0;
	struct strbuf sb = STRBUF_INIT;

	for (uint32_t i = 0; i < f->counts.n; i++)
		if (i || f->counts.v[0].v[0] > 0 || f->counts.v[0].v[1] > 0)
			order[n++] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), compare_stacks, (void *)&f->stacks);
	for (uint32_t i = 0; i < n; i++) {
		strbuf_add(&sb, intern_str(&f->stacks, order[i]), intern_len(&f->stacks, order[i]));
		strbuf_addc(&sb, ' ');
		write_counts(f, o, &f->counts.v[order[i]], &sb);
	}
	for (uint32_t i = 0; o->keep_gone && i < n; i++)
		write_gone(f, o, &f->counts.v[order[i]], intern_str(&f->stacks, order[i]), &sb);
	free(order);
	*len = sb.n;
	return sb.n ? strbuf_detach(&sb) : xstrdup("");
}
