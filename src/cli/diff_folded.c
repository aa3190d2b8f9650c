/* SPDX-License-Identifier: MIT */
/*
 * perfrep diff --format=folded.  Folded files go in as they are, byte for byte, so that the result
 * is that of the tools which read them; recordings are folded first.
 */
#include "cli/diff.h"

#include <stdlib.h>
#include <string.h>

#include <perfrep/source.h>

#include "cli/cmd.h"
#include "cli/events.h"
#include "cli/message.h"
#include "view/folded.h"

struct sink {
	struct diff_folded *f;
	unsigned side;
};

/* fold_write() hands over whole lines. */
static int take_lines(void *ctx, const char *text, size_t len)
{
	struct sink *s = ctx;

	diff_folded_add(s->f, s->side, text, len);
	return 0;
}

static void add_profile(struct sink *sink, const struct session *s, const struct diff_command *c)
{
	struct fold_options fo = { .count = c->common.out.by_count, .marks = FOLD_MARK_INLINED };
	uint32_t e = events_find(s->profile, NULL); /* a folded line has one count */

	if (e == PROFILE_NONE)
		return;
	if (s->profile->folded)
		fo.marks = 0;
	fo.modules = session_modules(s);
	profile_need_trie(s->profile);
	fold_write(s->profile, e, &fo, take_lines, sink);
}

static int add_input(struct sink *sink, const struct diff_inputs *in, size_t i,
		     const struct diff_command *c)
{
	const struct session *s = &in->sessions[i];
	struct source src;
	struct err err;

	if (!s->profile->folded || filter_on_stacks(c->common.filter.f)) {
		add_profile(sink, s, c);
		return EXIT_FINE;
	}
	if (in->held[i].name) {
		source_lend(&src, &in->held[i], in->paths[i]);
	} else if (source_open(&src, in->paths[i], &err) < 0) {
		message("%s", err.text);
		return EXIT_FAILED;
	}
	diff_folded_add(sink->f, sink->side, (const char *)src.data, src.size);
	source_release(&src);
	return EXIT_FINE;
}

int diff_write_folded(const struct diff_inputs *in, const struct diff_command *c, struct strbuf *sb)
{
	struct sink sink = { diff_folded_new(c->folded.strip_hex), 0 };
	int status = EXIT_FINE;
	size_t len;
	char *text;

	for (; sink.side < 2 && status == EXIT_FINE; sink.side++) {
		const struct diff_set *set = &in->sets.v[sink.side];

		for (size_t k = 0; k < set->n && status == EXIT_FINE; k++)
			status = add_input(&sink, in, set->from + k, c);
	}
	text = diff_folded_text(sink.f, &c->folded, &len);
	if (status == EXIT_FINE)
		strbuf_add(sb, text, len);
	free(text);
	diff_folded_free(sink.f);
	return status;
}
