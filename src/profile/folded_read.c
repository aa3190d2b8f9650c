/* SPDX-License-Identifier: MIT */
/*
 * Folded text into a profile: frames become locations that are their own names, so that every
 * view works on a folded file as on a recording.
 *
 * The lines of a folded file are mostly sorted, so neighbours share most of their frames: what a
 * line has in common with the one before is not looked up again.
 */
#include <perfrep/folded.h>

#include <string.h>

#include "base/vec.h"
#include "profile/folded_line.h"
#include "profile/priv.h"

struct reader {
	struct profile *p;
	uint32_t root;
	struct folded_frame last; /* the stack of the line before */
	VEC(struct {
		size_t end;
		uint32_t node;
	})
	path; /* its frames: offset behind each */
};

/* Keep of the path what STACK begins with too; the bytes it covers. */
static size_t keep_common(struct reader *r, struct folded_frame stack)
{
	size_t n = stack.len < r->last.len ? stack.len : r->last.len, same = 0;

	while (same < n && stack.s[same] == r->last.s[same])
		same++;
	while (r->path.n) {
		size_t end = r->path.v[r->path.n - 1].end;

		/* a frame is the same when the separator behind it is too, or both end */
		if (end < same || (end == same && (end == stack.len || stack.s[end] == ';') &&
				   (end == r->last.len || r->last.s[end] == ';')))
			break;
		r->path.n--;
	}
	return r->path.n ? r->path.v[r->path.n - 1].end : 0;
}

static uint32_t frame_loc(struct profile *p, struct folded_frame f)
{
	uint32_t name = profile_string(p, f.s, f.len);
	uint32_t loc = profile_loc(p, LOC_NAME, 0, name, 0);

	if (!p->locs[loc].nr_lines) {
		struct line line = { .func = profile_func(p, name, 0, 0) };

		profile_set_lines(p, loc, &line, 1);
	}
	return loc;
}

static uint32_t stack_node(struct reader *r, struct folded_frame stack)
{
	size_t at = keep_common(r, stack);
	uint32_t node = r->path.n ? r->path.v[r->path.n - 1].node : r->root;
	struct folded_frame rest = stack, frame;

	r->last = stack;
	if (r->path.n) {
		if (at == stack.len)
			return node;
		rest = (struct folded_frame){ stack.s + at + 1, stack.len - at - 1 };
	}
	while (folded_next_frame(&rest, &frame)) {
		node = profile_child(r->p, node, frame_loc(r->p, frame));
		vec_reserve(&r->path, 1);
		r->path.v[r->path.n].end = (size_t)(frame.s + frame.len - stack.s);
		r->path.v[r->path.n++].node = node;
	}
	return node;
}

void folded_read(struct profile *p, const char *text, size_t len, const char *event_name,
		 uint64_t *skipped)
{
	uint32_t event = profile_event(p, event_name, NULL);
	struct stack_key key = { .pid = -1, .tid = -1, .cpu = -1 };
	struct reader r = { .p = p, .root = profile_root(p, profile_key(p, &key)) };
	struct folded_frame line, stack;
	uint64_t count, bad = 0;

	p->folded = true;
	while (folded_next_line(&text, &len, &line)) {
		enum folded_kind kind = folded_split(line.s, line.len, &stack, &count);

		if (kind == FOLDED_STACK)
			profile_add(p, event, stack_node(&r, stack), count, count);
		else if (kind == FOLDED_MALFORMED)
			bad++;
	}
	if (skipped)
		*skipped = bad;
	vec_release(&r.path);
}
