/* SPDX-License-Identifier: MIT */
/*
 * One thing at a time: what was changed along with what was meant to be changed.  Three changes and
 * 20 % more throughput say nothing about which of them did it.
 */
#include <string.h>

#include "base/strbuf.h"
#include "log/log_file.h"

static const char *cell(const struct log_row *row, enum log_column c)
{
	return row->cell[c] ? row->cell[c] : "";
}

/* Both are known, and differ. */
static bool differs(const struct log_row *a, const struct log_row *b, enum log_column c)
{
	return *cell(a, c) && *cell(b, c) && strcmp(cell(a, c), cell(b, c)) != 0;
}

/* Whether a description lists several things. */
static bool lists_several(const char *text)
{
	static const char *const joints[] = { ";", " and ", " + ", ", ", " & ", " also " };

	for (size_t i = 0; i < sizeof(joints) / sizeof(*joints); i++)
		if (strstr(text, joints[i]))
			return true;
	return false;
}

static size_t several_changes(const struct log_row *before, const struct log_row *after, char **out)
{
	static const struct {
		enum log_column column;
		const char *words;
	} things[] = {
		{ LOG_COMMIT, "the commit" },        { LOG_COMMAND, "the command line" },
		{ LOG_OFFERED, "the offered rate" }, { LOG_MACHINE, "the machine" },
		{ LOG_EVENT, "the recorded event" },
	};
	struct strbuf sb = STRBUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(things) / sizeof(*things); i++) {
		if (!differs(before, after, things[i].column))
			continue;
		strbuf_addf(&sb, "%s%s", n++ ? ", " : "", things[i].words);
	}
	if (n > 1) {
		struct strbuf line = STRBUF_INIT;

		strbuf_addf(&line,
			    "%zu things changed since the row before (%s): the numbers can't say "
			    "which of them made the difference.",
			    n, strbuf_str(&sb));
		*out = strbuf_detach(&line);
	}
	strbuf_release(&sb);
	return n > 1;
}

size_t log_warnings(const struct log_row *before, const struct log_row *after, char **out)
{
	struct strbuf sb = STRBUF_INIT;
	size_t n = 0;

	if (lists_several(cell(after, LOG_CHANGE))) {
		strbuf_addf(
			&sb,
			"The change \"%s\" reads like more than one: with one change for each row "
			"the numbers say what each did.",
			cell(after, LOG_CHANGE));
		out[n++] = strbuf_detach(&sb);
	}
	if (!before)
		return n;
	n += several_changes(before, after, out + n);
	if (*cell(before, LOG_COMMIT) &&
	    !strcmp(cell(before, LOG_COMMIT), cell(after, LOG_COMMIT)) &&
	    strcmp(cell(before, LOG_CHANGE), cell(after, LOG_CHANGE)) != 0 &&
	    !differs(before, after, LOG_COMMAND) && !differs(before, after, LOG_OFFERED)) {
		strbuf_addf(
			&sb,
			"The commit is %s as in the row before, but the change is another: is it "
			"committed?",
			cell(after, LOG_COMMIT));
		out[n++] = strbuf_detach(&sb);
	}
	return n;
}
