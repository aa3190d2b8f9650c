/* SPDX-License-Identifier: MIT */
#include "view_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

static uint32_t str(struct profile *p, const char *s, size_t len)
{
	return profile_string(p, s, len);
}

/* "name@module:file:line" */
static struct line make_line(struct profile *p, const char *s, size_t len, bool inlined)
{
	const char *at = memchr(s, '@', len), *end = s + len, *file;
	const char *name_end = at && at[-1] == '?' ? at - 1 : at ? at : end;
	uint16_t flags = at && at[-1] == '?' ? LINE_UNKNOWN : 0;
	struct line l = { .flags = (uint16_t)(flags | (inlined ? LINE_INLINED : 0)) };
	const char *module_end = end;

	file = at ? memchr(at, ':', (size_t)(end - at)) : NULL;
	if (file) {
		const char *colon = memchr(file + 1, ':', (size_t)(end - file - 1));

		module_end = file;
		l.file = str(p, file + 1, (size_t)(colon - file - 1));
		l.line = (uint32_t)atoi(colon + 1);
	}
	l.func = profile_func(p, str(p, s, (size_t)(name_end - s)),
			      at ? str(p, at + 1, (size_t)(module_end - at - 1)) : 0, flags);
	return l;
}

/* A location for each different frame text. */
static uint32_t make_loc(struct profile *p, const char *s, size_t len)
{
	bool repaired = *s == '!';
	const char *end = s + len;
	struct line lines[8];
	struct location l = { .repaired = repaired };
	uint32_t loc;
	size_t n = 0;

	s += repaired;
	l.addr = str(p, s, (size_t)(end - s));
	loc = profile_loc_like(p, &l);
	if (p->locs[loc].nr_lines)
		return loc;
	while (s < end) {
		const char *plus = memchr(s, '+', (size_t)(end - s));
		size_t part = plus ? (size_t)(plus - s) : (size_t)(end - s);

		memmove(lines + 1, lines, n * sizeof(*lines));
		lines[0] = make_line(p, s, part, n++ != 0);
		s += part + 1;
	}
	profile_set_lines(p, loc, lines, n);
	if (lines[0].flags & LINE_UNKNOWN)
		p->locs[loc].reason = UNKNOWN_NO_SYMBOLS;
	return loc;
}

static void add_stack(struct profile *p, uint32_t event, const char *s, size_t len, uint64_t weight,
		      uint64_t count)
{
	const char *end = s + len, *semi = memchr(s, ';', len);
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	uint32_t node;

	key.comm = str(p, s, semi ? (size_t)(semi - s) : len);
	node = profile_root(p, profile_key(p, &key));
	while (semi) {
		const char *from = semi + 1;

		semi = memchr(from, ';', (size_t)(end - from));
		node = profile_child(p, node,
				     make_loc(p, from, (size_t)((semi ? semi : end) - from)));
	}
	for (uint64_t i = 0; i < count; i++)
		profile_add_sample(p, event, node, weight / count);
}

void view_profile_add(struct profile *p, const char *event, const char *unit, const char *text)
{
	uint32_t e = profile_event(p, event, unit);

	while (*text) {
		size_t len = strcspn(text, "\n");
		unsigned long long weight = 0, count = 0;
		const char *space = memchr(text, ' ', len);

		/* names may hold blanks: the numbers are the last two words */
		for (const char *p2 = space; p2 && p2 < text + len; p2++)
			if (*p2 == ' ' && sscanf(p2, " %llu %llu", &weight, &count) == 2) {
				space = p2;
				break;
			}
		add_stack(p, e, text, (size_t)(space - text), weight, count);
		text += len + (text[len] == '\n');
	}
}
