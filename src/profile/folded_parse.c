/* SPDX-License-Identifier: MIT */
/*
 * Folded text: its lines, and the tables that can be made of a text without a profile.
 *
 * The rule for a line: trim it (ASCII white space); the count is what follows its last space;
 * the rest is the stack, split at every ';'.  Names may hold anything else, spaces included, so
 * nothing more is taken off: the blank that an argument list left behind at the end of a name
 * belongs to the name.
 */
#include <perfrep/folded.h>

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/vec.h"
#include "profile/folded_line.h"
#include "profile/priv.h"

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Decimal digits only: no sign, no blank, no fraction, at most 2^64 - 1. */
static bool parse_count(const char *s, size_t len, uint64_t *out)
{
	uint64_t v = 0;

	if (!len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return false;
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v))
			return false;
	}
	*out = v;
	return true;
}

enum folded_kind folded_split(const char *line, size_t len, struct folded_frame *stack,
			      uint64_t *count)
{
	const char *space;

	while (len && is_space(*line)) {
		line++;
		len--;
	}
	while (len && is_space(line[len - 1]))
		len--;
	if (!len)
		return FOLDED_BLANK;
	space = memrchr(line, ' ', len);
	if (!space || !parse_count(space + 1, (size_t)(line + len - space - 1), count))
		return FOLDED_MALFORMED;
	*stack = (struct folded_frame){ line, (size_t)(space - line) };
	return FOLDED_STACK;
}

bool folded_next_frame(struct folded_frame *rest, struct folded_frame *out)
{
	const char *semi;

	if (!rest->s)
		return false;
	semi = memchr(rest->s, ';', rest->len);
	*out = *rest;
	if (!semi) {
		rest->s = NULL;
		return true;
	}
	out->len = (size_t)(semi - rest->s);
	rest->len -= out->len + 1;
	rest->s = semi + 1;
	return true;
}

bool folded_next_line(const char **text, size_t *left, struct folded_frame *line)
{
	const char *nl;

	if (!*left)
		return false;
	nl = memchr(*text, '\n', *left);
	*line = (struct folded_frame){ *text, nl ? (size_t)(nl - *text) : *left };
	*left -= line->len + (nl != NULL);
	*text += line->len + (nl != NULL);
	return true;
}

bool folded_parse_line(const char *line, size_t len, struct folded_line *out)
{
	struct folded_frame rest, frame;

	out->nr_frames = 0;
	if (folded_split(line, len, &rest, &out->count) != FOLDED_STACK)
		return false;
	while (folded_next_frame(&rest, &frame)) {
		profile_reserve(&out->frames, out->nr_frames, &out->cap, 1);
		out->frames[out->nr_frames++] = frame;
	}
	return true;
}

void folded_line_release(struct folded_line *line)
{
	free(line->frames);
	*line = (struct folded_line){ 0 };
}

bool folded_begins(const char *text, size_t len)
{
	static const char heading[] = "# started on ";
	struct folded_frame line, stack;
	uint64_t count;

	if (memchr(text, '\0', len < 4096 ? len : 4096))
		return false;
	while (folded_next_line(&text, &len, &line)) {
		if (line.len >= sizeof(heading) - 1 &&
		    !memcmp(line.s, heading, sizeof(heading) - 1))
			return false;
		switch (folded_split(line.s, line.len, &stack, &count)) {
		case FOLDED_STACK:
			return true;
		case FOLDED_BLANK:
			continue;
		default:
			return false;
		}
	}
	return false;
}

uint64_t folded_total(const char *text, size_t len)
{
	struct folded_frame line, stack;
	uint64_t total = 0, count;

	while (folded_next_line(&text, &len, &line))
		if (folded_split(line.s, line.len, &stack, &count) == FOLDED_STACK)
			total = add_saturating(total, count);
	return total;
}

/* Counts by name, while a table is being made. */
struct counts {
	struct intern names;
	VEC(struct {
		uint64_t count;
		uint64_t stack;
		bool used;
	})
	v; /* by string id */
};

/* Give NAME the COUNT of the stack with number STACK, unless it has had it. */
static void credit(struct counts *c, struct folded_frame name, uint64_t count, uint64_t stack)
{
	uint32_t id = intern_add(&c->names, name.s, name.len);

	if (id >= c->v.n)
		vec_resize(&c->v, (size_t)id + 1);
	if (c->v.v[id].used && c->v.v[id].stack == stack)
		return;
	c->v.v[id].used = true;
	c->v.v[id].stack = stack;
	c->v.v[id].count = add_saturating(c->v.v[id].count, count);
}

static int compare_rows(const void *va, const void *vb)
{
	const struct folded_row *a = va, *b = vb;

	if (a->count != b->count)
		return a->count < b->count ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void finish_table(struct counts *c, struct folded_table *out)
{
	*out = (struct folded_table){ .rows = xreallocarray(NULL, c->v.n, sizeof(*out->rows)) };
	for (size_t id = 0; id < c->v.n; id++)
		if (c->v.v[id].used)
			out->rows[out->n++] = (struct folded_row){
				.name = xstrndup(intern_str(&c->names, (uint32_t)id),
						 intern_len(&c->names, (uint32_t)id)),
				.count = c->v.v[id].count,
			};
	if (out->n)
		qsort(out->rows, out->n, sizeof(*out->rows), compare_rows);
	intern_release(&c->names);
	vec_release(&c->v);
}

void folded_self(const char *text, size_t len, struct folded_table *out)
{
	struct folded_frame line, rest, frame = { 0 };
	struct counts c = { 0 };
	uint64_t count, stack = 0;

	while (folded_next_line(&text, &len, &line)) {
		if (folded_split(line.s, line.len, &rest, &count) != FOLDED_STACK)
			continue;
		while (folded_next_frame(&rest, &frame))
			;
		credit(&c, frame, count, stack++);
	}
	finish_table(&c, out);
}

void folded_inclusive(const char *text, size_t len, struct folded_table *out)
{
	struct folded_frame line, rest, frame;
	struct counts c = { 0 };
	uint64_t count, stack = 0;

	while (folded_next_line(&text, &len, &line)) {
		if (folded_split(line.s, line.len, &rest, &count) != FOLDED_STACK)
			continue;
		while (folded_next_frame(&rest, &frame))
			credit(&c, frame, count, stack);
		stack++;
	}
	finish_table(&c, out);
}

bool folded_hottest(const char *text, size_t len, char **name, double *percent)
{
	uint64_t total = folded_total(text, len);
	struct folded_table t;

	if (!total)
		return false;
	folded_self(text, len, &t);
	*name = xstrdup(t.rows[0].name);
	*percent = 100.0 * (double)t.rows[0].count / (double)total;
	folded_table_release(&t);
	return true;
}

void folded_table_release(struct folded_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->rows[i].name);
	free(t->rows);
	*t = (struct folded_table){ 0 };
}
